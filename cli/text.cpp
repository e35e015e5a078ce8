// SPDX-License-Identifier: MIT
#include "text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>

namespace fathom_cli {

void print(std::string_view text) {
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0) {
    throw fathom::SystemError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

void print_warnings(std::span<const std::string> warnings) {
  constexpr std::size_t kMostWarnings = 100, kMostBytes = 950;
  for (const std::string& warning : warnings.first(std::min(warnings.size(), kMostWarnings))) {
    std::fputs(fmt::format("fathom: warning: {}\n", fathom::printable(warning, kMostBytes)).c_str(), stderr);
  }
  if (warnings.size() <= kMostWarnings) return;
  std::fputs(fmt::format("fathom: warning: {} more warnings\n", group_digits(warnings.size() - kMostWarnings)).c_str(),
             stderr);
}

std::string align_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool to_right = std::find(right.begin(), right.end(), c) != right.end();
      line += fmt::format(fmt::runtime(to_right ? "{:>{}}  " : "{:<{}}  "), row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string group_digits(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
    text += digits[i];
  }
  return text;
}

std::optional<std::size_t> find_typed(std::string_view typed, std::span<const std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), fathom::find_name(typed, names));
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string nearest_text(std::string_view typed, std::span<const std::string_view> names) {
  const std::string_view likely = fathom::likely_name(typed, names);
  return likely.empty() ? std::string() : fmt::format("; nearest: {}", likely);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  std::string text = fmt::format("{} {}", group_digits(count), noun);
  if (count == 1) return text;
  const bool is_ray = noun.ends_with("ay");  // the only vowel before y among our nouns
  if (noun.back() == 'y' && !is_ray) return text.replace(text.size() - 1, 1, "ies");
  return text + (noun.back() == 'h' ? "es" : "s");
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"", "k", "M", "G", "T"};
  auto value = static_cast<double>(bytes);
  std::size_t k = 0;
  for (; value >= 1000.0 && k + 1 < kPrefixes.size(); ++k) value /= 1000.0;
  return fmt::format("{:.3g} {}B", value, kPrefixes[k]);
}

}  // namespace fathom_cli
