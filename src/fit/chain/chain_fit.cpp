// SPDX-License-Identifier: MIT
#include "fit/chain/chain_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "fit/chain/chain_likelihood.hpp"
#include "fit/chain/turned_rays.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastReturns = 100;

/// What all searches of a fit share.
struct Task {
  const NoiseChain& given;
  std::span<const FreeNumber> numbers;
  const Split& split;
  ChainData learn;
  ChainChoice choice;
};

/// The chain with an entry for each ring that has a free parameter.
NoiseChain with_rings(NoiseChain chain, std::span<const FreeNumber> numbers) {
  for (const FreeNumber& p : numbers) {
    for (const std::uint16_t ring : p.rings) {
      std::vector<RingEntry>& entries = chain[p.entry].by_ring;
      // Files and Python may give rings in any order.
      const bool is_there = std::ranges::any_of(entries, [&](const RingEntry& e) { return e.ring == ring; });
      const auto at = std::ranges::find_if(entries, [&](const RingEntry& e) { return e.ring > ring; });
      if (!is_there) entries.insert(at, {ring, chain[p.entry].noise});
    }
  }
  return chain;
}

/// True for a model that turns points if only ranges are known: its parameters stay as given.
bool is_of_unknown_hits(const NoiseChain& chain, const FreeNumber& p, const ChainReturns& returns) {
  return chain[p.entry].noise.stage() == Stage::kHitPoint && !returns.hits.is_known();
}

std::optional<std::size_t> place_in(std::span<const FreeNumber> numbers, const FreeNumber& p) {
  const auto found = std::ranges::find(numbers, p);
  if (found == numbers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - numbers.begin());
}

void leave_out(std::vector<FreeNumber>& numbers, std::span<const FreeNumber> others) {
  std::erase_if(numbers, [&](const FreeNumber& p) { return place_in(others, p).has_value(); });
}

void set_error(Fit::Parameter& p, double error, double naive, const Interval& interval) {
  p.std_error = error, p.naive_error = naive;
  p.low_95 = interval.low, p.high_95 = interval.high;
}

Fit::Status status_of(bool is_unidentified, bool is_at_limit) {
  if (is_unidentified) return Fit::Status::kUnidentified;
  return is_at_limit ? Fit::Status::kAtLimit : Fit::Status::kLearned;
}

/// What was reached with some parameters free, and the errors of these.
struct Reached {
  Ascent ascent;
  PossibleReturns possible;
  ChainErrors errors;
  [[nodiscard]] bool tell_errors() const { return possible.tell_errors() && !errors.hangs_on_floor; }
};

Reached reach(const NoiseChain& start, std::span<const FreeNumber> free, const Task& task) {
  const ChainData& data = task.learn;
  Ascent ascent(begun(start, free, data), free, data);
  if (!free.empty()) ascent.climb();
  PossibleReturns possible(ascent.chain(), data, task.split.cluster);
  const std::size_t smooth = ascent.smooth().size();
  ChainErrors errors = {.of = std::vector<ParameterError>(smooth),
                        .correlations = std::vector<double>(smooth * smooth, kNoNumber)};
  if (task.choice.of_errors) {
    errors = chain_errors(ascent.together(data.at(possible.places, possible.least_log)),
                          ascent.together(data.at(possible.rim, PossibleReturns::kOutOfReach)), possible.cluster,
                          task.split.stretches > 0);
  }
  return {std::move(ascent), std::move(possible), std::move(errors)};
}

/// The free parameters that the returns do not identify beside the others.
std::vector<FreeNumber> unidentified(const Reached& reached) {
  std::vector<FreeNumber> out;
  for (std::size_t k = 0; k < reached.errors.of.size(); ++k) {
    const ParameterError& e = reached.errors.of[k];
    const bool is_unknown = e.is_unidentified && std::isnan(e.naive) && !e.is_at_limit;
    if (is_unknown) out.push_back(reached.ascent.smooth()[k]);
  }
  return out;
}

/// Deviations and scales that are too small to blunt the ends of a uniform error beside them, and their fixed value.
/// The likelihood is not smooth there.
struct LostBesideEnds {
  std::vector<FreeNumber> numbers;
  double value = 0.0;
};
LostBesideEnds lost_beside_ends(const NoiseChain& chain, std::span<const FreeNumber> free, std::size_t returns) {
  constexpr double kSpacings = 10.0;  // between readings
  double width_m = 0.0;
  for (const ChainEntry& entry : chain) {
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
    if (!is_error || !p.rings.empty() || chain[p.entry].noise.stage() != Stage::kRange) continue;
    if (value_of(chain, p) >= least_m) return {};
    small.numbers.push_back(p);
  }
  return width_m != 0.0 ? small : LostBesideEnds();
}

/// The last search, with the parameters that keep their given values or stay at a limit.
struct Learned {
  Reached reached;
  std::vector<FreeNumber> as_given, at_limit;
};

