// SPDX-License-Identifier: MIT
#pragma once
// Renders the frames of a prepared run, and counts the ends of their rays.

#include <cstdint>
#include <vector>

#include <fathom/frame/digest.hpp>
#include <fathom/frame/frame.hpp>

#include "simulate/carrier_watch.hpp"
#include "simulate/far_points.hpp"
#include "simulate/prepare_run.hpp"
#include "simulate/summary.hpp"

namespace fathom {

class CountedRun {
 public:
  /// `run` is prepared for `setup`; both outlive the object. `digests`: make digests of the sensors.
  CountedRun(const SceneSetup& setup, PreparedRun& run, bool digests);

  /// Starts the counts of the run's episode.
  void begin();
  /// Renders a frame of a sensor; the next frame of the sensor replaces it. A dropped frame is masked. Throws as
  /// Simulator::render().
  const Frame& render(std::size_t sensor, std::uint32_t index);
  /// Adds warnings and digests to the counts; notes of the scene are not among them.
  RunCounts& end();

  [[nodiscard]] RunCounts& counts() { return counts_; }

 private:
  /// A sensor at work: its frame is reused, so that a steady run allocates nothing per frame.
  struct CountedSensor {
    Frame frame;
    CarrierWatch carrier;
    FarPoints far_points;
    std::uint32_t delivered = 0;
    FrameDigest digest = {};
  };

  [[nodiscard]] SensorCounts begun_counts(const RunSensor& sensor) const;
  void mask(const FrameTime& time, const RunSensor& sensor, Frame& frame) const;
  ReasonCounts count(const Frame& frame, double seconds, SensorCounts& counts);
  void watch_carrier(const RunSensor& sensor, std::uint32_t index, const ReasonCounts& reasons, CountedSensor& counted);

  const SceneSetup& setup_;
  PreparedRun& run_;
  bool digests_;
  std::vector<CountedSensor> sensors_;  // in the order of the scene file
  RunCounts counts_;
};

}  // namespace fathom
