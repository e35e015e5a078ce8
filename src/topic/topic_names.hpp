// SPDX-License-Identifier: MIT
#pragma once
// How ROS 2 calls in DDS what it calls otherwise itself.

#include <optional>
#include <string>
#include <string_view>

#include "message/message_type.hpp"

namespace fathom {

/// "rt/scan" of "/scan".
std::string dds_topic_name(std::string_view topic);
/// "/scan" of "rt/scan"; nothing of what is no topic of ROS 2, as services and the traffic of ROS 2 itself.
std::optional<std::string> ros_topic_name(std::string_view dds_name);

/// "sensor_msgs::msg::dds_::LaserScan_" of "sensor_msgs/msg/LaserScan", and the other way round: nothing of what is no
/// message of ROS 2.
std::string dds_type_name(std::string_view type);
std::optional<std::string> ros_type_name(std::string_view dds_name);

/// "typehash=RIHS01_...;", which endpoints carry as USER_DATA since Iron (REP 2016).
std::string user_data_of(const MessageType& type);

/// The type of this name that fathom reads; null: none.
const MessageType* find_message_type(std::string_view type);

}  // namespace fathom
