// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain.hpp>

#include "beam/student_t.hpp"
#include "calibrate/chain_checks.hpp"
#include "calibrate/chain_climb.hpp"
#include "calibrate/chain_errors.hpp"
#include "calibrate/chain_jumps.hpp"
#include "calibrate/chain_levels.hpp"
#include "calibrate/chain_likelihood.hpp"
#include "calibrate/learned_angles.hpp"
#include "calibrate/no_number.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastReturns = 100, kCoarseReturns = 4096, kFewClusters = 20;
constexpr double kStrongCorrelation = 0.99, kSettledNats = 1e-3, kNormal95 = 1.959963984540054;
constexpr int kMostRounds = 4;

/// Places of returns that teach and of those that judge.
struct Split {
  std::vector<std::size_t> learn, judge;
  std::vector<std::uint32_t> cluster;  ///< of `learn`
  std::size_t frames = 0;
};

Split split_frames(const ChainReturns& r, const ChainFitOptions& options) {
  Split split;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (i == 0 || r.frame[i] != r.frame[i - 1]) ++split.frames;
    if (options.hold_out > 0 && split.frames % options.hold_out == 0) {
      split.judge.push_back(i);
    } else {
      split.learn.push_back(i);
      split.cluster.push_back(static_cast<std::uint32_t>((split.frames - 1) / options.block_frames));
    }
  }
  return split;
}

/// About `most` of the places, evenly.
std::vector<std::size_t> some_of(std::span<const std::size_t> places, std::size_t most) {
  if (places.size() <= most) return {places.begin(), places.end()};
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(places[k * places.size() / most]);
  return some;
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

double value_of(const NoiseChain& chain, const FreeNumber& p) {
  for (const FieldValue& value : chain[p.entry].noise.values()) {
    if (value.name == p.field) return value.number();
  }
  return 0.0;
}

std::vector<double> values_of(const NoiseChain& chain, std::span<const FreeNumber> free) {
  std::vector<double> values;
  for (const FreeNumber& p : free) values.push_back(value_of(chain, p));
  return values;
}

/// Off the limits, where a search would not begin to move.
std::vector<double> inner_start(std::span<const FreeNumber> free, std::vector<double> start) {
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double margin = free[k].unit > 0.0 ? free[k].unit : 0.01 * std::min(free[k].high - free[k].low, 1.0);
    start[k] = std::clamp(start[k], free[k].low + margin, free[k].high - margin);
  }
  return start;
}

/// The way to the highest likelihood: parameters along which it is smooth together, those at which it jumps in turn.
class Ascent {
 public:
  Ascent(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
         std::span<const std::size_t> learn, Executor& executor)
      : chain_(chain), returns_(returns), learn_(learn), few_(some_of(learn, kCoarseReturns)), executor_(executor) {
    for (const FreeNumber& p : free) (is_jump(chain, free, p) ? jumps_ : smooth_).push_back(p);
    peaks_.resize(jumps_.size());
  }

  void climb() {
    const double start = total();
    const NoiseChain given = chain_;
    for (const FreeNumber& p : jumps_) set(p, find_jump(along(p, few_), value_of(chain_, p)).value);
    const std::vector<double> inner = inner_start(smooth_, values_of(chain_, smooth_));
    chain_ = together(few_).chain_at(coarse_maximum(together(few_), inner));
    double before = settle(true);
    // From where it stood, too: the coarse search may have gone astray, and learning must not make things worse.
    if (before < start) chain_ = given, before = settle(false);
    if (jumps_.empty() || smooth_.empty()) return;
    for (int round = 1; round < kMostRounds; ++round) {
      const double now = settle(false);
      const bool is_settled = now - before < kSettledNats;
      before = now;
      if (is_settled) break;
    }
  }

  [[nodiscard]] double total() const { return ChainLikelihood(chain_, {}, returns_, learn_, executor_).total({}); }
  [[nodiscard]] const NoiseChain& chain() const { return chain_; }
  [[nodiscard]] const std::vector<FreeNumber>& smooth() const { return smooth_; }
  [[nodiscard]] const std::vector<FreeNumber>& jumps() const { return jumps_; }
  [[nodiscard]] const std::vector<JumpPeak>& peaks() const { return peaks_; }
  [[nodiscard]] ChainLikelihood together(std::span<const std::size_t> places) const {
    return {chain_, smooth_, returns_, places, executor_};
  }

