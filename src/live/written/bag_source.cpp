// SPDX-License-Identifier: MIT
#include "live/written/bag_source.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "live/written/scan_cloud.hpp"
#include "live/written/shown_cloud.hpp"
#include "message/message.hpp"

namespace fathom {

namespace {

using BagJson = nlohmann::ordered_json;

constexpr std::uint64_t kTransformMemoryNs = 5'000'000'000;  // older transforms are not looked for after a jump
constexpr double kLeastRate = 1.0, kMostRate = 60.0;         // Hz

/// Frames follow one another as the messages of the quickest sensor do.
Timeline timeline_of(const BagContents& contents) {
  Timeline timeline;
  timeline.start_s = 1e-9 * static_cast<double>(contents.first_ns);
  double rate_hz = kLeastRate;
  for (const ShownTopic& topic : contents.topics) {
    const auto span_ns = static_cast<double>(topic.entries.back().time_ns - topic.entries.front().time_ns);
    if (span_ns > 0) rate_hz = std::max(rate_hz, 1e9 * static_cast<double>(topic.entries.size() - 1) / span_ns);
  }
  timeline.rate_hz = std::clamp(std::round(rate_hz * 1000) / 1000, kLeastRate, kMostRate);
  const double span_s = 1e-9 * static_cast<double>(contents.last_ns - contents.first_ns);
  timeline.frames = static_cast<std::uint32_t>(std::min(std::floor(span_s * timeline.rate_hz + 0.5), 4e9)) + 1;
  return timeline;
}

/// The newest entry that is not after `until_ns`.
const BagEntry* newest(std::span<const BagEntry> entries, std::uint64_t until_ns) {
  const auto after = std::upper_bound(entries.begin(), entries.end(), until_ns,
                                      [](std::uint64_t time, const BagEntry& entry) { return time < entry.time_ns; });
  return after == entries.begin() ? nullptr : &*(after - 1);
}

}  // namespace

BagSource::BagSource(std::filesystem::path bag)
    : bag_(std::move(bag)),
      contents_(read_bag_contents(bag_)),
      messages_(bag_),
      timeline_(timeline_of(contents_)),
      error_(contents_.tear) {}

const msg::CameraInfo* BagSource::camera_of(const std::string& frame_id) const {
  const auto camera = contents_.cameras.find(frame_id);
  return camera == contents_.cameras.end() ? nullptr : &camera->second;
}

std::vector<LiveTopic> BagSource::topics() const {
  std::vector<LiveTopic> topics = {cdr_topic("/tf", msg::TFMessage::kType, true),
                                   cdr_topic("/tf_static", msg::TFMessage::kType, true)};
  for (const ShownTopic& topic : contents_.topics) {
    if (topic.type == ShownType::kDepth) topics.push_back(cdr_topic("/" + topic.sensor + "/image", msg::Image::kType));
    if (topic.type == ShownType::kDepth && camera_of(topic.frame_id) == nullptr) continue;
    topics.push_back(points_topic(topic.sensor));
    if (topic.type == ShownType::kCloud) topics.push_back(statistics_topic(topic.sensor));
  }
  return topics;
}

BagJson BagSource::state() const {
  constexpr std::array kKinds = {"cloud", "laser", "camera"};  // [ShownType]
  BagJson sensors = BagJson::array();
  for (const ShownTopic& topic : contents_.topics) {
    sensors.push_back(sensor_state(topic.sensor, kKinds[static_cast<std::size_t>(topic.type)], topic.rows, topic.cols,
                                   topic.frame_id));
  }
  return {{"scene", bag_.string()},
          {"error", error_.empty() ? BagJson() : BagJson(error_)},
          {"sensors", sensors},
          {"entities", BagJson::array()},
          {"can_save", false}};
}

void BagSource::show(std::uint32_t frame, Exchange& exchange) {
  // Messages of this frame may have come a little late.
  const double until_s = timeline_.time_s(frame) + 0.5 / timeline_.rate_hz;
  const auto until_ns = static_cast<std::uint64_t>(std::llround(until_s * 1e9));
  error_ = contents_.tear;
  try {
    show_transforms(until_ns, exchange);
    for (const ShownTopic& topic : contents_.topics) show_topic(topic, frame, until_ns, exchange);
  } catch (const Error& error) {
    error_ = one_line(error.what());
  }
}

/// A message of /tf tells of some frames alone, so those before it count, too.
void BagSource::show_transforms(std::uint64_t until_ns, Exchange& exchange) {
  const auto& entries = contents_.transforms;
  if (!exchange.is_kept("/tf_static"))
    exchange.publish("/tf_static", contents_.first_ns, write_message(contents_.fixed));
  const BagEntry* const last = newest(entries, until_ns);
  if (last == nullptr) return;
  const auto end = static_cast<std::size_t>(last - entries.data()) + 1;
  if (end < next_transform_) moving_.clear(), next_transform_ = 0;
  const std::uint64_t since_ns = until_ns - std::min(until_ns, kTransformMemoryNs);
  for (; next_transform_ < end; ++next_transform_) {
    if (entries[next_transform_].time_ns < since_ns) continue;
    msg::TFMessage message;
    read_message(messages_.at(entries[next_transform_].place), message);
    for (msg::TransformStamped& transform : message.transforms)
      moving_[transform.child_frame_id] = std::move(transform);
  }
  msg::TFMessage all;
  for (const auto& [child, transform] : moving_) all.transforms.push_back(transform);
  exchange.publish("/tf", last->time_ns, write_message(all));
}

void BagSource::show_topic(const ShownTopic& topic, std::uint32_t frame, std::uint64_t until_ns, Exchange& exchange) {
  const std::string prefix = "/" + topic.sensor;
  const auto wants = [&](const char* of) { return exchange.is_wanted(prefix + of); };
  const BagEntry* const entry = newest(topic.entries, until_ns);
  if (entry == nullptr || !(wants("/points") || wants("/statistics") || wants("/image"))) return;
  const std::span<const std::byte> bytes = messages_.at(entry->place);
  CloudMessage cloud;
  if (topic.type == ShownType::kCloud) {
    read_message(bytes, cloud.message);
    name_for_page(cloud.message);
    const bool is_in_sensor_frame = cloud.message.header.frame_id != "world" && cloud.message.header.frame_id != "map";
    exchange.publish(prefix + "/statistics", entry->time_ns,
                     cloud_statistics(cloud.message, frame, timeline_.time_s(frame), is_in_sensor_frame));
  } else if (topic.type == ShownType::kScan) {
    msg::LaserScan scan;
    read_message(bytes, scan);
    cloud = cloud_of_scan(scan);
  } else {
    msg::Image image;
    read_message(bytes, image);
    exchange.publish(prefix + "/image", entry->time_ns, write_message(image));
    const msg::CameraInfo* const camera = camera_of(topic.frame_id);
    if (camera == nullptr) return;
    cloud = cloud_of_depth(image, *camera);
  }
  exchange.publish(prefix + "/points", entry->time_ns, write_message(cloud.message));
}

}  // namespace fathom
