// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/fit/calibrate.hpp>

#include "core/text.hpp"
#include "core/text/text_lines.hpp"
#include "fit/estimator.hpp"
#include "fit/frames/chain_frames.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

void check_energy_value(const LogLine& line, std::size_t column, double value) {
  if (column == 1 && value != 0.0 && value != 1.0) {
    line.fail(fmt::format("lost = {} is not 0 or 1", number_text(value)));
  }
}

}  // namespace

void RangePairs::append(const Frame& frame) {
  const auto reason = frame.reason();
  const auto range = frame.range_m(), expected = frame.clean_range_m();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (reason[i] != Reason::kHit) continue;
    range_m.push_back(range[i]);
    expected_m.push_back(expected[i]);
  }
}

void EnergyPairs::append(const Frame& frame) {
  const auto reason = frame.reason();
  const auto energies = frame.energy();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const std::optional<std::uint8_t> is_lost = lost_by_energy(reason[i]);
    if (!is_lost) continue;
    energy.push_back(energies[i]);
    lost.push_back(*is_lost);
  }
}

RangePairs read_range_csv(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 3> kColumns = {{{"range_m"}, {"expected_m"}, {"scan", false}}};
  const auto columns = read_csv_columns(file, kColumns, [](const LogLine& line, std::size_t column, double value) {
    if (column == 1) check_expected(line, value);
    if (column == 2) check_scan(line, value, 0.0);
  });
  RangePairs pairs = {narrow(columns[0]), narrow(columns[1])};
  for (const double scan : columns[2]) pairs.scan.push_back(static_cast<std::uint32_t>(scan));
  return pairs;
}

EnergyPairs read_energy_csv(const std::filesystem::path& file) {
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

/// error ~ Normal(mean, (stddev + stddev_per_m d)^2) at the expected range d, by mean_m, stddev_m and stddev_per_m.
class DistanceLikelihood {
 public:
  explicit DistanceLikelihood(const DistanceErrors& errors) : e_(errors) {
    for (const auto& field : DistanceNoise::fields()) parameters_.push_back(parameter_of(field));
  }

  [[nodiscard]] std::size_t size() const { return e_.error_m.size(); }
  [[nodiscard]] std::size_t parameters() const { return kLimits.size(); }
  [[nodiscard]] static std::span<const Interval> limits() { return kLimits; }
  [[nodiscard]] static Interval limits(std::size_t k) { return kLimits[k]; }
  [[nodiscard]] double total(std::span<const double> values) const {
    const Eigen::ArrayXd sigma = values[1] + values[2] * e_.expected();
    const auto n = static_cast<double>(e_.rows());
    return -(sigma.log() + 0.5 * ((e_.error() - values[0]) / sigma).square()).sum() - 0.5 * n * kLogTwoPi;
  }
  /// The global maximum: all shares of the deviation that grow with range are searched.
  EmStep m_step(std::vector<double>& values, double /*before*/) {
    if (!share_) share_ = has_one_range() ? 0.0 : best_share();
    const ShareProfile best(e_, *share_);
    values = {best.mean_m, best.scale_m * (1.0 - *share_), best.scale_m * *share_ / e_.expected().mean()};
    return {best.log_likelihood, values};
  }
  [[nodiscard]] static bool has_settled() { return true; }
  [[nodiscard]] Slope slope(std::span<const double> values, std::span<const double> /*steps*/) const {
    const auto& d = e_.expected();
    const Eigen::ArrayXd sigma = values[1] + values[2] * d, weight = sigma.square().inverse();
    const Eigen::ArrayXd u = (e_.error() - values[0]) / sigma;
    const Eigen::ArrayXd mixed = 2.0 * u * weight, of_sigma = (3.0 * u.square() - 1.0) * weight;
    const double by_mean = mixed.sum(), by_both = (of_sigma * d).sum(), mean_and_growth = (mixed * d).sum();
    return {scores(values).colwise().sum().transpose(),
            Eigen::Matrix3d{{weight.sum(), by_mean, mean_and_growth},
                            {by_mean, of_sigma.sum(), by_both},
                            {mean_and_growth, by_both, (of_sigma * d.square()).sum()}}};
  }
  /// [pairs, parameters] Slopes of the log density of each pair.
  [[nodiscard]] Eigen::MatrixXd scores(std::span<const double> values) const {
    const auto& d = e_.expected();
    const Eigen::ArrayXd sigma = values[1] + values[2] * d, u = (e_.error() - values[0]) / sigma;
    const Eigen::ArrayXd by_sigma = (u.square() - 1.0) / sigma;
    Eigen::MatrixXd slopes(e_.rows(), 3);
    slopes << (u / sigma).matrix(), by_sigma.matrix(), (by_sigma * d).matrix();
    return slopes;
  }

  [[nodiscard]] bool has_one_range() const { return (e_.expected() == e_.expected_m.front()).all(); }
  /// Of the deviation at the mean range, the share that grows with range. Known after m_step().
  [[nodiscard]] double share() const { return *share_; }
  /// Without values, as kUnidentified.
  [[nodiscard]] const std::vector<Fit::Parameter>& unlearned() const { return parameters_; }

 private:
  static constexpr std::array<Interval, 3> kLimits = {
      {{-kUnbounded, kUnbounded}, {0.0, kUnbounded}, {0.0, kUnbounded}}};

  [[nodiscard]] double best_share() const {
    std::vector<double> shares;
    for (std::size_t i = 0; i < kShares; ++i) shares.push_back(static_cast<double>(i) / (kShares - 1));
    return highest(shares, [&](double s) { return ShareProfile(e_, s).log_likelihood; }).x;
  }

  const DistanceErrors& e_;
  std::optional<double> share_;
  std::vector<Fit::Parameter> parameters_;
};
static_assert(EmLikelihood<DistanceLikelihood> && SlopedLikelihood<DistanceLikelihood>);

/// Errors and intervals of parameters inside their limits, with the notes on their blocks.
void add_distance_errors(const DistanceErrors& errors, const DistanceLikelihood& likelihood,
                         std::span<const double> values, std::size_t stretches, DistanceCalibration& out) {
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (out.parameters[k].status == Fit::Status::kUnidentified) free.push_back(k);
  }
  const auto inverse = inverse_of(likelihood.slope(values, {}).information, free, 1e-14);
  if (!inverse) return;
  const std::vector<std::uint32_t> block = blocks_of(errors.scan, stretches);
  const std::size_t blocks = block.empty() ? 0 : std::size_t{std::ranges::max(block)} + 1;
  if (errors.knows_scans()) {
    out.blocks = blocks, out.block = stretches > 0 ? "stretch" : "scan";
    note_few_blocks(blocks, stretches, false, "readings", out);
    if (blocks < 2) return;
  } else {
    out.note("no_scans",
             "nothing tells which pairs are of one scan: standard errors take all as independent, and are too small "
             "where pairs of a scan, or of a place, are correlated");
  }
  const Eigen::MatrixXd moved = likelihood.scores(values) * *inverse;
  BlockMoves moves = {Eigen::MatrixXd::Zero(blocks, 3), Eigen::MatrixXd::Zero(blocks, 3)};
  for (std::size_t i = 0; i < block.size(); ++i) {
    moves.moved.row(block[i]) += moved.row(i), moves.told.row(block[i]) += moved.row(i).cwiseAbs2();
  }
  take_errors(parameter_errors(inverse->diagonal(), moves, BartlettWeights(blocks, stretches > 0)),
              DistanceLikelihood::limits(), true, out);
}

}  // namespace

