// SPDX-License-Identifier: MIT
#pragma once
// What a dataset will take, told before it is rendered.

#include <cstdint>

#include <fathom/base/export.hpp>
#include <fathom/dataset/dataset.hpp>

namespace fathom {

struct DatasetEstimate {
  std::uint64_t complete_units = 0;  ///< that resume keeps; no other field counts them
  /// To be rendered; known. Frames of the scene; rays by the sample where sensors make more or fewer.
  std::uint64_t units = 0, frames = 0, rays = 0;
  std::uint64_t files = 0;        ///< known for formats with many units in each
  std::uint64_t bytes = 0;        ///< by the sample
  double seconds = 0.0;           ///< of this computer with these threads, for all these units
  std::uint64_t shard_units = 0;  ///< units of the options' shard
  double shard_seconds = 0.0;
  std::uint64_t sample_frames = 0;  ///< that were rendered and written
  double sample_seconds = 0.0;      ///< that they took
};

/// Renders the first frames of the first, a middle and the last environment, for some seconds in all, into a hidden
/// folder beside options.run.out, so that they go to the same disk, and removes it. Nothing else is written; what a
/// call of this computer left that was killed is removed, too. Throws as render_dataset(); SystemError where no folder
/// can be made.
FATHOM_API DatasetEstimate estimate_dataset(const SceneSetup& setup, const DatasetOptions& options);

}  // namespace fathom
