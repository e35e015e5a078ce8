// SPDX-License-Identifier: MIT
#pragma once
// Returns by themselves and beside what a chain expects of them: checks, selections, scores and pictures.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Throws InputError when arrays or limits of the returns are not what chain.hpp says.
void check_returns(const ChainReturns& returns);

/// Places of the returns that teach and of the returns that judge.
struct Split {
  std::vector<std::size_t> learn, judge;
  std::vector<std::uint32_t> cluster;  ///< of `learn`
  std::size_t frames = 0;
  std::uint32_t stretches = 0;  ///< clusters are stretches of the way; 0: frames, or blocks of them
};

Split split_frames(const ChainReturns& returns, const ChainFitOptions& options);

/// The returns at these places, which ascend; what turned rays meet is not taken along.
ChainReturns returns_at(const ChainReturns& returns, std::span<const std::size_t> places);

/// Of the frames of the returns used.
std::vector<FrameScore> frame_scores(const NoiseChain& chain, const ChainData& data);

/// The note on a scene of another place or size, or on poses elsewhere in it; empty: nothing. Errors without a bias and
/// a gain then spread by more than 6 % of the median range, which no sensor's noise does (4 % on a real log in its own
/// map, 23 % in the same map 0.2 m off). And neighbouring rays share most of the spread, which they do not of noise.
/// What lies within a tenth of the readings on either side, such as people who walked by, does not count; where the
/// chain has a beam_mixture, which draws such readings, within a quarter.
std::string scene_note(const ChainReturns& returns, bool has_mixture);

/// Shares of bins; bin i spans [edges[i], edges[i + 1]).
struct BinShares {
  std::vector<double> edges, shares;
};

/// Bins of measured less clean range, m. The outer ones hold what lies beyond them, too: hardly anything, unless tails
/// are heavy. Empty when no range came back.
std::vector<double> error_edges(const ChainReturns& returns, std::size_t bins);
/// Of the ranges that came back, the share of each bin.
BinShares measured_errors(const ChainReturns& returns, std::vector<double> edges);
/// The same as the chain expects it of (some of) these returns.
BinShares expected_errors(const NoiseChain& chain, const ChainReturns& returns, std::vector<double> edges);

/// Of the returns in each bin of incidence, degrees, the share that was lost; NaN in bins of fewer than 20.
BinShares measured_losses(const ChainReturns& returns);
BinShares expected_losses(const NoiseChain& chain, const ChainReturns& returns);

}  // namespace fathom
