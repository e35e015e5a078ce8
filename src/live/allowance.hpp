// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>

namespace fathom {

/// Limits how often something happens: `most` times at once, and `per_second` times a second for long.
class Allowance {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Allowance(double per_second, double most) : per_second_(per_second), most_(most), left_(most) {}

  /// Whether it may happen at `now`. If so, it counts.
  bool take(TimePoint now) {
    if (last_ != TimePoint()) {
      const double passed_s = std::max(0.0, std::chrono::duration<double>(now - last_).count());
      left_ = std::min(most_, left_ + passed_s * per_second_);
    }
    last_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

  [[nodiscard]] bool is_half_full() const { return left_ >= most_ / 2; }

 private:
  double per_second_, most_, left_;
  TimePoint last_ = {};
};

}  // namespace fathom
