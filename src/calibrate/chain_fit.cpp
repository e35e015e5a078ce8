// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_checks.hpp"
#include "calibrate/chain_climb.hpp"
#include "calibrate/chain_errors.hpp"
#include "calibrate/chain_flags.hpp"
#include "calibrate/chain_intervals.hpp"
#include "calibrate/chain_jumps.hpp"
#include "calibrate/chain_levels.hpp"
#include "calibrate/chain_likelihood.hpp"
#include "calibrate/chain_possible.hpp"
#include "calibrate/chain_split.hpp"
#include "calibrate/learned_angles.hpp"
#include "calibrate/no_number.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastReturns = 100, kCoarseReturns = 4096;
constexpr double kSettledNats = 1e-3;
constexpr int kMostRounds = 4;

/// About `most` of the places, evenly.
std::vector<std::size_t> some_of(std::span<const std::size_t> places, std::size_t most) {
  if (places.size() <= most) return {places.begin(), places.end()};
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(places[k * places.size() / most]);
  return some;
}

std::string name_of(const NoiseChain& chain, const FreeNumber& p) {
  const std::string_view slug = chain[p.entry].noise.slug();
  const auto same =
      std::count_if(chain.begin(), chain.end(), [&](const ChainEntry& e) { return e.noise.slug() == slug; });
  const std::string field = p.rings.empty() ? p.field : fmt::format("rings.{}.{}", p.rings.front(), p.field);
  return same > 1 ? fmt::format("{}.{}.{}", p.entry, slug, field) : fmt::format("{}.{}", slug, field);
}

/// Throws InputError when the last number contradicts one before it.
void check_last(const NoiseChain& chain, std::span<const FreeNumber> numbers) {
  const FreeNumber& last = numbers.back();
  for (const FreeNumber& p : numbers.first(numbers.size() - 1)) {
    if (p.is_same_field(last) && p.rings == last.rings) {
      throw InputError(fmt::format("{} is free twice", name_of(chain, last)));
    }
    if (p.entry == last.entry && p.rings.empty() != last.rings.empty()) {
      throw InputError(fmt::format("{} and {} are both free: learn a model for single rings or for all of them",
                                   name_of(chain, p), name_of(chain, last)));
    }
  }
}

std::vector<FreeNumber> free_numbers(const NoiseChain& chain, std::span<const ChainParameter> free,
                                     std::span<const std::uint16_t> rings) {
  std::vector<FreeNumber> numbers;
  for (const ChainParameter& p : free) {
    if (p.entry >= chain.size()) throw InputError(fmt::format("the chain has no model at place {}", p.entry));
    const NoiseInfo& info = chain[p.entry].noise.info();
    static_cast<void>(chain_parameters(
        chain,
        p.ring ? fmt::format("{}.rings.{}.{}", info.slug, *p.ring, p.field) : fmt::format("{}.{}", info.slug, p.field),
        rings));
    for (const FieldInfo& field : info.fields) {
      if (field.name == p.field) numbers.push_back({p.entry, p.field, field.low, field.high});
    }
    if (p.ring) numbers.back().rings = {*p.ring};
    check_last(chain, numbers);
  }
  if (numbers.empty()) throw InputError("no parameter of the chain is free");
  return numbers;
}

/// The chain with an entry for each ring that has a free parameter.
NoiseChain with_rings(NoiseChain chain, std::span<const FreeNumber> numbers) {
  for (const FreeNumber& p : numbers) {
    for (const std::uint16_t ring : p.rings) {
      std::vector<RingEntry>& entries = chain[p.entry].by_ring;
      const auto at = std::lower_bound(entries.begin(), entries.end(), ring,
                                       [](const RingEntry& entry, std::uint16_t r) { return entry.ring < r; });
      const bool is_there =
          std::any_of(entries.begin(), entries.end(), [&](const RingEntry& entry) { return entry.ring == ring; });
      if (!is_there) entries.insert(at, {ring, chain[p.entry].noise});
    }
  }
  return chain;
}

/// For a search that takes few parameters: those of one field have the same value for all their rings.
std::vector<FreeNumber> tied(std::span<const FreeNumber> numbers) {
  std::vector<FreeNumber> out;
  for (const FreeNumber& p : numbers) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const FreeNumber& q) { return q.is_same_field(p); });
    if (p.rings.empty() || same == out.end()) {
      out.push_back(p);
    } else {
      same->rings.insert(same->rings.end(), p.rings.begin(), p.rings.end());
    }
  }
  return out;
}

std::vector<double> values_of(const NoiseChain& chain, std::span<const FreeNumber> free) {
  std::vector<double> values;
  for (const FreeNumber& p : free) values.push_back(value_of(chain, p));
  return values;
}

