// SPDX-License-Identifier: MIT
#pragma once
// A live page over a scene or over what was written, for browsers and for programs that speak the Foxglove WebSocket
// protocol, as Lichtblick and Foxglove do: `fathom serve` and `fathom view` as calls. docs/live.md has the channels.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>

namespace fathom {

struct LiveOptions {
  /// Number address to listen on. Whoever can reach it may look and turn the knobs; the usual one is of this computer
  /// alone.
  std::string listen = "127.0.0.1";
  std::uint16_t port = 8765;                ///< 0: any that is free
  std::vector<std::string> origins = {};    ///< of other pages that may connect: "https://app.example"
  std::filesystem::path out = {};           ///< folder that frames and scenes are saved into; empty: none are saved
  bool paused = false;                      ///< at first
  std::vector<std::string> overrides = {};  ///< as read_scene_file() takes them
  std::optional<std::uint64_t> seed = {};
  Compute compute = {};
  /// Called with the address of the page once it is served.
  std::function<void(const std::string& address)> on_ready = {};
  /// Asked several times a second; when it says yes, the call returns.
  std::function<bool()> should_stop = {};
};

/// Simulates a scene file for its viewers, until should_stop says yes. Throws InputError for a wrong scene or option,
/// SystemError when the port cannot be had.
FATHOM_API void serve_scene(const std::filesystem::path& file, const LiveOptions& options = {});

/// Plays the folder of a run or of one of its sensors, or a cloud (PCD, PLY, PointCloud2, an array of NumPy [..., 3])
/// for its viewers, until should_stop says yes. Ignores `out`, `overrides`, `seed` and `compute` of the options. Throws
/// InputError for any other path, SystemError when the port cannot be had.
FATHOM_API void serve_written(const std::filesystem::path& path, const LiveOptions& options = {});

}  // namespace fathom
