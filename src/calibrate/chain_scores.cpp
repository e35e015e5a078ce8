// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_checks.hpp"
#include "calibrate/chain_likelihood.hpp"
#include "calibrate/turned_rays.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

/// Mean of values with weights, each of a frame, and its error by frames, or by stretches of them.
MeanScore mean_of(std::span<const double> nats, std::span<const double> weight, std::uint32_t stretches) {
  double count = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < nats.size(); ++i) count += weight[i], sum += weight[i] * nats[i];
  const double mean = sum / count;
  const TrajectoryBlocks blocks(nats.size(), stretches);
  std::vector<double> off(blocks.count, 0.0);
  for (std::size_t i = 0; i < nats.size(); ++i) off[blocks.of_scan(i)] += weight[i] * (nats[i] - mean);
  const double square = BartlettWeights(off.size(), stretches > 0).variance_of_sum(off);
  return {mean, off.size() > 1 ? std::sqrt(square) / count : kNoNumber};
}

}  // namespace

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
  for (std::size_t i = 0; i < n; ++i) {
    if (!(r.clean_range_m[i] > 0.0F)) {
      throw InputError(fmt::format("return {}: clean range {} m is not above 0", i, r.clean_range_m[i]));
    }
    if (i > 0 && r.frame[i] < r.frame[i - 1]) throw InputError(fmt::format("return {}: frames do not ascend", i));
  }
  if (!r.ring.empty() && r.ring.size() != n) {
    throw InputError(fmt::format("{} rings given for {} returns", r.ring.size(), n));
  }
  validate(r.turned, n);
  validate(r.hits, n);
  if (!(r.half_step_m >= 0.0)) throw InputError(fmt::format("half_step_m = {} is not at least 0", r.half_step_m));
  if (!(r.min_range_m >= 0.0 && r.max_range_m > r.min_range_m)) {
    throw InputError(
        fmt::format("limits of the range, {} to {} m, are not 0 <= min < max", r.min_range_m, r.max_range_m));
  }
}

void add_to_scores(const ChainReturns& returns, std::size_t i, double nats, std::vector<FrameScore>& scores) {
  if (scores.empty() || scores.back().frame != returns.frame[i]) scores.push_back({.frame = returns.frame[i]});
  FrameScore& score = scores.back();
  ++score.returns, score.lost += std::isnan(returns.range_m[i]) ? 1 : 0;
  score.nats += nats;
}

std::vector<FrameScore> finished(std::vector<FrameScore> scores) {
  for (FrameScore& score : scores) score.nats /= static_cast<double>(score.returns);
  return scores;
}

std::vector<FrameScore> score_frames(const NoiseChain& chain, const ChainReturns& returns, int threads) {
  check_returns(returns);
  std::vector<std::size_t> all(returns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto executor = make_executor(threads);
  std::vector<double> nats;
  ChainLikelihood(chain, {}, returns, all, *executor).each({}, nats);
  std::vector<FrameScore> scores;
  for (std::size_t i = 0; i < nats.size(); ++i) add_to_scores(returns, i, nats[i], scores);
  return finished(std::move(scores));
}

void check_scorable(const NoiseChain& chain) {
  ChainReturns all_known;  // of no return, but with all that a model may ask for
  all_known.ring = {0};
  all_known.max_range_m = 1.0;
  all_known.edge_rad = all_known.jump = all_known.jump_rad = {0.0F};
  if (const auto turn = ray_turn(chain)) all_known.turned.axis = turn->axis;
  all_known.turned.angle_rad = {-1.0, 0.0, 1.0};
  static_cast<void>(ChainDensity(chain, all_known));
}

std::vector<std::uint16_t> rings_of(const ChainReturns& returns) {
  std::vector<std::uint16_t> rings = returns.ring;
  std::sort(rings.begin(), rings.end());
  rings.erase(std::unique(rings.begin(), rings.end()), rings.end());
  return rings;
}

MeanScore mean_score(std::span<const FrameScore> scores, std::uint32_t stretches) {
  if (scores.empty()) throw InputError("there is no frame to score");
  std::vector<double> nats, weight;
  for (const FrameScore& s : scores) nats.push_back(s.nats), weight.push_back(static_cast<double>(s.returns));
  return mean_of(nats, weight, stretches);
}

MeanScore score_difference(std::span<const FrameScore> scores, std::span<const FrameScore> others,
                           std::uint32_t stretches) {
  if (scores.size() != others.size()) {
    throw InputError(fmt::format("scores of {} frames and of {} cannot be compared", scores.size(), others.size()));
  }
  if (scores.empty()) throw InputError("there is no frame to score");
  std::vector<double> nats, weight;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i].frame != others[i].frame || scores[i].returns != others[i].returns) {
      throw InputError(fmt::format("frame {}: the scores are of other returns", scores[i].frame));
    }
    nats.push_back(scores[i].nats - others[i].nats), weight.push_back(static_cast<double>(scores[i].returns));
  }
  return mean_of(nats, weight, stretches);
}

}  // namespace fathom
