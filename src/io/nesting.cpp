#include "io/nesting.hpp"

#include <algorithm>

namespace fathom {

namespace {

/// Offset of the last character of the markup that starts at `at`; npos when it has no end.
std::size_t markup_end(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view closing) {
    const std::size_t found = text.find(closing, at);
    return found == std::string_view::npos ? found : found + closing.size() - 1;
  };
  if (text.substr(at, 4) == "<!--") return after("-->");
  if (text.substr(at, 9) == "<![CDATA[") return after("]]>");
  if (text.substr(at, 2) == "<?") return after("?>");
  char quote = '\0';
  for (; at < text.size(); ++at) {  // a quoted attribute may hold '>'
    const char c = text[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t json_nesting(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

std::size_t xml_nesting(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::size_t end = markup_end(text, at);
    const char kind = at + 1 < text.size() ? text[at + 1] : '\0';
    if (kind == '/') {
      if (depth > 0) --depth;
    } else if (kind != '?' && kind != '!' && !(end != std::string_view::npos && text[end - 1] == '/')) {
      deepest = std::max(deepest, ++depth);
    }
    if (end == std::string_view::npos) break;
    at = end;
  }
  return deepest;
}

}  // namespace fathom
