// SPDX-License-Identifier: MIT
#include "message/message_type.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "message/camera_info.hpp"
#include "message/clock.hpp"
#include "message/image.hpp"
#include "message/laser_scan.hpp"
#include "message/occupancy_grid.hpp"
#include "message/odometry.hpp"
#include "message/point_cloud2.hpp"
#include "message/pose_with_covariance_stamped.hpp"
#include "message/tf_message.hpp"

namespace fathom {

namespace {

constexpr std::array<const MessageType*, 9> kMessageTypes = {
    &msg::PointCloud2::kType,   &msg::LaserScan::kType, &msg::Image::kType,
    &msg::CameraInfo::kType,    &msg::TFMessage::kType, &msg::Odometry::kType,
    &msg::OccupancyGrid::kType, &msg::Clock::kType,     &msg::PoseWithCovarianceStamped::kType};

/// "std_msgs/Header" of "std_msgs/msg/Header".
std::string short_name(std::string_view name) {
  std::string text(name);
  text.erase(text.find("/msg/"), 4);
  return text;
}

void append_parts(const MessageType& type, std::vector<const MessageType*>& found) {
  for (const MessageType* part : type.parts) {
    if (std::find(found.begin(), found.end(), part) != found.end()) continue;
    found.push_back(part);
    append_parts(*part, found);
  }
}

}  // namespace

std::string schema_text(const MessageType& type) {
  constexpr std::size_t kRule = 80;  // as many signs between types as rosbag2 writes
  std::vector<const MessageType*> parts;
  append_parts(type, parts);
  std::string text(type.definition);
  for (const MessageType* part : parts) {
    text += std::string(kRule, '=') + "\nMSG: " + short_name(part->name) + '\n' + std::string(part->definition);
  }
  return text;
}

std::span<const MessageType* const> message_types() { return kMessageTypes; }

}  // namespace fathom
