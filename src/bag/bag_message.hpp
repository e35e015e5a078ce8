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

/// A message of a bag; all of it is valid during the call alone.
struct BagMessage {
  const BagTopic& topic;
  std::uint64_t time_ns;  ///< when it was recorded
  std::span<const std::byte> bytes;
};

using OnBagMessage = std::function<void(const BagMessage&)>;

}  // namespace fathom
