// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fathom/live/live.hpp>
#include <fathom/simulate/run.hpp>

#include "live/knobs.hpp"
#include "live/live_source.hpp"
#include "live/save_scene.hpp"
#include "live/saved_files.hpp"
#include "message/camera_info.hpp"
#include "simulate/bag/sensor_topics.hpp"

namespace fathom {

/// A scene file, simulated for those who look. What nobody subscribes to is not rendered. When the file is saved it is
/// read again: what was turned falls back to what it says, and while it is wrong the last good scene stays.
class SceneSource final : public LiveSource {
 public:
  /// Throws InputError as read_scene_file() and make_simulator() do.
  SceneSource(std::filesystem::path file, const LiveOptions& options);

  [[nodiscard]] Timeline timeline() const override;
  [[nodiscard]] std::vector<LiveTopic> topics() const override;
  [[nodiscard]] nlohmann::ordered_json state() const override;
  [[nodiscard]] nlohmann::ordered_json knobs() const override { return world_->knobs.json(); }
  [[nodiscard]] std::vector<Parameter> parameters() const override { return world_->knobs.parameters(); }
  void set(const Parameter& parameter) override;
  void show(std::uint32_t frame, Exchange& exchange) override;
  bool reload_if_saved() override;
  std::vector<std::filesystem::path> save_frame(std::string_view sensor) override;
  std::filesystem::path save_scene() override;

 private:
  struct LiveSensor {
    std::string name;
    Frame frame;
    bool is_rendered = false;
    bool rays_vary = false, rays_sent = false;
    std::optional<msg::CameraInfo> camera;
  };
  /// All that one reading of the file gave.
  struct World {
    explicit World(const std::filesystem::path& file, const LiveOptions& options);

    SceneSetup setup;
    Simulator simulator;
    std::vector<LiveSensor> sensors;
    Knobs knobs;
    std::set<std::size_t> turned;  ///< sensors whose knobs were turned
    SensorTopics topics;
  };

  void show_sensor(std::size_t i, std::uint32_t frame, Exchange& exchange);
  void show_rays(std::size_t i, std::uint32_t frame, Exchange& exchange);
  void show_camera(LiveSensor& sensor, Exchange& exchange);
  [[nodiscard]] std::string statistics(std::size_t i, double render_ms) const;
  [[nodiscard]] std::filesystem::path new_file(std::string_view stem, std::string_view extension);
  [[nodiscard]] std::string topic(std::size_t i, const char* of) const;

  std::filesystem::path file_;
  LiveOptions options_;
  std::unique_ptr<World> world_;
  SavedFiles saved_;
  SaveLimits limits_;
  std::string error_;  ///< why the file that was saved last is not shown; empty: it is
};

}  // namespace fathom
