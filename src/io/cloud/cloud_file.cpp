// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/files/clouds.hpp>

#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "io/cloud/point_layout.hpp"
#include "io/cloud/read_cloud.hpp"
#include "io/message/cdr.hpp"

namespace fathom {

void write_pcd(const std::filesystem::path& file, std::span<const CloudProperty> properties, std::size_t points) {
  PcdHeader header;
  std::size_t step = 0;
  for (const CloudProperty& p : properties) {
    const auto parts = static_cast<std::size_t>(std::count(p.names.begin(), p.names.end(), ' ')) + 1;
    std::string_view rest = p.names;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      header.add(rest.substr(0, end), p.size / parts, p.type);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    step += p.size;
  }
  std::vector<std::byte> packed(points * step);
  std::size_t offset = 0;
  for (const CloudProperty& p : properties) {
    for (std::size_t i = 0; i < points; ++i)
      std::memcpy(packed.data() + i * step + offset, p.data + i * p.size, p.size);
    offset += p.size;
  }
  WholeFile out(file);
  out.write(header.text(points, 1));
  out.write(packed);
  out.commit();
}

void PcdHeader::add(std::string_view name, std::size_t size, char type, std::uint32_t count) {
  fields_ += fmt::format(" {}", name);
  sizes_ += fmt::format(" {}", size);
  types_ += fmt::format(" {}", type);
  counts_ += fmt::format(" {}", count);
}

std::string PcdHeader::text(std::size_t width, std::size_t height) const {
  return fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS{}\nSIZE{}\nTYPE{}\nCOUNT{}\nWIDTH {}\nHEIGHT "
      "{}\n"
      "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\nDATA binary\n",
      fields_, sizes_, types_, counts_, width, height, width * height);
}

namespace {

/// A type of sensor_msgs/msg/PointField in files.
struct PointType {
  char pcd;
  std::uint32_t size;
  std::string_view ply;
};

const PointType& point_type(std::uint8_t datatype) {
  static constexpr std::array<PointType, 8> kTypes = {{{'I', 1, "char"},
                                                       {'U', 1, "uchar"},
                                                       {'I', 2, "short"},
                                                       {'U', 2, "ushort"},
                                                       {'I', 4, "int"},
                                                       {'U', 4, "uint"},
                                                       {'F', 4, "float"},
                                                       {'F', 8, "double"}}};
  return kTypes.at(datatype - 1U);
}

/// Calls add(name, type, count) for the fields, and for the bytes between them, which are named "_".
template <class Add>
void for_each_field(const msg::PointCloud2& cloud, Add add) {
  std::uint32_t at = 0;
  const auto add_gap = [&](std::uint32_t end) {
    if (end > at) add("_", point_type(2), end - at);
  };
  for (const msg::PointField& field : cloud.point_fields) {
    const PointType& type = point_type(field.datatype);
    add_gap(field.offset);
    add(field.name, type, field.count);
    at = field.offset + type.size * field.count;
  }
  add_gap(cloud.point_step);
}

std::string pcd_text(const msg::PointCloud2& cloud) {
  PcdHeader header;
  for_each_field(cloud, [&](std::string_view name, const PointType& type, std::uint32_t count) {
    header.add(name, type.size, type.pcd, count);
  });
  return header.text(cloud.width, cloud.height);
}

std::string ply_text(const msg::PointCloud2& cloud) {
  std::string text = fmt::format("ply\nformat binary_{}_endian 1.0\nelement vertex {}\n",
                                 cloud.is_bigendian ? "big" : "little", std::uint64_t{cloud.width} * cloud.height);
  for_each_field(cloud, [&](std::string_view name, const PointType& type, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) text += fmt::format("property {} {}\n", type.ply, name);
  });
  return text + "end_header\n";
}

std::string npy_text(const msg::PointCloud2& cloud) {
  std::vector<std::size_t> shape = {cloud.width, cloud.point_fields.size()};
  if (cloud.height > 1) shape.insert(shape.begin(), cloud.height);
  const bool is_single = cloud.point_fields.front().datatype == 7;
  return npy::header(is_single ? npy::Type::kFloat32 : npy::Type::kFloat64, shape);
}

std::string file_header(const msg::PointCloud2& cloud, CloudFileFormat format) {
  if (format == CloudFileFormat::kPcd) return pcd_text(cloud);
  if (format == CloudFileFormat::kPly) return ply_text(cloud);
  return format == CloudFileFormat::kNpy ? npy_text(cloud) : std::string();
}

}  // namespace

void write_cloud(const std::filesystem::path& file, const msg::PointCloud2& cloud, CloudFileFormat format) {
  if (format == CloudFileFormat::kMessage) return write_whole_file(file, write_message(cloud));
  WholeFile out(file);
  out.write(file_header(cloud, format));
  out.write(cloud.data);
  out.commit();
}

}  // namespace fathom
