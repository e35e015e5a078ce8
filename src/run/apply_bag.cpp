// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/simulate/apply.hpp>

#include "core/errors.hpp"
#include "io/bag/mcap_writer.hpp"
#include "io/bag/read_bag.hpp"
#include "io/message/sensors.hpp"
#include "run/message_noise.hpp"

namespace fathom {

namespace {

/// A bag, and the noise for one of its topics.
class BagNoise {
 public:
  BagNoise(const Sensor& sensor, std::filesystem::path bag, const ApplyBagOptions& options)
      : bag_(std::move(bag)), options_(options), noise_(sensor, options) {}

  ApplyBagResult write(const std::filesystem::path& out) {
    look();
    McapWriter writer(out);
    const BagReading reading = read_bag(bag_, [&](const BagMessage& message) { copy(message, writer); });
    for (const BagTopic& topic : reading.topics) static_cast<void>(number_of(topic, writer));
    writer.commit();
    result_.notes = reading.notes();
    return std::move(result_);
  }

 private:
  void stop_if_asked() const {
    if (!options_.noise.should_stop || !options_.noise.should_stop()) return;
    throw Interrupted("stopped; nothing was written");
  }

  /// Counts the messages and finds the first CameraInfo, which may come behind the first image.
  void look() {
    const std::string info = noise_.info_topic();
    const BagReading reading = read_bag(bag_, [&](const BagMessage& message) {
      stop_if_asked();
      if (message.topic.name == options_.topic) ++messages_;
      if (message.topic.name != info || !carries(message.topic, msg::CameraInfo::kType)) return;
      if (!has_camera_) with_prefix(printable(info), [&] { noise_.set_camera(message.bytes); });
      has_camera_ = true;
    });
    const auto topic = std::ranges::find(reading.topics, options_.topic, &BagTopic::name);
    if (topic == reading.topics.end()) fail_topic(reading.topics);
    if (!MessageNoise::takes(topic->type) || topic->encoding != "cdr") {
      throw InputError(fmt::format("{}: {} has messages {} ({}); Image, LaserScan and PointCloud2 as cdr get noise",
                                   bag_.string(), printable(options_.topic), printable(topic->type),
                                   printable(topic->encoding)));
    }
    noisy_ = *topic;
    if (messages_ == 0) {
      throw InputError(fmt::format("{}: {} has no messages", bag_.string(), printable(options_.topic)));
    }
    if (noise_.lacks_camera(topic->type)) {
      throw InputError(fmt::format("{}: has no CameraInfo on {}", bag_.string(), printable(info)), Hint{"camera_info"});
    }
  }

  [[noreturn]] void fail_topic(const std::set<BagTopic>& topics) const {
    std::vector<std::string_view> names;
    names.reserve(topics.size());
    for (const BagTopic& topic : topics) names.push_back(topic.name);
    const std::string_view likely = likely_name(options_.topic, names);
    throw InputError(fmt::format("{}: has no topic '{}'{}{}", bag_.string(), printable(options_.topic),
                                 likely.empty() ? "" : "; nearest: ", printable(likely)));
  }

  std::uint16_t number_of(const BagTopic& topic, McapWriter& writer) {
    const auto known = numbers_.find(topic);
    return known != numbers_.end() ? known->second : numbers_.emplace(topic, writer.add_topic(topic)).first->second;
  }

  void copy(const BagMessage& message, McapWriter& writer) {
    stop_if_asked();
    const std::uint16_t number = number_of(message.topic, writer);
    const McapWriter::Stamp stamp = {message.time_ns, message.published_ns, message.sequence};
    if (message.topic.name == options_.topic) {
      if (message.topic != noisy_) throw InputError(printable(options_.topic) + ": has messages of several types");
      return writer.write(number, stamp, noisy(message));
    }
    if (has_camera_ && message.topic.name == noise_.info_topic()) check_camera(message);
    ++result_.copied;
    writer.write(number, stamp, {reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size()});
  }

  std::string noisy(const BagMessage& message) {
    const auto index = static_cast<std::uint32_t>(result_.noisy);
    std::string bytes = with_prefix(fmt::format("{}: message {}", printable(options_.topic), index),
                                    [&] { return noise_.apply(message.topic.type, index, message.bytes); });
    ++result_.noisy;
    if (options_.on_progress) {
      options_.on_progress(static_cast<double>(result_.noisy) / static_cast<double>(messages_));
    }
    return bytes;
  }

  /// A camera that zooms would need the intrinsics of each image.
  void check_camera(const BagMessage& message) {
    if (!carries(message.topic, msg::CameraInfo::kType)) return;
    const std::string name = printable(message.topic.name);
    if (!with_prefix(name, [&] { return noise_.set_camera(message.bytes); })) return;
    throw InputError(name + ": the intrinsics change within the bag");
  }

  std::filesystem::path bag_;
  const ApplyBagOptions& options_;
  MessageNoise noise_;
  bool has_camera_ = false;
  BagTopic noisy_;              // gets noise
  std::uint64_t messages_ = 0;  // of the topic
  std::map<BagTopic, std::uint16_t> numbers_;
  ApplyBagResult result_;
};

}  // namespace

ApplyBagResult apply_to_bag(const Sensor& sensor, const std::filesystem::path& bag, const std::filesystem::path& out,
                            const ApplyBagOptions& options) {
  if (out.extension() != ".mcap") {
    throw InputError(out.string() + ": bags are written as MCAP; the name ends in .mcap");
  }
  check_bag_file(out, bag_files(bag), options.force);
  return BagNoise(sensor, bag, options).write(out);
}

}  // namespace fathom
