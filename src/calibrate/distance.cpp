// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/calibrate.hpp>

#include "base/text.hpp"
#include "calibrate/search.hpp"
#include "fit/covariance.hpp"
#include "text/text_lines.hpp"

namespace fathom {

namespace {

std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

void check_energy_value(const LogLine& line, std::size_t column, double value) {
  if (column == 1 && value != 0.0 && value != 1.0) {
    line.fail(fmt::format("lost = {} is not 0 or 1", number_text(value)));
  }
}

}  // namespace

void append_pairs(const Frame& frame, RangePairs& pairs) {
  const auto reason = frame.reason();
  const auto range = frame.range_m(), expected = frame.clean_range_m();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (reason[i] != Reason::kHit) continue;
    pairs.range_m.push_back(range[i]);
    pairs.expected_m.push_back(expected[i]);
  }
}

void append_pairs(const Frame& frame, EnergyPairs& pairs) {
  const auto reason = frame.reason();
  const auto energy = frame.energy();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const std::optional<std::uint8_t> lost = lost_by_energy(reason[i]);
    if (!lost) continue;
    pairs.energy.push_back(energy[i]);
    pairs.lost.push_back(*lost);
  }
}

RangePairs read_range_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 3> kColumns = {{{"range_m"}, {"expected_m"}, {"scan", false}}};
  const auto columns = read_csv_columns(file, kColumns, [](const LogLine& line, std::size_t column, double value) {
    if (column == 1) check_expected(line, value);
    if (column == 2) check_scan(line, value, 0.0);
  });
  RangePairs pairs = {narrow(columns[0]), narrow(columns[1])};
  for (const double scan : columns[2]) pairs.scan.push_back(static_cast<std::uint32_t>(scan));
  return pairs;
}

EnergyPairs read_energy_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 2> kColumns = {{{"energy"}, {"lost"}}};
  const auto columns = read_csv_columns(file, kColumns, check_energy_value);
  return {narrow(columns[0]), {columns[1].begin(), columns[1].end()}};
}

namespace {

constexpr double kLogTwoPi = 1.83787706640934548356;
constexpr std::size_t kShares = 65;  // of the first look at [0, 1]
constexpr double kShareTolerance = 1e-9;

/// Errors of pairs with finite ranges. Arrays [pairs].
struct DistanceErrors {
  std::vector<double> error_m, expected_m;
  std::vector<std::uint32_t> scan = {};  ///< empty if unknown
  double mean_expected_m = 0.0;
  bool one_range = true;  ///< all expected ranges are equal
};

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

/// The law at one pair.
struct PairScore {
  double d, s, u;  ///< expected range, deviation there, error by it

  PairScore(const DistanceErrors& e, std::size_t i, const DistanceCalibration& at)
      : d(e.expected_m[i]), s(at.stddev_m.value + at.stddev_per_m.value * d), u((e.error_m[i] - at.mean_m.value) / s) {}
  /// By mean, stddev and stddev_per_m.
  [[nodiscard]] Eigen::Vector3d slopes() const {
    const double by_sigma = (u * u - 1.0) / s;
    return {u / s, by_sigma, by_sigma * d};
  }
  /// Adds minus the second derivatives below the diagonal.
  void add_information(Eigen::Matrix3d& h) const {
    const double inverse2 = 1.0 / (s * s), by_sigma = (3.0 * u * u - 1.0) * inverse2, mixed = 2.0 * u * inverse2;
    h(0, 0) += inverse2;
    h(1, 0) += mixed, h(2, 0) += mixed * d;
    h(1, 1) += by_sigma, h(2, 1) += by_sigma * d, h(2, 2) += by_sigma * d * d;
  }
};

/// The block of the scan of each pair: scans by their numbers, in stretches.
std::vector<std::size_t> blocks_of(const DistanceErrors& e, std::size_t asked, std::size_t& count) {
  std::vector<std::uint32_t> scans = e.scan;
  std::sort(scans.begin(), scans.end());
  scans.erase(std::unique(scans.begin(), scans.end()), scans.end());
  const TrajectoryBlocks blocks(scans.size(), asked);
  count = blocks.count;
  std::vector<std::size_t> block;
  block.reserve(e.scan.size());
  for (const std::uint32_t scan : e.scan) {
    const auto at = std::lower_bound(scans.begin(), scans.end(), scan);
    block.push_back(blocks.of_scan(static_cast<std::uint64_t>(at - scans.begin())));
  }
  return block;
}

BlockMoves moves_of(const DistanceErrors& e, const DistanceCalibration& at, const Eigen::Matrix3d& inverse,
                    std::size_t asked, std::size_t& count) {
  const std::vector<std::size_t> block = blocks_of(e, asked, count);
  BlockMoves moves = {Eigen::MatrixXd::Zero(count, 3), Eigen::MatrixXd::Zero(count, 3)};
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Eigen::RowVector3d move = (inverse * PairScore(e, i, at).slopes()).transpose();
    moves.moved.row(block[i]) += move, moves.told.row(block[i]) += move.cwiseAbs2();
  }
  return moves;
}

