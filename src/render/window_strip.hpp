// SPDX-License-Identifier: MIT
#pragma once
// The rows of a strip of an image of disparities that a window reaches, each with what is taken over the columns of a
// window once and then over its rows. Only for sources compiled by fathom_isa_sources.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fathom/math/f32.hpp>
#include <fathom/noise/window.hpp>

#include "cast/tree/lanes.hpp"
#include "render/doubles.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr std::uint32_t kStrip = 64;  // columns that are worked on at once
inline constexpr std::uint32_t kMostRadius = WindowRule::kMostRadius, kMostSide = 2 * kMostRadius + 1;
inline constexpr std::uint32_t kAhead = 2;  // rows, of which memory is asked for before they are loaded
inline constexpr std::uint32_t kWide = kStrip + 2 * kMostRadius + 2;

/// Disparities are sorted into bins so narrow that two in neighbouring bins are within max_step of each other, rounding
/// included: up to kMostBin, half a unit of its last place is less than the 1e-3 by which bins are narrower than half a
/// step. A mask has the bins modulo 32.
inline constexpr float kBinsPerStep = 2.002F, kMostBin = 4000.0F, kMostBins = 30.0F;

FATHOM_KERNEL float bin_of(float disparity_px, float bins_per_px) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer
  return (disparity_px * bins_per_px + kRound) - kRound;
}

/// WindowSums of eight windows side by side.
struct WindowSums8 {
  D8 n, u, v, uu, uv, vv, d, ud, vd;
};

/// plane_at_centre() of noise/window.hpp, operation by operation.
FATHOM_KERNEL D8 plane_at_centre(const WindowSums8& s) {
  const D8 one = D8::all(1.0);
  const D8 a = s.n * s.uu - s.u * s.u, b = s.n * s.vv - s.v * s.v, c = s.n * s.uv - s.u * s.v;
  const D8 p = s.n * s.ud - s.u * s.d, q = s.n * s.vd - s.v * s.d;
  const D8 determinant = a * b - c * c, along = a + b;
  const D8 scale = where_positive(determinant, determinant, where_positive(along, along, one));
  const D8 px = p * b - q * c, qx = q * a - p * c;
  const D8 across = where_positive(determinant, px, p) / scale, down = where_positive(determinant, qx, q) / scale;
  return (s.d - across * s.u - down * s.v) / s.n;
}

/// One row of a strip: its pixels with those beside it, and what a window takes of 2 radius + 1 of them.
struct alignas(64) WindowLine {
  float px[kWide];                             // 0: no valid pixel
  float low[kStrip], high[kStrip], n[kStrip];  // of the valid ones, and how many there are
  double d[kStrip];
  float u[kStrip], uu[kStrip];  // these, ud and bins once they are needed
  double ud[kStrip];
  std::uint32_t bins[kStrip];
  std::uint32_t has_sums;  // a bit for each eight columns
  bool has_bins;
};

/// Rows of the image that are in a window; bottom is inside.
struct WindowRows {
  std::uint32_t top, bottom;
  [[nodiscard]] std::uint32_t count() const { return bottom - top + 1; }
};

class WindowStrip {
 public:
  WindowStrip(const WindowRule& rule, const WindowImage& image, std::uint32_t left)
      : image_(image),
        left_(left),
        r_(static_cast<std::uint32_t>(rule.radius_px)),
        bins_per_px_(kBinsPerStep / rule.max_step_px) {}

