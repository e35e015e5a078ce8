// SPDX-License-Identifier: MIT
#pragma once
// An order of poses in which neighbours follow each other. The casts of a chunk then read the same parts of a map:
// a cloud all over a building is cast about a tenth faster.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/base/geometry.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

class PlaceOrder {
 public:
  static constexpr std::size_t kMostPoses = 8192;

  PlaceOrder() : order_(kMostPoses), cells_(kMostPoses), first_(kCells + 1) {}

  /// Numbers of these poses, at most kMostPoses and finite, by the cell that they lie in, of 64 x 64 over all of them,
  /// in Morton order. Poses of one cell keep their order, and so do few poses. Valid until the next call.
  std::span<const std::uint32_t> sort(std::span<const Pose> poses);

  [[nodiscard]] std::size_t bytes() const {
    return (order_.size() + first_.size()) * sizeof(std::uint32_t) + cells_.size() * sizeof(std::uint16_t);
  }

 private:
  static constexpr std::size_t kCells = 4096;

  std::vector<std::uint32_t> order_;
  std::vector<std::uint16_t> cells_;  // of each pose
  std::vector<std::uint32_t> first_;  // place in the order of each cell's next pose
};

// Correlated scans: blocks of about equal distance and turning. A robot that stands still sees the
// same place however many scans it takes.

/// Whether no scan is 0.25 m or more from the first.
bool are_of_one_place(std::span<const PlanarPose> poses);

/// The block of each scan, counted from 0 without gaps: at most `most`, each of 0.25 m of way or more, where turning by
/// 1 rad counts as 1 m. Uniform motion gives blocks of equal numbers of scans. One block if all are of one place.
std::vector<std::uint32_t> blocks_of_way(std::span<const PlanarPose> poses, std::size_t most);

}  // namespace fathom
