// SPDX-License-Identifier: MIT
// The presets of lidars and planar scanners. A figure is the datasheet's; if the datasheet lacks it, a comment says
// where it is from. Noise is read as presets.cpp says.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/sensor/presets.hpp>

#include "sensor/lidar_tables.hpp"

namespace fathom {

namespace {

/// The list in radians.
std::vector<double> in_rad(std::vector<double> degrees) {
  for (double& angle : degrees) angle *= kRadPerDeg;
  return degrees;
}

// Velodyne: continuous firing in fixed sequences, whatever the speed of rotation. A frame is as many whole sequences as
// fit into one turn at 10 Hz; for another rate, set columns too. Rays start at the sensor origin: the manuals' vertical
// corrections, a few centimetres, are left out. Minimum ranges are from the HDL manuals; for VLP-16 and VLP-32C it is
// the 0.9 m default of ROS' velodyne_pointcloud.

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

/// Two blocks of 32; laser i of either block fires together with laser i of the other. Elevations and azimuth offsets
/// belong to one unit: each unit has its own. 133 333 points per turn at 10 Hz make a sequence of 48 us; the 32 firings
/// are spread evenly over it.
SpinningLidar hdl_64e() {
  constexpr std::size_t kBlock = 32;
  SpinningLidar lidar;
  for (std::size_t i = 0; i < kBlock; ++i) {
    for (const std::size_t laser : {i, kBlock + i}) {
      lidar.elevation_rad.push_back(kHdl64Elevation[laser] * kRadPerDeg);
      lidar.azimuth_offset_rad.push_back(kHdl64Azimuth[laser] * kRadPerDeg);
    }
  }
  lidar.min_range_m = 0.9;
  lidar.max_range_m = 120.0;
  return with_firing(lidar, 48e-6, 1.5e-6, 2);
}

/// 16 groups of eight lasers, 2.665 us apart, with a pause of one group after the eighth; 53.3 us (manual,
/// section 8.1).
SpinningLidar vls_128() {
  constexpr double kClockwiseDeg[] = {6.354, 4.548, 2.732, 0.911, -0.911, -2.732, -4.548, -6.354};
  constexpr double kGroupS = 2.665e-6;
  SpinningLidar lidar;
  for (std::size_t i = 0; i < std::size(kVls128Elevation); ++i) {
    lidar.elevation_rad.push_back(kVls128Elevation[i] * kRadPerDeg);
    lidar.azimuth_offset_rad.push_back(-kClockwiseDeg[i % 8] * kRadPerDeg);
  }
  lidar.min_range_m = 0.5;
  lidar.max_range_m = 245.0;
  lidar = with_firing(lidar, 53.3e-6, kGroupS, 8);
  for (std::size_t i = lidar.firing_time_s.size() / 2; i < lidar.firing_time_s.size(); ++i) {
    lidar.firing_time_s[i] += kGroupS;
  }
  return lidar;
}

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
  presets.push_back(
      {"HDL-64E",
       "Velodyne HDL-64E S2 and S2.1 User's Manual, firmware 4.07; HDL-64E S3 manual Rev. K (firing); angles "
       "of a unit, ros-drivers/velodyne 64e_s3-xiesc.yaml",
       "64 rings in two blocks, +1.96 to -24.56 degrees, 120 m, 10 Hz",
       hdl_64e(),
       {DistanceNoise{.stddev_m = 0.02F}},
       {.reach_10_m = 50}});
  presets.push_back(
      {"VLS-128",
       "Velodyne VLS-128 User Manual 63-9483; Alpha Prime datasheet 63-9679; angles: ros-drivers/velodyne "
       "VLS128.yaml",
       "128 rings, +15 to -25 degrees, denser around the horizon, 245 m, 10 Hz",
       vls_128(),
       {DistanceNoise{.stddev_m = 0.03F}},
       {.reach_10_m = 220}});
}

// Ouster: all rays of a column fire at once; they are staggered in azimuth over four columns of emitters. Angles belong
// to one unit each, as its metadata reports them. Azimuth angles of the metadata count clockwise; ring 0 is the top
// row, as in Ouster's driver. Column 0 looks backwards, where Ouster cuts its frames too. Rays start on the axis: the
// distance of the emitters from it, beam_origin_m, is left out. Detection: 90 % probability at 100 klx, of the
// datasheets of the units' time (Rev. 06; OS1-64: generation 1).

/// `clockwise_deg`: repeats from the top down.
SpinningLidar ouster(std::span<const double> elevation_deg, std::span<const double> clockwise_deg, double min_range_m,
                     double max_range_m) {
  SpinningLidar lidar;
  for (std::size_t i = 0; i < elevation_deg.size(); ++i) {
    lidar.elevation_rad.push_back(elevation_deg[i] * kRadPerDeg);
    lidar.azimuth_offset_rad.push_back(-clockwise_deg[i % clockwise_deg.size()] * kRadPerDeg);
    lidar.ring.push_back(static_cast<std::uint16_t>(i));
  }
  lidar.columns = 1024;
  lidar.min_range_m = min_range_m;
  lidar.max_range_m = max_range_m;
  return lidar;
}

std::vector<double> every_second(std::span<const double> list) {
  std::vector<double> half;
  for (std::size_t i = 0; i < list.size(); i += 2) half.push_back(list[i]);
  return half;
}

/// Range repeatability at a strong return, and angular sampling accuracy, of the OS1 datasheet. Its vertical part
/// (0.01 degrees too) is left out: a rotation about a fixed axis changes the elevation of few rings only.
NoiseChain ouster_noise() {
  return {AngularRay{.axis = Axis::kZ, .stddev_rad = static_cast<float>(0.01 * kRadPerDeg)},
          DistanceNoise{.stddev_m = 0.015F}};
}

void add_ouster_presets(std::vector<SensorPreset>& presets) {
  constexpr const char *kOs0Source = "Ouster OS0 datasheet Rev. 06; angles of a unit, ouster-sdk tests/pcaps",
                       *kOs1Source = "Ouster OS1 datasheet Rev. 06; angles of a unit, ouster-sdk tests/pcaps";
  // Azimuths of all units repeat within 0.05 degrees, except the OS0's and the OS1-64's.
  constexpr double kOs1Azimuth[] = {4.218, 1.409, -1.401, -4.21}, kOs1x32Azimuth[] = {-4.256},
                   kOs2Azimuth[] = {2.084, 0.704, -0.678, -2.055};
  constexpr Detection kOs0 = {.reach_10_m = 15}, kOs1 = {.reach_10_m = 45}, kOs2 = {.reach_10_m = 80};
  // The noise of the OS0 and the OS2 is the OS1's. The OS0-64 has every second beam of the OS0-128.
  presets.push_back({"OS0-32", kOs0Source, "32 rings, +43.9 to -45.4 degrees, 50 m, 1024 columns at 10 Hz",
                     ouster(kOs0x32Elevation, kOs0x32Azimuth, 0.3, 50), ouster_noise(), kOs0});
  presets.push_back({"OS0-64", kOs0Source, "64 rings, +45.8 to -45.2 degrees, 50 m, 1024 columns at 10 Hz",
                     ouster(every_second(kOs0x128Elevation), every_second(kOs0x128Azimuth), 0.3, 50), ouster_noise(),
                     kOs0});
  presets.push_back({"OS0-128", kOs0Source, "128 rings, +45.8 to -46.3 degrees, 50 m, 1024 columns at 10 Hz",
                     ouster(kOs0x128Elevation, kOs0x128Azimuth, 0.3, 50), ouster_noise(), kOs0});
  presets.push_back({"OS1-32", "Ouster OS1 datasheet Rev. 06; angles of a unit, ouster-sdk tests/metadata",
                     "32 rings, +20.5 to -21.5 degrees, 120 m, 1024 columns at 10 Hz",
                     ouster(kOs1x32Elevation, kOs1x32Azimuth, 0.8, 120), ouster_noise(), kOs1});
  presets.push_back({"OS1-64",
                     "Ouster OS1 datasheet (generation 1, 33.2 degrees); angles of a unit, ouster-sdk tests/metadata",
                     "64 rings, +-16.7 degrees, 120 m, 1024 columns at 10 Hz",
                     ouster(kOs1x64Elevation, kOs1x64Azimuth, 0.8, 120),
                     ouster_noise(),
                     {.reach_10_m = 40}});
  presets.push_back({"OS1-128", kOs1Source, "128 rings, +21 to -21.8 degrees, 120 m, 1024 columns at 10 Hz",
                     ouster(kOs1x128Elevation, kOs1Azimuth, 0.8, 120), ouster_noise(), kOs1});
  presets.push_back({"OS2-128", "Ouster OS2 datasheet Rev. 06; angles of a unit, ouster-sdk tests/pcaps",
                     "128 rings, +10.8 to -11.1 degrees, 240 m, 1024 columns at 10 Hz",
                     ouster(kOs2x128Elevation, kOs2Azimuth, 1.0, 240), ouster_noise(), kOs2});
}

// Hesai and RoboSense: their lasers fire one after the other, from the start of each column. Rings of Hesai count
// channels, from 0; rings of RoboSense's driver count from the lowest elevation.

struct Laser {
  double elevation_deg, clockwise_deg, fired_s;
};

/// Lists the lasers in the order in which they fire; their times count from the first one.
SpinningLidar firing_in_turn(std::span<const Laser> channels, std::uint32_t columns, double min_range_m,
                             double max_range_m) {
  std::vector<std::uint16_t> order(channels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint16_t a, std::uint16_t b) { return channels[a].fired_s < channels[b].fired_s; });
  SpinningLidar lidar;
  for (const std::uint16_t channel : order) {
    const Laser& laser = channels[channel];
    lidar.elevation_rad.push_back(laser.elevation_deg * kRadPerDeg);
    lidar.azimuth_offset_rad.push_back(0.0 - laser.clockwise_deg * kRadPerDeg);  // never -0
    lidar.firing_time_s.push_back(laser.fired_s - channels[order.front()].fired_s);
    lidar.ring.push_back(channel);
  }
  lidar.columns = columns;
  lidar.min_range_m = min_range_m;
  lidar.max_range_m = max_range_m;
  return lidar;
}

