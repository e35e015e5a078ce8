// SPDX-License-Identifier: MIT
#pragma once
// Entities that move during a scan, as maps at a few times.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/scene/scene.hpp>

#include "trace/tree/layout.hpp"

namespace fathom::tree {

/// Distance by which a surface between two keys may be off, m.
inline constexpr double kMotionErrorM = 4e-6;

/// The map of an entity's vertices to the world, relative to `origin`.
Affine world_from_mesh(const Scene& scene, const Entity& entity, const Pose& world_from_entity, const Vec3& origin);

/// A moving entity at the time of a key.
struct MotionSample {
  Affine world_from_mesh;
  MotionKey key;
};

/// Chooses the times of keys among the times of a scan: halves a stretch until a linear map between its ends is good
/// enough, or no ray is between them.
class MotionSampler {
 public:
  /// `times_s`: after the stamp, ascending.
  void begin(double stamp_s, std::span<const float> times_s, const Vec3& origin);
  /// The samples of an entity with a mesh of these bounds; empty if it stays where it is at the stamp, or if its map
  /// flattens space. Valid until the next call. There must be times. Throws InputError if the entity is beyond
  /// kMaxCoordinateM.
  [[nodiscard]] std::span<const MotionSample> sample(const Scene& scene, EntityId entity, const Box& bounds);
  /// Distance by which surfaces are off besides kMotionErrorM, from the rounding of times, in the last sample().
  [[nodiscard]] double rounding_m() const { return rounding_m_; }

 private:
  [[nodiscard]] MotionSample at(float time_after_stamp_s) const;
  /// The error of the linear map between two keys at a sample, as a share of the allowed one.
  [[nodiscard]] double error(const MotionSample& a, const MotionSample& b, const MotionSample& between);
  /// Whether it is allowed at time k of a stretch that begins with time i.
  [[nodiscard]] bool is_linear_at(std::size_t k, std::size_t i, const MotionSample& a, const MotionSample& b);
  /// `before`: the error of the stretch that was halved; 0 for the first.
  void split(std::size_t i, const MotionSample& a, std::size_t j, const MotionSample& b, double before);
  void find_cuts();
  void cut_at_keys(const Trajectory& motion);

  double stamp_s_ = 0.0, rounding_s_ = 0.0, rounding_m_ = 0.0;
  std::vector<float> times_s_;
  Vec3 origin_ = {};
  const Scene* scene_ = nullptr;
  EntityId entity_ = {};
  Box bounds_;
  std::vector<std::size_t> cuts_;  // times between which the motion is smooth
  std::vector<MotionSample> samples_;
};

}  // namespace fathom::tree
