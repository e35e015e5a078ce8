// SPDX-License-Identifier: MIT
#pragma once
// nav_msgs/msg/Odometry.

#include <array>
#include <string>

#include "message/geometry.hpp"

namespace fathom::msg {

/// Where `child_frame_id` is in `header.frame_id`, and its velocity in its own axes.
struct Odometry {
  Header header;
  std::string child_frame_id;
  PoseWithCovariance pose;
  TwistWithCovariance twist;

  static constexpr std::array kParts = {&Header::kType, &PoseWithCovariance::kType, &TwistWithCovariance::kType};
  static constexpr MessageType kType = {"nav_msgs/msg/Odometry",
                                        "std_msgs/Header header\n"
                                        "string child_frame_id\n"
                                        "geometry_msgs/PoseWithCovariance pose\n"
                                        "geometry_msgs/TwistWithCovariance twist\n",
                                        "RIHS01_3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.child_frame_id, m.pose, m.twist);
  }
};

}  // namespace fathom::msg
