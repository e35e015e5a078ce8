// SPDX-License-Identifier: MIT
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/clouds.hpp>

#include "base/text.hpp"
#include "cloud/cdr.hpp"
#include "cloud/point_layout.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

constexpr double kNanosecondsPerSecond = 1e9;

/// builtin_interfaces/Time: whole seconds rounded down, and the nanoseconds above them.
void put_stamp(CdrWriter& out, double stamp_s) {
  double seconds = std::floor(stamp_s);
  double nanoseconds = std::round((stamp_s - seconds) * kNanosecondsPerSecond);
  if (nanoseconds >= kNanosecondsPerSecond) seconds += 1.0, nanoseconds = 0.0;
  if (!(seconds >= -2147483648.0 && seconds <= 2147483647.0)) {
    throw InputError(
        fmt::format("stamp {} s is not in [-2147483648, 2147483648) s, the times of ROS 2", number_text(stamp_s)));
  }
  out.put(static_cast<std::int32_t>(seconds));
  out.put(static_cast<std::uint32_t>(nanoseconds));
}

/// As sensor_msgs/PointField has it.
std::uint8_t datatype(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return 2;
    case ElementType::kUint16:
      return 4;
    case ElementType::kUint32:
      return 6;
    case ElementType::kFloat32:
      break;
  }
  return 7;
}

/// Everything before the points, in the order of sensor_msgs/msg/PointCloud2.
CdrWriter begin_message(const PackedCloud& cloud, double stamp_s, std::string_view frame_id) {
  CdrWriter out;
  put_stamp(out, stamp_s);
  out.put_string(frame_id);
  out.put(cloud.height);
  out.put(cloud.width);
  out.put(static_cast<std::uint32_t>(cloud.layout.fields.size()));
  for (const PointField& field : cloud.layout.fields) {
    out.put_string(field.name);
    out.put(field.offset);
    out.put(datatype(field.type));
    out.put(std::uint32_t{1});  // count
  }
  out.put_bool(false);  // is_bigendian
  out.put(cloud.layout.step);
  out.put(cloud.layout.step * cloud.width);
  out.put(static_cast<std::uint32_t>(cloud.bytes().size()));
  return out;
}

}  // namespace

void write_pointcloud2(const std::filesystem::path& file, const Frame& frame, std::string_view frame_id,
                       const CloudOptions& options) {
  const PackedCloud cloud = pack_cloud(frame, options);
  if (cloud.bytes().size() > 0xffffffffULL) {
    throw InputError(fmt::format("{}: {} bytes of points, the limit of a PointCloud2 message is 4294967295",
                                 file.string(), cloud.bytes().size()));
  }
  const CdrWriter message = begin_message(cloud, frame.stamp_s(), frame_id);
  WholeFile out(file);
  out.write(message.bytes());
  out.write(cloud.bytes());
  out.write(std::string_view(cloud.is_dense ? "\1" : "\0", 1));
  out.commit();
}

}  // namespace fathom
