// SPDX-License-Identifier: MIT
#pragma once
// summary.json: the results of a run, or of a unit of a dataset; and its parts, as JSON, for other files.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fathom/simulate/run.hpp>

namespace fathom {

/// One sensor over all frames.
struct SensorCounts : RunResult::Sensor {
  SensorId id = {};
  std::vector<ParameterRange::Drawn> drawn;  ///< for the episode
  std::uint32_t rows = 0, cols = 0;
  std::vector<FrameTime> times;  ///< of its frames, as they came; empty without a timing
};

/// A whole run, or a unit of a dataset.
struct RunCounts {
  std::uint64_t seed = 0;
  std::uint32_t environment = 0, episode = 0;
  std::uint64_t first_frame = 0;             ///< of the episode
  std::vector<ParameterRange::Drawn> drawn;  ///< of the entities, for the episode
  std::vector<SensorCounts> sensors;
  std::vector<std::string> files;  ///< relative to the folder of the run
  std::vector<std::string> warnings;
  RunOptions::Progress progress;
};

/// The text of summary.json. Everything that changes from run to run (times, threads, instruction set) is under "run".
std::string summary_text(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts);
/// Without `versions`, `run` and digests: it is the same on any computer. `counts` holds no notes of the scene, which
/// name its path.
std::string unit_summary_text(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts);

/// A list of {model, stage, parameters} in the order of the chain, in units of the library. A model with other
/// parameters for some entities or rings also has `entities` or `rings`, a map from names or numbers to parameters; a
/// model with correlated draws has `correlation`.
nlohmann::ordered_json chain_json(const NoiseChain& noise_chain, const Scene& scene);

/// The values drawn for a sensor, a list of {entry, model, entity or ring, parameter, value}, named as in scene files.
/// Parameters of the sensor itself have only {parameter, value}.
nlohmann::ordered_json drawn_json(std::span<const ParameterRange::Drawn> values, const Sensor& sensor,
                                  const Scene& scene);
/// The values drawn for entities, a list of {entity, parameter, value}.
nlohmann::ordered_json drawn_json(std::span<const ParameterRange::Drawn> values, const Scene& scene);

/// The parameters of a timing by their names.
nlohmann::ordered_json timing_json(const Timing& timing);

/// Adds `velocity_noise`, a list as of chain_json(), unless it is empty.
void add_velocity_noise(const Sensor& sensor, const Scene& scene, nlohmann::ordered_json& json);

/// Adds the features that are not usual: `returns` and `coinciding` for several returns, `divergence` for rays that
/// widen, `falloff` for an intensity that depends on range.
void add_returns(const Sensor& sensor, nlohmann::ordered_json& json);

}  // namespace fathom
