// SPDX-License-Identifier: MIT
#pragma once
// Topics of ROS 2 in DDS: their names there, and writers and readers for them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fathom/ros/domain.hpp>

#include "io/message/message_type.hpp"

namespace fathom {

/// "rt/scan" of "/scan".
std::string dds_topic_name(std::string_view topic);

/// "sensor_msgs::msg::dds_::LaserScan_" of "sensor_msgs/msg/LaserScan".
std::string dds_type_name(std::string_view type);

/// "typehash=RIHS01_...;", the USER_DATA of endpoints since Iron (REP 2016).
std::string user_data_of(const MessageType& type);

/// Quality of service of a topic; initially the default of ROS 2.
struct TopicQuality {
  bool is_reliable = true;  ///< lost messages are sent again
  bool is_latched = false;  ///< late readers get the last messages (TRANSIENT_LOCAL)
  std::int32_t depth = 10;  ///< messages kept for a slow reader (KEEP_LAST)
};
inline constexpr TopicQuality kSensorDataQuality = {false, false, 5};
inline constexpr TopicQuality kStaticTfQuality = {true, true, 1};
inline constexpr TopicQuality kClockQuality = {false, false, 1};

/// A participant of a DDS domain that writes and reads topics of ROS 2 as serialised messages. A writer never waits for
/// a reader. Functions throw SystemError with the reason of the library. Not thread-safe.
class Participant {
 public:
  /// Throws InputError for an invalid domain or interface, a second participant of a domain in this process, and in a
  /// build without DDS.
  explicit Participant(const TopicDomain& domain);
  ~Participant();
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  /// Returns the number of the writer for write(). Throws InputError for more than 65 535 writers.
  std::uint16_t add_writer(std::string_view topic, const MessageType& type, const TopicQuality& quality);
  void write(std::uint16_t writer, std::string cdr);
  /// The number of readers that the writer has found.
  [[nodiscard]] std::size_t readers(std::uint16_t writer) const;
  /// Waits at most `seconds` until every reliable reader has all messages; returns whether they do.
  bool flush(double seconds);

  /// Returns the number of the reader for take(). It keeps the last messages of reliable writers. If it finds a writer
  /// that is best effort, it becomes best effort, too.
  std::uint16_t add_reader(std::string_view topic, const MessageType& type);
  /// The oldest message that was not taken yet, CDR with its header; or nothing.
  std::optional<std::string> take(std::uint16_t reader);
  /// Waits at most `seconds` for a message of any reader.
  void wait(double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom
