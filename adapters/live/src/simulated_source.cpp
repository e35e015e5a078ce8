// SPDX-License-Identifier: MIT
#include "live/simulated_source.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/simulate/run.hpp>

#include "core/text.hpp"
#include "io/message/cdr.hpp"
#include "live/frame_messages.hpp"
#include "live/shown_cloud.hpp"
#include "run/sensor_topics.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

using FeedJson = nlohmann::ordered_json;

constexpr double kLeastSeconds = 60;

std::uint64_t stamp_ns(double stamp_s) { return msg::nanoseconds(msg::time_of(stamp_s)); }

FeedJson state_of(const Sensor& sensor, bool is_camera, RayPattern::Shape shape) {
  const std::string_view type = std::visit([](const auto& model) { return model.kSlug; }, sensor.model);
  return {{"name", sensor.name},    {"kind", is_camera ? "camera" : shape.rows == 1 ? "laser" : "lidar"},
          {"type", type},           {"rows", shape.rows},
          {"cols", shape.cols},     {"max_range_m", make_view(sensor.model).farthest_m},
          {"frame_id", sensor.name}};
}

/// The content of /SENSOR/statistics.
std::string statistics(const Frame& frame, const NoiseChain& chain, double render_ms) {
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
  const auto density = error_density(chain, clean, middles);
  FeedJson reasons = FeedJson::object();
  const auto counts = frame.count_reasons();
  for (std::size_t r = 0; r < counts.size(); ++r) reasons[std::string(kReasonNames[r])] = counts[r];
  const FeedJson json = {{"frame", frame.index()},
                         {"stamp_s", frame.stamp_s()},
                         {"rays", frame.size()},
                         {"reasons", reasons},
                         {"errors",
                          {{"edges_m", histogram.edges_m},
                           {"counts", histogram.counts},
                           {"density_per_m", density ? FeedJson(*density) : FeedJson()}}},
                         {"render_ms", render_ms}};
  return json.dump();
}

}  // namespace

Timeline simulated_timeline(std::uint32_t frames, double rate_hz, double start_s) {
  const double least = std::min(std::ceil(kLeastSeconds * rate_hz), double{kMaxFrames});
  return {std::max(frames, static_cast<std::uint32_t>(least)), rate_hz, start_s};
}

SensorFeed::SensorFeed(const Sensor& sensor)
    : SensorFeed(sensor, camera_constants(sensor, optical_frame(sensor.name)), image_shape(sensor),
                 make_view(sensor.model).rays_vary) {}

SensorFeed::SensorFeed(const Sensor& sensor, RayPattern::Shape cloud)
    : SensorFeed(sensor, std::nullopt, cloud, false) {}

SensorFeed::SensorFeed(const Sensor& sensor, std::optional<msg::CameraInfo> camera, RayPattern::Shape shape,
                       bool rays_vary)
    : name_(sensor.name),
      rays_vary_(rays_vary),
      camera_(std::move(camera)),
      state_(state_of(sensor, camera_.has_value(), shape)) {
  const ChannelSet more = camera_ ? ChannelSet{Channel::kDepth} : ChannelSet();
  frame_ = Frame(kLiveChannels | more | CloudOptions().fields);
  rays_sent_ = sensor.aligned_to.has_value();  // its pixels have other rays
}

std::vector<LiveTopic> SensorFeed::topics() const {
  std::vector<LiveTopic> topics = {points_topic(name_), cdr_topic(topic("rays"), msg::PointCloud2::kType, true),
                                   statistics_topic(name_)};
  if (!camera_) return topics;
  topics.push_back(cdr_topic(topic("image"), msg::Image::kType));
  topics.push_back(cdr_topic(topic("camera_info"), msg::CameraInfo::kType));
  return topics;
}

bool SensorFeed::wants_rays(const TopicHub& hub) const {
  return hub.is_wanted(topic("rays")) && (rays_vary_ || !rays_sent_);
}

void SensorFeed::publish_rays(const RayPattern& pattern, double stamp_s, TopicHub& hub) {
  hub.publish(topic("rays"), stamp_ns(stamp_s), rays_message(pattern, stamp_s, name_));
  rays_sent_ = true;
}

bool SensorFeed::wants_frame(const TopicHub& hub) {
  const auto wants = [&](const char* of) { return hub.is_wanted(topic(of)); };
  is_rendered_ = wants("points") || wants("statistics") || wants("image") || wants("camera_info");
  return is_rendered_;
}

void SensorFeed::publish_frame(const std::function<void(Frame&)>& render, const NoiseChain& chain, TopicHub& hub) {
  const auto begin = std::chrono::steady_clock::now();
  render(frame_);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  const std::uint64_t time_ns = stamp_ns(frame_.stamp_s());
  if (hub.is_wanted(topic("points"))) hub.publish(topic("points"), time_ns, points_message(frame_, name_));
  if (hub.is_wanted(topic("statistics"))) {
    hub.publish(topic("statistics"), time_ns, statistics(frame_, chain, taken.count()));
  }
  if (camera_) publish_images(hub);
}

void SensorFeed::publish_images(TopicHub& hub) {
  const msg::Image image = depth_image(frame_, optical_frame(name_));
  const std::uint64_t time_ns = msg::nanoseconds(image.header.stamp);
  if (hub.is_wanted(topic("image"))) hub.publish(topic("image"), time_ns, write_message(image));
  camera_->header.stamp = image.header.stamp;
  hub.publish(topic("camera_info"), time_ns, write_message(*camera_));
}

std::filesystem::path save_shown(SaveFolder& out, std::span<const SensorFeed> sensors, std::string_view name) {
  const auto found = std::ranges::find(sensors, name, &SensorFeed::name);
  if (found == sensors.end()) throw InputError(fmt::format("save_frame: there is no sensor '{}'", one_line(name)));
  if (!found->is_rendered()) {
    throw InputError(fmt::format("save_frame: '{}' has no frame: no client subscribes to it", found->name()));
  }
  return out.save(fmt::format("{}_{:06}", found->name(), found->frame().index()), ".pcd",
                  [&](const std::filesystem::path& file) { write_pcd(file, found->frame()); });
}

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

}  // namespace fathom
