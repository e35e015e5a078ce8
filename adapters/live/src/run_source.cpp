// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/sensor.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"
#include "io/cloud/cloud_message.hpp"
#include "io/cloud/read_cloud.hpp"
#include "io/message/cdr.hpp"
#include "live/live_source.hpp"
#include "live/shown_cloud.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using RunJson = nlohmann::ordered_json;

/// Files that show a frame: NAME_000000.EXTENSION. The first existing kind is shown.
struct CloudFiles {
  std::string_view name, extension;
  bool is_in_world = false;
};
constexpr std::array<CloudFiles, 9> kCloudFiles = {{{"cloud", ".pcd"},
                                                    {"cloud", ".ply"},
                                                    {"pointcloud2", ".cdr"},
                                                    {"hit_sensor", ".npy"},
                                                    {"azimuth", ".npy"},
                                                    {"cloud_world", ".pcd", true},
                                                    {"cloud_world", ".ply", true},
                                                    {"pointcloud2_world", ".cdr", true},
                                                    {"hit_world", ".npy", true}}};

std::map<std::uint32_t, fs::path> files_by_frame(const fs::path& folder, const CloudFiles& kind) {
  constexpr std::size_t kDigits = 6;
  std::map<std::uint32_t, fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != kind.extension || stem.size() != kind.name.size() + 1 + kDigits) continue;
    if (!stem.starts_with(kind.name) || stem[kind.name.size()] != '_') continue;
    const auto frame = parse_number<std::uint32_t>(std::string_view(stem).substr(kind.name.size() + 1));
    if (frame) files[*frame] = entry.path();
  }
  return files;
}

[[noreturn]] void refuse_to_save() { throw InputError("files that are already written are shown: nothing is saved"); }

class RunSource final : public LiveSource {
 public:
  /// Throws InputError if there is nothing to show.
  explicit RunSource(fs::path path);

  [[nodiscard]] Timeline timeline() const override { return timeline_; }
  [[nodiscard]] std::vector<LiveTopic> topics() const override;
  [[nodiscard]] RunJson state() const override;
  [[nodiscard]] RunJson knobs() const override;
  [[nodiscard]] std::vector<Parameter> parameters() const override { return {}; }
  void set(const Parameter& parameter) override;
  void show(std::uint32_t frame, TopicHub& hub) override;
  bool reload_if_saved() override { return false; }
  std::vector<fs::path> save_frame(std::string_view sensor) override;
  fs::path save_scene() override;

 private:
  struct RunSensor {
    std::string name;
    std::map<std::uint32_t, fs::path> files;  ///< by frame
    bool is_channels = false;                 ///< a file represents all channels of its frame
    bool is_in_world = false;
    std::uint32_t rows = 0, cols = 0;   ///< of the first frame
    std::vector<FrameTime> times = {};  ///< of a sensor with a timing, in the order of arrival
    Vec3 origin_m = {};                 ///< subtracted from the points of all frames

    [[nodiscard]] CloudMessage read(std::uint32_t frame) const;
    /// The frame to show at a time; for a sensor with a timing, the last one that has arrived.
    [[nodiscard]] FrameTime shown_at(std::uint32_t frame, double time_s) const;
  };

  void read_summary();
  void read_times(const nlohmann::json& sensors);
  void add_folder(const fs::path& folder);
  void add(RunSensor sensor);

  fs::path path_;
  Timeline timeline_;
  std::vector<RunSensor> sensors_;
  std::map<std::string, std::vector<FrameTime>> times_;  // by sensor, in the order of arrival
  std::vector<std::string> entities_;
  std::string error_;
};

}  // namespace

CloudMessage RunSource::RunSensor::read(std::uint32_t frame) const {
  const fs::path& file = files.at(frame);
  CloudMessage cloud = is_channels ? cloud_of_channels(file.parent_path(), frame) : read_cloud(file);
  subtract(origin_m, cloud);
  name_for_page(cloud.message);
  if (cloud.message.header.frame_id.empty()) cloud.message.header.frame_id = is_in_world ? "world" : name;
  return cloud;
}