Learned learn(NoiseChain start, std::vector<FreeNumber> searched, const Task& task) {
  constexpr int kMostRounds = 4;
  std::vector<FreeNumber> as_given, at_limit;
  if (task.choice.hold_untold) as_given = redundant_parameters(start, searched, task.learn);
  leave_out(searched, as_given);
  std::optional<Reached> reached(reach(start, searched, task));
  for (int round = 0; task.choice.hold_untold && round < kMostRounds; ++round) {
    const LostBesideEnds small = lost_beside_ends(reached->ascent.chain(), searched, task.learn.used.size());
    const std::vector<FreeNumber> more = small.numbers.empty() ? unidentified(*reached) : std::vector<FreeNumber>();
    if (small.numbers.empty() && more.empty()) break;
    for (const FreeNumber& p : small.numbers)
      set_value(start, p, p.role == LearnedRole::kDeviation ? small.value : 0.0);
    at_limit.insert(at_limit.end(), small.numbers.begin(), small.numbers.end());
    as_given.insert(as_given.end(), more.begin(), more.end());
    leave_out(searched, small.numbers), leave_out(searched, more);
    reached.emplace(reach(start, searched, task));
  }
  return {std::move(*reached), std::move(as_given), std::move(at_limit)};
}

/// Value and standard errors of one parameter. `fit` gets a note on it.
Fit::Parameter parameter_of(const Learned& learned, const NoiseChain& start, const FreeNumber& number, const Task& task,
                            const std::vector<Interval>& intervals, Fit& fit) {
  const auto& [ascent, possible, errors] = learned.reached;
  Fit::Parameter p = {.name = name_of(start, number), .unit = std::string(number.unit)};
  p.start = value_of(start, number), p.value = value_of(ascent.chain(), number);
  const bool stays_at_limit = place_in(learned.at_limit, number).has_value();
  p.status =
      status_of(is_of_unknown_hits(start, number, task.learn.returns) || place_in(learned.as_given, number).has_value(),
                stays_at_limit);
  if (const auto at = place_in(ascent.smooth(), number)) {
    const ParameterError& error = errors.of[*at];
    set_error(p, error.error, error.naive, intervals[*at]);
    const bool is_anything = p.low_95 <= number.low && p.high_95 >= number.high;
    p.status = status_of(error.is_unidentified || is_anything, error.is_at_limit);
  } else if (const auto jump = place_in(ascent.jumps(), number)) {
    const JumpPeak& peak = ascent.peaks()[*jump];
    p.status = status_of(peak.is_unbounded, stays_at_limit);
    if (const std::string note = few_at_end(ascent.chain(), number, task.learn); !note.empty()) {
      fit.note("few_readings", fmt::format("{} {}", p.name, note));
      return p;
    }
    if (!peak.is_unbounded) set_error(p, peak.deviation, peak.deviation, peak.likeliest);
  }
  if (!learned.reached.tell_errors()) {
    if (p.status == Fit::Status::kUnidentified && !std::isnan(p.std_error)) p.status = Fit::Status::kLearned;
    set_error(p, kNoNumber, kNoNumber, {kNoNumber, kNoNumber});
  }
  return p;
}

/// Values, errors and correlations. Errors across the two kinds are independent: jumps are known to one part in the
/// number of returns, others to one in its root.
void add_parameters(const Learned& learned, const NoiseChain& start, const Task& task, ChainFit& fit) {
  const auto& [ascent, possible, errors] = learned.reached;
  const std::vector<Interval> intervals = chain_intervals(
      ascent.together(task.learn.at(possible.places, possible.least_log)), errors, task.choice.of_intervals);
  fit.blocks = errors.clusters, fit.block = task.split.stretches > 0 ? "stretch" : "frame";
  std::vector<std::optional<std::size_t>> place;
  for (const FreeNumber& number : task.numbers) {
    fit.parameters.push_back(parameter_of(learned, start, number, task, intervals, fit));
    place.push_back(place_in(ascent.smooth(), number));
  }
  const bool tell_errors = learned.reached.tell_errors();
  if (possible.impossible > 0 || errors.hangs_on_floor) fit.note("impossible", possible.note(tell_errors));
  const std::size_t n = place.size(), smooth = errors.of.size();
  fit.correlations.assign(n * n, kNoNumber);
  for (std::size_t j = 0; j < n && tell_errors; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      const bool both = place[j] && place[k];
      if (both) fit.correlations[j * n + k] = errors.correlations[*place[j] * smooth + *place[k]];
    }
  }
}

