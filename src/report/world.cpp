// SPDX-License-Identifier: MIT
#include <fathom/beam/world.hpp>

#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/field.hpp>
#include <fathom/beam/scene_ranges.hpp>
#include <fathom/files/maps.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

World::World(std::shared_ptr<const ExpectedRanges> expected, std::string name)
    : expected_(std::move(expected)), name_(std::move(name)) {
  if (!expected_) throw InputError("a world needs expected ranges");
}

World World::from_map(const GridMap& map, const GridCasterOptions& options) {
  World world(make_grid_ranges(map, options));
  world.unknown_ = options.unknown;
  world.outline_ = {map.rows, map.cols, map.resolution_m, map.world_from_map, {}};
  return world;
}

World World::from_map(const std::filesystem::path& yaml_file, const GridCasterOptions& options) {
  GridMapFile file = read_grid_map_file(yaml_file);
  World world = from_map(file.map, options);
  world.name_ = yaml_file.filename().string();
  world.inputs_ = std::move(file.files);
  world.notes_ = std::move(file.notes);
  return world;
}

World World::from_scene(const Scene& scene, const SceneRangesOptions& options, UnknownCells unknown) {
  World world(make_scene_ranges(scene, options));
  world.unknown_ = unknown;
  return world;
}

World World::from_scene(const SceneSetup& setup, double height_m, UnknownCells unknown, const Compute& compute) {
  check_in_range("world", "height_m", height_m, -kMostHeightM, kMostHeightM, "m");
  SceneRangesOptions options;
  options.pose_from_sensor.translation_m.z = height_m;
  options.compute = compute;
  World world = from_scene(setup.scene, options, unknown);
  world.name_ = fmt::format("{} at a height of {:g} m", setup.file.filename().string(), height_m);
  world.inputs_ = setup.inputs;
  world.notes_ = setup.notes;
  return world;
}

}  // namespace fathom
