// SPDX-License-Identifier: MIT
#include "run/outputs/arrays.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <fathom/files/clouds.hpp>
#include <fathom/frame/frame.hpp>

#include "core/text/formats.hpp"
#include "io/cloud/arrays.hpp"
#include "run/outputs/frame_file.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

bool is_length(Channel channel) { return std::ranges::find(kLengthChannels, channel) != kLengthChannels.end(); }

void interleave(const Frame::Points& points, std::vector<float>& xyz) {
  xyz.resize(3 * points.x.size());
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    xyz[3 * i] = points.x[i], xyz[3 * i + 1] = points.y[i], xyz[3 * i + 2] = points.z[i];
  }
}

}  // namespace

std::vector<ArrayPlan> planned_arrays(const NpyOutput& output, const Sensor& sensor) {
  std::vector<ArrayPlan> plans;
  for (const ChannelInfo& info : channel_list()) {
    if (!output.channels.contains(info.channel)) continue;
    ArrayPlan& plan = plans.emplace_back();
    plan.channel = info.channel;
    if (output.lost && is_length(info.channel)) {
      plan.lost = {*output.lost, static_cast<float>(make_view(sensor.model).farthest_m)};
    }
  }
  return plans;
}

std::vector<ArrayPlan> planned_arrays(const SensorSetup& setup) {
  std::vector<ArrayPlan> plans;
  ChannelSet needed;
  for (const Output& output : setup.outputs) {
    needed = needed | output.needs(setup.sensor);
    const auto* const npy = output.get_if<NpyOutput>();
    if (npy == nullptr) continue;
    for (const ArrayPlan& plan : planned_arrays(*npy, setup.sensor)) plans.push_back(plan);
  }
  if (!plans.empty()) return plans;
  return planned_arrays(NpyOutput{.channels = needed}, setup.sensor);
}

std::string npy_header(const Frame& frame, Channel channel) {
  const ChannelInfo& info = channel_info(channel);
  return npy::header(npy_type(info.type), shape_of(frame, channel));
}

std::span<const std::byte> array_bytes(const Frame& frame, const ArrayPlan& plan, std::vector<float>& buffer) {
  if (plan.lost) {
    buffer = replace_lost(frame, plan.channel, *plan.lost);
  } else if (channel_info(plan.channel).planes == 1) {
    return elements_of(frame, plan.channel);
  } else {
    interleave(frame.points(plan.channel), buffer);
  }
  return std::as_bytes(std::span<const float>(buffer));
}

namespace {

OutputFile array_file(const ChannelInfo& info, const std::optional<LostPolicy>& policy) {
  using Path = std::filesystem::path;
  OutputFile file;
  file.stem = info.name();
  file.extension = "npy";
  file.bytes_at_most = [bytes = info.bytes()](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * (kHeaderBytes + shape.elements() * bytes);
  };
  file.write = [channel = info.channel, policy](const Path& path, const Frame& frame, const OutputFile::Context&) {
    write_npy(path, frame, channel, policy);
  };
  return file;
}

}  // namespace

std::optional<OutputInfo::Mismatch> NpyOutput::mismatch() const {
  if (channels == ChannelSet{}) return OutputInfo::Mismatch{"channels", "names no channel"};
  const bool lengths = std::ranges::any_of(kLengthChannels, [&](Channel c) { return channels.contains(c); });
  if (!lost || lengths) return std::nullopt;
  return OutputInfo::Mismatch{"lost", "stands for lost ranges and depths, and the channels hold none"};
}

std::vector<OutputFile> NpyOutput::files(const Sensor& sensor) const {
  std::vector<OutputFile> files;
  for (const ArrayPlan& plan : planned_arrays(*this, sensor)) {
    files.push_back(array_file(channel_info(plan.channel), plan.lost));
  }
  return files;
}

}  // namespace fathom