DistanceNoise DistanceCalibration::noise() const {
  const auto value = [&](std::string_view name) { return static_cast<float>((*this)[name].value); };
  return {value(DistanceNoise::kMean), value(DistanceNoise::kStddev), value(DistanceNoise::kStddevPerM)};
}

DistanceCalibration calibrate_distance(const RangePairs& pairs, std::size_t stretches) {
  if (stretches > DistanceCalibration::kMostStretches) {
    throw InputError(fmt::format("stretches = {} is not in [0, {}]", stretches, DistanceCalibration::kMostStretches));
  }
  DistanceCalibration out;
  const DistanceErrors e = gather(pairs, out);
  DistanceLikelihood likelihood(e);
  const Maximum maximum = maximise(likelihood, std::vector<double>(3), {.max_iterations = 0});
  out.parameters = likelihood.unlearned(), out.log_likelihood = maximum.log_likelihood;
  out.blocks = out.pairs, out.block = "pair";
  for (std::size_t k = 0; k < 3; ++k) out.parameters[k].value = maximum.values[k];
  if (likelihood.has_one_range()) {
    out.note("one_range",
             "all expected ranges are equal: what grows with range cannot be distinguished from what does not");
  }
  const double share = likelihood.share();
  const bool at_zero = share <= kShareTolerance, at_one = share >= 1.0 - kShareTolerance;
  if (!(maximum.values[1] + maximum.values[2] > 0.0)) {
    out.parameters[0].std_error = 0.0, out.parameters[0].status = Fit::Status::kLearned;
    out.parameters[1].status = out.parameters[2].status = Fit::Status::kAtLimit;
    out.findings.push_back({Finding::Severity::kUnusable, "no_error",
                            "all errors are equal: the deviation is 0 and has no standard error"});
    return out;
  }
  constexpr std::string_view kZero = "its boundary 0";
  add_limit_flag(at_zero && !likelihood.has_one_range(), DistanceNoise::kStddevPerM, kZero, out);
  add_limit_flag(at_one, DistanceNoise::kStddev, kZero, out);
  if (at_zero) out.parameters[2].status = Fit::Status::kAtLimit;
  add_distance_errors(e, likelihood, maximum.values, stretches, out);
  return out;
}

}  // namespace fathom
