// SPDX-License-Identifier: MIT
#include "live/socket/http.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kNameLetters =
    "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Headers that decide about access. They must not occur twice, because readers may disagree about which one counts.
constexpr std::array<std::string_view, 4> kSingle = {"host", "origin", "sec-websocket-key", "sec-websocket-version"};

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kNameLetters) == std::string_view::npos;
}

bool is_printed(std::string_view line) {
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f'); });
}

bool add_header(HttpRequest& request, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_name(line.substr(0, colon))) return false;
  const std::string_view value = trim(line.substr(colon + 1));
  const auto [header, is_new] = request.headers.try_emplace(lower_case(line.substr(0, colon)), value);
  if (is_new) return true;
  header->second.append(", ").append(value);
  return std::find(kSingle.begin(), kSingle.end(), header->first) == kSingle.end();
}

/// Removes the part before `end`, and `end`, from the front of `rest`; returns the part. Everything without an `end`.
std::string_view take_part(std::string_view& rest, std::string_view end) {
  const std::size_t at = std::min(rest.find(end), rest.size());
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(std::min(at + end.size(), rest.size()));
  return part;
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

bool HttpRequest::lists(std::string_view name, std::string_view word) const {
  const std::vector<std::string_view> words = split_cells(header(name));
  return std::any_of(words.begin(), words.end(), [&](std::string_view one) { return lower_case(one) == word; });
}

std::optional<HttpRequest> parse_request(std::string_view head) {
  std::string_view start = take_part(head, kLineEnd);
  if (!is_printed(start)) return std::nullopt;
  HttpRequest request;
  request.method = take_part(start, " ");
  std::string_view target = take_part(start, " ");
  request.path = take_part(target, "?");
  request.is_1_1 = start == "HTTP/1.1";
  if (!is_name(request.method) || !request.path.starts_with('/')) return std::nullopt;
  if (!request.is_1_1 && start != "HTTP/1.0") return std::nullopt;
  while (!head.empty()) {
    const std::string_view line = take_part(head, kLineEnd);
    if (line.empty()) break;
    if (!is_printed(line) || !add_header(request, line)) return std::nullopt;
  }
  if (request.is_1_1 && !request.headers.contains("host")) return std::nullopt;
  return request;
}

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
