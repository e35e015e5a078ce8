// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bag/bag_message.hpp"

namespace fathom {

/// Calls `on_message` for each message of a bag: an MCAP file, a .db3 file, or a folder of rosbag2, whose files are
/// read in the order of their names as numbers count. Throws InputError.
BagReading read_bag(const std::filesystem::path& bag, const OnBagMessage& on_message);

/// The bag itself where it is a file, or the files of a folder, in the order of their numbers. Throws InputError for a
/// folder without any, and for one that rosbag2 compressed file by file.
std::vector<std::filesystem::path> bag_files(const std::filesystem::path& bag);

/// "MCAP" or "sqlite3", of a file or of the first file of a folder. Throws InputError for what is neither.
std::string bag_format(const std::filesystem::path& bag);

}  // namespace fathom
