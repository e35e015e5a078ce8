// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace fathom {

/// Length of the UTF-8 character that `text`, not empty, begins with, and its code; 0 where these bytes are none.
inline std::size_t utf8_length(std::string_view text, char32_t& code) {
  const auto first = static_cast<unsigned char>(text.front());
  code = first;
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  code = first & (0x7fU >> length);
  for (const char c : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[length - 2] || code > 0x10ffff || surrogate ? 0 : length;
}

}  // namespace fathom
