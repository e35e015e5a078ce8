// SPDX-License-Identifier: MIT
#include "topic/topic_names.hpp"

#include <gtest/gtest.h>

namespace fathom {

TEST(TopicNames, AreThoseOfRos2InDds) {
  EXPECT_EQ(dds_topic_name("/scan"), "rt/scan");
  EXPECT_EQ(dds_topic_name("robot/scan"), "rt/robot/scan");
  EXPECT_EQ(dds_type_name("sensor_msgs/msg/LaserScan"), "sensor_msgs::msg::dds_::LaserScan_");
}

TEST(TopicNames, OfEveryTypeCarryItsHash) {
  for (const MessageType* type : message_types()) {
    EXPECT_EQ(user_data_of(*type), "typehash=" + std::string(type->hash) + ";");
    EXPECT_EQ(type->hash.size(), 71U);
  }
}

}  // namespace fathom
