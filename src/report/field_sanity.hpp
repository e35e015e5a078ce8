// SPDX-License-Identifier: MIT
#pragma once
// What is probably wrong where a likelihood field was learned: sanity.hpp says the same of the beam model.

#include <string>
#include <vector>

#include <fathom/beam/field_log.hpp>

#include "report/fit_selection.hpp"

namespace fathom {

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
std::string field_pose_flag(const FieldMoves& moves, double cell_m);

}  // namespace fathom
