// SPDX-License-Identifier: MIT
#include <algorithm>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/pictures.hpp>

#include "picture/image.hpp"
#include "picture/legend.hpp"
#include "picture/painter.hpp"
#include "picture/ray_grid.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kMaxSide = 1000000;  // what libpng writes

PatternGrid grid_of(const Frame& frame, const std::filesystem::path& file) {
  const PatternGrid grid = ray_grid(frame.rows(), frame.cols());
  if (frame.size() == 0 || grid.width > kMaxSide || grid.lines > kMaxSide) {
    throw InputError(fmt::format("{}: a frame of {} x {} rays makes no picture, the limits are 1 and {} on a side",
                                 file.string(), frame.rows(), frame.cols(), kMaxSide));
  }
  return grid;
}

std::uint32_t wrapped(std::int64_t x, std::uint32_t width) {
  const std::int64_t rest = x % width;
  return static_cast<std::uint32_t>(rest < 0 ? rest + width : rest);
}

}  // namespace

void write_range_image(const std::filesystem::path& file, const Frame& frame, ColorBy color, double scale_m,
                       std::span<const std::int32_t> shifts, const PictureLegend& legend) {
  if (frame.returns() > 1) return write_range_image(file, frame.of_return(0), color, scale_m, shifts, legend);
  if (!shifts.empty() && shifts.size() != frame.rows()) {
    throw InputError(fmt::format("{}: {} shifts for {} rows", file.string(), shifts.size(), frame.rows()));
  }
  const Painter painter(frame, color, scale_m);
  const PatternGrid grid = grid_of(frame, file);
  Image image = picture_with_legend(grid.width, grid.lines * grid.repeat, legend.is_shown,
                                    [&](const Lettering& letters, std::uint32_t width) {
                                      return make_legend(painter, frame, legend, "no return", letters, width);
                                    });
  for (std::size_t ray = 0; ray < frame.size(); ++ray) {
    const auto x = static_cast<std::uint32_t>(ray % grid.width), line = static_cast<std::uint32_t>(ray / grid.width);
    const std::int64_t shift = shifts.empty() ? 0 : shifts[ray / frame.cols()];
    image.at(wrapped(x + shift, grid.width), line * grid.repeat) = painter.color(ray);
  }
  for (std::uint32_t line = 0; line < grid.lines; ++line) {
    const Rgb* first = &image.at(0, line * grid.repeat);
    for (std::uint32_t k = 1; k < grid.repeat; ++k)
      std::copy_n(first, grid.width, &image.at(0, line * grid.repeat + k));
  }
  write_png(file, image);
}

}  // namespace fathom
