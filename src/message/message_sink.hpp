// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "message/message_type.hpp"

namespace fathom {

/// Where messages go: into a bag, or to topics of ROS 2.
class MessageSink {
 public:
  MessageSink() = default;
  MessageSink(const MessageSink&) = delete;
  MessageSink& operator=(const MessageSink&) = delete;
  virtual ~MessageSink() = default;

  /// A topic ("/scan") and what its messages are; the number to write them by.
  virtual std::uint16_t add_topic(std::string_view topic, const MessageType& type) = 0;
  /// `bytes` are a message in CDR, with its header; `time_ns` is its stamp.
  virtual void write(std::uint16_t topic, std::uint64_t time_ns, std::string bytes) = 0;
};

}  // namespace fathom
