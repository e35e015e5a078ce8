// SPDX-License-Identifier: MIT
#pragma once
// A live page for a scene, a given image or cloud, or files of a run: `fathom serve` and `fathom view` as calls.
// Browsers and programs with the Foxglove WebSocket protocol, such as Lichtblick and Foxglove, can connect.
// adapters/live/README.md lists the channels.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

struct LiveOptions {
  /// Number address to listen on. Every client that reaches it may watch and change parameters. The default is
  /// reachable from this computer only.
  std::string listen = "127.0.0.1";
  std::uint16_t port = 8765;                ///< 0: any free port
  std::vector<std::string> origins = {};    ///< other pages that may connect: "https://app.example"
  std::filesystem::path out = {};           ///< folder for saved frames and scenes; empty: saving is off
  bool paused = false;                      ///< at the start
  std::vector<std::string> overrides = {};  ///< as read_scene_file() takes them
  std::optional<std::uint64_t> seed = {};
  Compute compute = {};
  /// Called with the address of the page once it is served.
  std::function<void(const std::string& address)> on_ready = {};
  /// Asked several times a second; the call returns when it returns true.
  std::function<bool()> should_stop = {};
};

/// Simulates a scene file for its viewers, until should_stop returns true. Throws InputError for a wrong scene or
/// option, SystemError when the port is not available.
FATHOM_API void serve_scene(const std::filesystem::path& file, const LiveOptions& options = {});

/// A clean depth image or cloud, and the sensor whose noise it gets.
struct GivenFile {
  std::filesystem::path file;  ///< is watched: a saved file is read again
  /// Reads an image of a depth or stereo camera: depths along the optical axis, m, [rows, cols] of the sensor. See
  /// GivenFrame::depth_m. Empty: the file is a cloud, as apply_to_cloud_file() takes it.
  std::function<std::vector<float>()> read_depth_m = {};
  Sensor sensor;
  double rate_hz = 10.0, start_s = 0.0;
  double far_m = std::numeric_limits<double>::infinity();
  /// The scene file that has the sensor, or the text of one. Clients save it with the present numbers.
  std::filesystem::path scene_file = {};
  std::string scene_text = {};
};

/// Shows the file with noise for its viewers, until should_stop returns true. Frame k of the page is frame k of a
/// SensorNoise with this sensor and the seed of the options. Ignores `overrides` of the options. Throws InputError as
/// SensorNoise does, SystemError when the port is not available.
FATHOM_API void serve_given(GivenFile given, const LiveOptions& options = {});

/// Plays the folder of a run or of one of its sensors, or a cloud (PCD, PLY, PointCloud2, an array of NumPy [..., 3])
/// for its viewers, until should_stop returns true. Ignores `out`, `overrides`, `seed` and `compute` of the options.
/// Throws InputError for any other path, SystemError when the port is not available.
FATHOM_API void serve_written(const std::filesystem::path& path, const LiveOptions& options = {});

}  // namespace fathom