/// Errors and intervals of the parameters `free` of mean, stddev and stddev_per_m, with the flags of their blocks.
void add_distance_errors(const DistanceErrors& errors, const std::vector<std::size_t>& free,
                         const DistanceCalibrationOptions& options, DistanceCalibration& out) {
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < errors.error_m.size(); ++i) PairScore(errors, i, out).add_information(information);
  const auto inverse = inverse_of(information, free, 1e-14);
  if (!inverse) return;
  const bool knows_scans = !errors.scan.empty();
  const BlockMoves moves = moves_of(errors, out, *inverse, options.stretches, out.clusters);
  if (knows_scans && out.clusters == 1) {
    out.findings.push_back({Severity::kNote, "one_block", one_block_flag("readings")});
    return;
  }
  const BartlettWeights weights(out.clusters, options.stretches > 0);
  const ParameterErrors of = parameter_errors(inverse->diagonal(), moves, weights);
  const std::array<IntervalEstimate*, 3> parameters = {&out.mean_m, &out.stddev_m, &out.stddev_per_m};
  for (const std::size_t k : free) {
    IntervalEstimate& p = *parameters[k];
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const Interval interval = interval_about(p.value, of.half_width[k], {k == 0 ? -kNone : 0.0, kNone});
    p.std_error = of.error[k], p.naive_error = of.naive[k];
    p.low_95 = interval.low, p.high_95 = interval.high;
  }
  out.stretches = knows_scans ? options.stretches : 0;
  if (!knows_scans) {
    out.findings.push_back(
        {Severity::kNote, "no_scans",
         "nothing tells which pairs are of one scan: standard errors take all as independent, and are too small where "
         "pairs of a scan, or of a place, are correlated"});
  } else if (const std::string few = few_blocks_flag(out.clusters, options.stretches); !few.empty()) {
    out.findings.push_back({Severity::kNote, "few_blocks", few});
  }
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
    out.findings.push_back(
        {Severity::kNote, "one_range",
         "all expected ranges are equal: what grows with range cannot be distinguished from what does not"});
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
    out.findings.push_back(
        {Severity::kNote, "no_error", "all errors are equal: the deviation is 0 and has no standard error"});
    return out;
  }
  const auto flag_zero = [&](std::string_view name) {
    out.findings.push_back({Severity::kNote, "at_limit", fmt::format("{} is at its boundary 0", name)});
  };
  const bool at_zero = share <= kShareTolerance, at_one = share >= 1.0 - kShareTolerance;
  if (at_zero && !e.one_range) flag_zero(DistanceNoise::kStddevPerM);
  if (at_one) flag_zero(DistanceNoise::kStddev);
  std::vector<std::size_t> free = {0};
  if (!at_one) free.push_back(1);
  if (!at_zero) free.push_back(2);
  add_distance_errors(e, free, options, out);
  return out;
}

}  // namespace fathom
