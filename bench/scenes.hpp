// SPDX-License-Identifier: MIT
#pragma once
// The sets of rays and scenes of the table in bench/README.md.

#include <filesystem>
#include <string>
#include <vector>

#include <fathom/scene/scene.hpp>
#include <fathom/sensor/kinds.hpp>

namespace fathom::bench {

struct Set {
  std::string name;
  const Scene* scene;
  SensorModel model;
  Pose world_from_sensor;
  bool dense;  ///< held to the targets of dense sensors
};

/// The shipped house, at rest.
Scene make_house(const std::filesystem::path& scene_file);
/// A hilly square of 707 x 707 cells, 999 698 triangles, 500 m wide.
Scene make_terrain();
/// `count` rays in random directions.
RayPattern make_incoherent_rays(std::uint32_t count);
/// The sets: house lidar, house camera, 16 rings, incoherent, terrain lidar.
std::vector<Set> make_sets(const Scene& house, const Scene& terrain);

}  // namespace fathom::bench
