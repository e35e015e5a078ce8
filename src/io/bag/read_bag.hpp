// SPDX-License-Identifier: MIT
#pragma once
// Reading bags of ROS 2: MCAP files, and the .db3 files and folders of rosbag2.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace fathom {

/// The definition of a type in a bag, unchanged.
struct BagSchema {
  std::string encoding;    ///< of the definition: "ros2msg"
  std::string definition;  ///< the fields of the type
  bool operator==(const BagSchema&) const = default;
};

struct BagTopic {
  std::string name;      ///< "/scan"
  std::string type;      ///< "sensor_msgs/msg/LaserScan"
  std::string encoding;  ///< of its messages: "cdr"
  // For copies of a bag; topics are compared without them.
  std::shared_ptr<const BagSchema> schema = nullptr;  ///< null without a definition
  std::string metadata = {};                          ///< pairs of texts, as MCAP stores them

  auto operator<=>(const BagTopic& other) const {
    return std::tie(name, type, encoding) <=> std::tie(other.name, other.type, other.encoding);
  }
  bool operator==(const BagTopic& other) const { return (*this <=> other) == 0; }
};

/// A message of a bag, valid only during the call.
struct BagMessage {
  const BagTopic& topic;
  std::uint64_t time_ns;  ///< when it was recorded
  std::span<const std::byte> bytes;
  std::uint64_t record = 0;           ///< MCAP: the first byte of its record or chunk; sqlite3: its id
  const std::filesystem::path& file;  ///< the file of the bag that holds it
  std::uint64_t published_ns = 0;     ///< when it was published
  std::uint32_t sequence = 0;         ///< MCAP: its number, if the publisher counts
  /// The begin of error messages: "run_0.db3: /scan".
  [[nodiscard]] std::string place() const;
};

using OnBagMessage = std::function<void(const BagMessage&)>;

/// Topics and damage of a bag.
struct BagReading {
  std::set<BagTopic> topics = {};  ///< including topics without messages
  std::string tear = {};           ///< a line about a file that ends too early; empty if all are whole
  std::uint64_t damaged = 0;       ///< chunks and records that were skipped
  std::string damage = {};         ///< place and fault of the first

  /// Throws InputError for more topics than a bag may have.
  void add_topic(const BagTopic& topic);
  /// Counts skipped parts.
  void add_damage(std::string_view what, std::uint64_t count = 1);
  /// Notes for users about tear and damage, a line each.
  [[nodiscard]] std::vector<std::string> notes() const;
};

/// Throws InputError if names of a topic are too long.
void check_topic(const BagTopic& topic);

/// Limits of docs/bags.md.
inline constexpr std::size_t kMostBagTopics = 65'535, kMostTopicText = 1000;
inline constexpr std::uint64_t kMostMessageBytes = std::uint64_t{1} << 30, kMostSchemaBytes = std::uint64_t{1} << 26;

/// Calls `on_message` for each message of a bag: an MCAP file, a .db3 file, or a folder of rosbag2, whose files are
/// read in the order of their numbers. Throws InputError.
BagReading read_bag(const std::filesystem::path& bag, const OnBagMessage& on_message);

/// The file itself, or the files of a folder in the order of their numbers. Throws InputError for a folder without
/// bags, and for one that rosbag2 compressed file by file.
std::vector<std::filesystem::path> bag_files(const std::filesystem::path& bag);

/// "MCAP" or "sqlite3", of a file or of the first file of a folder. Throws InputError for another format.
std::string bag_format(const std::filesystem::path& bag);

/// Calls `on_message` for each message of an MCAP file, in the order of the file. Chunks may be plain, zstd or lz4.
/// Reads torn files up to the tear, and skips damaged chunks and records. Throws InputError naming the file if it is no
/// MCAP, too large, or damaged everywhere.
BagReading read_mcap(const std::filesystem::path& file, const OnBagMessage& on_message);

/// Calls `on_message` for each message of a .db3 file of rosbag2, the default of ROS 2 before Iron, by time. Ends at
/// damage. Throws InputError naming the file if it is no such file, damaged from the first message on, or gives more
/// bytes than it holds.
BagReading read_sqlite_bag(const std::filesystem::path& file, const OnBagMessage& on_message);

}  // namespace fathom
