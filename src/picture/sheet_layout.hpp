// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "picture/legend.hpp"
#include "picture/lettering.hpp"

namespace fathom {

/// The sheet of a depth camera: two lines of two panels, each with its title above. A cell is as wide as a frame, or as
/// a legend needs. Pixels.
struct SheetLayout {
  std::uint32_t gap, cell, line, step_y;

  SheetLayout(std::uint32_t rows, std::uint32_t cols, const Lettering& letters)
      : gap(legend_pad(letters)),
        cell(std::max(cols, legend_width(letters) - 2 * gap)),
        line(letters.line_height()),
        step_y(line + rows + gap) {}
  [[nodiscard]] std::uint32_t width() const { return 2 * cell + 3 * gap; }
  [[nodiscard]] std::uint32_t left(std::uint32_t panel) const { return gap + panel % 2 * (cell + gap); }
  [[nodiscard]] std::uint32_t top(std::uint32_t panel) const { return gap + line + panel / 2 * step_y; }
  [[nodiscard]] std::uint32_t bottom() const { return gap + 2 * step_y; }
  [[nodiscard]] std::uint32_t bar_width() const { return cell + 2 * gap; }  ///< of the legend below a cell
};

}  // namespace fathom
