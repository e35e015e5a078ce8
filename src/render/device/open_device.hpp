// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <fathom/base/compute.hpp>

#include "render/render.hpp"

namespace fathom {

/// What renders frames as `compute` says; null: the processor. Throws InputError when the GPU, its driver or the code
/// for it is not there, which kAuto takes for the processor; SystemError when the driver fails.
std::unique_ptr<FrameDevice> open_device(const Compute& compute);

/// The device that renders a chain: none, where it may be left to the processor and has a model of the user's own.
FrameDevice* device_for(FrameDevice* device, const Compute& compute, const StagedChain& chain);

}  // namespace fathom
