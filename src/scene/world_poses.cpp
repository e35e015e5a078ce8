// SPDX-License-Identifier: MIT
#include <algorithm>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "scene/poses.hpp"

namespace fathom {

namespace {

/// Appends all entities, parents before children.
void sort_parents_first(const std::vector<EntityId>& parent, std::vector<EntityId>& order) {
  std::vector<bool> sorted(parent.size(), false);
  for (std::size_t i = 0; i < parent.size(); ++i) {
    const std::size_t begin = order.size();
    for (auto up = static_cast<EntityId>(i); up != kNoEntity && !sorted[index(up)]; up = parent[index(up)]) {
      order.push_back(up);
      sorted[index(up)] = true;
    }
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end());
  }
}

}  // namespace

void check_place(const Vec3& place_m, std::string_view what, std::string_view name) {
  if (const auto c = coordinate_beyond_limits(place_m)) {
    throw InputError(fmt::format("{} '{}': its place in the world, {} m, is not in {}", what, name, number_text(*c),
                                 kCoordinateLimits));
  }
}

void WorldPoses::sort(const Scene& scene) {
  const std::vector<Entity>& entities = scene.entities();
  const auto same = [](EntityId parent, const Entity& entity) { return parent == entity.parent; };
  if (std::equal(parent_.begin(), parent_.end(), entities.begin(), entities.end(), same)) return;
  parent_.clear();
  for (const Entity& entity : entities) parent_.push_back(entity.parent);
  order_.clear();
  sort_parents_first(parent_, order_);
}

const std::vector<Pose>& WorldPoses::at(const Scene& scene, double stamp_s) {
  sort(scene);
  world_from_entity_.resize(order_.size());
  for (const EntityId id : order_) {
    const Entity& entity = scene.entities()[index(id)];
    const Pose pose = entity.parent_from_entity.at(stamp_s);
    world_from_entity_[index(id)] = entity.parent == kNoEntity ? pose : world_from_entity_[index(entity.parent)] * pose;
    check_place(world_from_entity_[index(id)].translation_m, "entity", entity.name);
  }
  return world_from_entity_;
}

double farthest_m(const Trajectory& trajectory) {
  double farthest = 0.0;
  for (const StampedPose& key : trajectory.keys()) farthest = std::max(farthest, norm(key.pose.translation_m));
  return farthest;
}

std::vector<double> farthest_from_world_m(const Scene& scene) {
  std::vector<EntityId> parent, order;
  for (const Entity& entity : scene.entities()) parent.push_back(entity.parent);
  sort_parents_first(parent, order);
  std::vector<double> farthest(parent.size());
  for (const EntityId id : order) {
    const double own_m = farthest_m(scene.entities()[index(id)].parent_from_entity);
    const EntityId up = parent[index(id)];
    farthest[index(id)] = own_m + (up == kNoEntity ? 0.0 : farthest[index(up)]);
  }
  return farthest;
}

}  // namespace fathom
