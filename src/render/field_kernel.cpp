// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fathom/math/f64.hpp>

#include "render/field_math.hpp"

namespace fathom {

namespace {

/// exp(-i^2 / (2 s^2)) up to 3 s, with squares that sum to 1.
LineKernel gaussian(double size_px) {
  LineKernel kernel;
  const auto radius = static_cast<std::uint32_t>(std::ceil(3.0 * size_px));
  const auto weight = [&](std::uint32_t i) { return math::exp(-0.5 * i * i / (size_px * size_px)); };
  double squares = 1.0;
  for (std::uint32_t i = 1; i <= radius; ++i) squares += 2.0 * weight(i) * weight(i);
  for (std::uint32_t i = 0; i <= radius; ++i) {
    kernel.weights[i] = static_cast<float>(weight(i) / std::sqrt(squares));
  }
  kernel.count = radius + 1;
  kernel.before = kernel.after = radius;
  return kernel;
}

/// rho^i, rho = exp(-1 / s), over the smallest power of 2 that is at least 8 s. The sum of the squares of a product of
/// (1 + c z^k) whose terms are all of different powers of z is the product of (1 + c^2).
LineKernel exponential(double size_px) {
  LineKernel kernel;
  kernel.is_exponential = true;
  double squares = 1.0;
  std::uint32_t reach = 1, steps = 0;
  while (steps == 0 || reach < 8.0 * size_px) {
    const auto weight = static_cast<float>(math::exp(-static_cast<double>(reach) / size_px));
    kernel.weights[steps++] = weight;
    squares *= 1.0 + double{weight} * weight;
    reach *= 2;
  }
  kernel.count = steps;
  kernel.before = reach - 1;
  kernel.gain = static_cast<float>(1.0 / std::sqrt(squares));
  return kernel;
}

}  // namespace

LineKernel make_line_kernel(CorrelationShape shape, double size_px) {
  if (!(size_px > 0.0)) return {};
  return shape == CorrelationShape::kGaussian ? gaussian(size_px) : exponential(size_px);
}

FieldKernel make_field_kernel(const Correlation& correlation) {
  return {make_line_kernel(correlation.shape, double{correlation.across_px}),
          make_line_kernel(correlation.shape, double{correlation.down_px})};
}

KeyTime key_time(double time_s, std::uint32_t frame, double stamp_s) {
  if (time_s == 0.0) return {.frame = frame};
  if (std::isinf(time_s)) return {};
  constexpr double kFarthest = 0x1p52;  // beyond, a double has no fractions: the frame is a key frame
  const double at = std::clamp(stamp_s / time_s, -kFarthest, kFarthest);
  const double whole = std::floor(at);
  const math::SinCos64 turn = math::sincos(0.5 * std::numbers::pi * (at - whole));
  return {.frame = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole)),
          .is_between = true,
          .cosine = static_cast<float>(turn.cos),
          .sine = static_cast<float>(turn.sin)};
}

}  // namespace fathom
