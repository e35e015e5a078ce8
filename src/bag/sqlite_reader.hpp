// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "bag/bag_message.hpp"

namespace fathom {

/// Calls `on_message` for each message of a .db3 file of rosbag2, by time: the default of ROS 2 before Iron. What
/// follows damage is passed over. Throws InputError naming the file for what is no such file, is damaged from the first
/// message on, or gives more than it holds.
BagReading read_sqlite_bag(const std::filesystem::path& file, const OnBagMessage& on_message);

}  // namespace fathom
