// SPDX-License-Identifier: MIT
#pragma once
// Sums over parts of the data, which may be spread over processes.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <fathom/beam/ranks.hpp>

namespace fathom {

/// What all parts have, added in their order: first those of rank 0. A Sum is made of doubles alone and has add().
/// `ranks` null: this process has all parts.
template <class Sum>
Sum add_parts(std::span<const Sum> mine, Ranks* ranks) {
  static_assert(std::is_trivially_copyable_v<Sum> && sizeof(Sum) % sizeof(double) == 0);
  Sum sum = {};
  if (ranks == nullptr) {
    for (const Sum& part : mine) sum.add(part);
    return sum;
  }
  constexpr std::size_t kNumbers = sizeof(Sum) / sizeof(double);
  std::vector<double> numbers;
  for (const Sum& part : mine) {
    const auto of_part = std::bit_cast<std::array<double, kNumbers>>(part);
    numbers.insert(numbers.end(), of_part.begin(), of_part.end());
  }
  const std::vector<double> all = ranks->gather(numbers);
  for (std::size_t i = 0; i < all.size(); i += kNumbers) {
    std::array<double, kNumbers> part = {};
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(i), kNumbers, part.begin());
    sum.add(std::bit_cast<Sum>(part));
  }
  return sum;
}

}  // namespace fathom
