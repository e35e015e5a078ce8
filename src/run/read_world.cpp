// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/robot.hpp>
#include <fathom/scene/scene.hpp>

#include "core/text.hpp"
#include "render/parameter_range.hpp"
#include "run/read_scene.hpp"
#include "scene/poses.hpp"

namespace fathom {

namespace {

std::vector<std::string> read_groups(const YamlReader& list) {
  std::vector<std::string> groups;
  for (const YamlReader& name : list.items()) {
    if (name.text().empty()) name.fail("is no name of a group");
    groups.push_back(name.text());
  }
  return groups;
}

std::string read_label(const YamlReader& name, const LabelNames& table) {
  std::string label = name.text();
  if (label.empty()) name.fail("is no name of a label");
  if (table && std::find(table->begin(), table->end(), label) == table->end()) {
    const std::vector<std::string_view> known(table->begin(), table->end());
    name.fail("is not in scene.labels" + nearest_hint(label, known));
  }
  return label;
}

void read_material(YamlReader& map, Entity& entity) {
  const auto value = map.find("reflectivity"), material = map.find("material");
  if (value && material) value->fail("and a material are both given; the material has a reflectivity");
  if (value) entity.material.clear();  // the part has its own, instead of the material of the whole
  if (!material) return;
  entity.material = material->text();
  if (entity.material.empty()) material->fail("is no name of a material");
}

}  // namespace

template <class T>
std::optional<ParameterRange> read_surface(YamlReader& map, const LabelNames& table, T& thing) {
  if constexpr (std::is_same_v<T, Entity>) read_material(map, thing);
  std::optional<ParameterRange> range;
  if (const auto value = Quantity::find(map, "reflectivity")) {
    if constexpr (std::is_same_v<T, Entity>) range = read_range(*value, reflectivity_field());
    if (range) range->target = ParameterRange::Target::kEntity;
    thing.reflectivity = static_cast<float>(range ? middle_of(*range) : value->number({0, 1, "1"}));
  }
  if (const auto groups = map.find("groups")) thing.groups = read_groups(*groups);
  if (const auto sided = map.find("one_sided")) thing.one_sided = sided->boolean();
  if (const auto label = map.find("label")) thing.label = read_label(*label, table);
  return range;
}

template std::optional<ParameterRange> read_surface(YamlReader& map, const LabelNames& table, Entity& thing);
template std::optional<ParameterRange> read_surface(YamlReader& map, const LabelNames& table, RobotPlace& thing);

namespace {

/// A part of a file, by its name there.
struct NamedMesh {
  std::string name;
  MeshId mesh = {};
};

/// The value of a name under `meshes`: a mesh or, for a file that is split, its parts.
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

/// An entity with its ranges. The ids of the ranges are set once it is in the scene.
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
    part.groups.clear();  // the groups of the whole include its parts
    names.push_back(mesh.name);
    for (LocatedRange range : whole.ranges) {  // of surfaces only: a part has the place of the whole
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
  for (LocatedRange& range : read_pose_offset(map, ParameterRange::Target::kEntity))
    read.ranges.push_back(std::move(range));
  return read;
}

/// Adds the entity with its ranges.
EntityId add_entity(ReadEntity read, WorldSetup& world) {
  const EntityId id = world.scene.add_entity(std::move(read.entity));
  for (LocatedRange& one : read.ranges) {
    one.range.entity = id;
    one.where.located([&] { check_range(world.scene.entities(), one.range); });
    world.ranges.push_back(std::move(one.range));
  }
  return id;
}

/// A far parent moves its children far away. Checks a bound that holds at all times. Entities beyond `entries` are
/// parts, which have the place of the whole, and from `first_link` on links of the robots in `from`.
void check_far_places(const Scene& scene, const std::vector<YamlReader>& entries, std::size_t first_link,
                      const YamlReader* from) {
  const std::vector<double> farthest_m = farthest_from_world_m(scene);
  for (std::size_t i = 0; i < farthest_m.size(); ++i) {
    if (scene.entities()[i].parent == kNoEntity || farthest_m[i] <= kMaxCoordinateM) continue;
    const bool is_link = i >= first_link;
    if (i >= entries.size() && !is_link) continue;
    (is_link ? *from : entries[i]).located([&] {
      throw InputError(fmt::format("{}its place and its parents' places add up to {} m, more than {} m",
                                   is_link ? fmt::format("link '{}': ", scene.entities()[i].name) : "",
                                   number_text(farthest_m[i]), limit_text(kMaxCoordinateM)));
    });
  }
}

void set_parent(WorldSetup& world, EntityId child, const YamlReader& parent) {
  Scene& scene = world.scene;
  parent.located([&] {
    const PlacedRobot::Mount mount = find_parent(scene, world.bare_links, parent.text());
    scene.set_parent(child, mount.parent);
    if (mount.parent_from_link == Pose{}) return;
    scene.set_motion(child, carried(mount.parent_from_link, scene.entities()[index(child)].parent_from_entity));
  });
}

/// Adds parts after the entities of the list, so that the ids of these are their positions in the list.
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
  static_cast<void>(map.find("file"));  // include_scene() has read it; the key is known for hints on slips
  const auto from = map.find("from");
  const auto known = from ? map.find("meshes") : map.at("meshes");
  const MeshIds meshes = known ? read_meshes(*known, files, scene) : MeshIds();
  std::vector<std::pair<EntityId, YamlReader>> parents;
  std::vector<std::vector<ReadEntity>> parts;  // [entities of the list]
  const auto list = from ? map.find("entities") : map.at("entities");
  std::vector<YamlReader> entries = list ? list->items() : std::vector<YamlReader>();
  const MeshOrParts nothing;
  for (YamlReader& entry : entries) {
    const auto shown = entry.find("mesh");  // without a mesh: a frame of reference for others
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
