// SPDX-License-Identifier: MIT
// The tables of fog, rain and snow.

#include <fathom/noise/detail/weather.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <fathom/core/f32.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/noise/fog.hpp>
#include <fathom/noise/rain.hpp>
#include <fathom/noise/snow.hpp>

namespace fathom {

namespace {

constexpr std::size_t kDropRanges = DropTable::kRanges;
/// Cumulative from the nearest range on.
using AlongRange = std::array<double, kDropRanges>;

/// The drops of a law at one power.
class DropsAbove {
 public:
  DropsAbove(const DropLaw& law, double power)
      : law_(law), alpha_(law.extinction_per_m()), per_width_(std::sqrt(power / law.reflectivity)) {}

  /// Drops per metre of range that return more than the power.
  [[nodiscard]] double density(double r) const {
    const double least = least_mm(r);
    if (least > width_mm(r)) return 0.0;
    return 0.25 * std::numbers::pi * width_m(r) * width_m(r) * law_.per_m3_mm / law_.per_mm *
           math::exp(-law_.per_mm * least);
  }
  /// Its negative derivative along the power, in any unit.
  [[nodiscard]] double slope(double r) const {
    const double least = least_mm(r);
    if (least > width_mm(r)) return 0.0;
    return width_m(r) * width_m(r) * least * math::exp(-law_.per_mm * least);
  }
  /// Between `low` and `high`, drops that fill the beam stop returning more: their share in the same unit.
  [[nodiscard]] double slope_of_full_beam(double low, double high) const {
    if (least_mm(low) > width_mm(low) || least_mm(high) <= width_mm(high)) return 0.0;
    const double w = width_m(low);
    return w * w * math::exp(-law_.per_mm * width_mm(low)) / (law_.per_mm * (1.0 / low + alpha_));
  }

 private:
  [[nodiscard]] double width_m(double r) const { return law_.beam_m + law_.beam_rad * r; }
  [[nodiscard]] double width_mm(double r) const { return 1e3 * width_m(r); }
  /// D_p.
  [[nodiscard]] double least_mm(double r) const { return width_mm(r) * r * per_width_ * math::exp(alpha_ * r); }

  DropLaw law_;
  double alpha_, per_width_;
};

/// Integrals of f from the first range to each of `ranges`, by Simpson's rule.
template <class F>
AlongRange integrals(const AlongRange& ranges, F f) {
  AlongRange sums = {};
  for (std::size_t j = 1; j < ranges.size(); ++j) {
    const double low = ranges[j - 1], high = ranges[j], middle = 0.5 * (low + high);
    sums[j] = sums[j - 1] + (high - low) / 6.0 * (f(low) + 4.0 * f(middle) + f(high));
  }
  return sums;
}

/// Where a growing sequence y reaches `value`, as the linear interpolation of x.
template <class X, class Y>
double inverse(const X& x, const Y& y, double value) {
  std::size_t i = 1;
  while (i + 1 < y.size() && y[i] < value) ++i;
  const double step = y[i] - y[i - 1];
  const double part = step > 0.0 ? std::clamp((value - y[i - 1]) / step, 0.0, 1.0) : 0.0;
  return x[i - 1] + part * (x[i] - x[i - 1]);
}

/// The entries of a row; `values` in [0, 1].
template <class Row>
void put_pairs(const Row& values, float* out) {
  const auto bits_of = [&](std::size_t i) { return static_cast<std::uint32_t>(std::lround(65535.0 * values[i])); };
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = math::float_of(bits_of(i) | bits_of(std::min(i + 1, values.size() - 1)) << 16U);
  }
}

/// The numbers of may_show_drop(), from the powers of the table.
void put_bounds(std::vector<float>& table) {
  using T = DropTable;
  constexpr double kEntry = (double{T::kMostLogCount} - double{T::kLeastLogCount}) / (T::kCounts - 1);
  constexpr double kRounding = 1e-4;  // of strongest_drop(), relative
  for (std::size_t k = 0; k < T::kCounts; ++k) {
    std::uint32_t bits = 0;  // of the strongest drop before any surface
    for (std::size_t j = 0; j < kDropRanges; ++j) {
      bits = std::max(bits, math::bits_of(table[T::kPowerOf + j * T::kCounts + k]) & 0xffffU);
    }
    const double power = (1.0 + kRounding) * math::exp(double{T::kLogNoPower} + double{table[T::kPowerBit]} * bits);
    const double next = math::exp(double{T::kLeastLogCount} + kEntry * static_cast<double>(k + 1));
    const double share = (1.0 + kRounding) * (1.0 - math::exp(-next));  // up to the next entry, drops have this power
    const double products[] = {share, share * share * power, share * power, share * power * power};
    if (power < double{T::kLeastPower}) break;
    for (std::size_t m = 0; m < 4; ++m) {
      table[T::kMost + m] = std::max(table[T::kMost + m], static_cast<float>(products[m]));
    }
  }
}

}  // namespace

