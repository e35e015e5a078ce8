// SPDX-License-Identifier: MIT
#pragma once
// What a likelihood field expects of the distances of ends from occupied cells.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/beam/field_log.hpp>

#include "report/fit_selection.hpp"

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

/// A sentence each: tails, and what lies far from all occupied cells, where the model misses the readings.
std::vector<std::string> field_disagreements(const FieldReport& report);

// What is probably wrong where a likelihood field was learned: sanity.hpp says the same of the beam model.

/// A map of another place; empty where it is none.
std::string wrong_map_flag(const FieldReport& report);

/// More readings in the tail than the model expects and than good maps have; empty where that is not so.
Message heavy_tails_flag(const FieldReport& report);

/// Where scans fit best, by a search from the poses of the log.
struct FieldMoves {
  std::vector<PlanarPose> logged, moved;  ///< [scans]
  double gain = 0.0;                      ///< by how many nats a reading that was held out is likelier there
};

/// Of at most 48 scans, evenly spaced, with at most 180 rays of each: of every three rays one chooses the pose, two
/// learn the parameters, and the third judges. No moves where a third carries no evidence.
FieldMoves move_field_poses(const ScanLog& log, const ScanNumbers& scans, const DistanceField& field,
                            const LikelihoodFieldModel& learned);

/// A map that lies elsewhere, or poses that are not exact; empty where the moves tell neither.
Message field_pose_flag(const FieldMoves& moves, double cell_m);

}  // namespace fathom
