// SPDX-License-Identifier: MIT
// Which law of loss walls tell, and whether errors of the range have heavier tails than normal ones.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/f64.hpp>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "fit/chain/chain_fit.hpp"
#include "fit/chain/chain_likelihood.hpp"
#include "fit/uncertainty.hpp"
#include "fit/wall/wall_work.hpp"
#include "sensor/noise_access.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastJudges = 5, kLeastLost = 20, kLeastFramesFor = 3;
constexpr double kLeastSpreadRad = 15.0 * std::numbers::pi / 180.0, kLeastRatio = 1.3, kErrorsAbove = 2.0,
                 kSureNats = 2.0;

/// What the returns cover.
struct Covered {
  double least_rad = 10.0, most_rad = 0.0, kept_rad = 0.0;
  double nearest_m = 0.0, farthest_m = 0.0;  ///< of all but the 5 % at either end
  std::size_t lost = 0;

  explicit Covered(const ChainReturns& r) {
    nearest_m = quantile_of(r.clean_x_m, 0.05), farthest_m = quantile_of(r.clean_x_m, 0.95);
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double angle = double{r.incidence_rad[i]};
      least_rad = std::min(least_rad, angle), most_rad = std::max(most_rad, angle);
      lost += std::isnan(r.range_m[i]) ? 1 : 0;
      if (!std::isnan(r.range_m[i])) kept_rad = std::max(kept_rad, angle);
    }
  }
};

struct Candidate {
  std::string name;
  NoiseChain models;
  std::vector<std::string> free;
};

/// The laws that the covered returns can distinguish from chance, which is the first.
std::vector<Candidate> candidates(const ChainReturns& r, std::vector<Message>& flags) {
  const Covered covered(r);
  const double share = static_cast<double>(covered.lost) / static_cast<double>(r.size());
  const std::vector<detail::LossCandidate> laws =
      detail::loss_candidates({.lost_share = share, .kept_rad = covered.kept_rad, .far_m = covered.farthest_m});
  const detail::LossCandidate& chance = *std::ranges::find(laws, LossCause::kChance, &detail::LossCandidate::cause);
  const std::string by_chance(chance.begun.slug());
  std::vector<Candidate> all = {{by_chance, {chance.begun}, chance.free}};
  const auto add_laws = [&](LossCause cause) {
    for (auto law = laws.rbegin(); law != laws.rend(); ++law) {
      if (law->cause != cause) continue;
      std::vector<std::string> free = law->free;
      free.insert(free.end(), chance.free.begin(), chance.free.end());
      all.push_back(
          {fmt::format("{} + {}", law->begun.slug(), by_chance), {law->begun, chance.begun}, std::move(free)});
    }
  };
  const double degrees = 180.0 / std::numbers::pi;
  if (covered.lost < kLeastLost) {
    flags.push_back(fmt::format("{} {} lost: too few to distinguish a law of loss from {}",
                                counted(covered.lost, "return"), were(covered.lost), by_chance));
    return all;
  }
  if (covered.most_rad - covered.least_rad >= kLeastSpreadRad) {
    add_laws(LossCause::kIncidence);
  } else {
    flags.push_back(fmt::format(
        "the walls were seen at {:.0f} to {:.0f} degrees only: whether incidence loses returns cannot be learned",
        covered.least_rad * degrees, covered.most_rad * degrees));
  }
  if (r.optics.fx_px > 0.0F && covered.farthest_m >= kLeastRatio * covered.nearest_m) {
    add_laws(LossCause::kDepth);
  } else if (r.optics.fx_px > 0.0F) {
    flags.push_back(
        fmt::format("the walls were {:.2f} to {:.2f} m away only: whether distance loses returns cannot be learned",
                    covered.nearest_m, covered.farthest_m));
  }
  return all;
}

/// A candidate after learning.
struct Tried {
  WallLaw learned;
  WallFit::Law law;
  std::vector<FrameScore> judged = {};
  double penalised = 0.0;
  std::optional<double> crowding = {};  ///< nothing: not found yet

  [[nodiscard]] bool has_judges() const { return judged.size() >= kLeastJudges; }
  [[nodiscard]] double returns_judged() const {
    double returns = 0.0;
    for (const FrameScore& score : judged) returns += static_cast<double>(score.returns);
    return returns;
  }
};

/// Candidates that are learned from the same returns. Others are compared with the first one.
class LawTrials {
 public:
  /// Returns and options must outlive it. `hold_untold`: as in ChainChoice.
  LawTrials(const std::vector<Candidate>& candidates, const ChainReturns& returns, const WallOptions& options,
            bool hold_untold)
      : returns_(returns), options_(options) {
    const ChainReturns judges = returns_at(returns, split_frames(returns, {.hold_out = options.hold_out}).judge);
    const ChainChoice choice = {
        .of_laws = false, .hold_untold = hold_untold, .of_errors = hold_untold, .of_intervals = false};
    for (const Candidate& candidate : candidates) {
      Tried& tried = all.emplace_back(attempt(candidate, judges, choice));
      tried.law.gain = tried.law.nats - all.front().law.nats, tried.law.gain_error = kNoNumber;
      if (all.size() == 1 || !tried.has_judges()) continue;
      tried.law.gain_error = score_difference(tried.judged, all.front().judged).std_error;
    }
  }

  std::vector<Tried> all;

  WallLaw chosen(std::size_t best) {
    all[best].law.is_chosen = true;
    WallLaw law = std::move(all[best].learned);
    for (Tried& tried : all) law.tried.push_back(std::move(tried.law));
    return law;
  }

  /// Whether the judging frames show that `a` is better than `b`: by two standard errors of the mean of frames. Or,
  /// because laws differ in some frames and agree in others, by more nats in all than this number of parameters gains
  /// by chance. These must be of several frames: a single return beyond a sharp limit costs 60.
  [[nodiscard]] bool is_better(Tried& a, const Tried& b) const {
    const MeanScore difference = score_difference(a.judged, b.judged);
    const double judged = a.returns_judged(), gain = difference.nats * judged;
    if (gain < 1.0) return false;
    if (difference.nats > kErrorsAbove * difference.std_error) return true;
    const double more = std::abs(static_cast<double>(a.law.parameters) - static_cast<double>(b.law.parameters));
    const double by_chance = 0.5 * std::max(1.0, more) * math::log(judged) + kSureNats;
    return frames_for(a, b) >= kLeastFramesFor && gain > by_chance && gain > by_chance * crowding(a);
  }

  /// The law with the most nats or, among the laws that frames do not distinguish from it, the one with the fewest
  /// parameters. Without judges the likelihood decides.
  [[nodiscard]] std::size_t best_law() {
    if (!all.front().has_judges()) {
      return static_cast<std::size_t>(std::ranges::max_element(all, {}, &Tried::penalised) - all.begin());
    }
    std::size_t best = 0;
    for (std::size_t k = 1; k < all.size(); ++k) {
      if (is_better(all[k], all[0]) && (best == 0 || all[k].law.nats > all[best].law.nats)) best = k;
    }
    std::size_t simple = best;
    for (std::size_t k = 1; k < all.size() && best > 0; ++k) {
      if (all[k].law.parameters < all[simple].law.parameters && !is_better(all[best], all[k])) simple = k;
    }
    return simple;
  }

 private:
  [[nodiscard]] ChainFit learn(const NoiseChain& chain, std::span<const ChainParameter> free,
                               const ChainChoice& choice) const {
    const ChainFitOptions how = {
        .hold_out = options_.hold_out, .block_frames = options_.block_frames, .threads = options_.threads};
    return fit_chain_laws(chain, free, returns_, how, choice);
  }

  [[nodiscard]] Tried attempt(const Candidate& candidate, const ChainReturns& judges, const ChainChoice& choice) const {
    const std::vector<ChainParameter> free = chain_parameters(candidate.models, candidate.free);
    const ChainFit fit = learn(candidate.models, free, choice);
    Tried tried{.learned = {fit.chain, candidate.free}, .law = {.name = candidate.name, .parameters = free.size()}};
    const auto parameters = static_cast<double>(free.size()), returns = static_cast<double>(fit.returns);
    tried.penalised = fit.log_likelihood - 0.5 * parameters * math::log(returns);
    tried.law.nats = fit.log_likelihood / returns;
    if (judges.size() == 0) return tried;
    tried.judged = score_frames(fit.chain, judges, options_.threads);
    tried.law.nats = mean_score(tried.judged).nats;
    return tried;
  }

  /// How many returns count as one: of the variances of parameters, by frames over independent.
  double crowding(Tried& tried) const {
    if (tried.crowding) return *tried.crowding;
    tried.crowding = 1.0;
    const NoiseChain& chain = tried.learned.chain;
    const ChainFit fit = learn(chain, chain_parameters(chain, tried.learned.free),
                               {.of_laws = false, .hold_untold = false, .of_intervals = false});
    for (const Fit::Parameter& p : fit.parameters) {
      const double ratio = p.std_error / p.naive_error;
      if (std::isfinite(ratio)) tried.crowding = std::max(*tried.crowding, ratio * ratio);
    }
    return *tried.crowding;
  }

  /// Frames in which `a` gains more than a nat on `b`.
  static std::size_t frames_for(const Tried& a, const Tried& b) {
    std::size_t frames = 0;
    for (std::size_t k = 0; k < a.judged.size(); ++k) {
      const double gain = (a.judged[k].nats - b.judged[k].nats) * static_cast<double>(a.judged[k].returns);
      frames += gain > 1.0 ? 1 : 0;
    }
    return frames;
  }

  const ChainReturns& returns_;
  const WallOptions& options_;
};