/// `least_deg`: subtracted from the azimuths.
std::vector<Laser> lasers_of(std::span<const double> elevation_deg, std::span<const double> clockwise_deg,
                             std::span<const double> fired_us, double least_deg = 0.0) {
  std::vector<Laser> lasers;
  lasers.reserve(elevation_deg.size());
  for (std::size_t i = 0; i < elevation_deg.size(); ++i) {
    lasers.push_back({elevation_deg[i], clockwise_deg[i] - least_deg, fired_us[i] * 1e-6});
  }
  return lasers;
}

void add_hesai_presets(std::vector<SensorPreset>& presets) {
  std::vector<Laser> xt32;
  xt32.reserve(32);
  for (int i = 0; i < 32; ++i) xt32.push_back({15.0 - i, 0.0, 1.512e-6 * i});
  presets.push_back({"XT32",
                     "Hesai PandarXT-32 User Manual; angles and firing times: HesaiLidar_SDK_2.0, PandarXT",
                     "32 rings, +15 to -16 degrees, 120 m, 10 Hz",
                     firing_in_turn(xt32, 2000, 0.05, 120),
                     {DistanceNoise{.stddev_m = 0.01F}},
                     {.reach_10_m = 80}});
  presets.push_back({"QT64",
                     "Hesai PandarQT User Manual; angles and firing times: HesaiLidar_SDK_2.0, PandarQT",
                     "64 rings, +-52.1 degrees, 60 m, 10 Hz",
                     firing_in_turn(lasers_of(kQt64Elevation, kQt64Azimuth, kQt64FiringUs), 600, 0.1, 60),
                     {DistanceNoise{.stddev_m = 0.02F}},
                     {.reach_10_m = 20}});
  // The file's azimuths are about 170 degrees. Noise and columns (0.4 degrees) are not in it: the noise is the QT64's.
  presets.push_back({"JT128",
                     "Hesai JT128 product page; angles and firing times: HesaiLidar_SDK_2.0, JT128",
                     "128 rings, +88.9 to -5 degrees, 60 m, 10 Hz",
                     firing_in_turn(lasers_of(kJt128Elevation, kJt128Azimuth, kJt128FiringUs, 170), 900, 0.05, 60),
                     {DistanceNoise{.stddev_m = 0.02F}},
                     {.reach_10_m = 30}});
}