void judge(const Task& task, ChainFit& fit) {
  const std::vector<std::size_t>& places = task.split.judge;
  if (places.empty()) return;
  const std::vector<FrameScore> learned = frame_scores(fit.chain, task.learn.at(places)),
                                given = frame_scores(task.given, task.learn.at(places));
  const MeanScore gain = score_difference(learned, given, task.split.stretches);
  hold_out(mean_score(learned).nats, places.size(), "", fit);
  fit.held_out->start_nats = mean_score(given).nats;
  fit.held_out->gain_nats = gain.nats, fit.held_out->gain_error = gain.std_error;
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
std::vector<FreeNumber> searched_of(const NoiseChain& chain, const Task& task) {
  std::vector<FreeNumber> searched;
  for (const FreeNumber& p : task.numbers) {
    if (p.role != LearnedRole::kLevels && !is_of_unknown_hits(chain, p, task.learn.returns)) searched.push_back(p);
  }
  return searched;
}

/// The returns whose turned rays meet several surfaces.
std::size_t count_at_edges(const ChainData& data) {
  const ChainReturns::TurnedRays& rays = data.returns.turned;
  if (!rays.is_known()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      data.used, [&](std::size_t i) { return rays.rays[i].surroundings != ChainReturns::TurnedRays::kOneSurface; }));
}

/// Learned under the laws of `chain`. Gains are on the given chain, which may have another law of energies.
ChainFit fit_under(const NoiseChain& chain, const Task& task) {
  const ChainReturns& returns = task.learn.returns;
  ChainFit fit;
  fit.start_log_likelihood = task.learn.total(task.given);
  const NoiseChain begin = with_rings(chain, task.numbers);
  NoiseChain start = begin;
  std::vector<std::size_t> levels_not_found;
  for (std::size_t k = 0; k < task.numbers.size(); ++k) {
    const FreeNumber& p = task.numbers[k];
    if (p.role == LearnedRole::kLevels && !set_levels(start, p, returns)) levels_not_found.push_back(k);
  }
  const Learned learned = learn(start, searched_of(chain, task), task);
  fit.chain = learned.reached.ascent.chain();
  fit.log_likelihood = learned.reached.ascent.total();
  add_parameters(learned, begin, task, fit);
  for (const std::size_t k : levels_not_found) fit.parameters[k].status = Fit::Status::kUnidentified;
  fit.returns = task.learn.used.size(), fit.frames = task.split.frames;
  if (turns_rays(chain)) fit.at_edges = count_at_edges(task.learn);
  for (const std::size_t i : task.learn.used) fit.lost += std::isnan(returns.range_m[i]) ? 1 : 0;
  judge(task, fit);
  return fit;
}

/// The chain with another law of the model at this place, if it has one and all its parameters are free.
std::optional<NoiseChain> with_other_law(const NoiseChain& chain, std::span<const FreeNumber> numbers,
                                         std::size_t entry) {
  const std::optional<Noise> other = chain[entry].noise.with_other_law();
  if (!other) return std::nullopt;
  for (const LearnedField& field : other->learned()) {
    const bool is_free = std::ranges::any_of(
        numbers, [&](const FreeNumber& p) { return p.entry == entry && p.field == field.field && p.rings.empty(); });
    if (!is_free) return std::nullopt;
  }
  NoiseChain changed = chain;
  changed[entry].noise = *other;
  return changed;
}

/// True if a sample of the returns is likelier under a chain with another law than under the learned chain.
bool may_be_likelier(const NoiseChain& other, const NoiseChain& learned, const Task& task) {
  constexpr std::size_t kSome = 4'096;
  const std::vector<std::size_t> some = some_of(task.learn.used, kSome);
  const ChainData data = task.learn.at(some);
  Ascent ascent(other, searched_of(other, task), data);
  ascent.climb();
  return ascent.total() > data.total(learned);
}

}  // namespace

ChainFit fit_chain_laws(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                        const ChainFitOptions& options, const ChainChoice& choice) {
  constexpr double kLikelier = 3.0;  // nats from which on another law than the given one is taken
  validate(options);
  check_returns(returns);
  std::vector<FreeNumber> numbers = free_numbers(chain, free, returns.rings());
  set_steps_of_angles(chain, returns, numbers);
  const Split split = split_frames(returns, options);
  if (split.learn.size() < kLeastReturns) {
    throw InputError(
        fmt::format("{} returns to learn from: at least {} are needed", split.learn.size(), kLeastReturns));
  }
  const auto executor = make_executor(options.threads);
  const ChainData learn = {returns, split.learn, *executor, ChainDensity::kLeastLog, cosines_of(returns)};
  const Task task = {chain, numbers, split, learn, choice};
  check_ranges_may_err(chain, task.learn);
  NoiseChain laws = chain;
  ChainFit fit = fit_under(laws, task);
  // Beside turned rays a law of losses may have no density.
  const bool tries_laws = choice.of_laws && !turns_rays(chain);
  for (std::size_t entry = 0; tries_laws && entry < chain.size(); ++entry) {
    const std::optional<NoiseChain> other = with_other_law(laws, numbers, entry);
    NoiseChain begun = fit.chain;  // with the learned values of its other models
    if (other) begun[entry].noise = (*other)[entry].noise;
    if (!other || !may_be_likelier(begun, fit.chain, task)) continue;
    ChainFit tried = fit_under(*other, task);
    if (!(tried.log_likelihood > fit.log_likelihood + kLikelier)) continue;
    tried.note("other_law",
               fmt::format("{}: losses follow the law {}, which is likelier by {:.1f} nats than {} as given",
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
