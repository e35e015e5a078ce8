// SPDX-License-Identifier: MIT
#pragma once
// Reading text line by line: trajectories, tables, headers.

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom {

inline constexpr std::string_view kBlanks = " \t\r\n\f\v";

inline std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8

/// The text without a byte order mark in front.
inline std::string_view behind_byte_order_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// Calls f(number, line) for every line, counting from 1, without its line end (\n or \r\n).
template <class F>
void for_each_line(std::string_view text, F f) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    f(number, line);
  }
}

/// The same, where a line may also end with \r alone, as old programs for the Mac write it.
template <class F>
void for_each_line_of_any_end(std::string_view text, F f) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find_first_of("\r\n");
    f(number, text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2 : 1));
  }
}

/// The words between blanks, or the first `most` of them.
inline std::vector<std::string_view> split_words(std::string_view line, std::size_t most = std::string_view::npos) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos && words.size() < most;) {
    const std::size_t end = line.find_first_of(kBlanks, at);
    words.push_back(line.substr(at, end - at));
    at = end == std::string_view::npos ? end : line.find_first_not_of(kBlanks, end);
  }
  return words;
}

/// The cells between commas, trimmed.
inline std::vector<std::string_view> split_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// The number that the whole text spells ("1", "-2.5e3", also "nan" and "inf", but not "nan(1)"), or nothing.
/// Independent of the locale.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  if (text.ends_with(')')) return std::nullopt;
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace fathom
