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
  std::string key;  ///< with pose and scale it identifies the shape
  Pose link_from_shape = {};
  Vec3 scale = {1, 1, 1};
  std::function<Mesh()> make;
};

// Shapes with sizes as in URDF and SDF.
LinkShape box_shape(const Vec3& size_m);
LinkShape sphere_shape(double radius_m);
LinkShape cylinder_shape(double radius_m, double length_m);
LinkShape capsule_shape(double radius_m, double length_m);
LinkShape ellipsoid_shape(const Vec3& radii_m);
/// A rectangle in its x-y plane, turned to face along `normal`.
LinkShape plane_shape(const Vec3& normal, double size_x_m, double size_y_m);

/// Makes each mesh of a robot once.
class LinkShapes {
 public:
  /// Adds the files that it opens to `opened`.
  LinkShapes(Robot& robot, std::vector<std::filesystem::path>& opened) : robot_(robot), opened_(opened) {}

  /// The mesh in a file, as its vertices are written.
  LinkShape file_shape(const std::filesystem::path& file, const Vec3& scale);
  void note_opened(const std::filesystem::path& file) { opened_.push_back(file); }
  /// Joins the shapes of a link into a mesh of Robot::meshes; empty if there are no shapes. Throws InputError for bad
  /// sizes, and if all meshes together have too many triangles.
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
