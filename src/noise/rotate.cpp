// SPDX-License-Identifier: MIT
#include <fathom/noise/rotate.hpp>

#include <cmath>
#include <numbers>

#include <fathom/math/f64.hpp>

namespace fathom {

double log_density(const AxisTurn& turn, double angle_rad) {
  constexpr double kTurn = 2.0 * std::numbers::pi, kLeastToWrap = 0.5;  // below, a turn more is 6 deviations off
  const double stddev = turn.stddev_rad, off = std::remainder(angle_rad - turn.mean_rad, kTurn) / stddev;
  if (!(stddev > 0.0)) return -__builtin_inf();
  const double middle = math::log(math::kInverseSqrtTwoPi / stddev) - 0.5 * off * off;
  if (stddev < kLeastToWrap) return middle;
  double sum = 1.0;
  for (int turns = 1; turns <= 4; ++turns) {
    for (const double more : {turns * kTurn / stddev, -turns * kTurn / stddev}) {
      sum += math::exp(-0.5 * more * (more + 2.0 * off));
    }
  }
  return middle + math::log(sum);
}

}  // namespace fathom