  [[nodiscard]] WindowRows rows_of(std::uint32_t row) const {
    return {row > r_ ? row - r_ : 0, std::min(row + r_, image_.rows - 1)};
  }
  /// Makes the rows of the window of a row, the bottom one of which has been loaded, those of line().
  void enter(const WindowRows& rows) {
    for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) line_[i - rows.top] = &lines_[i % (2 * r_ + 1)];
  }
  /// Row i of the window, from its top.
  [[nodiscard]] const WindowLine& line(std::uint32_t i) const { return *line_[i]; }
  /// Its pixels from the first of the window of column k of the strip on.
  [[nodiscard]] const float* px(std::uint32_t i, std::uint32_t k) const { return line_[i]->px + k; }

  void load(std::uint32_t row) {
    WindowLine& l = lines_[row % (2 * r_ + 1)];
    const float* const from = image_.disparity_px + std::size_t{row} * image_.cols;
    const std::uint32_t wide = kStrip + 2 * r_;
    const std::int64_t first = std::int64_t{left_} - r_;
    const auto begin = static_cast<std::uint32_t>(std::max<std::int64_t>(-first, 0));
    const auto end = static_cast<std::uint32_t>(std::clamp<std::int64_t>(image_.cols - first, 0, wide));
    std::fill_n(l.px, begin, 0.0F);
    std::fill_n(l.px + end, kWide - end, 0.0F);
    std::copy_n(from + (first + begin), end - begin, l.px + begin);
    // The rows of a strip are far apart in memory, so that processors do not guess the next one.
    for (std::uint32_t i = begin; i < end && row + kAhead < image_.rows; i += 16) {
      __builtin_prefetch(from + std::size_t{kAhead} * image_.cols + (first + i));
    }
    l.has_sums = 0, l.has_bins = false;
    take(l, wide);
  }

  /// Sums that a window with holes needs besides, of columns k to k + 7.
  void add_sums(std::uint32_t line, std::uint32_t k) {
    WindowLine& l = *line_[line];
    const std::uint32_t bit = 1U << (k / F8::kLanes);
    if ((l.has_sums & bit) != 0) return;
    l.has_sums |= bit;
    const F8 zero = F8::all(0.0F);
    F8 u = zero, uu = zero;  // whole numbers
    D8 ud = D8::all(0.0);
    for (std::uint32_t i = 0; i <= 2 * r_; ++i) {
      const auto across = static_cast<float>(static_cast<std::int32_t>(i) - static_cast<std::int32_t>(r_));
      const F8 d = F8::load(l.px + k + i), there = lt(zero, d) & F8::all(across);
      u = u + there, uu = uu + F8::all(across) * there;
      ud = ud + D8::all(across) * D8::of(d);
    }
    u.store(l.u + k), uu.store(l.uu + k), ud.store(l.ud + k);
  }

  /// Which bins the pixels of windows k to k + 7 are in.
  void find_bins(std::uint32_t lines, std::uint32_t k, std::uint32_t* bins) {
    std::fill_n(bins, F8::kLanes, 0U);
    for (std::uint32_t line = 0; line < lines; ++line) {
      WindowLine& l = *line_[line];
      if (!l.has_bins) add_bins(l);
      for (std::uint32_t i = 0; i < F8::kLanes; ++i) bins[i] |= l.bins[k + i];
    }
  }

  /// Whether all valid pixels of a window belong to one surface; says no when it cannot tell.
  [[nodiscard]] FATHOM_KERNEL bool is_one_surface(float low, float high, std::uint32_t bins) const {
    const float lowest = bin_of(low, bins_per_px_), highest = bin_of(high, bins_per_px_);
    const std::uint32_t starts = bins & ~(bins << 1U | bins >> 31U);
    const bool one_run = (starts & (starts - 1U)) == 0;
    return ((highest - lowest <= kMostBins) & (highest < kMostBin) & one_run);
  }

 private:
  /// What every window needs.
  void take(WindowLine& l, std::uint32_t wide) const {
    const F8 zero = F8::all(0.0F), none = F8::all(math::kInfinity), one = F8::all(1.0F);
    float low[kWide], there[kWide];
    double px[kWide];
    for (std::uint32_t i = 0; i < wide; i += F8::kLanes) {
      const F8 each = F8::load(l.px + i);
      const auto valid = lt(zero, each);
      const F8 d = valid & each;
      d.store(l.px + i), D8::of(d).store(px + i);
      select(valid, d, none).store(low + i), (valid & one).store(there + i);
    }
    for (std::uint32_t i = 0; i < kStrip; i += F8::kLanes) {
      F8 least = F8::load(low + i), most = F8::load(l.px + i), n = F8::load(there + i);
      D8 sum = D8::load(px + i);
      for (std::uint32_t k = i + 1; k <= i + 2 * r_; ++k) {
        least = min(F8::load(low + k), least), most = max(F8::load(l.px + k), most);
        n = n + F8::load(there + k), sum = sum + D8::load(px + k);
      }
      least.store(l.low + i), most.store(l.high + i), n.store(l.n + i), sum.store(l.d + i);
    }
  }

  void add_bins(WindowLine& l) const {
    l.has_bins = true;
    std::uint32_t one[kWide];
    for (std::uint32_t i = 0; i < kWide; ++i) {
      const float bin = bin_of(l.px[i], bins_per_px_);
      const auto number = static_cast<std::uint32_t>(static_cast<std::int32_t>(bin < kMostBin ? bin : 0.0F));
      one[i] = l.px[i] > 0.0F ? std::uint32_t{1} << (number % 32U) : 0U;
    }
    std::copy_n(one, kStrip, l.bins);
    for (std::uint32_t k = 1; k <= 2 * r_; ++k) {
      for (std::uint32_t i = 0; i < kStrip; ++i) l.bins[i] |= one[i + k];
    }
  }

  WindowImage image_;
  std::uint32_t left_, r_;
  float bins_per_px_;
  WindowLine* line_[kMostSide];
  WindowLine lines_[kMostSide];
};

}  // namespace fathom::FATHOM_ISA
