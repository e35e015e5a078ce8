// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/live/live.hpp>
#include <fathom/simulate/run.hpp>

#include "core/text.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "live/frame_messages.hpp"
#include "live/knobs.hpp"
#include "live/live_source.hpp"
#include "live/save_scene.hpp"
#include "live/shown_cloud.hpp"
#include "run/prepare_run.hpp"
#include "run/sensor_topics.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

using SceneJson = nlohmann::ordered_json;

constexpr double kLeastSeconds = 60;  // motions and noise go on after a scene of a few frames

std::uint64_t stamp_ns(double stamp_s) { return msg::nanoseconds(msg::time_of(stamp_s)); }

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
  struct LiveSensor {
    std::string name;
    Frame frame;
    bool is_rendered = false;
    bool rays_vary = false, rays_sent = false;
    std::optional<msg::CameraInfo> camera;
  };
  /// Everything that one reading of the file makes.
  struct World {
    explicit World(const std::filesystem::path& file, const LiveOptions& options);

    SceneSetup setup;
    Simulator simulator;
    std::vector<LiveSensor> sensors;
    Knobs knobs;
    std::set<std::size_t> turned;  ///< sensors whose knobs were turned
    SensorTopics topics;
  };

  void show_sensor(std::size_t i, std::uint32_t frame, TopicHub& hub);
  void show_rays(std::size_t i, std::uint32_t frame, TopicHub& hub);
  void show_camera(LiveSensor& sensor, TopicHub& hub);
  [[nodiscard]] std::string statistics(std::size_t i, double render_ms) const;
  [[nodiscard]] std::filesystem::path new_file(std::string_view stem, std::string_view extension);
  [[nodiscard]] std::string topic(std::size_t i, const char* of) const;

  std::filesystem::path file_;
  LiveOptions options_;
  std::unique_ptr<World> world_;
  SavedFiles saved_;
  SaveLimits limits_;
  std::string error_;  ///< of the file that was saved last; empty: the file is shown
};

}  // namespace

SavedFiles::Stamp SavedFiles::stamp_of(const std::filesystem::path& file) {
  std::error_code failed;
  const auto time = std::filesystem::last_write_time(file, failed);
  if (failed) return {};
  const std::uintmax_t bytes = std::filesystem::file_size(file, failed);
  return failed ? Stamp() : Stamp{time, bytes};
}

void SavedFiles::watch(const std::vector<std::filesystem::path>& files) {
  stamps_.clear();
  for (const auto& file : files) stamps_[file] = stamp_of(file);
}

bool SavedFiles::were_saved() {
  bool saved = false;
  for (auto& [file, stamp] : stamps_) {
    const Stamp now = stamp_of(file);
    if (now == Stamp() || now == stamp) continue;
    stamp = now;
    saved = true;
  }
  return saved;
}

SceneSource::World::World(const std::filesystem::path& file, const LiveOptions& options)
    : setup(read_scene_file(file, options.overrides)),
      simulator(make_simulator(setup, run_options_of(options))),
      topics(simulator, setup.sensors) {
  for (std::size_t i = 0; i < setup.sensors.size(); ++i) {
    const Sensor& sensor = simulator.sensor(static_cast<SensorId>(i));
    auto camera = camera_constants(sensor.model, optical_frame(sensor.name));
    const ChannelSet more = camera ? ChannelSet{Channel::kDepth} : ChannelSet();
    sensors.push_back({.name = sensor.name,
                       .frame = Frame(kLiveChannels | more | CloudOptions().fields),
                       .is_rendered = false,
                       .rays_vary = make_view(sensor.model).rays_vary,
                       .camera = std::move(camera)});
    knobs.add(sensor, simulator.scene());
  }
}

SceneSource::SceneSource(std::filesystem::path file, const LiveOptions& options)
    : file_(std::move(file)), options_(options), world_(std::make_unique<World>(file_, options_)) {
  saved_.watch(world_->setup.inputs);
}

