// SPDX-License-Identifier: MIT
#pragma once
// A room with a lidar whose chain of noise is learned.

#include "process.hpp"

namespace cli_test {

inline constexpr const char* kRoom =
    "scene:\n  meshes:\n    room: {box: {size_m: [8, 6, 3]}}\n    ball: {sphere: {radius_m: 0.7}}\n  entities:\n"
    "    - {name: room, mesh: room, position_m: [0, 0, 1.5]}\n    - {name: ball, mesh: ball, position_m: [2, 0.3, "
    "1]}\n";

inline constexpr const char* kLidarScene =
    "sensors:\n  - name: lidar\n    preset: VLP-16\n    columns: 90\n    position_m: [-2, 0, 1]\n"
    "    noise: [{loss_angle: {max_incidence_deg: 70}}, {distance: {mean_m: 0.01, stddev_m: 0.02}}, {dropout: "
    "{probability: 0.1}}]\n    outputs: [{npy: {channels: [range, clean_range]}}]\nframes: 25\nseed: 3\n";

inline constexpr const char* kWrong =
    "sensors.lidar.noise=[{loss_angle: {max_incidence_deg: 80}}, {distance: {stddev_m: "
    "0.05}}, {dropout: {probability: 0.3}}]";

inline void expect_found(const json& fit, const std::string& name, double truth) {
  expect_learned(fit, name, truth, 0.3);
}

class CalibrateChain : public testing::Test {
 protected:
  std::string scene(const char* sensors) { return write_text(folder_ / "scene.yaml", std::string(kRoom) + sensors); }
  std::string simulated(const std::string& scene, const std::string& name, Words more = {}) {
    succeed(Words{"simulate", scene, "--out", folder_ / name, "--quiet"} + more);
    return folder_ / name;
  }
  TemporaryFolder folder_;
};

}  // namespace cli_test
