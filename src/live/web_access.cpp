// SPDX-License-Identifier: MIT
#include "live/web_access.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

constexpr std::string_view kSchemeEnd = "://";

/// "[::1]:8765" and "::1" become "::1", "localhost:8765" becomes "localhost".
std::string host_without_port(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  const std::size_t colon = host.rfind(':');
  const bool is_v6 = colon != std::string_view::npos && host.find(':') != colon;
  return std::string(is_v6 ? host : host.substr(0, colon));
}

bool is_number_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address = {};
  return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

std::string_view host_of_origin(std::string_view origin) {
  return origin.substr(origin.find(kSchemeEnd) + kSchemeEnd.size());
}

}  // namespace

void check_origin_text(std::string_view text) {
  constexpr std::string_view kHostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";
  const std::size_t end = text.find(kSchemeEnd);
  const bool has_parts = end != std::string_view::npos && end > 0 && end + kSchemeEnd.size() < text.size();
  if (has_parts && host_of_origin(text).find_first_not_of(kHostLetters) == std::string_view::npos) return;
  throw InputError(
      fmt::format("origin '{}' is not of the form https://host or https://host:port", one_line(std::string(text))));
}

WebAccess::WebAccess(std::vector<std::string> origins) : origins_(std::move(origins)) {
  for (const std::string& origin : origins_) check_origin_text(origin);
}

bool WebAccess::allows_host(std::string_view host) const {
  const std::string name = host_without_port(host);
  if (name == "localhost" || is_number_address(name)) return true;
  return std::any_of(origins_.begin(), origins_.end(), [&](const std::string& origin) {
    return !name.empty() && host_without_port(host_of_origin(origin)) == name;
  });
}

bool WebAccess::allows_origin(std::string_view origin, std::string_view host) const {
  if (origin.empty() || origin == fmt::format("http://{}", host)) return true;
  return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

}  // namespace fathom
