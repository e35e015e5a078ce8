// SPDX-License-Identifier: MIT
#pragma once
// Reading text line by line: words, cells, numbers, and tables in CSV.

#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"

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

/// The same if lines may also end with \r alone, as old programs for the Mac write them.
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

/// The number that the whole text is ("1", "-2.5e3", also "nan" and "inf", but not "nan(1)"), or nothing. Independent
/// of the locale.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  if (text.ends_with(')')) return std::nullopt;
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The place of a line, and numbers from it with errors that name file and line.
struct LogLine {
  std::filesystem::path file;
  std::size_t number = 0;  ///< from 1

  [[noreturn]] void fail(const Message& what) const {
    throw InputError(fmt::format("{}:{}: ", file.string(), number), what);
  }

  /// Any number, also nan and inf; `what` names it in the message.
  [[nodiscard]] double reading(std::string_view text, std::string_view what) const {
    if (text.empty()) fail(fmt::format("the line is cut short before {}", what));
    const auto value = parse_number<double>(text);
    if (!value) fail(fmt::format("{} = '{}' is not a number", what, text));
    // Above the largest float a value would become infinity, which has another meaning.
    if (std::isfinite(*value) && !(std::abs(*value) <= 3e38)) {
      fail(fmt::format("{} = {} is not in [-3e+38, 3e+38]", what, text));
    }
    return *value;
  }

  [[nodiscard]] double finite(std::string_view text, std::string_view what) const {
    const double value = reading(text, what);
    if (!std::isfinite(value)) fail(fmt::format("{} = {} is not finite", what, number_text(value)));
    return value;
  }

  /// The names in a CSV header. Throws InputError if tabs or semicolons separate them.
  [[nodiscard]] std::vector<std::string_view> header_cells(std::string_view header) const {
    const bool has_commas = header.find(',') != std::string_view::npos;
    for (const char other : {';', '\t'}) {
      if (has_commas || header.find(other) == std::string_view::npos) continue;
      fail(fmt::format("columns are separated by commas, not by {}", other == ';' ? "semicolons" : "tabs"));
    }
    return split_cells(header);
  }
};

/// A wanted column of a CSV table with a header.
struct CsvColumn {
  std::string_view name;
  bool required = true;
};

/// May refuse a value by line.fail(); `column` is its position among the wanted columns.
using CsvCheck = std::function<void(const LogLine& line, std::size_t column, double value)>;

/// Checks a scan number: whole, and at least `least`, which is the number before if they must not decrease.
inline void check_scan(const LogLine& line, double value, double least) {
  constexpr double kMost = 4294967295.0;
  if (value >= least && value <= kMost && value == std::floor(value)) return;
  line.fail(fmt::format("scan = {} is not a whole number in [{}, {}]", number_text(value), least, kMost));
}

inline void check_expected(const LogLine& line, double value) {
  if (!(value >= 0.0)) line.fail(fmt::format("expected_m = {} is not at least 0", number_text(value)));
}

/// One vector per wanted column, [lines], empty for an absent optional column. Numbers may be inf or nan, `#` begins a
/// comment line, and gzip is inflated. Throws InputError naming file and line for a column that is unknown, missing or
/// twice there, a line with another number of values, text that is no number, and a table without lines.
std::vector<std::vector<double>> read_csv_columns(const std::filesystem::path& file, std::span<const CsvColumn> columns,
                                                  const CsvCheck& check = {});

}  // namespace fathom
