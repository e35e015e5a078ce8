// SPDX-License-Identifier: MIT
#pragma once
// Maximum of a function of one variable over an interval.

#include <cstddef>
#include <vector>

namespace fathom {

struct Peak {
  double x, value;
};

/// Narrows [low, high] around its highest inner point by golden sections until it is `tolerance` wide. The function
/// needs one peak there; ends are not evaluated.
template <class F>
Peak climb(double low, double high, double tolerance, F function) {
  constexpr double kGolden = 0.61803398874989484820;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = function(a), at_b = function(b);
  while (high - low > tolerance) {
    if (at_a < at_b) {
      low = a, a = b, at_a = at_b;
      b = low + kGolden * (high - low);
      at_b = function(b);
    } else {
      high = b, b = a, at_b = at_a;
      a = high - kGolden * (high - low);
      at_a = function(a);
    }
  }
  return at_a > at_b ? Peak{a, at_a} : Peak{b, at_b};
}

/// The highest of the points and of what lies between its neighbours; `points` increase.
template <class F>
Peak highest(const std::vector<double>& points, double tolerance, F function) {
  std::size_t best = 0;
  Peak peak = {points[0], function(points[0])};
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double value = function(points[i]);
    if (value > peak.value) peak = {points[i], value}, best = i;
  }
  const double low = points[best == 0 ? 0 : best - 1], high = points[best + 1 == points.size() ? best : best + 1];
  const Peak inner = climb(low, high, tolerance, function);
  return inner.value > peak.value ? inner : peak;
}

}  // namespace fathom
