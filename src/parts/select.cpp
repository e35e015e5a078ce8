// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include <fathom/parts/clouds.hpp>

namespace fathom {

namespace {

template <std::size_t Size>
void copy_fixed(const std::byte* in, std::span<const std::uint32_t> indices, std::byte* out) {
  for (std::size_t i = 0; i < indices.size(); ++i) std::memcpy(out + i * Size, in + indices[i] * Size, Size);
}

template <std::size_t Count>
bool all_nonzero(const std::int32_t* values) {
  std::int32_t zeros = 0;
  for (std::size_t k = 0; k < Count; ++k) zeros |= values[k] == 0 ? 1 : 0;
  return zeros == 0;
}

}  // namespace

std::size_t find_nonzero(std::span<const std::int32_t> values, std::uint32_t first, std::uint32_t* indices) {
  constexpr std::size_t kGroup = 16;
  std::size_t found = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += kGroup) {
    const std::size_t end = std::min(values.size(), begin + kGroup);
    const std::uint32_t number = first + static_cast<std::uint32_t>(begin);
    if (end - begin == kGroup && all_nonzero<kGroup>(values.data() + begin)) {
      for (std::uint32_t k = 0; k < kGroup; ++k) indices[found + k] = number + k;
      found += kGroup;
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      indices[found] = first + static_cast<std::uint32_t>(i);  // written for every point: no branch to predict
      found += values[i] != 0 ? 1 : 0;
    }
  }
  return found;
}

void copy_points(const std::byte* in, std::size_t size, std::span<const std::uint32_t> indices, std::byte* out) {
  if (size == 12) return copy_fixed<12>(in, indices, out);
  if (size == 4) return copy_fixed<4>(in, indices, out);
  for (std::size_t i = 0; i < indices.size(); ++i) std::memcpy(out + i * size, in + indices[i] * size, size);
}

}  // namespace fathom
