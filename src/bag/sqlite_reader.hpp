// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "bag/bag_message.hpp"

namespace fathom {

/// Calls `on_message` for each message of a .db3 file of rosbag2, by time: the default of ROS 2 before Iron. Throws
/// InputError naming the file for what is no such file or is damaged.
void read_sqlite_bag(const std::filesystem::path& file, const OnBagMessage& on_message);

}  // namespace fathom
