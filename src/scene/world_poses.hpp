// SPDX-License-Identifier: MIT
#pragma once
// The poses of all entities of a scene at once: each is one product with its parent's, however deep the tree.

#include <string_view>
#include <vector>

#include <fathom/base/ids.hpp>
#include <fathom/scene/scene.hpp>

namespace fathom {

class WorldPoses {
 public:
  /// [entities]. Throws InputError when an entity stands beyond kMaxCoordinateM in the world.
  const std::vector<Pose>& at(const Scene& scene, double stamp_s);

 private:
  void sort(const Scene& scene);

  std::vector<Pose> world_from_entity_;
  std::vector<EntityId> order_;   // parents before children
  std::vector<EntityId> parent_;  // [entities], as order_ was made for
};

/// How far from the origin of its frame a trajectory comes.
double farthest_m(const Trajectory& trajectory);

/// How far from the world's origin each entity may come, [entities]: the sum over its parents of their farthest poses.
std::vector<double> farthest_from_world_m(const Scene& scene);

/// Throws InputError, `what` naming the thing, unless the place is a number and within kMaxCoordinateM.
void check_place(const Vec3& place_m, std::string_view what, std::string_view name);

}  // namespace fathom
