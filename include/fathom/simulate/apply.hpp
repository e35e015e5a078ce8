// SPDX-License-Identifier: MIT
#pragma once
// Files of other programs through SensorNoise: clouds with all their fields, and bags of ROS 2. fathom/ros/publish.hpp
// has the same for live topics.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/sensor.hpp>
#include <fathom/simulate/sensor_noise.hpp>

namespace fathom {

/// Gives a file of points the noise of frame `index`: PCD, PLY, NPY [points, 3 or 4] or [rows, cols, 3 or 4], KITTI's
/// .bin. x, y and z change; all other fields stay. A field `ring` goes into GivenCloud. Lost points are NaN in a cloud
/// of several rows, and leave a cloud of one row. Adds to `counts`. `noisy` gets the same format, in binary; it appears
/// whole or not at all, and its folders are made. Throws InputError naming `clean`.
FATHOM_API void apply_to_cloud_file(SensorNoise& noise, std::uint32_t index, const std::filesystem::path& clean,
                                    const std::filesystem::path& noisy, ReasonCounts& counts);

/// Whether a file holds points: by its extension, and for NPY by its shape.
FATHOM_API bool is_cloud_file(const std::filesystem::path& file);

/// The camera of images.
struct GivenCamera {
  Intrinsics lens;
  double baseline_m = 0.0;  ///< of a stereo camera; 0: as the sensor has it
};

/// Gives a depth camera or a stereo camera these numbers and the size of the images. Throws InputError for other
/// sensors, and for a baseline of a camera without one.
FATHOM_API void set_camera(Sensor& sensor, const GivenCamera& camera, std::uint32_t rows, std::uint32_t cols);

/// Messages of one topic get noise: Image (16UC1, mono16, 32FC1) of a depth or stereo camera, LaserScan of a sensor
/// whose rays are a level fan, PointCloud2 of any sensor. All but the measured values stays. Lost values are 0 or NaN
/// in images, and in scans as REP 117 has them.
struct MessageNoiseOptions {
  std::string topic = {};                  ///< "/camera/depth/image_rect_raw"
  std::string camera_info = {};            ///< topic of the CameraInfo; empty: camera_info beside `topic`
  std::optional<GivenCamera> camera = {};  ///< instead of a CameraInfo
  double levels_per_m = 1000.0;            ///< of images with 16 bits
  SensorNoiseOptions noise = {};           ///< message k of the topic, from 0, is frame k
};

struct ApplyBagOptions : MessageNoiseOptions {
  bool force = false;                                 ///< replace an older file
  std::function<void(double done)> on_progress = {};  ///< the share of messages done
};

struct ApplyBagResult {
  std::uint64_t noisy = 0, copied = 0;  ///< messages
  std::vector<std::string> notes = {};  ///< on missing and damaged parts of the bag, a line each
};

/// Writes a bag (MCAP) with the messages of `bag` in the same order. Messages of one topic get noise; all others stay
/// byte for byte. Times, definitions and metadata of topics stay. The file appears whole or not at all. Its bytes do
/// not depend on the number of threads. Throws InputError naming file, topic and message; SystemError; Interrupted.
FATHOM_API ApplyBagResult apply_to_bag(const Sensor& sensor, const std::filesystem::path& bag,
                                       const std::filesystem::path& out, const ApplyBagOptions& options);

}  // namespace fathom
