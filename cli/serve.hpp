// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include <fathom/live/live.hpp>

namespace fathom_cli {

/// `fathom serve SCENE ...` and `fathom view PATH ...`
struct ServeOptions {
  std::filesystem::path path;
  fathom::LiveOptions live;
  bool quiet = false;
};

/// Prints the address of the page, and serves it until a signal comes. Throws fathom::Error.
void serve(const ServeOptions& options);
void view(const ServeOptions& options);

}  // namespace fathom_cli
