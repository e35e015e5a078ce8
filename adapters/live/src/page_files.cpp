// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "live/socket/http.hpp"

// The assembler reads the files; src/CMakeLists.txt defines their folder.
#define FATHOM_PAGE_FILE(name, file)           \
  __asm__(                                     \
      ".pushsection .rodata\n"                 \
      ".hidden fathom_page_" name              \
      "_begin\n"                               \
      ".hidden fathom_page_" name              \
      "_end\n"                                 \
      ".global fathom_page_" name              \
      "_begin\n"                               \
      ".global fathom_page_" name              \
      "_end\n"                                 \
      "fathom_page_" name                      \
      "_begin:\n"                              \
      ".incbin \"" FATHOM_PAGE_FOLDER "/" file \
      "\"\n"                                   \
      "fathom_page_" name                      \
      "_end:\n"                                \
      ".byte 0\n"                              \
      ".popsection\n")

FATHOM_PAGE_FILE("html", "index.html");
FATHOM_PAGE_FILE("js", "app.js");
FATHOM_PAGE_FILE("css", "app.css");

extern "C" {
extern const char fathom_page_html_begin[], fathom_page_html_end[];
extern const char fathom_page_js_begin[], fathom_page_js_end[];
extern const char fathom_page_css_begin[], fathom_page_css_end[];
}

namespace fathom {

const PageFile* find_page_file(std::string_view path) {
  static const std::array<PageFile, 3> files = {{
      {"/", "text/html; charset=utf-8", {fathom_page_html_begin, fathom_page_html_end}},
      {"/app.js", "text/javascript; charset=utf-8", {fathom_page_js_begin, fathom_page_js_end}},
      {"/app.css", "text/css; charset=utf-8", {fathom_page_css_begin, fathom_page_css_end}},
  }};
  const auto* const found = std::find_if(files.begin(), files.end(), [&](const PageFile& f) { return f.path == path; });
  return found == files.end() ? nullptr : found;
}

}  // namespace fathom
