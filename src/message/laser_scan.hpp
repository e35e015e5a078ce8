// SPDX-License-Identifier: MIT
#pragma once
// sensor_msgs/msg/LaserScan.

#include <array>
#include <vector>

#include "message/header.hpp"

namespace fathom::msg {

/// Ranges of one turn in the plane z = 0 of the frame: +inf beyond the range, -inf too near, NaN lost (REP 117).
struct LaserScan {
  Header header;                   ///< the stamp is that of the first ray
  float angle_min = 0;             ///< rad, of the first ray, counter-clockwise from x
  float angle_max = 0;             ///< rad, of the last ray
  float angle_increment = 0;       ///< rad
  float time_increment = 0;        ///< s, between rays
  float scan_time = 0;             ///< s, between scans
  float range_min = 0;             ///< m
  float range_max = 0;             ///< m
  std::vector<float> ranges;       ///< [rays], m
  std::vector<float> intensities;  ///< [rays] or empty

  static constexpr std::array kParts = {&Header::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/LaserScan",
                                        "std_msgs/Header header\n"
                                        "float32 angle_min\n"
                                        "float32 angle_max\n"
                                        "float32 angle_increment\n"
                                        "float32 time_increment\n"
                                        "float32 scan_time\n"
                                        "float32 range_min\n"
                                        "float32 range_max\n"
                                        "float32[] ranges\n"
                                        "float32[] intensities\n",
                                        "RIHS01_64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.angle_min, m.angle_max, m.angle_increment, m.time_increment, m.scan_time, m.range_min, m.range_max,
        m.ranges, m.intensities);
  }
};

}  // namespace fathom::msg
