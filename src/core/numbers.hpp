// SPDX-License-Identifier: MIT
#pragma once
// Limits of coordinates and quaternions, quantiles, and edges of bins.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <fathom/core/geometry.hpp>

namespace fathom {

/// kMaxCoordinateM in messages.
inline constexpr std::string_view kCoordinateLimits = "[-1e9, 1e9] m";

/// Whether a quaternion of this length is accepted: files often give few digits.
inline bool is_about_one(double length) { return std::abs(length - 1.0) <= 1e-2; }

/// The first coordinate that is not within kMaxCoordinateM, if any.
inline std::optional<double> coordinate_beyond_limits(const Vec3& place_m) {
  for (const double c : {place_m.x, place_m.y, place_m.z}) {
    if (!(std::abs(c) <= kMaxCoordinateM)) return c;
  }
  return std::nullopt;
}

/// The median, of an even number of values the upper one. Reorders the values, which must not be empty.
inline double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The value below which a fraction q of the values lies; 0 without values.
template <class T>
double quantile_of(std::vector<T> values, double q) {
  if (values.empty()) return 0.0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return double{*at};
}

/// [bins + 1]
inline std::vector<double> even_edges(double low, double high, std::size_t bins) {
  std::vector<double> edges;
  for (std::size_t i = 0; i <= bins; ++i) {
    edges.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(bins));
  }
  return edges;
}

}  // namespace fathom
