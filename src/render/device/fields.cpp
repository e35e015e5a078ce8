// SPDX-License-Identifier: MIT
#include "render/device/fields.hpp"

#include <span>

namespace fathom::device {

void Fields::fit(const Block& block) {
  std::size_t floats = 0;
  for (const RenderJob& job : block.jobs) floats += field_floats(job, block.window);
  memory_.fit(floats * sizeof(float), "correlated draws");
}

void Fields::begin() {
  used_ = 0;
  fields_.clear();
}

void Fields::add(const RenderJob& job, const Window& window, Keeper& keeper, FrameData& data) {
  if (job.chain.correlated.empty()) return;
  auto* const memory = reinterpret_cast<float*>(memory_.address());  // NOLINT(performance-no-int-to-ptr)
  add_fields(job, window, memory + used_, keeper, fields_, data);
  used_ += field_floats(job, window);
}

void Fields::keep(Keeper& keeper) {
  list_ = reinterpret_cast<CudaAddress>(keeper.keep(std::span<const FieldJob>(fields_)));
}

}  // namespace fathom::device
