// SPDX-License-Identifier: MIT
#include "simulate/read_world.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "render/parameter_range.hpp"
#include "scene/world_poses.hpp"
#include "simulate/read_materials.hpp"
#include "simulate/read_mesh_entry.hpp"
#include "simulate/read_range.hpp"
#include "simulate/read_surface.hpp"

namespace fathom {

namespace {

/// A part of a file, by its name there.
struct NamedMesh {
  std::string name;
  MeshId mesh = {};
};

/// What a name under `meshes` stands for: a mesh or, of a file that is split, its parts.
struct MeshOrParts {
  MeshId mesh = kNoMesh;
  std::vector<NamedMesh> parts = {};
};

using MeshIds = std::unordered_map<std::string, MeshOrParts>;

MeshIds read_meshes(YamlReader map, SceneFiles& files, Scene& scene) {
  MeshIds ids;
  for (const YamlReader& entry : map.entries()) {
    const std::string name(entry.key());
    MeshOrParts& found = ids[name];
    if (is_split(entry)) {
      for (MeshPart& part : read_split_mesh(entry, files)) {
        const std::string full_name = name + "/" + part.name;
        found.parts.push_back(
            {part.name, entry.located([&] { return scene.add_mesh(std::move(part.mesh), full_name); })});
      }
    } else {
      Mesh mesh = read_mesh_entry(entry, files);
      found.mesh = entry.located([&] { return scene.add_mesh(std::move(mesh), name); });
    }
  }
  return ids;
}

const MeshOrParts& find_mesh(const YamlReader& name, const MeshIds& ids) {
  const auto found = ids.find(name.text());
  if (found != ids.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& entry : ids) known.push_back(entry.first);
  name.fail("is not the name of a mesh" + nearest_hint(name.text(), known));
}

/// name: 3, or name: {id: 3, color: [255, 0, 0]}.
LabelNames read_labels(YamlReader map, Scene& scene) {
  LabelNames names(std::in_place);
  for (YamlReader& entry : map.entries()) {
    Label label;
    label.name = entry.key();
    if (entry.is(YamlValue::Kind::kScalar)) {
      label.id = static_cast<std::uint32_t>(entry.whole(1, kMostLabelId));
    } else {
      label.id = static_cast<std::uint32_t>(entry.at("id").whole(1, kMostLabelId));
      if (const auto color = entry.find("color")) {
        const std::vector<YamlReader> parts = color->items();
        if (parts.size() != 3) color->fail("is not a list of 3 numbers");
        label.color.emplace();
        for (std::size_t k = 0; k < 3; ++k) (*label.color)[k] = static_cast<std::uint8_t>(parts[k].whole(0, 255));
      }
      entry.finish();
    }
    names->push_back(label.name);
    entry.located([&] { scene.add_label(std::move(label)); });
  }
  return names;
}

Vec3 read_scale(const YamlReader& scale) {
  if (scale.is(YamlValue::Kind::kList)) return scale.vector();
  const double factor = scale.number();
  return {factor, factor, factor};
}

/// An entity with what is drawn of it; whose ids are set once it is in the scene.
struct ReadEntity {
  Entity entity;
  std::vector<LocatedRange> ranges = {};
};

/// The parts of an entity whose mesh is split; their parent is set later.
std::vector<ReadEntity> read_parts(YamlReader& map, const ReadEntity& whole, const std::vector<NamedMesh>& meshes,
                                   const LabelNames& labels) {
  std::vector<ReadEntity> parts;
  std::vector<std::string_view> names;
  for (const NamedMesh& mesh : meshes) {
    ReadEntity& read = parts.emplace_back();
    Entity& part = read.entity = whole.entity;
    part.name = whole.entity.name + "/" + mesh.name;
    part.mesh = mesh.mesh;
    part.parent_from_entity = Pose{};
    part.part_of_parent = true;
    part.groups.clear();  // those of the whole count for it, too
    names.push_back(mesh.name);
    for (LocatedRange range : whole.ranges) {  // of surfaces: a part stands where the whole does
      if (range.range.field != reflectivity_field().name) continue;
      range.range.as_chain = true;
      read.ranges.push_back(std::move(range));
    }
  }
  const auto own = map.find("parts");
  for (YamlReader& entry : own ? YamlReader(*own).entries() : std::vector<YamlReader>()) {
    const auto found = std::find(names.begin(), names.end(), entry.key());
    if (found == names.end()) entry.fail_key("is no part of the mesh" + nearest_hint(entry.key(), names));
    ReadEntity& part = parts[static_cast<std::size_t>(found - names.begin())];
    const auto range = read_surface(entry, labels, part.entity);
    if (entry.find("reflectivity") || entry.find("material")) part.ranges.clear();
    if (range) part.ranges.push_back({entry, *range});
    entry.finish();
  }
  return parts;
}

/// The parent is set later, when all entities are known.
ReadEntity read_entity(YamlReader& map, const MeshOrParts& mesh, SceneFiles& files, const LabelNames& labels) {
  ReadEntity read;
  Entity& entity = read.entity;
  entity.name = map.at("name").text();
  entity.mesh = mesh.mesh;
  entity.parent_from_entity = read_trajectory_or_pose(map, files);
  if (const auto scale = map.find("scale")) entity.scale = read_scale(*scale);
  if (const auto range = read_surface(map, labels, entity)) read.ranges.push_back({map, *range});
  for (LocatedRange& range : read_pose_offset(map, RangeTarget::kEntity)) read.ranges.push_back(std::move(range));
  return read;
}

/// Adds the entity, with what is drawn of it.
EntityId add_entity(ReadEntity read, WorldSetup& world) {
  const EntityId id = world.scene.add_entity(std::move(read.entity));
  for (LocatedRange& one : read.ranges) {
    one.range.entity = id;
    one.where.located([&] { check_range(world.scene.entities(), one.range); });
    world.ranges.push_back(std::move(one.range));
  }
  return id;
}

/// A parent far away carries its children. The check is of a bound, so that it covers every time.
/// Entities behind those of `entries` are parts of these, which are where the whole is, and from `first_link` on links
/// of robots, `from`.
void check_far_places(const Scene& scene, const std::vector<YamlReader>& entries, std::size_t first_link,
                      const YamlReader* from) {
  const std::vector<double> farthest_m = farthest_from_world_m(scene);
  for (std::size_t i = 0; i < farthest_m.size(); ++i) {
    if (scene.entities()[i].parent == kNoEntity || farthest_m[i] <= kMaxCoordinateM) continue;
    const bool is_link = i >= first_link;
    if (i >= entries.size() && !is_link) continue;
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

/// Behind the entities of the list, so that these have the ids by which the list counts them.
void add_parts(const std::vector<YamlReader>& entries, std::vector<std::vector<ReadEntity>>& parts, WorldSetup& world) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (ReadEntity& part : parts[i]) {
      part.entity.parent = static_cast<EntityId>(i);
      entries[i].located([&] { add_entity(std::move(part), world); });
    }
  }
}

}  // namespace

WorldSetup read_world(YamlReader map, SceneFiles& files) {
  WorldSetup world;
  Scene& scene = world.scene;
  const auto table = map.find("labels");
  const LabelNames labels = table ? read_labels(*table, scene) : std::nullopt;
  if (const auto materials = map.find("materials")) read_materials(*materials, scene);
  static_cast<void>(map.find("file"));  // include_scene() has read it; a slip of the key gets a hint
  const auto from = map.find("from");
  const auto known = from ? map.find("meshes") : map.at("meshes");
  const MeshIds meshes = known ? read_meshes(*known, files, scene) : MeshIds();
  std::vector<std::pair<EntityId, YamlReader>> parents;
  std::vector<std::vector<ReadEntity>> parts;  // [entities of the list]
  const auto list = from ? map.find("entities") : map.at("entities");
  std::vector<YamlReader> entries = list ? list->items() : std::vector<YamlReader>();
  const MeshOrParts nothing;
  for (YamlReader& entry : entries) {
    const auto shown = entry.find("mesh");  // without: a frame that others hang on
    const MeshOrParts& mesh = shown ? find_mesh(*shown, meshes) : nothing;
    ReadEntity read = read_entity(entry, mesh, files, labels);
    parts.push_back(read_parts(entry, read, mesh.parts, labels));
    const auto parent = entry.find("parent");
    if (const auto part = entry.find("part_of_parent")) {
      read.entity.part_of_parent = part->boolean();
      if (read.entity.part_of_parent && !parent) part->fail("needs a parent");
    }
    entry.finish();
    const EntityId id = entry.located([&] { return add_entity(std::move(read), world); });
    if (parent) parents.emplace_back(id, *parent);
  }
  add_parts(entries, parts, world);
  map.finish();
  const std::size_t first_link = scene.entities().size();
  if (from) read_robots(*from, files, labels, scene, world.bare_links, world.notes);
  for (const auto& [id, parent] : parents) set_parent(world, id, parent);
  check_far_places(scene, entries, first_link, from ? &*from : nullptr);
  return world;
}

}  // namespace fathom
