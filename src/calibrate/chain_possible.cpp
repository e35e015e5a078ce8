// SPDX-License-Identifier: MIT
#include "calibrate/chain_possible.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/counts.hpp"
#include "calibrate/chain_likelihood.hpp"

namespace fathom {

namespace {

constexpr double kMostImpossible = 0.05;  // of all returns, for errors of the others to be those of the parameters

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
        "{}, and so many are near this limit that what was learned hangs on it: its errors are not "
        "known; {}",
        count, kAdvice);
  }
  return fmt::format("{} and tell nothing of the parameters: values and errors are those of the others; {}", count,
                     kAdvice);
}

}  // namespace fathom
