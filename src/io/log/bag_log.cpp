// SPDX-License-Identifier: MIT
#include <cstdint>
#include <map>
#include <string>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/files/log_files.hpp>

#include "core/errors.hpp"
#include "io/bag/read_bag.hpp"
#include "io/log/bag_depth.hpp"
#include "io/log/frame_tree.hpp"
#include "io/log/scan_taker.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"

namespace fathom {

namespace {

/// The result of a first reading of the bag.
struct Survey {
  struct Scans {
    std::uint64_t bytes = 0;  ///< of their messages
    ScanRays rays;
  };
  FrameTree frames;
  std::map<std::string, Scans> scan_topics;
  BagReading reading;
};

class Surveyor {
 public:
  explicit Surveyor(Survey& found) : found_(found) {}

  void take(const BagMessage& message) {
    if (carries(message.topic, msg::LaserScan::kType)) take_scan(message);
    if (carries(message.topic, msg::TFMessage::kType)) take_transforms(message);
  }
  [[nodiscard]] const BagReading& unsound() const { return unsound_; }

 private:
  /// Ignores invalid scans: ScanTaker counts them.
  void take_scan(const BagMessage& message) {
    Survey::Scans& scans = found_.scan_topics[message.topic.name];
    scans.bytes += message.bytes.size();
    try {
      read_message(message.bytes, scan_);
      scans.rays.add(ray_grid(scan_));
    } catch (const InputError&) {
    }
  }
  void take_transforms(const BagMessage& message) {
    const auto leave_out = [&](const std::string& why) { unsound_.add_damage(message.place() + ": " + why); };
    try {
      read_message(message.bytes, transforms_);
    } catch (const InputError& error) {
      return leave_out(error.what());
    }
    std::erase_if(transforms_.transforms, [&](const msg::TransformStamped& transform) {
      const std::string fault = FrameTree::fault_of(transform);
      if (!fault.empty()) leave_out(fault);
      return !fault.empty();
    });
    found_.frames.add(transforms_, message.topic.name.ends_with("tf_static"));
  }

  Survey& found_;
  BagReading unsound_;
  msg::LaserScan scan_;
  msg::TFMessage transforms_;
};

Survey survey(const std::filesystem::path& bag) {
  Survey found;
  Surveyor surveyor(found);
  found.reading = read_bag(bag, [&](const BagMessage& m) { surveyor.take(m); });
  const BagReading& unsound = surveyor.unsound();
  if (unsound.damaged > 0) found.reading.add_damage(unsound.damage, unsound.damaged);
  return found;
}

std::string list_of(const std::map<std::string, Survey::Scans>& topics) {
  std::string text;
  for (const auto& [name, scans] : topics) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

/// Names topics of that name or type that hold no scans: of ROS 1, in another encoding, or without messages.
std::string others_of(const BagReading& reading, const std::string& asked) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t found = 0;
  bool is_ros1 = false;
  for (const BagTopic& topic : reading.topics) {
    is_ros1 = is_ros1 || topic.encoding == "ros1";
    if (asked.empty() ? topic.type.find("LaserScan") == std::string::npos : topic.name != asked) continue;
    if (++found > kMost) continue;
    const bool is_read = carries(topic, msg::LaserScan::kType);
    text += fmt::format("{}{} is {}, {}", found == 1 ? "; " : ", ", printable(topic.name), printable(topic.type, 100),
                        is_read ? "without messages" : fmt::format("encoded as '{}'", printable(topic.encoding, 100)));
  }
  return text + (is_ros1 ? "; rosbags-convert makes a bag of ROS 2 of one of ROS 1" : "");
}

std::string chosen_topic(const Survey& found, const std::string& asked) {
  if (found.scan_topics.empty()) {
    throw InputError("has no topic of sensor_msgs/msg/LaserScan in cdr" + others_of(found.reading, ""));
  }
  if (asked.empty() && found.scan_topics.size() > 1) {
    throw InputError("has several topics of scans, choose one of " + list_of(found.scan_topics));
  }
  if (asked.empty()) return found.scan_topics.begin()->first;
  if (!found.scan_topics.contains(asked)) {
    throw InputError(fmt::format("has no scans on topic '{}', but on {}{}", printable(asked),
                                 list_of(found.scan_topics), others_of(found.reading, asked)));
  }
  return asked;
}

}  // namespace

ScanLog read_bag_log(const std::filesystem::path& bag, const BagLogOptions& options) {
  const std::string name = bag.string();
  Survey found = survey(bag);
  const std::string topic = with_prefix(name, [&] { return chosen_topic(found, options.scan_topic); });
  const Survey::Scans& scans = found.scan_topics.at(topic);
  ScanTaker taker(found.frames, options.map_frame, scans.rays);
  taker.expect_readings(scans.bytes / sizeof(float));
  std::string refusal;  // of the scans' contents, which is not damage of the bag's records
  static_cast<void>(read_bag(bag, [&](const BagMessage& m) {
    if (!refusal.empty() || m.topic.name != topic || !carries(m.topic, msg::LaserScan::kType)) return;
    try {
      taker.take(m);
    } catch (const InputError& error) {
      refusal = error.what();
    }
  }));
  if (refusal.empty()) taker.check_begun();
  return with_prefix(name, [&] {
    if (!refusal.empty()) throw InputError(refusal);
    ScanLog log = taker.finish(topic, found.reading);
    log.name = name;
    return log;
  });
}

}  // namespace fathom
