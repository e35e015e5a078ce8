// SPDX-License-Identifier: MIT
#include <fathom/outputs/npy.hpp>

#include <algorithm>
#include <string>

#include <fathom/files/arrays.hpp>
#include <fathom/frame/channel_list.hpp>
#include <fathom/simulate/sensor.hpp>

#include "sensor/sensor_view.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

namespace {

bool is_length(Channel channel) {
  return std::find(kLengthChannels.begin(), kLengthChannels.end(), channel) != kLengthChannels.end();
}

OutputFile array_file(const ChannelInfo& info, const std::optional<LostPolicy>& policy) {
  using Path = std::filesystem::path;
  OutputFile file;
  file.stem = info.name();
  file.extension = "npy";
  file.bytes_at_most = [bytes = info.bytes()](const FrameShape& shape, std::uint32_t frames) {
    return frames * (kHeaderBytes + shape.rays() * bytes);
  };
  const Channel channel = info.channel;
  if (policy) {
    file.write = [channel, policy = *policy](const Path& path, const Frame& frame, const FrameContext&) {
      write_npy(path, frame, channel, policy);
    };
  } else {
    file.write = [channel](const Path& path, const Frame& frame, const FrameContext&) {
      write_npy(path, frame, channel);
    };
  }
  return file;
}

}  // namespace

std::optional<OptionMismatch> NpyOutput::mismatch() const {
  if (channels == ChannelSet{}) return OptionMismatch{"channels", "names no channel"};
  const bool lengths =
      std::any_of(kLengthChannels.begin(), kLengthChannels.end(), [&](Channel c) { return channels.contains(c); });
  if (!lost || lengths) return std::nullopt;
  return OptionMismatch{"lost", "stands for lost ranges and depths, and the channels hold none"};
}

std::vector<OutputFile> NpyOutput::files(const Sensor& sensor) const {
  std::vector<OutputFile> files;
  for (const ChannelInfo& info : channel_list()) {
    if (!channels.contains(info.channel)) continue;
    std::optional<LostPolicy> policy;
    if (lost && is_length(info.channel)) policy = {*lost, static_cast<float>(make_view(sensor.model).farthest_m)};
    files.push_back(array_file(info, policy));
  }
  return files;
}

}  // namespace fathom
