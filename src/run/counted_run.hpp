// SPDX-License-Identifier: MIT
#pragma once
// Renders the frames of a prepared run, counts the ends of their rays, and notices obvious mistakes.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/frame/digest.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

#include "run/prepare_run.hpp"
#include "run/summary.hpp"

namespace fathom {

/// Notices a sensor that sees only its carrier: mounted inside a body, nearer to it than it can measure.
class SelfOcclusionCheck {
 public:
  SelfOcclusionCheck(const Scene& scene, const Sensor& sensor);

  /// Whether a frame with these reasons may show only the carrier: then count() needs it, with channels().
  [[nodiscard]] bool suspects(const ReasonCounts& reasons) const;
  [[nodiscard]] ChannelSet channels() const;
  /// `min_range_m`: one for all rays, or one for each. Ignores returns that are below it only because of noise.
  void count(const Frame& frame, std::span<const float> min_range_m);

  /// "all 28928 rays of 'lidar' end at 'body', which carries it, nearer than its least range", after this many frames.
  [[nodiscard]] std::optional<std::string> warning(std::uint32_t frames) const;

 private:
  const Scene& scene_;
  std::string sensor_;
  double min_depth_m_ = 0.0;                        // below which the noise loses every return; 0: no such depth
  std::vector<bool> carries_;                       // [entities]: the parent, its ancestors, and parts of these
  std::uint64_t rays_ = 0;                          // of frames_
  std::uint32_t frames_ = 0;                        // that show only the carrier
  std::map<std::uint32_t, std::uint64_t> rays_at_;  // [entity_id of a whole]
};

/// Notices points in the world that are too far from its origin for single precision.
class FarPoints {
 public:
  FarPoints(std::string sensor, std::span<const Output> outputs);

  /// A place of the sensor in the world.
  void add(const Vec3& at_m);
  /// "points of 'cam' in the world (pcd) have ...", if their error is a millimetre or more.
  [[nodiscard]] std::optional<std::string> warning() const;

 private:
  std::string sensor_, outputs_;
  double farthest_m_ = 0.0;  // largest coordinate
};

class CountedRun {
 public:
  /// `run` is prepared for `setup`; both outlive the object. `digests`: make digests of the sensors.
  CountedRun(const SceneSetup& setup, PreparedRun& run, bool digests);

  /// Starts the counts of the run's episode.
  void begin();
  /// Renders a frame of a sensor; the next frame of the sensor replaces it. A dropped frame is masked. Throws as
  /// Simulator::render().
  const Frame& render(std::size_t sensor, std::uint32_t index);
  /// Adds warnings and digests to the counts, but no notes of the scene.
  RunCounts& end();

  [[nodiscard]] RunCounts& counts() { return counts_; }

 private:
  /// A sensor at work. It reuses its frame, so that a steady run allocates nothing per frame.
  struct CountedSensor {
    Frame frame;
    SelfOcclusionCheck self_occlusion;
    FarPoints far_points;
    std::uint32_t delivered = 0;
    FrameDigest digest = {};
  };

  [[nodiscard]] SensorCounts begun_counts(const RunSensor& sensor) const;
  void mask(const FrameTime& time, const RunSensor& sensor, Frame& frame) const;
  ReasonCounts count(const Frame& frame, double seconds, SensorCounts& counts);
  void check_self_occlusion(const RunSensor& sensor, std::uint32_t index, const ReasonCounts& reasons,
                            CountedSensor& counted);

  const SceneSetup& setup_;
  PreparedRun& run_;
  bool digests_;
  std::vector<CountedSensor> sensors_;  // in the order of the scene file
  RunCounts counts_;
};

}  // namespace fathom
