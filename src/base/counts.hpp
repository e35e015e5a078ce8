// SPDX-License-Identifier: MIT
#pragma once
// Counts as notes say them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom {

/// 1234567 as "1 234 567".
inline std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ' ');
  return text;
}

/// "1 scan", "1 234 scans", "2 losses". `plural`: where it is not the noun and an s or es.
inline std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural = "") {
  const std::string text = grouped(count) + ' ';
  if (count != 1 && !plural.empty()) return text + std::string(plural);
  const char* end = count == 1 ? "" : noun.ends_with('s') || noun.ends_with('h') ? "es" : "s";
  return text + std::string(noun) + end;
}

/// The verb after so many.
inline std::string_view are(std::uint64_t count) { return count == 1 ? "is" : "are"; }
inline std::string_view were(std::uint64_t count) { return count == 1 ? "was" : "were"; }

}  // namespace fathom
