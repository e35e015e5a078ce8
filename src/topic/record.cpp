// SPDX-License-Identifier: MIT
#include <fathom/topic/record.hpp>

#include <algorithm>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>

#include "bag/check_bag_file.hpp"
#include "bag/mcap_writer.hpp"
#include "topic/participant.hpp"
#include "topic/topic_names.hpp"

namespace fathom {

namespace {

using RecordClock = std::chrono::steady_clock;

constexpr std::int32_t kRecordDepth = 100;  // messages of a topic that wait while the bag is written
constexpr double kLookAgainS = 0.05;        // for new topics, and whether to stop
constexpr double kReportS = 0.2;

std::uint64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

class Recorder {
 public:
  explicit Recorder(const RecordOptions& options)
      : options_(options), participant_(options.domain), bag_((check(options), options.bag)) {
    for (const std::string& topic : options.topics) wanted_.push_back(topic.starts_with('/') ? topic : "/" + topic);
  }

  RecordResult run() {
    const RecordClock::time_point begin = RecordClock::now();
    double report_s = 0;
    for (;;) {
      for (const RemoteWriter& writer : participant_.new_writers()) subscribe(writer);
      participant_.take(kLookAgainS);
      const double at_s = std::chrono::duration<double>(RecordClock::now() - begin).count();
      if (is_done() || at_s >= options_.seconds.value_or(at_s + 1)) break;
      if (options_.should_stop && options_.should_stop()) break;
      if (!options_.on_progress || at_s < report_s) continue;
      options_.on_progress(result_);
      report_s = at_s + kReportS;
    }
    bag_.commit();
    for (const std::string& topic : wanted_) {
      if (!has(topic) && !is_refused(topic)) {
        result_.warnings.push_back(topic + ": nobody published it");
      }
    }
    return result_;
  }

 private:
  static void check(const RecordOptions& options) {
    if (options.bag.empty()) throw InputError("record: a bag has to be named");
    if (options.seconds && !(*options.seconds > 0)) throw InputError("record: seconds must be above 0");
    check_bag_file(options.bag, {}, options.force);
  }

  [[nodiscard]] bool has(std::string_view topic) const {
    return std::any_of(result_.topics.begin(), result_.topics.end(),
                       [&](const RecordedTopic& known) { return known.name == topic; });
  }
  [[nodiscard]] bool is_refused(std::string_view topic) const {
    return std::find(refused_.begin(), refused_.end(), topic) != refused_.end();
  }
  [[nodiscard]] bool is_done() const { return result_.messages >= options_.messages.value_or(result_.messages + 1); }

  void subscribe(const RemoteWriter& writer) {
    const bool is_wanted = std::find(wanted_.begin(), wanted_.end(), writer.topic) != wanted_.end();
    if (has(writer.topic) || is_refused(writer.topic) || !(is_wanted || wanted_.empty())) return;
    const MessageType* const type = find_message_type(writer.type);
    if (type == nullptr) {
      refused_.push_back(writer.topic);
      if (is_wanted) {
        result_.warnings.push_back(fmt::format("{}: is of type {}, which fathom does not know", printable(writer.topic),
                                               printable(writer.type)));
      }
      return;
    }
    const std::size_t place = result_.topics.size();
    const std::uint16_t number = bag_.add_topic(writer.topic, *type);
    result_.topics.push_back({writer.topic, std::string(type->name)});
    TopicQuality quality = writer.quality;
    quality.depth = kRecordDepth;
    participant_.add_reader(writer.topic, *type, quality, [this, place, number](std::span<const std::byte> cdr) {
      if (is_done()) return;
      bag_.write(number, now_ns(), {reinterpret_cast<const char*>(cdr.data()), cdr.size()});
      ++result_.topics[place].messages, ++result_.messages;
      result_.topics[place].bytes += cdr.size(), result_.bytes += cdr.size();
    });
  }

  const RecordOptions& options_;
  Participant participant_;
  McapWriter bag_;
  std::vector<std::string> wanted_, refused_;
  RecordResult result_;
};

}  // namespace

RecordResult record_topics(const RecordOptions& options) { return Recorder(options).run(); }

}  // namespace fathom
