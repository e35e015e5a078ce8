// SPDX-License-Identifier: MIT
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/clouds.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "frame/frame_writer.hpp"
#include "io/cloud/cloud_message.hpp"
#include "io/cloud/point_layout.hpp"
#include "io/cloud/read_cloud.hpp"
#include "io/message/cdr.hpp"

namespace fathom {

static_assert(std::endian::native == std::endian::little, "clouds are written in the order of memory");

namespace {

struct ChannelFields {
  Channel channel;
  std::array<std::string_view, 3> names;  ///< one, or three for points
};

/// The fields that a point can have, in the order of files. Names are the same as in PCL and in ROS drivers, if
/// these have one.
constexpr std::array<ChannelFields, kChannelCount> kFieldTable = {{
    {Channel::kIntensity, {"intensity"}},
    {Channel::kRing, {"ring"}},
    {Channel::kTimeOffset, {"time"}},
    {Channel::kRange, {"range"}},
    {Channel::kCleanRange, {"clean_range"}},
    {Channel::kAzimuth, {"azimuth"}},
    {Channel::kElevation, {"elevation"}},
    {Channel::kIncidence, {"incidence"}},
    {Channel::kNormal, {"normal_x", "normal_y", "normal_z"}},
    {Channel::kHitWorld, {"world_x", "world_y", "world_z"}},
    {Channel::kHitSensor, {"sensor_x", "sensor_y", "sensor_z"}},
    {Channel::kEntityId, {"entity_id"}},
    {Channel::kTriangleId, {"triangle_id"}},
    {Channel::kReason, {"reason"}},
    {Channel::kDepth, {"depth"}},
    {Channel::kCleanDepth, {"clean_depth"}},
    {Channel::kEnergy, {"energy"}},
    {Channel::kCleanHit, {"clean_x", "clean_y", "clean_z"}},
    {Channel::kLabel, {"label"}},
    {Channel::kVelocity, {"velocity"}},
    {Channel::kPath, {"path"}},
}};

void append_field(PointLayout& layout, std::string_view name, Channel channel, std::uint32_t plane) {
  const ElementType type = channel_info(channel).type;
  layout.fields.push_back({name, type, layout.step, channel, plane});
  layout.step += size_of(type);
}

/// Copies one plane into its place in every point.
template <std::size_t kSize>
void scatter(const std::byte* from, std::span<const std::uint32_t> rays, std::byte* to, std::size_t step) {
  for (const std::uint32_t ray : rays) {
    std::memcpy(to, from + std::size_t{ray} * kSize, kSize);
    to += step;
  }
}

/// Fills fields by blocks of points, which stay in the cache.
void fill(const Frame& frame, std::span<const std::uint32_t> rays, PackedCloud& cloud) {
  constexpr std::size_t kBlock = 512;
  const std::size_t step = cloud.layout.step;
  for (std::size_t begin = 0; begin < rays.size(); begin += kBlock) {
    const auto block = rays.subspan(begin, std::min(kBlock, rays.size() - begin));
    for (const PointField& field : cloud.layout.fields) {
      if (field.is_return) {
        std::byte* number = cloud.data.get() + begin * step + field.offset;
        for (const std::uint32_t at : block) *number = static_cast<std::byte>(at / frame.rays()), number += step;
        continue;
      }
      const std::size_t bytes = size_of(field.type);
      const std::byte* from = elements_of(frame, field.channel).subspan(field.plane * frame.size() * bytes).data();
      std::byte* to = cloud.data.get() + begin * step + field.offset;
      switch (bytes) {
        case 1:
          scatter<1>(from, block, to, step);
          break;
        case 2:
          scatter<2>(from, block, to, step);
          break;
        default:
          scatter<4>(from, block, to, step);
          break;
      }
    }
  }
}

std::string pcd_header(const PackedCloud& cloud) {
  PcdHeader header;
  for (const PointField& field : cloud.layout.fields) {
    header.add(field.name, size_of(field.type), field.type == ElementType::kFloat32 ? 'F' : 'U');
  }
  return header.text(cloud.width, cloud.height);
}

/// Viewers expect the names nx, ny and nz of normals in PLY files.
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

Channel position_channel(const CloudOptions& options) {
  return options.frame == CloudFrame::kWorld ? Channel::kHitWorld : Channel::kHitSensor;
}

std::vector<std::uint32_t> rays_kept(const Frame& frame, const CloudOptions& options) {
  const std::span<const float> x = frame.points(position_channel(options)).x;
  std::vector<std::uint32_t> rays(frame.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    rays[count] = static_cast<std::uint32_t>(i);
    count += (options.keep_misses || x[i] == x[i]) ? 1 : 0;
  }
  rays.resize(count);
  return rays;
}

PointLayout make_point_layout(const CloudOptions& options, ChannelSet present, std::uint32_t returns) {
  const Channel position = position_channel(options);
  PointLayout layout;
  std::uint32_t plane = 0;
  for (const std::string_view name : {"x", "y", "z"}) append_field(layout, name, position, plane++);
  for (const ChannelFields& row : kFieldTable) {
    if (row.channel == position || !options.fields.contains(row.channel) || !present.contains(row.channel)) continue;
    for (plane = 0; plane < 3 && !row.names[plane].empty(); ++plane) {
      append_field(layout, row.names[plane], row.channel, plane);
    }
  }
  if (returns > 1) {
    layout.fields.push_back({.name = "return", .type = ElementType::kUint8, .offset = layout.step, .is_return = true});
    layout.step += size_of(ElementType::kUint8);
  }
  return layout;
}

PackedCloud pack_cloud(const Frame& frame, const CloudOptions& options) {
  try {
    const std::vector<std::uint32_t> rays = rays_kept(frame, options);
    PackedCloud cloud;
    cloud.layout = make_point_layout(options, frame.channels(), frame.returns());
    cloud.width = options.keep_misses ? frame.cols() : static_cast<std::uint32_t>(rays.size());
    cloud.height = options.keep_misses ? frame.returns() * frame.rows() : 1;
    cloud.data = std::make_unique_for_overwrite<std::byte[]>(rays.size() * cloud.layout.step);
    fill(frame, rays, cloud);
    return cloud;
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("a cloud of {} points does not fit in memory", frame.size()));
  }
}

void write_pcd(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options) {
  const PackedCloud cloud = pack_cloud(frame, options);
  WholeFile out(file);
  out.write(pcd_header(cloud));
  out.write(cloud.bytes());
  out.commit();
}

void write_ply(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options) {
  const PackedCloud cloud = pack_cloud(frame, options);
  WholeFile out(file);
  out.write(ply_header(cloud));
  out.write(cloud.bytes());
  out.commit();
}

void write_pointcloud2(const std::filesystem::path& file, const Frame& frame, std::string_view frame_id,
                       const CloudOptions& options) {
  const CloudMessage cloud = with_prefix(file.string(), [&] { return cloud_message(frame, frame_id, options); });
  write_whole_file(file, write_message(cloud.message));
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
