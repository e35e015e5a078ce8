// SPDX-License-Identifier: MIT
#pragma once
// A small scene with drawn parameters and a moving sensor, and a dataset of it.

#include <fathom/simulate/dataset.hpp>

#include "support/expect.hpp"

namespace fathom::test {

namespace fs = std::filesystem;

inline const std::string kDatasetScene = R"(frames: 5
seed: 5
sensors:
  - name: laser
    type: laser_2d
    rays: 8
    min_range_m: 0.1
    max_range_m: 20
    min_azimuth_deg: -90
    max_azimuth_deg: 90
    rolling: true
    motion: {keyframes: [{time_s: 0, position_m: [0, 0, 1]}, {time_s: 1, position_m: [1, 0, 1]}]}
    noise:
      - distance: {stddev_m: {uniform: [0.01, 0.2]}}
      - dropout: {probability: 0.2}
    outputs: [{npy: {channels: [range, reason]}}]
scene:
  meshes:
    room: {box: {size_m: [8, 6, 3]}}
  entities:
    - {name: room, mesh: room, position_m: [0, 0, 1.5]}
)";

/// All files below a folder: name -> bytes.
inline std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).string()] = bytes_of(entry.path());
  }
  return files;
}

inline void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// The scene in a file, and datasets of it beside.
struct DatasetFolder {
  TemporaryFolder folder = {};
  SceneSetup setup = read(kDatasetScene);

  [[nodiscard]] SceneSetup read(const std::string& scene) const {
    write_bytes(fs::path(folder / "scene.yaml"), scene);
    return read_scene_file(folder / "scene.yaml");
  }

  /// Three environments, two episodes, five frames in blocks of two: 18 units.
  [[nodiscard]] DatasetOptions options(const std::string& out) const {
    DatasetOptions options;
    options.run.out = folder / out;
    options.run.compute.threads = 1;
    options.environments = {1, 4};
    options.episodes = {0, 2};
    options.block = 2;
    return options;
  }
};

/// Whether this build writes HDF5.
constexpr bool has_hdf5() {
#ifdef FATHOM_HDF5
  return true;
#else
  return false;
#endif
}

}  // namespace fathom::test