Timeline SceneSource::timeline() const {
  const SceneSetup& setup = world_->setup;
  const double least = std::ceil(kLeastSeconds * setup.rate_hz);
  const auto frames = static_cast<std::uint32_t>(std::min(least, double{kMaxFrames}));
  return {std::max(setup.frames, frames), setup.rate_hz, setup.start_s};
}

std::string SceneSource::topic(std::size_t i, const char* of) const {
  return fmt::format("/{}/{}", world_->sensors[i].name, of);
}

std::vector<LiveTopic> SceneSource::topics() const {
  std::vector<LiveTopic> topics = {cdr_topic("/clock", msg::Clock::kType),
                                   cdr_topic("/tf", msg::TFMessage::kType, true),
                                   cdr_topic("/tf_static", msg::TFMessage::kType, true)};
  for (std::size_t i = 0; i < world_->sensors.size(); ++i) {
    topics.push_back(cdr_topic(topic(i, "points"), msg::PointCloud2::kType));
    topics.push_back(cdr_topic(topic(i, "rays"), msg::PointCloud2::kType, true));
    topics.push_back({topic(i, "statistics"), "json", "fathom/statistics", R"({"type":"object"})", "jsonschema"});
    if (!world_->sensors[i].camera) continue;
    topics.push_back(cdr_topic(topic(i, "image"), msg::Image::kType));
    topics.push_back(cdr_topic(topic(i, "camera_info"), msg::CameraInfo::kType));
  }
  return topics;
}

nlohmann::ordered_json SceneSource::state() const {
  SceneJson sensors = SceneJson::array();
  for (std::size_t i = 0; i < world_->sensors.size(); ++i) {
    const Sensor& sensor = world_->simulator.sensor(static_cast<SensorId>(i));
    const PatternShape shape = pattern_shape(sensor.model);
    const std::string_view kind = std::visit([](const auto& model) { return model.kSlug; }, sensor.model);
    sensors.push_back({{"name", sensor.name},
                       {"kind", world_->sensors[i].camera ? "camera"
                                : shape.rows == 1         ? "laser"
                                                          : "lidar"},
                       {"type", kind},
                       {"rows", shape.rows},
                       {"cols", shape.cols},
                       {"max_range_m", make_view(sensor.model).farthest_m},
                       {"frame_id", sensor.name}});
  }
  SceneJson entities = SceneJson::array();
  for (const Entity& entity : world_->simulator.scene().entities()) entities.push_back(entity.name);
  return {{"scene", file_.string()},
          {"error", error_.empty() ? SceneJson() : SceneJson(error_)},
          {"sensors", sensors},
          {"entities", entities},
          {"can_save", !options_.out.empty()}};
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
  show_rays(i, frame, hub);
  LiveSensor& sensor = world_->sensors[i];
  const auto wants = [&](const char* of) { return hub.is_wanted(topic(i, of)); };
  sensor.is_rendered = wants("points") || wants("statistics") || wants("image") || wants("camera_info");
  if (!sensor.is_rendered) return;
  const auto delivered = last_delivered(world_->simulator, static_cast<SensorId>(i), world_->simulator.stamp_s(frame));
  if (!delivered) return;
  const auto begin = std::chrono::steady_clock::now();
  world_->simulator.render(static_cast<SensorId>(i), delivered->index, sensor.frame);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  const std::uint64_t time_ns = stamp_ns(sensor.frame.stamp_s());
  if (wants("points")) hub.publish(topic(i, "points"), time_ns, points_message(sensor.frame, sensor.name));
  if (wants("statistics")) hub.publish(topic(i, "statistics"), time_ns, statistics(i, taken.count()));
  if (sensor.camera) show_camera(sensor, hub);
}

