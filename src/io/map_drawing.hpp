#pragma once
// Furniture of a picture from above: grid, scale bar, sensor mark, small text.

#include <cmath>
#include <cstdint>
#include <string_view>

#include <fathom/geometry.hpp>

#include "io/image.hpp"

namespace fathom {

/// Where world points lie in a picture: x to the right, y up.
struct MapView {
  double left_m = 0.0;  ///< world x of the left edge of column 0
  double top_m = 0.0;   ///< world y of the upper edge of row 0
  double m_per_pixel = 1.0;

  [[nodiscard]] std::int64_t column(double x_m) const { return pixel((x_m - left_m) / m_per_pixel); }
  [[nodiscard]] std::int64_t row(double y_m) const { return pixel((top_m - y_m) / m_per_pixel); }

 private:
  /// Far outside the picture there is no need to be exact, only defined.
  static std::int64_t pixel(double p) {
    return p > -1e9 && p < 1e9 ? static_cast<std::int64_t>(std::floor(p)) : std::int64_t{-1000000000};
  }
};

/// Faint lines at whole multiples of `step_m`.
void draw_grid(Image& image, const MapView& view, double step_m);
/// A bar of `length_m` at the lower left with its length beside it; strokes `weight` pixels thick.
void draw_scale_bar(Image& image, const MapView& view, double length_m, std::uint32_t weight);
/// A white ring with a dot.
void draw_sensor(Image& image, const MapView& view, const Vec3& position_m, std::uint32_t weight);

}  // namespace fathom
