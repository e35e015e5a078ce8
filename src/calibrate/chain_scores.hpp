// SPDX-License-Identifier: MIT
#pragma once
// Which returns teach, which judge, and which have correlated errors.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/calibrate/chain.hpp>

namespace fathom {

/// Places of the returns that teach and of the returns that judge.
struct Split {
  std::vector<std::size_t> learn, judge;
  std::vector<std::uint32_t> cluster;  ///< of `learn`
  std::size_t frames = 0;
  std::uint32_t stretches = 0;  ///< that clusters are; 0: frames, or blocks of them
};

Split split_frames(const ChainReturns& returns, const ChainFitOptions& options);

/// The returns at these places, which ascend; what turned rays meet is not taken along.
ChainReturns returns_at(const ChainReturns& returns, std::span<const std::size_t> places);

// What returns show beside what a chain expects of them, in bins, for pictures.

/// Shares of bins; bin i spans [edges[i], edges[i + 1]).
struct BinShares {
  std::vector<double> edges, shares;
};

/// Bins of measured less clean range, m, the outer ones of which hold what lies beyond them, too: hardly anything,
/// where tails are not heavy. Empty when no range came back.
std::vector<double> error_edges(const ChainReturns& returns, std::size_t bins);
/// Of the ranges that came back, the share of each bin.
BinShares measured_errors(const ChainReturns& returns, std::vector<double> edges);
/// The same as the chain expects it of (some of) these returns.
BinShares expected_errors(const NoiseChain& chain, const ChainReturns& returns, std::vector<double> edges);

/// Of the returns in each bin of incidence, degrees, the share that was lost; NaN in bins of fewer than 20.
BinShares measured_losses(const ChainReturns& returns);
BinShares expected_losses(const NoiseChain& chain, const ChainReturns& returns);

}  // namespace fathom
