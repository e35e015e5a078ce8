// SPDX-License-Identifier: MIT
#pragma once
// Whether a log lies on its map: unchanged, in other units, with its laser turned, or moved as a whole.

#include <functional>
#include <span>
#include <string>

#include <fathom/beam/likelihood_field.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// The share of a log's readings that lie on its map; 0 if too few readings tell.
using ShareOnMap = std::function<double(const ScanLog& log)>;
/// Readings near the expected ranges. The world must outlive the answer.
ShareOnMap share_by_ranges(const ExpectedRanges& world);
/// Readings that end near occupied cells. The field must outlive the answer.
ShareOnMap share_by_ends(const DistanceField& field);

/// Throws InputError if no pose lies on the map. `outline`: see World::outline().
void require_poses_on_map(const ScanLog& log, const GridMap& outline, const ShareOnMap& share);

/// A sentence if many poses lie beside the map, else empty.
std::string beside_map_flag(const ScanLog& log, const GridMap& outline);

/// A sentence if all scans are from one place, else empty.
std::string one_place_flag(std::span<const PlanarPose> poses);

/// A sentence if other units, or a quarter turn of the laser, bring the log onto its map, else empty.
std::string misplacement_flag(const ScanLog& log, const ShareOnMap& share);

/// The same of a table of pairs, which has no poses: other units.
std::string unit_flag(const BeamData& pairs);

/// What the moves of scans to where they fit best have in common.
struct CommonMove {
  PlanarPose mount;        ///< of the laser, in its own frame
  PlanarPose map;          ///< of the poses in the world, turned about their middle
  bool is_mount = false;   ///< whether a wrong mount explains the moves
  bool is_map = false;     ///< whether a map that lies elsewhere does; with is_mount, both explain them equally well
  double typical_m = 0.0;  ///< the median length of a move

  [[nodiscard]] bool is_some() const { return is_mount || is_map; }
  [[nodiscard]] std::string words() const;  ///< a sentence about where scans fit best, and its cause
};
/// From the poses of the log to where its scans fit best. None if fewer than ten scans tell.
CommonMove find_common_move(std::span<const PlanarPose> logged, std::span<const PlanarPose> moved, double cell_m);

}  // namespace fathom
