// SPDX-License-Identifier: MIT
#pragma once
// nav_msgs/msg/OccupancyGrid.

#include <array>
#include <cstdint>
#include <vector>

#include "message/geometry.hpp"

namespace fathom::msg {

/// nav_msgs/msg/MapMetaData.
struct MapMetaData {
  Time map_load_time;
  float resolution = 0;  ///< m, side of a cell
  std::uint32_t width = 0, height = 0;
  Pose origin;  ///< of the corner of cell (0, 0)

  static constexpr std::array kParts = {&Time::kType, &Pose::kType};
  static constexpr MessageType kType = {"nav_msgs/msg/MapMetaData",
                                        "builtin_interfaces/Time map_load_time\nfloat32 resolution\nuint32 width\n"
                                        "uint32 height\ngeometry_msgs/Pose origin\n",
                                        {},
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.map_load_time, m.resolution, m.width, m.height, m.origin);
  }
};

/// A map: occupied in percent, -1 unknown.
struct OccupancyGrid {
  Header header;
  MapMetaData info;
  std::vector<std::int8_t> data;  ///< [height, width], rows along x, from the least y

  static constexpr std::array kParts = {&Header::kType, &MapMetaData::kType};
  static constexpr MessageType kType = {"nav_msgs/msg/OccupancyGrid",
                                        "std_msgs/Header header\n"
                                        "nav_msgs/MapMetaData info\n"
                                        "int8[] data\n",
                                        "RIHS01_8d348150c12913a31ee0ec170fbf25089e4745d17035792a1ba94d6f0bc0cfc7",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.info, m.data);
  }
  /// Throws InputError unless there is a value for each cell.
  void check() const;
};

}  // namespace fathom::msg
