// SPDX-License-Identifier: MIT
#include "cloud/point_layout.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "cloud/elements.hpp"

namespace fathom {

static_assert(std::endian::native == std::endian::little, "clouds are written in the order of memory");

namespace {

struct ChannelFields {
  Channel channel;
  std::array<std::string_view, 3> names;  ///< one, or three for points
};

/// Every field a point can have, in the order in which they are written. The names are those that PCL and the ROS
/// drivers of the makers use, where they have one.
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

/// Fields by blocks of points, so that a block stays in the cache while its fields are filled.
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
    cloud.is_dense = !options.keep_misses;
    cloud.data = std::make_unique_for_overwrite<std::byte[]>(rays.size() * cloud.layout.step);
    fill(frame, rays, cloud);
    return cloud;
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("a cloud of {} points does not fit in memory", frame.size()));
  }
}

}  // namespace fathom
