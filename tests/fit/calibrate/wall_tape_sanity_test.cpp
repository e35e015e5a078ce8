// SPDX-License-Identifier: MIT
// Distances by tape and depths that contradict the readings are refused with a message, or flagged and kept out of the
// chain. Plausible errors of a real sensor are neither refused nor flagged.

#include <fmt/format.h>

#include <fathom/fit/chain.hpp>

#include "fit/calibrate/walls.hpp"
#include "support/expect.hpp"

namespace fathom::test::wall_tape_sanity_test {
namespace {

constexpr WallOptions kFew = {.most_returns = 2000};

/// Two frames at each place, turned to either side.
struct Places {
  std::vector<WallMeasure::Plane> planes;
  std::vector<double> tape_m;  ///< given distance of each frame

  Places(const std::vector<double>& truth_m, const std::vector<double>& tape_of_place_m) {
    for (std::size_t k = 0; k < truth_m.size(); ++k) {
      for (const double yaw_deg : {-12.0, 15.0}) {
        planes.push_back(wall_at(truth_m[k], yaw_deg)), tape_m.push_back(tape_of_place_m[k]);
      }
    }
  }
  [[nodiscard]] WallFrames frames(const WallSensor& sensor, const NoiseChain& chain) const {
    WallFrames frames = simulate_wall(sensor, planes, chain, {.seed = 4});
    frames.tape_m = tape_m;
    return frames;
  }
};

const std::vector<double> kTruth = {0.8, 1.1, 1.5, 2.0};

NoiseChain usual_noise(const WallSensor& sensor) {
  if (sensor.camera && sensor.camera->baseline_m > 0.0) return {Disparity{.stddev_px = 0.05F}};
  return {DistanceNoise{.stddev_m = 0.003F}};
}

std::vector<WallSensor> all_sensors() { return {stereo_sensor(64, 48), depth_sensor(64, 48), laser_sensor(121, 60)}; }

std::string refusal(const WallFrames& frames) {
  return input_error([&] { static_cast<void>(fit_wall(frames, kFew)); });
}

bool says(const WallFit& fit, const std::string& part) {
  for (const std::string& flag : texts_of(fit.chain.findings)) {
    if (flag.find(part) != std::string::npos) return true;
  }
  return false;
}

std::vector<double> times(double factor, std::vector<double> values) {
  for (double& value : values) value *= factor;
  return values;
}

TEST(WallTapeSanity, AnotherUnitIsNamed) {
  struct Case {
    double factor;
    std::string expected;
  };
  for (const WallSensor& sensor : all_sensors()) {
    for (const Case& c : {Case{100.0, "are the distances in cm, not in m?"},
                          {1000.0, "are the distances in mm, not in m?"},
                          {3.2808, "are the distances in feet, not in m?"},
                          {39.37, "are the distances in inches, not in m?"},
                          {0.01, "are the readings in cm, not in m?"},
                          {2.0, "are their units the same?"}}) {
      const std::string said = refusal(Places(kTruth, times(c.factor, kTruth)).frames(sensor, usual_noise(sensor)));
      EXPECT_EQ(said.rfind("tape_m: frame ", 0), 0U) << said;
      EXPECT_TRUE(contains(said, ", as all others are: " + c.expected));
      EXPECT_TRUE(contains(said, c.factor > 1.0 ? " times as far by tape" : " times as far by its readings"));
    }
  }
  WallFrames frames = Places(kTruth, times(100.0, kTruth)).frames(depth_sensor(64, 48), {});
  frames.names = {"a", "b", "c", "d", "e", "f", "g", "h"};
  EXPECT_TRUE(contains(refusal(frames), " is 80 m by tape and 0.8 m by its readings, 100 times as far by tape"));
}

TEST(WallTapeSanity, LevelsOfImagesMayBeWrong) {
  WallFrames frames = Places(kTruth, kTruth).frames(stereo_sensor(64, 48), {Disparity{.stddev_px = 0.05F}});
  for (const auto& [levels_per_m, read_as] : {std::pair{1000.0, 100.0}, {1000.0, 2000.0}, {5000.0, 1000.0}}) {
    WallFrames wrong = frames;
    wrong.half_step_m = 0.5 / read_as;
    for (float& value : wrong.measured_m)
      value = static_cast<float>(std::round(double{value} * levels_per_m) / read_as);
    const std::string said = refusal(wrong);
    EXPECT_TRUE(contains(said, fmt::format("levels_per_m = {:g} may be wrong, and ", read_as)));
    const std::size_t at = said.find(" may be wrong, and ") + 19;
    EXPECT_NEAR(std::stod(said.substr(at)), levels_per_m, 0.01 * levels_per_m) << said;
  }
}

TEST(WallTapeSanity, OneDistanceTypedWronglyIsNamed) {
  for (const WallSensor& sensor : all_sensors()) {
    const std::string ten = refusal(Places(kTruth, {0.8, 11.0, 1.5, 2.0}).frames(sensor, usual_noise(sensor)));
    EXPECT_TRUE(ten.rfind("tape_m: frame 2 is 11 m by tape and 1.1", 0) == 0 ||
                ten.rfind("tape_m: frame 3 is 11 m by tape and 1.1", 0) == 0)
        << ten;
    EXPECT_TRUE(contains(ten, "unlike others: is the distance typed right, with its decimal point?"));
    const std::string two = refusal(Places(kTruth, {0.8, 11.0, 1.5, 20.0}).frames(sensor, usual_noise(sensor)));
    EXPECT_TRUE(contains(two, "and 2 of 4 places are as far off"));
  }
}

/// Contradictory distances leave the chain equal to one without a tape, to the last digit.
TEST(WallTapeSanity, WhatContradictsTheReadingsIsNotInTheChain) {
  struct Case {
    std::vector<double> tape_m;
    std::string expected;
  };
  for (const WallSensor& sensor : all_sensors()) {
    WallFrames none = Places(kTruth, kTruth).frames(sensor, usual_noise(sensor));
    none.tape_m.clear();
    const std::string without = chain_yaml(fit_wall(none, kFew).chain.chain);
    for (const Case& c : {Case{{1.1, 0.8, 1.5, 2.0}, "distances by tape lie on no line of "},
                          {{0.8, 1.4, 1.5, 2.0}, "1.4 m by tape, is "},
                          {{0.8, 0.8, 0.8, 0.8}, "are both 0.8 m by tape"},
                          {{0.8, 1.1, 1.1, 1.1}, "are both 1.1 m by tape"}}) {
      const WallFit fit = fit_wall(Places(kTruth, c.tape_m).frames(sensor, usual_noise(sensor)), kFew);
      ASSERT_TRUE(fit.tape);
      EXPECT_TRUE(fit.tape->is_contradicted);
      EXPECT_TRUE(says(fit, c.expected)) << c.expected;
      EXPECT_TRUE(says(fit, "the chain has neither gain nor bias of them"));
      EXPECT_EQ(chain_yaml(fit.chain.chain), without);
    }
  }
}

TEST(WallTapeSanity, FramesOfOneDistanceThatLieApartAreNamed) {
  const WallFit fit = fit_wall(
      Places(kTruth, {0.8, 0.8, 1.5, 1.5}).frames(depth_sensor(64, 48), {DistanceNoise{.stddev_m = 0.003F}}), kFew);
  EXPECT_TRUE(says(fit, "frames of one distance by tape lie 0.3 m apart by their readings"))
      << fit.chain.findings.size();
  EXPECT_TRUE(says(fit, "(so it is at 1 more place); give each place its own distance"));
  // A hand does not hold still to a centimetre.
  std::vector<WallMeasure::Plane> planes;
  std::vector<double> tape_m;
  for (std::size_t k = 0; k < 12; ++k) {
    const double place_m = kTruth[k / 3];
    planes.push_back(wall_at(place_m + 0.01 * (static_cast<double>(k % 3) - 1.0), 10.0)), tape_m.push_back(place_m);
  }
  WallFrames held = simulate_wall(depth_sensor(64, 48), planes, {DistanceNoise{.stddev_m = 0.003F}}, {.seed = 4});
  held.tape_m = tape_m;
  const WallFit steady = fit_wall(held, kFew);
  EXPECT_FALSE(steady.tape->is_contradicted);
  EXPECT_FALSE(says(steady, "distance by tape lie") || says(steady, "distances by tape"));
}

/// Two places are always on a line, but not on one of a sensor.
TEST(WallTapeSanity, AGainBeyondThatOfASensorIsNotInTheChain) {
  for (const WallSensor& sensor : {depth_sensor(64, 48), laser_sensor(121, 60)}) {
    const WallFit fit = fit_wall(Places({1.0, 1.3}, {1.3, 1.0}).frames(sensor, usual_noise(sensor)), kFew);
    EXPECT_TRUE(fit.tape->is_contradicted);
    EXPECT_NEAR(fit.tape->gain.value, -2.0, 0.1);
    EXPECT_TRUE(says(fit, "distances by tape tell a gain of -2")) << fit.tape->gain.value;
    for (const ChainEntry& entry : fit.chain.chain) EXPECT_NE(entry.noise.slug(), "gain_bias");
  }
}

/// Gains of a few tens of percent and biases of a fifth of the distance are learned as they were.
TEST(WallTapeSanity, WhatASensorErrsByIsLearned) {
  for (const WallSensor& sensor : {depth_sensor(64, 48), laser_sensor(121, 60)}) {
    for (const float gain : {-0.25F, 0.0F, 0.25F}) {
      for (const float bias_m : {-0.15F, 0.15F}) {
        if (gain == 0.0F && (sensor.camera || bias_m < 0.0F)) continue;  // one case without a gain is enough
        const NoiseChain chain = {DistanceNoise{.stddev_m = 0.003F}, GainBias{gain, bias_m}};
        const WallFit fit = fit_wall(Places(kTruth, {0.805, 1.095, 1.495, 2.005}).frames(sensor, chain), kFew);
        ASSERT_TRUE(fit.tape);
        EXPECT_FALSE(fit.tape->is_contradicted) << gain << ' ' << bias_m;
        EXPECT_FALSE(says(fit, "distances by tape") || says(fit, "distance by tape lie")) << gain << ' ' << bias_m;
        EXPECT_NEAR(fit.tape->gain.value, double{gain}, 0.03);
        EXPECT_NEAR(fit.tape->bias_m.value, double{bias_m}, 0.04);
        EXPECT_EQ(fit.chain.chain.back().noise.slug(), "gain_bias");
      }
    }
  }
  for (const float bias_px : {-0.6F, 0.6F}) {
    const NoiseChain chain = {Disparity{.bias_px = bias_px, .stddev_px = 0.05F}};
    const WallFit fit = fit_wall(Places(kTruth, kTruth).frames(stereo_sensor(64, 48), chain), kFew);
    EXPECT_TRUE(fit.tape->is_disparity && !fit.tape->is_contradicted && !says(fit, "distances by tape"));
    EXPECT_NEAR(fit.tape->bias_px.value, double{bias_px}, 0.02);
  }
}

TEST(WallTapeSanity, PlacesOffTheLineAreNamedAndKept) {
  // 6 cm at 1.5 m: more than the error of a tape, less than a contradiction.
  const WallFit fit = fit_wall(Places({0.6, 0.8, 1.1, 1.5, 2.0, 2.6}, {0.6, 0.8, 1.1, 1.57, 2.0, 2.6})
                                   .frames(laser_sensor(121, 60), {DistanceNoise{.stddev_m = 0.002F}}),
                               kFew);
  EXPECT_FALSE(fit.tape->is_contradicted);
  EXPECT_TRUE(says(fit, "distances by tape lie on no line of gain and bias: frame 6, 1.57 m by tape, is 0.0"));
  EXPECT_FALSE(says(fit, "the chain has neither"));
}

TEST(WallDepths, BeyondTheReachOfTheCameraAreRefused) {
  for (WallSensor sensor : {stereo_sensor(64, 48), depth_sensor(64, 48)}) {
    WallFrames frames = Places(kTruth, kTruth).frames(sensor, usual_noise(sensor));
    frames.tape_m.clear();
    for (float& value : frames.measured_m) value *= 1000.0F;
    frames.half_step_m = 0.5;
    const std::string said = refusal(frames);
    EXPECT_TRUE(contains(said,
                         " m away, beyond max_range_m = 10, and 0 of 8 frames show one within it: see whether "
                         "levels_per_m = 1 is right"));
    EXPECT_EQ(said.rfind("frame ", 0), 0U) << said;
  }
}

TEST(WallDepths, OfAnotherUnitAreRefusedOrNamed) {
  const WallSensor sensor = stereo_sensor(64, 48);
  WallFrames frames = Places(kTruth, kTruth).frames(sensor, usual_noise(sensor));
  frames.tape_m.clear();
  EXPECT_FALSE(says(fit_wall(frames, kFew), "its wall is"));
  // 1900 times 0.05 px.
  for (float& value : frames.measured_m) value /= 1900.0F;
  const std::string said = refusal(frames);
  EXPECT_TRUE(
      contains(said,
               " px, where 90 px is the most: see whether the unit of the depths, focal length and baseline are "
               "right"));
  const std::size_t at = said.find("disparities deviate by ");
  ASSERT_NE(at, std::string::npos) << said;
  EXPECT_NEAR(std::stod(said.substr(at + 23)), 95.0, 2.0) << said;
  for (float& value : frames.measured_m) value *= 100.0F;
  EXPECT_TRUE(says(fit_wall(frames, kFew), "px, and the image 64 px wide: see whether the unit of the depths"));
}

}  // namespace
}  // namespace fathom::test::wall_tape_sanity_test
