// SPDX-License-Identifier: MIT
#pragma once

#include "support/expect.hpp"

namespace cli_test {

/// A closed room seen by a VLP-16: every ray hits.
inline std::string room_scene(
    const std::string& outputs = "[{npy: {channels: [range, clean_range]}}, pcd, range_image]") {
  return "scene:\n"
         "  meshes:\n"
         "    room: {box: {size_m: [8, 6, 3]}}\n"
         "  entities:\n"
         "    - {name: room, mesh: room, position_m: [0, 0, 1.5]}\n"
         "sensors:\n"
         "  - name: lidar\n"
         "    preset: VLP-16\n"
         "    position_m: [0, 0, 1]\n"
         "    noise: [{distance: {stddev_m: 0.02}}]\n"
         "    outputs: " +
         outputs +
         "\n"
         "frames: 2\n"
         "seed: 1\n";
}

}  // namespace cli_test
