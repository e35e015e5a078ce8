// SPDX-License-Identifier: MIT
#include <fathom/outputs/npy.hpp>

#include <algorithm>
#include <string>

#include <fathom/files/arrays.hpp>
#include <fathom/frame/channel_list.hpp>
#include <fathom/simulate/sensor.hpp>

#include "simulate/outputs/array_plan.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

namespace {

OutputFile array_file(const ChannelInfo& info, const std::optional<LostPolicy>& policy) {
  using Path = std::filesystem::path;
  OutputFile file;
  file.stem = info.name();
  file.extension = "npy";
  file.bytes_at_most = [bytes = info.bytes()](const FrameShape& shape, std::uint32_t frames) {
    return frames * (kHeaderBytes + shape.elements() * bytes);
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
  const bool lengths = std::ranges::any_of(kLengthChannels, [&](Channel c) { return channels.contains(c); });
  if (!lost || lengths) return std::nullopt;
  return OptionMismatch{"lost", "stands for lost ranges and depths, and the channels hold none"};
}

std::vector<OutputFile> NpyOutput::files(const Sensor& sensor) const {
  std::vector<OutputFile> files;
  for (const ArrayPlan& plan : planned_arrays(*this, sensor)) {
    files.push_back(array_file(channel_info(plan.channel), plan.lost));
  }
  return files;
}

}  // namespace fathom
