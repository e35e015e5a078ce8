// SPDX-License-Identifier: MIT
#pragma once
// A frame's job as a device takes it. Pointers lead into the memory of the job and of this object: what renders
// elsewhere copies what they lead to.

#include <vector>

#include <fathom/frame/frame.hpp>

#include "render/device/frame_data.hpp"
#include "render/render.hpp"

namespace fathom::device {

class Gatherer {
 public:
  /// Of a job whose edge scratch has its size. Valid until the next call, as long as the job and the frame are there.
  /// In a steady state nothing is allocated. Throws InputError for a model of the user's own, and for a caster that has
  /// no trees of fathom's.
  FrameData gather(const RenderJob& job, Frame& frame);

 private:
  Chain gather(const StagedChain& chain);
  Steps add(const std::vector<ActiveNoise>& list);

  std::vector<Model> models_;  // sized before pointers to them are given away, as steps_
  std::vector<NoiseStep> steps_;
  std::vector<Tolerance> tolerances_;
  std::size_t models_used_ = 0, steps_used_ = 0;
};

}  // namespace fathom::device
