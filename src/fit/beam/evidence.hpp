// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/fit/fit.hpp>
#include <fathom/noise/beam_density.hpp>

#include "core/compute.hpp"

namespace fathom {

/// Kolmogorov-Smirnov distance of a sample from the uniform distribution on [0, 1]. Sorts `u` in place. 0 when empty.
double ks_distance_uniform(std::span<double> u);

/// Readings in [0, Z). Arrays [readings].
struct RangeReadings {
  std::vector<float> z_m, expected_m;  ///< z* at most Z; without the offset
  std::vector<std::uint32_t> cluster;  ///< scan, counted from 0 without gaps
  [[nodiscard]] std::size_t size() const { return z_m.size(); }
  void reserve(std::size_t readings) { z_m.reserve(readings), expected_m.reserve(readings), cluster.reserve(readings); }
  void add(float z, float expected, std::uint32_t scan) {
    z_m.push_back(z), expected_m.push_back(expected), cluster.push_back(scan);
  }

  /// Reorders stretches of this many readings, so that those behind z* + offset_m come first: no short can explain
  /// them, and loops over a stretch tell the two kinds apart once.
  void put_behind_first(std::size_t stretch, double offset_m, Executor& executor);
};

/// Pairs sorted by what they can tell: readings with a range, and counts of readings without one.
struct Evidence {
  RangeReadings missed, seen;  ///< where the map says nothing (z* = Z), and where it expects a surface

  /// "Max" readings, per cluster: where a surface was expected, and where none was.
  std::vector<double> max_expected, max_missed;
  std::vector<float> max_expected_m;  ///< z* of each, Z where none was expected
  double max_expected_total = 0, max_missed_total = 0;

  std::array<std::size_t, 3> kinds = {};  ///< pairs by ReadingKind
  [[nodiscard]] std::size_t ranges() const { return missed.size() + seen.size(); }
  [[nodiscard]] std::size_t clusters() const { return max_expected.size(); }
  [[nodiscard]] std::size_t pairs() const { return kinds[0] + kinds[1]; }

  /// Adds pairs of further scans. Throws InputError when sizes disagree, an expected range is negative or NaN, or scans
  /// decrease.
  void add(const BeamData& data, const BeamSensor& sensor);
};

}  // namespace fathom
