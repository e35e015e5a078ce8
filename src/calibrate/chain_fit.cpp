// SPDX-License-Identifier: MIT
#include "calibrate/chain_fit.hpp"

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

#include "calibrate/chain_errors.hpp"
#include "calibrate/chain_evidence.hpp"
#include "calibrate/chain_flags.hpp"
#include "calibrate/chain_jumps.hpp"
#include "calibrate/chain_likelihood.hpp"
#include "calibrate/chain_parameters.hpp"
#include "calibrate/chain_scores.hpp"
#include "calibrate/chain_search.hpp"
#include "calibrate/turned_rays.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastReturns = 100;

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

/// Whether it is of a model that turns points, and only ranges are known: it stays as given.
bool is_of_unknown_hits(const NoiseChain& chain, const FreeNumber& p, const ChainReturns& returns) {
  return chain[p.entry].noise.stage() == Stage::kHitPoint && !returns.hits.is_known();
}

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

/// What was reached with some parameters free, and the errors of these.
struct Reached {
  Ascent ascent;
  PossibleReturns possible;
  ChainErrors errors;
  [[nodiscard]] bool tell_errors() const { return possible.tell_errors() && !errors.hangs_on_floor; }
  [[nodiscard]] ChainLikelihood likelihood() const { return ascent.together(possible.places, possible.least_log); }
};

Reached reach(const NoiseChain& given, std::span<const FreeNumber> free, const ChainReturns& returns,
              const Split& split, Executor& executor) {
  Ascent ascent(begun(given, free, returns, split.learn, executor), free, returns, split.learn, executor);
  if (!free.empty()) ascent.climb();
  PossibleReturns possible(ascent.chain(), returns, split.learn, split.cluster, executor);
  ChainErrors errors = chain_errors(ascent.together(possible.places, possible.least_log),
                                    ascent.together(possible.rim, PossibleReturns::kOutOfReach),
                                    values_of(ascent.chain(), ascent.smooth()), possible.cluster, split.stretches > 0);
  return {std::move(ascent), std::move(possible), std::move(errors)};
}

/// Of the parameters that were free, those of which the returns tell nothing that others do not.
std::vector<FreeNumber> untold(const Reached& reached) {
  std::vector<FreeNumber> out;
  const ChainErrors& e = reached.errors;
  for (std::size_t k = 0; k < reached.ascent.smooth().size(); ++k) {
    const bool is_untold = e.is_unidentified[k] && std::isnan(e.naive[k]) && !e.is_at_limit[k];
    if (is_untold) out.push_back(reached.ascent.smooth()[k]);
  }
  return out;
}

/// Beside a uniform error, deviations and scales that are too small to blunt its ends, and at what they stay: the
/// likelihood is not smooth there.
struct LostBesideEnds {
  std::vector<FreeNumber> numbers;
  double value = 0.0;
};
LostBesideEnds lost_beside_ends(const Reached& reached, std::span<const FreeNumber> free, std::size_t returns) {
  constexpr double kSpacings = 10.0;  // between readings
  double width_m = 0.0;
  for (const ChainEntry& entry : reached.ascent.chain()) {
    for (const LearnedField& field : entry.noise.learned()) {
      if (field.role == LearnedRole::kHighEnd) width_m += entry.noise.number(field.field);
      if (field.role == LearnedRole::kLowEnd) width_m -= entry.noise.number(field.field);
    }
  }
  const double least_m = kSpacings * std::abs(width_m) / static_cast<double>(returns);
  LostBesideEnds small;
  for (const FreeNumber& p : free) {
    // The ends move with a gain, and cannot be searched one by one: they stay a little blunt.
    if (p.role == LearnedRole::kStretch) small.value = least_m;
    const bool is_error = p.role == LearnedRole::kDeviation || p.role == LearnedRole::kGrowth;
    if (!is_error || !p.rings.empty() || reached.ascent.chain()[p.entry].noise.stage() != Stage::kRange) continue;
    if (value_of(reached.ascent.chain(), p) >= least_m) return {};
    small.numbers.push_back(p);
  }
  return width_m != 0.0 ? small : LostBesideEnds();
}

void leave_out(std::vector<FreeNumber>& numbers, std::span<const FreeNumber> others) {
  std::erase_if(numbers, [&](const FreeNumber& p) { return place_in(others, p).has_value(); });
}

/// The way of fit_chain(): what is searched, what stays as it is given, and what is at its limit.
class Learning {
 public:
  Learning(NoiseChain start, std::vector<FreeNumber> searched, const ChainReturns& returns, const Split& split,
           Executor& executor, bool hold_untold)
      : start_(std::move(start)), searched_(std::move(searched)) {
    if (hold_untold) as_given_ = told_by_others(start_, searched_, returns, split.learn);
    leave_out(searched_, as_given_);
    reached_.emplace(reach(start_, searched_, returns, split, executor));
    for (int round = 0; hold_untold && round < kMostRounds; ++round) {
      const LostBesideEnds small = lost_beside_ends(*reached_, searched_, split.learn.size());
      const std::vector<FreeNumber> more = small.numbers.empty() ? untold(*reached_) : std::vector<FreeNumber>();
      if (small.numbers.empty() && more.empty()) return;
      for (const FreeNumber& p : small.numbers) {
        set_value(start_, p, p.role == LearnedRole::kDeviation ? small.value : 0.0);
        at_limit_.push_back(p);
      }
      as_given_.insert(as_given_.end(), more.begin(), more.end());
      leave_out(searched_, small.numbers), leave_out(searched_, more);
      reached_.emplace(reach(start_, searched_, returns, split, executor));
    }
  }