 private:
  [[nodiscard]] ChainLikelihood along(const FreeNumber& p, std::span<const std::size_t> places) const {
    return {chain_, std::span(&p, 1), returns_, places, executor_};
  }
  void set(const FreeNumber& p, double value) { chain_[p.entry].noise = chain_[p.entry].noise.with(p.field, value); }
  /// Each jump and all smooth parameters once; returns what was reached. Jumps are sought anew, or near where they are.
  double settle(bool anew) {
    for (std::size_t k = 0; k < jumps_.size(); ++k) {
      const FreeNumber& p = jumps_[k];
      const double start = value_of(chain_, p);
      const JumpPeak near = anew ? find_jump(along(p, few_), start) : peaks_[k];
      peaks_[k] = refine_jump(along(p, learn_), anew ? near.value : start, 12.0 * near.deviation);
      set(p, peaks_[k].value);
    }
    if (smooth_.empty()) return total();
    const Climb climb = climb_chain(together(learn_), values_of(chain_, smooth_));
    chain_ = together(learn_).chain_at(climb.values);
    return climb.log_likelihood;
  }

  NoiseChain chain_;
  const ChainReturns& returns_;
  std::span<const std::size_t> learn_;
  std::vector<std::size_t> few_;
  Executor& executor_;
  std::vector<FreeNumber> smooth_, jumps_;
  std::vector<JumpPeak> peaks_;
};

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

bool is_same(const FreeNumber& a, const FreeNumber& b) { return a.entry == b.entry && a.field == b.field; }

std::optional<std::size_t> place_in(std::span<const FreeNumber> numbers, const FreeNumber& p) {
  const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const FreeNumber& q) { return is_same(p, q); });
  if (found == numbers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - numbers.begin());
}

void set_error(LearnedParameter& p, double error, double naive, double quantile) {
  p.std_error = error, p.naive_error = naive;
  p.low = p.value - quantile * error, p.high = p.value + quantile * error;
}

/// Values, errors and correlations, in the order of `numbers`. Errors across the two kinds are independent: jumps are
/// known to one part in the number of returns, others to one in its root.
void add_parameters(const Ascent& ascent, const NoiseChain& given, std::span<const FreeNumber> numbers,
                    const Split& split, ChainFit& fit) {
  const ChainErrors errors =
      chain_errors(ascent.together(split.learn), values_of(fit.chain, ascent.smooth()), split.cluster);
  fit.clusters = errors.clusters;
  const double t =
      errors.clusters > 1 ? student_t_quantile(0.975, static_cast<double>(errors.clusters - 1)) : kNormal95;
  const std::size_t n = numbers.size(), smooth = ascent.smooth().size();
  fit.correlations.assign(n * n, kNoNumber);
  std::vector<std::optional<std::size_t>> place(n);
  for (std::size_t j = 0; j < n; ++j) {
    LearnedParameter p = {.name = name_of(given, numbers[j]), .unit = unit_of(given, numbers[j])};
    p.start = value_of(given, numbers[j]), p.value = value_of(fit.chain, numbers[j]);
    set_error(p, kNoNumber, kNoNumber, t);
    place[j] = place_in(ascent.smooth(), numbers[j]);
    if (const auto at = place[j]) {
      set_error(p, errors.error[*at], errors.naive[*at], t);
      p.is_unidentified = errors.is_unidentified[*at], p.is_at_limit = errors.is_at_limit[*at];
    } else if (const auto jump = place_in(ascent.jumps(), numbers[j])) {
      const JumpPeak& peak = ascent.peaks()[*jump];
      p.is_unidentified = peak.is_unbounded;
      if (!peak.is_unbounded) set_error(p, peak.deviation, peak.deviation, kNormal95);
    }
    fit.parameters.push_back(std::move(p));
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      const bool both = place[j] && place[k];
      if (both) fit.correlations[j * n + k] = errors.correlations[*place[j] * smooth + *place[k]];
    }
  }
}

