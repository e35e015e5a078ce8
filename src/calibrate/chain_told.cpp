// SPDX-License-Identifier: MIT
#include "calibrate/chain_told.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "calibrate/chain_ascent.hpp"
#include "fit/covariance.hpp"

namespace fathom {

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
  // From all over its ring: neighbours see the same range, of which a gain and a bias are the same.
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

}  // namespace fathom
