// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>

#include "calibrate/no_number.hpp"

namespace fathom {

/// Standard error of an estimate, by its values without one group of the data after the other; NaN for fewer than two.
inline double jackknife_error(std::span<const double> without) {
  if (without.size() < 2) return kNoNumber;
  const auto count = static_cast<double>(without.size());
  double mean = 0.0, square = 0.0;
  for (const double value : without) mean += value / count;
  for (const double value : without) square += (value - mean) * (value - mean);
  return std::sqrt(square * (count - 1.0) / count);
}

}  // namespace fathom
