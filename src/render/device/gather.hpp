// SPDX-License-Identifier: MIT
#pragma once
// A frame's job as a device takes it.

#include <vector>

#include <fathom/frame/frame.hpp>

#include "render/device/frame_data.hpp"
#include "render/device/keeper.hpp"
#include "render/render.hpp"

namespace fathom::device {

/// Whether a device has all models of the chain: none is the user's own.
[[nodiscard]] bool has_models(const StagedChain& chain);

/// The arrays of `frame` that a device fills, from place `first` on.
[[nodiscard]] Channels channels_of(std::size_t first, Frame& frame);

class Gatherer {
 public:
  /// Forgets what was gathered.
  void begin();
  /// Of a job, without what depends on where a device keeps it: `rays`, `image`, `out`, `edges`, `fields`, and the
  /// `world` as it stands here. Pointers of the rest are those of `keeper`, which must be the same since begin(); those
  /// of a HostKeeper hold until begin(). What a job has in common with the one before is kept once. In a steady state
  /// nothing is allocated. Throws InputError for a model of the user's own, and for a caster without fathom's trees.
  FrameData gather(const RenderJob& job, Keeper& keeper);

 private:
  /// The numbers of a chain while they are put together.
  struct Parts {
    std::vector<std::vector<Model>> models;
    std::vector<std::vector<NoiseStep>> steps;
    std::vector<std::vector<Tolerance>> tolerances;
    std::size_t models_used = 0, steps_used = 0, tolerances_used = 0;
  };
  Chain gather(const StagedChain& chain, Keeper& keeper);
  Steps add(const StagedChain& chain, const std::vector<ActiveNoise>& list, Keeper& keeper);

  Parts parts_;
  const StagedChain* last_chain_ = nullptr;
  FrameData last_ = {};
  const SurfaceTable* last_surfaces_ = nullptr;
  const float* last_reflectivity_ = nullptr;
  const SamplePlan* last_samples_ = nullptr;
};

}  // namespace fathom::device
