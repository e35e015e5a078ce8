// SPDX-License-Identifier: MIT
// Depth cameras. Their sensor frame is that of the left infrared camera: depth images are taken from there.

#include "sensor/presets.hpp"

namespace fathom {

namespace {

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

/// Both D400 models: disparities to 1/32 px, searched up to 126 px, which gives the datasheet's smallest depth.
/// Deviation: the 0.08 px that Intel gives as usual for a well-textured plane.
NoiseChain d400_noise() {
  return {StereoShadow{}, InvalidBand{.max_disparity_px = 126}, Disparity{.stddev_px = 0.08F, .steps_per_px = 32}};
}

DepthCamera structured_light() {
  DepthCamera camera;
  camera.width = 640, camera.height = 480;
  camera.fx = 580;
  camera.min_range_m = 0.4, camera.max_range_m = 8.0;
  return camera;
}

}  // namespace

void add_depth_presets(std::vector<SensorPreset>& presets) {
  // Depth field of view 87 x 58 degrees, baseline 50 mm, smallest depth 28 cm at 1280 x 720, up to about 10 m.
  presets.push_back({"D435",
                     "Intel RealSense D400 Series Product Family Datasheet 337029; \"Tuning depth cameras for best "
                     "performance\" (deviation of disparity)",
                     "1280 x 720, 87 x 58 degrees, 50 mm baseline", stereo(1280, 720, 87, 0.050, 0.28, 10.0),
                     d400_noise()});
  // The same field of view, baseline 95 mm, smallest depth 52 cm at 1280 x 720.
  presets.push_back({"D455",
                     "Intel RealSense D400 Series Product Family Datasheet 337029; \"Tuning depth cameras for best "
                     "performance\" (deviation of disparity)",
                     "1280 x 720, 87 x 58 degrees, 95 mm baseline", stereo(1280, 720, 87, 0.095, 0.52, 10.0),
                     d400_noise()});
  // Infrared camera 640 x 480 with 580 px focal length, projector 75 mm to its right: the pattern reaches a point only
  // when the projector sees it, so the projector stands for the right camera. Steps of 1/8 px (Konolige and Mihelich,
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
  // floor of 0.3 % stands for what no angle explains.
  presets.push_back({"real_structured_light",
                     "fit to 50 real structured-light frames, docs/depth-cameras.md",
                     "640 x 480, losses by incidence angle as measured on real frames",
                     structured_light(),
                     {StereoEnergy{.min_energy = 0.18F, .pow = 14, .normalization = EnergyNormalization::kThreshold},
                      Dropout{.probability = 0.003F}}});
}

}  // namespace fathom
