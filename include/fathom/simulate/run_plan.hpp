// SPDX-License-Identifier: MIT
#pragma once
// A plan of a run, made without running it: `fathom check` as a call.

#include <cstdint>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

/// The files of one output of one sensor; an output that writes several files a frame, as npy does for its channels,
/// has an entry for each.
struct PlannedOutput {
  std::string first_file;           ///< in the folder of the run: "lidar/cloud_000000.pcd"
  std::uint64_t files = 0;          ///< all frames, as if none were dropped
  std::uint64_t bytes_at_most = 0;  ///< of all of them: clouds with every return, pictures uncompressed
};

struct SensorPlan {
  std::string name, kind;
  std::string preset;  ///< empty: none
  std::uint32_t rows = 0, cols = 0;
  std::uint32_t frames = 0;   ///< those that are dropped included
  std::uint32_t returns = 1;  ///< of each ray
  std::vector<PlannedOutput> outputs;

  [[nodiscard]] std::uint64_t rays() const { return std::uint64_t{rows} * cols; }  ///< of a frame
};

struct FATHOM_API RunPlan {
  std::uint32_t frames = 0;  ///< of the scene
  std::uint64_t entities = 0, meshes = 0;
  std::uint64_t triangles = 0;     ///< of all meshes
  std::uint64_t ranges = 0;        ///< numbers that are drawn for each episode
  std::uint64_t memory_bytes = 0;  ///< about what the run will need, besides what the process has anyway
  std::vector<SensorPlan> sensors;

  [[nodiscard]] std::uint64_t files() const;  ///< with summary.json
  [[nodiscard]] std::uint64_t bytes_at_most() const;
};

/// Checks the scene, its sensors and outputs and the number of frames as run_scene() does before it writes; casts
/// nothing and writes nothing. Of the options only those that change what is written count: frames, seed, environment
/// and episode; not the folder or `compute`. Throws InputError as run_scene() would.
FATHOM_API RunPlan plan_run(const SceneSetup& setup, const RunOptions& options);

}  // namespace fathom