  [[nodiscard]] const Reached& reached() const { return *reached_; }
  [[nodiscard]] bool is_as_given(const FreeNumber& p) const { return place_in(as_given_, p).has_value(); }
  [[nodiscard]] bool is_at_limit(const FreeNumber& p) const { return place_in(at_limit_, p).has_value(); }

 private:
  static constexpr int kMostRounds = 4;
  NoiseChain start_;
  std::vector<FreeNumber> searched_, as_given_, at_limit_;
  std::optional<Reached> reached_;
};

/// Values, errors and correlations, in the order of `numbers`. Errors across the two kinds are independent: jumps are
/// known to one part in the number of returns, others to one in its root.
void add_parameters(const Learning& learning, const NoiseChain& given, std::span<const FreeNumber> numbers,
                    const ChainReturns& returns, const Split& split, const ChainChoice& choice, ChainFit& fit) {
  const auto& [ascent, possible, errors] = learning.reached();
  const bool tell_errors = learning.reached().tell_errors();
  const std::vector<Interval> intervals = chain_intervals(
      learning.reached().likelihood(), values_of(fit.chain, ascent.smooth()), errors, choice.of_intervals);
  fit.clusters = errors.clusters;
  fit.stretches = split.stretches > 0 ? errors.clusters : 0;
  const std::size_t n = numbers.size(), smooth = ascent.smooth().size();
  fit.correlations.assign(n * n, kNoNumber);
  std::vector<std::optional<std::size_t>> place(n);
  for (std::size_t j = 0; j < n; ++j) {
    LearnedParameter p = {.name = name_of(given, numbers[j]), .unit = unit_of(given, numbers[j])};
    p.start = value_of(given, numbers[j]), p.value = value_of(fit.chain, numbers[j]);
    set_error(p, kNoNumber, kNoNumber, {kNoNumber, kNoNumber});
    p.is_unidentified = is_of_unknown_hits(given, numbers[j], returns) || learning.is_as_given(numbers[j]);
    p.is_at_limit = learning.is_at_limit(numbers[j]);
    place[j] = place_in(ascent.smooth(), numbers[j]);
    if (const auto at = place[j]) {
      set_error(p, errors.error[*at], errors.naive[*at], intervals[*at]);
      const bool is_anything = p.low <= numbers[j].low && p.high >= numbers[j].high;
      p.is_unidentified = errors.is_unidentified[*at] || is_anything, p.is_at_limit = errors.is_at_limit[*at];
    } else if (const auto jump = place_in(ascent.jumps(), numbers[j])) {
      const JumpPeak& peak = ascent.peaks()[*jump];
      p.is_unidentified = peak.is_unbounded;
      if (const std::string note = few_at_end(fit.chain, numbers[j], returns, split.learn); !note.empty()) {
        fit.flags.push_back(fmt::format("{} {}", p.name, note));
        fit.parameters.push_back(std::move(p));
        continue;
      }
      if (!peak.is_unbounded) set_error(p, peak.deviation, peak.deviation, peak.likeliest);
    }
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
  if (options.hold_out == 1) throw InputError(Setting{"hold_out"}, " = 1 leaves nothing to learn from");
  if (options.block_frames < 1) throw InputError(Setting{"block_frames"}, " = 0 is not at least 1");
  if (options.stretches.value_or(0) > ChainFitOptions::kMostStretches) {
    throw InputError(Setting{"stretches"},
                     fmt::format(" = {} is not in [0, {}]", *options.stretches, ChainFitOptions::kMostStretches));
  }
  if (options.stretches.value_or(0) > 0 && options.block_frames > 1) {
    throw InputError(Setting{"stretches"}, " and ", Setting{"block_frames"},
                     " are both given: errors take one of them as independent");
  }
  if (options.threads < 0) throw InputError(fmt::format("threads = {} is not at least 0", options.threads));
}

namespace {

/// Parameters that a search finds.
std::vector<FreeNumber> searched_of(const NoiseChain& chain, std::span<const FreeNumber> numbers,
                                    const ChainReturns& returns) {
  std::vector<FreeNumber> searched;
  for (const FreeNumber& p : numbers) {
    if (p.role != LearnedRole::kLevels && !is_of_unknown_hits(chain, p, returns)) searched.push_back(p);
  }
  return searched;
}

/// Of these returns, those whose turned rays meet several surfaces.
std::size_t count_at_edges(const TurnedRays& rays, std::span<const std::size_t> returns) {
  if (!rays.is_known()) return 0;
  return static_cast<std::size_t>(std::count_if(returns.begin(), returns.end(), [&](std::size_t i) {
    return rays.rays[i].surroundings != TurnedRays::kOneSurface;
  }));
}

/// Learned under the laws of `chain`; what was gained is on `given`, which may have another law of energies.
ChainFit fit_under(const NoiseChain& chain, const NoiseChain& given, std::span<const FreeNumber> numbers,
                   const ChainReturns& returns, const Split& split, Executor& executor, const ChainChoice& choice) {
  ChainFit fit;
  fit.start_log_likelihood = ChainLikelihood(given, {}, returns, split.learn, executor).total({});
  NoiseChain start = with_rings(chain, numbers);
  std::vector<std::size_t> untold_levels;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k].role == LearnedRole::kLevels && !set_levels(start, numbers[k], returns)) untold_levels.push_back(k);
  }
  const Learning learning(start, searched_of(chain, numbers, returns), returns, split, executor, choice.hold_untold);
  fit.chain = learning.reached().ascent.chain();
  fit.log_likelihood = learning.reached().ascent.total();
  add_parameters(learning, with_rings(chain, numbers), numbers, returns, split, choice, fit);
  for (const std::size_t k : untold_levels) fit.parameters[k].is_unidentified = true;
  fit.returns = split.learn.size(), fit.frames = split.frames;
  if (turns_rays(chain)) fit.at_edges = count_at_edges(returns.turned, split.learn);
  for (const std::size_t i : split.learn) fit.lost += std::isnan(returns.range_m[i]) ? 1 : 0;
  judge(returns, split.judge, split.stretches, given, executor, fit);
  return fit;
}

