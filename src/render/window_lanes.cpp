// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.
//
// Most windows hold one surface. Then every valid pixel belongs to it, and its plane follows from sums over rows and
// then over columns. The least and the largest disparity and a mask of bins show whether a window holds one surface.
// MixedWindows decides the pixels of other windows, near jumps, eight at once.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fathom/noise/detail/window.hpp>

#include "render/lanes.hpp"
#include "render/ray_math.hpp"
#include "render/window_strip.hpp"

namespace fathom::FATHOM_ISA {

namespace {

/// Windows that may hold several surfaces: the rule of noise/detail/window.hpp for eight pixels at once.
class MixedWindows {
 public:
  MixedWindows(const WindowRule& rule, const WindowImage& image, const WindowResult& out, const WindowStrip& strip)
      : rule_(rule), image_(image), out_(out), strip_(strip), r_(static_cast<std::uint32_t>(rule.radius_px)) {}

  /// Eight pixels next to each other.
  struct Pixels {
    std::uint32_t row, col;  ///< of the first one
    WindowRows rows;
    std::uint32_t k;  ///< column of the first one in the strip
    unsigned which;   ///< a bit for each valid pixel; the others stay unchanged
    F8 valid, high;   ///< number of valid pixels in their windows, and the largest disparity of these
  };

  [[gnu::noinline]] void run(const Pixels& pixels) const {
    Taken taken;
    find_candidates(pixels, taken);
    alignas(32) float planes[F8::kLanes];
    plane_at_centre(sums_of(pixels, taken)).rounded().store(planes);
    float low[F8::kLanes], high[F8::kLanes], count[F8::kLanes];
    taken.low.store(low), taken.high.store(high), taken.count.store(count);
    const unsigned found = bits(lt(F8::all(0.0F), taken.count));
    const unsigned unsure = bits(lt(taken.count, F8::all(rule_.sure_share) * pixels.valid));
    for (std::uint32_t lane = 0; lane < F8::kLanes; ++lane) {
      if ((pixels.which >> lane & 1U) == 0) continue;
      const std::uint32_t col = pixels.col + lane, at = pixels.row * image_.cols + col;
      const bool is_found = (found >> lane & 1U) != 0, sure = (unsure >> lane & 1U) == 0;
      const float d = planes[lane];
      WindowPixel pixel = {0.0F, at, Reason::kEdge};
      if (is_found && !sure && rule_.flying) {
        pixel = match_window(rule_, image_, pixels.row, col);
      } else if (is_found && sure && has_range(d)) {
        const bool is_asked = out_.taken != nullptr;
        pixel = {d, is_asked ? nearest(pixels.row, col, low[lane], high[lane]) : at, Reason::kHit};
      }
      out_.matched_px[at] = pixel.disparity_px;
      if (out_.taken != nullptr) out_.taken[at] = pixel.taken;
      if (pixel.reason != Reason::kHit) out_.reason[at] = pixel.reason;
    }
  }

 private:
  /// The surface that each of the pixels takes; `count` is 0 without one.
  struct Taken {
    F8 low, high, count;
  };

  /// The result of one pass over a window: the disparities up to `high` that are within a step of `low`, or above it.
  struct Look {
    F8 low, count;  ///< the least of them, and their number
    F8 below;       ///< the largest disparity below them; 0 without one
  };

  [[nodiscard]] FATHOM_KERNEL Look look(const Pixels& pixels, F8 low, F8 high) const {
    const F8 zero = F8::all(0.0F), one = F8::all(1.0F), step = F8::all(rule_.max_step_px);
    Look l = {low, zero, zero};
    for (std::uint32_t line = 0; line < pixels.rows.count(); ++line) {
      const float* const px = strip_.px(line, pixels.k);
      for (std::uint32_t i = 0; i <= 2 * r_; ++i) {
        const F8 d = F8::load(px + i);
        const auto beyond = lt(step, low - d), inside = without(lt(zero, d) & le(d, high), beyond);
        l.count = l.count + (inside & one);
        l.low = min(l.low, select(inside, d, low));
        l.below = max(l.below, beyond & d);
      }
    }
    return l;
  }

  /// candidate_below() of noise/detail/window.hpp, from the largest disparity on.
  void find_candidates(const Pixels& pixels, Taken& taken) const {
    const F8 zero = F8::all(0.0F), step = F8::all(rule_.max_step_px), wanted = F8::all(rule_.share) * pixels.valid;
    taken = {zero, zero, zero};
    F8 high = pixels.high, rest = pixels.valid;
    auto open = F8::mask_from(pixels.which);
    for (;;) {
      Look l = look(pixels, high, high);
      // The surface goes on while another disparity is within a step of its least.
      while (bits(open & lt(zero, l.below) & le(l.low - l.below, step)) != 0) l = look(pixels, l.low, high);
      rest = rest - l.count;
      const auto found = open & le(wanted, l.count);
      taken.low = select(found, l.low, taken.low), taken.high = select(found, high, taken.high);
      taken.count = select(found, l.count, taken.count);
      open = without(open, found) & lt(zero, rest) & le(wanted, rest);
      if (bits(open) == 0) return;
      high = l.below;
    }
  }

