// SPDX-License-Identifier: MIT
#pragma once
// The files of the live page, as bytes of the library.

#include <string_view>

namespace fathom {

struct PageFile {
  std::string_view path;  ///< of its address: "/app.js"
  std::string_view type;  ///< of its content: "text/javascript; charset=utf-8"
  std::string_view content;
};

/// Null: there is none of this path.
const PageFile* find_page_file(std::string_view path);

}  // namespace fathom
