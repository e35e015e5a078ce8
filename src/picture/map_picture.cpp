// SPDX-License-Identifier: MIT
#include "picture/map_picture.hpp"

#include <algorithm>

#include "picture/legend.hpp"
#include "picture/palette.hpp"

namespace fathom {

Image draw_map_picture(const MapCanvas& canvas, const MapAxes& axes, const Painter& painter, const Frame& frame,
                       const PictureLegend& options, std::string_view lost,
                       const std::function<void(Image& image, Lettering& letters)>& draw_plane) {
  Lettering letters(letter_size(std::max(canvas.width, canvas.height), std::max(canvas.width, canvas.height)));
  if (!options.is_shown) {
    Image plane(canvas.width, canvas.height, kBackground);
    draw_plane(plane, letters);
    return plane;
  }
  const MapCoordinates coordinates(canvas, letters, axes);
  const std::uint32_t width = std::max(canvas.width + coordinates.right(), legend_width(letters));
  const std::uint32_t legend_top = canvas.height + coordinates.below();
  const Legend legend = make_legend(painter, frame, options, lost, letters, width);
  Image image(width, legend_top + legend_height(letters, legend, width), kBackground);
  draw_plane(image, letters);
  coordinates.draw(image);
  draw_legend(image, letters, legend, 0, legend_top, width);
  return image;
}

}  // namespace fathom
