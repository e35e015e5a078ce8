// SPDX-License-Identifier: MIT
#pragma once
// Who may talk to the server of the live page. A browser sends what the page of a stranger asks for, too: so it matters
// under which name the server was reached (Host), and whose page asks (Origin).

#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// Headers that go with everything, each with its value: a page may load what comes from here alone.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src "
    "'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Throws InputError unless `text` is a scheme and a host, with or without a port: "https://app.example:8443".
void check_origin_text(std::string_view text);

class WebAccess {
 public:
  /// `origins`: of pages that may connect besides the server's own. Throws InputError as check_origin_text().
  explicit WebAccess(std::vector<std::string> origins);

  /// Whether Host is a number address, localhost, or the host of one of the origins. Another name may be one that a
  /// stranger let point here.
  [[nodiscard]] bool allows_host(std::string_view host) const;
  /// Whether Origin, empty without one, is that of the server itself or one of the origins. Programs send none.
  [[nodiscard]] bool allows_origin(std::string_view origin, std::string_view host) const;

 private:
  std::vector<std::string> origins_;
};

}  // namespace fathom