std::vector<float> DropTable::make(const DropLaw& law) {
  std::vector<float> table(kSize, 0.0F);
  const double log_nearest = math::log(law.nearest_m), log_least = math::log(double{kLeastPower});
  const double range_step = (math::log(double{kFarthestM}) - log_nearest) / (kRanges - 1);
  const double log_most = math::log(law.reflectivity / (law.nearest_m * law.nearest_m));
  const double power_step = (log_most - log_least) / (kPowers - 1), log_no_power = double{kLogNoPower};
  table[kExtinction] = static_cast<float>(law.extinction_per_m());
  table[kLogNearest] = static_cast<float>(log_nearest);
  table[kPerRange] = static_cast<float>(1.0 / range_step), table[kPerPower] = static_cast<float>(1.0 / power_step);
  table[kRangeBit] = static_cast<float>((kRanges - 1) * range_step / 65535.0);
  table[kPowerBit] = static_cast<float>((log_most - log_no_power) / 65535.0);
  AlongRange ranges, log_ranges;
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    log_ranges[j] = log_nearest + range_step * static_cast<double>(j);
    ranges[j] = math::exp(log_ranges[j]);
  }
  std::array<AlongRange, kPowers> counts;
  for (std::size_t i = 0; i < kPowers; ++i) {
    const DropsAbove drops(law, math::exp(log_least + power_step * static_cast<double>(i)));
    counts[i] = integrals(ranges, [&](double r) { return drops.density(r); });
    AlongRange shares = integrals(ranges, [&](double r) { return drops.slope(r); });
    double full = 0.0;
    for (std::size_t j = 1; j < ranges.size(); ++j) {
      full += drops.slope_of_full_beam(ranges[j - 1], ranges[j]);
      shares[j] += full;
    }
    const double all = shares.back();
    for (double& share : shares) share = all > 0.0 ? share / all : 1.0;
    put_pairs(shares, &table[kShareOf + i * kRanges]);
    std::array<double, kShares> places;
    for (std::size_t k = 0; k < kShares; ++k) {
      const double rest = 1.0 - static_cast<double>(k) / (kShares - 1);
      places[k] = (inverse(log_ranges, shares, 1.0 - rest * rest) - log_nearest) / (range_step * (kRanges - 1));
    }
    put_pairs(places, &table[kRangeOf + i * kShares]);
  }
  // Counts fall with the power: from the strongest power on they grow.
  std::array<double, kPowers> log_powers, log_counts;
  for (std::size_t i = 0; i < kPowers; ++i) log_powers[i] = log_most - power_step * static_cast<double>(i);
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    for (std::size_t i = 0; i < kPowers; ++i) {
      const double count = counts[kPowers - 1 - i][j];
      log_counts[i] = count > 0.0 ? math::log(count) : -1e3;
    }
    std::array<double, kCounts> heights;
    for (std::size_t k = 0; k < kCounts; ++k) {
      const double log_count = double{kLeastLogCount} + (double{kMostLogCount} - double{kLeastLogCount}) *
                                                            static_cast<double>(k) / (kCounts - 1);
      const bool is_weaker = !(log_counts.back() > log_count);
      const double log_power = is_weaker ? log_no_power : inverse(log_powers, log_counts, log_count);
      heights[k] = (log_power - log_no_power) / (log_most - log_no_power);
    }
    put_pairs(heights, &table[kPowerOf + j * kCounts]);
  }
  put_bounds(table);
  return table;
}

namespace {

template <class Model>
DropLaw drops_of(const Model& p, double per_m3_mm, double per_mm, double reflectivity) {
  const float rad = p.beam_rad > 0.0F ? p.beam_rad : kUsualBeamRad;
  return {per_m3_mm, per_mm, reflectivity, double{p.beam_m}, double{rad}, double{p.nearest_m}};
}

/// Air with droplets from `begin_m` on, over `span_m`. `light(r)`: of the droplets at r, per metre.
template <class Light>
class SoftPeaks {
 public:
  SoftPeaks(double pulse_m, double begin_m, double span_m, std::size_t cells, Light light)
      : pulse_m_(pulse_m),
        begin_m_(begin_m),
        step_m_(span_m / static_cast<double>(kFiner * (cells - 1))),
        cells_(cells) {
    const auto wave_at = [&](double r) { return math::sincos(std::numbers::pi * r / pulse_m); };
    waves_.push_back(wave_at(begin_m));
    for (std::size_t i = 0; i < kFiner * (cells - 1); ++i) {
      const double r = begin_m + step_m_ * (static_cast<double>(i) + 0.5), value = step_m_ * light(r);
      const auto [sine, cosine] = wave_at(r);
      plain_.push_back(plain_.back() + value);
      cosine_.push_back(cosine_.back() + value * cosine), sine_.push_back(sine_.back() + value * sine);
      waves_.push_back(wave_at(begin_m + step_m_ * static_cast<double>(i + 1)));
    }
  }

