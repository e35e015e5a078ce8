// SPDX-License-Identifier: MIT
// Notes that say what was typed wrong beside frames of a wall, and errors of a tape of two places.

#include "fit/calibrate/walls.hpp"
#include "support/expect.hpp"

namespace fathom::test::wall_sanity_test {
namespace {

bool says(const WallFit& fit, const std::string& part) {
  for (const std::string& flag : texts_of(fit.chain.findings)) {
    if (flag.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(WallSanity, NamesACodeForNoReturnOfALaser) {
  const NoiseChain chain = {DistanceNoise{.stddev_m = 0.01F}, Dropout{0.03F}};
  const WallFrames lost = simulate_wall(laser_sensor(181, 50), walls(24, 0.8, 4.0, 30.0, 0.0), chain, {.seed = 4});
  WallFrames coded = lost;
  for (float& value : coded.measured_m) {
    if (!(value > 0.0F && std::isfinite(value))) value = 81.91F;
  }
  for (const double max_range_m : {0.0, 90.0}) {
    coded.sensor.max_range_m = max_range_m;
    const WallFit fit = fit_wall(coded, {.most_returns = 2000});
    EXPECT_TRUE(says(fit, "many readings are 81.91 m, ")) << max_range_m;
    EXPECT_TRUE(says(fit, "give max_range_m 81.82, and they are lost")) << max_range_m;
  }
  WallFrames limited = lost;
  coded.sensor.max_range_m = limited.sensor.max_range_m = 81.82;
  const WallFit fit = fit_wall(coded, {.most_returns = 2000}), truth = fit_wall(limited, {.most_returns = 2000});
  EXPECT_FALSE(says(fit, "if that means no return"));
  EXPECT_EQ(fit.measure.lost, truth.measure.lost);
  EXPECT_GT(fit.measure.lost, 50U);
  EXPECT_FALSE(says(truth, "if that means no return"));
}

TEST(WallSanity, NamesAFocalLengthThatLevelsDoNotFit) {
  WallFrames frames = simulate_wall(stereo_sensor(64, 48), walls(24, 0.5, 3.0, 40.0, 15.0),
                                    {Disparity{.stddev_px = 0.08F, .steps_per_px = 32.0F}}, {.seed = 4});
  EXPECT_FALSE(says(fit_wall(frames, {.most_returns = 5000}), "focal length times baseline"));
  frames.sensor.camera->fx_px *= 15.0 / 19.0, frames.sensor.camera->fy_px *= 15.0 / 19.0;
  const WallFit wrong = fit_wall(frames, {.most_returns = 5000});
  EXPECT_TRUE(says(wrong, "608 steps of the disparity in a px"));
  EXPECT_TRUE(says(wrong, "focal length times baseline"));
}

TEST(WallSanity, NamesAWallThatMovesBetweenStillFrames) {
  const NoiseChain chain = {DistanceNoise{.stddev_m = 0.01F}};
  const WallOptions still = {.still = true, .most_returns = 2000};
  std::vector<WallMeasure::Plane> moving, standing;
  for (int k = 0; k < 40; ++k) {
    moving.push_back(wall_at(1.0 + 0.02 * k, 0.3)), standing.push_back(wall_at(1.0 + 0.2 * (k / 4), 0.3));
  }
  for (const WallSensor& sensor : {laser_sensor(181, 60), depth_sensor(48, 36)}) {
    const WallFit moves = fit_wall(simulate_wall(sensor, moving, chain, {.seed = 4}), still);
    EXPECT_TRUE(says(moves, "the wall moves between frames: 39 of 39 planes"));
    EXPECT_EQ(moves.correlation.time_s.value, 0.0);
    EXPECT_FALSE(says(fit_wall(simulate_wall(sensor, standing, chain, {.seed = 4}), still), "the wall moves"));
  }
}

// Truth without a bias: an error by the spread of two places alone would be too small nearly always.
TEST(WallTape, ErrorsOfTwoPlacesHold) {
  const auto seeds = static_cast<std::uint64_t>(repetitions(20));
  double of_bias = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::vector<WallMeasure::Plane> planes;
    for (int k = 0; k < 10; ++k) planes.push_back(wall_at(k < 6 ? 0.9 : 1.3, -0.2 + 0.05 * k));
    WallFrames frames = simulate_wall(stereo_sensor(48, 36), planes, {Disparity{.stddev_px = 0.08F}}, {.seed = seed});
    for (const WallMeasure::Plane& plane : planes) frames.tape_m.push_back(plane.distance_m);
    const WallFit fit = fit_wall(frames, {.most_returns = 1000, .threads = 1});
    ASSERT_TRUE(fit.tape);
    EXPECT_TRUE(std::isnan(fit.tape->gain.std_error));
    of_bias += std::abs(fit.tape->bias_px.value) < 2 * fit.tape->bias_px.std_error ? 1 : 0;
    // 0.08 px in 1728 pixels of 10 frames.
    EXPECT_GT(fit.tape->bias_px.std_error, 0.9 * 0.08 / std::sqrt(1728.0 * 10));
  }
  EXPECT_GE(of_bias, 0.87 * static_cast<double>(seeds));
}

}  // namespace
}  // namespace fathom::test::wall_sanity_test

// The fit distinguishes heavy-tailed from normal errors, finds them again, and bends no plane.

namespace fathom::test::wall_tails_test {
namespace {

std::string_view first_of_range(const WallFit& fit) {
  for (const ChainEntry& entry : fit.chain.chain) {
    if (entry.noise.slug() == "distance" || entry.noise.slug() == "student") return entry.noise.slug();
  }
  return "none";
}

/// Of one fit, in errors.
void expect_learned(const WallFit& fit, const std::vector<std::pair<std::string, double>>& truth) {
  ASSERT_EQ(first_of_range(fit), "student");
  for (const auto& [name, value] : truth) {
    const Fit::Parameter& p = fit.chain[name];
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
  const std::vector<WallMeasure::Plane> planes = walls(20, 1.0, 3.0, 40.0, 15.0);
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
