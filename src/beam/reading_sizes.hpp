// SPDX-License-Identifier: MIT
#pragma once
// A histogram of ranges in one pass, with logarithmic bins of 0.1 %.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

/// Readings from 1 mm to 16 000 km are counted in bins: the floats that share their exponent and the first 10 bits
/// behind it, so a bin is at most a thousandth of its readings wide. Those outside are in the nearest bin.
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

  /// So many readings, and the largest of them; 0 where there is none.
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

}  // namespace fathom
