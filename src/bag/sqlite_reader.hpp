// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "bag/bag_message.hpp"

namespace fathom {

/// Calls `on_message` for each message of a .db3 file of rosbag2, by time: the default of ROS 2 before Iron. What
/// follows damage is passed over. Throws InputError naming the file for what is no such file, is damaged from the first
/// message on, or gives more than it holds.
BagReading read_sqlite_bag(const std::filesystem::path& file, const OnBagMessage& on_message);

/// Reads single messages of a .db3 file again.
class SqliteMessages {
 public:
  explicit SqliteMessages(const std::filesystem::path& file);
  ~SqliteMessages();
  SqliteMessages(const SqliteMessages&) = delete;
  SqliteMessages& operator=(const SqliteMessages&) = delete;
  /// The message at a place that read_sqlite_bag() gave; valid until the next call. Throws InputError naming the file
  /// where it is there no more.
  std::span<const std::byte> at(const BagPlace& place);

 private:
  class Query;
  std::unique_ptr<Query> query_;
  std::string bytes_;
};

}  // namespace fathom
