// SPDX-License-Identifier: MIT
#pragma once
// The stage kImage: what a window over the image of disparities makes of the returns that the losses have left. It runs
// between the two halves of a frame's blocks, on what the first half keeps in EdgeScratch, and changes its `reason`,
// `matched_px` and `taken`, which the second half reads.

#include <span>

#include "base/compute.hpp"
#include "render/render.hpp"

namespace fathom {

/// For those of the jobs whose chain has a window. They share a plan. `shows_surfaces`: whether `taken` is read.
void match_images(std::span<const RenderJob> jobs, bool shows_surfaces, Executor& executor);

}  // namespace fathom
