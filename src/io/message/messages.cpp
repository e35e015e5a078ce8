// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "io/message/geometry.hpp"
#include "io/message/message_type.hpp"
#include "io/message/sensors.hpp"

namespace fathom {

namespace {

constexpr std::array<const MessageType*, 9> kMessageTypes = {
    &msg::PointCloud2::kType,   &msg::LaserScan::kType, &msg::Image::kType,
    &msg::CameraInfo::kType,    &msg::TFMessage::kType, &msg::Odometry::kType,
    &msg::OccupancyGrid::kType, &msg::Clock::kType,     &msg::PoseWithCovarianceStamped::kType};

/// "std_msgs/Header" of "std_msgs/msg/Header".
std::string short_name(std::string_view name) {
  std::string text(name);
  text.erase(text.find("/msg/"), 4);
  return text;
}

void append_parts(const MessageType& type, std::vector<const MessageType*>& found) {
  for (const MessageType* part : type.parts) {
    if (std::find(found.begin(), found.end(), part) != found.end()) continue;
    found.push_back(part);
    append_parts(*part, found);
  }
}

}  // namespace

std::string schema_text(const MessageType& type) {
  constexpr std::size_t kRule = 80;  // as many signs between types as rosbag2 writes
  std::vector<const MessageType*> parts;
  append_parts(type, parts);
  std::string text(type.definition);
  for (const MessageType* part : parts) {
    text += std::string(kRule, '=') + "\nMSG: " + short_name(part->name) + '\n' + std::string(part->definition);
  }
  return text;
}

std::span<const MessageType* const> message_types() { return kMessageTypes; }

}  // namespace fathom

