// SPDX-License-Identifier: MIT
#pragma once
// builtin_interfaces/msg/Time and std_msgs/msg/Header.

#include <array>
#include <cstdint>
#include <string>

#include "message/message_type.hpp"

namespace fathom::msg {

struct Time {
  std::int32_t sec = 0;
  std::uint32_t nanosec = 0;  ///< above the seconds, 0 to 999 999 999

  static constexpr MessageType kType = {"builtin_interfaces/msg/Time", "int32 sec\nuint32 nanosec\n", {}, {}};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.sec, m.nanosec);
  }
};

/// Whole seconds rounded down, and the nanoseconds above them. Throws InputError outside [-2^31, 2^31) s.
Time time_of(double stamp_s);

/// Exact to the nanosecond, as bags have their times; a time before 0 is 0.
std::uint64_t nanoseconds(const Time& time);

struct Header {
  Time stamp;
  std::string frame_id;

  static constexpr std::array kParts = {&Time::kType};
  static constexpr MessageType kType = {
      "std_msgs/msg/Header", "builtin_interfaces/Time stamp\nstring frame_id\n", {}, kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.stamp, m.frame_id);
  }
};

}  // namespace fathom::msg
