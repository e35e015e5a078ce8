// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/beam/model.hpp>
#include <fathom/beam/scan.hpp>

#include "base/executor.hpp"

namespace fathom {

/// Kolmogorov-Smirnov distance of a sample from the uniform distribution on [0, 1]. Sorts `u` in place. 0 when empty.
double ks_distance_uniform(std::span<double> u);

// Pairs sorted by what they can tell: readings with a range, and counts of readings without one.

struct Evidence {
  /// Readings in [0, Z), [ranges]; first those on which the map says nothing (z* = Z), then the others.
  std::vector<float> z_m, expected_m;  ///< z* at most Z; without the offset
  std::vector<std::uint32_t> cluster;  ///< scan, counted from 0 without gaps
  std::size_t missed = 0;              ///< how many of them have z* = Z

  /// "Max" readings, per cluster: where a surface was expected, and where none was.
  std::vector<double> max_expected, max_missed;
  std::vector<float> max_expected_m;  ///< z* of each, Z where none was expected
  double max_expected_total = 0, max_missed_total = 0;

  std::array<std::size_t, 3> kinds = {};  ///< pairs by ReadingKind
  [[nodiscard]] std::size_t ranges() const { return z_m.size(); }
  [[nodiscard]] std::size_t clusters() const { return max_expected.size(); }
  [[nodiscard]] std::size_t pairs() const { return kinds[0] + kinds[1]; }
};

/// Throws InputError when sizes disagree, an expected range is negative or NaN, or scans decrease.
Evidence make_evidence(const BeamData& data, const BeamSensor& sensor);

/// Reorders the readings with z* < Z, in stretches of so many, so that those behind z* + offset_m come first: no short
/// can explain them, and loops over a stretch tell the two kinds apart once.
void put_behind_first(Evidence& evidence, std::size_t stretch, double offset_m, Executor& executor);

}  // namespace fathom