FrameTime RunSource::RunSensor::shown_at(std::uint32_t frame, double time_s) const {
  if (times.empty()) return {frame, frame, time_s, time_s};
  const auto after = std::upper_bound(times.begin(), times.end(), time_s,
                                      [](double time, const FrameTime& other) { return time < other.delivered_s; });
  return after == times.begin() ? FrameTime{.index = std::numeric_limits<std::uint32_t>::max()} : *(after - 1);
}

RunSource::RunSource(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  if (!fs::is_directory(path_, error)) {
    RunSensor one{.name = path_.stem().string(), .files = {{0, path_}}};
    add(std::move(one));
    return;
  }
  read_summary();
  add_folder(path_);
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    if (entry.is_directory(error)) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) add_folder(folder);
  if (sensors_.empty()) {
    throw InputError(path_.string() +
                     ": there are no clouds here (pcd, ply, pointcloud2) and no channels as arrays (npy) of a sensor");
  }
}

/// Reads the rate of frames and the names of entities. A folder without a summary is played at 10 Hz.
void RunSource::read_summary() {
  const fs::path file = path_ / "summary.json";
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const std::string text = read_file(file);
  const nlohmann::json summary =
      json_nesting(text) > kMaxNesting ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
  if (!summary.is_object()) throw InputError(file.string() + ": is no JSON object");
  const auto number = [&](const char* key, double otherwise) {
    const auto found = summary.find(key);
    return found != summary.end() && found->is_number() ? found->get<double>() : otherwise;
  };
  timeline_.rate_hz = std::clamp(number("rate_hz", timeline_.rate_hz), 1e-3, 1e3);
  timeline_.start_s = std::clamp(number("start_s", 0.0), 0.0, 1e9);
  if (const auto sensors = summary.find("sensors"); sensors != summary.end()) read_times(*sensors);
  if (!times_.empty()) {
    const double frames = number("first_frame", 0.0) + number("frames", 1.0);
    timeline_.frames = static_cast<std::uint32_t>(std::clamp(frames, 1.0, double{kMaxFrames}));
  }
  const auto entities = summary.find("entities");
  if (entities == summary.end() || !entities->is_array()) return;
  for (const nlohmann::json& entity : *entities)
    entities_.push_back(entity.is_string() ? entity.get<std::string>() : "");
}

/// Reads the tables of sensors with a timing. Ignores malformed tables: such a sensor shows the frames of the run.
void RunSource::read_times(const nlohmann::json& sensors) {
  for (const nlohmann::json& sensor : sensors) {
    const auto table = nlohmann::json::json_pointer("/timing/frames");
    if (!sensor.is_object() || !sensor.contains(table) || !sensor.contains("name")) continue;
    const nlohmann::json& name = sensor["name"];
    const nlohmann::json& frames = sensor[table];
    const auto column = [&](const char* key) {
      return frames.is_object() ? frames.value(key, nlohmann::json()) : nlohmann::json();
    };
    const nlohmann::json index = column("index"), measured_s = column("measured_s"),
                         delivered_s = column("delivered_s");
    if (!name.is_string() || !index.is_array() || !measured_s.is_array() || !delivered_s.is_array()) continue;
    std::vector<FrameTime>& times = times_[name.get<std::string>()];
    for (std::size_t i = 0; i < std::min({index.size(), measured_s.size(), delivered_s.size()}); ++i) {
      if (!index[i].is_number_unsigned() || !measured_s[i].is_number() || !delivered_s[i].is_number()) continue;
      const auto k = index[i].get<std::uint64_t>();
      if (k >= kMaxFrames) continue;
      const auto number = static_cast<std::uint32_t>(k);
      times.push_back({number, number, measured_s[i].get<double>(), delivered_s[i].get<double>()});
    }
    std::stable_sort(times.begin(), times.end(),
                     [](const FrameTime& a, const FrameTime& b) { return a.delivered_s < b.delivered_s; });
  }
}

void RunSource::add_folder(const fs::path& folder) {
  for (const CloudFiles& kind : kCloudFiles) {
    auto files = files_by_frame(folder, kind);
    if (files.empty()) continue;
    add({.name = fs::absolute(folder).lexically_normal().filename().string(),
         .files = std::move(files),
         .is_channels = kind.extension == ".npy",
         .is_in_world = kind.is_in_world});
    return;
  }
}

