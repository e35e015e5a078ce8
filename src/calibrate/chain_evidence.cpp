// SPDX-License-Identifier: MIT
#include "calibrate/chain_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/counts.hpp"
#include "calibrate/chain_density.hpp"
#include "calibrate/chain_likelihood.hpp"
#include "calibrate/chain_search.hpp"
#include "fit/covariance.hpp"

namespace fathom {

namespace {

constexpr int kMostLevels = 1024;
constexpr double kShareOnLevels = 0.999;
constexpr double kSlack = 0.02;       // of a level
constexpr double kMostSlack = 0.125;  // where ranges are too coarse to tell, they say nothing

/// A measured disparity, px, and how far it may be off by the rounding of the range.
struct Seen {
  double disparity_px, slack_px;
};

std::vector<Seen> disparities(const ChainReturns& r) {
  const double focal_baseline_px_m = double{r.optics.fx_px * r.optics.baseline_m};
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (std::isnan(r.range_m[i])) continue;
    const double range_m = double{r.range_m[i]}, share = double{r.clean_x_m[i]} / double{r.clean_range_m[i]};
    const double d = focal_baseline_px_m / (range_m * share);
    const double step_m = r.depths_are_rounded ? r.half_step_m / share : r.half_step_m;
    seen.push_back({d, d * (step_m / range_m + 1e-6)});
  }
  return seen;
}

bool are_levels(const std::vector<Seen>& seen, int steps) {
  std::size_t told = 0, on = 0;
  for (const Seen& s : seen) {
    const double slack = kSlack + s.slack_px * steps, level = s.disparity_px * steps;
    if (slack > kMostSlack) continue;
    ++told, on += std::abs(level - std::round(level)) <= slack ? 1 : 0;
  }
  return told >= 100 && static_cast<double>(on) >= kShareOnLevels * static_cast<double>(told);
}

}  // namespace

bool set_levels(NoiseChain& chain, const FreeNumber& steps, const ChainReturns& returns) {
  const std::string name = fmt::format("{}.{}", chain[steps.entry].noise.slug(), steps.field);
  for (std::size_t k = 0; k < chain.size(); ++k) {
    if (k == steps.entry || chain[k].noise.stage() != Stage::kRange || chain[k].noise.is_identity()) continue;
    throw InputError(
        fmt::format("{} is read off ranges that nothing else moves, and {} does", name, chain[k].noise.slug()));
  }
  if (!(returns.optics.baseline_m > 0.0F)) {
    throw InputError(fmt::format("{} needs a stereo camera", name));
  }
  const std::vector<Seen> seen = disparities(returns);
  for (int levels = 1; levels <= kMostLevels; ++levels) {
    if (!are_levels(seen, levels)) continue;
    set_value(chain, steps, levels);
    return true;
  }
  return false;
}

namespace {

constexpr double kOuter = 0.1;       // of the interval, beside its end
constexpr double kFew = 0.5;         // of what a uniform has there
constexpr double kDeviations = 4.0;  // of the count, by which it must be missed
constexpr double kBelowAnyRangeM = -1e12;

}  // namespace

std::string few_at_end(const NoiseChain& learned, const FreeNumber& end, const ChainReturns& returns,
                       std::span<const std::size_t> learn) {
  const bool is_low = end.role == LearnedRole::kLowEnd;
  if (!end.rings.empty() || (!is_low && end.role != LearnedRole::kHighEnd)) return {};
  const ChainDensity density(learned, returns);
  double all = 0.0, beside = 0.0;
  for (const std::size_t i : learn) {
    if (std::isnan(returns.range_m[i])) continue;
    const double below = density.probability_between(i, kBelowAnyRangeM, double{returns.range_m[i]});
    ++all, beside += (is_low ? below : 1.0 - below) < kOuter ? 1.0 : 0.0;
  }
  const double expected = kOuter * all;
  if (beside > kFew * expected || beside > expected - kDeviations * std::sqrt(expected)) return {};
  return fmt::format(
      "is held by few returns: {:.2g} % of the errors lie in the tenth of the interval beside it, so that they are not "
      "uniform, and no error is given; take a distance or a student",
      100.0 * beside / all);
}

