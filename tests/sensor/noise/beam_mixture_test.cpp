// SPDX-License-Identifier: MIT
#include <fathom/noise/beam_mixture.hpp>

#include <fathom/noise/beam_density.hpp>

#include "sensor/noise/blocks.hpp"
#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom::test {
namespace {

constexpr float kMaxRange = 120.0F;  // of the blocks in sensor/noise/blocks.hpp
constexpr std::size_t kCount = 400000;
constexpr auto kMiss = static_cast<std::uint32_t>(Reason::kMiss);

BeamParameters parameters_of(const BeamMixture& m) {
  return {m.w_hit, m.w_short, m.w_max, m.w_rand, m.sigma_hit_m, m.lambda_short_per_m, m.hit_offset_m};
}

struct Case {
  BeamMixture model;
  float range_m;  ///< above the maximum: a miss
};

/// Readings of `kCount` rays that expect the same; Z where there is no return.
std::vector<float> readings(const Case& c) {
  const bool misses = c.range_m > kMaxRange;
  Lanes lanes = make_equal_lanes(kCount, 0, misses ? 1.0F : c.range_m, 0);
  if (misses) {
    lanes.reasons.assign(kCount, kMiss);
    lanes.returns.assign(kCount, {NAN, math::kInfinity, NAN, math::kInfinity, math::kInfinity});
  }
  apply(c.model, detect_isa(), {7, 1, 3}, lanes);
  std::vector<float> z;
  for (std::size_t i = 0; i < kCount; ++i) {
    z.push_back(lanes.reasons[i] == 0 ? lanes.returns[i].range_m : kMaxRange);
  }
  return z;
}

/// F(z), and where F jumps, at Z, values spread evenly over the jump.
std::vector<double> transforms(const Case& c, std::span<const float> z) {
  const BeamSensor sensor = {.max_range_m = kMaxRange, .expected_floor_m = 1e-6, .miss = c.model.miss};
  const BeamDensity density(parameters_of(c.model), sensor, std::min(c.range_m, kMaxRange));
  std::vector<double> u;
  double most = 0.5;
  for (const float reading : z) {
    if (reading < kMaxRange) {
      u.push_back(density.cdf(reading));
    } else {
      most += 0.61803398874989484820;
      u.push_back(1.0 - density.w_max() * (most - std::floor(most)));
    }
  }
  return u;
}

std::vector<Case> cases() {
  constexpr auto kAtom = MissPolicy::kAtom;
  return {
      {{}, 4.0F},
      {{}, 119.95F},
      {{}, 0.02F},
      {{}, 1000.0F},
      {{.miss = kAtom}, 1000.0F},
      {{.hit_offset_m = 0.3F}, 4.0F},
      {{.hit_offset_m = -5.0F}, 4.0F},   // carried below 0
      {{.sigma_hit_m = 400.0F}, 30.0F},  // sigma above Z
      {{.lambda_short_per_m = 0.0F}, 30.0F},
      {{.lambda_short_per_m = 1e-13F}, 30.0F},  // lambda z* = 3e-12
      {{.lambda_short_per_m = 50.0F}, 30.0F},   // lambda z* = 1500
      {{.w_hit = 1, .w_short = 0, .w_max = 0, .w_rand = 0}, 4.0F},
      {{.w_hit = 0, .w_short = 1, .w_max = 0, .w_rand = 0}, 4.0F},
      {{.w_hit = 0, .w_short = 0, .w_max = 0, .w_rand = 1}, 4.0F},
  };
}

TEST(BeamMixture, AgreesWithTheDensityOfTheBeamModel) {
  for (const Case& c : cases()) {
    const std::vector<double> u = transforms(c, readings(c));
    const double p = chi_square_p_of_uniforms(u, 201);
    EXPECT_GT(p, kLowestP) << c.range_m << " " << c.model.hit_offset_m << " " << c.model.sigma_hit_m;
    // P(sqrt(n) D > 2.3) = 5e-5 (Kolmogorov).
    EXPECT_LT(std::sqrt(double{kCount}) * ks_distance(u), 2.3) << c.range_m << " " << c.model.sigma_hit_m;
  }
}

TEST(BeamMixture, CountsOfReadingsWithoutAReturn) {
  // A miss that stays one keeps its reason; a surface that is not seen is a dropout.
  Lanes lanes = make_equal_lanes(kCount, 3, 0, 4);
  for (std::size_t i = 0; i < kCount; i += 2) lanes.reasons[i] = kMiss;
  apply(BeamMixture{.miss = MissPolicy::kAtom}, detect_isa(), {7, 1, 3}, lanes);
  std::size_t dropouts = 0, misses = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    dropouts += i % 2 == 1 && lanes.reasons[i] == static_cast<std::uint32_t>(Reason::kDropout);
    misses += i % 2 == 0 && lanes.reasons[i] == kMiss;
    ASSERT_TRUE(lanes.reasons[i] == 0 || (i % 2 == 0) == (lanes.reasons[i] == kMiss));
  }
  EXPECT_TRUE(is_binomial(static_cast<double>(dropouts), kCount / 2.0, 0.05, 4)) << dropouts;
  EXPECT_TRUE(is_binomial(static_cast<double>(misses), kCount / 2.0, 0.75, 4)) << misses;
}

