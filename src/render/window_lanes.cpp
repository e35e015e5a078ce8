// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.
//
// Most windows hold one surface. Then every valid pixel belongs to it, and its plane is a matter of sums, which are
// taken over rows once and then over columns. Whether it is so is seen from the least and the largest disparity and
// from a mask of which disparities there are. The pixels of other windows, near jumps, are asked by the rule itself,
// eight side by side.

#include "render/window_lanes.hpp"

#include <algorithm>
#include <cstddef>

#include "cast/tree/lanes.hpp"
#include "render/ray_math.hpp"

namespace fathom::FATHOM_ISA {

namespace {

constexpr std::uint32_t kStrip = 64;  // columns that are worked on at once
constexpr std::uint32_t kMostRadius = WindowRule::kMostRadius, kMostSide = 2 * kMostRadius + 1;
constexpr std::uint32_t kWide = kStrip + 2 * kMostRadius + 2;

/// Disparities are sorted into bins so narrow that two in neighbouring bins are within max_step of each other, rounding
/// included: up to kMostBin, half a unit of its last place is less than the 1e-3 by which bins are narrower than half a
/// step. A mask has the bins modulo 32.
constexpr float kBinsPerStep = 2.002F, kMostBin = 4000.0F, kMostBins = 30.0F;

FATHOM_KERNEL float bin_of(float disparity_px, float bins_per_px) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer
  return (disparity_px * bins_per_px + kRound) - kRound;
}

/// Eight doubles, with the few operations that sums need.
struct D8 {
#if defined(__AVX2__)
  __m256d a, b;
  static D8 all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static D8 load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static D8 load(const float* p) { return {_mm256_cvtps_pd(_mm_loadu_ps(p)), _mm256_cvtps_pd(_mm_loadu_ps(p + 4))}; }
  void store(double* p) const { _mm256_storeu_pd(p, a), _mm256_storeu_pd(p + 4, b); }
  void store(float* p) const { _mm_storeu_ps(p, _mm256_cvtpd_ps(a)), _mm_storeu_ps(p + 4, _mm256_cvtpd_ps(b)); }
#else
  struct D4 {
    __m128d a, b;
  } a, b;
  static D4 half(double x) { return {_mm_set1_pd(x), _mm_set1_pd(x)}; }
  static D8 all(double x) { return {half(x), half(x)}; }
  static D4 half(const double* p) { return {_mm_loadu_pd(p), _mm_loadu_pd(p + 2)}; }
  static D8 load(const double* p) { return {half(p), half(p + 4)}; }
  static D4 half(const float* p) {
    const __m128 v = _mm_loadu_ps(p);
    return {_mm_cvtps_pd(v), _mm_cvtps_pd(_mm_movehl_ps(v, v))};
  }
  static D8 load(const float* p) { return {half(p), half(p + 4)}; }
  void store(double* p) const {
    _mm_storeu_pd(p, a.a), _mm_storeu_pd(p + 2, a.b), _mm_storeu_pd(p + 4, b.a), _mm_storeu_pd(p + 6, b.b);
  }
  static void store(const D4& d, float* p) { _mm_storeu_ps(p, _mm_movelh_ps(_mm_cvtpd_ps(d.a), _mm_cvtpd_ps(d.b))); }
  void store(float* p) const { store(a, p), store(b, p + 4); }
#endif
};
#if defined(__AVX2__)
FATHOM_KERNEL D8 operator+(D8 x, D8 y) { return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator*(D8 x, D8 y) { return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator/(D8 x, D8 y) { return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)}; }
#else
FATHOM_KERNEL D8::D4 operator+(D8::D4 x, D8::D4 y) { return {_mm_add_pd(x.a, y.a), _mm_add_pd(x.b, y.b)}; }
FATHOM_KERNEL D8::D4 operator*(D8::D4 x, D8::D4 y) { return {_mm_mul_pd(x.a, y.a), _mm_mul_pd(x.b, y.b)}; }
FATHOM_KERNEL D8::D4 operator/(D8::D4 x, D8::D4 y) { return {_mm_div_pd(x.a, y.a), _mm_div_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator+(D8 x, D8 y) { return {x.a + y.a, x.b + y.b}; }
FATHOM_KERNEL D8 operator*(D8 x, D8 y) { return {x.a * y.a, x.b * y.b}; }
FATHOM_KERNEL D8 operator/(D8 x, D8 y) { return {x.a / y.a, x.b / y.b}; }
#endif

/// One row of a strip: its pixels with those beside it, and what a window takes of 2 radius + 1 of them.
struct alignas(64) Line {
  float px[kWide];                  // 0: no valid pixel
  float low[kStrip], high[kStrip];  // of the valid ones
  double d[kStrip];
  double ud[kStrip], n[kStrip], u[kStrip], uu[kStrip];  // once they are needed
  std::uint32_t bins[kStrip];                           // once they are needed
  bool is_full;                                         // whether all pixels are valid
  bool has_sums, has_bins;
};

class Strip {
 public:
  Strip(const WindowRule& rule, const WindowImage& image, std::uint32_t left, const WindowResult& out)
      : rule_(rule),
        image_(image),
        out_(out),
        left_(left),
        count_(std::min(kStrip, image.cols - left)),
        r_(static_cast<std::uint32_t>(rule.radius_px)),
        bins_per_px_(kBinsPerStep / rule.max_step_px) {}

  struct Rows {
    std::uint32_t top, bottom;
  };

  void run(std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t top = begin > r_ ? begin - r_ : 0, last = std::min(end + r_, image_.rows);
    std::uint32_t ready = top;
    for (std::uint32_t row = begin; row < end; ++row) {
      for (; ready < std::min(row + r_ + 1, last); ++ready) load(ready);
      emit(row);
    }
  }

 private:
  Line& line(std::uint32_t row) { return lines_[row % (2 * r_ + 1)]; }
  [[nodiscard]] const Line& line(std::uint32_t row) const { return lines_[row % (2 * r_ + 1)]; }

  void load(std::uint32_t row) {
    Line& l = line(row);
    const float* const from = image_.disparity_px + std::size_t{row} * image_.cols;
    const std::uint32_t wide = kStrip + 2 * r_;
    const std::int64_t first = std::int64_t{left_} - r_;
    const auto begin = static_cast<std::uint32_t>(std::max<std::int64_t>(-first, 0));
    const auto end = static_cast<std::uint32_t>(std::clamp<std::int64_t>(image_.cols - first, 0, wide));
    std::fill_n(l.px, begin, 0.0F);
    std::fill_n(l.px + end, kWide - end, 0.0F);
    std::copy_n(from + (first + begin), end - begin, l.px + begin);
    l.has_sums = l.has_bins = false;
    const F8 zero = F8::all(0.0F), none = F8::all(math::kInfinity);
    unsigned invalid = 0;
    float low[kWide];
    for (std::uint32_t i = 0; i < wide; i += F8::kLanes) {
      const F8 d = F8::load(l.px + i);
      const auto valid = lt(zero, d);
      (valid & d).store(l.px + i);
      select(valid, d, none).store(low + i);
      const unsigned inside = wide - i < F8::kLanes ? (1U << (wide - i)) - 1U : 0xffU;
      invalid |= ~bits(valid) & inside;
    }
    l.is_full = invalid == 0;
    for (std::uint32_t i = 0; i < kStrip; i += F8::kLanes) {
      F8 least = F8::load(low + i), most = F8::load(l.px + i);
      D8 sum = D8::load(l.px + i);
      for (std::uint32_t k = i + 1; k <= i + 2 * r_; ++k) {
        least = min(F8::load(low + k), least), most = max(F8::load(l.px + k), most);
        sum = sum + D8::load(l.px + k);
      }
      least.store(l.low + i), most.store(l.high + i), sum.store(l.d + i);
    }
  }

  /// Which bins the pixels of a window's row are in.
  void add_bins(Line& l) const {
    if (l.has_bins) return;
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

  /// The sums that a window with holes needs besides.
  void add_sums(Line& l) const {
    if (l.has_sums) return;
    l.has_sums = true;
    float valid[kWide];
    for (std::uint32_t i = 0; i < kWide; ++i) valid[i] = l.px[i] > 0.0F ? 1.0F : 0.0F;
    for (std::uint32_t i = 0; i < kStrip; i += F8::kLanes) {
      D8 n = D8::all(0.0), u = n, uu = n, ud = n;
      for (std::uint32_t k = 0; k <= 2 * r_; ++k) {
        const double across = static_cast<double>(k) - static_cast<double>(r_);
        const D8 one = D8::load(valid + i + k), d = D8::load(l.px + i + k), there = D8::all(across) * one;
        n = n + one, u = u + there, uu = uu + D8::all(across) * there;
        ud = ud + D8::all(across) * d;
      }
      n.store(l.n + i), u.store(l.u + i), uu.store(l.uu + i), ud.store(l.ud + i);
    }
  }

  void emit(std::uint32_t row) {
    const Rows rows = {row > r_ ? row - r_ : 0, std::min(row + r_, image_.rows - 1)};
    bool is_full = rows.bottom - rows.top == 2 * r_;
    for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) is_full &= line(i).is_full;
    for (std::uint32_t k = 0; k < kStrip; k += F8::kLanes) {
      F8 low = F8::all(math::kInfinity), high = F8::all(0.0F);
      for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) {
        low = min(F8::load(line(i).low + k), low), high = max(F8::load(line(i).high + k), high);
      }
      low.store(low_ + k), high.store(high_ + k);
    }
    if (is_full) {
      means(rows);
    } else {
      planes(row, rows);
    }
    store(row, rows);
  }

  /// The plane of a full window has its mean at the centre.
  void means(const Rows& rows) {
    const double side = 2 * r_ + 1;
    const D8 n = D8::all(side * side);
    for (std::uint32_t k = 0; k < kStrip; k += F8::kLanes) {
      D8 sum = D8::load(line(rows.top).d + k);
      for (std::uint32_t i = rows.top + 1; i <= rows.bottom; ++i) sum = sum + D8::load(line(i).d + k);
      (sum / n).store(value_ + k);
    }
  }

  void planes(std::uint32_t row, const Rows& rows) {
    for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) add_sums(line(i));
    for (std::uint32_t k = 0; k < kStrip; k += F8::kLanes) {
      D8 n = D8::all(0.0), u = n, v = n, uu = n, uv = n, vv = n, d = n, ud = n, vd = n;
      for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) {
        const Line& l = line(i);
        const D8 down = D8::all(static_cast<double>(i) - static_cast<double>(row)), square = down * down;
        const D8 row_n = D8::load(l.n + k), row_u = D8::load(l.u + k), row_d = D8::load(l.d + k);
        n = n + row_n, u = u + row_u, v = v + down * row_n;
        uu = uu + D8::load(l.uu + k), uv = uv + down * row_u, vv = vv + square * row_n;
        d = d + row_d, ud = ud + D8::load(l.ud + k), vd = vd + down * row_d;
      }
      double sums[9][F8::kLanes];
      n.store(sums[0]), u.store(sums[1]), v.store(sums[2]), uu.store(sums[3]), uv.store(sums[4]), vv.store(sums[5]);
      d.store(sums[6]), ud.store(sums[7]), vd.store(sums[8]);
      for (std::uint32_t i = 0; i < F8::kLanes; ++i) {
        value_[k + i] = static_cast<float>(plane_at_centre({sums[0][i], sums[1][i], sums[2][i], sums[3][i], sums[4][i],
                                                            sums[5][i], sums[6][i], sums[7][i], sums[8][i]}));
      }
    }
  }

