// SPDX-License-Identifier: MIT
#pragma once
// A run that is checked and not begun: what run_scene(), plan_run() and make_simulator() have in common.

#include <cstdint>
#include <string>
#include <vector>

#include <fathom/simulate/run.hpp>

#include "render/shared_trees.hpp"

namespace fathom {

/// Which of the runs of a scene it is.
struct RunEpisode {
  std::uint64_t seed = 0;
  std::uint32_t environment = 0, episode = 0;
};

/// A sensor of a run, whose simulator has it.
struct RunSensor {
  SensorId id = {};
  std::vector<DrawnParameter> drawn;  ///< for the episode
  std::vector<OutputFile> files;
  ChannelSet channels;       ///< that its files and the counts of the summary need
  std::uint32_t frames = 0;  ///< that it makes while the scene makes PreparedRun::frames
};

struct PreparedRun {
  std::uint32_t frames = 0;  ///< of the scene
  RunEpisode episode;
  Simulator simulator;
  std::vector<DrawnParameter> drawn;  ///< of the entities, for the episode
  std::vector<RunSensor> sensors;     ///< in the order of the scene file, at least one
};

/// How a message about a sensor's timing begins: "s.yaml:9:5: sensors.lidar.timing", or with the sensor's name.
std::string place_of_timing(const SensorSetup& setup);

/// Checks everything that could be wrong with the input but the folder; casts nothing and writes nothing. `trees`: of
/// the scene, for runs that share them; null: the run builds its own. Throws InputError.
PreparedRun prepare_run(const SceneSetup& setup, const RunOptions& options, const SharedTrees* trees = nullptr);

/// Makes `run`, which was prepared for `setup`, the run of another environment and episode: it draws the parameters
/// anew and keeps rays, plans and trees. Its frames are those of a run that was prepared for them.
void begin_episode(PreparedRun& run, const SceneSetup& setup, std::uint32_t environment, std::uint32_t episode);

}  // namespace fathom
