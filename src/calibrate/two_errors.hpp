// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "beam/student_t.hpp"

namespace fathom {

/// By how much an error has to be larger so that two of it hold as often as two of a known one, when it has so few
/// degrees of freedom: by the quantiles of Student's t. 1 where it has none.
inline double two_errors_widening(std::size_t degrees) {
  constexpr double kHeldByTwo = 0.97725;  // of a normal below two deviations
  return degrees > 0 ? 0.5 * student_t_quantile(kHeldByTwo, static_cast<double>(degrees)) : 1.0;
}

}  // namespace fathom
