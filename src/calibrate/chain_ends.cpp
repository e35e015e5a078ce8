// SPDX-License-Identifier: MIT
#include "calibrate/chain_ends.hpp"

#include <cmath>

#include <fmt/format.h>

#include "calibrate/chain_density.hpp"

namespace fathom {

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

}  // namespace fathom
