// SPDX-License-Identifier: MIT
#pragma once
// One number of a field, in the order of sums that all renderers keep (fathom/noise/correlation.hpp). Nothing here
// loops over pixels: field_lanes.cpp does, and the threads of a device.

#include <cstdint>

#include <fathom/math/random.hpp>

#include "render/field_kernel.hpp"

namespace fathom {

/// White draws have rows and columns from -kFieldMargin on: more than any kernel reads beyond the image.
inline constexpr std::uint32_t kFieldMargin = 512;
/// Number of the first field's draw. A model without a correlation draws with smaller ones.
inline constexpr std::uint32_t kFirstFieldDraw = 256;

/// The rows and columns of the white draws behind an image. Four columns share a Philox block, a quad. Where the image
/// closes, the columns are its own.
struct Lattice {
  std::uint32_t cols = 0;  ///< of the image
  bool closes = false;

  /// Quads of a row.
  [[nodiscard]] FATHOM_KERNEL std::uint32_t quads() const {
    return closes ? (cols + 3) / 4 : (cols + 2 * kFieldMargin + 3) / 4;
  }
  /// Name of the first quad of a row; `row` of the image, or before or after it.
  [[nodiscard]] FATHOM_KERNEL std::uint32_t row_of_quads(std::int32_t row) const {
    return (static_cast<std::uint32_t>(row) + kFieldMargin) * quads();
  }
  /// The quads that a row of the image needs with such a kernel: [first, end).
  [[nodiscard]] FATHOM_KERNEL std::uint32_t first_quad(const LineKernel& across) const {
    return closes ? 0 : (kFieldMargin - across.before) / 4;
  }
  [[nodiscard]] FATHOM_KERNEL std::uint32_t end_quad(const LineKernel& across) const {
    return closes ? quads() : (kFieldMargin + cols + across.after + 3) / 4;
  }
  /// Place of a column of the image in a row that starts with the first of these quads.
  [[nodiscard]] FATHOM_KERNEL std::uint32_t place_of(std::int32_t column, const LineKernel& across) const {
    if (!closes) return static_cast<std::uint32_t>(column) + kFieldMargin - 4 * first_quad(across);
    const auto n = static_cast<std::int32_t>(cols);
    return static_cast<std::uint32_t>(column < 0 ? column + n : column >= n ? column - n : column);
  }
};

/// The sum of a line at a pixel; at(i): what stands i before it.
template <class At>
FATHOM_KERNEL float line_sum(const LineKernel& k, At at) {
  if (!k.is_exponential) {
    float sum = k.weights[0] * at(0);
    for (std::uint32_t i = 1; i < k.count; ++i) {
      const auto j = static_cast<std::int32_t>(i);
      sum = sum + k.weights[i] * (at(j) + at(-j));
    }
    return sum;
  }
  float done[12];  // T_i of the first half of a pair whose second half is to come
  const std::uint32_t draws = k.before + 1;
  for (std::uint32_t i = 0; i < draws; ++i) {
    float part = at(static_cast<std::int32_t>(i));
    std::uint32_t step = 0;
    for (std::uint32_t rest = i; (rest & 1U) != 0; rest >>= 1U, ++step) part = done[step] + k.weights[step] * part;
    done[step] = part;
  }
  return done[k.count] * k.gain;
}

}  // namespace fathom
