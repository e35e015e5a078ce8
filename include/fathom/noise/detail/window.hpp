// SPDX-License-Identifier: MIT
#pragma once
// The rule of matching_window for one pixel (noise/matching_window.hpp), for the processor and for devices. It keeps no
// list of the window's pixels but reads them again in each step: a thread of a device needs no memory for them.
//
// Sums are in double precision, exact for disparities that differ by less than a factor of 1000, and in a fixed order:
// rows from top to bottom, each summed from left to right first. So a renderer that sums rows once for many windows
// (render/window_lanes.cpp) gets the same bits.

#include <cstddef>
#include <cstdint>

#include <fathom/core/export.hpp>
#include <fathom/core/f32.hpp>
#include <fathom/frame/reason.hpp>

namespace fathom {

/// The parameters of a model of stage kImage, ready for use.
struct WindowRule {
  /// Limit of radius_px: up to it, the whole numbers in plane_at_centre() are exact.
  static constexpr std::int32_t kMostRadius = 15;

  std::int32_t radius_px = 0;     ///< the window has 2 radius + 1 pixels a side
  float share = 0.25F;            ///< of the window's valid pixels that a surface must hold
  float sure_share = 0.0F;        ///< of them that the chosen one must hold
  float valid_share = 0.0F;       ///< of the window's pixels that must be valid
  float max_step_px = 1.0F;       ///< largest step of disparity within a surface
  std::uint32_t min_area_px = 0;  ///< of a region that is believed
  bool flying = false;            ///< whether unsure pixels get the mean of two surfaces instead of being lost

