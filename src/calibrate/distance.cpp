// SPDX-License-Identifier: MIT
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/calibrate.hpp>

#include "calibrate/distance_errors.hpp"
#include "calibrate/no_number.hpp"
#include "calibrate/search.hpp"

namespace fathom {

namespace {

constexpr double kLogTwoPi = 1.83787706640934548356;
constexpr std::size_t kShares = 65;  // of the first look at [0, 1]
constexpr double kShareTolerance = 1e-9;

DistanceErrors gather(const RangePairs& pairs, DistanceCalibration& out) {
  if (pairs.range_m.size() != pairs.expected_m.size()) {
    throw InputError(
        fmt::format("{} ranges given for {} expected ranges", pairs.range_m.size(), pairs.expected_m.size()));
  }
  if (!pairs.scan.empty() && pairs.scan.size() != pairs.range_m.size()) {
    throw InputError(fmt::format("{} scan numbers given for {} ranges", pairs.scan.size(), pairs.range_m.size()));
  }
  DistanceErrors e;
  for (std::size_t i = 0; i < pairs.range_m.size(); ++i) {
    const double range = pairs.range_m[i], expected = pairs.expected_m[i];
    const bool is_lost = !std::isfinite(range) || range <= 0.0;  // sensors write 0, or -1, too
    if (is_lost || !std::isfinite(expected)) {
      ++out.skipped;
      continue;
    }
    if (!(expected > 0.0)) throw InputError(fmt::format("pair {}: expected range {} m is not above 0", i, expected));
    e.error_m.push_back(range - expected);
    e.expected_m.push_back(expected);
    if (!pairs.scan.empty()) e.scan.push_back(pairs.scan[i]);
    e.mean_expected_m += expected;
    e.one_range = e.one_range && pairs.expected_m[i] == static_cast<float>(e.expected_m.front());
  }
  out.pairs = e.error_m.size();
  if (out.pairs < 3) {
    throw InputError(fmt::format("{} pairs with finite ranges above 0: at least 3 are needed", out.pairs));
  }
  e.mean_expected_m /= static_cast<double>(out.pairs);
  return e;
}

/// For one share: sigma_i = scale g_i, g_i = (1 - share) + share d_i / mean d. Mean and scale that are best for it.
struct Profile {
  double mean_m = 0.0, scale_m = 0.0, log_likelihood = 0.0;
};

Profile profile_of(const DistanceErrors& e, double share) {
  double weights = 0.0, weighted = 0.0, log_g = 0.0;
  const auto g_of = [&](std::size_t i) { return (1.0 - share) + share * e.expected_m[i] / e.mean_expected_m; };
  for (std::size_t i = 0; i < e.error_m.size(); ++i) {
    const double g = g_of(i), w = 1.0 / (g * g);
    weights += w;
    weighted += w * e.error_m[i];
    log_g += std::log(g);
  }
  Profile p;
  p.mean_m = weighted / weights;
  double squares = 0.0;
  for (std::size_t i = 0; i < e.error_m.size(); ++i) {
    const double r = (e.error_m[i] - p.mean_m) / g_of(i);
    squares += r * r;
  }
  const auto n = static_cast<double>(e.error_m.size());
  p.scale_m = std::sqrt(squares / n);
  p.log_likelihood = -n * (std::log(p.scale_m) + 0.5 * (kLogTwoPi + 1.0)) - log_g;
  return p;
}

IntervalEstimate no_error(double value) { return {{value, kNoNumber}}; }

}  // namespace

DistanceNoise DistanceCalibration::noise() const {
  return {static_cast<float>(mean_m.value), static_cast<float>(stddev_m.value), static_cast<float>(stddev_per_m.value)};
}

DistanceCalibration calibrate_distance(const RangePairs& pairs, const DistanceCalibrationOptions& options) {
  if (options.stretches > DistanceCalibrationOptions::kMostStretches) {
    throw InputError(
        fmt::format("stretches = {} is not in [0, {}]", options.stretches, DistanceCalibrationOptions::kMostStretches));
  }
  DistanceCalibration out;
  const DistanceErrors e = gather(pairs, out);
  double share = 0.0;
  if (e.one_range) {
    out.flags.emplace_back("all expected ranges are equal: what grows with range cannot be told from what does not");
  } else {
    std::vector<double> shares;
    for (std::size_t i = 0; i < kShares; ++i) shares.push_back(static_cast<double>(i) / (kShares - 1));
    share = highest(shares, kShareTolerance, [&](double s) { return profile_of(e, s).log_likelihood; }).x;
  }
  const Profile best = profile_of(e, share);
  out.mean_m = no_error(best.mean_m);
  out.stddev_m = no_error(best.scale_m * (1.0 - share));
  out.stddev_per_m = no_error(best.scale_m * share / e.mean_expected_m);
  out.log_likelihood = best.log_likelihood;
  if (!(best.scale_m > 0.0)) {
    out.mean_m.std_error = 0.0;
    out.flags.emplace_back("all errors are equal: the deviation is 0 and has no standard error");
    return out;
  }
  const auto flag_zero = [&](std::string_view name) {
    out.flags.push_back(fmt::format("{} is at its boundary 0", name));
  };
  const bool at_zero = share <= kShareTolerance, at_one = share >= 1.0 - kShareTolerance;
  if (at_zero && !e.one_range) flag_zero(DistanceNoise::kStddevPerM);
  if (at_one) flag_zero(DistanceNoise::kStddev);
  add_distance_errors(e, !at_one, !at_zero, options, out);
  return out;
}

}  // namespace fathom
