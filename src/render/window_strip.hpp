// SPDX-License-Identifier: MIT
#pragma once
// Sums of a window over a strip of an image of disparities: its rows, each with sums over the columns of a window,
// which are then added over its rows. Only for sources compiled by fathom_isa_sources, with the same bits in every
// instruction set.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fathom/core/export.hpp>
#include <fathom/core/f32.hpp>
#include <fathom/noise/detail/window.hpp>

#include "trace/tree/lanes.hpp"

namespace fathom::FATHOM_ISA {

using Doubles2 [[gnu::vector_size(16)]] = double;

/// Eight doubles as one value, with the operations that sums need; as F8 of trace/tree/lanes.hpp.
struct D8 {
#if defined(__AVX2__)
  __m256d a, b;
  static D8 all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static D8 load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static D8 of(F8 x) {
    return {_mm256_cvtps_pd(_mm256_castps256_ps128(x.v)), _mm256_cvtps_pd(_mm256_extractf128_ps(x.v, 1))};
  }
  void store(double* p) const { _mm256_storeu_pd(p, a), _mm256_storeu_pd(p + 4, b); }
  [[nodiscard]] F8 rounded() const { return {_mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a))}; }
#else
  struct D4 {
    Doubles2 a, b;
  } a, b;
  static D4 half(double x) { return {Doubles2{x, x}, Doubles2{x, x}}; }
  static D8 all(double x) { return {half(x), half(x)}; }
  static D4 half(const double* p) {
    D4 x;
    __builtin_memcpy(&x.a, p, sizeof x.a), __builtin_memcpy(&x.b, p + 2, sizeof x.b);
    return x;
  }
  static D8 load(const double* p) { return {half(p), half(p + 4)}; }
  static void store(const D4& x, double* p) {
    __builtin_memcpy(p, &x.a, sizeof x.a), __builtin_memcpy(p + 2, &x.b, sizeof x.b);
  }
  void store(double* p) const { store(a, p), store(b, p + 4); }
#if defined(__SSE2__)
  static D4 half(F4 x) { return {_mm_cvtps_pd(x.v), _mm_cvtps_pd(_mm_movehl_ps(x.v, x.v))}; }
  static F4 rounded(const D4& d) { return {_mm_movelh_ps(_mm_cvtpd_ps(d.a), _mm_cvtpd_ps(d.b))}; }
#else
  static D4 half(F4 x) { return {Doubles2{x.v[0], x.v[1]}, Doubles2{x.v[2], x.v[3]}}; }
  static F4 rounded(const D4& d) {
    const auto f = [](double x) { return static_cast<float>(x); };
    return {Floats4{f(d.a[0]), f(d.a[1]), f(d.b[0]), f(d.b[1])}};
  }
#endif
  static D8 of(F8 x) { return {half(x.a), half(x.b)}; }
  [[nodiscard]] F8 rounded() const { return {rounded(a), rounded(b)}; }
#endif
};

