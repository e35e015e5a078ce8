// SPDX-License-Identifier: MIT
#pragma once
// Offsets of poses, and the poses of all entities of a scene in the world.

#include <span>
#include <vector>

#include <fathom/core/ids.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/scene/trajectory.hpp>

#include "scene/checks.hpp"

namespace fathom {

/// The rotation by the length of the vector (rad) about its direction.
Quaternion from_rotation_vector(const Vec3& rotation_rad);

/// The offset with position x, y, z (m) and rotation vector x, y, z (rad).
Pose pose_offset(std::span<const double, 6> parts);

/// nominal * offset, with its quaternion normalised. Throws InputError as checked_pose().
Pose moved(const Pose& nominal, const Pose& offset);
/// The same of each key of a motion.
Trajectory moved(const Trajectory& nominal, const Pose& offset);

/// The velocity of a frame in the axes of the outer frame: of its origin, and its rotation about that.
struct Twist {
  Vec3 linear_m_s, turn_rad_s;
};

/// A pose and how it changes.
struct Motion {
  Pose pose;
  Twist twist;
};
Motion operator*(const Motion& a_from_b, const Motion& b_from_c);

/// Its twist is zero where a trajectory holds its pose; at a key it is that behind the key.
Motion motion_at(const Trajectory& path, double stamp_s);
/// The motion of an entity in the world, with its parents; kNoEntity is the world itself.
Motion motion_at(const Scene& scene, EntityId entity, double stamp_s);

/// The poses of all entities of a scene at once: each is one product with its parent's, however deep the tree.
class WorldPoses {
 public:
  /// [entities]. Throws InputError when an entity is beyond kMaxCoordinateM in the world.
  const std::vector<Pose>& at(const Scene& scene, double stamp_s);
  /// The same if only the poses of `moved`, parents before children, may differ from the last call.
  const std::vector<Pose>& at(const Scene& scene, double stamp_s, std::span<const EntityId> moved);
  /// All entities of the last call, parents before children.
  [[nodiscard]] std::span<const EntityId> order() const { return order_; }
  /// Whether an entity or a parent of it is on a trajectory, by the last call of at().
  [[nodiscard]] bool moves(std::size_t entity) const { return moves_[entity]; }

 private:
  void sort(const Scene& scene);

  std::vector<Pose> world_from_entity_;
  std::vector<bool> moves_;       // [entities]
  std::vector<EntityId> order_;   // parents before children
  std::vector<EntityId> parent_;  // [entities], as order_ was made for
};

/// Entities and those below them, parents before children.
std::vector<EntityId> with_children(const Scene& scene, std::span<const EntityId> entities);

/// The largest distance of a trajectory from the origin of its frame.
double farthest_m(const Trajectory& trajectory);

/// Largest possible distance of each entity from the world's origin, [entities]: the sum of farthest_m() over its
/// parents.
std::vector<double> farthest_from_world_m(const Scene& scene);
}  // namespace fathom
