// SPDX-License-Identifier: MIT
#pragma once
// Frames of a wall with their planes: what measuring and learning share.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/wall_plane.hpp"

namespace fathom {

inline constexpr double kLeastShown = 0.05;     ///< share of the frames that have to show a wall
inline constexpr std::size_t kWallGroups = 64;  ///< of frames, left out one after the other for errors

/// Sums of products of errors, each divided by its deviation, at every lag; entry 0 is the variance.
template <std::size_t Count>
struct WallLagSums {
  std::array<double, Count> products{}, pairs{};

  void add(const WallLagSums& other) {
    for (std::size_t k = 0; k < Count; ++k) products[k] += other.products[k], pairs[k] += other.pairs[k];
  }
};

/// Of the pairs that start in one frame.
struct WallFrameSums {
  WallLagSums<WallMeasure::kLags + 1> across, down;
  WallLagSums<WallMeasure::kLagsInTime + 1> in_time;

  void add(const WallFrameSums& other) { across.add(other.across), down.add(other.down), in_time.add(other.in_time); }
};

/// An error that the readings of a ring have in common: bias + gain times range, m.
struct WallRingError {
  double bias_m = 0.0, gain = 0.0;

  [[nodiscard]] bool is_none() const { return bias_m == 0.0 && gain == 0.0; }
  [[nodiscard]] double at(double range_m) const { return bias_m + gain * range_m; }
  /// The range of which a reading is that errs so.
  [[nodiscard]] double taken_from(double reading_m) const { return (reading_m - bias_m) / (1.0 + gain); }
};

struct WallWork {
  WallRays rays;                           ///< of all frames, unless there are turns
  std::shared_ptr<const WallTurns> turns;  ///< null: there are none
  WallScale scale;
  std::vector<std::optional<WallPlaneFit>> fits;  ///< [frames]
  std::vector<WallFrameSums> sums;                ///< [frames]
  std::vector<WallRingError> rings = {};          ///< of a lidar, by ring_errors()
  WallMeasure measure;

  /// What ray i of the sensor errs by because of its ring, m.
  [[nodiscard]] double of_ring(const WallSensor& sensor, std::size_t i, double range_m) const {
    return rings.empty() ? 0.0 : rings[sensor.lidar->ring[i]].at(range_m);
  }
  [[nodiscard]] FrameRays rays_of(std::size_t frame) const { return {rays, turns.get(), frame}; }
  [[nodiscard]] std::string name_of(const WallFrames& frames, std::size_t frame) const;
};

WallWork measure_frames(const WallFrames& frames, const WallOptions& options, const WallMeasure* like);

}  // namespace fathom
