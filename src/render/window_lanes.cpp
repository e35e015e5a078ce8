// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.
//
// Most windows hold one surface. Then every valid pixel belongs to it, and its plane is a matter of sums, which are taken
// over rows once and then over columns. Whether it is so is seen from the least and the largest disparity and from a
// mask of which disparities there are. The pixels of other windows, near jumps, are asked one by one.

#include "render/window_lanes.hpp"

#include <algorithm>
#include <cstddef>

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

/// One row of a strip: its pixels with those beside it, and sums over 2 radius + 1 of them.
struct alignas(64) Line {
  float px[kWide];  // 0: no valid pixel
  float low[kStrip], high[kStrip];
  std::uint32_t bins[kStrip];
  double d[kStrip];
  double ud[kStrip], n[kStrip], u[kStrip], uu[kStrip];  // once they are needed
  bool is_full;                                         // whether all pixels are valid
  bool has_sums;
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
    l.has_sums = false;
    std::uint32_t bits[kWide], invalid = 0;
    float low[kWide];
    for (std::uint32_t i = 0; i < kWide; ++i) {
      const bool valid = l.px[i] > 0.0F;
      l.px[i] = math::select(valid, l.px[i], 0.0F);
      low[i] = math::select(valid, l.px[i], math::kInfinity);
      const float bin = bin_of(l.px[i], bins_per_px_);
      const auto number = static_cast<std::uint32_t>(static_cast<std::int32_t>(bin < kMostBin ? bin : 0.0F));
      bits[i] = valid ? std::uint32_t{1} << (number % 32U) : 0U;
    }
    for (std::uint32_t i = 0; i < wide; ++i) invalid |= l.px[i] > 0.0F ? 0U : 1U;
    l.is_full = invalid == 0;
    extremes(l, low, bits);
  }

  void extremes(Line& l, const float* __restrict low, const std::uint32_t* __restrict bits) const {
    const std::uint32_t side = 2 * r_ + 1;
    std::copy_n(low, kStrip, l.low);
    std::copy_n(l.px, kStrip, l.high);
    std::copy_n(bits, kStrip, l.bins);
    for (std::uint32_t i = 0; i < kStrip; ++i) l.d[i] = l.px[i];
    for (std::uint32_t k = 1; k < side; ++k) {
      for (std::uint32_t i = 0; i < kStrip; ++i) {
        const float d = l.px[i + k], least = low[i + k];
        l.low[i] = math::select(least < l.low[i], least, l.low[i]);
        l.high[i] = math::select(d > l.high[i], d, l.high[i]);
        l.bins[i] |= bits[i + k];
        l.d[i] += static_cast<double>(d);
      }
    }
  }

  /// The sums that a window with holes needs besides.
  void add_sums(Line& l) const {
    if (l.has_sums) return;
    l.has_sums = true;
    std::fill_n(l.n, kStrip, 0.0), std::fill_n(l.u, kStrip, 0.0), std::fill_n(l.uu, kStrip, 0.0);
    std::fill_n(l.ud, kStrip, 0.0);
    for (std::uint32_t k = 0; k <= 2 * r_; ++k) {
      const double u = static_cast<double>(k) - static_cast<double>(r_), uu = u * u;
      for (std::uint32_t i = 0; i < kStrip; ++i) {
        const float d = l.px[i + k];
        const double one = d > 0.0F ? 1.0 : 0.0;
        l.n[i] += one, l.u[i] += u * one, l.uu[i] += uu * one;
        l.ud[i] += u * static_cast<double>(d);
      }
    }
  }

  void emit(std::uint32_t row) {
    const std::uint32_t top = row > r_ ? row - r_ : 0, bottom = std::min(row + r_, image_.rows - 1);
    std::fill_n(low_, kStrip, math::kInfinity), std::fill_n(high_, kStrip, 0.0F), std::fill_n(bins_, kStrip, 0U);
    bool is_full = bottom - top == 2 * r_;
    for (std::uint32_t i = top; i <= bottom; ++i) {
      const Line& l = line(i);
      is_full &= l.is_full;
      for (std::uint32_t k = 0; k < kStrip; ++k) {
        low_[k] = math::select(l.low[k] < low_[k], l.low[k], low_[k]);
        high_[k] = math::select(l.high[k] > high_[k], l.high[k], high_[k]);
        bins_[k] |= l.bins[k];
      }
    }
    if (is_full) {
      means(top, bottom);
    } else {
      planes(row, top, bottom);
    }
    store(row);
  }

  /// The plane of a full window has its mean at the centre.
  void means(std::uint32_t top, std::uint32_t bottom) {
    double sum[kStrip] = {};
    for (std::uint32_t i = top; i <= bottom; ++i) {
      const Line& l = line(i);
      for (std::uint32_t k = 0; k < kStrip; ++k) sum[k] += l.d[k];
    }
    const double side = 2 * r_ + 1, n = side * side;
    for (std::uint32_t k = 0; k < kStrip; ++k) value_[k] = static_cast<float>(sum[k] / n);
  }

  void planes(std::uint32_t row, std::uint32_t top, std::uint32_t bottom) {
    double n[kStrip] = {}, u[kStrip] = {}, v[kStrip] = {}, uu[kStrip] = {}, uv[kStrip] = {}, vv[kStrip] = {},
           d[kStrip] = {}, ud[kStrip] = {}, vd[kStrip] = {};
    for (std::uint32_t i = top; i <= bottom; ++i) {
      Line& l = line(i);
      add_sums(l);
      const double down = static_cast<double>(i) - static_cast<double>(row);
      for (std::uint32_t k = 0; k < kStrip; ++k) {
        WindowSums s = {n[k], u[k], v[k], uu[k], uv[k], vv[k], d[k], ud[k], vd[k]};
        add_row(s, down, {l.n[k], l.u[k], l.uu[k], l.d[k], l.ud[k]});
        n[k] = s.n, u[k] = s.u, v[k] = s.v, uu[k] = s.uu, uv[k] = s.uv, vv[k] = s.vv;
        d[k] = s.d, ud[k] = s.ud, vd[k] = s.vd;
      }
    }
    for (std::uint32_t k = 0; k < kStrip; ++k) {
      value_[k] = static_cast<float>(plane_at_centre({n[k], u[k], v[k], uu[k], uv[k], vv[k], d[k], ud[k], vd[k]}));
    }
  }

  /// Whether all valid pixels of the window belong to one surface; says no when it cannot tell.
  [[nodiscard]] FATHOM_KERNEL bool is_one_surface(std::uint32_t k) const {
    const float lowest = bin_of(low_[k], bins_per_px_), highest = bin_of(high_[k], bins_per_px_);
    const std::uint32_t bins = bins_[k], starts = bins & ~(bins << 1U | bins >> 31U);
    const bool one_run = (starts & (starts - 1U)) == 0;
    return (high_[k] - low_[k] <= rule_.max_step_px) |
           ((highest - lowest <= kMostBins) & (highest < kMostBin) & one_run);
  }

  void store(std::uint32_t row) {
    const std::size_t first = std::size_t{row} * image_.cols + left_;
    std::uint8_t asks[kStrip];
    std::uint32_t any = 0;
    const float* const own = line(row).px + r_;
    for (std::uint32_t k = 0; k < kStrip; ++k) {
      const bool valid = own[k] > 0.0F, fine = is_one_surface(k) & has_range(value_[k]);
      value_[k] = math::select(valid & fine, value_[k], 0.0F);
      asks[k] = valid & !fine ? 1 : 0;
      any |= asks[k];
    }
    for (std::uint32_t k = 0; k < count_; ++k) {
      out_.matched_px[first + k] = value_[k], out_.taken[first + k] = static_cast<std::uint32_t>(first + k);
    }
    for (std::uint32_t k = 0; any != 0 && k < count_; ++k) {
      if (asks[k] != 0) ask(row, left_ + k, first + k);
    }
  }

  [[gnu::noinline]] void ask(std::uint32_t row, std::uint32_t col, std::size_t at) const {
    const WindowPixel pixel = match_window(rule_, image_, row, col);
    out_.matched_px[at] = pixel.disparity_px, out_.taken[at] = pixel.taken;
    if (pixel.reason != Reason::kHit) out_.reason[at] = pixel.reason;
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