  /// Which bins the pixels of whole windows are in.
  void find_bins(const Rows& rows) {
    std::fill_n(bins_, kStrip, 0U);
    for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) {
      add_bins(line(i));
      const Line& l = line(i);
      for (std::uint32_t k = 0; k < kStrip; ++k) bins_[k] |= l.bins[k];
    }
  }

  /// Whether all valid pixels of the window belong to one surface; says no when it cannot tell.
  [[nodiscard]] FATHOM_KERNEL bool is_one_surface(std::uint32_t k) const {
    const float lowest = bin_of(low_[k], bins_per_px_), highest = bin_of(high_[k], bins_per_px_);
    const std::uint32_t bins = bins_[k], starts = bins & ~(bins << 1U | bins >> 31U);
    const bool one_run = (starts & (starts - 1U)) == 0;
    return ((highest - lowest <= kMostBins) & (highest < kMostBin) & one_run);
  }

  void store(std::uint32_t row, const Rows& rows) {
    const std::size_t first = std::size_t{row} * image_.cols + left_;
    const float* const own = line(row).px + r_;
    const F8 zero = F8::all(0.0F), most = F8::all(math::kInfinity), step = F8::all(rule_.max_step_px);
    unsigned asks[kStrip / F8::kLanes], any = 0;
    for (std::uint32_t k = 0; k < kStrip; k += F8::kLanes) {
      const F8 value = F8::load(value_ + k);
      const auto valid = lt(zero, F8::load(own + k)), fits = lt(zero, value) & lt(value, most);
      const unsigned inside = count_ > k ? (count_ - k >= F8::kLanes ? 0xffU : (1U << (count_ - k)) - 1U) : 0U;
      const auto narrow = le(F8::load(high_ + k) - F8::load(low_ + k), step);
      asks[k / F8::kLanes] = bits(without(valid, fits & narrow)) & inside;
      any |= asks[k / F8::kLanes];
      (valid & value).store(value_ + k);
    }
    for (std::uint32_t k = 0; k < count_; ++k) out_.matched_px[first + k] = value_[k];
    for (std::uint32_t k = 0; k < count_; ++k) out_.taken[first + k] = static_cast<std::uint32_t>(first + k);
    if (any == 0) return;
    find_bins(rows);
    for (std::uint32_t k = 0; k < kStrip; k += F8::kLanes) {
      unsigned which = asks[k / F8::kLanes];
      for (std::uint32_t i = 0; which != 0 && i < F8::kLanes; ++i) {
        const bool fine = is_one_surface(k + i) & has_range(value_[k + i]);
        which &= ~(static_cast<unsigned>(fine) << i);
      }
      if (which != 0) ask(row, rows, k, which);
    }
  }

  /// Calls f(the disparities of eight lanes at one place of their windows) for each place, row after row.
  template <class F>
  FATHOM_KERNEL void for_each_place(const Rows& rows, std::uint32_t first, F f) const {
    for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) {
      const float* const px = line(i).px + first;
      for (std::uint32_t k = 0; k <= 2 * r_; ++k) f(F8::load(px + k));
    }
  }

  static D8 widened(F8 values) {
    float each[F8::kLanes];
    values.store(each);
    return D8::load(each);
  }

  /// The surface that each of eight pixels takes; `count` is 0 where there is none.
  struct Taken {
    alignas(32) float low[F8::kLanes];
    alignas(32) float high[F8::kLanes];
    alignas(32) float count[F8::kLanes];
    alignas(32) float valid[F8::kLanes];
  };

  /// One look at all places: the disparities from `low` on downwards that are within a step of it, and what is left.
  struct Look {
    F8 low, count;  ///< the least of those, and how many they are up to `high`
    F8 below;       ///< the largest of the others below; 0: none
    F8 valid;       ///< how many there are in all
  };
  [[nodiscard]] FATHOM_KERNEL Look look(const Rows& rows, std::uint32_t first, F8 low, F8 high) const {
    const F8 zero = F8::all(0.0F), one = F8::all(1.0F), step = F8::all(rule_.max_step_px);
    Look l = {low, zero, zero, zero};
    for_each_place(
        rows, first, [&](F8 d) __attribute__((always_inline)) {
          const auto valid = lt(zero, d), inside = valid & le(d, high) & le(low - d, step);
          l.count = l.count + (inside & one), l.valid = l.valid + (valid & one);
          l.low = min(l.low, select(inside, d, low));
          l.below = max(l.below, without(lt(d, low), inside) & d);
        });
    return l;
  }

  /// candidate_below() of noise/window.hpp, from the largest disparity on.
  void find_candidates(const Rows& rows, std::uint32_t first, unsigned which, Taken& taken) const {
    const F8 zero = F8::all(0.0F), step = F8::all(rule_.max_step_px);
    F8 rest = zero, wanted = zero, low_taken = zero, high_taken = zero, count_taken = zero;
    F8 high = F8::load(high_ + first);
    auto open = F8::mask_from(which);
    for (bool is_first = true;; is_first = false) {
      Look l = look(rows, first, high, high);
      // As long as one of the others is within a step of the least so far, there is more.
      while (bits(open & lt(zero, l.below) & le(l.low - l.below, step)) != 0) l = look(rows, first, l.low, high);
      if (is_first) {
        rest = l.valid, wanted = F8::all(rule_.share) * rest;
        rest.store(taken.valid);
      }
      rest = rest - l.count;
      const auto found = open & le(wanted, l.count);
      low_taken = select(found, l.low, low_taken), high_taken = select(found, high, high_taken);
      count_taken = select(found, l.count, count_taken);
      open = without(open, found) & lt(zero, rest) & le(wanted, rest);
      if (bits(open) == 0) break;
      high = l.below;
    }
    low_taken.store(taken.low), high_taken.store(taken.high), count_taken.store(taken.count);
  }

  /// plane_of() of noise/window.hpp.
  void fit_planes(std::uint32_t row, const Rows& rows, std::uint32_t first, const Taken& taken, double* out) const {
    constexpr std::uint32_t kLanes = F8::kLanes;
    const F8 low = F8::load(taken.low), high = F8::load(taken.high), one = F8::all(1.0F);
    D8 n = D8::all(0.0), u = n, v = n, uu = n, uv = n, vv = n, d = n, ud = n, vd = n;
    for (std::uint32_t i = rows.top; i <= rows.bottom; ++i) {
      const float* const px = line(i).px + first;
      F8 row_n = F8::all(0.0F), row_u = row_n, row_uu = row_n;  // whole numbers
      D8 row_d = D8::all(0.0), row_ud = row_d;
      for (std::uint32_t k = 0; k <= 2 * r_; ++k) {
        const auto across = static_cast<float>(static_cast<std::int32_t>(k) - static_cast<std::int32_t>(r_));
        const F8 value = F8::load(px + k);
        const auto inside = le(low, value) & le(value, high);
        row_n = row_n + (inside & one), row_u = row_u + (inside & F8::all(across));
        row_uu = row_uu + (inside & F8::all(across * across));
        float there[kLanes];
        (inside & value).store(there);
        const D8 wide = D8::load(there);
        row_d = row_d + wide, row_ud = row_ud + D8::all(across) * wide;
      }
      const D8 down = D8::all(static_cast<double>(i) - static_cast<double>(row)), square = down * down;
      const D8 wide_n = widened(row_n), wide_u = widened(row_u);
      n = n + wide_n, u = u + wide_u, v = v + down * wide_n;
      uu = uu + widened(row_uu), uv = uv + down * wide_u, vv = vv + square * wide_n;
      d = d + row_d, ud = ud + row_ud, vd = vd + down * row_d;
    }
    double all[9][kLanes];
    n.store(all[0]), u.store(all[1]), v.store(all[2]), uu.store(all[3]), uv.store(all[4]), vv.store(all[5]);
    d.store(all[6]), ud.store(all[7]), vd.store(all[8]);
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      out[i] = plane_at_centre(
          {all[0][i], all[1][i], all[2][i], all[3][i], all[4][i], all[5][i], all[6][i], all[7][i], all[8][i]});
    }
  }

  /// What the rule makes of the pixels `which` of eight, the first of which is pixel `first` of the strip.
  [[gnu::noinline]] void ask(std::uint32_t row, const Rows& rows, std::uint32_t first, unsigned which) const {
    Taken taken;
    double planes[F8::kLanes];
    find_candidates(rows, first, which, taken);
    fit_planes(row, rows, first, taken, planes);
    for (std::uint32_t lane = 0; lane < F8::kLanes; ++lane) {
      if ((which >> lane & 1U) == 0) continue;
      const std::uint32_t col = left_ + first + lane, at = row * image_.cols + col;
      const bool sure = !(taken.count[lane] < rule_.sure_share * taken.valid[lane]);
      const auto d = static_cast<float>(planes[lane]);
      WindowPixel pixel = {0.0F, at, Reason::kEdge};
      if (taken.count[lane] > 0.0F && !sure && rule_.flying) {
        pixel = match_window(rule_, image_, row, col);
      } else if (taken.count[lane] > 0.0F && sure && has_range(d)) {
        pixel = {d, nearest(row, col, taken.low[lane], taken.high[lane]), Reason::kHit};
      }
      out_.matched_px[at] = pixel.disparity_px, out_.taken[at] = pixel.taken;
      if (pixel.reason != Reason::kHit) out_.reason[at] = pixel.reason;
    }
  }

  /// nearest_of() of noise/window.hpp: squares around the pixel, until the next one is farther than what was found.
  [[nodiscard]] std::uint32_t nearest(std::uint32_t row, std::uint32_t col, float low, float high) const {
    const std::uint32_t own = row * image_.cols + col;
    const auto is_inside = [&](std::uint32_t at) {
      return image_.disparity_px[at] >= low && image_.disparity_px[at] <= high;
    };
    if (is_inside(own)) return own;
    std::uint32_t best = own, least = ~0U;
    for (std::uint32_t ring = 1; ring <= r_ && ring * ring <= least; ++ring) {
      const std::uint32_t top = row - std::min(row, ring), bottom = std::min(row + ring, image_.rows - 1);
      const std::uint32_t left = col - std::min(col, ring), right = std::min(col + ring, image_.cols - 1);
      for (std::uint32_t i = top; i <= bottom; ++i) {
        const std::uint32_t v = i > row ? i - row : row - i,
                            stride = v == ring || 2 * ring > right - left ? 1 : 2 * ring;
        for (std::uint32_t j = left; j <= right; j += stride) {
          const std::uint32_t u = j > col ? j - col : col - j, square = u * u + v * v, at = i * image_.cols + j;
          const bool nearer = square < least || (square == least && at < best);
          if (std::max(u, v) == ring && nearer && is_inside(at)) best = at, least = square;
        }
      }
    }
    return best;
  }

  WindowRule rule_;
  WindowImage image_;
  WindowResult out_;
  std::uint32_t left_, count_, r_;
  float bins_per_px_;
  alignas(64) float low_[kStrip];
  alignas(64) float high_[kStrip];
  alignas(64) float value_[kStrip];
  alignas(64) std::uint32_t bins_[kStrip];
  Line lines_[kMostSide];
};

void match(const WindowRule& rule, const WindowImage& image, std::uint32_t begin, std::uint32_t end,
           const WindowResult& out) {
  for (std::uint32_t left = 0; left < image.cols; left += kStrip) Strip(rule, image, left, out).run(begin, end);
}

void disparities(const ReturnBlock& __restrict returns, float fb, float* __restrict out) {
  for (std::size_t i = 0; i < returns.count; ++i) {
    out[i] = disparity_of(returns.reason[i] == kHitLane, returns.x[i], fb);
  }
}

void ranges(const RayBlock& __restrict rays, const std::uint32_t* __restrict reason,
            const float* __restrict disparity_px, float fb, float* __restrict range_m) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const bool valid = reason[i] == kHitLane;
    const float range = range_of_disparity(math::select(valid, disparity_px[i], 1.0F), rays.dx[i], fb);
    range_m[i] = math::select(valid, range, range_m[i]);
  }
}

}  // namespace

const WindowKernels kWindowKernels = {disparities, ranges, match};

}  // namespace fathom::FATHOM_ISA
