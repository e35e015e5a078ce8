// SPDX-License-Identifier: MIT
#include <fathom/beam/bag_log.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/beam/scan_source.hpp>

#include "bag/read_bag.hpp"
#include "base/with_prefix.hpp"
#include "log/frame_tree.hpp"
#include "log/scan_taker.hpp"
#include "message/laser_scan.hpp"
#include "message/message.hpp"
#include "message/tf_message.hpp"

namespace fathom {

namespace {

bool is_of(const BagMessage& message, const MessageType& type) {
  return message.topic.type == type.name && message.topic.encoding == "cdr";
}

/// What a first reading of the bag finds.
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
    if (is_of(message, msg::LaserScan::kType)) take_scan(message);
    if (is_of(message, msg::TFMessage::kType)) take_transforms(message);
  }
  [[nodiscard]] const BagReading& unsound() const { return unsound_; }

 private:
  /// A scan that is not sound is counted when it is taken.
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
    const auto leave_out = [&](const std::string& why) { unsound_.add_damage(message.topic.name + ": " + why); };
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

/// `on_scan`: gets each scan of any topic, too.
Survey survey(const std::filesystem::path& bag, const OnBagMessage& on_scan = {}) {
  Survey found;
  Surveyor surveyor(found);
  found.reading = read_bag(bag, [&](const BagMessage& m) {
    surveyor.take(m);
    if (on_scan && is_of(m, msg::LaserScan::kType)) on_scan(m);
  });
  const BagReading& unsound = surveyor.unsound();
  if (unsound.damaged > 0) found.reading.add_damage(unsound.damage, unsound.damaged);
  return found;
}

std::string list_of(const std::map<std::string, Survey::Scans>& topics) {
  std::string text;
  for (const auto& [name, scans] : topics) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

/// The topics of that name or type that hold no scans: of ROS 1 or another encoding, or without messages.
std::string others_of(const BagReading& reading, const std::string& asked) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t found = 0;
  bool is_ros1 = false;
  for (const BagTopic& topic : reading.topics) {
    is_ros1 = is_ros1 || topic.encoding == "ros1";
    if (asked.empty() ? topic.type.find("LaserScan") == std::string::npos : topic.name != asked) continue;
    if (++found > kMost) continue;
    const bool is_read = topic.type == msg::LaserScan::kType.name && topic.encoding == "cdr";
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

class BagScans : public ScanSource {
 public:
  BagScans(const std::filesystem::path& bag, const BagLogOptions& options) : map_frame_(options.map_frame), in_(bag) {
    name = bag_ = bag.string();
    std::map<std::string, std::vector<BagPlace>> places;
    survey_ = survey(bag, [&](const BagMessage& m) { places[m.topic.name].push_back(m.place); });
    topic_ = with_prefix(bag_, [&] { return chosen_topic(survey_, options.scan_topic); });
    places_ = std::move(places.at(topic_));
    BagScans::rewind();
  }

  void rewind() override {
    taker_.emplace(survey_.frames, map_frame_, survey_.scan_topics.at(topic_).rays);
    at_ = 0;
  }
  bool next(ScanLog& log) override {
    if (advance()) {
      taker_->move_to(log);
      return true;
    }
    log.notes = with_prefix(bag_, [&] { return taker_->finish(topic_, survey_.reading); }).notes;
    return false;
  }
  bool skip() override {
    const bool found = advance();
    taker_->drop();
    return found;
  }

 private:
  /// Takes scans until one stays.
  bool advance() {
    const std::size_t before = taker_->scans();
    while (at_ < places_.size() && taker_->scans() == before) {
      with_prefix(bag_, [&] { taker_->take(in_.at(places_[at_++])); });
    }
    return taker_->scans() > before;
  }

  std::string bag_, map_frame_, topic_;
  Survey survey_;
  BagMessages in_;
  std::vector<BagPlace> places_;  // of the scans
  std::size_t at_ = 0;
  std::optional<ScanTaker> taker_;
};

}  // namespace

std::unique_ptr<ScanSource> open_bag_log(const std::filesystem::path& bag, const BagLogOptions& options) {
  return std::make_unique<BagScans>(bag, options);
}

ScanLog read_bag_log(const std::filesystem::path& bag, const BagLogOptions& options) {
  const std::string name = bag.string();
  Survey found = survey(bag);
  const std::string topic = with_prefix(name, [&] { return chosen_topic(found, options.scan_topic); });
  const Survey::Scans& scans = found.scan_topics.at(topic);
  ScanTaker taker(found.frames, options.map_frame, scans.rays);
  taker.expect_readings(scans.bytes / sizeof(float));
  std::string refusal;  // of what the scans say, which is no fault of the record that they stand in
  static_cast<void>(read_bag(bag, [&](const BagMessage& m) {
    if (!refusal.empty() || m.topic.name != topic || !is_of(m, msg::LaserScan::kType)) return;
    try {
      taker.take(m.bytes);
    } catch (const InputError& error) {
      refusal = error.what();
    }
  }));
  return with_prefix(name, [&] {
    if (!refusal.empty()) throw InputError(refusal);
    ScanLog log = taker.finish(topic, found.reading);
    log.name = name;
    return log;
  });
}

}  // namespace fathom
