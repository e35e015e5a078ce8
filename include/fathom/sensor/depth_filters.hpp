// SPDX-License-Identifier: MIT
#pragma once
// What the driver of a depth camera does to its images after the camera: filters, and the alignment to a colour camera.
//
// Sources: librealsense, doc/post-processing-filters.md and src/proc. The order is that of its tools: spatial,
// temporal, holes, alignment. The spatial and the temporal filter act on disparities, in steps of 1/32 px, as the maker
// recommends; hole_filling acts on depths. Images are not rounded to millimetres between the steps.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>

namespace fathom {

/// The neighbour that fills a lost pixel, in reading order: the left one; or the farthest or the nearest of left, upper
/// left, upper, lower left and lower. The last two skip the first row, the last row and the first column.
enum class HoleFilling : std::uint8_t { kLeft, kFarthest, kNearest };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<HoleFilling> = {"left", "farthest", "nearest"};

struct DepthFilters {
  /// Averages each pixel over the frames. A lost pixel keeps its last value if enough of the frames before had one.
  ///
  ///   m = alpha d + (1 - alpha) m   if |d - m| < delta, else m = d
  struct Temporal {
    float alpha = 0.4F;
    float delta = 20.0F;
    std::uint32_t persistency = 3;

    static constexpr std::string_view kSlug = "temporal";
    static constexpr std::string_view kDoc = "Averages each pixel over the frames.";
    static constexpr auto fields() {
      return std::array<Field<Temporal>, 3>{{
          {"alpha", "1", &Temporal::alpha, 0, 1, "weight of a frame against the frames before it; 1: no filter"},
          {"delta", "px/32", &Temporal::delta, 1, 100, "a step of disparity from here on is another surface"},
          {"persistency", "1", &Temporal::persistency, 0, 8,
           "a lost pixel keeps its last value; 1: if 8 of the last 8 frames had one; 2: 2 of 3; 3: 2 of 4; 4: 2 of 8; "
           "5: 1 of 2; 6: 1 of 5; 7: 1 of 8; 8: always; 0: never"},
      }};
    }
  };

  /// Smooths surfaces and keeps edges (Gastal and Oliveira 2011). Each iteration runs right, left, down and up:
  ///
  ///   s(k) = alpha d(k) + (1 - alpha) s(k - 1)   if |d(k) - d(k - 1)| < delta and both are valid, else d(k)
  struct Spatial {
    float alpha = 0.5F;
    float delta = 20.0F;
    std::uint32_t iterations = 2;
    std::uint32_t holes_fill = 0;  ///< then holes are filled from the left and from the right of their rows

    static constexpr std::string_view kSlug = "spatial";
    static constexpr std::string_view kDoc = "Smooths surfaces and keeps edges.";
    static constexpr auto fields() {
      return std::array<Field<Spatial>, 4>{{
          {"alpha", "1", &Spatial::alpha, 0.25, 1, "weight of a pixel against the pixels before it; 1: no filter"},
          {"delta", "px/32", &Spatial::delta, 1, 50, "a step of disparity from here on is an edge"},
          {"iterations", "1", &Spatial::iterations, 1, 5, "passes over the image, each in four directions"},
          {"holes_fill", "1", &Spatial::holes_fill, 0, 5,
           "fills 1, 3, 7, 15 or 254 px of a row from each side of a hole; 0: none"},
      }};
    }
  };

  std::optional<Spatial> spatial = {};    ///< of stereo cameras
  std::optional<Temporal> temporal = {};  ///< of stereo cameras
  std::optional<HoleFilling> hole_filling = {};

  static constexpr std::string_view kSlug = "filters";
  static constexpr std::string_view kDoc = "Filters of the images of a depth camera.";
  static constexpr auto fields() {
    return std::array<Field<DepthFilters>, 1>{
        {{"hole_filling", "left|farthest|nearest", choice<&DepthFilters::hole_filling>, 0, 2,
          "the neighbour that fills a lost pixel; empty: none"}}};
  }
  [[nodiscard]] bool any() const { return spatial || temporal || hole_filling; }
};

/// The camera whose pixels the depths are moved to, as the portable code of rs.align does. Two corners of a depth pixel
/// are projected into that camera and rounded. The pixel fills all pixels between them, also the two ends. The nearest
/// one wins. Depths keep their values. The SSE code of rs.align differs: it rounds half a pixel further, and fills one
/// pixel alone if the other camera has fewer pixels per angle.
struct AlignedCamera {
  double fx = 0.0, fy = 0.0, cx = 0.0, cy = 0.0;  ///< px
  std::uint32_t width = 0, height = 0;
  std::optional<Pose> offset = {};  ///< its pose in the frame of the sensor, x forward; empty: the same

  static constexpr std::string_view kSlug = "aligned_to";
  static constexpr std::string_view kDoc = "The camera to whose pixels the depths are moved.";
  FATHOM_API static std::span<const Field<AlignedCamera>> fields();
  FATHOM_API void check() const;
};

}  // namespace fathom
