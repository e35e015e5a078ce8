// SPDX-License-Identifier: MIT
#pragma once
// The largest readings of a log, and those of 0, which may be this sensor's way to say "no return"; and readings beyond
// a maximum range that cannot be.

#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>

#include <fmt/format.h>

#include <fathom/beam/model.hpp>

#include "beam/reading_sizes.hpp"

namespace fathom {

/// Counts the readings that equal the largest one within 0.1 %, in one pass: there are at most 2^14 such floats.
class NoReturnPile {
 public:
  void add(std::span<const float> readings) {
    readings_ += readings.size();
    sizes_.add(readings);
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

  /// A value that probably means no return, and the share of all readings that have it; 0: there is none. Ten readings
  /// at least have it, and others do not.
  struct Code {
    double value_m = 0.0, share = 0.0;
    /// A maximum range that makes such readings "max".
    [[nodiscard]] double below_m() const { return std::floor(0.999 * value_m * 100.0) / 100.0; }
    /// What is said of it, to which faces add what else may be done.
    [[nodiscard]] std::string words() const {
      return fmt::format(
          "many readings are {:.6g} m, {:.1f} % of them, and none is beyond: if that means no return, give max_range_m "
          "{:.6g}",
          value_m, 100.0 * share, below_m());
    }
  };

  /// See suspected_no_return_m().
  [[nodiscard]] Code code(double max_range_m) const {
    if (counts_.empty() || reaches(largest_m_, max_range_m)) return {};
    return largest_m_ < kWellBelow * max_range_m ? code_within(least_m_) : lone_code();
  }

  /// Readings that a maximum range makes "max" though they are ranges: how many, their share of all and the largest of
  /// them. 0: so few that they may be anything.
  struct Beyond {
    double readings = 0.0, share = 0.0, largest_m = 0.0;
  };
  /// Beyond max_range_m by more than a thousandth, but for a code for "no return" that is the largest reading.
  [[nodiscard]] Beyond beyond(double max_range_m) const {
    if (!(largest_m_ > max_range_m)) return {};
    const bool has_code = code_within(least_m_).value_m > 0.0;
    const ReadingSizes::Count found = sizes_.between(max_range_m, has_code ? least_m_ : kSurelyBeyond * largest_m_);
    const double share = share_of(found.readings);
    return share > kMostBeyond ? Beyond{static_cast<double>(found.readings), share, found.largest_m} : Beyond{};
  }

  /// The share of all readings that are 0, where that is worth a word; else 0.
  [[nodiscard]] double share_of_zeros() const {
    const double share = share_of(zeros_);
    return share > kMostShare ? share : 0.0;
  }

 private:
  static constexpr float kNoRange_m = 1e-3F;  // nearer than any sensor measures
  static constexpr double kWellBelow = 0.98, kSame = 0.999, kMostShare = 0.003, kSurelyBeyond = 1.01;
  // Fewer, in a short log or table, are what was farthest by chance.
  static constexpr std::size_t kFewest = 10;
  // Of the readings of two offices 0.1 % lie beyond 30 m, the reach of many lasers, and nothing is lost with them.
  static constexpr double kMostBeyond = 0.01;

  [[nodiscard]] double share_of(std::size_t readings) const {
    return static_cast<double>(readings) / static_cast<double>(readings_);
  }

  [[nodiscard]] Code code_within(double least_m) const {
    std::size_t same = 0;
    for (const auto& [reading, count] : counts_) same += double{reading} >= least_m ? count : 0;
    // Where no other reading is, nothing says that these are no ranges.
    const bool is_code = same >= kFewest && same < readings_ && share_of(same) > kMostShare;
    return is_code ? Code{largest_m_, share_of(same)} : Code{};
  }

  /// Near the maximum range hits pile up, too, where the map expects nothing. A code is one value and stands alone.
  [[nodiscard]] Code lone_code() const {
    const Code code = code_within(largest_m_);
    std::size_t near = sizes_.between(kWellBelow * largest_m_, least_m_).readings;
    for (const auto& [reading, count] : counts_) near += double{reading} < largest_m_ ? count : 0;
    return code.share > share_of(near) ? code : Code{};
  }

  double largest_m_ = 0.0, least_m_ = 0.0;
  std::size_t readings_ = 0, zeros_ = 0;
  std::map<float, std::size_t> counts_;  // of readings from least_m_ on, and maybe one float below
  ReadingSizes sizes_;
};

}  // namespace fathom
