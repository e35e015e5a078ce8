// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain_frames.hpp>

#include "calibrate/turned_rays.hpp"
#include "simulate/channel_files.hpp"
#include "text/npy.hpp"
#include "text/yaml_tree.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr float kSameClean = 1e-4F;  // relative: casters differ in the last digits

std::vector<float> read_floats(const fs::path& file, const std::vector<std::size_t>& shape) {
  const npy::Array array = npy::read(file);
  if (array.shape != shape) {
    throw InputError(fmt::format("{}: has the shape [{}], not [{}] as the sensor of the scene", file.string(),
                                 fmt::join(array.shape, ", "), fmt::join(shape, ", ")));
  }
  std::vector<float> values(array.bytes.size() / npy::size_of(array.type));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(array.at(i));
  return values;
}

/// What the reasons of a frame say is lost becomes NaN, where the run wrote them.
void lose_by_reason(const fs::path& file, std::span<float> values) {
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const npy::Array reasons = npy::read(file);
  if (reasons.bytes.size() / npy::size_of(reasons.type) != values.size()) {
    throw InputError(fmt::format("{}: has another shape than the ranges", file.string()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<Reason>(reasons.at(i)) != Reason::kHit) values[i] = __builtin_nanf("");
  }
}

/// The options with what the run says of itself.
ChainFramesOptions as_run(const fs::path& run, ChainFramesOptions options) {
  const fs::path file = run / "summary.json";
  std::ifstream stream(file);
  const Json summary = stream ? Json::parse(stream, nullptr, false) : Json();
  if (!summary.is_object()) {
    throw InputError(fmt::format("{}: is not the folder of a complete run: there is no summary.json", run.string()));
  }
  const auto number = [&](const char* key) -> std::optional<std::uint64_t> {
    const Json value = summary.value(key, Json());
    if (!value.is_number_unsigned()) throw InputError(fmt::format("{}: has no {}", file.string(), key));
    return value.get<std::uint64_t>();
  };
  options.run.seed = number("seed");
  options.run.environment = static_cast<std::uint32_t>(*number("environment"));
  options.run.episode = static_cast<std::uint32_t>(*number("episode"));
  return options;
}

/// Where the run wrote clean ranges, they must be those of the scene.
void check_clean(const fs::path& file, std::span<const float> written, std::span<const float> cast) {
  std::size_t others = 0;
  for (std::size_t i = 0; i < cast.size(); ++i) {
    if (!std::isfinite(cast[i])) continue;  // the value of a miss is a choice of the output
    const bool is_same = written[i] == cast[i] || std::abs(written[i] - cast[i]) <= kSameClean * cast[i];
    others += is_same ? 0 : 1;
  }
  if (others * 100 <= cast.size()) return;
  throw InputError(fmt::format("{}: {} of {} clean ranges differ from the scene: is this the run of another scene?",
                               file.string(), others, cast.size()));
}

}  // namespace

bool is_noise_list(const fs::path& file) {
  return parse_yaml(read_yaml_text(file), file.string()).kind == YamlValue::Kind::kList;
}

ChainFrames read_run_frames(const SceneSetup& setup, const fs::path& run, const ChainFramesOptions& options) {
  const std::size_t sensor = find_sensor(setup, options.sensor);
  const std::string name = setup.sensors[sensor].sensor.name;
  const fs::path folder = run / name;
  const ChainFramesOptions how = as_run(run, options);
  Channel measured = Channel::kRange;
  std::vector<std::uint32_t> frames = frames_with(folder, to_string(measured));
  if (frames.empty()) measured = Channel::kDepth, frames = frames_with(folder, to_string(measured));
  if (frames.empty()) {
    throw InputError(fmt::format("{}: has no npy output with the channel {} or {}", folder.string(),
                                 to_string(Channel::kRange), to_string(Channel::kDepth)));
  }
  ChainFrameReader reader(setup, frames.size(), how);
  std::error_code error;
  const bool has_hits = !hit_axes(setup.sensors[sensor].sensor.noise).empty() || !hit_axes(options.other_chain).empty();
  const std::vector<std::size_t> shape = {reader.shape().rows, reader.shape().cols};
  for (const std::uint32_t frame : frames) {
    std::vector<float> values = read_floats(channel_file(folder, to_string(measured), frame), shape);
    lose_by_reason(channel_file(folder, to_string(Channel::kReason), frame), values);
    const fs::path points = channel_file(folder, to_string(Channel::kHitSensor), frame);
    if (measured == Channel::kDepth) {
      reader.add_depths(frame, values);
    } else if (has_hits && fs::exists(points, error)) {
      reader.add_points(frame, values, read_floats(points, {shape[0], shape[1], 3}));
    } else {
      reader.add_ranges(frame, values);
    }
    const fs::path clean = channel_file(folder, to_string(Channel::kCleanRange), frame);
    if (!fs::exists(clean, error)) continue;
    check_clean(clean, read_floats(clean, shape), reader.clean_range_m());
  }
  return reader.frames();
}

}  // namespace fathom
