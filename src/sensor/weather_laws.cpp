// SPDX-License-Identifier: MIT
// Fog, rain and snow as laws, for learning: the kernels draw from these.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <fathom/core/f64.hpp>
#include <fathom/noise/detail/weather.hpp>
#include <fathom/noise/fog.hpp>

namespace fathom {

namespace {

/// The peak of fog, whose power is a gamma number and whose place a beta (2, 20) number.
class FogDrops final : public SoftLaw {
 public:
  FogDrops(const Fog& fog, std::span<const float> table)
      : SoftLaw(double{fog.extinction()}),
        fog_(fog),
        table_(table.data()),
        scatter_m_(std::max(double{fog.scatter_m}, kLeastScatterM)),
        power_scatter_(std::max(double{fog.power_scatter}, kLeastPowerScatter)) {}

  [[nodiscard]] double beyond(double power, double d, double r) const override {
    const SoftReturn p = peak(d);
    const double x = share_at(r, p);
    return above(power, p) * power_of_rest(x, 20) * (1.0 + 20.0 * x);
  }
  [[nodiscard]] double density(double power, double d, double r) const override {
    const SoftReturn p = peak(d);
    const double x = share_at(r, p);
    return above(power, p) * 420.0 / scatter_m_ * x * power_of_rest(x, 19);
  }

 private:
  static constexpr double kLeastScatterM = 0.01, kLeastPowerScatter = 0.01;  // so that the law has a density

  [[nodiscard]] SoftReturn peak(double d) const { return fog_.peak_of_fog(table_, static_cast<float>(d)); }
  [[nodiscard]] double above(double power, const SoftReturn& p) const {
    if (!(p.power > 0.0F)) return 0.0;
    const double s = power_scatter_, root = power > 0.0 ? math::exp(math::log(power / double{p.power}) / 3.0) : 0.0;
    return math::normal_cdf((1.0 - s * s / 9.0 - root) * 3.0 / s);
  }
  [[nodiscard]] double share_at(double r, const SoftReturn& p) const {
    return std::clamp((r - double{p.range_m}) / scatter_m_, 0.0, 1.0);
  }
  static double power_of_rest(double x, int n) {
    double product = 1.0;
    for (int k = 0; k < n; ++k) product *= 1.0 - x;
    return product;
  }

  Fog fog_;
  const float* table_;
  double scatter_m_, power_scatter_;
};

/// The strongest drop by its table. Its mean count Lambda(p, d) is exponential, which a sum over entries -ln u1 takes.
/// As the table is right to 1e-3, this share of drops lies anywhere: no return of a kernel is impossible.
class StrongestDrop final : public SoftLaw {
 public:
  explicit StrongestDrop(std::span<const float> table)
      : SoftLaw(double{table[DropTable::kExtinction]}), table_(table.data()) {
    for (std::size_t k = 0; k < weaker_.size(); ++k) weaker_[k] = math::exp(-count_of(static_cast<double>(k)));
  }

  [[nodiscard]] double beyond(double power, double d, double r) const override {
    if (!(r < d)) return 0.0;
    const TablePlace surface = range_place(d), place = range_place(r);
    if (along(r) <= 0.0F) return shown(power, d);
    const double by_table = sum(power, d, [&](const TablePlace& at) {
      const double all = share(at, surface);
      return all > 0.0 ? 1.0 - std::min(share(at, place) / all, 1.0) : 0.0;
    });
    return by_table + kAnywhere * (shown(power, d) * (1.0 - along(seen(r)) / along(seen(d))) - by_table);
  }
  [[nodiscard]] double density(double power, double d, double r) const override {
    if (!(along(r) > 0.0F) || r > double{T::kFarthestM}) return 0.0;
    const TablePlace surface = range_place(d), place = range_place(r);
    const TablePlace low = {place.at, 0.0F}, high = {place.at, 1.0F};
    const double by_table = sum(power, d, [&](const TablePlace& at) {
      const double all = share(at, surface);
      return all > 0.0 ? (share(at, high) - share(at, low)) / all : 0.0;
    });
    const double anywhere = r < d ? shown(power, d) / along(seen(d)) : 0.0;
    return double{table_[T::kPerRange]} / r * (by_table + kAnywhere * (anywhere - by_table));
  }