  /// The sums of plane_of() of noise/detail/window.hpp.
  [[nodiscard]] WindowSums8 sums_of(const Pixels& pixels, const Taken& taken) const {
    const F8 zero = F8::all(0.0F), one = F8::all(1.0F), low = taken.low, high = taken.high;
    const D8 none = D8::all(0.0);
    F8 n = zero, u = zero, v = zero, uu = zero, uv = zero, vv = zero;  // whole numbers
    D8 d = none, ud = none, vd = none;
    const auto above = static_cast<std::int32_t>(pixels.row - pixels.rows.top);
    for (std::uint32_t line = 0; line < pixels.rows.count(); ++line) {
      const float* const px = strip_.px(line, pixels.k);
      F8 row_n = zero, row_u = zero, row_uu = zero;
      D8 row_d = none, row_ud = none;
      for (std::uint32_t i = 0; i <= 2 * r_; ++i) {
        const auto across = static_cast<float>(static_cast<std::int32_t>(i) - static_cast<std::int32_t>(r_));
        const F8 value = F8::load(px + i);
        const auto inside = le(low, value) & le(value, high);
        const F8 there = inside & F8::all(across);
        row_n = row_n + (inside & one), row_u = row_u + there, row_uu = row_uu + F8::all(across) * there;
        const D8 wide = D8::of(inside & value);
        row_d = row_d + wide, row_ud = row_ud + D8::all(across) * wide;
      }
      const auto lines = static_cast<float>(static_cast<std::int32_t>(line) - above);
      const F8 down = F8::all(lines), step = down * row_n;
      n = n + row_n, u = u + row_u, v = v + step;
      uu = uu + row_uu, uv = uv + down * row_u, vv = vv + down * step;
      d = d + row_d, ud = ud + row_ud, vd = vd + D8::all(lines) * row_d;
    }
    return {D8::of(n), D8::of(u), D8::of(v), D8::of(uu), D8::of(uv), D8::of(vv), d, ud, vd};
  }

  /// nearest_of() of noise/detail/window.hpp: squares around the pixel, until the next one is farther than the best
  /// pixel.
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
  const WindowStrip& strip_;
  std::uint32_t r_;
};

class WindowLoop {
 public:
  WindowLoop(const WindowRule& rule, const WindowImage& image, std::uint32_t left, const WindowResult& out)
      : image_(image),
        out_(out),
        left_(left),
        count_(std::min(kStrip, image.cols - left)),
        r_(static_cast<std::uint32_t>(rule.radius_px)),
        side_(static_cast<float>(2 * r_ + 1)),
        max_step_px_(rule.max_step_px),
        strip_(rule, image, left),
        mixed_(rule, image, out, strip_) {}

  void run(std::uint32_t begin, std::uint32_t end) {
    std::uint32_t ready = strip_.rows_of(begin).top;
    for (std::uint32_t row = begin; row < end; ++row) {
      const WindowRows rows = strip_.rows_of(row);
      for (; ready <= rows.bottom; ++ready) strip_.load(ready);
      strip_.enter(rows);
      for (std::uint32_t k = 0; k < count_; k += F8::kLanes) match_eight(row, rows, k);
    }
  }

 private:
  /// Windows k to k + 7 of the strip.
  void match_eight(std::uint32_t row, const WindowRows& rows, std::uint32_t k) {
    const unsigned inside = count_ - k >= F8::kLanes ? 0xffU : (1U << (count_ - k)) - 1U;
    const auto valid = lt(F8::all(0.0F), F8::load(strip_.px(row - rows.top, k) + r_)) & F8::mask_from(inside);
    if (bits(valid) == 0) return put(row, k, F8::all(0.0F));
    F8 low = F8::all(math::kInfinity), high = F8::all(0.0F), n = high;
    for (std::uint32_t i = 0; i < rows.count(); ++i) {
      const WindowLine& l = strip_.line(i);
      low = min(F8::load(l.low + k), low), high = max(F8::load(l.high + k), high), n = n + F8::load(l.n + k);
    }
    const unsigned unsure = bits(without(valid, le(high - low, F8::all(max_step_px_))));
    if (unsure != 0 && has_steps(rows, k, unsure, low, high)) {
      put(row, k, F8::all(0.0F));
      return mixed_.run({row, left_ + k, rows, k, bits(valid), n, high});
    }
    const bool is_full = bits(without(valid, eq(n, F8::all(side_ * side_)))) == 0;
    const F8 value = is_full ? mean(rows, k) : plane(row, rows, k, n);
    const auto fits = valid & lt(F8::all(0.0F), value) & lt(value, F8::all(math::kInfinity));
    put(row, k, fits & value);
    lose(row, k, bits(without(valid, fits)));
  }

