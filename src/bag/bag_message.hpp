// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace fathom {

struct BagTopic {
  std::string name;      ///< "/scan"
  std::string type;      ///< "sensor_msgs/msg/LaserScan"
  std::string encoding;  ///< of its messages: "cdr"
};

/// Where a message lies in a bag, for BagMessages.
struct BagPlace {
  std::uint32_t file = 0;    ///< of the files of the bag, in their order
  std::uint64_t record = 0;  ///< MCAP: byte at which its record, or the chunk that holds it, begins; sqlite3: its id
  std::uint64_t inside = 0;  ///< MCAP: byte of the records of the chunk
};

/// A message of a bag; all of it is valid during the call alone.
struct BagMessage {
  const BagTopic& topic;
  std::uint64_t time_ns;  ///< when it was recorded
  std::span<const std::byte> bytes;
  BagPlace place = {};
};

using OnBagMessage = std::function<void(const BagMessage&)>;

}  // namespace fathom
