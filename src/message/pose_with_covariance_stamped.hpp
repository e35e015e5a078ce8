// SPDX-License-Identifier: MIT
#pragma once
// geometry_msgs/msg/PoseWithCovarianceStamped.

#include <array>

#include "message/geometry.hpp"

namespace fathom::msg {

/// A pose in `header.frame_id`, and how sure it is.
struct PoseWithCovarianceStamped {
  Header header;
  PoseWithCovariance pose;

  static constexpr std::array kParts = {&Header::kType, &PoseWithCovariance::kType};
  static constexpr MessageType kType = {"geometry_msgs/msg/PoseWithCovarianceStamped",
                                        "std_msgs/Header header\n"
                                        "geometry_msgs/PoseWithCovariance pose\n",
                                        "RIHS01_26432f9803e43727d3c8f668d1fdb3c630f548af631e2f4e31382371bfea3b6e",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.pose);
  }
};

}  // namespace fathom::msg