 private:
  using T = DropTable;
  static constexpr double kAnywhere = 1e-3;
  /// Drops are drawn no farther away.
  static double seen(double r) { return std::min(r, double{T::kFarthestM}); }

  /// The probability that drops before a surface at d return more than the power.
  [[nodiscard]] double shown(double power, double d) const { return 1.0 - math::exp(-count_of(end_of(power, d))); }
  [[nodiscard]] float along(double r) const {
    return (static_cast<float>(math::log(std::max(r, 1e-6))) - table_[T::kLogNearest]) * table_[T::kPerRange];
  }
  [[nodiscard]] TablePlace range_place(double r) const { return place_in_table(along(r), T::kRanges); }
  [[nodiscard]] double share(const TablePlace& power, const TablePlace& range) const {
    return double{pair_value_at(table_ + T::kShareOf, T::kRanges, power, range)} / 65535.0;
  }
  [[nodiscard]] double log_power_at(const TablePlace& surface, double entry) const {
    const TablePlace at = place_in_table(static_cast<float>(entry), T::kCounts);
    const float height = pair_value_at(table_ + T::kPowerOf, T::kCounts, surface, at);
    return double{T::kLogNoPower} + double{table_[T::kPowerBit]} * double{height};
  }
  /// -ln u1 at an entry, which may lie between two.
  static double count_of(double entry) {
    constexpr double kLeast = double{T::kLeastLogCount};
    constexpr double kPerEntry = (double{T::kMostLogCount} - kLeast) / (T::kCounts - 1);
    return entry < 0.0 ? 0.0 : math::exp(kLeast + kPerEntry * entry);
  }
  /// The entry up to which the strongest drop before a surface at d returns more than the power; below 0: none does.
  [[nodiscard]] double end_of(double power, double d) const {
    if (!(along(d) > 0.0F)) return -1.0;
    const TablePlace surface = range_place(d);
    const double log_power = math::log(std::max(power, double{T::kLeastPower}));
    std::int32_t low = 0, high = T::kCounts;
    while (low < high) {
      const std::int32_t middle = (low + high) / 2;
      if (log_power_at(surface, middle) > log_power) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) return -1.0;
    if (low == T::kCounts) return low - 1;
    const double above = log_power_at(surface, low - 1), below = log_power_at(surface, low);
    return low - 1 + (above - log_power) / (above - below);
  }
  /// Sum of f(place of the power in the tables) over strongest drops with more than `power`, by their probability.
  template <class F>
  [[nodiscard]] double sum(double power, double d, F f) const {
    const double end = end_of(power, d), log_least = math::log(double{T::kLeastPower});
    const TablePlace surface = range_place(d);
    double total = 0.0, before = 1.0, last = 0.0;
    for (std::int32_t k = 0; last < end || k == 0; ++k) {
      const double entry = std::min(static_cast<double>(k), end);
      const double after = entry < k ? math::exp(-count_of(entry)) : weaker_[static_cast<std::size_t>(k)];
      const double above_least = log_power_at(surface, 0.5 * (last + entry)) - log_least;
      total += (before - after) *
               f(place_in_table(static_cast<float>(above_least * double{table_[T::kPerPower]}), T::kPowers));
      before = after, last = entry;
    }
    return total;
  }

  const float* table_;
  std::array<double, T::kCounts> weaker_ = {};  ///< probability of a weaker strongest drop, by entry
};

}  // namespace

SoftLawPtr Fog::soft_law(std::span<const float> table) const { return std::make_shared<FogDrops>(*this, table); }

SoftLawPtr strongest_drop_law(std::span<const float> table) { return std::make_shared<StrongestDrop>(table); }

}  // namespace fathom
