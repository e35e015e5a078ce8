// SPDX-License-Identifier: MIT
#pragma once
// Counts in messages.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom {

/// 1234567 as "1 234 567".
inline std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, " ");
  return text;
}

/// "1 scan", "2 000 scans", "2 stretches". `plural`: where it is not the noun and an s.
inline std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural = "") {
  std::string text = grouped(count) + " ";
  if (count != 1 && !plural.empty()) return text.append(plural);
  return text.append(noun).append(count == 1 ? "" : "s");
}

}  // namespace fathom
