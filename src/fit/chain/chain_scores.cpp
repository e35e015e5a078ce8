// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/numbers.hpp"
#include "fit/chain/chain_likelihood.hpp"
#include "fit/chain/turned_rays.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

template <class T>
void take_places(std::vector<T>& values, std::span<const std::size_t> places) {
  if (values.empty()) return;  // not known
  for (std::size_t k = 0; k < places.size(); ++k) values[k] = values[places[k]];
  values.resize(places.size());
}

}  // namespace

std::uint32_t ChainFitOptions::stretches_of(const ChainReturns& returns) const {
  if (stretches) return *stretches;
  return returns.sensor_moved && block_frames == 1 ? kUsualStretches : 0;
}

Split split_frames(const ChainReturns& r, const ChainFitOptions& options) {
  Split split;
  split.stretches = options.stretches_of(r);
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (i == 0 || r.frame[i] != r.frame[i - 1]) ++split.frames;
    if (options.hold_out > 0 && split.frames % options.hold_out == 0) {
      split.judge.push_back(i);
    } else {
      split.learn.push_back(i);
      split.cluster.push_back(static_cast<std::uint32_t>((split.frames - 1) / options.block_frames));
    }
  }
  if (split.stretches > 0) split.cluster = blocks_of(split.cluster, split.stretches);
  return split;
}

ChainReturns returns_at(const ChainReturns& returns, std::span<const std::size_t> places) {
  ChainReturns r = returns;
  r.turned = {};
  for (auto* values : {&r.range_m, &r.clean_range_m, &r.clean_x_m, &r.clean_y_m, &r.incidence_rad, &r.energy, &r.light,
                       &r.edge_rad, &r.jump, &r.jump_rad, &r.hits.first_rad, &r.hits.second_rad}) {
    take_places(*values, places);
  }
  take_places(r.ring, places), take_places(r.frame, places);
  return r;
}

