// SPDX-License-Identifier: MIT
// The presets. A figure is the datasheet's; if the datasheet lacks it, a comment says where it is from.
//
// Noise: a datasheet's one-sigma figure is used unchanged; a "+-" without a confidence level is read as one sigma.

#include <fathom/sensor/presets.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>

#include "core/text.hpp"

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

/// Two blocks of 32: upper from +2 degrees in steps of 1/3, lower from -8.83 in steps of 1/2; laser i of either block
/// fires together with laser i of the other. Both blocks have the order of elevations of the published calibrations.
/// Nominal: each unit has its own angles, azimuth offsets (+-2 to 9 degrees) and heights, which are not in the manual
/// and left out. 133 333 points per turn at 10 Hz make a sequence of 48 us; the 32 firings are spread evenly over it.
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

// Ouster: all rays of a column fire at once; they are staggered in azimuth over four columns of emitters. Angles are
// nominal; each unit reports its own (beam_altitude_angles, beam_azimuth_angles). The emitters' distance from the axis
// (12 to 28 mm) is left out: rays start at the sensor origin. Azimuth angles of the manual count clockwise; ring 0 is
// the top row, as in Ouster's driver. Column 0 looks backwards, where Ouster cuts its frames too.

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
                      AngularRay{.axis = Axis::kZ, .stddev_rad = angle_rad}, DistanceNoise{.stddev_m = 0.02F}}});
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
                     {DistanceNoise{.stddev_m = 0.012F}}});
  // Resolution below 1 % of the distance, read as one sigma: the datasheet gives no accuracy.
  presets.push_back({"RPLIDAR-A2",
                     "Slamtec RPLIDAR A2M8 Introduction and Datasheet, rev. 2.5 (2019-10-25)",
                     "800 rays, 360 degrees, 12 m, 10 Hz",
                     rplidar_a2(),
                     {DistanceNoise{.stddev_per_m = 0.01F}}});
}

// Depth cameras. Their sensor frame is that of the left infrared camera, which takes the depth images.

StereoCamera stereo(std::uint32_t width, std::uint32_t height, double horizontal_deg, double baseline_m, double min_m,
                    double max_m) {
  StereoCamera camera;
  camera.width = width, camera.height = height;
  camera.horizontal_fov_rad = horizontal_deg * kRadPerDeg;
  camera.baseline_m = baseline_m;
  camera.reference = CameraReference::kLeft;
  camera.min_range_m = min_m, camera.max_range_m = max_m;
  return camera;
}

/// Probabilities of the two dropouts of d400_noise().
struct Dropouts {
  float specks, patches;
};

/// All D400 models. "The table" is that of docs/depth-cameras.md: frames of a real D435, two scenes, 0.2 to 0.85 m.
///
/// - invalid_band: disparities are searched up to 126 px, which gives the datasheet's smallest depth.
/// - texture_loss: by eye, so that a surface of the preset's texture keeps its pixels within the range that the maker
///   calls ideal, and that the part of the house within reach has the table's share of holes. Its losses are correlated
///   over 6 px, fitted to the table's blobs in the house.
/// - matching_window: a window of 9 x 9 px by eye. `share` is fitted to the table, whose silhouettes grow by about half
///   a window: by 3 px, as far as they may while a bar of one pixel disappears (share above 1 / 9).
/// - angular_ray: the texture within a window decides which part of it a pixel shows, so that silhouettes are wavy.
///   Deviations of 1.5 px across and 1 px down, correlated over 4 px: by eye.
/// - disparity: stddev_px and correlation are fitted to the table, whose columns "cubic off" follow from them by
///   tr(S (1 - H) C (1 - H)). Steps of 1/32 px: the maker's "Tuning depth cameras for best performance", which calls a
///   deviation of 0.08 px usual; the fit's is 0.074 px on the table top, and 0.067 px after the cubic.
/// - dropout, twice: `specks`, correlated over 1.57 px, are fitted to the table's blobs of up to 50 px, and `patches`,
///   correlated over 6 px, to its blobs above 50 px besides band and shadows. Scenes do not describe the causes of
///   patches (shine, dark or plain spots), so patches may lie anywhere: by eye.
NoiseChain d400_noise(const TextureLoss& texture, const Dropouts& dropouts) {
  constexpr Correlation kWaves = {.across_px = 4, .down_px = 4};
  return {{AngularRay{.axis = Axis::kZ, .stddev_rad = 0.0022F}, kWaves},
          {AngularRay{.axis = Axis::kY, .stddev_rad = 0.0015F}, kWaves},
          StereoShadow{},
          InvalidBand{.max_disparity_px = 126},
          {texture, Correlation{.across_px = 6, .down_px = 6}},
          MatchingWindow{.radius_px = 4, .share = 0.12F},
          {Disparity{.stddev_px = 0.068F, .steps_per_px = 32},
           Correlation{.across_px = 4, .down_px = 0.6F, .shape = CorrelationShape::kExponential}},
          {Dropout{.probability = dropouts.specks}, Correlation{.across_px = 1.565F, .down_px = 1.565F}},
          {Dropout{.probability = dropouts.patches}, Correlation{.across_px = 6, .down_px = 6}}};
}