TEST(BeamMixture, PointsStandOnTheirLines) {
  Lanes lanes = make_lanes(4096);
  for (std::size_t i = 0; i < lanes.size(); i += 3) {
    lanes.reasons[i] = static_cast<std::uint32_t>(Reason::kAboveMaxRange);
    lanes.returns[i].range_m = 500.0F;
  }
  const Lanes before = lanes;
  apply(BeamMixture{}, detect_isa(), {7, 1, 3}, lanes);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes.reasons[i] != 0) continue;
    const Return &r = lanes.returns[i], &old = before.returns[i];
    ASSERT_GE(r.range_m, 0.0F);
    ASSERT_LT(r.range_m, kMaxRange);
    const Ray& ray = lanes.rays[i];
    const bool met = before.reasons[i] == 0;
    const double scale = met ? 1.0 + (double{r.range_m} - old.range_m) / old.radius_m : 0.0;
    const double x = met ? scale * old.x : ray.ox + double{ray.dx} * r.range_m;
    const double z = met ? scale * old.z : ray.oz + double{ray.dz} * r.range_m;
    ASSERT_NEAR(r.x, x, 1e-4 + 1e-6 * std::abs(scale));
    ASSERT_NEAR(r.z, z, 1e-4 + 1e-6 * std::abs(scale));
  }
}

TEST(BeamMixture, ReturnsLostForOtherReasonsStayLost) {
  for (const Reason reason : {Reason::kBelowMinRange, Reason::kLossAngle, Reason::kMasked, Reason::kDropout}) {
    Lanes lanes = make_equal_lanes(1024, 3, 0, 4);
    lanes.reasons.assign(1024, static_cast<std::uint32_t>(reason));
    apply(BeamMixture{}, detect_isa(), {7, 1, 3}, lanes);
    for (const std::uint32_t now : lanes.reasons) ASSERT_EQ(now, static_cast<std::uint32_t>(reason));
  }
}

TEST(BeamMixture, WeightsThatDoNotSumToOneAreRefused) {
  EXPECT_EQ(input_error([] { (void)Noise(BeamMixture{.w_hit = 0.8F}); }),
            "beam_mixture: w_hit + w_short + w_max + w_rand = 1.1 is not 1");
  EXPECT_NE(input_error([] { (void)Noise(BeamMixture{}).with("w_max", 0.2); }), "");
  EXPECT_EQ(input_error([] { (void)Noise(BeamMixture{}).with("sigma_hit_m", 0.2); }), "");
}

TEST(BeamMixture, AnUnknownNumberIsRefused) {
  EXPECT_EQ(input_error([] { (void)Noise(BeamMixture{}).number("w_none"); }), "beam_mixture has no parameter 'w_none'");
}

}  // namespace
}  // namespace fathom::test
