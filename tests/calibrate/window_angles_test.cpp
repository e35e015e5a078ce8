// SPDX-License-Identifier: MIT
// What a matching window shows of turned rays, and angles learned behind one.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "calibrate/turned_scenes.hpp"
#include "calibrate/window_study.hpp"
#include "support/error_text.hpp"
#include "support/sanitized.hpp"

namespace fathom::test::window_angles_test {
namespace {

constexpr double kFocalPx = 300.0, kBaselineM = 0.05;
constexpr std::uint32_t kWidth = 120, kHeight = 90;

StereoCamera small_camera() {
  StereoCamera camera;
  camera.width = kWidth, camera.height = kHeight, camera.fx = kFocalPx, camera.baseline_m = kBaselineM;
  camera.reference = CameraReference::kLeft;
  camera.min_range_m = 0.1, camera.max_range_m = 20;
  return camera;
}

/// A wall whose face is at 1 m straight ahead and turned by these angles.
Scene slanted_wall(double yaw, double pitch) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}), "box");
  const Pose turned = {{1, 0, 0}, from_roll_pitch_yaw(0, pitch, yaw)};
  scene.add_entity(
      {.name = "wall", .mesh = box, .parent_from_entity = turned * Pose{{5, 0, 0}, {}}, .scale = {10, 20, 20}});
  return scene;
}

/// E[F F'] of a field at a lag, by its definition: the kernel of noise/correlation.hpp beside itself.
double kernel_correlation(const Correlation& c, double size, int lag) {
  if (!(size > 0.0)) return lag == 0 ? 1.0 : 0.0;
  const bool is_gaussian = c.shape == CorrelationShape::kGaussian;
  const int reach = static_cast<int>(is_gaussian ? 3 * size : 40 * size);
  const auto h = [&](int i) {
    if (is_gaussian) return std::abs(i) > reach ? 0.0 : std::exp(-i * i / (2 * size * size));
    return i < 0 || i > reach ? 0.0 : std::exp(-i / size);
  };
  double product = 0.0, square = 0.0;
  for (int i = -reach; i <= reach; ++i) product += h(i) * h(i + lag), square += h(i) * h(i);
  return product / square;
}

/// Sums over all pairs of pixels of a window: the variance of its mean, and the covariance with its middle.
std::array<double, 2> shares_by_pairs(const Correlation& c, int radius) {
  const int n = 2 * radius + 1;
  std::vector<double> across, down;
  for (int lag = 0; lag < n; ++lag) {
    across.push_back(kernel_correlation(c, double{c.across_px}, lag));
    down.push_back(kernel_correlation(c, double{c.down_px}, lag));
  }
  const auto of = [&](int a, int b) {
    const int u = std::abs(a % n - b % n), v = std::abs(a / n - b / n);
    return across[static_cast<std::size_t>(u)] * down[static_cast<std::size_t>(v)];
  };
  double mean = 0.0, own = 0.0;
  for (int a = 0; a < n * n; ++a) {
    own += of(a, n * n / 2) / (n * n);
    for (int b = 0; b < n * n; ++b) mean += of(a, b) / (1.0 * n * n * n * n);
  }
  return {mean, own};
}

/// The mean square of (disparity - clean) over returns, and what the angles of a window's mean make of it: with the
/// plane n p = c the disparity along (1, y, z) is f B (n_x + n_y y + n_z z) / c.
std::array<double, 2> mean_squares(const NoiseChain& noise, const ChainReturns& r) {
  const double fb = kFocalPx * kBaselineM;
  std::array<double, 2> sums = {0.0, 0.0};
  const auto variance = [&](std::size_t k) {
    const double s = value_of(noise, {k, "stddev_rad"});
    return s * s * shares_by_pairs(noise[k].correlation, 4)[0];
  };
  const double about_z = variance(0), about_y = variance(1);
  for (std::size_t i = 0; i < r.size(); ++i) {
    const TurnedRays& t = r.turned;
    const double x = double{t.direction_x[i]}, y = double{t.direction_y[i]} / x, z = double{t.direction_z[i]} / x;
    const double nx = double{t.normal_x[i]}, ny = double{t.normal_y[i]}, nz = double{t.normal_z[i]};
    const double c = double{r.clean_x_m[i]} * (nx + ny * y + nz * z);
    const double by_z = fb / c * (ny * (1 + y * y) + nz * y * z), by_y = fb / c * (-nz * (1 + z * z) - ny * y * z);
    const double off = fb / (double{r.range_m[i]} * x) - fb / double{r.clean_x_m[i]};
    sums[0] += off * off, sums[1] += by_z * by_z * about_z + by_y * by_y * about_y;
  }
  return {sums[0] / static_cast<double>(r.size()), sums[1] / static_cast<double>(r.size())};
}

