// SPDX-License-Identifier: MIT
#pragma once
// Scenes and cameras for the tests of depth and stereo cameras, with their geometry in closed form.

#include "render/test_scenes.hpp"

namespace fathom::test {

inline StereoCamera make_stereo(std::uint32_t width, std::uint32_t height, double fx, double baseline_m,
                                CameraReference reference = CameraReference::kCenter) {
  StereoCamera camera;
  camera.width = width, camera.height = height, camera.fx = fx;
  camera.baseline_m = baseline_m, camera.reference = reference;
  camera.max_range_m = 1000.0;
  return camera;
}

/// A plane through (distance, 0, 0), its normal turned by `angle` about z away from the camera at the origin.
struct TiltedPlane {
  double distance_m, angle_rad, size_m = 1000.0;

  [[nodiscard]] Vec3 normal() const { return {-std::cos(angle_rad), -std::sin(angle_rad), 0}; }
  [[nodiscard]] Pose pose() const {
    return {{distance_m, 0, 0}, from_roll_pitch_yaw(0, -std::numbers::pi / 2, angle_rad)};
  }
  /// Where a ray from the origin meets the plane.
  [[nodiscard]] Vec3 hit(const Vec3& direction) const {
    return (-distance_m * std::cos(angle_rad) / dot(normal(), direction)) * direction;
  }
};

inline Scene make_plane_scene(const TiltedPlane& plane, const Pose& world_from_sensor = {}) {
  Scene scene;
  scene.add_entity({.name = "plane",
                    .mesh = scene.add_mesh(make_plane(plane.size_m, plane.size_m)),
                    .parent_from_entity = world_from_sensor * plane.pose()});
  return scene;
}

/// A wall at x = far_m and, before it at near_m, a post `width_m` wide. Both face the camera at the origin.
inline Scene make_post_scene(double near_m, double far_m, double width_m) {
  Scene scene;
  scene.add_entity({.name = "wall",
                    .mesh = scene.add_mesh(make_plane(100, 100)),
                    .parent_from_entity = TiltedPlane{far_m, 0}.pose()});
  scene.add_entity({.name = "post",
                    .mesh = scene.add_mesh(make_plane(100, width_m)),
                    .parent_from_entity = TiltedPlane{near_m, 0}.pose()});
  return scene;
}

/// Makes one mesh of two.
inline void append(Mesh& mesh, const Mesh& more) {
  const auto base = static_cast<std::uint32_t>(mesh.vertices_m.size());
  mesh.vertices_m.insert(mesh.vertices_m.end(), more.vertices_m.begin(), more.vertices_m.end());
  for (const auto& t : more.triangles) mesh.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
}

inline Vec3 direction_of(const RayPattern& p, std::size_t i) {
  return {p.direction_x[i], p.direction_y[i], p.direction_z[i]};
}

inline std::uint64_t count_of(const Frame& frame, Reason reason) {
  return frame.count_reasons()[static_cast<std::size_t>(reason)];
}

/// Pixels of one row with that reason.
inline std::uint32_t count_in_row(const Frame& frame, std::uint32_t row, Reason reason) {
  std::uint32_t count = 0;
  for (std::uint32_t u = 0; u < frame.cols(); ++u)
    count += frame.reason()[std::size_t{row} * frame.cols() + u] == reason;
  return count;
}

}  // namespace fathom::test
