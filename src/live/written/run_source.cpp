// SPDX-License-Identifier: MIT
#include "live/written/run_source.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/read_cloud.hpp"
#include "live/written/channel_cloud.hpp"
#include "live/written/shown_cloud.hpp"
#include "message/message.hpp"
#include "text/nesting.hpp"
#include "text/read_file.hpp"
#include "text/text_lines.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using RunJson = nlohmann::ordered_json;

/// Files that show a frame: NAME_000000.EXTENSION. The first kind that is there is taken.
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

}  // namespace

CloudMessage RunSource::RunSensor::read(std::uint32_t frame) const {
  const fs::path& file = files.at(frame);
  CloudMessage cloud = is_channels ? cloud_of_channels(file.parent_path(), frame) : read_cloud(file);
  name_for_page(cloud.message);
  if (cloud.message.header.frame_id.empty()) cloud.message.header.frame_id = is_in_world ? "world" : name;
  return cloud;
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

/// How fast frames follow one another, and the names of entities; a folder without a summary is played at 10 Hz.
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
  const auto entities = summary.find("entities");
  if (entities == summary.end() || !entities->is_array()) return;
  for (const nlohmann::json& entity : *entities)
    entities_.push_back(entity.is_string() ? entity.get<std::string>() : "");
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
  timeline_.frames = std::max(timeline_.frames, sensor.files.rbegin()->first + 1);
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
    sensors.push_back(
        sensor_state(sensor.name, "cloud", sensor.rows, sensor.cols, sensor.is_in_world ? "world" : sensor.name));
  }
  return {{"scene", path_.string()},
          {"error", error_.empty() ? RunJson() : RunJson(error_)},
          {"sensors", sensors},
          {"entities", entities_},
          {"can_save", false}};
}

void RunSource::show(std::uint32_t frame, Exchange& exchange) {
  error_.clear();
  const double stamp_s = timeline_.time_s(frame);
  for (const RunSensor& sensor : sensors_) {
    const std::string prefix = "/" + sensor.name;
    if (!sensor.files.contains(frame)) continue;
    if (!exchange.is_wanted(prefix + "/points") && !exchange.is_wanted(prefix + "/statistics")) continue;
    try {
      CloudMessage cloud = sensor.read(frame);
      cloud.message.header.stamp = msg::time_of(stamp_s);
      const std::uint64_t time_ns = msg::nanoseconds(cloud.message.header.stamp);
      exchange.publish(prefix + "/statistics", time_ns,
                       cloud_statistics(cloud.message, frame, stamp_s, !sensor.is_in_world));
      exchange.publish(prefix + "/points", time_ns, write_message(cloud.message));
    } catch (const Error& error) {
      error_ = one_line(error.what());
    }
  }
}

}  // namespace fathom
