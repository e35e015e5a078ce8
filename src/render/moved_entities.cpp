// SPDX-License-Identifier: MIT
#include "render/moved_entities.hpp"

#include <atomic>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "scene/pose_offset.hpp"

namespace fathom {

namespace {

/// Poses of a task of set().
constexpr std::size_t kPosesPerTask = 4096;

/// Environments of a task, of so many poses each.
std::size_t environments_per_task(std::size_t poses) { return 1 + kPosesPerTask / (poses + 1); }

}  // namespace

void MovedEntities::set(const Scene& scene, std::span<const std::uint32_t> environments,
                        std::span<const EntityId> entities, const PoseArrays& poses, Executor& executor) {
  check(scene, environments, entities, poses, executor);
  if (environments.empty()) return;
  find_places(scene, entities);
  const std::size_t count = entities.size();
  executor.parallel_for(environments.size(), environments_per_task(count), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < count; ++k) moved_[places_[k]].pose[environments[i]] = poses[i * count + k];
    }
  });
}

void MovedEntities::check(const Scene& scene, std::span<const std::uint32_t> environments,
                          std::span<const EntityId> entities, const PoseArrays& poses, Executor& executor) const {
  for (const EntityId entity : entities) {
    if (index(entity) >= scene.entities().size()) {
      throw InputError(fmt::format("entity {} is not in [0, {})", index(entity), scene.entities().size()));
    }
  }
  std::atomic<std::size_t> wrong = poses.size();  // the first that is wrong, whatever the order of the threads
  executor.parallel_for(poses.size(), kPosesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (is_valid(poses[i])) continue;
      std::size_t least = wrong.load();
      while (i < least && !wrong.compare_exchange_weak(least, i)) {
      }
      return;
    }
  });
  if (wrong == poses.size()) return;
  const Entity& entity = scene.entities()[index(entities[wrong % entities.size()])];
  const std::uint64_t environment = std::uint64_t{first_} + environments[wrong / entities.size()];
  static_cast<void>(
      checked_pose(poses[wrong], fmt::format("environment {}, entity '{}'", environment, entity.name)));  // throws
}

std::uint32_t MovedEntities::find_place(const Scene& scene, EntityId entity) {
  place_of_.resize(scene.entities().size(), 0xffffffffU);
  std::uint32_t& place = place_of_[index(entity)];
  if (place >= moved_.size()) {
    Moved& moved = moved_.emplace_back();
    moved.entity = entity;
    moved.by_scene = scene.entities()[index(entity)].parent_from_entity;
    moved.pose.resize(environments_);
    place = static_cast<std::uint32_t>(moved_.size() - 1);
  }
  return place;
}

void MovedEntities::find_places(const Scene& scene, std::span<const EntityId> entities) {
  places_.clear();
  for (const EntityId entity : entities) places_.push_back(find_place(scene, entity));
}

void MovedEntities::set_offset(const Scene& scene, std::uint32_t environment, EntityId entity, const Pose& offset) {
  Moved& m = moved_[find_place(scene, entity)];
  m.offset.resize(environments_);
  m.motion.resize(environments_, m.by_scene);
  m.offset[environment] = offset;
  m.motion[environment] = moved(m.by_scene, offset);
}

void MovedEntities::place(std::uint32_t environment, double stamp_s, Scene& scene) const {
  for (const Moved& m : moved_) {
    const bool is_offset = !m.offset.empty();
    if (const std::optional<Pose>& set = m.pose[environment]) {
      scene.set_pose(m.entity, is_offset ? moved(*set, m.offset[environment]) : *set);
    } else {
      scene.set_pose(m.entity, (is_offset ? m.motion[environment] : m.by_scene).at(stamp_s));
    }
  }
}

}  // namespace fathom
