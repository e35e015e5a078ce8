// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/live/live.hpp>
#include <fathom/simulate/simulator.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/json_place.hpp"
#include "live/live_source.hpp"
#include "live/socket/live_server.hpp"
#include "live/topic_hub.hpp"

namespace fathom {

namespace {

using SessionJson = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr const char* kStateTopic = "/fathom/state";
constexpr const char* kKnobsTopic = "/fathom/knobs";
constexpr milliseconds kTick{250};         // between checks of should_stop and of saved files
constexpr milliseconds kStatePeriod{200};  // between updates of the state while time runs
constexpr double kHair = 1e-6;             // of a frame: rounding must not show a frame twice

/// Panels side by side or above each other. Each gets half of the remaining space.
SessionJson split_panels(const std::vector<std::string>& panels, std::size_t first, const char* direction) {
  if (first + 1 == panels.size()) return panels[first];
  return {{"first", panels[first]},
          {"second", split_panels(panels, first + 1, "column")},
          {"direction", direction},
          {"splitPercentage", first == 0 ? 70 : 50}};
}

/// A layout for Lichtblick and Foxglove with these topics: clouds in 3-D, images, and the parameters beside them.
std::string layout_text(std::span<const LiveTopic> topics) {
  SessionJson clouds = SessionJson::object();
  SessionJson panels = SessionJson::object();
  std::vector<std::string> order = {"3D!fathom", "Parameters!fathom"};
  for (const LiveTopic& topic : topics) {
    if (topic.schema_name == "sensor_msgs/msg/PointCloud2" && !topic.name.ends_with("/rays")) {
      clouds[topic.name] = {
          {"visible", true}, {"colorField", "clean_range"}, {"colorMode", "colormap"}, {"colorMap", "turbo"}};
    } else if (topic.schema_name == "sensor_msgs/msg/Image") {
      const std::string panel = "Image!" + topic.name.substr(1);
      const std::string camera = topic.name.substr(0, topic.name.rfind('/'));
      panels[panel] = {{"imageMode", {{"imageTopic", topic.name}, {"calibrationTopic", camera + "/camera_info"}}}};
      order.push_back(panel);
    }
  }
  panels["3D!fathom"] = {{"topics", clouds}, {"followTf", "world"}, {"scene", {{"enableStats", false}}}};
  panels["Parameters!fathom"] = SessionJson::object();
  const SessionJson layout = {{"configById", panels},
                              {"globalVariables", SessionJson::object()},
                              {"userNodes", SessionJson::object()},
                              {"playbackConfig", {{"speed", 1}}},
                              {"layout", split_panels(order, 0, "row")}};
  return layout.dump(2, ' ', false, SessionJson::error_handler_t::replace) + "\n";
}

std::uint64_t nanoseconds_of(double time_s) {
  return static_cast<std::uint64_t>(std::llround(std::max(time_s, 0.0) * 1e9));
}

/// An object that a client sent.
nlohmann::json parse_request(const ServiceCall& call) {
  if (call.encoding != "json") throw InputError(fmt::format("encoding '{}' is not json", one_line(call.encoding)));
  if (call.request.empty()) return nlohmann::json::object();
  if (json_nesting(call.request) > kMaxNesting) throw InputError("the request is nested too deeply");
  nlohmann::json request = nlohmann::json::parse(call.request, nullptr, false);
  if (!request.is_object()) throw InputError("the request is not a JSON object");
  return request;
}

/// Advances time, answers clients and shows frames of the source, all in the thread that calls run(). Renders nothing
/// while there are no clients.
class LiveSession {
 public:
  /// Both outlive this.
  LiveSession(LiveSource& source, TopicHub& hub, bool paused);

  /// Returns when `should_stop`, which is asked several times a second, returns true.
  void run(const std::function<bool()>& should_stop);

