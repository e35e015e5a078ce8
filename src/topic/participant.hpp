// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fathom/topic/domain.hpp>

#include "message/message_type.hpp"

namespace fathom {

/// How messages of a topic travel; as it stands here, the default of ROS 2.
struct TopicQuality {
  bool is_reliable = true;  ///< lost messages are sent again
  bool is_latched = false;  ///< who comes late gets the last ones (TRANSIENT_LOCAL)
  std::int32_t depth = 10;  ///< messages that wait for a slow reader; older ones give way (KEEP_LAST)
};
inline constexpr TopicQuality kSensorDataQuality = {false, false, 5};
inline constexpr TopicQuality kStaticTfQuality = {true, true, 1};
inline constexpr TopicQuality kClockQuality = {false, false, 1};

/// A participant of a DDS domain that writes topics of ROS 2 as serialised messages. A writer never waits for a reader.
/// All functions throw SystemError naming what the library refused. Not for several threads at a time.
class Participant {
 public:
  /// Throws InputError for a domain or an interface that cannot be, where this process has a participant of the domain
  /// already, and in a build without DDS.
  explicit Participant(const TopicDomain& domain);
  ~Participant();
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  /// The number to write by. Throws InputError for more than 65 535 writers.
  std::uint16_t add_writer(std::string_view topic, const MessageType& type, const TopicQuality& quality);
  void write(std::uint16_t writer, std::string cdr);
  /// How many readers the writer has found.
  [[nodiscard]] std::size_t readers(std::uint16_t writer) const;
  /// Waits until every reliable reader has all, at most `seconds`; whether they have.
  bool flush(double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom
