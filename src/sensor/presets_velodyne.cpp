// SPDX-License-Identifier: MIT
// Velodyne: continuous firing in fixed sequences, whatever the speed of rotation. A frame here is as many whole firing
// sequences as fit into one turn at 10 Hz; for another rate, set columns too. Rays start at the sensor origin: the few
// centimetres by which lasers sit off it (the manuals' vertical corrections) are left out.
//
// Minimum ranges: the HDL manuals give them; for VLP-16 and VLP-32C the 0.9 m default of ROS' velodyne_pointcloud.

#include <cmath>
#include <numbers>

#include "sensor/presets.hpp"

namespace fathom {

namespace {

/// Fills in columns and span from the time that one firing sequence takes, and when each laser fires in it.
SpinningLidar with_firing(SpinningLidar lidar, double sequence_s, double slot_s, std::size_t lasers_per_slot) {
  lidar.columns = static_cast<std::uint32_t>(std::floor(1.0 / (lidar.rate_hz * sequence_s)));
  lidar.span_rad = 2 * std::numbers::pi * lidar.rate_hz * sequence_s * lidar.columns;
  for (std::size_t i = 0; i < lidar.elevation_rad.size(); ++i) {
    const std::size_t slot = i / lasers_per_slot;
    lidar.firing_time_s.push_back(static_cast<double>(slot) * slot_s);
  }
  return lidar;
}

/// 16 lasers, 2.304 us apart, 18.432 us of recharging: 55.296 us.
SpinningLidar vlp_16(std::vector<double> elevation_deg) {
  SpinningLidar lidar;
  lidar.elevation_rad = in_rad(std::move(elevation_deg));
  lidar.min_range_m = 0.9;
  lidar.max_range_m = 100.0;
  return with_firing(lidar, 55.296e-6, 2.304e-6, 1);
}

/// 32 lasers in pairs, 2.304 us apart, 18.432 us of recharging. The manual's azimuth offsets count clockwise.
SpinningLidar vlp_32c() {
  SpinningLidar lidar;
  lidar.elevation_rad = in_rad({-25,    -1,     -1.667, -15.639, -11.31, 0,      -0.667, -8.843, -7.254, 0.333,  -0.333,
                                -6.148, -5.333, 1.333,  0.667,   -4,     -4.667, 1.667,  1,      -3.667, -3.333, 3.333,
                                2.333,  -2.667, -3,     7,       4.667,  -2.333, -2,     15,     10.333, -1.333});
  lidar.azimuth_offset_rad =
      in_rad({-1.4, 4.2, -1.4, 1.4, -1.4, 1.4, -4.2, 1.4, -1.4, 4.2, -1.4, 1.4, -4.2, 1.4, -4.2, 1.4,
              -1.4, 4.2, -1.4, 4.2, -4.2, 1.4, -1.4, 1.4, -1.4, 1.4, -1.4, 4.2, -4.2, 1.4, -1.4, 1.4});
  lidar.min_range_m = 0.9;
  lidar.max_range_m = 200.0;
  return with_firing(lidar, 55.296e-6, 2.304e-6, 2);
}

/// 32 lasers, 1.152 us apart, 9.216 us of recharging: 46.08 us. From -30.67 degrees in steps of 4/3, the lower half
/// interleaved with the upper.
SpinningLidar hdl_32e() {
  SpinningLidar lidar;
  for (int i = 0; i < 32; ++i) {
    const int step = i / 2 + (i % 2 == 0 ? 0 : 16);
    lidar.elevation_rad.push_back((-92.0 + 4.0 * step) / 3.0 * kRadPerDeg);
  }
  lidar.min_range_m = 1.0;
  lidar.max_range_m = 100.0;
  return with_firing(lidar, 46.08e-6, 1.152e-6, 1);
}

/// Two blocks of 32: upper from +2 degrees in steps of 1/3, lower from -8.83 in steps of 1/2; laser i of either block
/// fires together with laser i of the other. The order of elevations in a block is that of the published calibrations
/// (the same in both blocks). Nominal: each unit has its own angles, azimuth offsets (+-2 to 9 degrees) and heights,
/// which are not in the manual and left out. 133 333 points per turn at 10 Hz make a sequence of 48 us; the 32 firings
/// are spread evenly over it.
SpinningLidar hdl_64e() {
  constexpr int kPlace[32] = {27, 26, 5,  4,  25, 24, 31, 30, 23, 22, 29, 28, 15, 14, 21, 20,
                              13, 12, 19, 18, 11, 10, 17, 16, 3,  2,  9,  8,  1,  0,  7,  6};
  SpinningLidar lidar;
  for (const int place : kPlace) {
    lidar.elevation_rad.push_back((2.0 - place / 3.0) * kRadPerDeg);
    lidar.elevation_rad.push_back((-8.0 - 5.0 / 6.0 - place / 2.0) * kRadPerDeg);
  }
  lidar.min_range_m = 0.9;
  lidar.max_range_m = 120.0;
  return with_firing(lidar, 48e-6, 1.5e-6, 2);
}

}  // namespace

void add_velodyne_presets(std::vector<SensorPreset>& presets) {
  presets.push_back({"VLP-16",
                     "Velodyne VLP-16 User Manual 63-9243 Rev. E; datasheet 63-9229",
                     "16 rings, +-15 degrees, 100 m, 10 Hz",
                     vlp_16({-15, 1, -13, 3, -11, 5, -9, 7, -7, 9, -5, 11, -3, 13, -1, 15}),
                     {DistanceNoise{.stddev_m = 0.03F}}});
  presets.push_back(
      {"VLP-16-HiRes",
       "Velodyne VLP-16 User Manual 63-9243 Rev. E (Puck Hi-Res)",
       "16 rings, +-10 degrees, 100 m, 10 Hz",
       vlp_16({-10, 0.667, -8.667, 2, -7.333, 3.333, -6, 4.667, -4.667, 6, -3.333, 7.333, -2, 8.667, -0.667, 10}),
       {DistanceNoise{.stddev_m = 0.03F}}});
  presets.push_back({"VLP-32C",
                     "Velodyne VLP-32C User Manual 63-9325 Rev. B",
                     "32 rings, +15 to -25 degrees, denser around the horizon, 200 m, 10 Hz",
                     vlp_32c(),
                     {DistanceNoise{.stddev_m = 0.03F}}});
  presets.push_back({"HDL-32E",
                     "Velodyne HDL-32E User's Manual 63-9113",
                     "32 rings, +10.67 to -30.67 degrees, 100 m, 10 Hz",
                     hdl_32e(),
                     {DistanceNoise{.stddev_m = 0.02F}}});
  presets.push_back({"HDL-64E",
                     "Velodyne HDL-64E S2 and S2.1 User's Manual, firmware 4.07; HDL-64E S3 manual Rev. K (firing)",
                     "64 rings in two blocks, +2 to -24.33 degrees (nominal), 120 m, 10 Hz",
                     hdl_64e(),
                     {DistanceNoise{.stddev_m = 0.02F}}});
}

}  // namespace fathom
