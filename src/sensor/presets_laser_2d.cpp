// SPDX-License-Identifier: MIT
// Planar scanners. All turn counter-clockwise but the RPLIDAR.

#include "sensor/presets.hpp"

namespace fathom {

namespace {

Laser2d laser(std::uint32_t rays, double min_deg, double max_deg, double rate_hz, double min_range_m,
              double max_range_m) {
  Laser2d model;
  model.rays = rays;
  model.min_azimuth_rad = min_deg * kRadPerDeg;
  model.max_azimuth_rad = max_deg * kRadPerDeg;
  model.rate_hz = rate_hz;
  model.min_range_m = min_range_m;
  model.max_range_m = max_range_m;
  return model;
}

/// 8000 samples per second in a full turn at 10 Hz: 800 rays, 0.45 degrees apart.
Laser2d rplidar_a2() {
  Laser2d model = laser(800, -180.0, 179.55, 10.0, 0.15, 12.0);
  model.clockwise = true;
  return model;
}

}  // namespace

void add_laser2d_presets(std::vector<SensorPreset>& presets) {
  // 1440 steps per turn, of which 1081 are measured. Repeated accuracy: sigma below 10 mm up to 10 m and below 30 mm up
  // to 30 m; the line below passes through both in the middle of their intervals. (Accuracy, a constant error of a
  // unit:
  // +-30 mm up to 10 m, +-50 mm up to 30 m.)
  presets.push_back({"UTM-30LX",
                     "Hokuyo UTM-30LX specification C-42-3615; SCIP 2.0 protocol specification C-42-03320B",
                     "1081 rays, 270 degrees, 30 m, 40 Hz",
                     laser(1081, -135, 135, 40.0, 0.1, 30.0),
                     {DistanceNoise{.stddev_m = 0.01F / 3, .stddev_per_m = 0.02F / 15}}});
  // Typical statistical error 12 mm. (Systematic error, constant for a unit: +-30 mm.)
  presets.push_back({"LMS-111",
                     "SICK LMS1xx operating instructions 8012471/ZN27; SICK support note on errors",
                     "541 rays, 270 degrees, 20 m, 50 Hz",
                     laser(541, -135, 135, 50.0, 0.5, 20.0),
                     {DistanceNoise{.stddev_m = 0.012F}}});
  // Resolution below 1 % of the distance, read as one sigma: the datasheet gives no accuracy.
  presets.push_back({"RPLIDAR-A2",
                     "Slamtec RPLIDAR A2M8 Introduction and Datasheet, rev. 2.5 (2019-10-25)",
                     "800 rays, 360 degrees, 12 m, 10 Hz",
                     rplidar_a2(),
                     {DistanceNoise{.stddev_per_m = 0.01F}}});
}

}  // namespace fathom
