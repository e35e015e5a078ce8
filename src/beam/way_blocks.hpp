// SPDX-License-Identifier: MIT
#pragma once
// Correlated scans: blocks of about equal distance and turning. A robot that stands still sees the same place however
// many scans it takes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// Whether no scan is 0.25 m or more from the first.
bool are_of_one_place(std::span<const PlanarPose> poses);

/// The block of each scan, counted from 0 without gaps: at most `most`, each of 0.25 m of way or more, where turning by
/// 1 rad counts as 1 m. Uniform motion gives blocks of equal numbers of scans. One block if all are of one place.
std::vector<std::uint32_t> blocks_of_way(std::span<const PlanarPose> poses, std::size_t most);

}  // namespace fathom
