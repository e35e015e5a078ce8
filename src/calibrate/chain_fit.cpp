// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain.hpp>
#include <fathom/math/random.hpp>

#include "calibrate/chain_climb.hpp"
#include "calibrate/chain_errors.hpp"
#include "calibrate/chain_likelihood.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastReturns = 100, kCoarseReturns = 4096, kFewClusters = 20;
constexpr std::uint64_t kThinningKey = 0x7468696e6e696e67;  // any number: which returns are left out
constexpr double kStrongCorrelation = 0.99;

void check_sizes(const ChainReturns& r) {
  const std::size_t n = r.size();
  for (const std::size_t size : {r.clean_range_m.size(), r.clean_x_m.size(), r.clean_y_m.size(), r.incidence_rad.size(),
                                 r.energy.size(), r.frame.size()}) {
    if (size != n) throw InputError(fmt::format("{} values given for {} returns", size, n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(r.clean_range_m[i] > 0.0F)) {
      throw InputError(fmt::format("return {}: clean range {} m is not above 0", i, r.clean_range_m[i]));
    }
    if (i > 0 && r.frame[i] < r.frame[i - 1]) throw InputError(fmt::format("return {}: frames do not ascend", i));
  }
  if (!(r.half_step_m >= 0.0)) throw InputError(fmt::format("half_step_m = {} is not at least 0", r.half_step_m));
}

/// Places of returns that teach and of those that judge.
struct Split {
  std::vector<std::size_t> learn, judge;
  std::vector<std::uint32_t> cluster;  ///< of `learn`
  std::size_t frames = 0;
};

/// A uniform in [0, 1) of a return, the same whoever asks.
double lot_of(std::size_t i) {
  const auto word =
      keyed_block({.seed = kThinningKey, .frame = 0, .stream = 0}, static_cast<std::uint32_t>(i), 0).word[0];
  return static_cast<double>(uniform_from_word(word));
}

Split split_frames(const ChainReturns& r, const ChainFitOptions& options) {
  Split split;
  std::size_t ordinal = 0;
  std::vector<std::size_t> learn;
  std::vector<std::uint32_t> cluster;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (i == 0 || r.frame[i] != r.frame[i - 1]) ++ordinal;
    const bool held = options.hold_out > 0 && ordinal % options.hold_out == 0;
    if (held) {
      split.judge.push_back(i);
    } else {
      learn.push_back(i);
      cluster.push_back(static_cast<std::uint32_t>((ordinal - 1) / options.block_frames));
    }
  }
  split.frames = ordinal;
  const auto thin = [&](std::size_t n) {
    return n > options.most_returns ? static_cast<double>(options.most_returns) / static_cast<double>(n) : 1.0;
  };
  const double share = thin(learn.size()), judging = thin(split.judge.size());
  for (std::size_t k = 0; k < learn.size(); ++k) {
    if (!(lot_of(learn[k]) < share)) continue;
    split.learn.push_back(learn[k]), split.cluster.push_back(cluster[k]);
  }
  std::erase_if(split.judge, [&](std::size_t i) { return !(lot_of(i) < judging); });
  return split;
}

/// About `most` of the places.
std::vector<std::size_t> some_of(std::span<const std::size_t> places, std::size_t most) {
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(places[k * places.size() / most]);
  return places.size() > most ? some : std::vector<std::size_t>(places.begin(), places.end());
}

std::vector<FreeNumber> free_numbers(const NoiseChain& chain, std::span<const ChainParameter> free) {
  std::vector<FreeNumber> numbers;
  for (const ChainParameter& p : free) {
    if (p.entry >= chain.size()) throw InputError(fmt::format("the chain has no model at place {}", p.entry));
    const NoiseInfo& info = chain[p.entry].noise.info();
    static_cast<void>(chain_parameters(chain, fmt::format("{}.{}", info.slug, p.field)));
    for (const FieldInfo& field : info.fields) {
      if (field.name == p.field) numbers.push_back({p.entry, p.field, field.low, field.high});
    }
    for (std::size_t k = 0; k + 1 < numbers.size(); ++k) {
      if (numbers[k].entry == p.entry && numbers[k].field == p.field) {
        throw InputError(fmt::format("{}.{} is free twice", info.slug, p.field));
      }
    }
  }
  if (numbers.empty()) throw InputError("no parameter of the chain is free");
  return numbers;
}

double start_of(const NoiseChain& chain, const FreeNumber& p) {
  for (const FieldValue& value : chain[p.entry].noise.values()) {
    if (value.name == p.field) return value.number();
  }
  return 0.0;
}

/// Off the limits, where a search would not begin to move.
std::vector<double> inner_start(std::span<const FreeNumber> free, std::vector<double> start) {
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double margin = 0.01 * std::min(free[k].high - free[k].low, 1.0);
    start[k] = std::clamp(start[k], free[k].low + margin, free[k].high - margin);
  }
  return start;
}

std::string name_of(const NoiseChain& chain, const FreeNumber& p) {
  const std::string_view slug = chain[p.entry].noise.slug();
  const auto same =
      std::count_if(chain.begin(), chain.end(), [&](const ChainEntry& e) { return e.noise.slug() == slug; });
  return same > 1 ? fmt::format("{}.{}.{}", p.entry, slug, p.field) : fmt::format("{}.{}", slug, p.field);
}

std::string unit_of(const NoiseChain& chain, const FreeNumber& p) {
  for (const FieldInfo& field : chain[p.entry].noise.info().fields) {
    if (field.name == p.field) return std::string(field.unit);
  }
  return {};
}