/// The chain with another law of the model at this place, if it has one and all its parameters are free.
std::optional<NoiseChain> with_other_law(const NoiseChain& chain, std::span<const FreeNumber> numbers,
                                         std::size_t entry) {
  const std::optional<Noise> other = chain[entry].noise.with_other_law();
  if (!other) return std::nullopt;
  for (const LearnedField& field : other->learned()) {
    const bool is_free = std::any_of(numbers.begin(), numbers.end(), [&](const FreeNumber& p) {
      return p.entry == entry && p.field == field.field && p.rings.empty();
    });
    if (!is_free) return std::nullopt;
  }
  NoiseChain changed = chain;
  changed[entry].noise = *other;
  return changed;
}

/// Whether some of the returns are likelier under a chain with another law than under what was learned.
bool may_be_likelier(const NoiseChain& other, const ChainFit& fit, std::span<const FreeNumber> numbers,
                     const ChainReturns& returns, const Split& split, Executor& executor) {
  constexpr std::size_t kSome = 4'096;
  const std::vector<std::size_t> some = some_of(split.learn, kSome);
  Ascent ascent(other, searched_of(other, numbers, returns), returns, some, executor);
  ascent.climb();
  return ascent.total() > ChainLikelihood(fit.chain, {}, returns, some, executor).total({});
}

}  // namespace

ChainFit fit_chain_laws(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                        const ChainFitOptions& options, const ChainChoice& choice) {
  constexpr double kLikelier = 3.0;  // nats from which on another law than the given one is taken
  validate(options);
  check_returns(returns);
  std::vector<FreeNumber> numbers = free_numbers(chain, free, rings_of(returns));
  set_steps_of_angles(chain, returns, numbers);
  const Split split = split_frames(returns, options);
  if (split.learn.size() < kLeastReturns) {
    throw InputError(
        fmt::format("{} returns to learn from: at least {} are needed", split.learn.size(), kLeastReturns));
  }
  check_ranges_may_err(chain, returns, split.learn);
  const auto executor = make_executor(options.threads);
  NoiseChain laws = chain;
  ChainFit fit = fit_under(laws, chain, numbers, returns, split, *executor, choice);
  // Beside turned rays a law of losses may have no density.
  const bool tries_laws = choice.of_laws && !turns_rays(chain);
  for (std::size_t entry = 0; tries_laws && entry < chain.size(); ++entry) {
    const std::optional<NoiseChain> other = with_other_law(laws, numbers, entry);
    NoiseChain begun = fit.chain;  // with what was learned of its other models
    if (other) begun[entry].noise = (*other)[entry].noise;
    if (!other || !may_be_likelier(begun, fit, numbers, returns, split, *executor)) continue;
    ChainFit tried = fit_under(*other, chain, numbers, returns, split, *executor, choice);
    if (!(tried.log_likelihood > fit.log_likelihood + kLikelier)) continue;
    tried.flags.push_back(fmt::format("{}: losses follow the law {}, which is likelier by {:.1f} nats than {} as given",
                                      laws[entry].noise.slug(), (*other)[entry].noise.law(),
                                      tried.log_likelihood - fit.log_likelihood, laws[entry].noise.law()));
    laws = *other, fit = std::move(tried);
  }
  add_flags(fit, numbers, returns);
  return fit;
}

ChainFit fit_chain(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                   const ChainFitOptions& options) {
  return fit_chain_laws(chain, free, returns, options, {});
}

}  // namespace fathom
