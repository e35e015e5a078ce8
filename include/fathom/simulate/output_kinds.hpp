// SPDX-License-Identifier: MIT
#pragma once
// The registered kinds of output. To add one: write its struct here and append it to RegisteredOutput at the end. Scene
// files, `fathom outputs` and `fathom check` follow from the list.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include <fathom/core/field.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/returns.hpp>
#include <fathom/simulate/output.hpp>
#include <fathom/simulate/sensor.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// For flags that may be empty.
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<bool> = {"false", "true"};

// Options that kinds of picture share, as entries of their tables.

/// For a member `color`, a ColorBy.
template <class M>
constexpr Field<M> color_field() {
  return {"color", "range|entity|reason", choice<&M::color>, 0, 0, "coloured by range, entity or reason"};
}

/// For a member `max_range_m`; empty: chosen for each picture.
template <class M>
constexpr Field<M> max_range_field(std::string_view doc = "range that gets the last colour, m") {
  return {.name = "max_range_m",
          .unit = "m",
          .member = &M::max_range_m,
          .low = 1e-3,
          .high = kMostColorScaleM,
          .doc = doc,
          .default_text = ""};
}

/// For a member `return_number` of a picture with a pixel per ray, if rays have several returns.
template <class M>
constexpr Field<M> return_field() {
  return {"return_number", "1", &M::return_number, 0, kMostReturns - 1, "which return of each ray it shows, from 0"};
}

/// For a member `legend`.
template <class M>
constexpr Field<M> legend_field() {
  return {"legend", "1", &M::legend, 0, 0, "whether the picture has a bar or key of the colours below"};
}

/// For a member `theme`.
template <class M>
constexpr Field<M> theme_field() {
  return {"theme", "dark|light", choice<&M::theme>, 0, 0, "background: dark, or white for print"};
}

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

