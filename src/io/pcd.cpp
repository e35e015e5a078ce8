#include <fmt/format.h>

#include <fathom/output.hpp>

#include "io/point_layout.hpp"
#include "io/whole_file.hpp"

namespace fathom {

namespace {

/// The header of a PCD file, version 0.7: https://pointclouds.org/documentation/tutorials/pcd_file_format.html
std::string pcd_header(const PackedCloud& cloud) {
  std::string fields, sizes, types, counts;
  for (const PointField& field : cloud.layout.fields) {
    fields += fmt::format(" {}", field.name);
    sizes += fmt::format(" {}", size_of(field.type));
    types += field.type == FieldType::kFloat32 ? " F" : " U";
    counts += " 1";
  }
  return fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS{}\nSIZE{}\nTYPE{}\nCOUNT{}\nWIDTH {}\nHEIGHT "
      "{}\n"
      "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\nDATA binary\n",
      fields, sizes, types, counts, cloud.width, cloud.height, cloud.points());
}

}  // namespace

void write_pcd(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options) {
  const PackedCloud cloud = pack_cloud(frame, options);
  WholeFile out(file);
  out.write(pcd_header(cloud));
  out.write(cloud.bytes());
  out.commit();
}

}  // namespace fathom
