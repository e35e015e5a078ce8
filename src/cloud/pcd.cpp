// SPDX-License-Identifier: MIT
#include <fathom/files/clouds.hpp>

#include "cloud/pcd_header.hpp"
#include "cloud/point_layout.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

std::string pcd_header(const PackedCloud& cloud) {
  PcdHeader header;
  for (const PointField& field : cloud.layout.fields) {
    header.add(field.name, size_of(field.type), field.type == ElementType::kFloat32 ? 'F' : 'U');
  }
  return header.text(cloud.width, cloud.height);
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