void check_returns(const ChainReturns& r) {
  const std::size_t n = r.size();
  for (const std::size_t size : {r.clean_range_m.size(), r.clean_x_m.size(), r.clean_y_m.size(), r.incidence_rad.size(),
                                 r.energy.size(), r.frame.size()}) {
    if (size != n) throw InputError(fmt::format("{} values given for {} returns", size, n));
  }
  for (const std::size_t size : {r.edge_rad.size(), r.jump.size(), r.jump_rad.size()}) {
    if (size != n && !(size == 0 && r.jump.empty())) {
      throw InputError(fmt::format("{} values of edges given for {} returns", size, n));
    }
  }
  if (!r.light.empty() && r.light.size() != n) {
    throw InputError(fmt::format("{} values of light given for {} returns", r.light.size(), n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(r.clean_range_m[i] > 0.0F)) {
      throw InputError(fmt::format("return {}: clean range {} m is not above 0", i, r.clean_range_m[i]));
    }
    if (!r.light.empty() && !(r.light[i] >= 0.0F)) {
      throw InputError(fmt::format("return {}: light {} is not at least 0", i, r.light[i]));
    }
    if (i > 0 && r.frame[i] < r.frame[i - 1]) throw InputError(fmt::format("return {}: frames do not ascend", i));
  }
  if (!r.ring.empty() && r.ring.size() != n) {
    throw InputError(fmt::format("{} rings given for {} returns", r.ring.size(), n));
  }
  check_turned(r.turned, n);
  check_hits(r.hits, n);
  if (!(r.beam_rad >= 0.0 && r.beam_rad <= 0.2)) {
    throw InputError(fmt::format("beam_rad = {} is not in [0, 0.2]", r.beam_rad));
  }
  if (!(r.least_power >= 0.0)) throw InputError(fmt::format("least_power = {} is not at least 0", r.least_power));
  if (!(r.half_step_m >= 0.0)) throw InputError(fmt::format("half_step_m = {} is not at least 0", r.half_step_m));
  if (!(r.min_range_m >= 0.0 && r.max_range_m > r.min_range_m)) {
    throw InputError(
        fmt::format("limits of the range, {} to {} m, are not 0 <= min < max", r.min_range_m, r.max_range_m));
  }
}

std::vector<FrameScore> frame_scores(const NoiseChain& chain, const ChainData& data) {
  const ChainReturns& returns = data.returns;
  const std::vector<double> nats = data.each(chain);
  std::vector<FrameScore> scores;
  for (std::size_t k = 0; k < nats.size(); ++k) {
    const std::size_t i = data.used[k];
    if (scores.empty() || scores.back().frame != returns.frame[i]) scores.push_back({.frame = returns.frame[i]});
    FrameScore& score = scores.back();
    ++score.returns, score.lost += std::isnan(returns.range_m[i]) ? 1 : 0;
    score.nats += nats[k];
  }
  for (FrameScore& score : scores) score.nats /= static_cast<double>(score.returns);
  return scores;
}

std::vector<FrameScore> score_frames(const NoiseChain& chain, const ChainReturns& returns, int threads) {
  check_returns(returns);
  std::vector<std::size_t> all(returns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto executor = make_executor(threads);
  return frame_scores(chain, {returns, all, *executor});
}

void check_scorable(const NoiseChain& chain) {
  ChainReturns all_known;  // without returns, but with all arrays that a model may need
  all_known.ring = {0};
  all_known.max_range_m = 1.0;
  all_known.edge_rad = all_known.jump = all_known.jump_rad = all_known.light = {0.0F};
  if (const auto turn = ray_turn(chain)) all_known.turned.axis = turn->axis;
  all_known.turned.angle_rad = {-1.0, 0.0, 1.0};
  static_cast<void>(ChainDensity(chain, all_known));
}

std::vector<std::uint16_t> ChainReturns::rings() const {
  std::vector<std::uint16_t> ascending = ring;
  std::ranges::sort(ascending);
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  return ascending;
}

MeanScore mean_score(std::span<const FrameScore> scores, std::uint32_t stretches) {
  if (scores.empty()) throw InputError("there is no frame to score");
  double count = 0.0, sum = 0.0;
  for (const FrameScore& s : scores) {
    const auto weight = static_cast<double>(s.returns);
    count += weight, sum += weight * s.nats;
  }
  const double mean = sum / count;
  const TrajectoryBlocks blocks(scores.size(), stretches);
  std::vector<double> off(blocks.count, 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    off[blocks.of_scan(i)] += static_cast<double>(scores[i].returns) * (scores[i].nats - mean);
  }
  const double square = BartlettWeights(off.size(), stretches > 0).variance_of_sum(off);
  return {mean, off.size() > 1 ? std::sqrt(square) / count : kNoNumber};
}

MeanScore score_difference(std::span<const FrameScore> scores, std::span<const FrameScore> others,
                           std::uint32_t stretches) {
  if (scores.size() != others.size()) {
    throw InputError(fmt::format("scores of {} frames and of {} cannot be compared", scores.size(), others.size()));
  }
  std::vector<FrameScore> apart(scores.begin(), scores.end());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i].frame != others[i].frame || scores[i].returns != others[i].returns) {
      throw InputError(fmt::format("frame {}: the scores are of other returns", scores[i].frame));
    }
    apart[i].nats -= others[i].nats;
  }
  return mean_score(apart, stretches);
}

namespace {

constexpr double kMostScenePart = 0.06, kMostSharedError = 0.5;
/// The share of readings that do not count on either side, and the deviations of a normal beyond which that share lies.
struct Outer {
  double share, deviations;
};
constexpr Outer kTenth = {0.1, 1.2815515655446004}, kQuarter = {0.25, 0.6744897501960817};
constexpr double kAlikePart = 0.1;  // neighbours whose clean ranges differ by more see different things
constexpr std::size_t kLeastToJudge = 500;

/// Measured less clean range.
double range_error_m(const ChainReturns& returns, std::size_t i) {
  return double{returns.range_m[i]} - double{returns.clean_range_m[i]};
}

BinShares empty_bins(std::vector<double> edges) {
  const std::size_t count = edges.empty() ? 0 : edges.size() - 1;
  return {std::move(edges), std::vector<double>(count, 0.0)};
}

/// Readings with their errors, in the order of rays.
struct SceneErrors {
  std::vector<double> clean_m, error_m;
  std::vector<std::uint32_t> frame;

