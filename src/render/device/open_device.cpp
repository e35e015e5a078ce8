// SPDX-License-Identifier: MIT
#include <fathom/base/error.hpp>

#include "base/errors.hpp"
#include "render/device/cuda_frames.cpp"
#include "render/device/gather.hpp"
#include "render/device/gpu.hpp"
#include "render/render.hpp"

namespace fathom {

std::unique_ptr<FrameDevice> open_device(const Compute& compute) {
  if (compute.device.kind == DeviceKind::kCpu) return nullptr;
  const bool may_not = compute.device.kind == DeviceKind::kAuto;
  if (may_not && compute.caster != CasterKind::kTree) return nullptr;
  try {
    if (*device::ptx() == '\0') throw InputError("device cuda: " + missing_feature("code for GPUs", "clang"));
    return std::make_unique<device::CudaFrames>(compute.device.number, compute.cuda_stream);
  } catch (const InputError&) {
    if (may_not) return nullptr;
    throw;
  }
}

FrameDevice* device_for(FrameDevice* device, const Compute& compute, const StagedChain& chain) {
  if (device == nullptr || compute.device.kind != DeviceKind::kAuto) return device;
  return device::has_models(chain) ? device : nullptr;
}

}  // namespace fathom
