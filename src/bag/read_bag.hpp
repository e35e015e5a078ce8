// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bag/bag_message.hpp"
#include "bag/mcap_reader.hpp"
#include "bag/sqlite_reader.hpp"

namespace fathom {

/// Calls `on_message` for each message of a bag: an MCAP file, a .db3 file, or a folder of rosbag2, whose files are
/// read in the order of their names as numbers count. Throws InputError.
BagReading read_bag(const std::filesystem::path& bag, const OnBagMessage& on_message);

/// Reads single messages of a bag again, for those who cannot hold all of it.
class BagMessages {
 public:
  /// Throws InputError as read_bag() does.
  explicit BagMessages(const std::filesystem::path& bag);
  /// The message at a place that read_bag() gave; valid until the next call. Throws InputError.
  std::span<const std::byte> at(const BagPlace& place);

 private:
  using File = std::variant<std::unique_ptr<McapMessages>, std::unique_ptr<SqliteMessages>>;
  std::vector<File> files_;
};

/// "MCAP" or "sqlite3", of a file or of the first file of a folder. Throws InputError for what is neither.
std::string bag_format(const std::filesystem::path& bag);

}  // namespace fathom
