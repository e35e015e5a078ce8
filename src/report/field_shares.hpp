// SPDX-License-Identifier: MIT
#pragma once
// What a likelihood field expects of the distances of ends from occupied cells.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/beam/field_log.hpp>

namespace fathom {

/// Fills FieldReport::level_m, level_share and modelled from rays of these scans that carry evidence.
void add_expected_shares(const ScanLog& log, std::span<const std::uint32_t> scans, const DistanceField& field,
                         FieldReport& report);

/// Fractions of all readings.
struct FieldShare {
  double readings = 0.0, expected = 0.0;
};
/// Of distances in [low_m, high_m).
FieldShare share_between(const FieldReport& report, double low_m, double high_m);

inline constexpr double kFieldCoreSigmas = 3.0, kFieldTailSigmas = 10.0;  ///< between them is the tail

/// Whether the two differ by more than rounding and chance, as disagree() has it.
bool disagree(const FieldShare& share, const FieldReport& report);

/// A sentence each: tails, and what lies far from all occupied cells, where the model misses the readings.
std::vector<std::string> field_disagreements(const FieldReport& report);

}  // namespace fathom
