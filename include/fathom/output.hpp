#pragma once
// Files made from frames. Each file is written under no name or a temporary one and appears whole or not at all.
// Layouts: docs/output-formats.md. All throw SystemError when the system refuses, and then leave nothing.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fathom/export.hpp>
#include <fathom/field.hpp>
#include <fathom/frame.hpp>
#include <fathom/geometry.hpp>

namespace fathom {

enum class CloudFrame : std::uint8_t { kSensor, kWorld };
enum class ColorBy : std::uint8_t { kRange, kEntity, kReason };

template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<CloudFrame> = {"sensor", "world"};
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<ColorBy> = {"range", "entity", "reason"};

/// What a cloud file holds: one point per return, with fields x y z, then those of `fields` present in the frame.
struct CloudOptions {
  CloudFrame frame = CloudFrame::kSensor;
  bool keep_misses = false;  ///< lost returns stay as NaN points, so that the cloud is organised [rows, cols]
  ChannelSet fields = {Channel::kIntensity, Channel::kRing, Channel::kTimeOffset};
};

FATHOM_API void write_pcd(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options = {});
FATHOM_API void write_ply(const std::filesystem::path& file, const Frame& frame, const CloudOptions& options = {});
/// A serialised sensor_msgs/msg/PointCloud2 (CDR, little endian), as it travels over ROS 2.
FATHOM_API void write_pointcloud2(const std::filesystem::path& file, const Frame& frame, std::string_view frame_id,
                                  const CloudOptions& options = {});
/// One channel as an array [rows, cols] or [rows, cols, 3].
FATHOM_API void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel);

/// What stands below a picture: the bar of its colours, or the names of what they mean.
struct PictureLegend {
  bool is_shown = true;
  std::span<const std::string> entity_names = {};  ///< [entity id]; an id without a name is shown as "id 17"
};

/// The frame as an image [rows, cols], one pixel per ray; rows of a thin frame are repeated so that it can be looked
/// at, and a single row of more than 4096 rays is folded. `scale_m`: the range that gets the last colour; 0: the
/// smallest of ... 1, 1.5, 2, 3, 5, 7.5, 10, 15 ... m that covers 99 % of the returns. `shifts`: columns by which each
/// row moves to the right, [rows]; what leaves on one side comes in on the other. See destagger_shifts. The rays are at
/// the top left, the legend stands below.
FATHOM_API void write_range_image(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                  double scale_m = 0.0, std::span<const std::int32_t> shifts = {},
                                  const PictureLegend& legend = {});
/// The rays as dots where they point, seen from the sensor: azimuth to the left, elevation up, both in degrees on one
/// scale, 1024 pixels along the longer side. For rays that are no grid: rosettes, tables. Of overlapping dots the last
/// ray is seen. Needs kAzimuth and kElevation besides.
FATHOM_API void write_angle_image(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                  double scale_m = 0.0, const PictureLegend& legend = {});
/// The world points from above, x to the right and y up, `pixels` (64 to 16384) along the longer side, with a scale
/// bar; the coordinates of the grid lines and the legend stand around these. Where points overlap the highest is seen.
/// `max_range_m`: points farther than that from the sensor are left out; 0: none; it is also the scale of the colours,
/// as above. `world_from_sensor`: marked with a ring and a stroke the way the sensor looks, and always in the picture;
/// without it nothing is left out.
FATHOM_API void write_birds_eye_view(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                     double max_range_m = 0.0, std::uint32_t pixels = 1024,
                                     const std::optional<Pose>& world_from_sensor = std::nullopt,
                                     const PictureLegend& legend = {});

}  // namespace fathom
