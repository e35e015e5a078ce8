// SPDX-License-Identifier: MIT
#include <fathom/beam/live_scans.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>

#include "log/frame_tree.hpp"
#include "log/scan_taker.hpp"
#include "message/laser_scan.hpp"
#include "message/message.hpp"
#include "message/tf_message.hpp"
#include "topic/participant.hpp"

namespace fathom {

namespace {

using LiveClock = std::chrono::steady_clock;

constexpr double kKeptS = 10.0;       // how long transforms are of use
constexpr double kPatienceS = 1.0;    // for the transforms of a scan
constexpr double kLookAgainS = 0.02;  // for new topics, and whether to stop
constexpr std::size_t kMostTransforms = 20'000, kMostStatic = 1000, kMostWaiting = 100;
constexpr TopicQuality kLatched = {true, true, 100};
constexpr std::int32_t kDepth = 100;

class LiveScans {
 public:
  LiveScans(const LiveScanOptions& options, const std::function<void(const ScanLog&)>& on_scan)
      : options_(options), on_scan_(on_scan), participant_(options.domain) {
    if (options.seconds && !(*options.seconds > 0)) throw InputError("seconds must be above 0");
    if (!topic_.empty() && !topic_.starts_with('/')) topic_.insert(0, "/");
    // Whoever publishes transforms later is heard, too: a reader hears all writers of its topic.
    participant_.add_reader("/tf_static", msg::TFMessage::kType, kLatched,
                            [this](std::span<const std::byte> cdr) { keep_static(cdr); });
    participant_.add_reader("/tf", msg::TFMessage::kType, {.depth = kDepth},
                            [this](std::span<const std::byte> cdr) { keep(cdr); });
  }

  LiveScanResult run() {
    while (!is_done()) {
      for (const RemoteWriter& writer : participant_.new_writers()) subscribe(writer);
      participant_.take(kLookAgainS);
      forget();
      hand_over();
    }
    return result_;
  }

 private:
  struct Waiting {
    double came_s;
    msg::LaserScan scan;
  };

  [[nodiscard]] double now_s() const { return std::chrono::duration<double>(LiveClock::now() - begin_).count(); }
  [[nodiscard]] bool is_done() const {
    return (options_.scans && result_.scans >= *options_.scans) || (options_.seconds && now_s() >= *options_.seconds) ||
           (options_.should_stop && options_.should_stop());
  }

  void leave_out(std::string reason) {
    ++result_.left_out;
    result_.reason = std::move(reason);
  }

  void subscribe(const RemoteWriter& writer) {
    if (subscribed_ || writer.type != msg::LaserScan::kType.name) return;
    if (!topic_.empty() && writer.topic != topic_) return;
    subscribed_ = true;
    topic_ = writer.topic;
    TopicQuality quality = writer.quality;
    quality.depth = kDepth;
    participant_.add_reader(topic_, msg::LaserScan::kType, quality, [this](std::span<const std::byte> cdr) {
      Waiting next = {now_s(), {}};
      if (!read(cdr, next.scan)) return;
      if (waiting_.size() >= kMostWaiting) {
        waiting_.pop_front();
        leave_out("scans come faster than they are dealt with");
      }
      waiting_.push_back(std::move(next));
    });
  }

  /// Whether it is a message of its type.
  template <class Message>
  bool read(std::span<const std::byte> cdr, Message& message) {
    try {
      read_message(cdr, message);
      return true;
    } catch (const InputError& error) {
      leave_out(error.what());
      return false;
    }
  }

  void keep(std::span<const std::byte> cdr) {
    msg::TFMessage message;
    if (!read(cdr, message)) return;
    kept_ += message.transforms.size();
    moving_.emplace_back(now_s(), std::move(message));
  }

  void keep_static(std::span<const std::byte> cdr) {
    msg::TFMessage message;
    if (!read(cdr, message)) return;
    for (const auto& transform : message.transforms) {
      if (fixed_.size() >= kMostStatic && !fixed_.contains(transform.child_frame_id)) continue;
      fixed_[transform.child_frame_id].transforms = {transform};
    }
  }

  void forget() {
    while (!moving_.empty() && (moving_.front().first < now_s() - kKeptS || kept_ > kMostTransforms)) {
      kept_ -= moving_.front().second.transforms.size();
      moving_.pop_front();
    }
  }

  [[nodiscard]] FrameTree frames() const {
    FrameTree frames;
    for (const auto& [child, message] : fixed_) frames.add(message, true);
    for (const auto& [came_s, message] : moving_) frames.add(message, false);
    return frames;
  }

  /// A log of one scan; nothing, and `why`, as long as it cannot be placed.
  std::optional<ScanLog> placed(const msg::LaserScan& scan, std::string& why) const {
    try {
      FrameTree tree = frames();
      ScanTaker taker(tree, options_.map_frame);
      taker.take(scan);
      return taker.finish(topic_, "");
    } catch (const InputError& error) {
      why = error.what();
      return std::nullopt;
    }
  }

  void hand_over() {
    while (!waiting_.empty() && !is_done()) {
      std::string why;
      std::optional<ScanLog> log = placed(waiting_.front().scan, why);
      const bool is_over = now_s() >= waiting_.front().came_s + kPatienceS;
      if (!log && !is_over) return;
      waiting_.pop_front();
      if (log) {
        log->name = topic_;
        ++result_.scans;
        on_scan_(*log);
      } else {
        leave_out(why);
      }
    }
  }

  const LiveScanOptions& options_;
  const std::function<void(const ScanLog&)>& on_scan_;
  LiveClock::time_point begin_ = LiveClock::now();
  Participant participant_;
  std::string topic_ = options_.scan_topic;
  bool subscribed_ = false;
  std::deque<Waiting> waiting_;
  std::deque<std::pair<double, msg::TFMessage>> moving_;  ///< with the time at which each came
  std::size_t kept_ = 0;                                  ///< transforms in it
  std::map<std::string, msg::TFMessage> fixed_;           ///< by the child
  LiveScanResult result_;
};

}  // namespace

LiveScanResult follow_scans(const LiveScanOptions& options, const std::function<void(const ScanLog&)>& on_scan) {
  return LiveScans(options, on_scan).run();
}

}  // namespace fathom
