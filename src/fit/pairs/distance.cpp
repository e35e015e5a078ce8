// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/fit/calibrate.hpp>

#include "core/text.hpp"
#include "core/text/text_lines.hpp"
#include "fit/chain/chain_likelihood.hpp"
#include "fit/covariance.hpp"
#include "fit/newton.hpp"

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
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Errors of pairs with finite ranges. Arrays [pairs].
struct DistanceErrors {
  std::vector<double> error_m, expected_m;
  std::vector<std::uint32_t> scan = {};  ///< empty if unknown

  [[nodiscard]] bool knows_scans() const { return !scan.empty(); }
  [[nodiscard]] Eigen::Map<const Eigen::ArrayXd> error() const { return {error_m.data(), rows()}; }
  [[nodiscard]] Eigen::Map<const Eigen::ArrayXd> expected() const { return {expected_m.data(), rows()}; }
  [[nodiscard]] Eigen::Index rows() const { return static_cast<Eigen::Index>(error_m.size()); }
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
    e.error_m.push_back(range - expected), e.expected_m.push_back(expected);
    if (!pairs.scan.empty()) e.scan.push_back(pairs.scan[i]);
  }
  out.pairs = e.error_m.size();
  if (out.pairs < 3) {
    throw InputError(fmt::format("{} pairs with finite ranges above 0: at least 3 are needed", out.pairs));
  }
  return e;
}

/// For one share: sigma_i = scale g_i, g_i = (1 - share) + share d_i / mean d. Mean and scale that are best for it.
struct ShareProfile {
  double mean_m, scale_m, log_likelihood;

  ShareProfile(const DistanceErrors& e, double share) {
    const auto n = static_cast<double>(e.rows());
    const Eigen::ArrayXd g = (1.0 - share) + share / e.expected().mean() * e.expected();
    const Eigen::ArrayXd weight = g.square().inverse();
    mean_m = (weight * e.error()).sum() / weight.sum();
    scale_m = std::sqrt(((e.error() - mean_m) / g).square().mean());
    log_likelihood = -n * (std::log(scale_m) + 0.5 * (kLogTwoPi + 1.0)) - g.log().sum();
  }
};

/// The law at all pairs: mean, stddev and stddev_per_m move the log density of pair i by row i of `slopes`.
struct LawSlopes {
  Eigen::Matrix3d information;  ///< minus the second derivatives, below the diagonal
  Eigen::MatrixX3d slopes;

  LawSlopes(const DistanceErrors& e, const DistanceCalibration& at) : slopes(e.rows(), 3) {
    const auto& d = e.expected();
    const Eigen::ArrayXd sigma = at.stddev_m.value + at.stddev_per_m.value * d;
    const Eigen::ArrayXd u = (e.error() - at.mean_m.value) / sigma, weight = sigma.square().inverse();
    const Eigen::ArrayXd mixed = 2.0 * u * weight, of_sigma = (3.0 * u.square() - 1.0) * weight;
    information.setZero();
    information.diagonal() << weight.sum(), of_sigma.sum(), (of_sigma * d.square()).sum();
    information(1, 0) = mixed.sum(), information(2, 0) = (mixed * d).sum(), information(2, 1) = (of_sigma * d).sum();
    const Eigen::ArrayXd by_sigma = (u.square() - 1.0) / sigma;
    slopes << (u / sigma).matrix(), by_sigma.matrix(), (by_sigma * d).matrix();
  }
};

/// Errors and intervals of the parameters `free` of mean, stddev and stddev_per_m, with the flags of their blocks.
void add_distance_errors(const DistanceErrors& errors, const std::vector<std::size_t>& free,
                         const DistanceCalibrationOptions& options, DistanceCalibration& out) {
  const LawSlopes law(errors, out);
  const auto inverse = inverse_of(law.information, free, 1e-14);
  if (!inverse) return;
  const std::vector<std::uint32_t> block = blocks_of(errors.scan, options.stretches);
  out.clusters = block.empty() ? 0 : std::size_t{std::ranges::max(block)} + 1;
  if (errors.knows_scans() && out.clusters == 1) {
    out.findings.push_back({Severity::kNote, "one_block", one_block_flag("readings")});
    return;
  }
  const Eigen::MatrixXd moved = law.slopes * *inverse;
  BlockMoves moves = {Eigen::MatrixXd::Zero(out.clusters, 3), Eigen::MatrixXd::Zero(out.clusters, 3)};
  for (std::size_t i = 0; i < block.size(); ++i) {
    moves.moved.row(block[i]) += moved.row(i), moves.told.row(block[i]) += moved.row(i).cwiseAbs2();
  }
  const ParameterErrors of =
      parameter_errors(inverse->diagonal(), moves, BartlettWeights(out.clusters, options.stretches > 0));
  const std::array<IntervalEstimate*, 3> parameters = {&out.mean_m, &out.stddev_m, &out.stddev_per_m};
  for (const std::size_t k : free) {
    IntervalEstimate& p = *parameters[k];
    const Interval interval = interval_about(p.value, of.half_width[k], {k == 0 ? -kUnbounded : 0.0, kUnbounded});
    p.std_error = of.error[k], p.naive_error = of.naive[k];
    p.low_95 = interval.low, p.high_95 = interval.high;
  }
  out.stretches = errors.knows_scans() ? options.stretches : 0;
  if (!errors.knows_scans()) {
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
  const auto note = [&](std::string_view code, const std::string& text) {
    out.findings.push_back({Severity::kNote, std::string(code), text});
  };
  const DistanceErrors e = gather(pairs, out);
  const bool one_range = (e.expected() == e.expected_m.front()).all();
  double share = 0.0;
  if (one_range) {
    note("one_range",
         "all expected ranges are equal: what grows with range cannot be distinguished from what does not");
  } else {
    std::vector<double> shares;
    for (std::size_t i = 0; i < kShares; ++i) shares.push_back(static_cast<double>(i) / (kShares - 1));
    share = highest(shares, [&](double s) { return ShareProfile(e, s).log_likelihood; }).x;
  }
  const ShareProfile best(e, share);
  out.mean_m = no_error(best.mean_m);
  out.stddev_m = no_error(best.scale_m * (1.0 - share));
  out.stddev_per_m = no_error(best.scale_m * share / e.expected().mean());
  out.log_likelihood = best.log_likelihood;
  if (!(best.scale_m > 0.0)) {
    out.mean_m.std_error = 0.0;
    note("no_error", "all errors are equal: the deviation is 0 and has no standard error");
    return out;
  }
  const bool at_zero = share <= kShareTolerance, at_one = share >= 1.0 - kShareTolerance;
  const auto flag_zero = [&](std::string_view name) { note("at_limit", fmt::format("{} is at its boundary 0", name)); };
  if (at_zero && !one_range) flag_zero(DistanceNoise::kStddevPerM);
  if (at_one) flag_zero(DistanceNoise::kStddev);
  std::vector<std::size_t> free = {0};
  if (!at_one) free.push_back(1);
  if (!at_zero) free.push_back(2);
  add_distance_errors(e, free, options, out);
  return out;
}

}  // namespace fathom