/// Even elevations and the order of the channels are by construction: each unit reports its own.
SpinningLidar robosense(std::span<const Laser> channels, double min_range_m, double max_range_m) {
  SpinningLidar lidar = firing_in_turn(channels, 1800, min_range_m, max_range_m);
  lidar.ring.clear();  // counted from the lowest one
  return lidar;
}

void add_robosense_presets(std::vector<SensorPreset>& presets) {
  std::vector<Laser> helios, bpearl;
  for (int i = 0; i < 32; ++i) {
    helios.push_back({15.0 - i, 0.0, 1.73e-6 * i});
    const int group = i / 8;  // two of them fire in the pauses of the other two
    const double fired_us = 2.56 * (i % 8) + (group % 2 == 1 ? 25.68 : 0.0) + (group / 2 == 1 ? 1.28 : 0.0);
    bpearl.push_back({89.5 - 2.8125 * i, 0.0, fired_us * 1e-6});
  }
  presets.push_back({"RS-Helios-1615",
                     "RoboSense RS-Helios-1615 User Manual; firing times: rs_driver decoder_RSHELIOS",
                     "32 rings, +15 to -16 degrees, 150 m, 1800 columns at 10 Hz",
                     robosense(helios, 0.2, 150),
                     {DistanceNoise{.stddev_m = 0.01F}},
                     {.reach_10_m = 110}});
  presets.push_back({"RS-Bpearl",
                     "RoboSense RS-Bpearl User Manual; firing times: rs_driver decoder_RSBP",
                     "32 rings, +89.5 to +2.3 degrees, 100 m, 1800 columns at 10 Hz",
                     robosense(bpearl, 0.1, 100),
                     {DistanceNoise{.stddev_m = 0.03F}},
                     {.reach_10_m = 30}});
}

