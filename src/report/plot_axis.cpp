// SPDX-License-Identifier: MIT
#include "report/plot_axis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace fathom {

namespace {

std::vector<double> powers_of_ten(const PlotAxis& axis) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::ceil(std::log10(axis.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(std::min(axis.high, axis.last_tick)) + 1e-9));
  const int step = std::max(1, (last - first + 1) / 6);
  for (int power = first; power <= last; power += step) ticks.push_back(std::pow(10.0, power));
  return ticks;
}

}  // namespace

PlotAxis decades_below(double top, std::string label) {
  const double high = 1.5 * std::max(top, 1e-12);
  return {.low = 1e-5 * high, .high = high, .label = std::move(label), .logarithmic = true};
}

double place_on(const PlotAxis& axis, double value) {
  if (axis.logarithmic) {
    value = std::max(value, axis.low);
    return std::log(value / axis.low) / std::log(axis.high / axis.low);
  }
  return (value - axis.low) / (axis.high - axis.low);
}

LengthUnit length_unit(double largest_m) {
  return largest_m < 1.0 ? LengthUnit{.per_m = 1e3, .symbol = "mm"} : LengthUnit{.per_m = 1.0, .symbol = "m"};
}

std::string tick_text(double value) {
  if (value != 0.0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e5)) {
    const int power = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    const double digits = value / std::pow(10.0, power);
    const std::string exponent = fmt::format("10<tspan dy=\"-4\" font-size=\"8\">{}</tspan>", power);
    return std::abs(digits - 1.0) < 1e-6 ? exponent : fmt::format("{:.3g}·{}", digits, exponent);
  }
  return fmt::format("{:.6g}", value);
}

std::vector<double> tick_values(const PlotAxis& axis) {
  if (axis.logarithmic) return powers_of_ten(axis);
  const double rough = (axis.high - axis.low) / 5.0;
  const double unit = std::pow(10.0, std::floor(std::log10(rough)));
  const double digits = rough / unit;
  const double step = unit * (digits < 1.5 ? 1 : digits < 3.5 ? 2 : digits < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const double last = std::min(axis.high, axis.last_tick);
  for (double k = std::ceil(std::max(axis.low, axis.first_tick) / step - 1e-9); k * step <= last + 1e-9 * step; ++k) {
    ticks.push_back(k == 0.0 ? 0.0 : k * step);
  }
  return ticks;
}

}  // namespace fathom
