// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/live/live.hpp>
#include <fathom/simulate/run.hpp>

#include "core/text.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "live/knobs.hpp"
#include "live/live_source.hpp"
#include "live/save_scene.hpp"
#include "live/shown_cloud.hpp"
#include "live/simulated_source.hpp"
#include "run/prepare_run.hpp"
#include "run/sensor_topics.hpp"

namespace fathom {

namespace {

using SceneJson = nlohmann::ordered_json;

/// Publishes clock and transforms; SceneSource makes the messages of sensors.
class TransformSink final : public MessageSink {
 public:
  explicit TransformSink(TopicHub* hub) : hub_(hub) {}
  std::uint16_t add_topic(std::string_view topic, const MessageType& /*type*/) override {
    names_.emplace_back(topic);
    return static_cast<std::uint16_t>(names_.size() - 1);
  }
  void write(std::uint16_t topic, std::uint64_t time_ns, std::string bytes) override {
    hub_->publish(names_[topic], time_ns, std::move(bytes));
  }

 private:
  TopicHub* hub_;
  std::vector<std::string> names_;
};

RunOptions run_options_of(const LiveOptions& options) {
  RunOptions run;
  run.seed = options.seed;
  run.compute = options.compute;
  run.should_stop = options.should_stop;
  return run;
}

class SceneSource final : public LiveSource {
 public:
  SceneSource(std::filesystem::path file, const LiveOptions& options);

  [[nodiscard]] Timeline timeline() const override;
  [[nodiscard]] std::vector<LiveTopic> topics() const override;
  [[nodiscard]] nlohmann::ordered_json state() const override;
  [[nodiscard]] nlohmann::ordered_json knobs() const override { return world_->knobs.json(); }
  [[nodiscard]] std::vector<Parameter> parameters() const override { return world_->knobs.parameters(); }
  void set(const Parameter& parameter) override;
  void show(std::uint32_t frame, TopicHub& hub) override;
  bool reload_if_saved() override;
  std::vector<std::filesystem::path> save_frame(std::string_view sensor) override;
  std::filesystem::path save_scene() override;

 private:
  /// Everything that one reading of the file makes.
  struct World {
    explicit World(const std::filesystem::path& file, const LiveOptions& options);

    SceneSetup setup;
    Simulator simulator;
    std::vector<SensorFeed> sensors;
    Knobs knobs;
    std::set<std::size_t> turned;  ///< sensors whose knobs were turned
    SensorTopics topics;
  };

  void show_sensor(std::size_t i, std::uint32_t frame, TopicHub& hub);

  std::filesystem::path file_;
  LiveOptions options_;
  std::unique_ptr<World> world_;
  SavedFiles saved_;
  SaveFolder out_;
  std::string error_;  ///< of the file that was saved last; empty: the file is shown
};

}  // namespace

SceneSource::World::World(const std::filesystem::path& file, const LiveOptions& options)
    : setup(read_scene_file(file, options.overrides)),
      simulator(make_simulator(setup, run_options_of(options))),
      topics(simulator, setup.sensors) {
  for (std::size_t i = 0; i < setup.sensors.size(); ++i) {
    const Sensor& sensor = simulator.sensor(static_cast<SensorId>(i));
    sensors.emplace_back(sensor);
    knobs.add(sensor, simulator.scene());
  }
}

SceneSource::SceneSource(std::filesystem::path file, const LiveOptions& options)
    : file_(std::move(file)), options_(options), world_(std::make_unique<World>(file_, options_)), out_(options.out) {
  saved_.watch(world_->setup.inputs);
}

Timeline SceneSource::timeline() const {
  const SceneSetup& setup = world_->setup;
  return simulated_timeline(setup.frames, setup.rate_hz, setup.start_s);
}

std::vector<LiveTopic> SceneSource::topics() const {
  std::vector<LiveTopic> topics = {cdr_topic("/clock", msg::Clock::kType),
                                   cdr_topic("/tf", msg::TFMessage::kType, true),
                                   cdr_topic("/tf_static", msg::TFMessage::kType, true)};
  for (const SensorFeed& sensor : world_->sensors) {
    for (LiveTopic& topic : sensor.topics()) topics.push_back(std::move(topic));
  }
  return topics;
}

nlohmann::ordered_json SceneSource::state() const {
  SceneJson sensors = SceneJson::array();
  for (const SensorFeed& sensor : world_->sensors) sensors.push_back(sensor.state());
  SceneJson entities = SceneJson::array();
  for (const Entity& entity : world_->simulator.scene().entities()) entities.push_back(entity.name);
  return {{"scene", file_.string()},
          {"error", error_.empty() ? SceneJson() : SceneJson(error_)},
          {"sensors", sensors},
          {"entities", entities},
          {"can_save", out_.is_given()}};
}

void SceneSource::set(const Parameter& parameter) {
  const std::size_t sensor = world_->knobs.sensor_of(parameter.name);
  NoiseChain chain = world_->knobs.with(parameter);
  world_->simulator.set_noise(static_cast<SensorId>(sensor), chain);
  world_->knobs.keep(sensor, std::move(chain));
  world_->turned.insert(sensor);
}

void SceneSource::show(std::uint32_t frame, TopicHub& hub) {
  TransformSink sink(&hub);
  world_->topics.open(sink);
  world_->topics.begin_frame(frame);
  for (std::size_t i = 0; i < world_->sensors.size(); ++i) show_sensor(i, frame, hub);
}

void SceneSource::show_sensor(std::size_t i, std::uint32_t frame, TopicHub& hub) {
  SensorFeed& sensor = world_->sensors[i];
  const auto id = static_cast<SensorId>(i);
  const bool wants_rays = sensor.wants_rays(hub), wants_frame = sensor.wants_frame(hub);
  if (!wants_rays && !wants_frame) return;
  Simulator& simulator = world_->simulator;
  const auto delivered = last_delivered(simulator, id, simulator.stamp_s(frame));
  if (!delivered) return;
  if (wants_rays) sensor.publish_rays(simulator.pattern(id, delivered->content), delivered->stamp_s, hub);
  if (!wants_frame) return;
  sensor.publish_frame([&](Frame& out) { simulator.render(id, delivered->index, out); }, world_->knobs.chain(i), hub);
}

bool SceneSource::reload_if_saved() {
  if (!saved_.were_saved()) return false;
  try {
    world_ = std::make_unique<World>(file_, options_);
    saved_.watch(world_->setup.inputs);
    error_.clear();
  } catch (const Error& error) {
    error_ = one_line(error.what());
  }
  return true;
}

std::vector<std::filesystem::path> SceneSource::save_frame(std::string_view sensor) {
  return {save_shown(out_, world_->sensors, sensor)};
}

std::filesystem::path SceneSource::save_scene() {
  return out_.save(file_.stem().string(), ".yaml", [&](const std::filesystem::path& file) {
    YamlValue root = scene_yaml(file_, options_.overrides, world_->setup.inputs);
    const Simulator& simulator = world_->simulator;
    for (const std::size_t i : world_->turned) {
      set_noise(root, simulator.sensor(static_cast<SensorId>(i)), simulator.scene());
    }
    write_scene(file, root);
  });
}

std::unique_ptr<LiveSource> make_scene_source(const std::filesystem::path& file, const LiveOptions& options) {
  return std::make_unique<SceneSource>(file, options);
}

}  // namespace fathom
