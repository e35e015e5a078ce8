// SPDX-License-Identifier: MIT
#include "topic/topic_names.hpp"

#include <gtest/gtest.h>

namespace fathom {

TEST(TopicNames, AreThoseOfRos2InDds) {
  EXPECT_EQ(dds_topic_name("/scan"), "rt/scan");
  EXPECT_EQ(dds_topic_name("robot/scan"), "rt/robot/scan");
  EXPECT_EQ(dds_type_name("sensor_msgs/msg/LaserScan"), "sensor_msgs::msg::dds_::LaserScan_");
}

TEST(TopicNames, OfEveryTypeComeBack) {
  for (const MessageType* type : message_types()) {
    EXPECT_EQ(ros_type_name(dds_type_name(type->name)), std::string(type->name));
    EXPECT_EQ(find_message_type(type->name), type);
    EXPECT_EQ(user_data_of(*type), "typehash=" + std::string(type->hash) + ";");
    EXPECT_EQ(type->hash.size(), 71U);
  }
}

TEST(TopicNames, OfStrangersAreNoTopics) {
  for (const char* name : {"", "rt/", "rq/serviceRequest", "ros_discovery_info", "DCPSTopic", "r"}) {
    EXPECT_EQ(ros_topic_name(name), std::nullopt) << name;
  }
  for (const char* name :
       {"", "::msg::dds_::", "::msg::dds_::A_", "a::msg::dds_::_", "a::msg::dds_::A", "a::srv::dds_::A_"}) {
    EXPECT_EQ(ros_type_name(name), std::nullopt) << name;
  }
  EXPECT_EQ(find_message_type("std_msgs/msg/String"), nullptr);
}

}  // namespace fathom
