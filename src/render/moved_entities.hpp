// SPDX-License-Identifier: MIT
#pragma once
// Entities that stand elsewhere in some environments than the scene says.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/scene/scene.hpp>

#include "scene/checks.hpp"

namespace fathom {

class MovedEntities {
 public:
  /// Environments are counted from 0; messages count them from `first`.
  MovedEntities(std::uint32_t environments, std::uint32_t first) : environments_(environments), first_(first) {}

  /// Whether all environments see what the scene says.
  [[nodiscard]] bool empty() const { return moved_.empty(); }

  /// The pose of entity k in the i-th of the environments is poses[i * K + k]. Throws InputError for a wrong pose or
  /// entity, and then changes nothing. Allocates only for entities that were never moved.
  void set(const Scene& scene, std::span<const std::uint32_t> environments, std::span<const EntityId> entities,
           const PoseArrays& poses, Executor& executor);

  /// From now on the entity stands this far from its pose in an environment, be that set or the scene's.
  void set_offset(const Scene& scene, std::uint32_t environment, EntityId entity, const Pose& offset);

  /// Gives the entities of the scene the poses that they have in an environment at a time.
  void place(std::uint32_t environment, double stamp_s, Scene& scene) const;

 private:
  struct Moved {
    EntityId entity = {};
    Trajectory by_scene = {};                    // where no pose was set
    std::vector<std::optional<Pose>> pose = {};  // [environments], as set
    std::vector<Pose> offset = {};               // [environments], or empty: none
    std::vector<Trajectory> motion = {};         // [environments], by_scene with the offsets; or empty
  };

  void check(const Scene& scene, std::span<const std::uint32_t> environments, std::span<const EntityId> entities,
             const PoseArrays& poses, Executor& executor) const;
  std::uint32_t find_place(const Scene& scene, EntityId entity);
  void find_places(const Scene& scene, std::span<const EntityId> entities);

  std::uint32_t environments_, first_;
  std::vector<Moved> moved_;
  std::vector<std::uint32_t> place_of_;  // [entities]: in moved_, or beyond its end
  std::vector<std::uint32_t> places_;    // of the entities of a call
};

}  // namespace fathom
