// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

/// The head of a request of HTTP/1.0 or HTTP/1.1.
struct HttpRequest {
  std::string method, path;  ///< the path without what follows '?'
  bool is_1_1 = false;
  std::map<std::string, std::string, std::less<>> headers;  ///< by their names in lower case

  /// Empty: there is no such header.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  /// Whether a header, a list with commas, names `word`, whatever the case of its letters.
  [[nodiscard]] bool lists(std::string_view name, std::string_view word) const;
};

/// `head` ends with the empty line. Nothing: it is no request, by RFC 9112.
std::optional<HttpRequest> parse_request(std::string_view head);

}  // namespace fathom
