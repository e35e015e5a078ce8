// SPDX-License-Identifier: MIT
#pragma once
// Frames as PNG pictures, for people and for programs. docs/output-formats.md has the layouts.
//
// A picture with a pixel per ray shows the first return of each ray; Frame::of_return() gives another one. A file
// appears whole or not at all. If the system refuses, each function throws SystemError and leaves no file.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fathom/core/detail/field_member.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

/// The background of a picture: nearly black, or white for print.
enum class Theme : std::uint8_t { kDark, kLight };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<Theme> = {"dark", "light"};

enum class ColorBy : std::uint8_t { kRange, kEntity, kReason };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<ColorBy> = {"range", "entity", "reason"};

/// The largest scale of colours: a range or depth.
inline constexpr double kMostColorScaleM = 1e6;

/// Limits of the longer side of a bird's-eye view.
inline constexpr std::uint32_t kLeastViewPixels = 64, kMostViewPixels = 16384;

/// The legend below a picture: a bar of colours, or a key of their meanings; and the theme of the picture.
struct PictureLegend {
  bool is_shown = true;
  std::span<const std::string> entity_names = {};  ///< [entity id]; an id without a name is shown as "id 17"
  Theme theme = Theme::kDark;
};

/// The frame as an image [rows, cols], one pixel per ray, with the legend below. A thin frame is repeated in height,
/// and a single row of more than 4096 rays is folded. `scale_m`: the range of the last colour; 0: the smallest of ...
/// 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15 ... m that covers 95 % of the returns. `shifts`: columns by which each row rotates
/// to the right, [rows]; see SpinningLidar::destagger_shifts().
FATHOM_API void write_range_image(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                  double scale_m = 0.0, std::span<const std::int32_t> shifts = {},
                                  const PictureLegend& legend = {});
/// The rays as dots by their directions, seen from the sensor: azimuth to the left, elevation up, both in degrees on
/// one scale, 1024 pixels along the longer side. For rays without a grid: rosettes, tables. The last of overlapping
/// dots is visible. Also needs the channels kAzimuth and kElevation.
FATHOM_API void write_angle_image(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                  double scale_m = 0.0, const PictureLegend& legend = {});
/// The world points from above, x to the right and y up, `pixels` along the longer side, with a scale bar, coordinates
/// and the legend. The highest of overlapping points is visible. `max_range_m`: omits points farther from the sensor,
/// and is the scale of the colours, as above; 0: omits no point. `world_from_sensor`: the sensor, shown as a ring with
/// a stroke in its direction; without it no point is omitted.
FATHOM_API void write_birds_eye_view(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                     double max_range_m = 0.0, std::uint32_t pixels = 1024,
                                     const std::optional<Pose>& world_from_sensor = std::nullopt,
                                     const PictureLegend& legend = {});

/// The reasons, with a legend of colours, names and shares below.
FATHOM_API void write_reason_picture(const std::filesystem::path& file, const Frame& frame, bool with_legend = true,
                                     Theme theme = Theme::kDark);

/// The labels of the surfaces in the colours of `labels`, with a legend of colours, names and shares below. Misses and
/// surfaces without a label have separate colours. Needs kLabel and kEntityId.
FATHOM_API void write_label_picture(const std::filesystem::path& file, const Frame& frame,
                                    std::span<const Label> labels, bool with_legend = true, Theme theme = Theme::kDark);
/// The ids of labels for programs, 16 bits, [rows, cols]. Needs kLabel.
FATHOM_API void write_label_ids(const std::filesystem::path& file, const Frame& frame);
/// The colour of a label in pictures: Label::color, or a colour chosen by the id.
FATHOM_API std::array<std::uint8_t, 3> color_of(const Label& label);

/// Clean depth and noisy depth, reasons and energy, and their legends. Needs kCleanDepth, kDepth, kReason and kEnergy.
/// `scale_m`: depth of the last colour; 0: a round depth that covers 95 % of the clean depths.
FATHOM_API void write_camera_sheet(const std::filesystem::path& file, const Frame& frame, double scale_m = 0.0,
                                   Theme theme = Theme::kDark);

/// A value outside the levels of a 16-bit picture is an error, or becomes a lost pixel.
enum class OffScale : std::uint8_t { kRefuse, kLost };

/// Limits of the levels per metre.
inline constexpr double kLeastLevelsPerM = 1e-3, kMostLevelsPerM = 1e6;

/// A depth or range channel for programs: 16-bit grey, `per_m` levels per metre (1000: millimetres), rounded. Lost
/// pixels are 0 (kZero), 65535 (kInf) or the level of max_m (kMax). Throws InputError for kNan and kMinusOne and,
/// unless `off_scale` is kLost, for a return too far for 16 bits or behind the camera.
FATHOM_API void write_depth_png(const std::filesystem::path& file, const Frame& frame, Channel channel,
                                const LostPolicy& policy = {LostValue::kZero, 0.0F}, double per_m = 1000.0,
                                OffScale off_scale = OffScale::kRefuse);

/// A float channel of one value per ray as a portable float map; lost pixels are NaN. Throws InputError for others.
FATHOM_API void write_pfm(const std::filesystem::path& file, const Frame& frame, Channel channel,
                          bool big_endian = false);

/// The same as an EXR image with one channel of this name, of floats. Needs OpenEXR.
FATHOM_API void write_exr(const std::filesystem::path& file, const Frame& frame, Channel channel,
                          const std::string& name = "Z");

}  // namespace fathom