  friend constexpr bool operator==(const WindowRule&, const WindowRule&) = default;
};

/// Disparities, px, [rows, cols]; 0 or less without a valid return.
struct WindowImage {
  const float* disparity_px;
  std::uint32_t rows, cols;
};

/// The result for a valid pixel.
struct WindowPixel {
  float disparity_px;   ///< meaningful unless it is lost
  std::uint32_t taken;  ///< place in the image of the pixel whose surface it shows
  Reason reason;        ///< kHit, or kEdge: lost
};

/// Sums over the pixels of one surface in a window: u to the right, v down, from the window's centre; d: disparity.
struct WindowSums {
  double n = 0, u = 0, v = 0, uu = 0, uv = 0, vv = 0, d = 0, ud = 0, vd = 0;
};

/// The same over one row of it.
struct WindowRowSums {
  double n = 0, u = 0, uu = 0, d = 0, ud = 0;
};

FATHOM_KERNEL void add_row(WindowSums& s, double v, const WindowRowSums& row) {
  s.n += row.n, s.u += row.u, s.v += v * row.n;
  s.uu += row.uu, s.uv += v * row.u, s.vv += v * v * row.n;
  s.d += row.d, s.ud += row.ud, s.vd += v * row.d;
}

/// The disparity at the centre of the plane that fits the pixels best, by least squares. If they lie on one line, the
/// plane is level across it.
FATHOM_KERNEL double plane_at_centre(const WindowSums& s) {
  const double a = s.n * s.uu - s.u * s.u, b = s.n * s.vv - s.v * s.v, c = s.n * s.uv - s.u * s.v;
  const double p = s.n * s.ud - s.u * s.d, q = s.n * s.vd - s.v * s.d;
  const double determinant = a * b - c * c, along = a + b;
  const bool plane = determinant > 0.0;
  const double by_line = along > 0.0 ? along : 1.0, scale = plane ? determinant : by_line;
  const double px = p * b - q * c, qx = q * a - p * c;
  const double across = (plane ? px : p) / scale, down = (plane ? qx : q) / scale;
  return (s.d - across * s.u - down * s.v) / s.n;
}

namespace detail {

/// The part of an image that a window covers.
struct WindowBounds {
  std::uint32_t top, bottom, left, right;  ///< bottom and right are inside
};

FATHOM_KERNEL WindowBounds bounds_of(const WindowRule& rule, const WindowImage& image, std::uint32_t row,
                                     std::uint32_t col) {
  const auto r = static_cast<std::uint32_t>(rule.radius_px);
  return {row > r ? row - r : 0, row + r < image.rows ? row + r : image.rows - 1, col > r ? col - r : 0,
          col + r < image.cols ? col + r : image.cols - 1};
}

/// A surface of a window: its pixels have disparities in [low, high].
struct WindowSurface {
  float low, high;
  std::uint32_t count;
};

/// The surface with the largest disparities below `below`; without pixels if there is no such surface.
FATHOM_KERNEL WindowSurface surface_below(const WindowRule& rule, const WindowImage& image, const WindowBounds& w,
                                          float below) {
  WindowSurface s = {0.0F, 0.0F, 0};
  for (std::uint32_t row = w.top; row <= w.bottom; ++row) {
    const float* const d = image.disparity_px + std::size_t{row} * image.cols;
    for (std::uint32_t col = w.left; col <= w.right; ++col) {
      const bool more = (d[col] < below) & (d[col] > s.high);
      s.high = math::select(more, d[col], s.high);
    }
  }
  s.low = s.high;
  while (s.high > 0.0F) {
    float next = s.low;
    std::uint32_t count = 0;
    for (std::uint32_t row = w.top; row <= w.bottom; ++row) {
      const float* const d = image.disparity_px + std::size_t{row} * image.cols;
      for (std::uint32_t col = w.left; col <= w.right; ++col) {
        const bool inside = (d[col] > 0.0F) & (d[col] <= s.high) & (s.low - d[col] <= rule.max_step_px);
        count += inside ? 1 : 0;
        next = math::select(inside & (d[col] < next), d[col], next);
      }
    }
    s.count = count;
    if (next == s.low) break;
    s.low = next;
  }
  return s;
}

/// The next surface below `below` that holds at least `wanted` pixels; without pixels if there is no such surface.
/// `rest`: number of the window's valid pixels below.
FATHOM_KERNEL WindowSurface candidate_below(const WindowRule& rule, const WindowImage& image, const WindowBounds& w,
                                            float wanted, float below, std::uint32_t& rest) {
  while (rest > 0 && static_cast<float>(rest) >= wanted) {
    const WindowSurface s = surface_below(rule, image, w, below);
    rest -= s.count;
    if (static_cast<float>(s.count) >= wanted || s.count == 0) return s;
    below = s.low;
  }
  return {0.0F, 0.0F, 0};
}

/// The disparity that the plane of a surface has at (row, col).
FATHOM_KERNEL double plane_of(const WindowImage& image, const WindowBounds& w, const WindowSurface& surface,
                              std::uint32_t row, std::uint32_t col) {
  WindowSums sums;
  for (std::uint32_t i = w.top; i <= w.bottom; ++i) {
    const float* const line = image.disparity_px + std::size_t{i} * image.cols;
    WindowRowSums of_row;
    for (std::uint32_t j = w.left; j <= w.right; ++j) {
      if (!(line[j] >= surface.low && line[j] <= surface.high)) continue;
      const double u = static_cast<double>(j) - static_cast<double>(col), d = line[j];
      of_row.n += 1.0, of_row.u += u, of_row.uu += u * u, of_row.d += d, of_row.ud += u * d;
    }
    add_row(sums, static_cast<double>(i) - static_cast<double>(row), of_row);
  }
  return plane_at_centre(sums);
}

/// The pixel of a surface that is nearest to (row, col); of several the first, row by row.
FATHOM_KERNEL std::uint32_t nearest_of(const WindowImage& image, const WindowBounds& w, const WindowSurface& surface,
                                       std::uint32_t row, std::uint32_t col) {
  std::uint32_t nearest = row * image.cols + col;
  std::int32_t least = 0x7fffffff;
  for (std::uint32_t i = w.top; i <= w.bottom; ++i) {
    for (std::uint32_t j = w.left; j <= w.right; ++j) {
      const std::uint32_t at = i * image.cols + j;
      const float d = image.disparity_px[at];
      const auto v = static_cast<std::int32_t>(i - row), u = static_cast<std::int32_t>(j - col);
      const std::int32_t square = u * u + v * v;
      if (!(d >= surface.low && d <= surface.high) || square >= least) continue;
      least = square, nearest = at;
    }
  }
  return nearest;
}

FATHOM_KERNEL std::uint32_t valid_in(const WindowImage& image, const WindowBounds& w) {
  std::uint32_t count = 0;
  for (std::uint32_t row = w.top; row <= w.bottom; ++row) {
    const float* const d = image.disparity_px + std::size_t{row} * image.cols;
    for (std::uint32_t col = w.left; col <= w.right; ++col) count += d[col] > 0.0F ? 1 : 0;
  }
  return count;
}

}  // namespace detail

/// A disparity belongs to a range when it is above 0 and no larger than a float can hold.
FATHOM_KERNEL bool has_range(float disparity_px) { return (disparity_px > 0.0F) & (disparity_px < math::kInfinity); }

/// The weight of a window's pixel outside the image.
inline constexpr float kOutsideWeight = 0.4F;

/// Whether enough pixels of a window are valid. `valid` and `all`: numbers of pixels in the image.
FATHOM_KERNEL bool is_supported(const WindowRule& rule, std::uint32_t valid, std::uint32_t all) {
  if (valid == all) return true;
  const auto side = static_cast<float>(2 * rule.radius_px + 1), inside = static_cast<float>(all);
  return static_cast<float>(valid) >= rule.valid_share * (inside + kOutsideWeight * (side * side - inside));
}
FATHOM_KERNEL bool is_supported(const WindowRule& rule, const WindowImage& image, std::uint32_t row,
                                std::uint32_t col) {
  if (!(rule.valid_share > 0.0F)) return true;
  const detail::WindowBounds w = detail::bounds_of(rule, image, row, col);
  return is_supported(rule, detail::valid_in(image, w), (w.bottom - w.top + 1) * (w.right - w.left + 1));
}

/// The result for the valid pixel (row, col), if its window has enough valid pixels.
FATHOM_KERNEL WindowPixel match_window(const WindowRule& rule, const WindowImage& image, std::uint32_t row,
                                       std::uint32_t col) {
  const std::uint32_t own = row * image.cols + col;
  const WindowPixel lost = {0.0F, own, Reason::kEdge};
  const detail::WindowBounds w = detail::bounds_of(rule, image, row, col);
  std::uint32_t rest = detail::valid_in(image, w);
  const auto valid = static_cast<float>(rest);
  const float wanted = rule.share * valid;
  const detail::WindowSurface taken = detail::candidate_below(rule, image, w, wanted, math::kInfinity, rest);
  if (taken.count == 0) return lost;
  double disparity = detail::plane_of(image, w, taken, row, col);
  if (static_cast<float>(taken.count) < rule.sure_share * valid) {
    if (!rule.flying) return lost;
    const detail::WindowSurface second = detail::candidate_below(rule, image, w, wanted, taken.low, rest);
    if (second.count == 0) return lost;
    disparity = 0.5 * (disparity + detail::plane_of(image, w, second, row, col));
  }
  const auto d = static_cast<float>(disparity);
  if (!has_range(d)) return lost;
  const bool is_own = image.disparity_px[own] >= taken.low && image.disparity_px[own] <= taken.high;
  return {d, is_own ? own : detail::nearest_of(image, w, taken, row, col), Reason::kHit};
}

/// The result for a hidden pixel. A line of shadow one pixel wide does not survive a window: it is matched like a valid
/// pixel. The reason is kEdge where it stays hidden.
FATHOM_KERNEL WindowPixel match_hidden(const WindowRule& rule, const WindowImage& image, std::uint32_t row,
                                       std::uint32_t col) {
  const std::uint32_t own = row * image.cols + col;
  const float* const d = image.disparity_px + own;
  const bool is_line = col > 0 && col + 1 < image.cols && d[-1] > 0.0F && d[1] > 0.0F;
  if (!is_line || !is_supported(rule, image, row, col)) return {0.0F, own, Reason::kEdge};
  return match_window(rule, image, row, col);
}

/// Whether the window may match a pixel that was lost as hidden.
FATHOM_KERNEL bool may_match_hidden(const WindowRule& rule, Reason reason) {
  return rule.valid_share > 0.0F && reason >= Reason::kHiddenLeft && reason <= Reason::kHiddenBoth;
}

}  // namespace fathom
