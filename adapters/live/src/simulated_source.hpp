// SPDX-License-Identifier: MIT
#pragma once
// Parts of sources whose frames are computed: messages of a sensor, saved files, the length of time.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/frame/frame.hpp>
#include <fathom/simulate/sensor.hpp>

#include "io/message/sensors.hpp"
#include "live/live_source.hpp"
#include "live/save_scene.hpp"
#include "live/topic_hub.hpp"

namespace fathom {

/// At least `frames`, and at least a minute: motions and noise go on after a scene of a few frames.
Timeline simulated_timeline(std::uint32_t frames, double rate_hz, double start_s);

/// The newest frame of a sensor, and its messages.
class SensorFeed {
 public:
  explicit SensorFeed(const Sensor& sensor);
  /// Of a given cloud: without images, and with the same rays in each frame.
  SensorFeed(const Sensor& sensor, RayPattern::Shape cloud);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Frame& frame() const { return frame_; }
  /// Whether clients subscribed to its frames when they were last shown.
  [[nodiscard]] bool is_rendered() const { return is_rendered_; }
  [[nodiscard]] std::vector<LiveTopic> topics() const;
  /// The sensor in /fathom/state.
  [[nodiscard]] const nlohmann::ordered_json& state() const { return state_; }

  [[nodiscard]] bool wants_rays(const TopicHub& hub) const;
  void publish_rays(const RayPattern& pattern, double stamp_s, TopicHub& hub);
  /// Asks the subscribers; only if true call publish_frame().
  bool wants_frame(const TopicHub& hub);
  /// `chain`: of the sensor, for the density of its errors.
  void publish_frame(const std::function<void(Frame&)>& render, const NoiseChain& chain, TopicHub& hub);

 private:
  SensorFeed(const Sensor& sensor, std::optional<msg::CameraInfo> camera, RayPattern::Shape shape, bool rays_vary);
  void publish_images(TopicHub& hub);
  [[nodiscard]] std::string topic(const char* of) const { return "/" + name_ + "/" + of; }

  std::string name_;
  Frame frame_;
  bool is_rendered_ = false, rays_vary_ = false, rays_sent_ = false;
  std::optional<msg::CameraInfo> camera_;
  nlohmann::ordered_json state_;
};

/// Saves the shown frame of a sensor as a cloud. Throws InputError for an unknown name, and for a sensor without
/// subscribers; and as SaveFolder::save() does.
std::filesystem::path save_shown(SaveFolder& out, std::span<const SensorFeed> sensors, std::string_view name);

/// Detects that files were saved, by their times of change and sizes. Ignores missing files: editors remove a file for
/// a moment.
class SavedFiles {
 public:
  void watch(const std::vector<std::filesystem::path>& files);
  /// Whether a file was saved since watch() or the last call.
  bool were_saved();

 private:
  struct Stamp {
    std::filesystem::file_time_type time = {};
    std::uintmax_t bytes = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);

  std::map<std::filesystem::path, Stamp> stamps_;
};

}  // namespace fathom
