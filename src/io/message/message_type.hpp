// SPDX-License-Identifier: MIT
#pragma once
// Types of messages of ROS 2, and their receivers.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

struct MessageType {
  std::string_view name;                      ///< "sensor_msgs/msg/LaserScan"
  std::string_view definition;                ///< a line for each field, as in a .msg file
  std::string_view hash;                      ///< "RIHS01_" and 64 hex digits (REP 2016); empty for a part of messages
  std::span<const MessageType* const> parts;  ///< types of fields that are messages
};

/// The text of a schema of encoding `ros2msg`: the definitions of the type and of all its parts, each once.
std::string schema_text(const MessageType& type);

/// The types that fathom writes; it reads these and CompressedImage.
std::span<const MessageType* const> message_types();

/// A bag, or the topics of ROS 2.
class MessageSink {
 public:
  MessageSink() = default;
  MessageSink(const MessageSink&) = delete;
  MessageSink& operator=(const MessageSink&) = delete;
  virtual ~MessageSink() = default;

  /// Adds a topic ("/scan") of this type; returns its number for write().
  virtual std::uint16_t add_topic(std::string_view topic, const MessageType& type) = 0;
  /// `bytes` are a message in CDR with its header, `time_ns` its stamp.
  virtual void write(std::uint16_t topic, std::uint64_t time_ns, std::string bytes) = 0;
};

}  // namespace fathom