namespace {

constexpr std::size_t kMostReturns = 1024, kOfEachRing = 16;
constexpr double kStep = 0.02;  // of a value, or of the margin from which a search begins
constexpr double kApartM = 0.01;
constexpr double kLeastOwn = 1e-7;  // single floats leave 1e-10

/// Some returns, of each ring if any parameter is of a single one.
std::vector<std::size_t> sample_of(std::span<const FreeNumber> free, const ChainReturns& returns,
                                   std::span<const std::size_t> places) {
  std::vector<std::size_t> some = some_of(places, kMostReturns);
  const bool by_ring = std::any_of(free.begin(), free.end(), [](const FreeNumber& p) { return !p.rings.empty(); });
  if (!by_ring) return some;
  std::map<std::uint16_t, std::vector<std::size_t>> of_ring;
  for (const std::size_t i : places) of_ring[returns.ring[i]].push_back(i);
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
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

}  // namespace

std::vector<FreeNumber> told_by_others(const NoiseChain& chain, std::span<const FreeNumber> free,
                                       const ChainReturns& returns, std::span<const std::size_t> places) {
  if (free.size() < 2) return {};
  const std::vector<std::size_t> some = sample_of(free, returns, places);
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
    const ChainDensity density(moved, returns);
    std::vector<double> out;
    for (const std::size_t i : some) density.effects(i, out);
    return out;
  };
  // Each row of length 1.
  std::vector<std::vector<double>> rows;
  std::vector<std::size_t> which;
  for (const std::size_t k : by_preference(free)) {
    const FreeNumber& p = free[k];
    const double margin = 0.5 * std::min(start[k] - p.low, p.high - start[k]);
    const double step = std::min(margin, kStep * std::max(std::abs(start[k]), margin));
    std::vector<double> up = effects_at(k, start[k] + step);
    const std::vector<double> down = effects_at(k, start[k] - step);
    double square = 0.0;
    for (std::size_t i = 0; i < up.size(); ++i) up[i] -= down[i], square += up[i] * up[i];
    if (!(square > 0.0) || !std::isfinite(square)) continue;  // it does nothing here, which the fit will say
    for (double& x : up) x /= std::sqrt(square);
    rows.push_back(std::move(up)), which.push_back(k);
  }
  Eigen::MatrixXd products(rows.size(), rows.size());
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      products(a, b) = std::inner_product(rows[a].begin(), rows[a].end(), rows[b].begin(), 0.0);
    }
  }
  const std::vector<std::size_t> kept = independent_rows(products, kLeastOwn);
  std::vector<FreeNumber> out;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    if (std::find(kept.begin(), kept.end(), a) == kept.end()) out.push_back(free[which[a]]);
  }
  return out;
}

namespace {

constexpr double kMostImpossible = 0.05;  // of all returns: with more, the others do not give the standard errors

}  // namespace

PossibleReturns::PossibleReturns(const NoiseChain& learned, const ChainReturns& returns,
                                 std::span<const std::size_t> all, std::span<const std::uint32_t> cluster_of_all,
                                 Executor& executor) {
  std::vector<double> nats;
  ChainLikelihood(learned, {}, returns, all, executor, kOutOfReach).each({}, nats);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::abs(nats[i] - ChainDensity::kLeastLog) < kRimNats) rim.push_back(all[i]);
    if (nats[i] <= ChainDensity::kLeastLog) {
      ++impossible;
    } else {
      places.push_back(all[i]), cluster.push_back(cluster_of_all[i]);
    }
  }
  least_log = rim.empty() && impossible == 0 ? ChainDensity::kLeastLog : kOutOfReach;
}

bool PossibleReturns::tell_errors() const {
  return static_cast<double>(impossible) <= kMostImpossible * static_cast<double>(impossible + places.size());
}

std::string PossibleReturns::note(bool errors_told) const {
  const std::string count =
      fmt::format("{} of {} {} as good as impossible under what was learned (below {} nats)", grouped(impossible),
                  counted(impossible + places.size(), "return"), are(impossible), ChainDensity::kLeastLog);
  constexpr auto kAdvice = "a model with heavy tails (student) may describe them, or they show what the scene lacks";
  if (!tell_errors()) {
    return fmt::format("{}: above {:g} %, what was learned hangs on this limit, and its errors are not known; {}",
                       count, 100.0 * kMostImpossible, kAdvice);
  }
  if (!errors_told) {
    return fmt::format(
        "{}, and too many are near this limit: what was learned depends on it, and its standard errors are not "
        "known; {}",
        count, kAdvice);
  }
  return fmt::format("{} and tell nothing of the parameters: values and standard errors come from the others; {}",
                     count, kAdvice);
}

}  // namespace fathom
