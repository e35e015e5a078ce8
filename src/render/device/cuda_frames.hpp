// SPDX-License-Identifier: MIT
#pragma once
// Frames on a GPU of NVIDIA's.

#include <cstdint>
#include <memory>
#include <span>

#include "render/device/gpu_objects.hpp"
#include "render/render.hpp"

namespace fathom::device {

class CudaFrames final : public FrameDevice {
 public:
  /// `stream`: of the caller's, or 0. Throws as Gpu does.
  CudaFrames(int number, std::uintptr_t stream);
  ~CudaFrames() override;

  /// Returns when the frame is done. Throws besides SystemError when the driver fails or memory does not suffice; what
  /// was on the GPU is then given up, and the next call begins anew. Throws InputError for a frame in other memory.
  void render(std::span<const RenderJob> jobs, Frame& frame) override;

 private:
  class Work;
  void open();
  void close();

  int number_;
  std::uintptr_t stream_;
  std::shared_ptr<const Code> code_;
  std::unique_ptr<Work> work_;
};

}  // namespace fathom::device
