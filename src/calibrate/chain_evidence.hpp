// SPDX-License-Identifier: MIT
#pragma once
// The levels of a disparity, read off measured ranges: the likelihood does not tell them, as every range is a level
// when there are enough of them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/executor.hpp>
#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_density.hpp"
#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Sets a parameter of role kLevels: the least number of steps per pixel that puts nearly all measured disparities on
/// levels. False: no number does, and the parameter stays. Throws InputError when other models of the chain move
/// ranges, or the returns are of no stereo camera.
bool set_levels(NoiseChain& chain, const FreeNumber& steps, const ChainReturns& returns);

// Whether errors are uniform up to the ends that were learned for them.

/// The note on an end of a uniform that is the only error, where hardly any error lies beside it. A few returns with
/// other errors hold the end there, and its place has no standard error. Empty: errors lie there, or it is no such end.
std::string few_at_end(const NoiseChain& learned, const FreeNumber& end, const ChainReturns& returns,
                       std::span<const std::size_t> learn);

// Free parameters of a chain that no data could separate.

/// Of `free`, those without which the others do all that they do to the densities of the returns at `places`: the mean
/// error of a distance beside a bias, one of two dropouts. Found from the derivatives of all that these densities hang
/// on (ChainDensity::effects), at the values where a search begins, so that it does not depend on what was measured.
/// Parameters of single rings stay first, then parameters of the last models of the chain, then mean errors and biases.
std::vector<FreeNumber> told_by_others(const NoiseChain& chain, std::span<const FreeNumber> free,
                                       const ChainReturns& returns, std::span<const std::size_t> places);

// The returns that standard errors rest on: the learned chain holds them for possible.

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
