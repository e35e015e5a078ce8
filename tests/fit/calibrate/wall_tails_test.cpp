// SPDX-License-Identifier: MIT
// The fit distinguishes heavy-tailed from normal errors, finds them again, and bends no plane.

#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/fit/frames.hpp>
#include <fathom/fit/wall.hpp>

#include "fit/calibrate/walls.hpp"

namespace fathom::test::wall_tails_test {
namespace {

std::string_view first_of_range(const WallFit& fit) {
  for (const ChainEntry& entry : fit.chain.chain) {
    if (entry.noise.slug() == "distance" || entry.noise.slug() == "student") return entry.noise.slug();
  }
  return "none";
}

/// Of one fit, in errors; prints what is far.
void expect_learned(const WallFit& fit, const std::vector<std::pair<std::string, double>>& truth) {
  ASSERT_EQ(first_of_range(fit), "student");
  for (const auto& [name, value] : truth) {
    const FitParameter& p = fit.chain[name];
    std::cout << name << ' ' << p.value << " +- " << p.std_error << '\n';
    EXPECT_NEAR(p.value, value, 4.0 * p.std_error) << name;
    EXPECT_LT(p.std_error, 0.2 * value) << name;
  }
}

TEST(WallTails, OfADepthCameraAreFoundAgain) {
  const NoiseChain chain = {StudentNoise{0.002F, 0.003F, 3.0F}, Dropout{0.05F}};
  const WallFit fit = fit_wall(simulate_wall(depth_sensor(64, 48), walls(20, 0.5, 4.0, 40.0, 15.0), chain, {.seed = 2}),
                               {.most_returns = 10'000});
  expect_learned(
      fit,
      {{"student.scale_m", 0.002}, {"student.scale_per_m", 0.003}, {"student.nu", 3.0}, {"dropout.probability", 0.05}});
  ASSERT_EQ(fit.range_laws.size(), 2U);
  EXPECT_TRUE(fit.range_laws[1].is_chosen && fit.range_laws[1].gain > 0.01);
}

TEST(WallTails, OfALaserAreFoundAgain) {
  const NoiseChain chain = {StudentNoise{0.005F, 0.002F, 2.0F}};
  const WallFit fit = fit_wall(simulate_wall(laser_sensor(181, 60), walls(80, 0.5, 6.0, 20.0), chain, {.seed = 3}));
  expect_learned(fit, {{"student.scale_m", 0.005}, {"student.scale_per_m", 0.002}, {"student.nu", 2.0}});
}

TEST(WallTails, OfNormalErrorsAreNone) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const WallFit fit = fit_wall(simulate_wall(depth_sensor(48, 36), walls(20, 0.5, 3.0, 30.0, 10.0),
                                               {DistanceNoise{0.0F, 0.002F, 0.003F}}, {.seed = seed}),
                                 {.most_returns = 5000});
    EXPECT_EQ(first_of_range(fit), "distance") << seed;
  }
}

/// Where errors have no mean, a plane by least squares of all readings is metres off.
TEST(WallTails, BendNoPlane) {
  const std::vector<WallPlane> planes = walls(20, 1.0, 3.0, 40.0, 15.0);
  const WallMeasure measure =
      measure_wall(simulate_wall(depth_sensor(), planes, {StudentNoise{0.005F, 0.0F, 1.0F}}, {.seed = 4}));
  for (std::size_t f = 0; f < planes.size(); ++f) {
    ASSERT_TRUE(measure.planes[f].is_found) << measure.planes[f].why_not;
    // 6912 readings, each 0.005 m / sin of a hundredth at most: a hundredth of the scale would do for normal errors.
    EXPECT_NEAR(measure.planes[f].distance_m, planes[f].distance_m, 0.001);
    EXPECT_LT(norm(cross(measure.planes[f].normal, planes[f].normal)), 0.001);
  }
}

}  // namespace
}  // namespace fathom::test::wall_tails_test
