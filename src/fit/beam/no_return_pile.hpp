// SPDX-License-Identifier: MIT
#pragma once
// The largest readings of a log, and readings of 0, which may be this sensor's way to say "no return"; and readings
// beyond a maximum range that cannot be.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/noise/beam_density.hpp>

namespace fathom {

/// A histogram of ranges in one pass. Readings from 1 mm to 16 000 km are counted in bins: the floats that share their
/// exponent and the first 10 bits behind it, so a bin is at most a thousandth of its readings wide. Those outside are
/// in the nearest bin.
class ReadingSizes {
 public:
  void add(std::span<const float> readings) {
    for (const float reading : readings) {
      if (!(reading > 0.0F) || !std::isfinite(reading)) continue;
      Bin& bin = bins_[bin_of(reading)];
      bin.least_m = bin.count == 0 ? reading : std::min(bin.least_m, reading);
      bin.largest_m = std::max(bin.largest_m, reading);
      ++bin.count;
    }
  }

  /// Number of readings, and the largest of them or 0.
  struct Count {
    std::size_t readings = 0;
    double largest_m = 0.0;
  };
  /// Of the bins beyond that of `low_m` and before that of `high_m`: none of these is within a thousandth of either.
  [[nodiscard]] Count between(double low_m, double high_m) const {
    Count found;
    for (std::size_t i = bin_of(static_cast<float>(low_m)) + 1; i < bin_of(static_cast<float>(high_m)); ++i) {
      if (bins_[i].count == 0) continue;
      found.readings += bins_[i].count;
      found.largest_m = double{bins_[i].largest_m};
    }
    return found;
  }

  struct Bin {
    std::size_t count = 0;
    float least_m = 0.0F, largest_m = 0.0F;
  };
  /// From the nearest to the farthest.
  [[nodiscard]] std::span<const Bin> bins() const { return bins_; }

 private:
  static constexpr int kDroppedBits = 13, kLeastPower = -10, kMostPower = 24;
  static constexpr std::uint32_t kFirst = (127 + kLeastPower) << 10, kEnd = (127 + kMostPower) << 10;

  static std::size_t bin_of(float reading_m) {
    return std::clamp(std::bit_cast<std::uint32_t>(std::max(reading_m, 0.0F)) >> kDroppedBits, kFirst, kEnd - 1) -
           kFirst;
  }

  std::vector<Bin> bins_ = std::vector<Bin>(kEnd - kFirst);
};

/// Counts the readings that equal the largest one within 0.1 %, in one pass: there are at most 2^14 such floats.
class NoReturnPile {
 public:
  void add(std::span<const float> readings) {
    readings_ += readings.size();
    sizes_.add(readings);
    for (const float reading : readings) {
      if (std::abs(reading) < kNoRange_m) ++zeros_;
      if (reading > 0.0F && std::isinf(reading)) ++infinite_;
      if (!std::isfinite(reading) || !(double{reading} >= least_m_)) continue;
      if (double{reading} > largest_m_) {
        largest_m_ = double{reading};
        least_m_ = kSame * largest_m_;
        counts_.erase(counts_.begin(), counts_.lower_bound(static_cast<float>(least_m_)));
      }
      if (double{reading} >= least_m_) ++counts_[reading];
    }
  }

  /// A value that probably means no return, and the share of all readings that have it; 0 without such a value. Ten
  /// readings at least have it, others do not, and at most a few stray ones lie beyond.
  struct Code {
    double value_m = 0.0, share = 0.0;
    double least_m = 0.0;    ///< the least reading that has it
    std::size_t strays = 0;  ///< readings beyond it
    /// A maximum range that makes such readings "max".
    [[nodiscard]] double below_m() const { return std::floor(0.999 * least_m * 100.0) / 100.0; }
    [[nodiscard]] std::string beyond_words() const {
      return strays == 0 ? "none is beyond" : fmt::format("only {} lie{} beyond", strays, strays == 1 ? "s" : "");
    }
    /// A sentence about it, to which faces add further advice.
    [[nodiscard]] Message words() const {
      return Message(fmt::format("many readings are {:.6g} m, {:.1f} % of them, and {}: if that means no return, give ",
                                 value_m, 100.0 * share, beyond_words()),
                     Setting{"max_range_m"}, fmt::format(" {:.6g}", below_m()));
    }
  };

