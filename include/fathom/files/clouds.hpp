// SPDX-License-Identifier: MIT
#pragma once
// Clouds of points as files.
//
// Every file is written without a name or under a temporary one, and appears whole or not at all. Layouts:
// docs/output-formats.md. All functions throw SystemError when the system refuses, and then leave nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

enum class CloudFrame : std::uint8_t { kSensor, kWorld };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<CloudFrame> = {"sensor", "world"};

/// How the points of a PointCloud2 lie: x y z and the `fields` asked for, or as a ROS driver publishes them, with its
/// names, types, offsets and padding. docs/output-formats.md has the tables.
enum class CloudLayout : std::uint8_t { kFields, kXyz, kXyzi, kVelodyne, kOuster, kLivox };
template <>
inline constexpr std::array<std::string_view, 6> kChoiceWords<CloudLayout> = {"fields",   "xyz",    "xyzi",
                                                                              "velodyne", "ouster", "livox"};

/// A cloud file holds one point per return, with fields x y z, then those of `fields` that the frame has, and of a
/// frame with several returns of each ray `return`, uint8: which of them it is.
struct CloudOptions {
  CloudFrame frame = CloudFrame::kSensor;
  bool keep_misses = false;  ///< lost returns stay as NaN points, so that the cloud is organised [returns * rows, cols]
  ChannelSet fields = {Channel::kIntensity, Channel::kRing, Channel::kTimeOffset};
  CloudLayout layout = CloudLayout::kFields;  ///< of a PointCloud2; any other than kFields has no use for `fields`
};

FATHOM_API void write_pcd(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options = {});
FATHOM_API void write_ply(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options = {});
/// A serialised sensor_msgs/msg/PointCloud2 (CDR, little endian), as it travels over ROS 2. Throws InputError when the
/// frame lacks a channel that the layout needs, or a value does not fit into the driver's type.
FATHOM_API void write_pointcloud2(const std::filesystem::path& file, const Frame& frame, std::string_view frame_id,
                                  const CloudOptions& options = {});

/// A property of every point: one or more parts of one type, which follow each other in memory.
struct CloudProperty {
  std::string_view names;  ///< of its parts, split by single spaces: "x y z"
  char type;               ///< 'F', 'U' or 'I': of its parts
  std::size_t size;        ///< bytes of all its parts together
  const std::byte* data;   ///< [points, size], little endian
};

/// Writes a binary PCD file, version 0.7, as one row. Throws SystemError, and then leaves nothing.
FATHOM_API void write_pcd(const std::filesystem::path& file, std::span<const CloudProperty> properties,
                          std::size_t points);

}  // namespace fathom
