// SPDX-License-Identifier: MIT
#pragma once
// Whole numbers as bytes, the highest first.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom {

inline void append_big_endian(std::string& bytes, std::uint64_t value, std::size_t count) {
  for (std::size_t i = count; i > 0; --i) bytes += static_cast<char>(value >> 8 * (i - 1));
}

/// Of 8 bytes at most.
inline std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

}  // namespace fathom
