// SPDX-License-Identifier: MIT
#pragma once
// Frames as pictures for people, PNG.
//
// A picture with a pixel per ray shows the first return of each, where there are several; Frame::of_return() gives
// another one. Every file is written without a name or under a temporary one, and appears whole or not at all. Layouts:
// docs/output-formats.md. All functions throw SystemError when the system refuses, and then leave nothing.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/base/geometry.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/label.hpp>

namespace fathom {

enum class ColorBy : std::uint8_t { kRange, kEntity, kReason };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<ColorBy> = {"range", "entity", "reason"};

/// The largest range, or depth, that gets the last colour.
inline constexpr double kMostColorScaleM = 1e6;

/// Limits of the longer side of a bird's-eye view.
inline constexpr std::uint32_t kLeastViewPixels = 64, kMostViewPixels = 16384;

/// The legend below a picture: the bar of its colours, or the names of their meanings.
struct PictureLegend {
  bool is_shown = true;
  std::span<const std::string> entity_names = {};  ///< [entity id]; an id without a name is shown as "id 17"
};

/// The frame as an image [rows, cols], one pixel per ray; rows of a thin frame are repeated so that it can be looked
/// at, and a single row of more than 4096 rays is folded. `scale_m`: the range that gets the last colour; 0: the
/// smallest of ... 1, 1.5, 2, 3, 5, 7.5, 10, 15 ... m that covers 99 % of the returns. `shifts`: columns by which each
/// row moves to the right, [rows]; a pixel that leaves on one side enters on the other. See destagger_shifts. The
/// pixels of the rays start at the top left; the legend stands below them.
FATHOM_API void write_range_image(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                  double scale_m = 0.0, std::span<const std::int32_t> shifts = {},
                                  const PictureLegend& legend = {});
/// The rays as dots where they point, seen from the sensor: azimuth to the left, elevation up, both in degrees on one
/// scale, 1024 pixels along the longer side. For rays that form no grid: rosettes, tables. Where dots overlap, the
/// last ray is seen. Also needs the channels kAzimuth and kElevation.
FATHOM_API void write_angle_image(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                  double scale_m = 0.0, const PictureLegend& legend = {});
/// The world points from above, x to the right and y up, `pixels` along the longer side, with a scale
/// bar; the coordinates of the grid lines and the legend stand around these. Where points overlap the highest is seen.
/// `max_range_m`: points farther than that from the sensor are left out; 0: none; it is also the scale of the colours,
/// as above. `world_from_sensor`: marked with a ring and a stroke the way the sensor looks, and always in the picture;
/// without it nothing is left out.
FATHOM_API void write_birds_eye_view(const std::filesystem::path& file, const Frame& frame, ColorBy color,
                                     double max_range_m = 0.0, std::uint32_t pixels = 1024,
                                     const std::optional<Pose>& world_from_sensor = std::nullopt,
                                     const PictureLegend& legend = {});

/// The reasons as a picture, at the top left, with a legend of colours, names and shares below.
FATHOM_API void write_reason_picture(const std::filesystem::path& file, const Frame& frame, bool with_legend = true);

/// The labels of what the rays struck, at the top left, in the colours of `labels`, with a legend of colours, names and
/// shares below. Needs kLabel and kEntityId. A miss, and what has no label, has a colour of its own.
FATHOM_API void write_label_picture(const std::filesystem::path& file, const Frame& frame,
                                    std::span<const Label> labels, bool with_legend = true);
/// The ids of labels in 16 bits, [rows, cols], for programs. Needs kLabel.
FATHOM_API void write_label_ids(const std::filesystem::path& file, const Frame& frame);
/// The colour of a label in pictures: its own, or one that is chosen by its id.
FATHOM_API std::array<std::uint8_t, 3> color_of(const Label& label);

/// Clean depth and noisy depth, below them reasons and energy, and the legends of all. Needs kCleanDepth, kDepth,
/// kReason and kEnergy. `scale_m`: depth of the last colour; 0: a round one that covers 99 % of the clean depths.
FATHOM_API void write_camera_sheet(const std::filesystem::path& file, const Frame& frame, double scale_m = 0.0);

}  // namespace fathom