void judge(const ChainReturns& r, std::span<const std::size_t> places, const NoiseChain& before, Executor& executor,
           ChainFit& fit) {
  fit.judged = places.size();
  if (places.empty()) {
    fit.held_out_nats = fit.start_nats = fit.gain_nats = fit.gain_error = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  std::vector<double> learned, given;
  ChainLikelihood(fit.chain, {}, r, places, executor).each({}, learned);
  ChainLikelihood(before, {}, r, places, executor).each({}, given);
  const auto n = static_cast<double>(places.size());
  double frame_sum = 0.0, squares = 0.0, frames = 0.0, count = 0.0;
  for (std::size_t i = 0; i < places.size(); ++i) fit.held_out_nats += learned[i] / n, fit.start_nats += given[i] / n;
  fit.gain_nats = fit.held_out_nats - fit.start_nats;
  for (std::size_t i = 0; i < places.size(); ++i) {
    frame_sum += learned[i] - given[i], ++count;
    if (i + 1 < places.size() && r.frame[places[i + 1]] == r.frame[places[i]]) continue;
    const double off = frame_sum - count * fit.gain_nats;
    squares += off * off, ++frames;
    frame_sum = count = 0.0;
  }
  fit.gain_error =
      frames > 1.0 ? std::sqrt(squares * frames / (frames - 1.0)) / n : std::numeric_limits<double>::quiet_NaN();
}

void add_flags(const ChainErrors& errors, ChainFit& fit) {
  const std::size_t n = fit.parameters.size();
  for (const LearnedParameter& p : fit.parameters) {
    if (p.is_at_limit) fit.flags.push_back(fmt::format("{} is at its limit {:g}", p.name, p.value));
    if (p.is_unidentified) {
      fit.flags.push_back(
          std::isnan(p.std_error)
              ? fmt::format("{} cannot be told from these returns: others do the same, or it does nothing", p.name)
              : fmt::format("{} cannot be told from these returns: its error exceeds its value", p.name));
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double c = errors.correlations[j * n + k];
      if (std::abs(c) > kStrongCorrelation) {
        fit.flags.push_back(fmt::format("{} and {} are hard to tell apart: their errors have the correlation {:.3f}",
                                        fit.parameters[k].name, fit.parameters[j].name, c));
      }
    }
  }
  if (fit.clusters < kFewClusters) {
    fit.flags.push_back(fmt::format("{} frames, or blocks of them: with fewer than {} errors are themselves uncertain",
                                    fit.clusters, kFewClusters));
  }
}

}  // namespace

void validate(const ChainFitOptions& options) {
  if (options.hold_out == 1) throw InputError("hold_out = 1 leaves nothing to learn from");
  if (options.block_frames < 1) throw InputError("block_frames = 0 is not at least 1");
  if (options.most_returns < 1000)
    throw InputError(fmt::format("most_returns = {} is not at least 1000", options.most_returns));
  if (options.threads < 0) throw InputError(fmt::format("threads = {} is not at least 0", options.threads));
}

ChainFit fit_chain(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                   const ChainFitOptions& options) {
  validate(options);
  check_sizes(returns);
  const std::vector<FreeNumber> numbers = free_numbers(chain, free);
  const Split split = split_frames(returns, options);
  if (split.learn.size() < kLeastReturns) {
    throw InputError(
        fmt::format("{} returns to learn from: at least {} are needed", split.learn.size(), kLeastReturns));
  }
  const auto executor = make_executor(options.threads);
  std::vector<double> start;
  for (const FreeNumber& p : numbers) start.push_back(start_of(chain, p));

  ChainFit fit = {.chain = chain};
  const ChainLikelihood all(chain, numbers, returns, split.learn, *executor);
  fit.start_log_likelihood = ChainLikelihood(chain, {}, returns, split.learn, *executor).total({});
  const std::vector<std::size_t> few = some_of(split.learn, kCoarseReturns);
  const ChainLikelihood coarse(chain, numbers, returns, few, *executor);
  Climb best = climb_chain(all, coarse_maximum(coarse, inner_start(numbers, start)));
  // From where it stood, too: the coarse search may have gone astray, and learning must not make things worse.
  if (best.log_likelihood < fit.start_log_likelihood) best = climb_chain(all, start);
  fit.chain = all.chain_at(best.values);
  fit.log_likelihood = best.log_likelihood, fit.steps = best.steps;

  const ChainErrors errors = chain_errors(all, best.values, split.cluster);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    fit.parameters.push_back({name_of(chain, numbers[k]), unit_of(chain, numbers[k]), start[k], best.values[k],
                              errors.error[k], errors.naive[k], errors.is_unidentified[k], errors.is_at_limit[k]});
  }
  fit.correlations = errors.correlations;
  fit.returns = split.learn.size(), fit.frames = split.frames, fit.clusters = errors.clusters;
  for (const std::size_t i : split.learn) fit.lost += std::isnan(returns.range_m[i]) ? 1 : 0;
  judge(returns, split.judge, chain, *executor, fit);
  add_flags(errors, fit);
  return fit;
}

std::vector<FrameScore> score_frames(const NoiseChain& chain, const ChainReturns& returns, int threads) {
  check_sizes(returns);
  std::vector<std::size_t> all(returns.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto executor = make_executor(threads);
  std::vector<double> nats;
  ChainLikelihood(chain, {}, returns, all, *executor).each({}, nats);
  std::vector<FrameScore> scores;
  for (std::size_t i = 0; i < nats.size(); ++i) {
    if (scores.empty() || scores.back().frame != returns.frame[i]) scores.push_back({.frame = returns.frame[i]});
    FrameScore& score = scores.back();
    ++score.returns, score.lost += std::isnan(returns.range_m[i]) ? 1 : 0;
    score.nats += nats[i];
  }
  for (FrameScore& score : scores) score.nats /= static_cast<double>(score.returns);
  return scores;
}

}  // namespace fathom
