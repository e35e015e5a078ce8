// SPDX-License-Identifier: MIT
#pragma once
// Connected regions of an image by many threads at once: a forest over the pixels in which each points to one of its
// region, at the root to itself. A root is joined to another by an exchange that fails when it is none any more, so the
// forest is right whatever the order of the threads: see Playne, Hawick, "A new algorithm for parallel
// connected-component labelling on GPUs", IEEE TPDS 29, 2018. Which pixel is the root does not matter, only how many
// have it.

#include <cstdint>

#include <fathom/base/export.hpp>

namespace fathom::device {

FATHOM_KERNEL std::uint32_t root_of(std::uint32_t* region, std::uint32_t pixel) {
  for (;;) {
    const std::uint32_t next = __atomic_load_n(region + pixel, __ATOMIC_RELAXED);
    if (next == pixel) return pixel;
    pixel = next;
  }
}

FATHOM_KERNEL void join_regions(std::uint32_t* region, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = root_of(region, a), b = root_of(region, b);
    if (a == b) return;
    std::uint32_t high = a > b ? a : b;
    const std::uint32_t low = a > b ? b : a, root = high;
    if (__atomic_compare_exchange_n(region + root, &high, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  }
}

/// Whether neighbours with such disparities belong to one region.
FATHOM_KERNEL bool are_joined(float a, float b, float max_step_px) {
  const float step = a - b;
  return a > 0.0F && b > 0.0F && step < max_step_px && -step < max_step_px;
}

}  // namespace fathom::device
