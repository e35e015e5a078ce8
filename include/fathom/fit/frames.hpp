// SPDX-License-Identifier: MIT
#pragma once
// Measured frames of a sensor beside its scene: what learning and scoring of chains (fathom/fit/chain.hpp) take.
// The scene is cast again at the time of each frame, so the same measurements give the same returns, whether they come
// from a run of the simulator, from a camera or from the log of a planar laser.
//
// Left out are rays on which the scene has nothing within the sensor's limits, rays that a camera does not see
// (stereo_shadow), returns that are too weak for the sensor's Detection, and rays that a matching window loses or shows
// another surface of: no model of the chain has a density for them. Readings that a beam_mixture may have drawn where
// the scene has nothing are left out, too. Where a chain turns rays, the scene is cast once more for each of a grid of
// angles (ChainReturns::TurnedRays): once for all frames where neither the scene nor the sensor moves.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/error.hpp>
#include <fathom/core/export.hpp>
#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/chain.hpp>
#include <fathom/fit/wall.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

struct ChainFrames {
  struct Options {
    std::string sensor = {};             ///< of the scene; empty: the only one
    std::size_t most_returns = 300'000;  ///< more are thinned out at random; at least 1000
    double half_step_m = 0.0;            ///< measured values are multiples of twice as much; 0: not rounded
    /// Of a chain that turns rays (angular_ray): rays are cast up to four times this angle to each side. 0: one and a
    /// half times the deviation of the chain, or a milliradian if that is 0.
    double angle_scale_rad = 0.0;
    NoiseChain other_chain = {};  ///< another one under which the frames will be scored; rays are turned for both
    RunOptions run = {};          ///< seed, environment, episode and compute count
  };

  ChainReturns returns;
  std::string sensor;      ///< its name
  std::size_t frames = 0;  ///< read
  std::size_t hidden = 0;  ///< rays left out for cameras, windows, detection and optics
  /// Readings where the scene has nothing within the limits, left out; 0 where the chain has a beam_mixture or weather.
  std::size_t unexpected = 0;
  /// Multiple of the sensor's maximum range: noise and rounding do not move ranges as far as that.
  static constexpr double kBeyond = 1.01;
  /// Readings farther than the sensor measures, by more than that, which count as lost: readings of another device, or
  /// a code for no return. Only of a log where the sensor keeps what noise carries there (range_policy: keep).
  std::size_t beyond = 0;
  /// Points that no turn about the axis of angular_hit brings their rays to, to 1e-3 rad; they are taken.
  std::size_t askew = 0;
  bool has_mixture = false;    ///< whether the sensor's chain draws readings beside the surface (beam_mixture)
  bool has_weather = false;    ///< whether drops in the air may be readings
  std::vector<Finding> notes;  ///< on the data

  /// The notes, also on readings that should not be left out, and on a scene of another place.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
};

/// The place of a sensor among the sensors of a scene. Throws InputError naming the sensors when none has that name, or
/// when there are several and no name.
FATHOM_API std::size_t find_sensor(const SceneSetup& setup, const std::string& name);

/// The rings of the sensor's rays, ascending.
FATHOM_API std::vector<std::uint16_t> rings_of(const Sensor& sensor);

/// Whether a YAML file holds a list, as the noise.yaml of a fit does, and no scene. Throws InputError unless it is
/// YAML.
FATHOM_API bool is_noise_list(const std::filesystem::path& file);

// Pairs to calibrate from: a CSV, or the NPY files of a run (fathom/simulate/run.hpp). A folder counts as a run, which
// must be complete.

/// A CSV has the columns `range_m,expected_m` and, where scans are known, `scan`, whole numbers in any order; inf and
/// nan are allowed of ranges. Of a run: measured and noise-free ranges, from the channels range and clean_range of one
/// sensor; lost returns stay as NaN, and a frame counts as a scan. `sensor` may be empty where only one sensor has
/// these channels. Throws InputError naming the file, or the model of the sensor's chain that calibrate_distance() does
/// not describe: any that changes ranges, except one `distance` that is the same for all returns.
FATHOM_API RangePairs read_range_pairs(const std::filesystem::path& csv_or_run, const std::string& sensor = {});

/// A CSV has the columns `energy,lost`, lost 0 or 1. Of a run: energies and losses, from the channels energy and
/// reason. Left out are rays that the energy law did not judge, and the few rays that range noise carried beyond the
/// range limits. Throws InputError naming the file, or what in the chain calibrate_energy() does not describe: no
/// energy law or several, a law that differs by entity or ring, readings that need no surface (beam_mixture), or
/// another normalization than `law`.
FATHOM_API EnergyPairs read_energy_pairs(const std::filesystem::path& csv_or_run, const std::string& sensor = {},
                                         std::optional<EnergyNormalization> law = {});

// Walls simulated: the frames that a sensor with a learned chain (fathom/fit/wall.hpp) measures of the same walls
// from the same places.

/// The sensor as an entry of the list `sensors:` of a scene file, with its chain. Throws InputError for a lidar without
/// WallSensor::Lidar::entry.
FATHOM_API std::string wall_sensor_yaml(const WallSensor& sensor, double farthest_m, const NoiseChain& chain,
                                        const std::string& name);

/// A frame of each wall, in their order; walls that were not found are passed over, and their frames are lost. Nothing
/// but the wall is there. Uses the options seed, rate_hz and threads. Throws InputError as Simulator does.
FATHOM_API WallFrames simulate_wall(const WallSensor& sensor, std::span<const WallMeasure::Plane> planes,
                                    const NoiseChain& chain, const WallOptions& options = {});

/// The walls of a fit under its chain. The rays that were left out or showed something else in the measured frames are
/// left out, and values are rounded as those were.
FATHOM_API WallFrames simulate_wall(const WallFit& fit, const WallOptions& options = {});

/// The lidar that a preset has, "OS1-64", or a file: an entry of `sensors:` of a scene file, as sensor.yaml is, or a
/// whole scene file with one sensor. Only the rays of the entry count. Throws InputError naming file or preset, also
/// for a sensor that reports several returns of a ray.
FATHOM_API WallSensor find_wall_lidar(const std::string& preset_or_file);

}  // namespace fathom
