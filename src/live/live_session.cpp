// SPDX-License-Identifier: MIT
#include "live/live_session.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/simulate/simulator.hpp>

#include "base/text.hpp"
#include "live/live_services.hpp"
#include "text/json_place.hpp"
#include "text/nesting.hpp"

namespace fathom {

namespace {

using SessionJson = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr const char* kStateTopic = "/fathom/state";
constexpr const char* kKnobsTopic = "/fathom/knobs";
constexpr milliseconds kTick{250};         // in which a wish to stop and a saved file are seen
constexpr milliseconds kStatePeriod{200};  // of the time in the state

std::string text_of_json(const SessionJson& json) {
  return json.dump(-1, ' ', false, SessionJson::error_handler_t::replace);
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

}  // namespace

LiveSession::LiveSession(LiveSource& source, Exchange& exchange, bool paused)
    : source_(source),
      exchange_(exchange),
      timeline_(source.timeline()),
      clock_(timeline_.frames, timeline_.rate_hz, LiveClock::now()) {
  clock_.pause(paused, LiveClock::now());
  tell_topics();
}

void LiveSession::run(const std::function<bool()>& should_stop) {
  while (true) {
    const LiveClock::time_point now = LiveClock::now();
    LiveClock::time_point until = now + kTick;
    if (exchange_.has_clients()) until = std::min(until, clock_.next(now).value_or(until));
    const Exchange::News news = exchange_.wait(until);
    if (news.stop || should_stop()) return;
    reload();
    is_stale_ = is_stale_ || news.new_subscriptions;
    for (const LiveRequest& request : news.requests) answer(request);
    if (!exchange_.has_clients()) continue;
    show(LiveClock::now());
    tell_state_sometimes(LiveClock::now());
  }
}

void LiveSession::tell_topics() {
  std::vector<LiveTopic> topics = source_.topics();
  topics.push_back({kStateTopic, "json", "fathom/state", R"({"type":"object"})", "jsonschema", true});
  topics.push_back({kKnobsTopic, "json", "fathom/knobs", R"({"type":"object"})", "jsonschema", true});
  exchange_.set_topics(std::move(topics));
  exchange_.set_parameters(source_.parameters());
  exchange_.publish(kKnobsTopic, nanoseconds_of(timeline_.time_s(shown_)), text_of_json(source_.knobs()));
  tell_state();
}

void LiveSession::tell_state() {
  SessionJson state = source_.state();
  state["paused"] = clock_.is_paused();
  state["speed"] = clock_.speed();
  state["time_s"] = timeline_.time_s(shown_);
  state["start_s"] = timeline_.start_s;
  state["end_s"] = timeline_.time_s(timeline_.frames - 1);
  state["frame"] = shown_;
  state["reasons"] = kReasonNames;
  state["version"] = versions().fathom;
  exchange_.publish(kStateTopic, nanoseconds_of(timeline_.time_s(shown_)), text_of_json(state));
  state_told_ = LiveClock::now();
  state_changed_ = false;
}

void LiveSession::tell_state_sometimes(LiveClock::time_point now) {
  if (state_changed_ && now >= state_told_ + kStatePeriod) tell_state();
}

void LiveSession::show(LiveClock::time_point now) {
  const std::uint32_t frame = clock_.frame(now);
  if (frame == shown_ && !is_stale_) return;
  is_stale_ = false;
  state_changed_ = true;
  shown_ = frame;
  exchange_.publish_time(nanoseconds_of(timeline_.time_s(frame)));
  source_.show(frame, exchange_);
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
  tell_topics();
  exchange_.send_changed(source_.parameters());
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
  exchange_.answer_text(client, parameter_values_text(named(message.names), message.id));
}

void LiveSession::answer(ClientId client, const SetParameters& message) {
  std::vector<std::string> changed, refused;
  for (const Parameter& parameter : message.parameters) {
    try {
      source_.set(parameter);
      changed.push_back(parameter.name);
    } catch (const InputError& error) {
      refused.push_back(parameter.name);
      exchange_.answer_text(client, status_text(StatusLevel::kError, error.what()));
    }
  }
  is_stale_ = is_stale_ || !changed.empty();
  if (!changed.empty()) exchange_.send_changed(named(changed));
  std::vector<std::string> back = message.id ? changed : std::vector<std::string>();
  back.insert(back.end(), refused.begin(), refused.end());
  if (!back.empty()) exchange_.answer_text(client, parameter_values_text(named(back), message.id));
}

void LiveSession::answer(ClientId client, const ServiceCall& call) {
  try {
    const SessionJson answer = serve(call);
    exchange_.answer(client, {.head = service_response_bytes(call, text_of_json(answer))});
  } catch (const Error& error) {
    exchange_.answer_text(client, service_failure_text(call, error.what()));
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
  tell_state();
  return answer;
}

}  // namespace fathom
