// SPDX-License-Identifier: MIT
#pragma once
// What ROS 2 knows about a type of message.

#include <span>
#include <string>
#include <string_view>

namespace fathom {

struct MessageType {
  std::string_view name;        ///< "sensor_msgs/msg/LaserScan"
  std::string_view definition;  ///< its fields, a line each, as a .msg file has them
  std::string_view hash;        ///< "RIHS01_" and 64 hex digits (REP 2016); empty: of a part that is never sent alone
  std::span<const MessageType* const> parts;  ///< types of its fields that are messages themselves
};

/// The definition, and those of all types in it, each once: the text of a schema of encoding `ros2msg`.
std::string schema_text(const MessageType& type);

/// Every type that fathom writes; it reads these and CompressedImage.
std::span<const MessageType* const> message_types();

}  // namespace fathom
