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

/// What a first reading of the bag finds: transforms, and topics of scans.
struct Survey {
  FrameTree frames;
  std::map<std::string, std::uint64_t> scan_topics;  // with the bytes of their messages
  std::string tear;
};

/// `on_scan`: gets each scan of any topic, too.
Survey survey(const std::filesystem::path& bag, const OnBagMessage& on_scan = {}) {
  Survey found;
  msg::TFMessage transforms;
  found.tear = read_bag(bag, [&](const BagMessage& m) {
    if (is_of(m, msg::LaserScan::kType)) {
      found.scan_topics[m.topic.name] += m.bytes.size();
      if (on_scan) on_scan(m);
    }
    if (!is_of(m, msg::TFMessage::kType)) return;
    read_message(m.bytes, transforms);
    found.frames.add(transforms, m.topic.name.ends_with("tf_static"));
  });
  return found;
}

std::string list_of(const std::map<std::string, std::uint64_t>& topics) {
  std::string text;
  for (const auto& [name, bytes] : topics) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

std::string chosen_topic(const Survey& found, const std::string& asked) {
  if (found.scan_topics.empty()) throw InputError("has no topic of sensor_msgs/msg/LaserScan");
  if (asked.empty() && found.scan_topics.size() > 1) {
    throw InputError("has several topics of scans, choose one of " + list_of(found.scan_topics));
  }
  if (asked.empty()) return found.scan_topics.begin()->first;
  if (!found.scan_topics.contains(asked)) {
    throw InputError(
        fmt::format("has no scans on topic '{}', but on {}", printable(asked), list_of(found.scan_topics)));
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
    taker_.emplace(survey_.frames, map_frame_);
    at_ = 0;
  }
  bool next(ScanLog& log) override {
    if (advance()) {
      taker_->move_to(log);
      return true;
    }
    log.notes = with_prefix(bag_, [&] { return taker_->finish(topic_, survey_.tear); }).notes;
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
      with_prefix(bag_, [&] {
        read_message(in_.at(places_[at_++]), scan_);
        taker_->take(scan_);
      });
    }
    return taker_->scans() > before;
  }

  std::string bag_, map_frame_, topic_;
  Survey survey_;
  BagMessages in_;
  std::vector<BagPlace> places_;  // of the scans
  std::size_t at_ = 0;
  std::optional<ScanTaker> taker_;
  msg::LaserScan scan_;
};

}  // namespace

std::unique_ptr<ScanSource> open_bag_log(const std::filesystem::path& bag, const BagLogOptions& options) {
  return std::make_unique<BagScans>(bag, options);
}

ScanLog read_bag_log(const std::filesystem::path& bag, const BagLogOptions& options) {
  const std::string name = bag.string();
  Survey found = survey(bag);
  const std::string topic = with_prefix(name, [&] { return chosen_topic(found, options.scan_topic); });
  ScanTaker taker(found.frames, options.map_frame);
  taker.expect_readings(found.scan_topics.at(topic) / sizeof(float));
  msg::LaserScan scan;
  std::string refusal;  // of what the scans say, which is no fault of the record that they stand in
  static_cast<void>(read_bag(bag, [&](const BagMessage& m) {
    if (!refusal.empty() || m.topic.name != topic || !is_of(m, msg::LaserScan::kType)) return;
    read_message(m.bytes, scan);
    try {
      taker.take(scan);
    } catch (const InputError& error) {
      refusal = error.what();
    }
  }));
  return with_prefix(name, [&] {
    if (!refusal.empty()) throw InputError(refusal);
    ScanLog log = taker.finish(topic, found.tear);
    log.name = name;
    return log;
  });
}

}  // namespace fathom
