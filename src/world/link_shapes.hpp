// SPDX-License-Identifier: MIT
#pragma once
// The shapes of a link as one mesh.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fathom/files/robot.hpp>

namespace fathom {

/// A shape in the frame of its link.
struct LinkShape {
  std::string key;  ///< with pose and scale, tells whether two are the same
  Pose link_from_shape = {};
  Vec3 scale = {1, 1, 1};
  std::function<Mesh()> make;
};

/// Shapes with the sizes that URDF and SDF give.
LinkShape box_shape(const Vec3& size_m);
LinkShape sphere_shape(double radius_m);
LinkShape cylinder_shape(double radius_m, double length_m);
LinkShape capsule_shape(double radius_m, double length_m);
LinkShape ellipsoid_shape(const Vec3& radii_m);
/// A rectangle in its own x-y plane, turned so that it faces along `normal`.
LinkShape plane_shape(const Vec3& normal, double size_x_m, double size_y_m);

/// Makes the meshes of a robot, each once.
class LinkShapes {
 public:
  /// The files that it opens are added to `opened`.
  LinkShapes(Robot& robot, std::vector<std::filesystem::path>& opened) : robot_(robot), opened_(opened) {}

  /// The mesh in a file, as its vertices are written.
  LinkShape file_shape(const std::filesystem::path& file, const Vec3& scale);
  void note_opened(const std::filesystem::path& file) { opened_.push_back(file); }
  /// All shapes of a link joined, in Robot::meshes; nothing of none. Throws InputError for sizes, and when all meshes
  /// together have too many triangles.
  std::optional<std::size_t> join(const std::vector<LinkShape>& shapes);

 private:
  const Mesh& read(const std::filesystem::path& file);

  Robot& robot_;
  std::vector<std::filesystem::path>& opened_;
  std::map<std::filesystem::path, Mesh> files_;
  std::map<std::string, std::size_t> made_;
  std::size_t triangles_ = 0;
};

}  // namespace fathom