// Livox: two turning prisms. The manual gives field of view, point rate and accuracy; the speeds of the prisms, 7294
// and -4664 rpm, are from Liu, Zhang, Hong, "Low-cost retina-like robotic lidars based on incommensurable scanning",
// IEEE/ASME Trans. Mechatronics 27 (2022) 58-68. Both prisms are taken as equal, so the pattern has no hole in the
// middle and lacks the real one's small asymmetries.

Rosette mid_40() {
  Rosette rosette;
  rosette.points = 10000;
  rosette.field_of_view_rad = 38.4 * kRadPerDeg;
  rosette.prism1_hz = 7294.0 / 60.0;
  rosette.prism2_hz = -4664.0 / 60.0;
  rosette.points_per_s = 100000.0;
  rosette.min_range_m = 1.0;
  rosette.max_range_m = 260.0;
  return rosette;
}

void add_livox_presets(std::vector<SensorPreset>& presets) {
  // Angular accuracy 0.1 degrees, as rotations about both axes across the line of sight.
  const auto angle_rad = static_cast<float>(0.1 * kRadPerDeg);
  presets.push_back({"Mid-40",
                     "Livox Mid Series User Manual v1.0 (2019.01); prism speeds: Liu et al. 2022",
                     "circular field of 38.4 degrees, rosette, 100 000 points/s, 10 000 per frame, 260 m",
                     mid_40(),
                     {AngularRay{.axis = Axis::kY, .stddev_rad = angle_rad},
                      AngularRay{.axis = Axis::kZ, .stddev_rad = angle_rad}, DistanceNoise{.stddev_m = 0.02F}},
                     {.reach_10_m = 90}});
}

// Planar scanners. All turn counter-clockwise except the RPLIDAR.

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

void add_laser2d_presets(std::vector<SensorPreset>& presets) {
  // 1440 steps per turn, 1081 of them measured. Repeated accuracy: sigma below 10 mm up to 10 m and below 30 mm up to
  // 30 m; the line below passes through both in the middle of their intervals. (Accuracy, a constant error of a unit:
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
                     {DistanceNoise{.stddev_m = 0.012F}},
                     {.reach_10_m = 18}});
  // Resolution below 1 % of the distance, read as one sigma: the datasheet gives no accuracy.
  presets.push_back({"RPLIDAR-A2",
                     "Slamtec RPLIDAR A2M8 Introduction and Datasheet, rev. 2.5 (2019-10-25)",
                     "800 rays, 360 degrees, 12 m, 10 Hz",
                     rplidar_a2(),
                     {DistanceNoise{.stddev_per_m = 0.01F}}});
}

}  // namespace

void add_lidar_presets(std::vector<SensorPreset>& presets) {
  add_velodyne_presets(presets);
  add_ouster_presets(presets);
  add_hesai_presets(presets);
  add_robosense_presets(presets);
  add_livox_presets(presets);
  add_laser2d_presets(presets);
}

}  // namespace fathom
