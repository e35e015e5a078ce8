// SPDX-License-Identifier: MIT
#include <utility>

#include "world.hpp"

namespace rgl {

void EntityObject::set_transform(const fathom::Affine& world_from_entity, SceneTime now) {
  before_ = std::exchange(now_, {world_from_entity, now});
  ++transforms_set_;
}

void EntityObject::animate(Vertices vertices, SceneTime now) {
  replace_vertices(std::move(vertices), Animation::kExternal, now);
}

void EntityObject::pose_bones(std::span<const fathom::Affine> world_from_bone, SceneTime now) {
  replace_vertices(fathom::skin(mesh_->shared->mesh.vertices_m, mesh_->weights, mesh_->restposes, world_from_bone),
                   Animation::kBones, now);
}

void EntityObject::replace_vertices(Vertices vertices, Animation how, SceneTime now) {
  fathom::CastMesh changed = animation_ == how ? *animated_ : *mesh_->shared;
  auto step = std::make_shared<Vertices>(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) (*step)[i][c] = vertices[i][c] - changed.mesh.vertices_m[i][c];
  }
  changed.mesh.vertices_m = std::move(vertices);
  fathom::validate(changed);  // before anything of the entity changes
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
  if (animated_ != nullptr) animated_->uv = mesh_->shared->uv;  // they may have been given later
  instance.mesh = animated_ != nullptr ? animated_ : mesh_->shared;
  instance.world_from_mesh = now_.world_from_entity;
  instance.id = id;
  instance.laser_retro = laser_retro;
  instance.texture = texture;
  // A transform counts as the former one only when it was set at the scene's previous time; otherwise, and when there
  // never was another, the entity stands still.
  if (transforms_set_ > 1 && previous && before_.at == previous) {
    instance.previous_world_from_mesh = std::make_shared<const fathom::Affine>(before_.world_from_entity);
  }
  if (step_ != nullptr && previous && animated_before_ == previous) instance.vertex_step_m = step_;
  return instance;
}

}  // namespace rgl
