// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <fathom/files/clouds.hpp>

#include "cloud/point_layout.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

/// Viewers know normals in PLY files as nx, ny and nz.
std::string_view ply_name(std::string_view name) {
  if (name == "normal_x") return "nx";
  if (name == "normal_y") return "ny";
  return name == "normal_z" ? "nz" : name;
}

std::string_view ply_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return "uchar";
    case ElementType::kUint16:
      return "ushort";
    case ElementType::kUint32:
      return "uint";
    case ElementType::kFloat32:
      return "float";
  }
  return {};
}

std::string ply_header(const PackedCloud& cloud) {
  std::string properties;
  for (const PointField& field : cloud.layout.fields) {
    properties += fmt::format("property {} {}\n", ply_type(field.type), ply_name(field.name));
  }
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\nobj_info width {}\nobj_info height {}\nelement vertex {}\n{}end_header\n",
      cloud.width, cloud.height, cloud.points(), properties);
}

}  // namespace

void write_ply(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options) {
  const PackedCloud cloud = pack_cloud(frame, options);
  WholeFile out(file);
  out.write(ply_header(cloud));
  out.write(cloud.bytes());
  out.commit();
}

}  // namespace fathom