  explicit SceneErrors(const ChainReturns& returns) {
    for (std::size_t i = 0; i < returns.size(); ++i) {
      if (std::isnan(returns.range_m[i])) continue;
      clean_m.push_back(double{returns.clean_range_m[i]});
      error_m.push_back(range_error_m(returns, i));
      frame.push_back(returns.frame[i]);
    }
  }
  [[nodiscard]] std::size_t size() const { return error_m.size(); }

  /// Takes bias and gain out, by least squares over the errors between the two limits.
  void take_line(double low_m, double high_m) {
    double n = 0.0, z = 0.0, zz = 0.0, e = 0.0, ze = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (error_m[i] < low_m || error_m[i] > high_m) continue;
      n += 1.0, z += clean_m[i], zz += clean_m[i] * clean_m[i], e += error_m[i], ze += clean_m[i] * error_m[i];
    }
    const double square = zz - z * z / n, gain = square > 1e-9 * zz ? (ze - z * e / n) / square : 0.0;
    const double bias = (e - gain * z) / n;
    for (std::size_t i = 0; i < size(); ++i) error_m[i] -= bias + gain * clean_m[i];
  }

  /// The correlation of the errors of readings that follow each other in a frame, cut off at either end.
  [[nodiscard]] double shared(double low_m, double high_m) const {
    double product = 0.0, square = 0.0;
    for (std::size_t i = 1; i < size(); ++i) {
      if (frame[i] != frame[i - 1] || std::abs(clean_m[i] - clean_m[i - 1]) > kAlikePart * clean_m[i]) continue;
      const double middle = 0.5 * (low_m + high_m);
      const double a = std::clamp(error_m[i - 1], low_m, high_m) - middle,
                   b = std::clamp(error_m[i], low_m, high_m) - middle;
      product += a * b, square += 0.5 * (a * a + b * b);
    }
    return square > 0.0 ? product / square : 0.0;
  }
};

}  // namespace

std::string scene_note(const ChainReturns& returns, bool has_mixture) {
  const Outer outer = has_mixture ? kQuarter : kTenth;
  SceneErrors errors(returns);
  if (errors.size() < kLeastToJudge) return {};
  errors.take_line(quantile_of(errors.error_m, outer.share), quantile_of(errors.error_m, 1.0 - outer.share));
  const double low_m = quantile_of(errors.error_m, outer.share),
               high_m = quantile_of(errors.error_m, 1.0 - outer.share);
  const double spread_m = (high_m - low_m) / (2.0 * outer.deviations);
  const double part = spread_m / quantile_of(errors.clean_m, 0.5), shared = errors.shared(low_m, high_m);
  if (!(part > kMostScenePart && shared > kMostSharedError)) return {};
  return fmt::format(
      "readings deviate from the scene by {:.2g} m, {:.0f} % of the median range, and neighbours by much the same "
      "(correlation {:.2f}): the scene is of another place or size, lies elsewhere than poses say, or lacks what stood "
      "there; what is learned describes that, and not the sensor",
      spread_m, 100.0 * part, shared);
}

