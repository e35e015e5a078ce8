// SPDX-License-Identifier: MIT
#pragma once
// Frames as files of points and as NumPy arrays. docs/output-formats.md has the layouts.
//
// A file appears whole or not at all. If the system refuses, each function throws SystemError and leaves no file.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

enum class CloudFrame : std::uint8_t { kSensor, kWorld };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<CloudFrame> = {"sensor", "world"};

/// A cloud file holds one point per return, with fields x y z, then each of `fields` that the frame has. If rays have
/// several returns, the last field is `return`, uint8: the number of the return.
struct CloudOptions {
  /// The layout of points in a PointCloud2: x y z and the requested `fields`, or that of a ROS driver with its names,
  /// types, offsets and padding.
  enum class Layout : std::uint8_t { kFields, kXyz, kXyzi, kVelodyne, kOuster, kLivox };

  CloudFrame frame = CloudFrame::kSensor;
  bool keep_misses = false;  ///< lost returns stay as NaN points, so that the cloud is organised [returns * rows, cols]
  ChannelSet fields = {Channel::kIntensity, Channel::kRing, Channel::kTimeOffset};
  Layout layout = Layout::kFields;  ///< of a PointCloud2; only kFields uses `fields`
};
template <>
inline constexpr std::array<std::string_view, 6> kChoiceWords<CloudOptions::Layout> = {"fields",   "xyz",    "xyzi",
                                                                                       "velodyne", "ouster", "livox"};

FATHOM_API void write_pcd(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options = {});
FATHOM_API void write_ply(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options = {});
/// A serialised sensor_msgs/msg/PointCloud2 (CDR, little endian), as it travels over ROS 2. Throws InputError if the
/// frame lacks a channel of the layout, or a value does not fit into the driver's type.
FATHOM_API void write_pointcloud2(const std::filesystem::path& file, const Frame& frame, std::string_view frame_id,
                                  const CloudOptions& options = {});

/// A property of every point: one or more parts of one type, adjacent in memory.
struct CloudProperty {
  std::string_view names;  ///< of the parts, split by single spaces: "x y z"
  char type;               ///< of the parts: 'F', 'U' or 'I'
  std::size_t size;        ///< bytes of all parts
  const std::byte* data;   ///< [points, size], little endian
};

/// Writes a binary PCD file, version 0.7, as one row.
FATHOM_API void write_pcd(const std::filesystem::path& file, std::span<const CloudProperty> properties,
                          std::size_t points);

/// One channel as a NumPy array [rows, cols] or [rows, cols, 3]. With a policy the lost pixels (NaN or +inf) of a float
/// channel with one value per ray are replaced. Throws InputError for kMax without a maximum above 0, and for a policy
/// of another channel.
FATHOM_API void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel,
                          const std::optional<LostPolicy>& policy = {});

}  // namespace fathom