void SceneSource::show_rays(std::size_t i, std::uint32_t frame, TopicHub& hub) {
  const std::string name = topic(i, "rays");
  LiveSensor& sensor = world_->sensors[i];
  if (!hub.is_wanted(name) || (sensor.rays_sent && !sensor.rays_vary)) return;
  const auto delivered = last_delivered(world_->simulator, static_cast<SensorId>(i), world_->simulator.stamp_s(frame));
  if (!delivered) return;
  const double stamp_s = delivered->stamp_s;
  const RayPattern& pattern = world_->simulator.pattern(static_cast<SensorId>(i), delivered->content);
  hub.publish(name, stamp_ns(stamp_s), rays_message(pattern, stamp_s, sensor.name));
  sensor.rays_sent = true;
}

void SceneSource::show_camera(LiveSensor& sensor, TopicHub& hub) {
  const std::string prefix = "/" + sensor.name;
  const msg::Image image = depth_image(sensor.frame, optical_frame(sensor.name));
  const std::uint64_t time_ns = msg::nanoseconds(image.header.stamp);
  if (hub.is_wanted(prefix + "/image")) hub.publish(prefix + "/image", time_ns, write_message(image));
  sensor.camera->header.stamp = image.header.stamp;
  hub.publish(prefix + "/camera_info", time_ns, write_message(*sensor.camera));
}

std::string SceneSource::statistics(std::size_t i, double render_ms) const {
  const Frame& frame = world_->sensors[i].frame;
  std::vector<float> errors, clean;
  for (std::size_t k = 0; k < frame.size(); ++k) {
    if (frame.reason()[k] != Reason::kHit || !std::isfinite(frame.clean_range_m()[k])) continue;
    errors.push_back(frame.range_m()[k] - frame.clean_range_m()[k]);
    clean.push_back(frame.clean_range_m()[k]);
  }
  const ErrorHistogram histogram = make_error_histogram(std::move(errors));
  std::vector<double> middles;
  for (std::size_t b = 0; b < histogram.counts.size(); ++b) {
    middles.push_back((histogram.edges_m[b] + histogram.edges_m[b + 1]) / 2);
  }
  const auto density = error_density(world_->knobs.chain(i), clean, middles);
  SceneJson reasons = SceneJson::object();
  const auto counts = frame.count_reasons();
  for (std::size_t r = 0; r < counts.size(); ++r) reasons[std::string(kReasonNames[r])] = counts[r];
  const SceneJson json = {{"frame", frame.index()},
                          {"stamp_s", frame.stamp_s()},
                          {"rays", frame.size()},
                          {"reasons", reasons},
                          {"errors",
                           {{"edges_m", histogram.edges_m},
                            {"counts", histogram.counts},
                            {"density_per_m", density ? SceneJson(*density) : SceneJson()}}},
                          {"render_ms", render_ms}};
  return json.dump();
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

std::filesystem::path SceneSource::new_file(std::string_view stem, std::string_view extension) {
  auto file = free_file(options_.out, stem, extension);
  limits_.begin(LiveClock::now());
  return file;
}

std::vector<std::filesystem::path> SceneSource::save_frame(std::string_view sensor) {
  const auto found = std::find_if(world_->sensors.begin(), world_->sensors.end(),
                                  [&](const LiveSensor& s) { return s.name == sensor; });
  if (found == world_->sensors.end()) {
    throw InputError(fmt::format("save_frame: there is no sensor '{}'", one_line(sensor)));
  }
  if (!found->is_rendered)
    throw InputError(fmt::format("save_frame: '{}' has no frame: no client subscribes to it", found->name));
  const auto file = new_file(fmt::format("{}_{:06}", found->name, found->frame.index()), ".pcd");
  write_pcd(file, found->frame);
  limits_.end(file);
  return {file};
}

std::filesystem::path SceneSource::save_scene() {
  auto file = new_file(file_.stem().string(), ".yaml");
  write_scene(file, file_, options_.overrides, world_->setup, world_->simulator, world_->turned);
  limits_.end(file);
  return file;
}

std::unique_ptr<LiveSource> make_scene_source(const std::filesystem::path& file, const LiveOptions& options) {
  return std::make_unique<SceneSource>(file, options);
}

}  // namespace fathom