 private:
  void publish_topics();
  void publish_state();
  void publish_state_if_due(LiveClock::time_point now);
  void show(LiveClock::time_point now);
  void answer(const LiveRequest& request);
  void answer(ClientId client, const GetParameters& message);
  void answer(ClientId client, const SetParameters& message);
  void answer(ClientId client, const ServiceCall& call);
  nlohmann::ordered_json serve(const ServiceCall& call);
  void reload();
  [[nodiscard]] std::vector<Parameter> named(const std::vector<std::string>& names) const;

  LiveSource& source_;
  TopicHub& hub_;
  Timeline timeline_;
  PlayClock clock_;
  std::uint32_t shown_ = 0;  ///< the newest frame that was shown
  bool is_stale_ = true;     ///< the shown frame does not match the source
  bool state_changed_ = true;
  LiveClock::time_point state_sent_ = {};
  LiveClock::time_point files_looked_at_ = {};
};

}  // namespace

PlayClock::PlayClock(std::uint32_t frames, double rate_hz, LiveClock::time_point now)
    : frames_(std::max(frames, 1U)), rate_hz_(rate_hz), anchored_(now) {}

double PlayClock::position(LiveClock::time_point now) const {
  if (paused_) return anchor_;
  const double passed_s = std::max(0.0, std::chrono::duration<double>(now - anchored_).count());
  return std::fmod(anchor_ + passed_s * speed_ * rate_hz_, frames_);
}

void PlayClock::anchor(double position, LiveClock::time_point now) {
  anchor_ = position;
  anchored_ = now;
}

std::uint32_t PlayClock::frame(LiveClock::time_point now) const {
  return static_cast<std::uint32_t>(position(now) + kHair) % frames_;
}

std::optional<LiveClock::time_point> PlayClock::next(LiveClock::time_point now) const {
  if (paused_) return std::nullopt;
  const double at = position(now);
  const double left = std::floor(at + kHair) + 1 - at;
  return now + std::chrono::duration_cast<LiveClock::duration>(std::chrono::duration<double>(left / rate_hz_ / speed_));
}

void PlayClock::pause(bool paused, LiveClock::time_point now) {
  if (paused == paused_) return;
  anchor(paused ? frame(now) : position(now), now);
  paused_ = paused;
}

void PlayClock::step(LiveClock::time_point now) {
  anchor((frame(now) + 1) % frames_, now);
  paused_ = true;
}

void PlayClock::seek(std::uint32_t frame, LiveClock::time_point now) {
  if (frame >= frames_) throw InputError(fmt::format("frame {} is not in [0, {}]", frame, frames_ - 1));
  anchor(frame, now);
}

void PlayClock::set_speed(double speed, LiveClock::time_point now) {
  if (!(speed >= kLeastSpeed && speed <= kMostSpeed)) {
    throw InputError(fmt::format("speed = {} is not in [{}, {}]", speed, kLeastSpeed, kMostSpeed));
  }
  anchor(position(now), now);
  speed_ = speed;
}

LiveSession::LiveSession(LiveSource& source, TopicHub& hub, bool paused)
    : source_(source),
      hub_(hub),
      timeline_(source.timeline()),
      clock_(timeline_.frames, timeline_.rate_hz, LiveClock::now()) {
  clock_.pause(paused, LiveClock::now());
  publish_topics();
}

void LiveSession::run(const std::function<bool()>& should_stop) {
  while (true) {
    const LiveClock::time_point now = LiveClock::now();
    LiveClock::time_point until = now + kTick;
    if (hub_.has_clients()) until = std::min(until, clock_.next(now).value_or(until));
    const TopicHub::News news = hub_.wait(until);
    if (news.stop || should_stop()) return;
    reload();
    is_stale_ = is_stale_ || news.new_subscriptions;
    for (const LiveRequest& request : news.requests) answer(request);
    if (!hub_.has_clients()) continue;
    show(LiveClock::now());
    publish_state_if_due(LiveClock::now());
  }
}

void LiveSession::publish_topics() {
  std::vector<LiveTopic> topics = source_.topics();
  topics.push_back({kStateTopic, "json", "fathom/state", R"({"type":"object"})", "jsonschema", true});
  topics.push_back({kKnobsTopic, "json", "fathom/knobs", R"({"type":"object"})", "jsonschema", true});
  hub_.set_topics(std::move(topics));
  hub_.set_parameters(source_.parameters());
  hub_.publish(kKnobsTopic, nanoseconds_of(timeline_.time_s(shown_)), line_of(source_.knobs()));
  publish_state();
}

void LiveSession::publish_state() {
  SessionJson state = source_.state();
  state["paused"] = clock_.is_paused();
  state["speed"] = clock_.speed();
  state["time_s"] = timeline_.time_s(shown_);
  state["start_s"] = timeline_.start_s;
  state["end_s"] = timeline_.time_s(timeline_.frames - 1);
  state["frame"] = shown_;
  state["reasons"] = kReasonNames;
  state["version"] = versions().fathom;
  hub_.publish(kStateTopic, nanoseconds_of(timeline_.time_s(shown_)), line_of(state));
  state_sent_ = LiveClock::now();
  state_changed_ = false;
}

void LiveSession::publish_state_if_due(LiveClock::time_point now) {
  if (state_changed_ && now >= state_sent_ + kStatePeriod) publish_state();
}

void LiveSession::show(LiveClock::time_point now) {
  const std::uint32_t frame = clock_.frame(now);
  if (frame == shown_ && !is_stale_) return;
  is_stale_ = false;
  state_changed_ = true;
  shown_ = frame;
  hub_.publish_time(nanoseconds_of(timeline_.time_s(frame)));
  source_.show(frame, hub_);
}

void LiveSession::reload() {
  const LiveClock::time_point now = LiveClock::now();
  if (now < files_looked_at_ + kTick) return;
  files_looked_at_ = now;
  if (!source_.reload_if_saved()) return;
  const double time_s = timeline_.time_s(shown_);
  timeline_ = source_.timeline();
  PlayClock clock(timeline_.frames, timeline_.rate_hz, now);
  const double frame = std::round((time_s - timeline_.start_s) * timeline_.rate_hz);
  clock.seek(static_cast<std::uint32_t>(std::clamp(frame, 0.0, static_cast<double>(timeline_.frames - 1))), now);
  clock.set_speed(clock_.speed(), now);
  clock.pause(clock_.is_paused(), now);
  clock_ = clock;
  shown_ = clock_.frame(now);
  is_stale_ = true;
  publish_topics();
  hub_.send_changed(source_.parameters());
}

std::vector<Parameter> LiveSession::named(const std::vector<std::string>& names) const {
  std::vector<Parameter> all = source_.parameters();
  if (names.empty()) return all;
  const std::set<std::string_view> wanted(names.begin(), names.end());
  std::erase_if(all, [&](const Parameter& parameter) { return !wanted.contains(parameter.name); });
  return all;
}

void LiveSession::answer(const LiveRequest& request) {
  std::visit(
      [&](const auto& message) {
        if constexpr (requires { answer(request.client, message); }) answer(request.client, message);
      },
      request.message);
}

void LiveSession::answer(ClientId client, const GetParameters& message) {
  hub_.answer_text(client, parameter_values_text(named(message.names), message.id));
}

void LiveSession::answer(ClientId client, const SetParameters& message) {
  std::vector<std::string> changed, refused;
  for (const Parameter& parameter : message.parameters) {
    try {
      source_.set(parameter);
      changed.push_back(parameter.name);
    } catch (const InputError& error) {
      refused.push_back(parameter.name);
      hub_.answer_text(client, status_text(StatusLevel::kError, error.what()));
    }
  }
  is_stale_ = is_stale_ || !changed.empty();
  if (!changed.empty()) hub_.send_changed(named(changed));
  std::vector<std::string> back = message.id ? changed : std::vector<std::string>();
  back.insert(back.end(), refused.begin(), refused.end());
  if (!back.empty()) hub_.answer_text(client, parameter_values_text(named(back), message.id));
}

void LiveSession::answer(ClientId client, const ServiceCall& call) {
  try {
    const SessionJson answer = serve(call);
    hub_.answer(client, {.head = service_response_bytes(call, line_of(answer))});
  } catch (const Error& error) {
    hub_.answer_text(client, service_failure_text(call, error.what()));
  }
}

nlohmann::ordered_json LiveSession::serve(const ServiceCall& call) {
  const nlohmann::json json = parse_request(call);
  const std::string where(kLiveServices.at(call.service).name);
  const JsonPlace request(json, where);
  const LiveClock::time_point now = LiveClock::now();
  SessionJson answer = SessionJson::object();
  switch (static_cast<ServiceId>(call.service)) {
    case ServiceId::kPause:
      clock_.pause(request.at("paused").flag(), now);
      break;
    case ServiceId::kStep:
      clock_.step(now);
      break;
    case ServiceId::kSeek: {
      const double frame = std::round((request.at("time_s").number() - timeline_.start_s) * timeline_.rate_hz);
      if (!(frame >= 0 && frame < timeline_.frames)) {
        throw InputError(fmt::format("time_s = {} is not in [{}, {}] s", request.at("time_s").number(),
                                     timeline_.start_s, timeline_.time_s(timeline_.frames - 1)));
      }
      clock_.seek(static_cast<std::uint32_t>(frame), now);
      break;
    }
    case ServiceId::kSpeed:
      clock_.set_speed(request.at("speed").number(), now);
      break;
    case ServiceId::kSaveFrame:
      answer["files"] = SessionJson::array();
      for (const auto& file : source_.save_frame(request.at("sensor").text())) answer["files"].push_back(file.string());
      return answer;
    case ServiceId::kSaveScene:
      answer["file"] = source_.save_scene().string();
      return answer;
  }
  show(now);
  publish_state();
  return answer;
}

namespace {

/// Lets a client that connects again recognise the same server.
std::string new_session_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::string address_of(const LiveOptions& options, std::uint16_t port) {
  const bool is_v6 = options.listen.find(':') != std::string::npos;
  return is_v6 ? fmt::format("http://[{}]:{}/", options.listen, port)
               : fmt::format("http://{}:{}/", options.listen, port);
}

void serve_source(LiveSource& source, const LiveOptions& options) {
  std::unique_ptr<TopicHub> hub;
  LiveServer server({.address = options.listen, .port = options.port, .origins = options.origins, .layout = [&hub] {
                       return layout_text(hub->topics());
                     }});
  hub = std::make_unique<TopicHub>(new_session_id(), std::string(versions().fathom), kLiveServices,
                                   [&server] { server.wake(); });
  LiveSession session(source, *hub, options.paused);
  server.start(*hub);
  if (options.on_ready) options.on_ready(address_of(options, server.port()));
  session.run(options.should_stop ? options.should_stop : [] { return false; });
  server.stop();
}

}  // namespace

void serve_scene(const std::filesystem::path& file, const LiveOptions& options) {
  within_memory(
      file,
      [&] {
        const std::unique_ptr<LiveSource> source = make_scene_source(file, options);
        serve_source(*source, options);
      },
      "the scene does not fit into memory");
}

void serve_given(GivenFile given, const LiveOptions& options) {
  const std::filesystem::path file = given.file;
  within_memory(file, [&] {
    const std::unique_ptr<LiveSource> source = make_given_source(std::move(given), options);
    serve_source(*source, options);
  });
}

void serve_written(const std::filesystem::path& path, const LiveOptions& options) {
  within_memory(path, [&] {
    const std::unique_ptr<LiveSource> source = open_written(path);
    serve_source(*source, options);
  });
}

}  // namespace fathom