TEST(WindowAngles, TheVarianceIsThatOfSumsOverAllPairs) {
  const std::vector<Correlation> all = {
      {.across_px = 4, .down_px = 4},
      {.across_px = 3, .down_px = 0},
      {.across_px = 6, .down_px = 1.5F, .shape = CorrelationShape::kExponential},
      {},
  };
  for (const Correlation& c : all) {
    const NoiseChain noise = {{AngularRay{.axis = Axis::kZ, .stddev_rad = 0.002F}, c},
                              {AngularRay{.axis = Axis::kY, .stddev_rad = 0.003F}, c},
                              MatchingWindow{.radius_px = 4, .share = 0.12F}};
    const ChainFrames frames = turned_frames(turned_setup(slanted_wall(0.9, 0.4), small_camera(), noise), noise, 40, 7);
    ASSERT_GT(frames.returns.size(), 40'000U);
    const auto [seen, said] = mean_squares(noise, frames.returns);
    std::cout << c.across_px << ' ' << c.down_px << ": " << seen << " seen, " << said << " said\n";
    EXPECT_NEAR(seen / said, 1.0, 0.06);
  }
}

/// Whether the square about a pixel lies in the image, and all of it shows one face of one entity, without a shadow.
bool is_plain(const Frame& seen, int row, int col, int half) {
  const int rows = static_cast<int>(seen.rows()), cols = static_cast<int>(seen.cols());
  if (row < half || col < half || row + half >= rows || col + half >= cols) return false;
  const auto at = [&](int r, int c) { return static_cast<std::size_t>(r * cols + c); };
  const auto entity = seen.entity_id(), triangle = seen.triangle_id();
  for (int r = row - half; r <= row + half; ++r) {
    for (int c = col - half; c <= col + half; ++c) {
      if (seen.reason()[at(r, c)] != Reason::kHit || entity[at(r, c)] != entity[at(row, col)]) return false;
      if (triangle[at(r, c)] / 2 != triangle[at(row, col)] / 2) return false;  // a face of a box has two
    }
  }
  return true;
}

TEST(WindowAngles, ReturnsAreOfPixelsWhoseWindowsSeeOnePlane) {
  constexpr std::uint32_t kFrames = 12;
  SceneSetup setup = camera_above_a_table(find_preset("D435"), kFrames);
  const NoiseChain noise = setup.sensors.front().sensor.noise;
  const ChainReturns r = turned_frames(setup, noise, kFrames, 1, {.most_returns = 1'000'000}).returns;
  EXPECT_TRUE(r.turned.on_nominal_ray);
  EXPECT_TRUE(r.turned.met.empty());
  setup.sensors.front().sensor.noise = {StereoShadow{}, InvalidBand{}};
  Simulator simulator = make_simulator(setup);
  Frame seen({Channel::kRange, Channel::kReason, Channel::kEntityId, Channel::kTriangleId});
  // The angles reach 6 times 2.2 mrad, which are 8.9 px in the middle and 9.1 at the border, and the window 4 px. What
  // the window makes grow (noise/matching_window.hpp), by up to its radius, is taken for an edge.
  std::size_t at = 0, surely = 0, others = 0;
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    simulator.render(SensorId{0}, frame, seen);
    const RayPattern& rays = simulator.pattern(SensorId{0}, frame);
    for (std::size_t i = 0; i < seen.rays(); ++i) {
      const int row = static_cast<int>(i / seen.cols()), col = static_cast<int>(i % seen.cols());
      const bool is_taken = at < r.size() && r.frame[at] == frame && r.turned.direction_y[at] == rays.direction_y[i] &&
                            r.turned.direction_z[at] == rays.direction_z[i];
      at += is_taken ? 1 : 0;
      if (is_taken) {
        ASSERT_TRUE(is_plain(seen, row, col, 12)) << frame << ' ' << row << ' ' << col;
      } else {
        ++others;
        ASSERT_FALSE(is_plain(seen, row, col, 19)) << frame << ' ' << row << ' ' << col;
      }
      surely += is_plain(seen, row, col, 19) ? 1 : 0;
    }
  }
  EXPECT_EQ(at, r.size());
  EXPECT_GT(surely, 10'000U);
  EXPECT_GT(others, 10'000U);
}

TEST(WindowAngles, IntervalsHoldTheTruth) {
  const std::size_t seeds = repetitions(4);
  ChainStudy study = window_study(find_preset("D435"), 6'000);
  study.free = parameters_of(study.truth, {"angular_ray.stddev_rad", "disparity.stddev_px"});
  const auto n = static_cast<double>(seeds);
  for (const ParameterCoverage& c : measure_coverage(study, seeds)) {
    std::cout << c.name << ": " << c.held << " of " << c.off.size() << ", spread " << c.spread_over_stated() << '\n';
    ASSERT_EQ(c.off.size(), seeds) << c.name;
    EXPECT_GE(c.share_held(), 0.95 - 3.0 * std::sqrt(0.95 * 0.05 / n)) << c.name;
    EXPECT_NEAR(std::pow(c.spread_over_stated(), 2), 1.0, 3.5 * std::sqrt(2.0 / n) + 0.1) << c.name;
  }
}

TEST(WindowAngles, ComeBackForTheOtherCameras) {
  for (const char* name : {"D455", "D405"}) {
    ChainStudy study = window_study(find_preset(name), 6'000);
    study.free = parameters_of(study.truth, {"angular_ray.*", "disparity.stddev_px"});
    const NoiseChain start = with_wrong_values(study.truth, study.free, 0.8);
    const ChainFit fit = fit_chain(start, study.free, study.returns(1), study.options);
    EXPECT_GE(fit.log_likelihood, fit.start_log_likelihood);
    EXPECT_EQ(fit.at_edges, 0U);
    for (std::size_t k = 0; k < study.free.size(); ++k) {
      const LearnedParameter& p = fit.parameters[k];
      EXPECT_LT(std::abs(p.value - value_of(study.truth, study.free[k])), 3.5 * p.std_error) << name << ' ' << p.name;
    }
  }
}

/// Posts and a wall straight ahead: no plane tells the angles, and edges are not asked.
TEST(WindowAngles, WhereNothingIsObliqueTheDeviationIsFlagged) {
  Scene scene = make_wall();
  for (int k = 0; k < 2; ++k) {
    const Pose at = {{1.5, -0.1 + 0.25 * k, 0}, {}};
    scene.add_entity(
        {.name = "post" + std::to_string(k), .mesh = MeshId{0}, .parent_from_entity = at, .scale = {0.1, 0.1, 0.5}});
  }
  const NoiseChain truth = find_preset("D435").noise;
  const SceneSetup setup = turned_setup(std::move(scene), small_camera(), truth);
  const std::vector<ChainParameter> free = parameters_of(truth, {"angular_ray.stddev_rad", "disparity.stddev_px"});
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const ChainFrames frames = turned_frames(setup, truth, 20, seed, {.most_returns = 4'000});
    const ChainFit fit = fit_chain(truth, free, frames.returns, {.hold_out = 0});
    for (std::size_t k = 0; k < 2; ++k) {
      const LearnedParameter& angle = fit.parameters[k];
      EXPECT_TRUE(angle.is_unidentified || angle.is_at_limit) << angle.value << " +- " << angle.std_error;
      EXPECT_TRUE(std::any_of(fit.flags.begin(), fit.flags.end(),
                              [&](const std::string& flag) { return flag.find(angle.name) == 0; }));
    }
    const LearnedParameter& disparity = fit.parameters[2];
    EXPECT_LT(std::abs(disparity.value - 0.068), 3.5 * disparity.std_error) << disparity.value;
  }
}

/// Where there is no angle, about half of the fits end at 0, and say what this means for the others.
TEST(WindowAngles, ADeviationAtItsLimitIsFlaggedForTheOthers) {
  SceneSetup setup = camera_above_a_table(find_preset("D435"), 12);
  const NoiseChain start = setup.sensors.front().sensor.noise;
  NoiseChain& truth = setup.sensors.front().sensor.noise;
  truth[0].noise = truth[0].noise.with("stddev_rad", 0.0);
  const std::vector<ChainParameter> free = parameters_of(start, {"0.stddev_rad", "disparity.stddev_px"});
  std::size_t at_limit = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const ChainFrames frames = turned_frames(setup, start, 12, seed, {.most_returns = 5'000});
    const ChainFit fit = fit_chain(start, free, frames.returns, {.hold_out = 0});
    const LearnedParameter& angle = fit.parameters[0];
    // It is the variance, s^2 with the error 2 s times that of s, which is about normal here.
    const double variance_error = 2 * angle.value * angle.std_error;
    EXPECT_TRUE(angle.is_at_limit || angle.value * angle.value < 3 * variance_error) << angle.value;
    const auto flags = std::count_if(fit.flags.begin(), fit.flags.end(), [&](const std::string& flag) {
      return flag.find(angle.name + " ended at its limit: ") == 0;
    });
    EXPECT_EQ(flags, angle.is_at_limit ? 1 : 0);
    at_limit += angle.is_at_limit ? 1 : 0;
  }
  EXPECT_GE(at_limit, 1U);
}

TEST(WindowAngles, ThreadsChangeNoBit) {
  const SceneSetup setup = camera_above_a_table(find_preset("D435"), 12);
  const NoiseChain& truth = setup.sensors.front().sensor.noise;
  const std::vector<ChainParameter> free = parameters_of(truth, {"angular_ray.stddev_rad", "disparity.stddev_px"});
  const NoiseChain start = with_wrong_values(truth, free, 0.8);
  std::vector<ChainFit> fits;
  for (const int threads : {1, 3}) {
    ChainFramesOptions options;
    options.most_returns = 6'000, options.run.compute.threads = threads;
    fits.push_back(fit_chain(start, free, turned_frames(setup, start, 12, 5, options).returns, {.threads = threads}));
  }
  EXPECT_EQ(fits[0].log_likelihood, fits[1].log_likelihood);
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_EQ(fits[0].parameters[k].value, fits[1].parameters[k].value);
    EXPECT_EQ(fits[0].parameters[k].std_error, fits[1].parameters[k].std_error);
  }
}

TEST(WindowAngles, AnImageTooSmallForAnyWindowIsRefused) {
  const NoiseChain noise = find_preset("D435").noise;
  StereoCamera camera = small_camera();
  camera.width = 16, camera.height = 16;
  const ChainFrames frames = turned_frames(turned_setup(slanted_wall(0.5, 0), camera, noise), noise, 4, 1);
  EXPECT_EQ(frames.returns.size(), 0U);
  const std::string refused = message_of<InputError>(
      [&] { (void)fit_chain(noise, parameters_of(noise, {"disparity.stddev_px"}), frames.returns); });
  EXPECT_NE(refused.find("0 returns to learn from"), std::string::npos) << refused;
  EXPECT_NE(refused.find("windows see one plane"), std::string::npos) << refused;
}

}  // namespace
}  // namespace fathom::test::window_angles_test
