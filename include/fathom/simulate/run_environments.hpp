// SPDX-License-Identifier: MIT
#pragma once
// Many environments and episodes of one scene file, each in a folder of its own: what `fathom simulate --environments
// 0:64 --episodes 0:10` does, as a call.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

/// The whole numbers from `first` on, up to `end`, which is not one of them.
struct NumberRange {
  std::uint32_t first = 0, end = 1;

  [[nodiscard]] constexpr std::uint64_t size() const { return end > first ? end - first : 0; }
};

/// "environment_0003/episode_0002": at least four digits, more where a number has more.
FATHOM_API std::filesystem::path run_folder(std::uint32_t environment, std::uint32_t episode);

/// What became of all runs together.
struct RunsResult {
  std::vector<std::filesystem::path> folders;  ///< of the runs: environment by environment, and in each by episode
  std::uint64_t files = 0;                     ///< written, with each summary.json
  Progress progress;
  std::vector<SensorResult>
      sensors;  ///< in the order of the scene file; digest: of those of the runs, in the order above
  std::vector<std::string> warnings;  ///< those of the scene, then of runs: "environment 3, episode 2: ..."
};

/// How many runs these are. Throws InputError where run_environments() does so because of their numbers.
FATHOM_API std::uint64_t count_runs(const SceneSetup& setup, const RunOptions& options, NumberRange environments,
                                    NumberRange episodes);

/// run_scene() for every environment and every episode of it, into options.out / run_folder(environment, episode).
/// Every folder is what run_scene() makes for that environment and episode alone, file by file, but for what its
/// summary.json says of versions and time; the same rules hold for it, so a run that was stopped leaves complete
/// folders and up to one unfinished for each thread.
///
/// As many runs go on side by side as there are threads, each on one; fewer runs than threads come one after the other,
/// each on all of them. They share the trees of the meshes. on_progress counts the frames of all runs, comes from any
/// thread, and from one at a time. Seconds inside Simulator::render are divided by the number of runs side by side, so
/// that rays by these seconds are the speed of all.
///
/// Of the options, environment and episode do not count. Before any run begins, all folders are looked at and the input
/// is checked. Throws as run_scene() does, and InputError for a range without numbers and for more than 2^32 - 1 frames
/// in all; what concerns one run begins with "environment 3, episode 2: ".
FATHOM_API RunsResult run_environments(const SceneSetup& setup, const RunOptions& options, NumberRange environments,
                                       NumberRange episodes);

}  // namespace fathom
