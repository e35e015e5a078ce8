// SPDX-License-Identifier: MIT
#include <fathom/calibrate/run_pairs.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/reason.hpp>

#include "simulate/channel_files.hpp"
#include "simulate/run_chain.hpp"
#include "text/npy.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// Two channels of a sensor, frame by frame.
struct ChannelPair {
  std::array<std::string_view, 2> names;

  [[nodiscard]] fs::path file(const fs::path& folder, std::size_t channel, std::uint32_t frame) const {
    return channel_file(folder, names[channel], frame);
  }
  /// The frames that have both, in their order.
  [[nodiscard]] std::vector<std::uint32_t> frames_in(const fs::path& folder) const {
    std::vector<std::uint32_t> frames = frames_with(folder, names[0]);
    std::error_code error;
    std::erase_if(frames, [&](std::uint32_t frame) { return !fs::exists(file(folder, 1, frame), error); });
    return frames;
  }
};

/// The folder of the sensor that has both channels.
fs::path sensor_folder(const fs::path& run, const std::string& sensor, const ChannelPair& channels) {
  std::error_code error;
  if (!fs::exists(run / "summary.json", error)) {
    throw InputError(fmt::format("{}: is not the folder of a complete run: there is no summary.json", run.string()));
  }
  const std::string needed =
      fmt::format("npy output with the channels {} and {}", channels.names[0], channels.names[1]);
  if (!sensor.empty()) {
    if (!channels.frames_in(run / sensor).empty()) return run / sensor;
    throw InputError(fmt::format("{}: has no {}", (run / sensor).string(), needed));
  }
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(run, error)) {
    if (!channels.frames_in(entry.path()).empty()) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  if (found.size() == 1) return found.front();
  if (found.empty()) throw InputError(fmt::format("{}: no sensor has {}", run.string(), needed));
  throw InputError(fmt::format("{}: {} sensors have {}; name one, such as {}", run.string(), found.size(), needed,
                               found.front().filename().string()));
}

/// Calls take(frame, first, second) with the two values of every ray.
void for_each_ray(const fs::path& folder, const ChannelPair& channels,
                  const std::function<void(std::uint32_t, double, double)>& take) {
  for (const std::uint32_t frame : channels.frames_in(folder)) {
    const npy::Array first = npy::read(channels.file(folder, 0, frame));
    const npy::Array second = npy::read(channels.file(folder, 1, frame));
    if (first.shape != second.shape) {
      throw InputError(fmt::format("{}: another shape than {}", channels.file(folder, 1, frame).string(),
                                   channels.file(folder, 0, frame).filename().string()));
    }
    const std::size_t rays = first.bytes.size() / npy::size_of(first.type);
    for (std::size_t i = 0; i < rays; ++i) take(frame, first.at(i), second.at(i));
  }
}

bool is_run(const fs::path& csv_or_run) {
  std::error_code error;
  return fs::is_directory(csv_or_run, error);
}

}  // namespace

RangePairs read_range_pairs(const fs::path& csv_or_run, const std::string& sensor) {
  if (!is_run(csv_or_run)) return read_range_pairs(csv_or_run);
  RangePairs pairs;
  const ChannelPair channels = {{to_string(Channel::kRange), to_string(Channel::kCleanRange)}};
  const fs::path folder = sensor_folder(csv_or_run, sensor, channels);
  check_distance_chain(csv_or_run, folder.filename().string());
  for_each_ray(folder, channels, [&](std::uint32_t frame, double range_m, double expected_m) {
    if (std::isfinite(range_m) && range_m > 0.0 && expected_m <= 0.0) {
      throw InputError(fmt::format("{}: {} m is expected where {} m was measured, and is not above 0",
                                   channels.file(folder, 1, frame).string(), expected_m, range_m));
    }
    pairs.range_m.push_back(static_cast<float>(range_m));
    pairs.expected_m.push_back(static_cast<float>(expected_m));
    pairs.scan.push_back(frame);
  });
  return pairs;
}

EnergyPairs read_energy_pairs(const fs::path& csv_or_run, const std::string& sensor,
                              std::optional<EnergyNormalization> law) {
  if (!is_run(csv_or_run)) return read_energy_pairs(csv_or_run);
  EnergyPairs pairs;
  const ChannelPair channels = {{to_string(Channel::kEnergy), to_string(Channel::kReason)}};
  const fs::path folder = sensor_folder(csv_or_run, sensor, channels);
  check_energy_chain(csv_or_run, folder.filename().string(), law);
  for_each_ray(folder, channels, [&](std::uint32_t, double energy, double reason) {
    const std::optional<std::uint8_t> lost = lost_by_energy(static_cast<Reason>(reason));
    if (!lost) return;
    pairs.energy.push_back(static_cast<float>(energy));
    pairs.lost.push_back(*lost);
  });
  return pairs;
}

}  // namespace fathom
