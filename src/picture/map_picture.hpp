// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <fathom/files/pictures.hpp>

#include "picture/image.hpp"
#include "picture/map_drawing.hpp"
#include "picture/painter.hpp"

namespace fathom {

/// Along the longer side of the plane of write_angle_image.
inline constexpr std::uint32_t kAnglePixels = 1024;

/// A picture of the plane that `draw_plane` draws: it alone, or with coordinates and legend around it. `lost` as in
/// make_legend.
Image draw_map_picture(const MapCanvas& canvas, const MapAxes& axes, const Painter& painter, const Frame& frame,
                       const PictureLegend& options, std::string_view lost,
                       const std::function<void(Image& image, Lettering& letters)>& draw_plane);

}  // namespace fathom
