// SPDX-License-Identifier: MIT
#pragma once
// Chains that are simulated and learned again: every model that returns tell, alone, and some together.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <fathom/noise/models.hpp>
#include <fathom/sensor/presets.hpp>

namespace fathom::test {

/// A chain whose parameters are to be found again.
struct LearnedCase {
  std::string name;
  NoiseChain chain;
  std::vector<std::string> free = {"*"};
  double wrong = 0.6;                          ///< share of the true values from which learning begins
  std::uint32_t frames = 24, per_frame = 512;  ///< of returns
};

inline void PrintTo(const LearnedCase& c, std::ostream* out) { *out << c.name; }

inline StereoEnergy energy_law(EnergyNormalization law) {
  return {.min_energy = 0.1F, .pow = 3.0F, .normalization = law};
}

/// With which probability right intervals fail are_enough_held(), at most.
inline constexpr double kLeastChance = 0.001;
/// Whether at most `held` of n right and independent 95 % intervals hold the truth with a probability of at least
/// kLeastChance.
inline bool are_enough_held(std::size_t held, std::size_t n) {
  double term = std::pow(0.05, static_cast<double>(n)), at_most = term;  // of 0 held, and of at most k
  for (std::size_t k = 0; k < held; ++k) {
    term *= 19.0 * static_cast<double>(n - k) / static_cast<double>(k + 1);
    at_most += term;
  }
  return at_most >= kLeastChance;
}

/// Each model alone, beside a random error where it needs one.
inline std::vector<LearnedCase> models_alone() {
  constexpr auto kDocument = EnergyNormalization::kDocument, kThreshold = EnergyNormalization::kThreshold;
  // The band at the left edge is lost in either chain: it has no number.
  const InvalidBand band = {.left_band = false, .max_disparity_px = 60.0F};
  const EdgeLoss edges = {
      .min_angle_rad = 0.8F, .max_angle_rad = 2.2F, .low_probability = 0.1F, .high_probability = 0.7F};
  return {
      {"distance", {DistanceNoise{0.03F, 0.02F, 0.004F}}},
      {"uniform", {UniformNoise{-0.1F, 0.15F}}},
      {"gain_bias", {GainBias{0.01F, 0.02F}, DistanceNoise{0.0F, 0.02F, 0.0F}}, {"gain_bias.*"}},
      {"disparity", {Disparity{0.1F, 0.08F, 0.0F}}, {"*.bias_px", "*.stddev_px"}},
      {"quantised", {Disparity{0.1F, 0.08F, 16.0F}}},
      {"coarse", {Disparity{0.1F, 0.08F, 4.0F}}},
      {"angular_hit", {AngularHit{Axis::kZ, 0.002F, 0.01F}}},
      {"turned_points", {AngularHit{Axis::kZ, 0.002F, 0.01F}, AngularHit{Axis::kY, -0.004F, 0.02F}, Dropout{0.04F}}},
      {"student", {StudentNoise{0.02F, 0.003F, 2.5F}}},
      {"beam_mixture", {BeamMixture{0.6F, 0.2F, 0.08F, 0.12F, 0.05F, 0.6F, 0.03F}}},
      {"dropout", {Dropout{0.04F}}},
      {"loss_angle", {LossAngle{1.2F}}},
      {"energy_by_document", {energy_law(kDocument)}},
      {"energy_by_threshold", {energy_law(kThreshold)}},
      {"invalid_band", {band}},
      {"edge_loss", {edges}},
      {"texture", {TextureLoss{0.0F, 0.9F, 8.0F, 0.0F, 10.0F, 0.08F, 0.02F}}, {"*.midpoint", "*.width"}},
  };
}

/// Several models together; chain_study.hpp has the cases of presets.
inline std::vector<LearnedCase> models_together() {
  const NoiseChain structured = find_preset("real_structured_light").noise;
  const NoiseChain lidar = find_preset("VLP-16").noise;
  return {
      {"rounded_errors",
       {DistanceNoise{-0.02F, 0.03F, 0.0F}, UniformNoise{-0.1F, 0.15F}, Dropout{0.04F}},
       {"*.stddev_m", "uniform.*", "dropout.*"}},
      {"noisy_readings",
       {LossAngle{1.2F}, DistanceNoise{0.0F, 0.0F, 0.01F}, BeamMixture{0.6F, 0.2F, 0.0F, 0.2F, 0.03F, 0.6F, 0.03F},
        Dropout{0.05F}},
       {"loss_angle.*", "*.stddev_per_m", "*.w_short", "*.w_rand", "*_hit_m", "*.lambda_*", "*.hit_*", "dropout.*"}},
      {"heavy", {GainBias{0.01F, 0.02F}, StudentNoise{0.02F, 0.003F, 2.5F}}},
      {"scattered_limit",
       {LossAngle{1.2F}, DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.05F}},
       {"loss_angle.*", "*.stddev_m", "dropout.*"}},
      {"stereo",
       {energy_law(EnergyNormalization::kThreshold), Disparity{0.1F, 0.08F, 16.0F}, Dropout{0.02F}},
       {"stereo_energy.*", "*_px", "dropout.*"}},
      {"real_structured_light", structured, {"*"}, 0.6, 48},  // it loses three in a thousand by chance
      {"Kinect-v1", {Disparity{.stddev_px = 0.0625F, .steps_per_px = 8}}, {"*.stddev_px", "*.steps_per_px"}},
      {"VLP-16", lidar, {"distance.stddev_m"}},
  };
}

}  // namespace fathom::test