  /// The largest return of the droplets before each cell's range, times `scale`, and its place: [cells, 2].
  void tabulate(double scale, float* out) const {
    out[1] = static_cast<float>(begin_m_);
    std::vector<double> sums(plain_.size());
    for (std::size_t cell = 1; cell < cells_; ++cell) {
      for (std::size_t at = 0; at < sums.size(); ++at) sums[at] = sum_at(at, kFiner * cell);
      const auto best = static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
      // The top of a parabola: from one step to the next, the place would jump with the visibility.
      const bool is_inside = best > 0 && best + 1 < sums.size();
      const double left = is_inside ? sums[best - 1] : sums[best], right = is_inside ? sums[best + 1] : sums[best];
      const double bend = left - 2.0 * sums[best] + right, off = bend < 0.0 ? 0.5 * (left - right) / bend : 0.0;
      const double r = begin_m_ + step_m_ * (static_cast<double>(best) + std::clamp(off, -0.5, 0.5));
      out[2 * cell] = static_cast<float>(scale * sums[best]);
      out[2 * cell + 1] = static_cast<float>(std::max(r - pulse_m_, begin_m_));
    }
  }

 private:
  /// The return at step `at` of the droplets before step `end`.
  [[nodiscard]] double sum_at(std::size_t at, std::size_t end) const {
    const auto pulse_steps = static_cast<std::size_t>(std::lround(2.0 * pulse_m_ / step_m_));
    const std::size_t first = at > pulse_steps ? at - pulse_steps : 0, last = std::max(first, std::min(at, end));
    // sin^2(x) = (1 - cos(2 x)) / 2
    return 0.5 * (plain_[last] - plain_[first] - waves_[at].cos * (cosine_[last] - cosine_[first]) -
                  waves_[at].sin * (sine_[last] - sine_[first]));
  }

  static constexpr std::size_t kFiner = 8;  ///< steps of the integrals in a cell

  double pulse_m_, begin_m_, step_m_;
  std::size_t cells_;
  /// Integrals over the light, and over its products with the cosine and the sine of pi r / l, which make the pulse's.
  std::vector<double> plain_ = {0.0}, cosine_ = {0.0}, sine_ = {0.0};
  std::vector<math::SinCos64> waves_;  ///< at the steps
};

}  // namespace

std::vector<float> Fog::tabulate() const {
  const double begin = double{crossover_begin_m}, rise = std::max(double{crossover_end_m} - begin, 1e-9);
  const double length = double{pulse_m}, alpha = double{extinction()}, scale = std::numbers::pi * double{backscatter()};
  std::vector<float> table(kScale + 1, 0.0F);
  table[kExtinction] = extinction(), table[kScale] = static_cast<float>(scale);
  const auto of_fog = [&](double r) {
    return std::min((r - begin) / rise, 1.0) * math::exp(-2.0 * alpha * r) / (r * r);
  };
  SoftPeaks(length, begin, double{table_span_m()}, kRanges, of_fog).tabulate(scale, table.data());
  SoftPeaks(length, 0.0, 2.0 * length, kRanges, [&](double r) {
    return math::exp(-2.0 * alpha * r);
  }).tabulate(scale, table.data() + kCloudOf);
  return table;
}

DropLaw Rain::drops() const {
  constexpr double kRatio = (1.328 - 1.0) / (1.328 + 1.0);
  const double rate = double{rate_mm_per_h};
  if (!(rate > 0.0)) return drops_of(*this, 0.0, 1.0, 1.0);
  return drops_of(*this, 8000.0, 4.1 * math::exp(-0.21 * math::log(rate)), kRatio * kRatio);
}

DropLaw Snow::drops() const {
  const double rate = double{rate_mm_per_h};
  if (!(rate > 0.0)) return drops_of(*this, 0.0, 1.0, 1.0);
  return drops_of(*this, 7600.0 * math::exp(-0.87 * math::log(rate)), 2.55 * math::exp(-0.48 * math::log(rate)), 0.9);
}

}  // namespace fathom