#if defined(__AVX2__)
FATHOM_KERNEL D8 operator+(D8 x, D8 y) { return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator-(D8 x, D8 y) { return {_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator*(D8 x, D8 y) { return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator/(D8 x, D8 y) { return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)}; }
/// x > 0 ? y : z
FATHOM_KERNEL D8 where_positive(D8 x, D8 y, D8 z) {
  const __m256d zero = _mm256_setzero_pd();
  return {_mm256_blendv_pd(z.a, y.a, _mm256_cmp_pd(x.a, zero, _CMP_GT_OQ)),
          _mm256_blendv_pd(z.b, y.b, _mm256_cmp_pd(x.b, zero, _CMP_GT_OQ))};
}
#else
FATHOM_KERNEL D8::D4 operator+(D8::D4 x, D8::D4 y) { return {x.a + y.a, x.b + y.b}; }
FATHOM_KERNEL D8::D4 operator-(D8::D4 x, D8::D4 y) { return {x.a - y.a, x.b - y.b}; }
FATHOM_KERNEL D8::D4 operator*(D8::D4 x, D8::D4 y) { return {x.a * y.a, x.b * y.b}; }
FATHOM_KERNEL D8::D4 operator/(D8::D4 x, D8::D4 y) { return {x.a / y.a, x.b / y.b}; }
FATHOM_KERNEL D8 operator+(D8 x, D8 y) { return {x.a + y.a, x.b + y.b}; }
FATHOM_KERNEL D8 operator-(D8 x, D8 y) { return {x.a - y.a, x.b - y.b}; }
FATHOM_KERNEL D8 operator*(D8 x, D8 y) { return {x.a * y.a, x.b * y.b}; }
FATHOM_KERNEL D8 operator/(D8 x, D8 y) { return {x.a / y.a, x.b / y.b}; }
/// x > 0 ? y : z
FATHOM_KERNEL D8 where_positive(D8 x, D8 y, D8 z) {
  return {{x.a.a > 0.0 ? y.a.a : z.a.a, x.a.b > 0.0 ? y.a.b : z.a.b},
          {x.b.a > 0.0 ? y.b.a : z.b.a, x.b.b > 0.0 ? y.b.b : z.b.b}};
}
#endif

inline constexpr std::uint32_t kStrip = 64;  // columns of a strip
inline constexpr std::uint32_t kMostRadius = WindowRule::kMostRadius, kMostSide = 2 * kMostRadius + 1;
inline constexpr std::uint32_t kAhead = 2;  // rows that are prefetched
inline constexpr std::uint32_t kWide = kStrip + 2 * kMostRadius + 2;

/// Disparities are sorted into bins so narrow that two in neighbouring bins are within max_step of each other, even
/// with rounding: up to kMostBin, half a unit in the last place is less than 1e-3, the margin by which bins are
/// narrower than half a step. A mask has the bins modulo 32.
inline constexpr float kBinsPerStep = 2.002F, kMostBin = 4000.0F, kMostBins = 30.0F;

FATHOM_KERNEL float bin_of(float disparity_px, float bins_per_px) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer
  return (disparity_px * bins_per_px + kRound) - kRound;
}

/// WindowSums of eight windows side by side.
struct WindowSums8 {
  D8 n, u, v, uu, uv, vv, d, ud, vd;
};

/// plane_at_centre() of noise/detail/window.hpp, operation by operation.
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

/// One row of a strip: its pixels and their margins, and sums over 2 radius + 1 of them for each window.
struct alignas(64) WindowLine {
  float px[kWide];                             // 0: no valid pixel
  float low[kStrip], high[kStrip], n[kStrip];  // of the valid pixels, and their number
  double d[kStrip];
  float u[kStrip], uu[kStrip];  // like ud and bins computed on demand
  double ud[kStrip];
  std::uint32_t bins[kStrip];
  std::uint32_t has_sums;  // a bit for each eight columns
  bool has_bins;
};

/// The rows of a window; bottom is inside.
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
  /// Chooses the rows of a window for line(). The bottom row must be loaded.
  void enter(const WindowRows& rows) {
    for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) line_[i - rows.top] = &lines_[i % (2 * r_ + 1)];
  }
  /// Row i of the window, from its top.
  [[nodiscard]] const WindowLine& line(std::uint32_t i) const { return *line_[i]; }
  /// Its pixels from the first of the window of column k on.
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
    // The rows of a strip are far apart in memory, so processors do not prefetch the next one.
    for (std::uint32_t i = begin; i < end && row + kAhead < image_.rows; i += 16) {
      __builtin_prefetch(from + std::size_t{kAhead} * image_.cols + (first + i));
    }
    l.has_sums = 0, l.has_bins = false;
    take(l, wide);
  }

  /// Adds the sums that only a window with holes needs, for columns k to k + 7.
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

  /// The masks of bins of windows k to k + 7.
  void find_bins(std::uint32_t lines, std::uint32_t k, std::uint32_t* bins) {
    std::fill_n(bins, F8::kLanes, 0U);
    for (std::uint32_t line = 0; line < lines; ++line) {
      WindowLine& l = *line_[line];
      if (!l.has_bins) add_bins(l);
      for (std::uint32_t i = 0; i < F8::kLanes; ++i) bins[i] |= l.bins[k + i];
    }
  }

  /// Whether all valid pixels of a window belong to one surface; false if unknown.
  [[nodiscard]] FATHOM_KERNEL bool is_one_surface(float low, float high, std::uint32_t bins) const {
    const float lowest = bin_of(low, bins_per_px_), highest = bin_of(high, bins_per_px_);
    const std::uint32_t starts = bins & ~(bins << 1U | bins >> 31U);
    const bool one_run = (starts & (starts - 1U)) == 0;
    return ((highest - lowest <= kMostBins) & (highest < kMostBin) & one_run);
  }

 private:
  /// The sums that every window needs.
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
