// SPDX-License-Identifier: MIT
#pragma once
// Requests of HTTP, the access to the server of the live page, and the files of the page. A browser also sends requests
// of strangers' pages, so two headers decide: Host, the name of the server that was used, and Origin, the page that
// asks.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// The head of a request of HTTP/1.0 or HTTP/1.1.
struct HttpRequest {
  std::string method, path;  ///< the path without '?' and the rest
  bool is_1_1 = false;
  std::map<std::string, std::string, std::less<>> headers;  ///< by their names in lower case

  /// Empty if there is no such header.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  /// Whether a header, a list with commas, contains `word`, ignoring case.
  [[nodiscard]] bool lists(std::string_view name, std::string_view word) const;
};

/// `head` ends with the empty line. Nothing if it is no request, by RFC 9112.
std::optional<HttpRequest> parse_request(std::string_view head);

/// The Content-Security-Policy of all replies: pages may load content of this server only.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src "
    "'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Throws InputError unless `text` is a scheme and a host, with or without a port: "https://app.example:8443".
void check_origin_text(std::string_view text);

class WebAccess {
 public:
  /// `origins`: of other pages that may connect. Throws InputError as check_origin_text().
  explicit WebAccess(std::vector<std::string> origins);

  /// Whether Host is a number address, localhost, or the host of one of the origins. A stranger may let another name
  /// point here.
  [[nodiscard]] bool allows_host(std::string_view host) const;
  /// Whether Origin is the server itself, one of the origins, or empty: programs send no origin.
  [[nodiscard]] bool allows_origin(std::string_view origin, std::string_view host) const;

 private:
  std::vector<std::string> origins_;
};

/// A file of the live page, compiled into the library.
struct PageFile {
  std::string_view path;  ///< "/app.js"
  std::string_view type;  ///< "text/javascript; charset=utf-8"
  std::string_view content;
};

/// Null if no file has this path.
const PageFile* find_page_file(std::string_view path);

}  // namespace fathom
