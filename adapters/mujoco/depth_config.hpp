// SPDX-License-Identifier: MIT
#pragma once
// The <config> entries of a fathom.depth sensor. Keys are named as in scene files and mujoco_ray_caster.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/noise/chain.hpp>

namespace fathom::mjplugin {

/// The keys of the plugin.
inline constexpr std::array<const char*, 15> kKeys = {
    "size",      "baseline_m",   "baseline", "min_range_m", "max_range_m", "focal_length", "horizontal_aperture",
    "geomgroup", "see_own_body", "noise",    "channels",    "lost",        "rate_hz",      "seed",
    "threads"};

/// The contents of an array of sensordata.
enum class Output : std::uint8_t { kDepth, kRange, kCleanDepth, kCleanRange, kReason, kGeomId };

struct DepthConfig {
  std::uint32_t width = 0, height = 0;  ///< of `size`
  double baseline_m = 0.0;              ///< 0: a depth camera with one eye
  double min_range_m = 0.0, max_range_m = 10.0;
  std::optional<double> focal_per_aperture;  ///< focal_length / horizontal_aperture; absent: by the field of view
  std::array<bool, 6> groups = {true, true, true, true, true, true};
  bool see_own_body = false;
  NoiseChain noise;
  std::vector<Output> outputs = {Output::kDepth};
  double lost = -1.0;     ///< value of a lost return, or of a ray without a hit
  double period_s = 0.0;  ///< between frames; 0: a frame at each step
  std::uint64_t seed = 0;
  int threads = 1;

  [[nodiscard]] std::size_t values() const { return std::size_t{width} * height * outputs.size(); }
};

/// The text of a key; empty if absent.
using ConfigText = std::function<std::string(const char* key)>;

/// Throws InputError, naming key, value and limit.
DepthConfig read_config(const ConfigText& text);

/// Reads models of noise in their order: "stereo_shadow; stereo_energy min_energy=0.4 pow=2".
NoiseChain read_noise(std::string_view text);

}  // namespace fathom::mjplugin
