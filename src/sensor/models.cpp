// SPDX-License-Identifier: MIT
// The functions of models that are no kernels.

#include <fathom/noise/models.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/noise/beam_mixture.hpp>
#include <fathom/noise/correlation.hpp>

namespace fathom {

double log_density(const AxisTurn& turn, double angle_rad) {
  constexpr double kTurn = 2.0 * std::numbers::pi, kLeastToWrap = 0.5;  // below, a turn more is 6 deviations off
  const double stddev = turn.stddev_rad, off = std::remainder(angle_rad - turn.mean_rad, kTurn) / stddev;
  if (!(stddev > 0.0)) return -__builtin_inf();
  const double middle = math::log(math::kInverseSqrtTwoPi / stddev) - 0.5 * off * off;
  if (stddev < kLeastToWrap) return middle;
  double sum = 1.0;
  for (int turns = 1; turns <= 4; ++turns) {
    for (const double more : {turns * kTurn / stddev, -turns * kTurn / stddev}) {
      sum += math::exp(-0.5 * more * (more + 2.0 * off));
    }
  }
  return middle + math::log(sum);
}

void Correlation::check() const {
  constexpr double kLeast = 1e-6;
  const auto check_step = [&](std::string_view name, double value, std::string_view unit) {
    if (!(value > 0.0 && value < kLeast)) return;
    throw InputError(fmt::format("correlation.{} = {:g} is neither 0 nor at least {:g} {}", name, value, kLeast, unit));
  };
  check_step("time_s", time_s, "s"), check_step("motion_m", motion_m, "m"), check_step("motion_rad", motion_rad, "rad");
}

/// With the deviation of the normal error.
StudentNoise DistanceNoise::with_heavy_tails(const DistanceNoise& p) {
  constexpr double kNu = 5.0;
  const double scale = std::sqrt((kNu - 2.0) / kNu);
  return {.scale_m = static_cast<float>(scale * double{p.stddev_m}),
          .scale_per_m = static_cast<float>(scale * double{p.stddev_per_m}),
          .nu = static_cast<float>(kNu)};
}

Dropout Dropout::begin_loss(const LossCover& cover) {
  return {static_cast<float>(std::clamp(0.5 * cover.lost_share, 1e-5, 0.5))};
}

LossAngle LossAngle::begin_loss(const LossCover& cover) {
  return {static_cast<float>(std::clamp(cover.kept_rad, 0.1, 1.57))};
}

/// The signal of the pattern at the far end is near the midpoint.
TextureLoss TextureLoss::begin_loss(const LossCover& cover) {
  TextureLoss begun;
  const double signal = math::exp((1.0 - cover.far_m) / double{begun.reach_m}) / (cover.far_m * cover.far_m);
  begun.midpoint = static_cast<float>(0.7 * signal), begun.width = static_cast<float>(std::max(0.3 * signal, 1e-5));
  return begun;
}

void BeamMixture::settle(BeamMixture& p) {
  double sum = 0.0;
  for (const float weight : {p.w_short, p.w_max, p.w_rand}) sum += double{weight};
  p.w_hit = static_cast<float>(std::max(0.0, 1.0 - sum));
  if (!(sum > 1.0)) return;
  for (float* weight : {&p.w_short, &p.w_max, &p.w_rand}) *weight = static_cast<float>(double{*weight} / sum);
}

BeamMixture BeamMixture::begin(const BeamMixture& given, const LearnedReturns& returns,
                               std::span<const std::string_view> free) {
  const bool learns_offset = std::find(free.begin(), free.end(), "hit_offset_m") != free.end();
  const double offset_m = double{given.hit_offset_m};
  const BeamParameters found = returns.fit_beam(returns, given.miss, learns_offset ? nullptr : &offset_m);
  BeamMixture begun = given;
  begun.w_short = static_cast<float>(found.w_short), begun.w_max = static_cast<float>(found.w_max);
  begun.w_rand = static_cast<float>(found.w_rand), begun.sigma_hit_m = static_cast<float>(found.sigma_hit_m);
  begun.lambda_short_per_m = static_cast<float>(found.lambda_short_per_m);
  begun.hit_offset_m = static_cast<float>(found.hit_offset_m);
  settle(begun);
  return begun;
}

}  // namespace fathom