void judge(const ChainReturns& r, std::span<const std::size_t> places, const NoiseChain& before, Executor& executor,
           ChainFit& fit) {
  fit.judged = places.size();
  fit.held_out_nats = fit.start_nats = fit.gain_nats = fit.gain_error = kNoNumber;
  if (places.empty()) return;
  const auto scores_under = [&](const NoiseChain& chain) {
    std::vector<double> nats;
    ChainLikelihood(chain, {}, r, places, executor).each({}, nats);
    std::vector<FrameScore> scores;
    for (std::size_t i = 0; i < places.size(); ++i) add_to_scores(r, places[i], nats[i], scores);
    return finished(std::move(scores));
  };
  const std::vector<FrameScore> learned = scores_under(fit.chain), given = scores_under(before);
  fit.held_out_nats = mean_score(learned).nats, fit.start_nats = mean_score(given).nats;
  const MeanScore gain = score_difference(learned, given);
  fit.gain_nats = gain.nats, fit.gain_error = gain.std_error;
}

void add_flags(ChainFit& fit) {
  const std::size_t n = fit.parameters.size();
  for (const LearnedParameter& p : fit.parameters) {
    if (p.is_at_limit) fit.flags.push_back(fmt::format("{} is at its limit {:g}", p.name, p.value));
    if (!p.is_unidentified) continue;
    fit.flags.push_back(
        std::isnan(p.std_error)
            ? fmt::format("{} cannot be told from these returns: others do the same, or it does nothing here", p.name)
            : fmt::format("{} cannot be told from 0: its error exceeds its value", p.name));
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double c = fit.correlations[j * n + k];
      if (!(std::abs(c) > kStrongCorrelation)) continue;
      fit.flags.push_back(fmt::format("{} and {} are hard to tell apart: their errors have the correlation {:.3f}",
                                      fit.parameters[k].name, fit.parameters[j].name, c));
    }
  }
  if (fit.clusters < kFewClusters) {
    fit.flags.push_back(
        fmt::format("errors take frames, or blocks of them, as independent, and there are {}: below {} they are "
                    "uncertain themselves",
                    fit.clusters, kFewClusters));
  }
  for (const ChainEntry& entry : fit.chain) {
    if (!(entry.correlation.time_s > 0.0)) continue;
    fit.flags.push_back(fmt::format(
        "the draws of {} are alike in {} frames: errors are larger than shown, unless frames are taken in blocks",
        entry.noise.slug(), std::isfinite(entry.correlation.time_s) ? "neighbouring" : "all"));
  }
}

}  // namespace

void validate(const ChainFitOptions& options) {
  if (options.hold_out == 1) throw InputError("hold_out = 1 leaves nothing to learn from");
  if (options.block_frames < 1) throw InputError("block_frames = 0 is not at least 1");
  if (options.threads < 0) throw InputError(fmt::format("threads = {} is not at least 0", options.threads));
}

ChainFit fit_chain(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                   const ChainFitOptions& options) {
  validate(options);
  check_returns(returns);
  std::vector<FreeNumber> numbers = free_numbers(chain, free);
  set_angle_steps(chain, returns.turned, numbers);
  const Split split = split_frames(returns, options);
  if (split.learn.size() < kLeastReturns) {
    throw InputError(
        fmt::format("{} returns to learn from: at least {} are needed", split.learn.size(), kLeastReturns));
  }
  const auto executor = make_executor(options.threads);
  ChainFit fit;
  fit.chain = chain;
  fit.start_log_likelihood = ChainLikelihood(chain, {}, returns, split.learn, *executor).total({});

  NoiseChain start = chain;
  std::vector<FreeNumber> searched;
  for (const FreeNumber& p : numbers) {
    if (p.field == kLevelsField) {
      set_levels(start, p.entry, returns, fit.flags);
    } else {
      searched.push_back(p);
    }
  }
  Ascent ascent(start, searched, returns, split.learn, *executor);
  if (!searched.empty()) ascent.climb();
  fit.chain = ascent.chain();
  fit.log_likelihood = ascent.total();
  add_parameters(ascent, chain, numbers, split, fit);
  fit.returns = split.learn.size(), fit.frames = split.frames;
  if (turns_rays(chain)) fit.at_edges = count_at_edges(returns.turned, split.learn);
  for (const std::size_t i : split.learn) fit.lost += std::isnan(returns.range_m[i]) ? 1 : 0;
  judge(returns, split.judge, chain, *executor, fit);
  add_flags(fit);
  add_angle_flags(returns.turned, fit);
  return fit;
}

}  // namespace fathom