namespace fathom::msg {

namespace {

constexpr double kNanosecondsPerSecond = 1e9;

constexpr std::array<std::uint64_t, 9> kDatatypeBytes = {0, 1, 1, 2, 2, 4, 4, 4, 8};

}  // namespace

Time time_of(double stamp_s) {
  double seconds = std::floor(stamp_s);
  double above = std::round((stamp_s - seconds) * kNanosecondsPerSecond);
  if (above >= kNanosecondsPerSecond) seconds += 1.0, above = 0.0;
  if (!(seconds >= -2147483648.0 && seconds <= 2147483647.0)) {
    throw InputError(
        fmt::format("stamp {} s is not in [-2147483648, 2147483648) s, the times of ROS 2", number_text(stamp_s)));
  }
  return {static_cast<std::int32_t>(seconds), static_cast<std::uint32_t>(above)};
}

std::uint64_t nanoseconds(const Time& time) {
  return std::uint64_t{static_cast<std::uint32_t>(std::max(time.sec, 0))} * 1'000'000'000ULL +
         (time.sec < 0 ? 0 : time.nanosec);
}

void OccupancyGrid::check() const {
  if (std::uint64_t{info.width} * info.height == data.size()) return;
  throw InputError(fmt::format("{} values for {} x {} cells", data.size(), info.width, info.height));
}

void PointCloud2::check() const {
  const std::uint64_t row_bytes = std::uint64_t{width} * point_step;
  if (row_bytes > row_step || std::uint64_t{height} * row_step > data.size()) {
    throw InputError(fmt::format("{} rows of {} points of {} bytes, row_step {}, do not fit into {} bytes of data",
                                 height, width, point_step, row_step, data.size()));
  }
  for (const PointField& field : point_fields) {
    if (field.datatype == 0 || field.datatype >= kDatatypeBytes.size()) {
      throw InputError(fmt::format("field '{}': datatype {} is not in [1, 8]", one_line(field.name), field.datatype));
    }
    if (field.offset + kDatatypeBytes[field.datatype] * field.count > point_step) {
      throw InputError(
          fmt::format("field '{}' reaches beyond the {} bytes of a point", one_line(field.name), point_step));
    }
  }
}

void Image::check() const {
  std::uint64_t pixel_bytes = 0;  // 0 if the encoding is unknown
  if (encoding == "32FC1") pixel_bytes = 4;
  if (encoding == "16UC1" || encoding == "mono16") pixel_bytes = 2;
  if (width * pixel_bytes > step || std::uint64_t{height} * step > data.size()) {
    throw InputError(fmt::format("{} rows of {} pixels '{}', step {}, do not fit into {} bytes of data", height, width,
                                 one_line(encoding), step, data.size()));
  }
}

namespace {

constexpr std::string_view kDepthTransport = "compressedDepth";
constexpr std::size_t kDepthConfig = 12;      // int32 format, float32 a, float32 b
constexpr std::size_t kPngHead = 29;          // signature, and IHDR without its checksum
constexpr std::uint64_t kMostDeflate = 1032;  // largest ratio of deflate
constexpr std::string_view kPngBegin("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16);

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::uint32_t big_endian_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<std::uint32_t>(bytes[at + i]);
  return value;
}

/// Size and kind of the PNG by its first chunk. The size must suit the bytes, against bombs.
void read_png_head(CompressedDepth& depth) {
  const std::span<const std::byte> png = depth.png;
  if (png.size() < kPngHead || std::memcmp(png.data(), kPngBegin.data(), kPngBegin.size()) != 0) {
    throw InputError(fmt::format("no PNG follows the {} bytes of configuration", kDepthConfig));
  }
  depth.cols = big_endian_at(png, 16), depth.rows = big_endian_at(png, 20);
  const auto bits = static_cast<unsigned>(png[24]), color = static_cast<unsigned>(png[25]);
  if (bits != 16 || color != 0) {
    throw InputError(fmt::format("the PNG has {} bits and colour type {}; depths are grey, of 16 bits", bits, color));
  }
  const std::uint64_t pixels = std::uint64_t{depth.rows} * depth.cols;
  if (pixels == 0 || pixels / kMostDeflate > png.size()) {
    throw InputError(fmt::format("a PNG of {} bytes cannot hold {} x {} pixels", png.size(), depth.cols, depth.rows));
  }
}

}  // namespace

std::optional<CompressedDepth> CompressedImage::depth() const {
  const std::string_view text = format;
  const std::size_t at = text.find(kDepthTransport);
  if (at == std::string_view::npos) return {};
  std::string_view encoding = trimmed(text.substr(0, at));
  if (encoding.ends_with(';')) encoding = trimmed(encoding.substr(0, encoding.size() - 1));
  const std::string_view packing = trimmed(text.substr(at + kDepthTransport.size()));
  if (!packing.empty() && packing != "png") {
    const std::string_view name = packing == "rvl" ? "RVL" : packing;
    throw InputError(fmt::format("'{}': depths as {} are not read, only as PNG", one_line(text), one_line(name)));
  }
  CompressedDepth depth;
  depth.is_inverse = encoding == "32FC1";
  if (!depth.is_inverse && encoding != "16UC1" && encoding != "mono16") {
    throw InputError(fmt::format("'{}': of depths 16UC1, mono16 and 32FC1 are read", one_line(text)));
  }
  if (data.size() < kDepthConfig) {
    throw InputError(
        fmt::format("{} bytes of depths, and their configuration alone has {}", data.size(), kDepthConfig));
  }
  std::int32_t method = 0;
  std::memcpy(&method, data.data(), sizeof(method));
  std::memcpy(&depth.a, data.data() + 4, sizeof(depth.a));
  std::memcpy(&depth.b, data.data() + 8, sizeof(depth.b));
  if (method != 0 && method != -1) {
    throw InputError(fmt::format("the configuration names the format {}, and only 0 (inverse depth) is known", method));
  }
  if (depth.is_inverse && !(depth.a > 0.0F && std::isfinite(depth.a) && std::isfinite(depth.b))) {
    throw InputError(
        fmt::format("the configuration has the parameters {} and {}: not a finite pair with the first "
                    "above 0",
                    depth.a, depth.b));
  }
  depth.png = data.subspan(kDepthConfig);
  read_png_head(depth);
  return depth;
}

}  // namespace fathom::msg