  /// Whether one of the windows may hold more than one surface.
  [[nodiscard]] bool has_steps(const WindowRows& rows, std::uint32_t k, unsigned unsure, F8 low, F8 high) {
    float each_low[F8::kLanes], each_high[F8::kLanes];
    low.store(each_low), high.store(each_high);
    std::uint32_t bins[F8::kLanes];
    strip_.find_bins(rows.count(), k, bins);
    unsigned one = 0;
    for (std::uint32_t i = 0; i < F8::kLanes; ++i) {
      one |= static_cast<unsigned>(strip_.is_one_surface(each_low[i], each_high[i], bins[i])) << i;
    }
    return (unsure & ~one) != 0;
  }

  /// The plane of a full window has its mean at the centre.
  [[nodiscard]] F8 mean(const WindowRows& rows, std::uint32_t k) const {
    D8 sum = D8::all(0.0);
    for (std::uint32_t i = 0; i < rows.count(); ++i) sum = sum + D8::load(strip_.line(i).d + k);
    const double side = side_;
    return (sum / D8::all(side * side)).rounded();
  }

  [[nodiscard]] F8 plane(std::uint32_t row, const WindowRows& rows, std::uint32_t k, F8 n) {
    F8 u = F8::all(0.0F), v = u, uu = u, uv = u, vv = u;  // whole numbers
    D8 d = D8::all(0.0), ud = d, vd = d;
    const auto above = static_cast<std::int32_t>(row - rows.top);
    for (std::uint32_t i = 0; i < rows.count(); ++i) {
      strip_.add_sums(i, k);
      const WindowLine& l = strip_.line(i);
      const auto lines = static_cast<float>(static_cast<std::int32_t>(i) - above);
      const F8 down = F8::all(lines), row_u = F8::load(l.u + k), step = down * F8::load(l.n + k);
      const D8 row_d = D8::load(l.d + k);
      u = u + row_u, v = v + step;
      uu = uu + F8::load(l.uu + k), uv = uv + down * row_u, vv = vv + down * step;
      d = d + row_d, ud = ud + D8::load(l.ud + k), vd = vd + D8::all(lines) * row_d;
    }
    return plane_at_centre({D8::of(n), D8::of(u), D8::of(v), D8::of(uu), D8::of(uv), D8::of(vv), d, ud, vd}).rounded();
  }

  void put(std::uint32_t row, std::uint32_t k, F8 value) const {
    const std::uint32_t first = row * image_.cols + left_ + k, count = std::min(count_ - k, F8::kLanes);
    if (count == F8::kLanes) {
      value.store(out_.matched_px + first);
    } else {
      float each[F8::kLanes];
      value.store(each);
      std::copy_n(each, count, out_.matched_px + first);
    }
    if (out_.taken == nullptr) return;
    for (std::uint32_t i = 0; i < count; ++i) out_.taken[first + i] = first + i;
  }

  void lose(std::uint32_t row, std::uint32_t k, unsigned which) const {
    for (std::uint32_t i = 0; which != 0; ++i, which >>= 1) {
      if ((which & 1U) != 0) out_.reason[row * image_.cols + left_ + k + i] = Reason::kEdge;
    }
  }

  WindowImage image_;
  WindowResult out_;
  std::uint32_t left_, count_, r_;
  float side_, max_step_px_;
  WindowStrip strip_;
  MixedWindows mixed_;
};

void match(const WindowRule& rule, const WindowImage& image, std::uint32_t begin, std::uint32_t end,
           const WindowResult& out) {
  for (std::uint32_t left = 0; left < image.cols; left += kStrip) WindowLoop(rule, image, left, out).run(begin, end);
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

/// A bit for each of eight pairs of pixels that belong together.
FATHOM_KERNEL unsigned joined(F8 a, F8 b, F8 max_step) {
  const F8 zero = F8::all(0.0F), step = a - b;
  return bits(lt(zero, a) & lt(zero, b) & lt(step, max_step) & lt(zero - step, max_step));
}

/// A bit for each of `count` pairs a[i], b[i].
void join_pairs(const float* a, const float* b, std::uint32_t count, F8 max_step, std::uint64_t* out) {
  std::uint32_t i = 0;
  std::uint64_t word = 0;
  for (; i + F8::kLanes <= count; i += F8::kLanes) {
    word |= std::uint64_t{joined(F8::load(a + i), F8::load(b + i), max_step)} << (i % 64);
    if (i % 64 == 64 - F8::kLanes) out[i / 64] = word, word = 0;
  }
  float last_a[F8::kLanes] = {}, last_b[F8::kLanes] = {};
  std::copy_n(a + i, count - i, last_a), std::copy_n(b + i, count - i, last_b);
  word |= std::uint64_t{joined(F8::load(last_a), F8::load(last_b), max_step)} << (i % 64);
  out[i / 64] = word;
}

void links(const float* above, const float* row, std::uint32_t cols, float max_step_px, const RegionLinks& out) {
  const F8 step = F8::all(max_step_px);
  join_pairs(row, row, cols, F8::all(math::kInfinity), out.valid);
  join_pairs(row, row + 1, cols - 1, step, out.right);
  if (above != nullptr) join_pairs(above, row, cols, step, out.up);
}

}  // namespace

const WindowKernels kWindowKernels = {disparities, ranges, match, links};

}  // namespace fathom::FATHOM_ISA
