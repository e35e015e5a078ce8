// SPDX-License-Identifier: MIT
#pragma once
// The fields of the jobs of a block in a GPU's memory.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "render/device/field_plan.hpp"
#include "render/device/gpu_objects.hpp"
#include "render/device/results.hpp"

namespace fathom::device {

class Fields {
 public:
  Fields(const Gpu& gpu, const Module& module)
      : draw_white_(module.function("fathom_draw_white")),
        sum_across_(module.function("fathom_sum_across")),
        sum_down_(module.function("fathom_sum_down")),
        memory_(gpu) {}

  /// Makes room for those of the block. Throws OutOfGpuMemory.
  void fit(const Block& block);
  void clear() { memory_.clear(); }

  /// Forgets them.
  void begin();
  /// Those of the next job, whose frame reads them. The kernels are kept by `keeper`.
  void add(const RenderJob& job, const Window& window, Keeper& keeper, FrameData& data);
  /// Keeps the list of all.
  void keep(Keeper& keeper);

  /// Calls launch(function, address of the list, fields, threads of each) for each step of making them.
  template <class Launch>
  void make(Launch launch) const {
    const auto count = static_cast<std::uint32_t>(fields_.size());
    std::uint32_t white = 0, half = 0, all = 0;
    for (const FieldJob& field : fields_) {
      white = std::max(white, field.white_threads());
      half = std::max(half, field.half_threads());
      all = std::max(all, field.threads());
    }
    launch(draw_white_, list_, count, white);
    launch(sum_across_, list_, count, half);
    launch(sum_down_, list_, count, all);
  }

 private:
  CudaFunction draw_white_, sum_across_, sum_down_;
  GpuMemory memory_;
  std::size_t used_ = 0;  // floats
  std::vector<FieldJob> fields_;
  CudaAddress list_ = 0;
};

}  // namespace fathom::device
