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
  return entity;
}

/// A parent far away carries its children. The check is of a bound, so that it covers every time.
/// Entities behind those of `entries` are links of robots, `from`.
void check_far_places(const Scene& scene, const std::vector<YamlReader>& entries, const YamlReader* from) {
  const std::vector<double> farthest_m = farthest_from_world_m(scene);
  for (std::size_t i = 0; i < farthest_m.size(); ++i) {
    if (scene.entities()[i].parent == kNoEntity || farthest_m[i] <= kMaxCoordinateM) continue;
    const bool is_link = i >= entries.size();
    (is_link ? *from : entries[i]).located([&] {
      throw InputError(fmt::format("{}its place and those of its parents add up to {} m, more than {} m",
                                   is_link ? fmt::format("link '{}': ", scene.entities()[i].name) : "",
                                   number_text(farthest_m[i]), limit_text(kMaxCoordinateM)));
    });
  }
}

void set_parent(WorldSetup& world, EntityId child, const YamlReader& parent) {
  Scene& scene = world.scene;
  parent.located([&] {
    const LinkMount mount = find_parent(scene, world.bare_links, parent.text());
    scene.set_parent(child, mount.parent);
    if (mount.parent_from_link == Pose{}) return;
    scene.set_motion(child, carried(mount.parent_from_link, scene.entities()[index(child)].parent_from_entity));
  });
}

}  // namespace

WorldSetup read_world(YamlReader map, SceneFiles& files) {
  WorldSetup world;
  Scene& scene = world.scene;
  const auto from = map.find("from");
  const auto known = from ? map.find("meshes") : map.at("meshes");
  const MeshIds meshes = known ? read_meshes(*known, files, scene) : MeshIds();
  std::vector<std::pair<EntityId, YamlReader>> parents;
  const auto list = from ? map.find("entities") : map.at("entities");
  std::vector<YamlReader> entries = list ? list->items() : std::vector<YamlReader>();
  for (YamlReader& entry : entries) {
    Entity entity = read_entity(entry, meshes, files);
    const auto parent = entry.find("parent");
    entry.finish();
    const EntityId id = entry.located([&] { return scene.add_entity(std::move(entity)); });
    if (parent) parents.emplace_back(id, *parent);
  }
  map.finish();
  if (from) read_robots(*from, files, scene, world.bare_links, world.notes);
  for (const auto& [id, parent] : parents) set_parent(world, id, parent);
  check_far_places(scene, entries, from ? &*from : nullptr);
  return world;
}

}  // namespace fathom
