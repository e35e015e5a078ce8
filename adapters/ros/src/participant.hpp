// SPDX-License-Identifier: MIT
#pragma once
// Topics of ROS 2 in DDS: their names there, and writers and readers for them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fathom/ros/publish.hpp>

#include "io/message/message_type.hpp"

namespace fathom {

/// "rt/scan" of "/scan".
inline std::string dds_topic_name(std::string_view topic) {
  return std::string("rt/").append(topic.substr(topic.starts_with('/') ? 1 : 0));
}

/// "sensor_msgs::msg::dds_::LaserScan_" of "sensor_msgs/msg/LaserScan".
inline std::string dds_type_name(std::string_view type) {
  constexpr std::string_view kFolder = "/msg/";
  const std::size_t at = type.find(kFolder);
  return std::string(type.substr(0, at)).append("::msg::dds_::").append(type.substr(at + kFolder.size())).append("_");
}

/// "typehash=RIHS01_...;", the USER_DATA of endpoints since Iron (REP 2016).
inline std::string user_data_of(const MessageType& type) {
  return std::string("typehash=").append(type.hash).append(";");
}

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
  virtual ~Participant() = default;

  /// Returns the number of the writer for write(). Throws InputError for more than 65 535 writers.
  virtual std::uint16_t add_writer(std::string_view topic, const MessageType& type, const TopicQuality& quality) = 0;
  virtual void write(std::uint16_t writer, std::string cdr) = 0;
  /// The number of readers that the writer has found.
  [[nodiscard]] virtual std::size_t readers(std::uint16_t writer) const = 0;
  /// Waits at most `seconds` until every reliable reader has all messages; returns whether they do.
  virtual bool flush(double seconds) = 0;

  /// Returns the number of the reader for take(). It keeps the last messages of reliable writers. If it finds a writer
  /// that is best effort, it becomes best effort, too.
  virtual std::uint16_t add_reader(std::string_view topic, const MessageType& type) = 0;
  /// The oldest message that was not taken yet, CDR with its header; or nothing.
  virtual std::optional<std::string> take(std::uint16_t reader) = 0;
  /// Waits at most `seconds` for a message of any reader.
  virtual void wait(double seconds) = 0;
};

/// Throws InputError for an invalid domain or interface, a second participant of a domain in this process, in a build
/// without DDS, and if the module (core/text/module.hpp) cannot be loaded. Cyclone DDS makes programs start 12 ms
/// later, so only a process that uses topics loads it.
std::unique_ptr<Participant> open_participant(const TopicDomain& domain);

/// The function of the module, and its name there.
using OpenParticipant = void(const TopicDomain& domain, std::unique_ptr<Participant>& opened);
inline constexpr const char* kOpenParticipant = "fathom_open_participant";

}  // namespace fathom
