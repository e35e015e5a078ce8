// SPDX-License-Identifier: MIT
#pragma once
// The room in which the rows of a field are made: two lines, and the rows that the sum down the image goes over.

#include <cstddef>
#include <cstdint>

#include <fathom/base/export.hpp>

#include "render/field_kernel.hpp"

namespace fathom {

/// Pixels at a time, at most.
inline constexpr std::uint32_t kFieldStep = 64;

struct FieldScratch {
  std::uint32_t stride;  ///< of a row: its columns and some more
  std::uint32_t line;    ///< floats of a line, which is read up to kFieldStep beyond both of its ends
  std::uint32_t rows;

  FATHOM_KERNEL FieldScratch(const FieldKernel& kernel, std::uint32_t cols)
      : stride((cols + kFieldStep - 1) / kFieldStep * kFieldStep),
        line(kernel.across.before + stride + kernel.across.after + 3 * kFieldStep),
        rows(kernel.down.before + kernel.down.after + 1) {}

  [[nodiscard]] FATHOM_KERNEL std::size_t floats() const { return 2 * std::size_t{line} + std::size_t{rows} * stride; }
};

}  // namespace fathom
