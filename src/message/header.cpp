// SPDX-License-Identifier: MIT
#include "message/header.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom::msg {

namespace {

constexpr double kNanosecondsPerSecond = 1e9;

}  // namespace

Time time_of(double stamp_s) {
  double seconds = std::floor(stamp_s);
  double above = std::round((stamp_s - seconds) * kNanosecondsPerSecond);
  if (above >= kNanosecondsPerSecond) seconds += 1.0, above = 0.0;
  if (!(seconds >= -2147483648.0 && seconds <= 2147483647.0)) {
    throw InputError(
        fmt::format("stamp {} s is not in [-2147483648, 2147483648) s, the times of ROS 2", number_text(stamp_s)));
  }
  return {static_cast<std::int32_t>(seconds), static_cast<std::uint32_t>(above)};
}

std::uint64_t nanoseconds(const Time& time) {
  return std::uint64_t{static_cast<std::uint32_t>(std::max(time.sec, 0))} * 1'000'000'000ULL +
         (time.sec < 0 ? 0 : time.nanosec);
}

}  // namespace fathom::msg
