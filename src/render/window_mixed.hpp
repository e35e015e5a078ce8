// SPDX-License-Identifier: MIT
#pragma once
// Windows that may hold several surfaces: the rule of noise/window.hpp itself, for eight pixels side by side. Only for
// sources compiled by fathom_isa_sources.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fathom/noise/window.hpp>

#include "render/window_lanes.hpp"
#include "render/window_strip.hpp"

namespace fathom::FATHOM_ISA {

class MixedWindows {
 public:
  MixedWindows(const WindowRule& rule, const WindowImage& image, const WindowResult& out, const WindowStrip& strip)
      : rule_(rule), image_(image), out_(out), strip_(strip), r_(static_cast<std::uint32_t>(rule.radius_px)) {}

  /// Eight pixels next to each other.
  struct Pixels {
    std::uint32_t row, col;  ///< of the first one
    WindowRows rows;
    std::uint32_t k;  ///< column of the first one in the strip
    unsigned which;   ///< those that are valid, a bit each: the others keep what they have
    F8 valid, high;   ///< how many valid pixels their windows have, and the largest disparity of these
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
  /// The surface that each of the pixels takes; `count` is 0 where there is none.
  struct Taken {
    F8 low, high, count;
  };

  /// One look at all places: the disparities up to `high` that are within a step of `low`, or above it.
  struct Look {
    F8 low, count;  ///< the least of them, and how many they are
    F8 below;       ///< the largest of the others below; 0: none
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

  /// candidate_below() of noise/window.hpp, from the largest disparity on.
  void find_candidates(const Pixels& pixels, Taken& taken) const {
    const F8 zero = F8::all(0.0F), step = F8::all(rule_.max_step_px), wanted = F8::all(rule_.share) * pixels.valid;
    taken = {zero, zero, zero};
    F8 high = pixels.high, rest = pixels.valid;
    auto open = F8::mask_from(pixels.which);
    for (;;) {
      Look l = look(pixels, high, high);
      // As long as one of the others is within a step of the least so far, there is more.
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

  /// The sums of plane_of() of noise/window.hpp.
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
  const WindowStrip& strip_;
  std::uint32_t r_;
};

}  // namespace fathom::FATHOM_ISA
