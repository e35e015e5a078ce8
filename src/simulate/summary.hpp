// SPDX-License-Identifier: MIT
#pragma once
// summary.json: the results of a run, or of a unit of a dataset.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fathom/simulate/run.hpp>

namespace fathom {

/// One sensor over all frames.
struct SensorCounts : SensorResult {
  SensorId id = {};
  std::vector<DrawnParameter> drawn;  ///< for the episode
  std::uint32_t rows = 0, cols = 0;
  std::vector<FrameTime> times;  ///< of its frames, as they came; empty without a timing
};

/// A whole run, or a unit of a dataset.
struct RunCounts {
  std::uint64_t seed = 0;
  std::uint32_t environment = 0, episode = 0;
  std::uint64_t first_frame = 0;      ///< of the episode
  std::vector<DrawnParameter> drawn;  ///< of the entities, for the episode
  std::vector<SensorCounts> sensors;
  std::vector<std::string> files;  ///< relative to the folder of the run
  std::vector<std::string> warnings;
  Progress progress;
};

/// The text of summary.json. All that changes from run to run (times, threads, instruction set) stands under "run".
std::string summary_text(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts);
/// Without `versions`, `run` and digests: it is the same on any computer. `counts` holds no notes of the scene, which
/// name its path.
std::string unit_summary_text(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts);

}  // namespace fathom