/// Whether it is of a model that turns points, and only ranges are known: it stays as given.
bool is_of_unknown_hits(const NoiseChain& chain, const FreeNumber& p, const ChainReturns& returns) {
  return chain[p.entry].noise.slug() == AngularHit::kSlug && !returns.hits.is_known();
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
    for (const FreeNumber& p : jumps_) {
      const std::vector<std::size_t> some = some_of(known_to(p, learn_), kCoarseReturns);
      set(p, find_jump(along(p, some), value_of(chain_, p)).value);
    }
    const std::vector<FreeNumber> tied_ones = tied(smooth_);
    const ChainLikelihood few(chain_, tied_ones, returns_, few_, executor_);
    chain_ = few.chain_at(coarse_maximum(few, inner_start(tied_ones, values_of(chain_, tied_ones))));
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
  [[nodiscard]] ChainLikelihood together(std::span<const std::size_t> places,
                                         double least_log = ChainDensity::kLeastLog) const {
    return {chain_, smooth_, returns_, places, executor_, least_log};
  }

 private:
  [[nodiscard]] ChainLikelihood along(const FreeNumber& p, std::span<const std::size_t> places) const {
    return {chain_, std::span(&p, 1), returns_, places, executor_};
  }
  void set(const FreeNumber& p, double value) { set_value(chain_, p, value); }
  /// Of these returns, those that a parameter acts on.
  [[nodiscard]] std::vector<std::size_t> known_to(const FreeNumber& p, std::span<const std::size_t> places) const {
    if (p.rings.empty()) return {places.begin(), places.end()};
    std::vector<std::size_t> out;
    std::copy_if(places.begin(), places.end(), std::back_inserter(out),
                 [&](std::size_t i) { return returns_.ring[i] == p.rings.front(); });
    return out;
  }
  /// Each jump and all smooth parameters once; returns what was reached. Jumps are sought anew, or near where they are.
  double settle(bool anew) {
    for (std::size_t k = 0; k < jumps_.size(); ++k) {
      const FreeNumber& p = jumps_[k];
      const double start = value_of(chain_, p);
      const std::vector<std::size_t> all = known_to(p, learn_), some = some_of(all, kCoarseReturns);
      const JumpPeak near = anew ? find_jump(along(p, some), start) : peaks_[k];
      peaks_[k] = refine_jump(along(p, all), anew ? near.value : start, 12.0 * near.deviation);
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

std::string unit_of(const NoiseChain& chain, const FreeNumber& p) {
  for (const FieldInfo& field : chain[p.entry].noise.info().fields) {
    if (field.name == p.field) return std::string(field.unit);
  }
  return {};
}

bool is_same(const FreeNumber& a, const FreeNumber& b) { return a.is_same_field(b) && a.rings == b.rings; }

std::optional<std::size_t> place_in(std::span<const FreeNumber> numbers, const FreeNumber& p) {
  const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const FreeNumber& q) { return is_same(p, q); });
  if (found == numbers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - numbers.begin());
}

void set_error(LearnedParameter& p, double error, double naive, const Interval& interval) {
  p.std_error = error, p.naive_error = naive;
  p.low = interval.low, p.high = interval.high;
}

/// Values, errors and correlations, in the order of `numbers`. Errors across the two kinds are independent: jumps are
/// known to one part in the number of returns, others to one in its root.
void add_parameters(const Ascent& ascent, const NoiseChain& given, std::span<const FreeNumber> numbers,
                    const ChainReturns& returns, const Split& split, const PossibleReturns& possible, ChainFit& fit) {
  const ChainLikelihood likelihood = ascent.together(possible.places, possible.least_log);
  const std::vector<double> values = values_of(fit.chain, ascent.smooth());
  const ChainErrors errors = chain_errors(likelihood, ascent.together(possible.rim, PossibleReturns::kOutOfReach), values,
                                          possible.cluster, split.stretches > 0);
  const bool tell_errors = possible.tell_errors() && !errors.hangs_on_floor;
  const std::vector<Interval> intervals = chain_intervals(likelihood, values, errors);
  fit.clusters = errors.clusters;
  fit.stretches = split.stretches > 0 ? errors.clusters : 0;
  const std::size_t n = numbers.size(), smooth = ascent.smooth().size();
  fit.correlations.assign(n * n, kNoNumber);
  std::vector<std::optional<std::size_t>> place(n);
  for (std::size_t j = 0; j < n; ++j) {
    LearnedParameter p = {.name = name_of(given, numbers[j]), .unit = unit_of(given, numbers[j])};
    p.start = value_of(given, numbers[j]), p.value = value_of(fit.chain, numbers[j]);
    set_error(p, kNoNumber, kNoNumber, {kNoNumber, kNoNumber});
    place[j] = place_in(ascent.smooth(), numbers[j]);
    if (const auto at = place[j]) {
      set_error(p, errors.error[*at], errors.naive[*at], intervals[*at]);
      const bool is_anything = p.low <= numbers[j].low && p.high >= numbers[j].high;
      p.is_unidentified = errors.is_unidentified[*at] || is_anything, p.is_at_limit = errors.is_at_limit[*at];
    } else if (const auto jump = place_in(ascent.jumps(), numbers[j])) {
      const JumpPeak& peak = ascent.peaks()[*jump];
      p.is_unidentified = peak.is_unbounded;
      const double half = kNormal95 * peak.deviation;
      const auto within = [&](double end) { return std::clamp(end, numbers[j].low, numbers[j].high); };
      if (!peak.is_unbounded)
        set_error(p, peak.deviation, peak.deviation, {within(p.value - half), within(p.value + half)});
    }
    if (is_of_unknown_hits(given, numbers[j], returns)) p.is_unidentified = true;
    if (!tell_errors) {
      p.is_unidentified = p.is_unidentified && std::isnan(p.std_error);
      set_error(p, kNoNumber, kNoNumber, {kNoNumber, kNoNumber});
    }
    fit.parameters.push_back(std::move(p));
  }
  if (possible.impossible > 0 || errors.hangs_on_floor) fit.flags.push_back(possible.note(tell_errors));
  if (!tell_errors) return;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      const bool both = place[j] && place[k];
      if (both) fit.correlations[j * n + k] = errors.correlations[*place[j] * smooth + *place[k]];
    }
  }
}

