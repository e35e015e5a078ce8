// SPDX-License-Identifier: MIT
#include "simulate/read_world.hpp"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "scene/world_poses.hpp"
#include "simulate/read_mesh_entry.hpp"

namespace fathom {

namespace {

using MeshIds = std::unordered_map<std::string, MeshId>;

MeshIds read_meshes(YamlReader map, SceneFiles& files, Scene& scene) {
  MeshIds ids;
  for (const YamlReader& entry : map.entries()) {
    Mesh mesh = read_mesh_entry(entry, files);
    const std::string name(entry.key());
    ids[name] = entry.located([&] { return scene.add_mesh(std::move(mesh), name); });
  }
  return ids;
}

MeshId find_mesh(const YamlReader& name, const MeshIds& ids) {
  const auto found = ids.find(name.text());
  if (found != ids.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& entry : ids) known.push_back(entry.first);
  name.fail("is not the name of a mesh" + nearest_hint(name.text(), known));
}

Vec3 read_scale(const YamlReader& scale) {
  if (scale.is(YamlValue::Kind::kList)) return scale.vector();
  const double factor = scale.number();
  return {factor, factor, factor};
}

std::vector<std::string> read_groups(const YamlReader& list) {
  std::vector<std::string> groups;
  for (const YamlReader& name : list.items()) {
    if (name.text().empty()) name.fail("is no name of a group");
    groups.push_back(name.text());
  }
  return groups;
}

/// The parent is set later, when all entities are known.
Entity read_entity(YamlReader& map, const MeshIds& meshes, SceneFiles& files) {
  Entity entity;
  entity.name = map.at("name").text();
  entity.mesh = find_mesh(map.at("mesh"), meshes);
  entity.parent_from_entity = read_trajectory_or_pose(map, files);
  if (const auto scale = map.find("scale")) entity.scale = read_scale(*scale);
  if (const auto value = map.find("reflectivity")) {
    entity.reflectivity = static_cast<float>(value->number({0, 1, "1"}));
  }
  if (const auto groups = map.find("groups")) entity.groups = read_groups(*groups);
  return entity;
}

/// A parent far away carries its children. The check is of a bound, so that it covers every time.
void check_far_places(const Scene& scene, const std::vector<YamlReader>& entries) {
  const std::vector<double> farthest_m = farthest_from_world_m(scene);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (scene.entities()[i].parent == kNoEntity || farthest_m[i] <= kMaxCoordinateM) continue;
    entries[i].located([&] {
      throw InputError(fmt::format("its place and those of its parents add up to {} m, more than {} m",
                                   number_text(farthest_m[i]), limit_text(kMaxCoordinateM)));
    });
  }
}

}  // namespace

Scene read_world(YamlReader map, SceneFiles& files) {
  Scene scene;
  const MeshIds meshes = read_meshes(map.at("meshes"), files, scene);
  std::vector<std::pair<EntityId, YamlReader>> parents;
  std::vector<YamlReader> entries = map.at("entities").items();
  for (YamlReader& entry : entries) {
    Entity entity = read_entity(entry, meshes, files);
    const auto parent = entry.find("parent");
    if (const auto part = entry.find("part_of_parent")) {
      entity.part_of_parent = part->boolean();
      if (entity.part_of_parent && !parent) part->fail("needs a parent");
    }
    entry.finish();
    const EntityId id = entry.located([&] { return scene.add_entity(std::move(entity)); });
    if (parent) parents.emplace_back(id, *parent);
  }
  for (const auto& [id, parent] : parents) {
    const EntityId child = id;
    const YamlReader& name = parent;
    name.located([&] { scene.set_parent(child, scene.find_entity(name.text())); });
  }
  check_far_places(scene, entries);
  map.finish();
  return scene;
}

}  // namespace fathom
