// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/noise/distance.hpp>
#include <fathom/sensor/kinds.hpp>

#include "core/text/formats.hpp"
#include "core/text/text_lines.hpp"
#include "core/text/yaml.hpp"
#include "fit/chain/turned_rays.hpp"
#include "fit/frames/chain_frames.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kNoSummary = "is not the folder of a complete run: there is no summary.json";
constexpr float kSameClean = 1e-4F;  // relative: casters differ in the last digits

/// The array of a channel of a frame: "range_000012.npy". `folder`: of the sensor.
fs::path channel_file(const fs::path& folder, std::string_view channel, std::uint32_t frame) {
  return folder / fmt::format("{}_{:06}.npy", channel, frame);
}

/// The frames with a file of this channel, ascending: a sensor may have dropped some. Empty without the folder.
std::vector<std::uint32_t> frames_with(const fs::path& folder, std::string_view channel) {
  constexpr std::string_view kNumber = "000000", kEnd = ".npy";
  const std::string before = fmt::format("{}_", channel);
  std::vector<std::uint32_t> frames;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(before) || name.size() != before.size() + kNumber.size() + kEnd.size()) continue;
    const auto frame = parse_number<std::uint32_t>(std::string_view(name).substr(before.size(), kNumber.size()));
    if (frame && entry.path() == channel_file(folder, channel, *frame)) frames.push_back(*frame);
  }
  std::ranges::sort(frames);
  return frames;
}

/// The entry of a sensor in summary.json.
class RunChain {
 public:
  RunChain(const fs::path& run, std::string sensor, std::string_view law)
      : file_(run / "summary.json"), sensor_(std::move(sensor)), law_(law) {
    std::ifstream stream(file_);
    const Json summary = Json::parse(stream, nullptr, false);
    const Json sensors = summary.is_object() ? summary.value("sensors", Json::array()) : Json::array();
    for (const Json& entry : sensors) {
      if (entry.is_object() && entry.value("name", Json()) == sensor_) description_ = entry;
    }
    const auto is_model = [](const Json& model) {
      return model.is_object() && model.value("model", Json()).is_string() &&
             model.value("stage", Json()).is_string() && model.value("parameters", Json::object()).is_object();
    };
    models_ = description_.is_object() ? description_.value("noise", Json()) : Json();
    if (!models_.is_array() || !std::all_of(models_.begin(), models_.end(), is_model)) {
      throw InputError(fmt::format("{}: does not say what noise '{}' has; simulate it again with this fathom",
                                   file_.string(), sensor_));
    }
    for (const char* step : {"filters", "aligned_to"}) {
      if (description_.contains(step)) refuse(fmt::format("its images have {}", step));
    }
  }

  [[nodiscard]] const Json& models() const { return models_; }
  [[nodiscard]] bool has_range_policy(std::string_view policy) const {
    return description_.value("range_policy", Json()) == policy;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(
        fmt::format("{}: the noise of '{}' is not the law of {} alone: {}", file_.string(), sensor_, law_, what));
  }

  /// The only model of this law, or null. Throws when it occurs twice or differs by entity or ring.
  [[nodiscard]] const Json* only(std::string_view slug) const {
    const Json* found = nullptr;
    for (const Json& model : models_) {
      if (model["model"] != slug) continue;
      if (found != nullptr) refuse(fmt::format("{} is there twice", slug));
      for (const char* table : {"entities", "rings"}) {
        if (model.contains(table)) refuse(fmt::format("{} has other parameters for some {}", slug, table));
      }
      found = &model;
    }
    return found;
  }

 private:
  fs::path file_;
  std::string sensor_;
  std::string_view law_;
  Json description_, models_;
};

}  // namespace

void check_distance_chain(const fs::path& run, const std::string& sensor) {
  const RunChain chain(run, sensor, DistanceNoise::kSlug);
  static_cast<void>(chain.only(DistanceNoise::kSlug));
  for (const Json& model : chain.models()) {
    const Json& stage = model["stage"];
    const bool moves = stage == to_string(Stage::kRay) || stage == to_string(Stage::kImage) ||
                       stage == to_string(Stage::kRange) || stage == to_string(Stage::kReading);
    if (moves && model["model"] != DistanceNoise::kSlug) {
      chain.refuse(fmt::format("{} changes the ranges too", model["model"].get<std::string>()));
    }
    if (moves && model.contains("correlation")) {
      chain.refuse("its draws are correlated, and learning takes pixels and frames as independent");
    }
  }
  constexpr std::string_view kClamp = to_string(RangePolicy::kClamp);
  if (chain.has_range_policy(kClamp)) chain.refuse(fmt::format("the range policy {} changes the ranges too", kClamp));
}

void check_energy_chain(const fs::path& run, const std::string& sensor, std::optional<EnergyNormalization> law) {
  const RunChain chain(run, sensor, StereoEnergy::kSlug);
  const Json* energy = chain.only(StereoEnergy::kSlug);
  if (energy == nullptr) chain.refuse(fmt::format("there is no {}", StereoEnergy::kSlug));
  for (const Json& model : chain.models()) {
    if (model["stage"] != to_string(Stage::kReading)) continue;
    chain.refuse(fmt::format("{} makes returns that do not depend on energy", model["model"].get<std::string>()));
  }
  const Json form = energy->value("parameters", Json::object()).value(StereoEnergy::kNormalization, Json());
  const std::string_view wanted = law ? kChoiceWords<EnergyNormalization>[static_cast<std::size_t>(*law)] : "";
  if (!law || form == wanted) return;
  chain.refuse(fmt::format("its {} is {}, not {}", StereoEnergy::kNormalization,
                           form.is_string() ? form.get<std::string>() : "unknown", wanted));
}

namespace {

/// Two channels of a sensor, frame by frame.
struct ChannelPair {
  std::array<std::string_view, 2> names;

  [[nodiscard]] fs::path file(const fs::path& folder, std::size_t channel, std::uint32_t frame) const {
    return channel_file(folder, names[channel], frame);
  }
  /// The frames with both channels, in their order.
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
  if (!fs::exists(run / "summary.json", error)) throw InputError(fmt::format("{}: {}", run.string(), kNoSummary));
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
  std::ranges::sort(found);
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
  if (!is_run(csv_or_run)) return read_range_csv(csv_or_run);
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
  if (!is_run(csv_or_run)) return read_energy_csv(csv_or_run);
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

namespace {

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

/// Sets values to NaN that are lost according to the reasons of the frame, if the run wrote reasons.
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

/// The options with seed, environment and episode of the run.
ChainFrames::Options as_run(const fs::path& run, ChainFrames::Options options) {
  const fs::path file = run / "summary.json";
  std::ifstream stream(file);
  const Json summary = stream ? Json::parse(stream, nullptr, false) : Json();
  if (!summary.is_object()) throw InputError(fmt::format("{}: {}", run.string(), kNoSummary));
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

/// Checks that clean ranges of the run match the scene.
void check_clean(const fs::path& file, std::span<const float> written, std::span<const float> cast) {
  std::size_t others = 0;
  for (std::size_t i = 0; i < cast.size(); ++i) {
    if (!std::isfinite(cast[i])) continue;  // the output chooses the value of a miss
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

ChainFrames read_run_frames(const SceneSetup& setup, const fs::path& run, const ChainFrames::Options& options) {
  const std::size_t sensor = find_sensor(setup, options.sensor);
  const std::string name = setup.sensors[sensor].sensor.name;
  const fs::path folder = run / name;
  const ChainFrames::Options how = as_run(run, options);
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