void RunSource::add(RunSensor sensor) {
  const CloudMessage first = sensor.read(sensor.files.begin()->first);
  sensor.rows = first.message.height, sensor.cols = first.message.width;
  // All clouds in the world share one origin, which keeps their relative places.
  const auto other = std::find_if(sensors_.begin(), sensors_.end(), [](const RunSensor& s) { return s.is_in_world; });
  const bool has_origin = sensor.is_in_world && other != sensors_.end();
  sensor.origin_m = has_origin ? other->origin_m : far_origin(first.message);
  if (const auto times = times_.find(sensor.name); times != times_.end()) sensor.times = times->second;
  if (sensor.times.empty()) timeline_.frames = std::max(timeline_.frames, sensor.files.rbegin()->first + 1);
  sensors_.push_back(std::move(sensor));
}

std::vector<LiveTopic> RunSource::topics() const {
  std::vector<LiveTopic> topics;
  for (const RunSensor& sensor : sensors_) {
    topics.push_back(points_topic(sensor.name));
    topics.push_back(statistics_topic(sensor.name));
  }
  return topics;
}

RunJson RunSource::state() const {
  RunJson sensors = RunJson::array();
  for (const RunSensor& sensor : sensors_) {
    sensors.push_back(sensor_state(sensor.name, sensor.rows, sensor.cols, sensor.is_in_world ? "world" : sensor.name));
  }
  return {{"scene", path_.string()},
          {"error", error_.empty() ? RunJson() : RunJson(error_)},
          {"sensors", sensors},
          {"entities", entities_},
          {"can_save", false}};
}

RunJson RunSource::knobs() const { return {{"knobs", RunJson::array()}}; }

void RunSource::set(const Parameter& parameter) {
  throw InputError("written files have no parameters: there is no '" + parameter.name + "'");
}

void RunSource::show(std::uint32_t frame, TopicHub& hub) {
  error_.clear();
  for (const RunSensor& sensor : sensors_) {
    const std::string prefix = "/" + sensor.name;
    const FrameTime shown = sensor.shown_at(frame, timeline_.time_s(frame));
    if (!sensor.files.contains(shown.index)) continue;
    if (!hub.is_wanted(prefix + "/points") && !hub.is_wanted(prefix + "/statistics")) continue;
    try {
      CloudMessage cloud = sensor.read(shown.index);
      cloud.message.header.stamp = msg::time_of(shown.stamp_s);
      const std::uint64_t time_ns = msg::nanoseconds(cloud.message.header.stamp);
      hub.publish(prefix + "/statistics", time_ns,
                  cloud_statistics(cloud.message, shown.index, shown.stamp_s, !sensor.is_in_world));
      hub.publish(prefix + "/points", time_ns, write_message(cloud.message));
    } catch (const Error& error) {
      error_ = one_line(error.what());
    }
  }
}

std::vector<fs::path> RunSource::save_frame(std::string_view /*sensor*/) { refuse_to_save(); }

fs::path RunSource::save_scene() { refuse_to_save(); }

namespace {

bool is_bag_file(const fs::path& file) { return file.extension() == ".mcap" || file.extension() == ".db3"; }

bool holds_bags(const fs::path& folder) {
  return std::any_of(fs::directory_iterator(folder), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) { return is_bag_file(entry.path()); });
}

}  // namespace

std::unique_ptr<LiveSource> open_written(const fs::path& path) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  if (!is_folder) require_readable_file(path);
  try {
    const bool is_run = is_folder && fs::exists(path / "summary.json");
    if (!is_run && (is_folder ? holds_bags(path) : is_bag_file(path))) {
      throw InputError(path.string() +
                       ": is a bag; Foxglove and Lichtblick open MCAP, fathom bag info lists its topics");
    }
    return std::make_unique<RunSource>(path);
  } catch (const fs::filesystem_error& failure) {
    throw InputError(path.string() + ": cannot be read: " + failure.code().message());
  }
}

}  // namespace fathom
