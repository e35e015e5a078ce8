// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct BagTopic {
  std::string name;      ///< "/scan"
  std::string type;      ///< "sensor_msgs/msg/LaserScan"
  std::string encoding;  ///< of its messages: "cdr"
  auto operator<=>(const BagTopic&) const = default;
};

/// A message of a bag; all of it is valid during the call alone.
struct BagMessage {
  const BagTopic& topic;
  std::uint64_t time_ns;  ///< when it was recorded
  std::span<const std::byte> bytes;
  std::uint64_t record = 0;  ///< MCAP: byte at which its record, or the chunk that holds it, begins; sqlite3: its id
  const std::filesystem::path& file;  ///< the file of the bag that holds it
  /// "run_0.db3: /scan", as messages about it begin.
  [[nodiscard]] std::string place() const;
};

using OnBagMessage = std::function<void(const BagMessage&)>;

/// What a bag names and lacks, besides its messages.
struct BagReading {
  std::set<BagTopic> topics = {};  ///< those without messages too
  std::string tear = {};           ///< where a file ends too early, in one line; empty: all are whole
  std::uint64_t damaged = 0;       ///< chunks and records that were passed over
  std::string damage = {};         ///< where the first is, and what is wrong with it

  /// Throws InputError for more topics than a bag may have.
  void add_topic(const BagTopic& topic);
  /// Counts what is passed over.
  void add_damage(std::string_view what, std::uint64_t count = 1);
  /// What a reader must know of tear and damage, a line each.
  [[nodiscard]] std::vector<std::string> notes() const;
};

/// Throws InputError for names longer than a topic may have.
void check_topic(const BagTopic& topic);

/// Limits of docs/bags.md.
inline constexpr std::size_t kMostBagTopics = 65'535, kMostTopicText = 1000;
inline constexpr std::uint64_t kMostMessageBytes = std::uint64_t{1} << 30;

}  // namespace fathom
