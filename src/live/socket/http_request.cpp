// SPDX-License-Identifier: MIT
#include "live/socket/http_request.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "text/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kNameLetters =
    "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Headers of one value, which decide who may connect: twice, they could be read in two ways.
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

/// Takes what comes before `end` from the front of `rest`, and `end`; all of it where there is no `end`.
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

}  // namespace fathom