/// Clouds of points, one file per frame, with the options of CloudOptions. Only messages have a layout.
template <CloudFormat Format>
struct FATHOM_API CloudOutput {
  CloudFrame frame = CloudOptions{}.frame;
  bool keep_misses = CloudOptions{}.keep_misses;
  ChannelSet point_fields = CloudOptions{}.fields;
  CloudOptions::Layout layout = CloudOptions{}.layout;

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
  [[nodiscard]] constexpr std::optional<OutputInfo::Mismatch> mismatch() const {
    if (layout == CloudOptions::Layout::kFields || point_fields == CloudOptions{}.fields) return std::nullopt;
    return OutputInfo::Mismatch{"fields", "are chosen by the layout, unless that is 'fields'"};
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

/// Channels as arrays: a file per channel and frame.
struct NpyOutput {
  ChannelSet channels = {Channel::kRange};
  /// The value of a lost pixel in ranges and depths; kMax: the sensor's farthest range. Empty: the value in the frame.
  std::optional<LostValue> lost = {};

  static constexpr std::string_view kSlug = "npy";
  static constexpr std::string_view kFile = "range_000000.npy";
  static constexpr std::string_view kDoc = "channels as arrays (NumPy), a file each";
  static constexpr auto fields() {
    return std::array<Field<NpyOutput>, 2>{{
        {"channels", "", word_set<&NpyOutput::channels, Channel>, 0, 0, "a file for each of these channels"},
        {.name = "lost",
         .unit = "",
         .member = choice<&NpyOutput::lost>,
         .doc = "instead of lost ranges and depths: zero, nan, inf, max or minus_one",
         .default_text = ""},
    }};
  }

  [[nodiscard]] FATHOM_API std::optional<OutputInfo::Mismatch> mismatch() const;
  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return channels; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

/// A picture with a pixel per ray (write_range_image) or, for a sensor whose rays are no grid, with dots where they
/// point (write_angle_image).
struct RangeImageOutput {
  ColorBy color = ColorBy::kRange;
  std::optional<double> max_range_m = {};  ///< the range that gets the last colour; empty: chosen for each picture
  /// Whether columns are directions, not times; only for a SpinningLidar that turns once. Empty: true if possible.
  std::optional<bool> destagger = {};
  bool legend = true;               ///< colour bar or key below
  std::uint32_t return_number = 0;  ///< which return of each ray, from 0
  Theme theme = Theme::kDark;

  static constexpr std::string_view kSlug = "range_image";
  static constexpr std::string_view kFile = "range_image_000000.png";
  static constexpr std::string_view kDoc = "the frame as a picture, a pixel per ray";
  static constexpr auto fields() {
    return std::array<Field<RangeImageOutput>, 6>{{
        color_field<RangeImageOutput>(),
        max_range_field<RangeImageOutput>(),
        {.name = "destagger",
         .unit = "false|true",
         .member = choice<&RangeImageOutput::destagger>,
         .doc = "whether columns of a spinning lidar are directions, not times",
         .default_text = ""},
        return_field<RangeImageOutput>(),
        legend_field<RangeImageOutput>(),
        theme_field<RangeImageOutput>(),
    }};
  }

  [[nodiscard]] FATHOM_API ChannelSet needs(const Sensor& sensor) const;
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

/// The points from above (write_birds_eye_view).
struct BirdsEyeOutput {
  ColorBy color = ColorBy::kRange;
  std::optional<double> max_range_m = {};  ///< farther points are left out; empty: no limit
  std::uint32_t pixels = 1024;             ///< along the longer side
  bool legend = true;                      ///< colour bar or key below, and coordinates
  Theme theme = Theme::kDark;

  static constexpr std::string_view kSlug = "birds_eye";
  static constexpr std::string_view kFile = "birds_eye_000000.png";
  static constexpr std::string_view kDoc = "the points from above";
  static constexpr auto fields() {
    return std::array<Field<BirdsEyeOutput>, 5>{{
        color_field<BirdsEyeOutput>(),
        max_range_field<BirdsEyeOutput>("as for range_image; points that are farther are left out, m"),
        {"pixels", "1", &BirdsEyeOutput::pixels, kLeastViewPixels, kMostViewPixels, "along the longer side"},
        legend_field<BirdsEyeOutput>(),
        theme_field<BirdsEyeOutput>(),
    }};
  }

  [[nodiscard]] FATHOM_API ChannelSet needs(const Sensor& sensor) const;
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

/// The values of lost pixels that fit into 16 bits.
inline constexpr std::array<LostValue, 3> kLostLevels = {LostValue::kZero, LostValue::kInf, LostValue::kMax};

/// Depths or ranges as 16-bit pictures. The sensor's farthest range must fit; values beyond it, due to noise or a far
/// surface, count as lost.
struct DepthPngOutput {
  Channel channel = Channel::kDepth;  ///< of kLengthChannels
  double per_m = 1000.0;              ///< levels per metre
  LostValue lost = LostValue::kZero;  ///< of kLostLevels; kMax: the sensor's farthest range
  std::uint32_t return_number = 0;    ///< which return of each ray, from 0

  static constexpr std::string_view kSlug = "depth_png";
  static constexpr std::string_view kFile = "depth_000000.png";
  static constexpr std::string_view kDoc = "depths or ranges in 16 bits, per_m levels a metre";
  static constexpr auto fields() {
    return std::array<Field<DepthPngOutput>, 4>{{
        {"channel", "", choice_among<&DepthPngOutput::channel, kLengthChannels>, 0, 0, "what the picture holds"},
        {"per_m", "1/m", &DepthPngOutput::per_m, kLeastLevelsPerM, kMostLevelsPerM, "levels per metre"},
        {"lost", "", choice_among<&DepthPngOutput::lost, kLostLevels>, 0, 0, "level of lost pixels"},
        return_field<DepthPngOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {channel}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

/// Why each pixel is present or missing (write_reason_picture). A kind that can be copied.
struct ReasonPictureOutput {
  bool legend = true;               ///< the key of the reasons below
  std::uint32_t return_number = 0;  ///< which return of each ray, from 0
  Theme theme = Theme::kDark;

  static constexpr std::string_view kSlug = "reason_picture";
  static constexpr std::string_view kFile = "reason_000000.png";
  static constexpr std::string_view kDoc = "the reason of each pixel";
  static constexpr auto fields() {
    return std::array<Field<ReasonPictureOutput>, 3>{{
        return_field<ReasonPictureOutput>(),
        legend_field<ReasonPictureOutput>(),
        theme_field<ReasonPictureOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kReason}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

/// Clean depth, noisy depth, reasons and energy on one sheet (write_camera_sheet).
struct CameraSheetOutput {
  std::optional<double> max_range_m = {};  ///< the depth that gets the last colour; empty: chosen for each picture
  std::uint32_t return_number = 0;         ///< which return of each ray, from 0
  Theme theme = Theme::kDark;

  static constexpr std::string_view kSlug = "camera_sheet";
  static constexpr std::string_view kFile = "sheet_000000.png";
  static constexpr std::string_view kDoc = "clean depth, noisy depth, reasons and energy";
  static constexpr auto fields() {
    return std::array<Field<CameraSheetOutput>, 3>{{
        max_range_field<CameraSheetOutput>(),
        return_field<CameraSheetOutput>(),
        theme_field<CameraSheetOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const {
    return {Channel::kCleanDepth, Channel::kDepth, Channel::kReason, Channel::kEnergy};
  }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

/// One CSV file of all frames of a planar laser: its readings and true poses. It has no options.
struct ScanLogOutput {
  static constexpr std::string_view kSlug = "scan_log";
  static constexpr std::string_view kFile = "scans.csv";
  static constexpr std::string_view kDoc = "readings and true poses of a planar laser, one file of all frames";
  static constexpr auto fields() { return std::array<Field<ScanLogOutput>, 0>{}; }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kRange, Channel::kReason}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
  /// Throws InputError unless the sensor's rays start at its origin and lie in its x-y plane, and all its poses are
  /// level: a scan log holds x, y and yaw only.
  FATHOM_API void check_run(Simulator& simulator, SensorId sensor, std::uint32_t frames) const;
};

enum class LabelValues : std::uint8_t { kColor, kId };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<LabelValues> = {"color", "id"};

/// The label of each pixel: colours with a legend (write_label_picture), or ids in 16 bits without one
/// (write_label_ids).
struct LabelPictureOutput {
  LabelValues values = LabelValues::kColor;
  bool legend = true;               ///< the key of the labels below a picture of colours
  std::uint32_t return_number = 0;  ///< which return of each ray, from 0
  Theme theme = Theme::kDark;

  static constexpr std::string_view kSlug = "label_picture";
  static constexpr std::string_view kFile = "label_000000.png";
  static constexpr std::string_view kDoc = "the label of each pixel";
  static constexpr auto fields() {
    return std::array<Field<LabelPictureOutput>, 4>{{
        {"values", "color|id", choice<&LabelPictureOutput::values>, 0, 0, "colours, or ids in 16 bits"},
        return_field<LabelPictureOutput>(),
        legend_field<LabelPictureOutput>(),
        theme_field<LabelPictureOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kLabel, Channel::kEntityId}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

/// Pixels of a depth image: float32 in metres, NaN where lost, or uint16 in millimetres, 0 where lost (REP 118).
enum class DepthEncoding : std::uint8_t { k32FC1, k16UC1 };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<DepthEncoding> = {"32FC1", "16UC1"};

/// Depths of a camera as serialised messages sensor_msgs/msg/Image, in the frame NAME_optical. The encoding also
/// applies to the sensor's images in bags and topics. Millimetres reach to 65.535 m; larger depths count as lost.
struct DepthImageOutput {
  DepthEncoding encoding = DepthEncoding::k32FC1;
  std::uint32_t return_number = 0;  ///< which return of each ray, from 0

  static constexpr std::string_view kSlug = "depth_image";
  static constexpr std::string_view kFile = "depth_000000.cdr";
  static constexpr std::string_view kDoc = "depths, a serialised Image (ROS 2)";
  static constexpr auto fields() {
    return std::array<Field<DepthImageOutput>, 2>{{
        {"encoding", "", choice<&DepthImageOutput::encoding>, 0, 0, "32FC1: metres; 16UC1: millimetres, 0 where lost"},
        return_field<DepthImageOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kDepth}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

using RegisteredOutput =
    std::variant<PcdOutput, PlyOutput, PointCloud2Output, NpyOutput, RangeImageOutput, BirdsEyeOutput, DepthPngOutput,
                 ReasonPictureOutput, CameraSheetOutput, ScanLogOutput, LabelPictureOutput, DepthImageOutput>;

}  // namespace fathom
