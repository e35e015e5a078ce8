// SPDX-License-Identifier: MIT
#pragma once
// How ROS 2 calls in DDS what it calls otherwise itself.

#include <string>
#include <string_view>

#include "message/message_type.hpp"

namespace fathom {

/// "rt/scan" of "/scan".
std::string dds_topic_name(std::string_view topic);

/// "sensor_msgs::msg::dds_::LaserScan_" of "sensor_msgs/msg/LaserScan".
std::string dds_type_name(std::string_view type);

/// "typehash=RIHS01_...;", which endpoints carry as USER_DATA since Iron (REP 2016).
std::string user_data_of(const MessageType& type);

}  // namespace fathom