void flag_choice(LawTrials& trials, std::size_t best, std::vector<Message>& flags) {
  std::vector<Tried>& all = trials.all;
  const bool have_judges = all.front().has_judges();
  for (std::size_t k = 0; k < all.size() && have_judges; ++k) {
    const bool is_less = all[k].law.nats < all[best].law.nats;
    Tried &better = is_less ? all[best] : all[k], &other = is_less ? all[k] : all[best];
    if (k == best || (best == 0 && is_less) || trials.is_better(better, other)) continue;
    const MeanScore difference = score_difference(all[best].judged, all[k].judged);
    if (best == 0 && -difference.nats * all[k].returns_judged() < 1.0) continue;  // the other law comes to dropout
    flags.push_back(fmt::format("frames held out hardly distinguish {} from {}: {:.2g} +- {:.1g} nats per return",
                                all[best].law.name, all[k].law.name, difference.nats, difference.std_error));
  }
  if (have_judges || all.size() == 1) return;
  flags.push_back(
      fmt::format("fewer than {} frames were held out: the law of loss was chosen by the likelihood of "
                  "the frames that it was learned from",
                  kLeastJudges));
}

constexpr double kNormalKurtosis = 3.0, kLeastExcess = 0.05, kExcessErrors = 4.0;
constexpr double kRounding = 1e-6;  // of a range

/// The deviation of the error that the first model of a chain adds at a range.
double deviation_at(const NoiseChain& chain, double range_m) {
  const Noise& normal = chain.front().noise;
  MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(range_m);
  detail::NoiseAccess::hooks(normal).act(detail::NoiseAccess::model(normal), law);
  return law.normal_m;
}

/// By the root mean square of each ring: rings of several deviations together have heavy tails.
void even_out_rings(std::span<const std::uint16_t> ring, std::vector<double>& units) {
  std::map<std::uint16_t, std::pair<double, double>> sums;
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto& [square, count] = sums[ring[i]];
    square += units[i] * units[i], count += 1.0;
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto& [square, count] = sums[ring[i]];
    if (square > 0.0) units[i] /= std::sqrt(square / count);
  }
}

/// Whether errors, divided by their deviation, have a larger fourth moment than a normal.
bool are_heavy(const NoiseChain& chain, const ChainReturns& readings, bool of_rings) {
  const double nearest_m = double{std::ranges::min(readings.clean_range_m)};
  if (!(deviation_at(chain, nearest_m) > kRounding * nearest_m)) return false;  // rounding of floats is no noise
  std::vector<double> units;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const double clean_m = double{readings.clean_range_m[i]};
    units.push_back((double{readings.range_m[i]} - clean_m) / deviation_at(chain, clean_m));
  }
  if (of_rings) even_out_rings(readings.ring, units);
  double second = 0.0, fourth = 0.0;
  for (const double unit : units) second += unit * unit, fourth += unit * unit * unit * unit;
  const auto n = static_cast<double>(readings.size());
  const double excess = n * fourth / (second * second) - kNormalKurtosis;
  return excess > std::max(kLeastExcess, kExcessErrors * std::sqrt(24.0 / n));
}

/// Whether frames held out prefer the law with heavy tails; with few of them, whether the likelihood does.
bool is_told(const Tried& heavy, const Tried& normal) {
  if (!heavy.has_judges()) return heavy.penalised > normal.penalised;
  const MeanScore gain = score_difference(heavy.judged, normal.judged);
  const double n = heavy.returns_judged();
  return gain.nats > kErrorsAbove * gain.std_error && gain.nats * n > 0.5 * math::log(n) + kSureNats;
}

}  // namespace

WallLaw choose_losses(ChainReturns returns, const WallOptions& options, std::vector<Message>& flags) {
  // Ranges without error: under a chain without models of range each is certain.
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (!std::isnan(returns.range_m[i])) returns.range_m[i] = returns.clean_range_m[i];
  }
  returns.half_step_m = 0.0;
  LawTrials trials(candidates(returns, flags), returns, options, false);
  const std::size_t best = trials.best_law();
  flag_choice(trials, best, flags);
  return trials.chosen(best);
}

WallLaw choose_range_law(const WallLaw& normal, const ChainReturns& readings, const WallOptions& options) {
  const std::optional<Noise> with_tails = normal.chain.front().noise.with_heavy_tails();
  if (!with_tails || !are_heavy(normal.chain, readings, options.rings)) return normal;
  NoiseChain heavy = normal.chain;
  heavy.front() = *with_tails;
  std::vector<std::string> of_heavy;
  for (const LearnedField& field : with_tails->learned()) {
    if (field.role == LearnedRole::kGrowth && normal.free.size() == 1) continue;  // all readings are equally far
    of_heavy.push_back(fmt::format("{}.{}", with_tails->slug(), field.field));
  }
  LawTrials trials({{std::string(normal.chain.front().noise.slug()), normal.chain, normal.free},
                    {std::string(with_tails->slug()), heavy, of_heavy}},
                   readings, options, true);
  const bool has_tails = is_told(trials.all[1], trials.all[0]);
  WallLaw law = trials.chosen(has_tails ? 1 : 0);
  if (!has_tails) law.chain = normal.chain;
  return law;
}

}  // namespace fathom
