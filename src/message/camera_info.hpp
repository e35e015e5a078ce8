// SPDX-License-Identifier: MIT
#pragma once
// sensor_msgs/msg/CameraInfo.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "message/header.hpp"

namespace fathom::msg {

/// sensor_msgs/msg/RegionOfInterest: all zero means the whole image.
struct RegionOfInterest {
  std::uint32_t x_offset = 0, y_offset = 0, height = 0, width = 0;
  bool do_rectify = false;

  static constexpr MessageType kType = {
      "sensor_msgs/msg/RegionOfInterest",
      "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n",
      {},
      {}};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.x_offset, m.y_offset, m.height, m.width, m.do_rectify);
  }
};

/// How a camera projects: pixel = P (x, y, z, 1), in its optical frame.
struct CameraInfo {
  Header header;
  std::uint32_t height = 0, width = 0;
  std::string distortion_model;
  std::vector<double> d;
  std::array<double, 9> k{};   ///< row-major [3, 3]
  std::array<double, 9> r{};   ///< row-major [3, 3]
  std::array<double, 12> p{};  ///< row-major [3, 4]
  std::uint32_t binning_x = 0, binning_y = 0;
  RegionOfInterest roi;

  static constexpr std::array kParts = {&Header::kType, &RegionOfInterest::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/CameraInfo",
                                        "std_msgs/Header header\n"
                                        "uint32 height\n"
                                        "uint32 width\n"
                                        "string distortion_model\n"
                                        "float64[] d\n"
                                        "float64[9] k\n"
                                        "float64[9] r\n"
                                        "float64[12] p\n"
                                        "uint32 binning_x\n"
                                        "uint32 binning_y\n"
                                        "sensor_msgs/RegionOfInterest roi\n",
                                        "RIHS01_b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.height, m.width, m.distortion_model, m.d, m.k, m.r, m.p, m.binning_x, m.binning_y, m.roi);
  }
};

}  // namespace fathom::msg
