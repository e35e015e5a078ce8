// SPDX-License-Identifier: MIT
#include "calibrate/patch_sums.hpp"

#include <cmath>

#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

void add_to(ByLag& sum, const ByLag& more) {
  for (std::size_t lag = 0; lag < kLagCount; ++lag) sum[lag] += more[lag];
}

/// numerator / denominator, NaN where that is 0.
double ratio(double numerator, double denominator) { return denominator > 0.0 ? numerator / denominator : kNoNumber; }

ByLag by_first(const ByLag& values) {
  ByLag result{};
  for (std::size_t lag = 0; lag < kLagCount; ++lag) result[lag] = ratio(values[lag], values[0]);
  return result;
}

ByLag scaled(const ByLag& values, double by) {
  ByLag result{};
  for (std::size_t lag = 0; lag < kLagCount; ++lag) result[lag] = values[lag] * by;
  return result;
}

}  // namespace

void GroupSums::add(const GroupSums& other) {
  patches += other.patches;
  add_to(lags.across, other.lags.across);
  add_to(lags.down, other.lags.down);
  square_m += other.square_m;
  add_to(in_time, other.in_time);
  add_to(both, other.both);
}

int roughness_bin(double mean_square) {
  if (!(mean_square > 0.0)) return std::numeric_limits<int>::min() / 2;
  int octave = 0;
  const double mantissa = std::frexp(mean_square, &octave);  // in [1/2, 1): exact, so no library's log decides
  return octave * kBinsPerOctave + static_cast<int>((mantissa - 0.5) * 2.0 * kBinsPerOctave);
}

int last_used_bin(const RoughnessBins& bins) {
  std::uint64_t all = 0, below = 0;
  for (const auto& [number, bin] : bins) all += bin.patches;
  for (const auto& [number, bin] : bins) {
    below += bin.patches;
    if (2 * below >= all) return number + 2 * kBinsPerOctave;  // two octaves: 4 times
  }
  return bins.rbegin()->first;
}

PatchSummary summarise(const GroupSums& sums) {
  PatchSummary summary;
  if (!(sums.patches > 0.0)) {
    summary.residual = summary.residual_m = summary.deviation = summary.deviation_m = kNoNumber;
    for (ByLag* lags : {&summary.residual_correlation.across, &summary.residual_correlation.down,
                        &summary.correlation.across, &summary.correlation.down, &summary.in_time}) {
      lags->fill(kNoNumber);
    }
    return summary;
  }
  const LagPair measured = {scaled(sums.lags.across, 1.0 / sums.patches), scaled(sums.lags.down, 1.0 / sums.patches)};
  const LagPair corrected = before_cubic(measured);
  summary.residual = std::sqrt(measured.across[0]);
  summary.residual_m = std::sqrt(sums.square_m / sums.patches);
  summary.deviation = std::sqrt(corrected.across[0]);
  const double put_back = measured.across[0] > 0.0 ? summary.deviation / summary.residual : 1.0;
  summary.deviation_m = summary.residual_m * put_back;
  summary.residual_correlation = {by_first(measured.across), by_first(measured.down)};
  summary.correlation = {by_first(corrected.across), by_first(corrected.down)};
  // The cubic takes the same share of both frames.
  for (std::size_t lag = 0; lag < kLagCount; ++lag) summary.in_time[lag] = ratio(sums.in_time[lag], sums.both[lag]);
  return summary;
}

std::vector<double> PatchSummary::estimates() const {
  std::vector<double> all = {deviation, deviation_m};
  for (const ByLag* lags : {&correlation.across, &correlation.down, &in_time}) {
    all.insert(all.end(), lags->begin() + 1, lags->end());
  }
  return all;
}

std::vector<double> jackknife_errors(const std::array<GroupSums, kPatchGroups>& groups) {
  std::vector<std::vector<double>> without;
  for (std::size_t left_out = 0; left_out < kPatchGroups; ++left_out) {
    if (!(groups[left_out].patches > 0.0)) continue;
    GroupSums rest;
    for (std::size_t group = 0; group < kPatchGroups; ++group) {
      if (group != left_out) rest.add(groups[group]);
    }
    without.push_back(summarise(rest).estimates());
  }
  std::vector<double> errors, of_one(without.size());
  for (std::size_t k = 0; k < PatchSummary{}.estimates().size(); ++k) {
    for (std::size_t group = 0; group < without.size(); ++group) of_one[group] = without[group][k];
    errors.push_back(jackknife_error(of_one));
  }
  return errors;
}

}  // namespace fathom
