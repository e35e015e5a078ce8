#include <fathom/scene.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

std::string mesh_text(std::string_view name, MeshId id) {
  return name.empty() ? fmt::format("mesh {}", id) : fmt::format("mesh '{}'", name);
}

}  // namespace

MeshId Scene::add_mesh(Mesh mesh, std::string name) {
  const auto id = static_cast<MeshId>(meshes_.size());
  try {
    validate(mesh);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", mesh_text(name, id), error.what()));
  }
  meshes_.push_back(std::move(mesh));
  mesh_names_.push_back(std::move(name));
  mesh_versions_.push_back(0);
  ++revision_;
  return id;
}

void Scene::check_entity(const Entity& entity) const {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("entity '{}': {}", entity.name, what));
  };
  if (entity.name.empty()) throw InputError("an entity needs a name");
  if (std::any_of(entities_.begin(), entities_.end(), [&](const Entity& e) { return e.name == entity.name; })) {
    fail("the name is taken");
  }
  if (entity.mesh >= meshes_.size()) {
    fail(fmt::format("mesh {} is not in [0, {})", entity.mesh, meshes_.size()));
  }
  if (entity.parent != kNoEntity && entity.parent >= entities_.size()) {
    fail(fmt::format("parent {} is not in [0, {})", entity.parent, entities_.size()));
  }
  for (const double s : {entity.scale.x, entity.scale.y, entity.scale.z}) {
    if (!(std::abs(s) >= 1e-6 && std::abs(s) <= 1e6)) {
      fail(fmt::format("scale = {} is not in [1e-6, 1e6] or its negative", number_text(s)));
    }
  }
  if (!(entity.reflectivity >= 0.0F && entity.reflectivity <= 1.0F)) {
    fail(fmt::format("reflectivity = {} is not in [0, 1]", number_text(entity.reflectivity)));
  }
}

EntityId Scene::add_entity(Entity entity) {
  check_entity(entity);
  entities_.push_back(std::move(entity));
  ++revision_;
  return static_cast<EntityId>(entities_.size() - 1);
}

void Scene::check_id(EntityId entity) const {
  if (entity >= entities_.size()) {
    throw InputError(fmt::format("entity {} is not in [0, {})", entity, entities_.size()));
  }
}

void Scene::set_pose(EntityId entity, const Pose& parent_from_entity) {
  check_id(entity);
  entities_[entity].parent_from_entity.hold(parent_from_entity);
  ++revision_;
}

void Scene::set_parent(EntityId entity, EntityId parent) {
  check_id(entity);
  if (parent != kNoEntity) check_id(parent);
  for (EntityId up = parent; up != kNoEntity; up = entities_[up].parent) {
    if (up == entity) {
      throw InputError(fmt::format("entity '{}' would hang on itself, through '{}'", entities_[entity].name,
                                   entities_[parent].name));
    }
  }
  entities_[entity].parent = parent;
  ++revision_;
}

void Scene::replace_vertices(MeshId mesh, std::span<const std::array<float, 3>> vertices_m) {
  if (mesh >= meshes_.size()) throw InputError(fmt::format("mesh {} is not in [0, {})", mesh, meshes_.size()));
  std::vector<std::array<float, 3>>& old = meshes_[mesh].vertices_m;
  if (vertices_m.size() != old.size()) {
    throw InputError(
        fmt::format("{}: {} vertices given for {}", mesh_text(mesh_names_[mesh], mesh), vertices_m.size(), old.size()));
  }
  for (std::size_t i = 0; i < vertices_m.size(); ++i) {
    for (const float c : vertices_m[i]) {
      if (!std::isfinite(c)) {
        throw InputError(fmt::format("{}: vertex {} = {} is not finite", mesh_text(mesh_names_[mesh], mesh), i, c));
      }
    }
  }
  std::copy(vertices_m.begin(), vertices_m.end(), old.begin());
  ++mesh_versions_[mesh];
  ++revision_;
}

bool Scene::moves() const {
  return std::any_of(entities_.begin(), entities_.end(),
                     [](const Entity& e) { return !e.parent_from_entity.is_fixed(); });
}

Pose Scene::world_from_entity(EntityId entity, double stamp_s) const {
  check_id(entity);
  Pose pose = entities_[entity].parent_from_entity.at(stamp_s);
  for (EntityId up = entities_[entity].parent; up != kNoEntity; up = entities_[up].parent) {
    pose = entities_[up].parent_from_entity.at(stamp_s) * pose;
  }
  return pose;
}

EntityId Scene::find_entity(std::string_view name) const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < entities_.size(); ++i) {
    if (entities_[i].name == name) return static_cast<EntityId>(i);
    names.push_back(entities_[i].name);
  }
  throw InputError(fmt::format("there is no entity '{}'{}", name, nearest_hint(name, names)));
}

}  // namespace fathom
