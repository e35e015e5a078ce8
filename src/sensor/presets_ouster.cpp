// SPDX-License-Identifier: MIT
// Ouster: all rays of a column fire at once; they are staggered in azimuth over four columns of emitters. Angles are
// the nominal ones; each unit reports its own (beam_altitude_angles, beam_azimuth_angles). The emitters' distance from
// the axis (12 to 28 mm) is left out: rays start at the sensor origin.
//
// Azimuth angles of the manual count clockwise; ring 0 is the top row, as in Ouster's driver. Column 0 looks backwards,
// where Ouster cuts its frames too.

#include "sensor/presets.hpp"

namespace fathom {

namespace {

/// `stagger_deg`: the manual's azimuth angle of the four rings that then repeat from the top down.
SpinningLidar ouster(std::uint32_t rings, double top_deg, double bottom_deg, const double (&stagger_deg)[4],
                     double min_range_m, double max_range_m) {
  SpinningLidar lidar;
  lidar.elevation_rad = even_elevations(rings, top_deg * kRadPerDeg, bottom_deg * kRadPerDeg);
  for (std::uint32_t i = 0; i < rings; ++i) {
    lidar.azimuth_offset_rad.push_back(-stagger_deg[i % 4] * kRadPerDeg);
    lidar.ring.push_back(static_cast<std::uint16_t>(i));
  }
  lidar.columns = 1024;
  lidar.min_range_m = min_range_m;
  lidar.max_range_m = max_range_m;
  return lidar;
}

/// Range repeatability at a strong return, and angular sampling accuracy, of the OS1 datasheet. Its vertical part
/// (0.01 degrees too) is left out: a rotation about a fixed axis changes the elevation of few rings only.
NoiseChain ouster_noise() {
  return {AngularRay{.axis = Axis::kZ, .stddev_rad = static_cast<float>(0.01 * kRadPerDeg)},
          DistanceNoise{.stddev_m = 0.015F}};
}

}  // namespace

void add_ouster_presets(std::vector<SensorPreset>& presets) {
  // The stagger of the OS0 grows towards its steepest rings (to 11 degrees); these are the values at the horizon, from
  // the metadata of a unit in the Ouster SDK's test data. The OS0's noise is the OS1's.
  presets.push_back(
      {"OS0-128", "Ouster OS0 datasheet (90 degrees, 0.3 to 50 m); ray azimuths from the Ouster SDK's sample metadata",
       "128 rings, +-45 degrees, 50 m, 1024 columns at 10 Hz", ouster(128, 45, -45, {8.3, 2.8, -2.8, -8.3}, 0.3, 50),
       ouster_noise()});
  presets.push_back({"OS1-64", "Ouster OS1 datasheet (generation 1, 33.2 degrees); Software User Guide v1.12",
                     "64 rings, +-16.6 degrees, 120 m, 1024 columns at 10 Hz",
                     ouster(64, 16.611, -16.611, {3.164, 1.055, -1.055, -3.164}, 0.8, 120), ouster_noise()});
  presets.push_back({"OS1-128", "Ouster OS1 datasheet (45 degrees); ray azimuths from the Ouster SDK's sample metadata",
                     "128 rings, +-22.5 degrees, 120 m, 1024 columns at 10 Hz",
                     ouster(128, 22.5, -22.5, {4.21, 1.4, -1.4, -4.21}, 0.8, 120), ouster_noise()});
}

}  // namespace fathom