DepthCamera structured_light() {
  DepthCamera camera;
  camera.width = 640, camera.height = 480;
  camera.fx = 580;
  camera.min_range_m = 0.4, camera.max_range_m = 8.0;
  return camera;
}

void add_depth_presets(std::vector<SensorPreset>& presets) {
  constexpr const char* kD400Source =
      "Intel RealSense D400 Series Product Family Datasheet 337029; error and holes fitted to frames of a real D435, "
      "docs/depth-cameras.md";
  // Depth field of view 87 x 58 degrees, baseline 50 mm, smallest depth 28 cm at 1280 x 720, ideal from 0.3 to 3 m, up
  // to about 10 m. A surface of texture 0.015 loses nothing at 4 m, 4 % at 6 m and 34 % of its pixels at 10 m.
  presets.push_back({"D435", kD400Source, "1280 x 720, 87 x 58 degrees, 50 mm baseline",
                     stereo(1280, 720, 87, 0.050, 0.28, 10.0),
                     d400_noise({.texture = 0.015F, .midpoint = 0.0158F, .width = 0.00485F},
                                {.specks = 0.0102F, .patches = 0.0092F})});
  // The same field of view, baseline 95 mm, smallest depth 52 cm at 1280 x 720, ideal from 0.6 to 6 m. A surface of
  // texture 0.015 loses 2 % at 6 m and 28 % at 10 m.
  presets.push_back({"D455", kD400Source, "1280 x 720, 87 x 58 degrees, 95 mm baseline",
                     stereo(1280, 720, 87, 0.095, 0.52, 10.0),
                     d400_noise({.texture = 0.015F, .midpoint = 0.0152F, .width = 0.0042F},
                                {.specks = 0.0119F, .patches = 0.0121F})});
  // Depth field of view 84 x 58 degrees (with square pixels at 16 : 9 the height is 54 degrees; the width is kept),
  // baseline 18 mm, smallest depth 10 cm at 1280 x 720, ideal from 7 cm (at smaller resolutions) to 50 cm. The largest
  // depth is missing; it is that of the others. Without a projector losses depend not on distance but on the texture,
  // 0.1 by eye (nothing is lost; of a plain wall, 96 %).
  presets.push_back({"D405", kD400Source, "1280 x 720, 84 x 58 degrees, 18 mm baseline, no projector",
                     stereo(1280, 720, 84, 0.018, 0.10, 10.0),
                     d400_noise({.texture = 0.1F, .projector = 0, .midpoint = 0.019F, .width = 0.006F},
                                {.specks = 0.0115F, .patches = 0.014F})});
  // Infrared camera 640 x 480 with 580 px focal length, projector 75 mm to its right: the pattern reaches a point only
  // when the projector sees it, so the projector acts as the right camera. Steps of 1/8 px (Konolige and Mihelich,
  // "Technical description of Kinect calibration"), deviation of half a step (Khoshelham and Elberink 2012, section 4).
  StereoCamera kinect = stereo(640, 480, 0, 0.075, 0.8, 4.0);
  kinect.fx = 580;
  presets.push_back({"Kinect-v1",
                     "Khoshelham and Elberink, Sensors 12 (2012) 1437; Konolige and Mihelich, ROS kinect_calibration; "
                     "Microsoft Kinect for Windows sensor specification (0.8 to 4 m)",
                     "640 x 480, 57 x 43 degrees, projector 75 mm beside the camera",
                     kinect,
                     {StereoShadow{}, Disparity{.stddev_px = 0.0625F, .steps_per_px = 8}}});
  // No single product: loss of interior pixels by incidence angle, fitted to 50 frames of a structured-light camera. A
  // floor of 0.3 % is for losses that no angle explains.
  presets.push_back({"real_structured_light",
                     "fit to 50 real structured-light frames, docs/depth-cameras.md",
                     "640 x 480, losses by incidence angle as measured on real frames",
                     structured_light(),
                     {StereoEnergy{.min_energy = 0.18F, .pow = 14, .normalization = EnergyNormalization::kThreshold},
                      Dropout{.probability = 0.003F}}});
}

}  // namespace

const std::vector<SensorPreset>& sensor_presets() {
  static const std::vector<SensorPreset> presets = [] {
    std::vector<SensorPreset> list;
    add_velodyne_presets(list);
    add_ouster_presets(list);
    add_livox_presets(list);
    add_laser2d_presets(list);
    add_depth_presets(list);
    return list;
  }();
  return presets;
}

const SensorPreset& find_preset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SensorPreset& preset : sensor_presets()) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  throw InputError(fmt::format("there is no sensor preset '{}'{}", name, nearest_hint(name, names)));
}

}  // namespace fathom