  /// See suspected_no_return_m().
  [[nodiscard]] Code code(double max_range_m) const {
    if (counts_.empty()) return {};
    if (!reaches(largest_m_, max_range_m)) {
      const Code code = largest_m_ < kWellBelow * max_range_m ? code_within(least_m_) : lone_code();
      if (code.value_m > 0.0) return code;
    }
    const Code hidden = code_before_strays();
    return hidden.value_m < kWellBelow * max_range_m ? hidden : Code{};
  }

  /// Readings that a maximum range makes "max" though they are ranges: how many, their share of all and the largest of
  /// them. 0: so few that they may be anything.
  struct Beyond {
    double readings = 0.0, share = 0.0, largest_m = 0.0;
  };
  /// Beyond max_range_m by more than a thousandth, but before a code for "no return".
  [[nodiscard]] Beyond beyond(double max_range_m) const {
    if (!(largest_m_ > max_range_m)) return {};
    double end_m = kSurelyBeyond * largest_m_;
    if (code_within(least_m_).value_m > 0.0) {
      end_m = least_m_;
    } else if (const Code hidden = code_before_strays(); hidden.value_m > 0.0) {
      end_m = hidden.least_m;
    }
    const ReadingSizes::Count found = sizes_.between(max_range_m, end_m);
    const double share = share_of(found.readings);
    return share > kMostBeyond ? Beyond{static_cast<double>(found.readings), share, found.largest_m} : Beyond{};
  }

  /// The nearest reading that may be a range; 0 without one.
  [[nodiscard]] double nearest_m() const {
    const auto bins = sizes_.bins();
    const auto first = std::ranges::find_if(bins, [](const auto& bin) { return bin.largest_m >= kNoRange_m; });
    return first == bins.end() ? 0.0 : std::max(double{first->least_m}, double{kNoRange_m});
  }
  /// Why no reading is a range; empty if there are ranges.
  [[nodiscard]] std::string without_ranges() const {
    return fmt::format("no reading is a range: {} are inf, {} are 0 and {} are nan or below 0", infinite_, zeros_,
                       readings_ - infinite_ - zeros_);
  }

  /// The share of all readings that are 0, where that is worth a word; else 0.
  [[nodiscard]] double share_of_zeros() const {
    const double share = share_of(zeros_);
    return share > kMostShare ? share : 0.0;
  }

 private:
  static constexpr float kNoRange_m = 1e-3F;  // nearer than any sensor measures
  static constexpr double kWellBelow = 0.98, kSame = 0.999, kMostShare = 0.003, kSurelyBeyond = 1.01;
  // Fewer, in a short log or table, are the farthest by chance.
  static constexpr std::size_t kFewest = 10;
  // Strays beyond a code: shares of all readings and of the readings that have the code.
  static constexpr double kMostStrays = 0.001, kMostStraysOfCode = 0.02;
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
    return is_code ? Code{largest_m_, share_of(same), largest_m_} : Code{};
  }

  /// A code that a few stray readings lie beyond: the farthest two bins that hold many readings, and more than all
  /// others nearby.
  [[nodiscard]] Code code_before_strays() const {
    const std::span<const ReadingSizes::Bin> bins = sizes_.bins();
    std::size_t strays = 0;
    for (std::size_t i = bins.size() - 1; i > 0 && share_of(strays) <= kMostStrays; strays += bins[i--].count) {
      const ReadingSizes::Bin &upper = bins[i], &lower = bins[i - 1];
      const std::size_t same = upper.count + lower.count;
      if (same < kFewest || same == readings_ || share_of(same) <= kMostShare) continue;
      if (static_cast<double>(strays) > kMostStraysOfCode * static_cast<double>(same)) continue;
      const double value_m = double{lower.count > upper.count ? lower.largest_m : upper.largest_m};
      const double least_m = double{lower.count > 0 ? lower.least_m : upper.least_m};
      if (sizes_.between(kWellBelow * value_m, least_m).readings < same)
        return {value_m, share_of(same), least_m, strays};
    }
    return {};
  }

  /// Near the maximum range hits pile up, too, where the map expects nothing. A code is one value without others
  /// nearby.
  [[nodiscard]] Code lone_code() const {
    const Code code = code_within(largest_m_);
    std::size_t near = sizes_.between(kWellBelow * largest_m_, least_m_).readings;
    for (const auto& [reading, count] : counts_) near += double{reading} < largest_m_ ? count : 0;
    return code.share > share_of(near) ? code : Code{};
  }

  double largest_m_ = 0.0, least_m_ = 0.0;
  std::size_t readings_ = 0, zeros_ = 0, infinite_ = 0;
  std::map<float, std::size_t> counts_;  // of readings from least_m_ on, and maybe one float below
  ReadingSizes sizes_;
};

}  // namespace fathom
