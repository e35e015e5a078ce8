// SPDX-License-Identifier: MIT
#include "simulate/read_world.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/files/read.hpp>
#include <fathom/scene/grid_map.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"
#include "log/grid_map.hpp"
#include "mesh/read_mesh.hpp"
#include "scene/world_poses.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

constexpr Limits kSizeLimits = {1e-6, kMostPrimitiveM, "m"};  // limits of files are closed

using MeshIds = std::unordered_map<std::string, MeshId>;

std::uint32_t read_segments(YamlReader& shape) {
  const auto segments = shape.find("segments");
  return static_cast<std::uint32_t>(segments ? segments->whole(kLeastSegments, kMostSegments) : kUsualSegments);
}

std::vector<double> read_size(YamlReader& shape, std::size_t count) {
  return shape.at("size_m").numbers(count, kSizeLimits);
}

Mesh read_plane(YamlReader& shape, SceneFiles& /*files*/) {
  const std::vector<double> size = read_size(shape, 2);
  return make_plane(size[0], size[1]);
}

Mesh read_box(YamlReader& shape, SceneFiles& /*files*/) {
  const std::vector<double> size = read_size(shape, 3);
  return make_box({size[0], size[1], size[2]});
}

Mesh read_sphere(YamlReader& shape, SceneFiles& /*files*/) {
  const double radius_m = shape.at("radius_m").number(kSizeLimits);
  return make_sphere(radius_m, read_segments(shape));
}

Mesh read_cylinder(YamlReader& shape, SceneFiles& /*files*/) {
  const double radius_m = shape.at("radius_m").number(kSizeLimits);
  const double height_m = shape.at("height_m").number(kSizeLimits);
  return make_cylinder(radius_m, height_m, read_segments(shape));
}

/// The occupied cells of a map, raised.
Mesh read_walls(YamlReader& shape, SceneFiles& files) {
  const YamlReader file = shape.at("file");
  const double height_m = shape.at("height_m").number({kLeastWallM, kMostWallM, "m"});
  const std::filesystem::path path = read_path(file, files);
  return file.located([&] {
    const GridMap map = read_grid_map(path, files.opened);
    return with_prefix([&] { return path.string(); },
                       [&] { return within_memory(path, [&] { return make_walls(map, height_m); }); });
  });
}

/// A mesh that is made, not read: its word in files and how its parameters become one.
struct Primitive {
  std::string_view word;
  Mesh (*read)(YamlReader& shape, SceneFiles& files);
};
constexpr Primitive kPrimitives[] = {{"plane", &read_plane},
                                     {"box", &read_box},
                                     {"sphere", &read_sphere},
                                     {"cylinder", &read_cylinder},
                                     {"grid_map", &read_walls}};

constexpr std::string_view kUpAxes[] = {"x", "y", "z"};  // in the order of UpAxis

Mesh read_mesh_file(const YamlReader& file, SceneFiles& files, std::optional<UpAxis> up_axis) {
  const std::filesystem::path path = read_path(file, files);
  return file.located([&] { return read_mesh(path, up_axis, files.opened); });
}

/// A file name, {file: name, up_axis: y}, or {primitive: {sizes}}.
Mesh read_mesh_entry(YamlReader entry, SceneFiles& files) {
  if (entry.is(YamlValue::Kind::kScalar)) return read_mesh_file(entry, files, std::nullopt);
  if (entry.is(YamlValue::Kind::kMap)) {
    if (const auto file = entry.find("file")) {
      const auto axis = entry.find("up_axis");
      entry.finish();
      return read_mesh_file(*file, files, axis ? std::optional(UpAxis(axis->one_of(kUpAxes))) : std::nullopt);
    }
  }
  if (entry.value().kind != YamlValue::Kind::kMap || entry.value().entries.size() != 1) {
    entry.fail("is not one of: a file name, file, plane, box, sphere, cylinder, grid_map");
  }
  for (const Primitive& primitive : kPrimitives) {
    auto shape = entry.find(primitive.word);
    if (!shape) continue;
    Mesh mesh = shape->located([&] { return primitive.read(*shape, files); });
    shape->finish();
    return mesh;
  }
  entry.finish();
  entry.fail("is no mesh");
}

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
