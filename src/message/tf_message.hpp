// SPDX-License-Identifier: MIT
#pragma once
// tf2_msgs/msg/TFMessage.

#include <array>
#include <vector>

#include "message/geometry.hpp"

namespace fathom::msg {

/// Transforms between frames; on /tf each holds at its stamp, on /tf_static for ever.
struct TFMessage {
  std::vector<TransformStamped> transforms;

  static constexpr std::array kParts = {&TransformStamped::kType};
  static constexpr MessageType kType = {"tf2_msgs/msg/TFMessage", "geometry_msgs/TransformStamped[] transforms\n",
                                        "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.transforms);
  }
};

}  // namespace fathom::msg