namespace {

constexpr std::size_t kMostShown = 4000, kLeastInBin = 20;
constexpr int kAngleBins = 18;
constexpr double kAnyRangeM = 1e12;
constexpr double kTail = 0.002;  // of the ranges, that lie beyond a picture at each end
/// Heavy tails would make a picture so wide that the errors of most ranges fall into one bin of it: it reaches as many
/// times the width of the inner four fifths beyond these.
constexpr double kInnerTail = 0.1, kWidths = 1.5;

std::size_t angle_bin(float incidence_rad) {
  const double share = double{incidence_rad} / (0.5 * std::numbers::pi);
  return static_cast<std::size_t>(std::clamp(share * kAngleBins, 0.0, kAngleBins - 1.0));
}

/// Means of loss(return) over bins of incidence.
template <class F>
BinShares mean_by_angle(const ChainReturns& returns, F loss) {
  BinShares out = empty_bins(even_edges(0.0, 90.0, kAngleBins));
  std::vector<std::size_t> count(kAngleBins, 0);
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const std::size_t bin = angle_bin(returns.incidence_rad[i]);
    ++count[bin], out.shares[bin] += loss(i);
  }
  for (std::size_t bin = 0; bin < count.size(); ++bin) {
    const bool is_known = count[bin] >= kLeastInBin;
    out.shares[bin] = is_known ? out.shares[bin] / static_cast<double>(count[bin]) : kNoNumber;
  }
  return out;
}

}  // namespace

std::vector<double> error_edges(const ChainReturns& returns, std::size_t bins) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (!std::isnan(returns.range_m[i])) errors.push_back(range_error_m(returns, i));
  }
  if (errors.empty()) return {};
  std::ranges::sort(errors);
  const auto ends = [&](double tail) {
    const auto cut = static_cast<std::size_t>(tail * static_cast<double>(errors.size()));
    return std::pair(errors[cut], errors[errors.size() - 1 - cut]);
  };
  auto [low, high] = ends(kTail);
  const auto [inner_low, inner_high] = ends(kInnerTail);
  if (const double width = inner_high - inner_low; width > 0.0) {
    low = std::max(low, inner_low - kWidths * width), high = std::min(high, inner_high + kWidths * width);
  }
  const double room = high > low ? 0.1 * (high - low) : 1e-4;
  return even_edges(low - room, high + room, bins);
}

BinShares measured_errors(const ChainReturns& returns, std::vector<double> edges) {
  BinShares out = empty_bins(std::move(edges));
  double all = 0.0;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (std::isnan(returns.range_m[i])) continue;
    ++all;
    // The outer bins also hold the errors beyond them.
    const auto above = std::upper_bound(out.edges.begin() + 1, out.edges.end() - 1, range_error_m(returns, i));
    ++out.shares[above - out.edges.begin() - 1];
  }
  for (double& share : out.shares) share /= std::max(all, 1.0);
  return out;
}

BinShares expected_errors(const NoiseChain& chain, const ChainReturns& returns, std::vector<double> edges) {
  const ChainDensity density(chain, returns);
  BinShares out = empty_bins(std::move(edges));
  double all = 0.0;
  const std::size_t step = returns.size() / kMostShown + 1;
  for (std::size_t i = 0; i < returns.size(); i += step) {
    const double kept = density.kept(i), z = double{returns.clean_range_m[i]};
    all += kept * density.reported(i);
    for (std::size_t bin = 0; bin < out.shares.size(); ++bin) {
      const double low = bin == 0 ? 0.0 : z + out.edges[bin];
      const double high = bin + 1 == out.shares.size() ? kAnyRangeM : z + out.edges[bin + 1];
      out.shares[bin] += kept * density.probability_between(i, low, high);
    }
  }
  for (double& share : out.shares) share /= all > 0.0 ? all : 1.0;
  return out;
}

BinShares measured_losses(const ChainReturns& returns) {
  return mean_by_angle(returns, [&](std::size_t i) { return std::isnan(returns.range_m[i]) ? 1.0 : 0.0; });
}

BinShares expected_losses(const NoiseChain& chain, const ChainReturns& returns) {
  const ChainDensity density(chain, returns);
  return mean_by_angle(returns, [&](std::size_t i) { return 1.0 - density.kept(i) * density.reported(i); });
}

}  // namespace fathom
