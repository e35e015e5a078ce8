// SPDX-License-Identifier: MIT
#pragma once
// Sums over arrays in kernels that are compiled once per instruction set, FATHOM_ISA naming it. They run in kLanes
// lanes that are folded in one order, so that every build rounds alike.

#include <cstddef>

#include <fathom/math/f64.hpp>

namespace fathom::FATHOM_ISA {

inline constexpr std::size_t kLanes = 16;

/// The upper half of the lanes onto the lower one, until one is left.
FATHOM_KERNEL double fold(double* lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) lanes[k] += lanes[k + half];
  }
  return lanes[0];
}

/// Adds term(0) to term(count - 1) in kLanes running sums, then these.
template <class Term>
FATHOM_KERNEL double add_up_terms(std::size_t count, const Term& term) {
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += term(i + k);
  }
  for (std::size_t k = 0; i + k < count; ++k) lanes[k] += term(i + k);
  return fold(lanes);
}

FATHOM_KERNEL double add_up(const double* __restrict values, std::size_t count) {
  return add_up_terms(count, [=](std::size_t i) { return values[i]; });
}

template <class A, class B>
FATHOM_KERNEL double add_up_products(const A* __restrict a, const B* __restrict b, std::size_t count) {
  return add_up_terms(count, [=](std::size_t i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}

}  // namespace fathom::FATHOM_ISA
