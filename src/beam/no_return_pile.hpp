// SPDX-License-Identifier: MIT
#pragma once
// The largest readings of a log, and those of 0, which may be this sensor's way to say "no return".

#include <cmath>
#include <cstddef>
#include <map>
#include <span>

namespace fathom {

/// Counts the readings that equal the largest one within 0.1 %, in one pass: there are at most 2^14 such floats.
class NoReturnPile {
 public:
  void add(std::span<const float> readings) {
    readings_ += readings.size();
    for (const float reading : readings) {
      if (std::abs(reading) < kNoRange_m) ++zeros_;
      if (!std::isfinite(reading) || !(double{reading} >= least_m_)) continue;
      if (double{reading} > largest_m_) {
        largest_m_ = double{reading};
        least_m_ = kSame * largest_m_;
        counts_.erase(counts_.begin(), counts_.lower_bound(static_cast<float>(least_m_)));
      }
      if (double{reading} >= least_m_) ++counts_[reading];
    }
  }

  /// A value that probably means no return, and the share of all readings that have it; 0: there is none.
  struct Code {
    double value_m = 0.0, share = 0.0;
    /// A maximum range that makes such readings "max".
    [[nodiscard]] double below_m() const { return std::floor(0.999 * value_m * 100.0) / 100.0; }
  };

  /// See suspected_no_return_m().
  [[nodiscard]] Code code(double max_range_m) const {
    if (!(largest_m_ < kWellBelow * max_range_m)) return {};
    std::size_t same = 0;
    for (const auto& [reading, count] : counts_) same += double{reading} >= least_m_ ? count : 0;
    const double share = static_cast<double>(same) / static_cast<double>(readings_);
    return share > kMostShare ? Code{largest_m_, share} : Code{};
  }

  /// The share of all readings that are 0, where that is worth a word; else 0.
  [[nodiscard]] double share_of_zeros() const {
    const double share = static_cast<double>(zeros_) / static_cast<double>(readings_);
    return share > kMostShare ? share : 0.0;
  }

 private:
  static constexpr float kNoRange_m = 1e-3F;  // nearer than any sensor measures
  static constexpr double kWellBelow = 0.98, kSame = 0.999, kMostShare = 0.003;
  double largest_m_ = 0.0, least_m_ = 0.0;
  std::size_t readings_ = 0, zeros_ = 0;
  std::map<float, std::size_t> counts_;  // of readings from least_m_ on, and maybe one float below
};

}  // namespace fathom
