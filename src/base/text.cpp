#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <fathom/names.hpp>

namespace fathom {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Levenshtein's, case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

/// What is left of a name without case, hyphens and underscores.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '-' && c != '_') text += lower(c);
  }
  return text;
}

}  // namespace

std::string number_text(double value) {
  // A float given as a double prints as the float was written: 0.1F is "0.1", not 0.10000000149011612.
  const auto narrow = static_cast<float>(value);
  if (std::isfinite(value) && static_cast<double>(narrow) == value) return fmt::format("{}", narrow);
  return fmt::format("{}", value);
}

std::string one_line(std::string text) {
  if (text.size() > 300) text.resize(300);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  if (candidates.empty()) return {};
  return *std::min_element(candidates.begin(), candidates.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
}

std::string nearest_hint(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view nearest = likely_name(name, candidates);
  return nearest.empty() ? std::string() : fmt::format(" (nearest known: '{}')", nearest);
}

std::string_view likely_name(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view nearest = nearest_name(name, candidates);
  return edit_distance(name, nearest) <= std::max<std::size_t>(2, name.size() / 2) ? nearest : std::string_view();
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

}  // namespace fathom
