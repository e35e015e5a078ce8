// SPDX-License-Identifier: MIT
// Which parameters the returns determine: levels of disparities, ends of uniform errors, parameters that no data could
// separate, and the flags of a fit.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "fit/chain/chain_fit.hpp"
#include "fit/chain/turned_rays.hpp"
#include "fit/uncertainty.hpp"
#include "sensor/noise_access.hpp"

namespace fathom {

namespace {

constexpr int kMostLevels = 1024;
constexpr double kShareOnLevels = 0.999;
constexpr double kSlack = 0.02;       // of a level
constexpr double kMostSlack = 0.125;  // coarser ranges are left out

/// A measured quantity that may have levels, and its largest error by the rounding of the range.
struct Seen {
  double value, slack;
};

std::vector<Seen> seen_values(const Noise& noise, const ChainReturns& r) {
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (std::isnan(r.range_m[i])) continue;
    const double range_m = double{r.range_m[i]}, share = double{r.clean_x_m[i]} / double{r.clean_range_m[i]};
    const double value = noise.level_of(r.optics, range_m * share);
    const double step_m = r.depths_are_rounded ? r.half_step_m / share : r.half_step_m;
    const double off = 1.0 + step_m / range_m + 1e-6;
    seen.push_back({value, std::abs(noise.level_of(r.optics, range_m * share / off) - value)});
  }
  return seen;
}

bool are_levels(const std::vector<Seen>& seen, int steps) {
  const double most_off = 2.0 + (1.0 - kShareOnLevels) * static_cast<double>(seen.size());
  std::size_t told = 0, on = 0;
  for (const Seen& s : seen) {
    const double slack = kSlack + s.slack * steps, level = s.value * steps;
    if (slack > kMostSlack) continue;
    ++told, on += std::abs(level - std::round(level)) <= slack ? 1 : 0;
    if (static_cast<double>(told - on) > most_off) return false;
  }
  return told >= 100 && static_cast<double>(on) >= kShareOnLevels * static_cast<double>(told);
}

constexpr double kOuter = 0.1;       // of the interval, beside its end
constexpr double kFew = 0.5;         // of the count that a uniform has there
constexpr double kDeviations = 4.0;  // of the count, by which it must be missed
constexpr double kBelowAnyRangeM = -1e12;

constexpr std::size_t kMostReturns = 1024, kOfEachRing = 16;
constexpr double kStep = 0.02;  // of a value, or of the margin from which a search begins
constexpr double kApartM = 0.01;
constexpr double kLeastOwn = 1e-7;  // single floats leave 1e-10

/// Some returns, of each ring if any parameter is of a single one.
std::vector<std::size_t> sample_of(std::span<const FreeNumber> free, const ChainData& data) {
  std::vector<std::size_t> some = some_of(data.used, kMostReturns);
  if (std::ranges::all_of(free, [](const FreeNumber& p) { return p.rings.empty(); })) return some;
  std::map<std::uint16_t, std::vector<std::size_t>> of_ring;
  for (const std::size_t i : data.used) of_ring[data.returns.ring[i]].push_back(i);
  // From all over its ring: neighbours see the same range, and at one range a gain and a bias do the same.
  for (const auto& [ring, all] : of_ring) {
    const std::vector<std::size_t> few = some_of(all, kOfEachRing);
    some.insert(some.end(), few.begin(), few.end());
  }
  return some;
}

/// What is kept first.
std::vector<std::size_t> by_preference(std::span<const FreeNumber> free) {
  std::vector<std::size_t> order(free.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t k) {
    const FreeNumber& p = free[k];
    return std::pair{p.rings.empty() ? p.yields : 0, -static_cast<std::ptrdiff_t>(p.entry)};
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

/// All that the densities of some returns depend on.
Eigen::VectorXd effects_of(const NoiseChain& chain, const ChainReturns& returns, std::span<const std::size_t> some) {
  const ChainDensity density(chain, returns);
  std::vector<double> effects;
  for (const std::size_t i : some) density.effects(i, effects);
  return Eigen::Map<const Eigen::VectorXd>(effects.data(), static_cast<Eigen::Index>(effects.size()));
}

}  // namespace

bool set_levels(NoiseChain& chain, const FreeNumber& steps, const ChainReturns& returns) {
  const std::string name = fmt::format("{}.{}", chain[steps.entry].noise.slug(), steps.field);
  for (std::size_t k = 0; k < chain.size(); ++k) {
    if (k == steps.entry || chain[k].noise.stage() != Stage::kRange || chain[k].noise.is_identity()) continue;
    throw InputError(
        fmt::format("{} is read off ranges that nothing else moves, and {} does", name, chain[k].noise.slug()));
  }
  const Noise& noise = chain[steps.entry].noise;
  if (noise.info().needs.baseline && !(returns.optics.baseline_m > 0.0F)) {
    throw InputError(fmt::format("{} needs a stereo camera", name));
  }
  const std::vector<Seen> seen = seen_values(noise, returns);
  for (int levels = 1; levels <= kMostLevels; ++levels) {
    if (!are_levels(seen, levels)) continue;
    set_value(chain, steps, levels);
    return true;
  }
  return false;
}

std::string few_at_end(const NoiseChain& learned, const FreeNumber& end, const ChainData& data) {
  const bool is_low = end.role == LearnedRole::kLowEnd;
  if (!end.rings.empty() || (!is_low && end.role != LearnedRole::kHighEnd)) return {};
  const ChainDensity density(learned, data.returns);
  double all = 0.0, beside = 0.0;
  for (const std::size_t i : data.used) {
    const float range_m = data.returns.range_m[i];
    if (std::isnan(range_m)) continue;
    const double below = density.probability_between(i, kBelowAnyRangeM, double{range_m});
    ++all, beside += (is_low ? below : 1.0 - below) < kOuter ? 1.0 : 0.0;
  }
  const double expected = kOuter * all;
  if (beside > kFew * expected || beside > expected - kDeviations * std::sqrt(expected)) return {};
  return fmt::format(
      "is held by few returns: {:.2g} % of the errors lie in the tenth of the interval beside it, so that they are not "
      "uniform, and no error is given; take a {}",
      100.0 * beside / all, detail::models_for(Remedy::kRangeError));
}

std::vector<FreeNumber> redundant_parameters(const NoiseChain& chain, std::span<const FreeNumber> free,
                                             const ChainData& data) {
  if (free.size() < 2) return {};
  const std::vector<std::size_t> some = sample_of(free, data);
  std::vector<double> start = inner_start(free, values_of(chain, free));
  for (std::size_t k = 0; k < free.size(); ++k) {
    // Where both ends of a uniform are in one place, either moves as the other.
    if (free[k].role == LearnedRole::kHighEnd) start[k] += kApartM;
  }
  const auto effects_at = [&](std::size_t k, double value) {
    NoiseChain moved = chain;
    std::vector<double> values = start;
    values[k] = value;
    set_values(moved, free, values);
    return effects_of(moved, data.returns, some);
  };
  std::vector<Eigen::VectorXd> changes;  // each of length 1
  std::vector<std::size_t> which;
  for (const std::size_t k : by_preference(free)) {
    const double margin = 0.5 * std::min(start[k] - free[k].low, free[k].high - start[k]);
    const double step = std::min(margin, kStep * std::max(std::abs(start[k]), margin));
    const Eigen::VectorXd change = effects_at(k, start[k] + step) - effects_at(k, start[k] - step);
    const double length = change.norm();
    if (!(length > 0.0) || !std::isfinite(length)) continue;  // without effect here: the fit will note it
    changes.push_back(change / length), which.push_back(k);
  }
  Eigen::MatrixXd products(changes.size(), changes.size());
  for (std::size_t a = 0; a < changes.size(); ++a) {
    for (std::size_t b = 0; b < changes.size(); ++b) products(a, b) = changes[a].dot(changes[b]);
  }
  for (const std::size_t a : independent_rows(products, kLeastOwn)) which[a] = free.size();
  std::vector<FreeNumber> out;
  for (const std::size_t k : which) {
    if (k < free.size()) out.push_back(free[k]);
  }
  return out;
}

namespace {

constexpr std::size_t kFewClusters = 20;
constexpr double kStrongCorrelation = 0.99;

/// Flags of parameters. The same flag of several rings is one line.
class ParameterFlags {
 public:
  void add(std::string_view code, const std::vector<std::string>& names, std::string_view text) {
    std::vector<std::string> of_all;
    std::transform(names.begin(), names.end(), std::back_inserter(of_all), of_any_ring);
    const std::string line = fmt::format("{} {}", fmt::join(of_all, " and "), text);
    const auto same = std::ranges::find(lines_, line, &Line::of_all);
    if (same != lines_.end()) {
      ++same->rings;
    } else {
      lines_.push_back({code, line, fmt::format("{} {}", fmt::join(names, " and "), text), 1});
    }
  }
  void move_to(Fit& fit) const {
    for (const Line& line : lines_) {
      fit.note(line.code, line.rings == 1 ? line.only : fmt::format("{} ({} rings)", line.of_all, line.rings));
    }
  }

 private:
  struct Line {
    std::string_view code;
    std::string of_all, only;
    std::size_t rings;
  };
  /// "gain_bias.rings.*.gain"
  static std::string of_any_ring(const std::string& name) {
    constexpr std::string_view kRings = ".rings.";
    const std::size_t at = name.find(kRings);
    if (at == std::string::npos) return name;
    const std::size_t number = at + kRings.size();
    return name.substr(0, number) + "*" + name.substr(name.find('.', number));
  }
  std::vector<Line> lines_;
};

/// Why a parameter is not identified.
std::string unidentified_text(const ChainFit& fit, const FreeNumber& number, const Fit::Parameter& p,
                              bool knows_points) {
  if (!knows_points && fit.chain[number.entry].noise.stage() == Stage::kHitPoint) {
    return "cannot be learned from ranges, which it keeps: it stays as given; give points (clouds, or the channel "
           "hit_sensor of a run)";
  }
  if (number.role == LearnedRole::kLevels) return "cannot be learned: measured values have no common step";
  if (!std::isnan(p.std_error)) return "cannot be distinguished from 0: its error exceeds its value";
  if (p.value == p.start) {
    return "cannot be learned from these returns, and stays as given: others do the same, or it does nothing here";
  }
  const bool is_more = p.value > p.start;
  return fmt::format("is at {} about {:.4g} by these returns, which do not tell how much {}",
                     is_more ? "least" : "most", p.value, is_more ? "more" : "less");
}

void add_parameter_flags(ChainFit& fit, std::span<const FreeNumber> numbers, bool knows_points) {
  ParameterFlags flags;
  const std::size_t n = fit.parameters.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Fit::Parameter& p = fit.parameters[k];
    if (p.status == Fit::Status::kAtLimit) {
      flags.add("at_limit", {p.name}, fmt::format("is at its limit {:g}", p.value));
    }
    if (p.status == Fit::Status::kUnidentified) {
      flags.add("unidentified", {p.name}, unidentified_text(fit, numbers[k], p, knows_points));
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double c = fit.correlations[j * n + k];
      if (!(std::abs(c) > kStrongCorrelation)) continue;
      flags.add("correlated", {fit.parameters[k].name, fit.parameters[j].name},
                fmt::format("are hard to distinguish: their errors have the correlation {:.2f}", c));
    }
  }
  flags.move_to(fit);
}

/// Says where the learned angle leaves the nodes, or is too small for them to show it.
void add_angle_flags(ChainFit& fit, std::span<const FreeNumber> numbers, const ChainReturns::TurnedRays& rays) {
  constexpr double kLeastReach = 3.0;  // deviations about the mean that nodes should span
  const std::optional<AxisTurn> turn = rays.is_known() ? ray_turn(fit.chain) : std::nullopt;
  if (!turn) return;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const Fit::Parameter& p = fit.parameters[k];
    const bool is_deviation =
        numbers[k].role == LearnedRole::kDeviation && turns_rays(fit.chain[numbers[k].entry].noise);
    if (p.status != Fit::Status::kAtLimit || !is_deviation || numbers.size() == 1) continue;
    fit.note("at_limit",
             fmt::format("{} ended at its limit: what else widens the error of ranges may have taken up what it does, "
                         "and the errors of the others are those for this value",
                         p.name));
  }
  const auto turning = std::ranges::find_if(fit.chain, [](const ChainEntry& entry) { return turns_rays(entry.noise); });
  const std::string about = fmt::format("{} about {}", turning->noise.slug(), axis_word(turn->axis));
  const double low = rays.angle_rad.front(), high = rays.angle_rad.back(), step = step_in_middle(rays.angle_rad);
  const double reach = kLeastReach * turn->stddev_rad;
  if (turn->mean_rad - reach < low || turn->mean_rad + reach > high) {
    fit.note(
        "angle_scale",
        fmt::format("{}: {:.3g} +- {:.3g} rad reaches beyond the angles that were cast, {:.3g} to {:.3g} rad: learn "
                    "again from there, or with a larger scale of angles",
                    about, turn->mean_rad, turn->stddev_rad, low, high));
  } else if (turn->stddev_rad > 0.0 && turn->stddev_rad < step) {
    fit.note(
        "angle_scale",
        fmt::format("{}: its deviation of {:.3g} rad is small against the {:.3g} rad between angles that were cast: "
                    "learned again from there, its error is smaller",
                    about, turn->stddev_rad, step));
  }
}

}  // namespace

void add_flags(ChainFit& fit, std::span<const FreeNumber> numbers, const ChainReturns& returns) {
  add_parameter_flags(fit, numbers, returns.hits.is_known());
  if (fit.blocks < kFewClusters) {
    fit.note(
        "few_blocks",
        fmt::format("errors rest on {} independent {}: below {} they are uncertain themselves", fit.blocks,
                    fit.block == "stretch" ? "stretches of the way" : "frames (or blocks of frames)", kFewClusters));
  }
  for (const ChainEntry& entry : fit.chain) {
    if (!(entry.correlation.time_s > 0.0) && !entry.correlation.has_motion()) continue;
    fit.note("correlated_frames",
             fmt::format("the draws of {} are correlated in {} frames: errors are larger than shown, unless frames are "
                         "taken in blocks",
                         entry.noise.slug(), std::isfinite(entry.correlation.time_s) ? "neighbouring" : "all"));
  }
  add_angle_flags(fit, numbers, returns.turned);
}

}  // namespace fathom
