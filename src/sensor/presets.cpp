// SPDX-License-Identifier: MIT
// The registry of presets, and the presets of cameras. A figure is the datasheet's; if the datasheet lacks it, a
// comment says where it is from.
//
// Noise: a datasheet's one-sigma figure is used unchanged; a "+-" without a confidence level is read as one sigma.

#include <fathom/sensor/presets.hpp>

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>

#include "core/text.hpp"
#include "sensor/lidar_tables.hpp"

namespace fathom {

namespace {

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

/// All D400 models: raw frames, not aligned and not filtered. "The frames" (docs/depth-cameras.md) are two raw
/// frames of a D435i, 1280 x 720, plants at 0.3 to 1.3 m before a wall at 2.45 m.
///
/// - invalid_band: disparities are searched up to 126 px, which gives the datasheet's smallest depth. margin_px: with
///   the window, the frames lack 7 to 12 columns more than f B / z.
/// - texture_loss: by eye, so that a surface of the preset's texture keeps its pixels within the range that the maker
///   calls ideal.
/// - stereo_energy: losses of single pixels on oblique surfaces, from the frames' holes of 1 to 3 px on plants.
/// - matching_window: 9 x 9 px. sure_share: a window with 11 pixels of another surface does not match, so leaves have
///   an outline of 8 to 11 px. valid_share: 18 pixels of a shadow in the window prevent a match, so shadows are 5 to
///   7 px wider than the geometry. Both are fitted to the frames.
/// - angular_ray: the texture within a window decides which part of it a pixel shows, so that silhouettes are wavy.
///   Deviations of 1.5 px across and 1 px down, correlated over 4 px: by eye.
/// - disparity: a smooth error, and a white one in each frame. Their deviations and sizes are fitted to the frames'
///   residuals, correlations and walls. Steps of 1/32 px: the frames' depths lie on them.
/// - dropout: the frames' holes of 1 to 3 px on the wall.
/// - motion: errors stay while the camera stands still (issue 1375 of librealsense). They change over the way and the
///   rotation that move the image by about a blob: by construction.
NoiseChain d400_noise(const TextureLoss& texture) {
  const auto smooth = [](float across_px, float down_px) {
    return Correlation{.across_px = across_px, .down_px = down_px, .motion_m = 0.04, .motion_rad = 0.02};
  };
  return {{AngularRay{.axis = Axis::kZ, .stddev_rad = 0.0022F}, smooth(4, 4)},
          {AngularRay{.axis = Axis::kY, .stddev_rad = 0.0015F}, smooth(4, 4)},
          StereoShadow{},
          InvalidBand{.max_disparity_px = 126, .margin_px = 5},
          {texture, smooth(6, 6)},
          StereoEnergy{.min_energy = 0, .pow = 10, .normalization = EnergyNormalization::kThreshold},
          MatchingWindow{.radius_px = 4, .share = 0.12F, .sure_share = 0.87F, .valid_share = 0.78F},
          {Disparity{.stddev_px = 0.24F}, smooth(5.5F, 4.4F)},
          Disparity{.stddev_px = 0.015F, .steps_per_px = 32},
          {Dropout{.probability = 0.0006F}, smooth(0, 0)}};
}

/// The colour camera of a D435 at 1280 x 720: field of view 69.4 degrees, 15 mm to the left of the left infrared camera
/// (datasheet 337029).
AlignedCamera d435_colour() {
  return {
      .fx = 924, .fy = 924, .cx = 639.5, .cy = 359.5, .width = 1280, .height = 720, .offset = Pose{{0, 0.015, 0}, {}}};
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
      "Intel RealSense D400 Series Product Family Datasheet 337029; errors and outlines of raw frames of a D435i, "
      "docs/depth-cameras.md";
  // Depth field of view 87 x 58 degrees, baseline 50 mm, smallest depth 28 cm at 1280 x 720, ideal from 0.3 to 3 m, up
  // to about 10 m. A surface of texture 0.015 loses nothing at 4 m, 4 % at 6 m and 34 % of its pixels at 10 m.
  const StereoCamera d435 = stereo(1280, 720, 87, 0.050, 0.28, 10.0);
  constexpr TextureLoss kTexture = {.texture = 0.015F, .midpoint = 0.0158F, .width = 0.00485F};
  presets.push_back({"D435", kD400Source, "1280 x 720, 87 x 58 degrees, 50 mm baseline", d435, d400_noise(kTexture)});
  presets.push_back({"D435i", kD400Source, "as D435: the same depth module", d435, d400_noise(kTexture)});
  presets.push_back({"D435_filtered",
                     kD400Source,
                     "as D435, after the maker's spatial filter, aligned to its colour camera",
                     d435,
                     d400_noise(kTexture),
                     {},
                     {.spatial = DepthFilters::Spatial{}},
                     d435_colour()});
  // The same field of view, baseline 95 mm, smallest depth 52 cm at 1280 x 720, ideal from 0.6 to 6 m. A surface of
  // texture 0.015 loses 2 % at 6 m and 28 % at 10 m.
  presets.push_back({"D455", kD400Source, "1280 x 720, 87 x 58 degrees, 95 mm baseline",
                     stereo(1280, 720, 87, 0.095, 0.52, 10.0),
                     d400_noise({.texture = 0.015F, .midpoint = 0.0152F, .width = 0.0042F})});
  // Depth field of view 84 x 58 degrees (with square pixels at 16 : 9 the height is 54 degrees; the width is kept),
  // baseline 18 mm, smallest depth 10 cm at 1280 x 720, ideal from 7 cm (at smaller resolutions) to 50 cm. The largest
  // depth is missing; it is that of the others. Without a projector losses depend not on distance but on the texture,
  // 0.1 by eye (nothing is lost; of a plain wall, 96 %).
  presets.push_back({"D405", kD400Source, "1280 x 720, 84 x 58 degrees, 18 mm baseline, no projector",
                     stereo(1280, 720, 84, 0.018, 0.10, 10.0),
                     d400_noise({.texture = 0.1F, .projector = 0, .midpoint = 0.019F, .width = 0.006F})});
  // Kinect-v1: infrared camera 640 x 480 with 580 px focal length, projector 75 mm to its right: the pattern reaches a
  // point only when the projector sees it, so the projector acts as the right camera. Steps of 1/8 px (Konolige and
  // Mihelich, "Technical description of Kinect calibration", also for the window of 9 x 9 px), deviation of half a step
  // (Khoshelham and Elberink 2012, section 4). Raw frames (docs/depth-cameras.md): residuals correlate by 0.44 to 0.68,
  // and 30 % of the pixels are holes. Scenes do not describe most causes of holes (dark, shiny and thin things), so
  // patches may lie anywhere. Their size, outlines as of a D435 and losses by angle as of real_structured_light: by
  // construction.
  StereoCamera kinect = stereo(640, 480, 0, 0.075, 0.8, 4.0);
  kinect.fx = 580;
  presets.push_back(
      {"Kinect-v1",
       "Khoshelham and Elberink, Sensors 12 (2012) 1437; Konolige and Mihelich, ROS kinect_calibration; "
       "Microsoft Kinect for Windows sensor specification (0.8 to 4 m); errors and holes: docs/depth-cameras.md",
       "640 x 480, 57 x 43 degrees, projector 75 mm beside the camera",
       kinect,
       {StereoShadow{},
        {StereoEnergy{.min_energy = 0.18F, .pow = 14, .normalization = EnergyNormalization::kThreshold},
         Correlation{.across_px = 4, .down_px = 4}},
        MatchingWindow{.radius_px = 4, .share = 0.12F, .sure_share = 0.89F, .valid_share = 0.8F},
        {Disparity{.stddev_px = 0.0625F, .steps_per_px = 8}, Correlation{.across_px = 1.1F, .down_px = 1.1F}},
        {Dropout{.probability = 0.25F},
         Correlation{.across_px = 20, .down_px = 20, .motion_m = 0.04, .motion_rad = 0.02}}}});
  // No single product: loss of interior pixels by incidence angle, fitted to 50 frames of a structured-light camera. A
  // floor of 0.3 % is for losses that no angle explains.
  presets.push_back({"real_structured_light",
                     "fit to 50 real structured-light frames, docs/depth-cameras.md",
                     "640 x 480, losses by incidence angle as measured on real frames",
                     structured_light(),
                     {StereoEnergy{.min_energy = 0.18F, .pow = 14, .normalization = EnergyNormalization::kThreshold},
                      Dropout{.probability = 0.003F}}});
}

// Time-of-flight cameras.

TofCamera tof(std::uint32_t width, std::uint32_t height, double horizontal_deg, double min_m, double max_m) {
  TofCamera camera;
  camera.width = width, camera.height = height;
  camera.horizontal_fov_rad = horizontal_deg * kRadPerDeg;
  camera.min_range_m = min_m, camera.max_range_m = max_m;
  return camera;
}

/// The deviation by shot noise at power 1, of a sensor that has `stddev_m` at `range_m` for this reflectivity.
float shot_noise(double stddev_m, double reflectivity, double range_m) {
  return static_cast<float>(stddev_m * std::sqrt(reflectivity) / range_m);
}

/// The range for a reflectivity of 10 % of a sensor that reaches `range_m` for another one.
Detection detects(double reflectivity, double range_m) {
  return {.reach_10_m = static_cast<float>(range_m * std::sqrt(0.1 / reflectivity))};
}

/// A mode of the Azure Kinect. Its page states 15 % reflectivity at the end of the range, and a random error of at most
/// 17 mm. This error there, all of it as shot noise: by construction.
SensorPreset azure_kinect(std::string_view name, std::string_view doc, const TofCamera& camera) {
  return {name,
          "Microsoft, Azure Kinect DK hardware specifications; Tolgyessy et al., Sensors 21 (2021) 413",
          doc,
          camera,
          {AmplitudeNoise{.shot_m = shot_noise(0.017, 0.15, camera.max_range_m)}},
          detects(0.15, camera.max_range_m)};
}

void add_tof_presets(std::vector<SensorPreset>& presets) {
  presets.push_back(
      azure_kinect("Azure-Kinect-NFOV", "640 x 576, 75 degrees wide, unbinned", tof(640, 576, 75, 0.5, 3.86)));
  presets.push_back(
      azure_kinect("Azure-Kinect-NFOV-binned", "320 x 288, 75 degrees wide", tof(320, 288, 75, 0.5, 5.46)));
  presets.push_back(
      azure_kinect("Azure-Kinect-WFOV", "1024 x 1024, 120 x 120 degrees, unbinned", tof(1024, 1024, 120, 0.25, 2.21)));
  presets.push_back(
      azure_kinect("Azure-Kinect-WFOV-binned", "512 x 512, 120 x 120 degrees", tof(512, 512, 120, 0.25, 2.88)));
  // Deviations of 2.5 mm at 1 m and 15.5 mm at 9 m for a reflectivity of 95 %: 1.82 mm, and shot noise of 1.667 mm.
  presets.push_back({"L515",
                     "Intel RealSense LiDAR Camera L515 Datasheet rev. 003",
                     "640 x 480, 70 x 55 degrees, scanned by a mirror",
                     tof(640, 480, 70, 0.25, 9.0),
                     {AmplitudeNoise{.stddev_m = 0.00182F, .shot_m = 0.001667F}},
                     detects(0.15, 3.9)});
  // The deviation is 1 % of the distance. The reflectivity of 80 % for it and for the end of the range: by
  // construction.
  presets.push_back({"Flexx2",
                     "pmdtechnologies flexx2 product page",
                     "224 x 172, 56 x 44 degrees",
                     tof(224, 172, 56, 0.1, 4.0),
                     {AmplitudeNoise{.shot_m = shot_noise(0.01, 0.8, 1.0)}},
                     {.reach_80_m = 4.0F}});
}

}  // namespace

const std::vector<SensorPreset>& sensor_presets() {
  static const std::vector<SensorPreset> presets = [] {
    std::vector<SensorPreset> list;
    add_lidar_presets(list);
    add_depth_presets(list);
    add_tof_presets(list);
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
