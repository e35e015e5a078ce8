// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace fathom {

/// Four neighbouring rays of a row, which lie in four neighbouring lanes.
struct QuadTarget {
  std::uint32_t index;   ///< of its first ray in the frame's arrays
  std::uint32_t filled;  ///< how many of its four rays exist; the others are padding
};

}  // namespace fathom
