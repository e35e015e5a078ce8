// SPDX-License-Identifier: MIT
#pragma once
// rosgraph_msgs/msg/Clock.

#include <array>

#include "message/header.hpp"

namespace fathom::msg {

/// The time of a simulation.
struct Clock {
  Time clock;

  static constexpr std::array kParts = {&Time::kType};
  static constexpr MessageType kType = {"rosgraph_msgs/msg/Clock", "builtin_interfaces/Time clock\n",
                                        "RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.clock);
  }
};

}  // namespace fathom::msg
