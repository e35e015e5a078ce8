// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fathom/core/error.hpp>
#include <fathom/files/log_files.hpp>

#include "core/text.hpp"
#include "io/bag/read_bag.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"

namespace fathom {

namespace {

constexpr double kNanosecond = 1e-9;
constexpr std::size_t kMostFrames = 100;

using Frames = std::vector<std::string>;

/// Reads a whole message and takes its frame ids.
template <class Message>
void take_frames(std::span<const std::byte> bytes, Frames& frames) {
  Message message;
  read_message(bytes, message);
  const auto take = [&frames](const std::string& frame) {
    if (frames.size() >= kMostFrames || frame.size() > kMostTopicText) return;
    if (std::find(frames.begin(), frames.end(), frame) == frames.end()) frames.push_back(frame);
  };
  if constexpr (requires { message.header; }) take(message.header.frame_id);
  if constexpr (requires { message.transforms; }) {
    for (const msg::TransformStamped& t : message.transforms) take(t.header.frame_id), take(t.child_frame_id);
  }
}

using TakeFrames = void (*)(std::span<const std::byte> bytes, Frames& frames);

template <class... Message>
TakeFrames reader_among(std::string_view type) {
  TakeFrames found = nullptr;
  static_cast<void>(((type == Message::kType.name ? (found = &take_frames<Message>, true) : false) || ...));
  return found;
}

/// Null for a type that fathom does not know.
TakeFrames reader_of(std::string_view type) {
  return reader_among<msg::CameraInfo, msg::Clock, msg::CompressedImage, msg::Image, msg::LaserScan, msg::OccupancyGrid,
                      msg::Odometry, msg::PointCloud2, msg::PoseWithCovarianceStamped, msg::TFMessage>(type);
}

BagInfo::Topic info_of(const BagTopic& topic) {
  const bool is_known = topic.encoding == "cdr" && reader_of(topic.type) != nullptr;
  return {.name = topic.name, .type = topic.type, .encoding = topic.encoding, .is_known = is_known};
}

void count(const BagMessage& message, BagInfo::Topic& topic) {
  const double time_s = static_cast<double>(message.time_ns) * kNanosecond;
  if (topic.messages++ == 0) topic.first_s = topic.last_s = time_s;
  topic.first_s = std::min(topic.first_s, time_s), topic.last_s = std::max(topic.last_s, time_s);
  if (!topic.is_known) return;
  try {
    reader_of(topic.type)(message.bytes, topic.frames);
  } catch (const InputError& error) {
    if (topic.damaged++ == 0) topic.damage = message.file.string() + ": " + one_line(error.what());
  }
}

}  // namespace

BagInfo read_bag_info(const std::filesystem::path& bag) {
  BagInfo info;
  info.format = bag_format(bag);
  std::map<BagTopic, BagInfo::Topic> topics;
  const BagReading reading = read_bag(bag, [&](const BagMessage& m) {
    auto topic = topics.find(m.topic);
    if (topic == topics.end()) topic = topics.emplace(m.topic, info_of(m.topic)).first;
    count(m, topic->second);
  });
  for (const BagTopic& topic : reading.topics) topics.try_emplace(topic, info_of(topic));
  info.tear = reading.tear, info.damaged = reading.damaged, info.damage = reading.damage;
  for (auto& [key, topic] : topics) {
    if (topic.messages > 0) {
      info.first_s = info.messages == 0 ? topic.first_s : std::min(info.first_s, topic.first_s);
      info.last_s = std::max(info.last_s, topic.last_s);
    }
    info.messages += topic.messages;
    info.topics.push_back(std::move(topic));
  }
  return info;
}

}  // namespace fathom
