// SPDX-License-Identifier: MIT
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/names.hpp>

namespace fathom {

namespace {

/// Levenshtein distance, case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (lower_case(a[i - 1]) == lower_case(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

constexpr std::size_t kLeastBegin = 2;    // letters of a name that hint at its rest
constexpr std::size_t kLongestWord = 64;  // longer words get no hint: the search is quadratic

/// Characters that control a terminal, reverse the text around them, or are invisible.
bool is_unseen(char32_t c) {
  struct Span {
    char32_t first, last;
  };
  constexpr Span kUnseen[] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0x61c, 0x61c},   {0x200b, 0x200b},
                              {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                              {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return std::any_of(std::begin(kUnseen), std::end(kUnseen), [c](Span s) { return c >= s.first && c <= s.last; });
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Most edits of a likely slip. Half a word of edits would make another word.
std::size_t most_edits(std::string_view name) { return std::max<std::size_t>(2, name.size() / 3); }

/// A name without case, hyphens and underscores.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '-' && c != '_') text += lower_case(c);
  }
  return text;
}

}  // namespace

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_case(c);
  return lower;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string number_text(double value) {
  // A float prints as it was written: 0.1F is "0.1", not 0.10000000149011612.
  const auto narrow = static_cast<float>(value);
  if (std::isfinite(value) && static_cast<double>(narrow) == value) return fmt::format("{}", narrow);
  return fmt::format("{}", value);
}

std::string limit_text(double limit) {
  std::string text = fmt::format("{:.0e}", limit);  // 1e+09, 1e-03
  const std::size_t exponent = text.find('e') + 1, digits = text.find_first_not_of("+-0", exponent);
  const std::size_t begin = exponent + (text[exponent] == '-' ? 1 : 0);
  return text.erase(begin, std::min(digits, text.size() - 1) - begin);
}

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  for (std::string_view rest = text; !rest.empty();) {
    char32_t code = 0;
    const std::size_t length = utf8_length(rest, code);
    if (length == 0 || (is_unseen(code) && code < 0x80)) {
      const char c = rest.front();
      shown += c == '\n' || c == '\r' || c == '\t' ? " " : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (is_unseen(code)) {
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    } else {
      shown += rest.substr(0, length);
    }
    rest.remove_prefix(std::max<std::size_t>(1, length));
  }
  if (shown.size() <= most) return shown;
  const std::string gap = fmt::format("... ({} bytes) ...", text.size());
  // Cut the middle: the place is at the start of a message, and the limits are at its end. The result is shorter than
  // `most`, so that it can get a prefix without a second cut.
  const std::size_t half = (most - std::min(most, gap.size())) / 3;
  std::size_t first = half, last = shown.size() - half;
  while (first > 0 && continues_character(shown[first])) --first;
  while (last < shown.size() && continues_character(shown[last])) ++last;
  return shown.substr(0, first) + gap + shown.substr(last);
}

std::string one_line(std::string_view text) { return printable(text, 300); }

std::string_view likely_name(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > kLongestWord) return {};
  std::string_view nearest;
  std::size_t fewest = most_edits(name) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() >= name.size() + fewest) continue;  // needs more edits
    const std::size_t edits = edit_distance(name, candidate);
    if (edits < fewest) nearest = candidate, fewest = edits;
  }
  if (!nearest.empty() || name.size() < kLeastBegin) return nearest;
  const auto begun = std::find_if(candidates.begin(), candidates.end(), [&](std::string_view candidate) {
    return lower_case(candidate.substr(0, name.size())) == lower_case(name);
  });
  return begun == candidates.end() ? nearest : *begun;
}

std::string nearest_hint(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view nearest = likely_name(name, candidates);
  return nearest.empty() ? std::string() : fmt::format(" (nearest known: '{}')", nearest);
}

std::string_view find_name(std::string_view name, std::span<const std::string_view> candidates) {
  const auto exact = std::find(candidates.begin(), candidates.end(), name);
  if (exact != candidates.end()) return *exact;
  std::string_view found;
  for (const std::string_view candidate : candidates) {
    if (folded(candidate) != folded(name)) continue;
    if (!found.empty()) return {};
    found = candidate;
  }
  return found;
}

std::string interval_text(double low, double high) {
  constexpr double kFewest = 4.0, kMost = 10.0;
  const double size = std::max(std::abs(low), std::abs(high)), width = high - low;
  const double needed = width > 0.0 ? 1.0 + std::ceil(std::log10(size / width)) : kFewest;
  const int digits = static_cast<int>(std::clamp(needed, kFewest, kMost));
  return fmt::format("{:.{}g} to {:.{}g}", low, digits, high, digits);
}

}  // namespace fathom
