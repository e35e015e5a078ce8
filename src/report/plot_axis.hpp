// SPDX-License-Identifier: MIT
#pragma once
// An axis of a plot: where values lie on it, and its ticks.

#include <string>
#include <vector>

namespace fathom {

struct PlotAxis {
  double low = 0.0, high = 1.0;
  std::string label = {};
  bool logarithmic = false;  ///< low > 0 then
  double last_tick = high;   ///< no ticks beyond
  double first_tick = low;   ///< and none before
};

/// The axis of a logarithmic picture whose largest value is `top`, five decades deep.
PlotAxis decades_below(double top, std::string label);

/// Where a value lies on an axis, 0 to 1.
double place_on(const PlotAxis& axis, double value);

/// Whole multiples of 1, 2 or 5 times a power of ten within the axis, about five; powers of ten on a logarithmic one.
std::vector<double> tick_values(const PlotAxis& axis);

/// What lengths are shown in: millimetres, or metres from one metre on.
struct LengthUnit {
  double per_m;
  const char* symbol;
};
LengthUnit length_unit(double largest_m);

/// A tick as SVG text shows it.
std::string tick_text(double value);

}  // namespace fathom
