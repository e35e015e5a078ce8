// SPDX-License-Identifier: MIT
#pragma once
// Clouds of points, one file per frame.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fathom/files/clouds.hpp>
#include <fathom/outputs/kind.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

enum class CloudFormat : std::uint8_t { kPcd, kPly, kPointCloud2 };

/// The names of a cloud format as an output.
struct CloudFormatInfo {
  std::string_view slug, file, doc;
};
inline constexpr std::array<CloudFormatInfo, 3> kCloudFormats = {{
    {"pcd", "cloud_000000.pcd", "points, PCD (PCL, Open3D, CloudCompare)"},
    {"ply", "cloud_000000.ply", "points, PLY (MeshLab, Blender, CloudCompare)"},
    {"pointcloud2", "pointcloud2_000000.cdr", "points, a serialised PointCloud2 (ROS 2)"},
}};

/// The options are those of CloudOptions. Messages alone have a layout.
template <CloudFormat Format>
struct FATHOM_API CloudOutput {
  CloudFrame frame = CloudOptions{}.frame;
  bool keep_misses = CloudOptions{}.keep_misses;
  ChannelSet point_fields = CloudOptions{}.fields;
  CloudLayout layout = CloudOptions{}.layout;

  static constexpr std::string_view kSlug = kCloudFormats[static_cast<std::size_t>(Format)].slug;
  static constexpr std::string_view kFile = kCloudFormats[static_cast<std::size_t>(Format)].file;
  static constexpr std::string_view kDoc = kCloudFormats[static_cast<std::size_t>(Format)].doc;
  static constexpr auto fields() {
    if constexpr (Format == CloudFormat::kPointCloud2) {
      return std::array<Field<CloudOutput>, 4>{{frame_field(),
                                                misses_field(),
                                                point_fields_field(),
                                                {"layout", "", choice<&CloudOutput::layout>, 0, 0,
                                                 "how points lie: as their fields say, or as a driver does"}}};
    } else {
      return std::array<Field<CloudOutput>, 3>{{frame_field(), misses_field(), point_fields_field()}};
    }
  }
  /// A driver's layout has its own fields.
  [[nodiscard]] constexpr std::optional<OptionMismatch> mismatch() const {
    if (layout == CloudLayout::kFields || point_fields == CloudOptions{}.fields) return std::nullopt;
    return OptionMismatch{"fields", "are chosen by the layout, unless that is 'fields'"};
  }
  [[nodiscard]] CloudOptions options() const { return {frame, keep_misses, point_fields, layout}; }

  [[nodiscard]] ChannelSet needs(const Sensor& sensor) const;
  [[nodiscard]] std::vector<OutputFile> files(const Sensor& sensor) const;

 private:
  static constexpr Field<CloudOutput> frame_field() {
    return {"frame", "sensor|world", choice<&CloudOutput::frame>, 0, 0, "coordinates: sensor or world"};
  }
  static constexpr Field<CloudOutput> misses_field() {
    return {"keep_misses", "1", &CloudOutput::keep_misses, 0, 0, "whether lost returns stay in their places, as NaN"};
  }
  static constexpr Field<CloudOutput> point_fields_field() {
    return {.name = "fields",
            .unit = "",
            .member = word_set<&CloudOutput::point_fields, Channel>,
            .doc = "channels of each point besides x, y, z",
            .default_text = "[intensity, ring, time_offset]"};  // as points hold them
  }
};

using PcdOutput = CloudOutput<CloudFormat::kPcd>;
using PlyOutput = CloudOutput<CloudFormat::kPly>;
/// Points in the sensor frame carry the sensor's name as frame_id, those in the world frame "world".
using PointCloud2Output = CloudOutput<CloudFormat::kPointCloud2>;

extern template struct CloudOutput<CloudFormat::kPcd>;
extern template struct CloudOutput<CloudFormat::kPly>;
extern template struct CloudOutput<CloudFormat::kPointCloud2>;

}  // namespace fathom
