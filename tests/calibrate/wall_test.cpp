// SPDX-License-Identifier: MIT
// The noise of a sensor is found again from frames of walls that it made.

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/wall.hpp>
#include <fathom/calibrate/wall_frames.hpp>

#include "calibrate/walls.hpp"
#include "support/sanitized.hpp"

namespace fathom::test {
namespace {

const LearnedParameter& parameter(const WallFit& fit, const std::string& name) {
  for (const LearnedParameter& p : fit.chain.parameters) {
    if (p.name == name) return p;
  }
  throw InputError("no parameter " + name);
}

void show(const WallFit& fit) {
  for (const LearnedParameter& p : fit.chain.parameters) {
    std::cout << p.name << " = " << p.value << " +- " << p.std_error << '\n';
  }
  const WallCorrelation& c = fit.correlation;
  std::cout << "correlation " << c.across_px.value << " +- " << c.across_px.std_error << ", " << c.down_px.value
            << " +- " << c.down_px.std_error << " shape " << static_cast<int>(c.shape) << " misfit " << c.misfit << " / "
            << c.other_misfit << ", S " << c.sum << ", shared " << c.shared << ", time " << c.time_s.value << '\n';
  for (const WallLossLaw& law : fit.loss_laws) {
    std::cout << law.name << ' ' << law.nats << " gain " << law.gain << " +- " << law.gain_error
              << (law.is_chosen ? " chosen" : "") << '\n';
  }
  for (const std::string& flag : fit.flags) std::cout << "note: " << flag << '\n';
}

TEST(Wall, OfAStereoCameraGivesTheChainThatMadeIt) {
  const NoiseChain chain = {
      StereoEnergy{.min_energy = 0.15F, .pow = 6.0F, .normalization = EnergyNormalization::kThreshold},
      ChainEntry(Disparity{.stddev_px = 0.08F, .steps_per_px = 32.0F}, Correlation{2.0F, 1.5F}), Dropout{0.02F}};
  const WallFrames frames = simulate_wall(stereo_sensor(), walls(40, 0.5, 3.0, 60.0, 20.0), chain, {.seed = 5});
  const WallFit fit = fit_wall(frames);
  show(fit);
  EXPECT_NEAR(parameter(fit, "disparity.stddev_px").value, 0.08, 3 * parameter(fit, "disparity.stddev_px").std_error);
}

TEST(Wall, OfADepthCameraGivesTheChainThatMadeIt) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.002F, 0.003F}, Dropout{0.05F}};
  const WallFrames frames = simulate_wall(depth_sensor(), walls(40, 0.5, 4.0, 50.0, 20.0), chain, {.seed = 5});
  show(fit_wall(frames));
}

TEST(Wall, OfALaserGivesTheChainThatMadeIt) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.01F, 0.002F}, LossAngle{1.2F}, Dropout{0.05F}};
  const WallFrames frames = simulate_wall(laser_sensor(), walls(60, 0.5, 6.0, 20.0), chain, {.seed = 5});
  show(fit_wall(frames, {.border = BorderLosses::kOfWall}));
}

/// How estimates of one parameter lie about the truth.
struct Coverage {
  double truth;
  double held = 0.0, sum = 0.0, square = 0.0, count = 0.0;

  void add(double value, double error) {
    ASSERT_GT(error, 0.0);
    const double off = (value - truth) / error;
    held += std::abs(off) < 2.0 ? 1.0 : 0.0, sum += off, square += off * off, count += 1.0;
  }
  void show(const std::string& name) const {
    std::cout << name << ": within two errors " << held << " of " << count << ", mean " << sum / count << ", mean square "
              << square / count << '\n';
  }
};

TEST(WallCoverage, OfAStereoCamera) {
  const NoiseChain chain = {
      StereoEnergy{.min_energy = 0.15F, .pow = 6.0F, .normalization = EnergyNormalization::kThreshold},
      ChainEntry(Disparity{.stddev_px = 0.08F, .steps_per_px = 32.0F}, Correlation{1.5F, 1.2F}), Dropout{0.02F}};
  const std::vector<std::string> names = {"stereo_energy.min_energy", "stereo_energy.pow", "disparity.stddev_px",
                                          "dropout.probability"};
  std::vector<Coverage> of = {{0.15F}, {6.0}, {0.08F}, {0.02F}};
  Coverage across{1.5}, down{1.2F};
  for (std::uint64_t seed = 1; seed <= repetitions(50); ++seed) {
    const WallFrames frames = simulate_wall(stereo_sensor(64, 48), walls(30, 0.5, 3.0, 60.0, 20.0), chain, {.seed = seed});
    const WallFit fit = fit_wall(frames, {.seed = seed, .most_returns = 30'000});
    for (std::size_t k = 0; k < names.size(); ++k) {
      of[k].add(parameter(fit, names[k]).value, parameter(fit, names[k]).std_error);
    }
    across.add(fit.correlation.across_px.value, fit.correlation.across_px.std_error);
    down.add(fit.correlation.down_px.value, fit.correlation.down_px.std_error);
  }
  for (std::size_t k = 0; k < names.size(); ++k) of[k].show(names[k]);
  across.show("across"), down.show("down");
}

}  // namespace
}  // namespace fathom::test
