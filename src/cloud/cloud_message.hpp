// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "cloud/point_layout.hpp"
#include "message/point_cloud2.hpp"

namespace fathom {

/// The cloud as sensor_msgs/msg/PointCloud2; its data is that of `cloud`, which has to outlive it. Throws InputError
/// for a stamp that ROS 2 has no time for.
msg::PointCloud2 cloud_message(const PackedCloud& cloud, double stamp_s, std::string_view frame_id);

}  // namespace fathom
