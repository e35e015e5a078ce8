// SPDX-License-Identifier: MIT
#pragma once
// A small valid scene to begin from.

#include <nlohmann/json.hpp>

#include <fathom/simulate/run.hpp>

#include "run/scene_file.hpp"
#include "support/expect.hpp"

namespace fathom::test {

namespace fs = std::filesystem;

/// All files below a folder: name -> bytes.
inline std::map<std::string, std::string> read_folder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).string()] = bytes_of(entry.path());
  }
  return files;
}

/// The text with the first `from` replaced; throws when it is missing, so that no test passes by chance.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the scene has no '" + from + "'");
  return text.replace(at, from.size(), to);
}

/// bad_scene_test.cpp depends on its lines.
inline const std::string kScene = R"(frames: 2
rate_hz: 10
seed: 5
sensors:
  - name: lidar
    preset: VLP-16
    columns: 90
    position_m: [0, 0, 1]
    noise:
      - distance: {stddev_m: 0.01}
    outputs: [pcd, range_image]
  - name: laser
    type: laser_2d
    rays: 45
    min_azimuth_deg: -90
    max_azimuth_deg: 90
    min_range_m: 0.1
    max_range_m: 20
    parent: cart
scene:
  meshes:
    floor: {plane: {size_m: [20, 20]}}
    box: {box: {size_m: [1, 1, 1]}}
  entities:
    - {name: floor, mesh: floor}
    - {name: cart, mesh: box, position_m: [3, 0, 0.5]}
    - {name: crate, mesh: box, position_m: [0, 3, 0.5], parent: cart}
)";

}  // namespace fathom::test