void judge(const ChainReturns& r, std::span<const std::size_t> places, std::uint32_t stretches,
           const NoiseChain& before, Executor& executor, ChainFit& fit) {
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
  const MeanScore gain = score_difference(learned, given, stretches);
  fit.gain_nats = gain.nats, fit.gain_error = gain.std_error;
}

}  // namespace

void validate(const ChainFitOptions& options) {
  if (options.hold_out == 1) throw InputError("hold_out = 1 leaves nothing to learn from");
  if (options.block_frames < 1) throw InputError("block_frames = 0 is not at least 1");
  if (options.stretches.value_or(0) > ChainFitOptions::kMostStretches) {
    throw InputError(
        fmt::format("stretches = {} is not in [0, {}]", *options.stretches, ChainFitOptions::kMostStretches));
  }
  if (options.stretches.value_or(0) > 0 && options.block_frames > 1) {
    throw InputError("stretches and block_frames are both given: errors take one of them as independent");
  }
  if (options.threads < 0) throw InputError(fmt::format("threads = {} is not at least 0", options.threads));
}

ChainFit fit_chain(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                   const ChainFitOptions& options) {
  validate(options);
  check_returns(returns);
  std::vector<FreeNumber> numbers = free_numbers(chain, free, rings_of(returns));
  set_angle_steps(chain, returns.turned, numbers);
  set_hit_steps(chain, returns.hits, numbers);
  const Split split = split_frames(returns, options);
  if (split.learn.size() < kLeastReturns) {
    throw InputError(fmt::format("{} returns to learn from: at least {} are needed{}", split.learn.size(),
                                 kLeastReturns, plane_note(returns.turned)));
  }
  const auto executor = make_executor(options.threads);
  ChainFit fit;
  fit.chain = chain;
  fit.start_log_likelihood = ChainLikelihood(chain, {}, returns, split.learn, *executor).total({});

  NoiseChain start = with_rings(chain, numbers);
  std::vector<FreeNumber> searched;
  for (const FreeNumber& p : numbers) {
    if (p.field == kLevelsField) {
      set_levels(start, p.entry, returns, fit.flags);
    } else if (!is_of_unknown_hits(chain, p, returns)) {
      searched.push_back(p);
    }
  }
  Ascent ascent(start, searched, returns, split.learn, *executor);
  if (!searched.empty()) ascent.climb();
  fit.chain = ascent.chain();
  fit.log_likelihood = ascent.total();
  const PossibleReturns possible(fit.chain, returns, split.learn, split.cluster, *executor);
  add_parameters(ascent, with_rings(chain, numbers), numbers, returns, split, possible, fit);
  fit.returns = split.learn.size(), fit.frames = split.frames;
  if (turns_rays(chain)) fit.at_edges = count_at_edges(returns.turned, split.learn);
  for (const std::size_t i : split.learn) fit.lost += std::isnan(returns.range_m[i]) ? 1 : 0;
  judge(returns, split.judge, split.stretches, chain, *executor, fit);
  add_flags(fit, returns.hits.is_known());
  add_angle_flags(returns.turned, fit);
  return fit;
}

}  // namespace fathom
