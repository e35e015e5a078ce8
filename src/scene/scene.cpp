// SPDX-License-Identifier: MIT
#include <fathom/scene/scene.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/ids.hpp>

#include "core/errors.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "scene/checks.hpp"

namespace fathom {

namespace {

constexpr float kRightAngle = std::numbers::pi_v<float> / 2;

void check(const Material& m, std::string_view what, float value, float low, float high, bool open) {
  if ((open ? value > low : value >= low) && value <= high) return;
  throw InputError(fmt::format("material '{}': {} = {} is not in {}{}, {}]", m.name, what, number_text(value),
                               open ? '(' : '[', number_text(low), number_text(high)));
}

void check_table(const Material& m) {
  if (m.table.size() < 2 || m.table.size() > kMostIncidenceValues) {
    throw InputError(
        fmt::format("material '{}': table has {} entries, not 2 to {}", m.name, m.table.size(), kMostIncidenceValues));
  }
  for (std::size_t i = 0; i < m.table.size(); ++i) {
    check(m, "table: angle_rad", m.table[i].angle_rad, 0.0F, kRightAngle, false);
    check(m, "table: value", m.table[i].value, 0.0F, kMostIncidenceValue, false);
    if (i > 0 && !(m.table[i].angle_rad > m.table[i - 1].angle_rad)) {
      throw InputError(fmt::format("material '{}': the angles of its table do not ascend at entry {}", m.name, i));
    }
  }
}

}  // namespace

void SurfaceOptics::check() const {
  if (refractive_index > 1.0F && mirror > 0.0F) {
    throw InputError(fmt::format("optics.refractive_index = {} and mirror = {} are both given; one is enough",
                                 number_text(refractive_index), number_text(mirror)));
  }
  if (mirror + diffuse > 1.0F) {
    throw InputError(fmt::format("optics.mirror = {} and diffuse = {} have a sum above 1", number_text(mirror),
                                 number_text(diffuse)));
  }
  if (thickness_m > 0.0F && (mirror > 0.0F || opaque)) throw InputError("optics.thickness_m is for a pane");
  if (opaque && mirror > 0.0F) throw InputError("optics.opaque is for a refractive_index: a mirror passes no light");
  if (is_clear() && water_film_mm > 0.0F) throw InputError("optics.water_film_mm is for a matt surface");
  const SurfaceOptics film = {.roughness_rad = roughness_rad, .water_film_mm = water_film_mm};
  if (water_film_mm > 0.0F && *this != film) {
    throw InputError("optics.water_film_mm takes roughness_rad alone beside it: a wet surface has its reflectivity");
  }
  if (!leads_on() && *this != SurfaceOptics{}) {
    throw InputError("optics has neither a refractive_index above 1 nor a mirror above 0");
  }
}

namespace {

void check(const Material& m) {
  if (m.name.empty()) throw InputError("a material needs a name");
  check(m, "reflectivity", m.reflectivity, 0.0F, 1.0F, false);
  with_prefix([&] { return fmt::format("material '{}'", m.name); }, [&] { validate(m.optics); });
  const auto refuse = [&](std::string_view what, std::string_view law) {
    throw InputError(fmt::format("material '{}': {} is for the law {}", m.name, what, law));
  };
  switch (m.law) {
    case Material::Law::kLambert:
      break;
    case Material::Law::kTable:
      check_table(m);
      break;
    case Material::Law::kRetro:
      check(m, "gain", m.gain, 0.0F, kMostIncidenceValue, true);
      check(m, "width_rad", m.width_rad, 0.0F, kRightAngle, true);
      break;
    default:
      throw InputError(fmt::format("material '{}': there is no such law", m.name));
  }
  if (m.law != Material::Law::kTable && !m.table.empty()) refuse("a table", "table");
  if (m.law != Material::Law::kRetro && m.gain != 0.0F) refuse("a gain", "retro");
  if (m.law != Material::Law::kRetro && m.width_rad != 0.0F) refuse("a width", "retro");
}

}  // namespace

Material preset_material(std::string name, std::string_view preset) {
  // Indices of soda-lime glass and of water near 905 nm; the other shares are typical of clean surfaces.
  static constexpr std::array<SurfaceOptics, kMaterialPresets.size()> kOptics = {{
      {.refractive_index = 1.51F, .thickness_m = 0.004F, .diffuse = 0.02F},
      {.diffuse = 0.01F, .mirror = 0.9F},
      {.refractive_index = 1.328F, .opaque = true},
      {.diffuse = 0.1F, .mirror = 0.6F, .roughness_rad = 0.02F},
  }};
  const auto found = std::find(kMaterialPresets.begin(), kMaterialPresets.end(), preset);
  if (found == kMaterialPresets.end()) {
    throw InputError(
        fmt::format("there is no preset '{}' of materials{}", preset, nearest_hint(preset, kMaterialPresets)));
  }
  Material material;
  material.name = std::move(name);
  material.optics = kOptics[static_cast<std::size_t>(found - kMaterialPresets.begin())];
  return material;
}

namespace {

std::string mesh_text(std::string_view name, MeshId id) {
  return name.empty() ? fmt::format("mesh {}", index(id)) : fmt::format("mesh '{}'", name);
}

Vec3 reach_of(std::span<const std::array<float, 3>> vertices_m, const Vec3& origin_m) {
  const double origin[3] = {origin_m.x, origin_m.y, origin_m.z};
  double reach_m[3] = {0.0, 0.0, 0.0};
  for (const auto& vertex : vertices_m) {
    for (std::size_t k = 0; k < 3; ++k) reach_m[k] = std::max(reach_m[k], std::abs(origin[k] + double{vertex[k]}));
  }
  return {reach_m[0], reach_m[1], reach_m[2]};
}

}  // namespace

MeshId Scene::add_mesh(Mesh mesh, std::string name) {
  const auto id = static_cast<MeshId>(meshes_.size());
  with_prefix([&] { return mesh_text(name, id); }, [&] { validate(mesh); });
  mesh_reach_m_.push_back(reach_of(mesh.vertices_m, mesh.origin_m));
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
  if (ids_.contains(entity.name)) fail("the name is taken");
  if (entity.mesh != kNoMesh && index(entity.mesh) >= meshes_.size()) {
    fail(fmt::format("mesh {} is not in [0, {})", index(entity.mesh), meshes_.size()));
  }
  if (entity.parent != kNoEntity && index(entity.parent) >= entities_.size()) {
    fail(fmt::format("parent {} is not in [0, {})", index(entity.parent), entities_.size()));
  }
  for (const double s : {entity.scale.x, entity.scale.y, entity.scale.z}) {
    if (!(std::abs(s) >= 1e-6 && std::abs(s) <= 1e6)) {
      fail(fmt::format("scale = {} is not in [1e-6, 1e6] or its negative", number_text(s)));
    }
  }
  if (!(entity.reflectivity >= 0.0F && entity.reflectivity <= 1.0F)) {
    fail(fmt::format("reflectivity = {} is not in [0, 1]", number_text(entity.reflectivity)));
  }
  if (!entity.material.empty()) {
    std::vector<std::string_view> names;
    for (const Material& material : materials_) names.push_back(material.name);
    if (std::find(names.begin(), names.end(), entity.material) == names.end()) {
      fail(fmt::format("there is no material '{}'{}", entity.material, nearest_hint(entity.material, names)));
    }
  }
  for (const std::string& group : entity.groups) {
    if (group.empty()) fail("the name of a group is empty");
  }
  if (entity.mesh != kNoMesh) check_scaled(entity, mesh_reach_m_[index(entity.mesh)]);
}

void Scene::check_scaled(const Entity& entity, const Vec3& reach_m) const {
  const Vec3& s = entity.scale;
  if (const auto c = coordinate_beyond_limits({s.x * reach_m.x, s.y * reach_m.y, s.z * reach_m.z})) {
    throw InputError(fmt::format("entity '{}': scaled, {} reaches {} m from its origin, more than {} m", entity.name,
                                 mesh_text(mesh_names_[index(entity.mesh)], entity.mesh), number_text(std::abs(*c)),
                                 limit_text(kMaxCoordinateM)));
  }
}

void Scene::check_label(const Label& label) const {
  const auto fail = [&](const std::string& what) { throw InputError(fmt::format("label '{}': {}", label.name, what)); };
  if (label.name.empty()) throw InputError("a label needs a name");
  if (!(label.id >= 1 && label.id <= kMostLabelId))
    fail(fmt::format("id = {} is not in [1, {}]", label.id, kMostLabelId));
  for (const Label& other : labels_) {
    if (other.name == label.name) fail("the name is taken");
    if (other.id == label.id) fail(fmt::format("the id {} is that of '{}'", label.id, other.name));
  }
}

void Scene::add_label(Label label) {
  check_label(label);
  labels_.push_back(std::move(label));
  ++revision_;
}

void Scene::add_material(Material material) {
  check(material);
  for (const Material& other : materials_) {
    if (other.name == material.name) throw InputError(fmt::format("material '{}': the name is taken", material.name));
  }
  materials_.push_back(std::move(material));
  ++revision_;
}

const Material* Scene::material_of(EntityId entity) const {
  check_id(entity);
  const std::string& name = entities_[index(entity)].material;
  for (const Material& material : materials_) {
    if (material.name == name) return &material;
  }
  return nullptr;
}

Label Scene::label_of(const Entity& entity) const {
  Label next = {entity.label, 1};
  for (const Label& label : labels_) {
    if (label.name == entity.label) return label;
    next.id = std::max(next.id, label.id + 1);
  }
  check_label(next);
  return next;
}

EntityId Scene::add_entity(Entity entity) {
  check_entity(entity);
  Label label;
  if (!entity.label.empty()) {
    label = label_of(entity);
    const auto has_id = [&](const Label& other) { return other.id == label.id; };
    if (std::none_of(labels_.begin(), labels_.end(), has_id)) labels_.push_back(label);
  }
  label_ids_.push_back(label.id);
  const auto id = static_cast<EntityId>(entities_.size());
  ids_.emplace(entity.name, id);
  if (entity.parent != kNoEntity) has_children_[index(entity.parent)] = true;
  has_children_.push_back(false);
  entities_.push_back(std::move(entity));
  ++revision_, ++structure_revision_;
  return id;
}

void Scene::check_id(EntityId entity) const {
  if (index(entity) >= entities_.size()) {
    throw InputError(fmt::format("entity {} is not in [0, {})", index(entity), entities_.size()));
  }
}

void Scene::set_pose(EntityId entity, const Pose& parent_from_entity) {
  check_id(entity);
  entities_[index(entity)].parent_from_entity.hold(parent_from_entity);
  ++revision_;
}

void Scene::set_poses(std::span<const EntityId> entities, std::span<const double> positions_m,
                      std::span<const double> quaternions_wxyz) {
  const PoseArrays poses(positions_m, quaternions_wxyz, entities.size());
  for (std::size_t k = 0; k < entities.size(); ++k) {
    check_id(entities[k]);
    if (!is_valid(poses[k])) {
      static_cast<void>(
          checked_pose(poses[k], fmt::format("entity '{}'", entities_[index(entities[k])].name)));  // throws
    }
  }
  for (std::size_t k = 0; k < entities.size(); ++k) entities_[index(entities[k])].parent_from_entity.hold(poses[k]);
  ++revision_;
}

void Scene::set_motion(EntityId entity, Trajectory parent_from_entity) {
  check_id(entity);
  entities_[index(entity)].parent_from_entity = std::move(parent_from_entity);
  ++revision_;
}

void Scene::set_parent(EntityId entity, EntityId parent) {
  check_id(entity);
  if (parent != kNoEntity) check_id(parent);
  // An entity without children cannot close a cycle: a long chain that grows at either end costs no walk along it.
  const bool may_be_cycle = has_children_[index(entity)] || parent == entity;
  for (EntityId up = parent; may_be_cycle && up != kNoEntity; up = entities_[index(up)].parent) {
    if (up == entity) {
      throw InputError(fmt::format("entity '{}' would hang on itself, through '{}'", entities_[index(entity)].name,
                                   entities_[index(parent)].name));
    }
  }
  if (parent != kNoEntity) has_children_[index(parent)] = true;
  entities_[index(entity)].parent = parent;
  ++revision_, ++structure_revision_;
}

void Scene::replace_vertices(MeshId mesh, std::span<const std::array<float, 3>> vertices_m) {
  const std::uint32_t at = index(mesh);
  if (at >= meshes_.size()) throw InputError(fmt::format("mesh {} is not in [0, {})", at, meshes_.size()));
  std::vector<std::array<float, 3>>& old = meshes_[at].vertices_m;
  const Vec3& origin_m = meshes_[at].origin_m;
  if (vertices_m.size() != old.size()) {
    throw InputError(
        fmt::format("{}: {} vertices given for {}", mesh_text(mesh_names_[at], mesh), vertices_m.size(), old.size()));
  }
  with_prefix([&] { return mesh_text(mesh_names_[at], mesh); }, [&] { check_vertices(vertices_m, origin_m); });
  const Vec3 reach_m = reach_of(vertices_m, origin_m), before_m = mesh_reach_m_[at];
  if (reach_m.x > before_m.x || reach_m.y > before_m.y || reach_m.z > before_m.z) {
    for (const Entity& entity : entities_) {
      if (entity.mesh == mesh) check_scaled(entity, reach_m);
    }
  }
  mesh_reach_m_[at] = reach_m;
  std::copy(vertices_m.begin(), vertices_m.end(), old.begin());
  ++mesh_versions_[at];
  ++revision_;
}

bool Scene::moves() const {
  return std::any_of(entities_.begin(), entities_.end(),
                     [](const Entity& e) { return !e.parent_from_entity.is_fixed(); });
}

EntityId Scene::whole_of(EntityId entity) const {
  check_id(entity);
  while (entities_[index(entity)].part_of_parent && entities_[index(entity)].parent != kNoEntity) {
    entity = entities_[index(entity)].parent;
  }
  return entity;
}

Pose Scene::world_from_entity(EntityId entity, double stamp_s) const {
  check_id(entity);
  Pose pose = entities_[index(entity)].parent_from_entity.at(stamp_s);
  for (EntityId up = entities_[index(entity)].parent; up != kNoEntity; up = entities_[index(up)].parent) {
    pose = entities_[index(up)].parent_from_entity.at(stamp_s) * pose;
  }
  return pose;
}

EntityId Scene::find_entity(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const Entity& entity : entities_) names.push_back(entity.name);
  throw InputError(fmt::format("there is no entity '{}'{}", name, nearest_hint(name, names)));
}

}  // namespace fathom
