// SPDX-License-Identifier: MIT
#include "world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "status.hpp"

namespace rgl {

fathom::Affine to_affine(const rgl_mat3x4f& m) {
  fathom::Affine a;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) a.m[i][j] = double{m.value[i][j]};
  }
  return a;
}

void check_finite(const rgl_mat3x4f& matrix) {
  for (const auto& row : matrix.value) {
    for (const float v : row) RGL_CHECK(std::abs(v) <= std::numeric_limits<float>::max());
  }
}

void check_invertible(const rgl_mat3x4f& matrix) {
  check_finite(matrix);
  if (!fathom::inverse(to_affine(matrix))) fail(RGL_INVALID_ARGUMENT, "Invalid argument: the matrix flattens space");
}

Vertices to_vertices(const rgl_vec3f* vertices, std::int32_t count) {
  Vertices list(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < list.size(); ++i) std::copy_n(vertices[i].value, 3, list[i].begin());
  return list;
}

void World::set_time(std::uint64_t nanoseconds) {
  previous_ = now_;
  now_ = nanoseconds;
}

double World::step_s() const {
  if (!now_ || !previous_ || *now_ <= *previous_) return 0.0;
  return 1e-9 * static_cast<double>(*now_ - *previous_);
}

void World::add(std::shared_ptr<EntityObject> entity) {
  entities_.push_back(std::move(entity));
  touch();
}

void World::remove(const EntityObject* entity) {
  std::erase_if(entities_, [&](const auto& e) { return e.get() == entity; });
  touch();
}

void World::clear() {
  entities_.clear();
  now_.reset(), previous_.reset();
  casters_.clear();
  touch();
}

/// Sensors that see all entities share a caster.
std::int32_t World::key_of(std::int32_t sensor_id) const {
  const auto hides = [&](const auto& e) { return e->ignored_by == sensor_id; };
  return std::any_of(entities_.begin(), entities_.end(), hides) ? sensor_id : RGL_SENSOR_ID_NONE;
}

bool World::is_stale(std::int32_t sensor_id) const {
  const auto found = casters_.find(key_of(sensor_id));
  return found != casters_.end() && found->second.revision != revision_;
}

const fathom::RayCaster& World::caster_for(std::int32_t sensor_id) {
  const std::int32_t key = key_of(sensor_id);
  const auto [entry, fresh] = casters_.try_emplace(key, Prepared{fathom::RayCaster(*executor_), 0});
  Prepared& prepared = entry->second;
  if (prepared.revision == revision_) return prepared.caster;
  std::vector<fathom::CastInstance> instances;
  for (const auto& entity : entities_) {
    if (key == RGL_SENSOR_ID_NONE || entity->ignored_by != key) instances.push_back(entity->instance(previous_));
  }
  try {
    prepared.caster.update(std::move(instances));
  } catch (...) {  // drops the half-updated caster with its trees
    casters_.erase(entry);
    throw;
  }
  prepared.revision = revision_;
  return prepared.caster;
}

void EntityObject::set_transform(const fathom::Affine& world_from_entity, SceneTime now) {
  before_ = std::exchange(now_, {world_from_entity, now});
  ++transforms_set_;
}

void EntityObject::animate(Vertices vertices, SceneTime now) {
  replace_vertices(std::move(vertices), Animation::kExternal, now);
}

void EntityObject::pose_bones(std::span<const fathom::Affine> world_from_bone, SceneTime now) {
  replace_vertices(
      fathom::skin_vertices(mesh_->shared->mesh.vertices_m, mesh_->weights, mesh_->restposes, world_from_bone),
      Animation::kBones, now);
}

void EntityObject::replace_vertices(Vertices vertices, Animation how, SceneTime now) {
  fathom::CastMesh changed = animation_ == how ? *animated_ : *mesh_->shared;
  auto step = std::make_shared<Vertices>(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) (*step)[i][c] = vertices[i][c] - changed.mesh.vertices_m[i][c];
  }
  changed.mesh.vertices_m = std::move(vertices);
  fathom::validate(changed);  // before changing the entity
  if (animation_ == how) {
    changed.version = animated_->version + 1;
    *animated_ = std::move(changed);
    animated_before_ = animated_at_;
  } else {
    animated_ = std::make_shared<fathom::CastMesh>(std::move(changed));
    animated_before_.reset();
  }
  step_ = std::move(step);
  animated_at_ = now;
  animation_ = how;
}

fathom::CastInstance EntityObject::instance(SceneTime previous) const {
  fathom::CastInstance instance;
  if (animated_ != nullptr) animated_->uv = mesh_->shared->uv;  // may have been set after the animation
  instance.mesh = animated_ != nullptr ? animated_ : mesh_->shared;
  instance.world_from_mesh = now_.world_from_entity;
  instance.id = id;
  instance.laser_retro = laser_retro;
  instance.texture = texture;
  // The former transform counts only if it was set at the scene's previous time. Otherwise the entity is at rest.
  if (transforms_set_ > 1 && previous && before_.at == previous) {
    instance.previous_world_from_mesh = std::make_shared<const fathom::Affine>(before_.world_from_entity);
  }
  if (step_ != nullptr && previous && animated_before_ == previous) instance.vertex_step_m = step_;
  return instance;
}

}  // namespace rgl
