// SPDX-License-Identifier: MIT
#pragma once
// Which fields a job needs, and where they stand in a device's memory.

#include <cstddef>
#include <vector>

#include "render/device/field_job.hpp"
#include "render/device/frame_data.hpp"
#include "render/device/keeper.hpp"
#include "render/device/rays.hpp"
#include "render/render.hpp"

namespace fathom::device {

/// Floats that the fields of a job take for the rays of a window: the numbers that models draw, and what they are made
/// of.
[[nodiscard]] std::size_t field_floats(const RenderJob& job, const Window& window);

/// Appends the fields of a job, which stand from `memory` on, and lets `data` read them. The kernels are kept by
/// `keeper`.
void add_fields(const RenderJob& job, const Window& window, float* memory, Keeper& keeper,
                std::vector<FieldJob>& fields, FrameData& data);

}  // namespace fathom::device
