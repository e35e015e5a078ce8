// SPDX-License-Identifier: MIT
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/files/meshes.hpp>
#include <fathom/scene/grid_map.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "core/text/read_fields.hpp"
#include "io/mesh/read_mesh.hpp"
#include "run/read_scene.hpp"
#include "scene/checks.hpp"

namespace fathom {

namespace {

constexpr double kRightAngle = 1.57079637050628662;  // pi / 2 in single precision
constexpr Limits kAngles = {0, kRightAngle, "rad"}, kValues = {0, kMostIncidenceValue, "1"};

void read_table(const Quantity& table, Material& material) {
  material.law = Material::Law::kTable;
  for (const YamlReader& entry : table.reader().items()) {
    const std::vector<YamlReader> pair = entry.items();
    if (pair.size() != 2) entry.fail("is not a pair of an angle and a value");
    material.table.push_back(
        {static_cast<float>(table.part(pair[0], kAngles)), static_cast<float>(pair[1].number(kValues))});
  }
}

void read_retro(YamlReader retro, Material& material) {
  material.law = Material::Law::kRetro;
  material.gain = static_cast<float>(retro.at("gain").number({0.001, kMostIncidenceValue, "1"}));
  material.width_rad = static_cast<float>(Quantity::at(retro, "width_rad").number({0.001, kRightAngle, "rad"}));
  retro.finish();
}

}  // namespace

void read_materials(YamlReader map, Scene& scene) {
  for (YamlReader& entry : map.entries()) {
    Material material;
    if (const auto preset = entry.find("preset")) {
      material = preset_material({}, kMaterialPresets[preset->one_of(kMaterialPresets)]);
    }
    material.name = entry.key();
    read_fields(entry, material.optics);
    if (const auto value = entry.find("reflectivity")) {
      if (material.optics.is_clear())
        value->fail_key("is not for a surface that passes or mirrors light: give diffuse");
      material.reflectivity = static_cast<float>(value->number({0, 1, "1"}));
    }
    const auto table = Quantity::find(entry, "table_rad");
    const auto retro = entry.find("retro");
    if (table && retro) retro->fail_key("and a table are both given; a material has one law");
    if (table) read_table(*table, material);
    if (retro) read_retro(*retro, material);
    entry.finish();
    entry.located([&] { scene.add_material(std::move(material)); });
  }
}

namespace {

constexpr Limits kSizeLimits = {1e-6, kMostPrimitiveM, "m"};  // limits of files are closed

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

Mesh read_capsule(YamlReader& shape, SceneFiles& /*files*/) {
  const double radius_m = shape.at("radius_m").number(kSizeLimits);
  const double height_m = shape.at("height_m").number(kSizeLimits);
  return make_capsule(radius_m, height_m, read_segments(shape));
}

Mesh read_ellipsoid(YamlReader& shape, SceneFiles& /*files*/) {
  const std::vector<double> radii = shape.at("radii_m").numbers(3, kSizeLimits);
  return make_ellipsoid({radii[0], radii[1], radii[2]}, read_segments(shape));
}

/// Heights in the scene file, a list of rows.
HeightField read_rows(const YamlReader& list) {
  HeightField field;
  for (const YamlReader& row : list.items()) {
    const std::vector<double> heights = row.numbers({-kMostPrimitiveM, kMostPrimitiveM, "m"});
    if (field.rows > 0 && heights.size() != field.cols) {
      row.fail(fmt::format("has {} heights, the rows before it {}", heights.size(), field.cols));
    }
    field.cols = static_cast<std::uint32_t>(heights.size());
    ++field.rows;
    for (const double height_m : heights) field.heights_m.push_back(static_cast<float>(height_m));
  }
  return field;
}

HeightField read_height_file(YamlReader& shape, const YamlReader& file, SceneFiles& files) {
  const std::filesystem::path path = read_path(file, files);
  if (path.extension() == ".npy") return file.located([&] { return read_height_array(path); });
  HeightImageOptions options;
  options.elevation_m = shape.at("elevation_m").number(kSizeLimits);
  if (const auto stretch = shape.find("stretch")) options.stretch = stretch->boolean();
  return file.located([&] { return read_height_image(path, options); });
}

Mesh read_height_field(YamlReader& shape, SceneFiles& files) {
  const std::vector<double> size = read_size(shape, 2);
  const auto base = shape.find("base_m");
  const double base_m = base ? base->number({0, kMostPrimitiveM, "m"}) : 0.0;
  const auto rows = shape.find("heights_m"), file = shape.find("file");
  if (rows && file) file->fail("gives the heights a second time; heights_m gives them");
  if (!rows && !file) {
    shape.fail("has no heights: give 'file' (PNG, PGM or NPY) or 'heights_m'" + shape.slip_hint());
  }
  HeightField field = rows ? read_rows(*rows) : read_height_file(shape, *file, files);
  files.notes.insert(files.notes.end(), field.notes.begin(), field.notes.end());
  field.size_x_m = size[0];
  field.size_y_m = size[1];
  field.base_m = base_m;
  return make_height_field(field);
}

/// The occupied cells of a map, as walls.
Mesh read_walls(YamlReader& shape, SceneFiles& files) {
  const YamlReader file = shape.at("file");
  const double height_m = shape.at("height_m").number({kLeastWallM, kMostWallM, "m"});
  const std::filesystem::path path = read_path(file, files);
  return file.located([&] {
    const GridMap map = read_grid_map(path);
    files.opened.insert(files.opened.end(), map.files.begin() + 1, map.files.end());
    files.notes.insert(files.notes.end(), map.notes.begin(), map.notes.end());
    return with_prefix([&] { return path.string(); },
                       [&] { return within_memory(path, [&] { return make_walls(map, height_m); }); });
  });
}

/// A mesh that is made, not read: its word in files and the function that reads its parameters.
struct Primitive {
  std::string_view word;
  Mesh (*read)(YamlReader& shape, SceneFiles& files);
};
constexpr Primitive kPrimitives[] = {{"plane", &read_plane},
                                     {"box", &read_box},
                                     {"sphere", &read_sphere},
                                     {"cylinder", &read_cylinder},
                                     {"capsule", &read_capsule},
                                     {"ellipsoid", &read_ellipsoid},
                                     {"height_field", &read_height_field},
                                     {"grid_map", &read_walls}};

constexpr std::string_view kUpAxes[] = {"x", "y", "z"};  // in the order of UpAxis

constexpr std::string_view kSplits[] = {"nodes", "materials"};  // in the order of MeshSplit

std::optional<UpAxis> read_up_axis(YamlReader& entry) {
  const auto axis = entry.find("up_axis");
  return axis ? std::optional(UpAxis(axis->one_of(kUpAxes))) : std::nullopt;
}

Mesh read_mesh_file(const YamlReader& file, SceneFiles& files, std::optional<UpAxis> up_axis) {
  const std::filesystem::path path = read_path(file, files);
  return file.located([&] { return read_mesh(path, up_axis, files.opened, files.notes); });
}

}  // namespace

Mesh read_mesh_entry(YamlReader entry, SceneFiles& files) {
  if (entry.is(YamlValue::Kind::kScalar)) return read_mesh_file(entry, files, std::nullopt);
  if (entry.is(YamlValue::Kind::kMap)) {
    if (const auto file = entry.find("file")) {
      static_cast<void>(entry.find("split"));  // a known key; entries with it are not read here
      const std::optional<UpAxis> axis = read_up_axis(entry);
      entry.finish();
      return read_mesh_file(*file, files, axis);
    }
  }
  if (entry.value().kind != YamlValue::Kind::kMap || entry.value().entries.size() != 1) {
    std::string words;
    for (const Primitive& primitive : kPrimitives) {
      words += fmt::format(", {}", primitive.word);
      if (entry.is(YamlValue::Kind::kMap)) static_cast<void>(entry.find(primitive.word));
    }
    entry.fail("is not one of: a file name, file" + words + entry.slip_hint());
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

bool is_split(const YamlReader& entry) {
  return entry.is(YamlValue::Kind::kMap) && entry.value().find("split") != nullptr;
}

std::vector<MeshPart> read_split_mesh(YamlReader entry, SceneFiles& files) {
  const YamlReader file = entry.at("file"), split = entry.at("split");
  const std::optional<UpAxis> axis = read_up_axis(entry);
  entry.finish();
  const auto by = static_cast<MeshSplit>(split.one_of(kSplits));
  const std::filesystem::path path = read_path(file, files);
  return file.located([&] { return read_mesh_parts(path, by, axis, files.opened, files.notes); });
}

}  // namespace fathom
