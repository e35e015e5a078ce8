// SPDX-License-Identifier: MIT
#pragma once
// The returns that errors rest on: those that the learned chain does not hold for impossible.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/executor.hpp>
#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_density.hpp"

namespace fathom {

/// A return below ChainDensity::kLeastLog counts that much whatever the parameters are near the maximum: it tells
/// nothing of them. The maximum is therefore that of the other returns, and errors are theirs. Where one would cross
/// the floor within a step of the differences, the likelihood had a kink, whose curvature says nothing: so errors are
/// found with the floor out of reach.
/// Which returns are impossible hangs on the parameters, too. The sum of max(g, floor) over log densities g has the
/// second derivatives
///
///   sum over g above the floor of g''  +  sum of delta(g - floor) grad g grad g^T
///
/// and the second part, which makes errors larger, is a mean over those within kRimNats of the floor.
struct PossibleReturns {
  static constexpr double kRimNats = 15.0, kOutOfReach = 2.0 * ChainDensity::kLeastLog;

  std::vector<std::size_t> places;     ///< of these returns, ascending
  std::vector<std::size_t> rim;        ///< of those near the floor, above or below it
  std::vector<std::uint32_t> cluster;  ///< of each of them
  std::size_t impossible = 0;
  double least_log = 0.0;  ///< for their likelihood

  /// Of the returns at `places` under what was learned; `cluster`: of each.
  PossibleReturns(const NoiseChain& learned, const ChainReturns& returns, std::span<const std::size_t> places,
                  std::span<const std::uint32_t> cluster, Executor& executor);

  /// Whether so few are impossible that errors of the others are those of the parameters. More of them, and the values
  /// hang on where the floor is.
  [[nodiscard]] bool tell_errors() const;
  /// One line on those that are impossible. `errors_told`: whether errors are given.
  [[nodiscard]] std::string note(bool errors_told) const;
};

}  // namespace fathom
