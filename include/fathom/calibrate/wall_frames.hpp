// SPDX-License-Identifier: MIT
#pragma once
// Walls simulated: the frames that a sensor with a learned chain (fathom/calibrate/wall.hpp) measures of the same walls
// from the same places.

#include <cstdint>
#include <span>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/calibrate/wall.hpp>
#include <fathom/sensor/kinds.hpp>

namespace fathom {

/// The sensor as a model: a stereo_camera whose image is that of the left lens, a depth_camera where there is no
/// baseline, a laser_2d, whose rays are evenly spaced between the first azimuth and the last, or the rays of a lidar.
/// `farthest_m`: reaches at least so far where the sensor does not say how far it measures. Throws InputError for
/// azimuths that neither rise nor fall throughout.
FATHOM_API SensorModel wall_sensor_model(const WallSensor& sensor, double farthest_m);

/// The sensor as an entry of the list `sensors:` of a scene file, with its chain. Throws InputError for a lidar without
/// WallLidar::entry.
FATHOM_API std::string wall_sensor_yaml(const WallSensor& sensor, double farthest_m, const NoiseChain& chain,
                                        const std::string& name);

struct WallSimulation {
  std::uint64_t seed = 0;
  double rate_hz = 30.0;  ///< frames per second
  int threads = 0;        ///< at work at once; 0: one per core; they change no bit of the result
};

/// A frame of each wall, in their order; walls that were not found are passed over, and their frames are lost. Nothing
/// but the wall is there. Throws InputError as Simulator does.
FATHOM_API WallFrames simulate_wall(const WallSensor& sensor, std::span<const WallPlane> planes,
                                    const NoiseChain& chain, const WallSimulation& options = {});

/// The walls of a fit under its chain. The rays that were left out or showed something else in the measured frames are
/// left out, and values are rounded as those were.
FATHOM_API WallFrames simulate_wall(const WallFit& fit, const WallSimulation& options = {});

}  // namespace fathom
