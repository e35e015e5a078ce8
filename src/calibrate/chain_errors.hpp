// SPDX-License-Identifier: MIT
#pragma once
// Errors of the parameters that were learned of a chain.

#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

struct ChainErrors {
  std::vector<double> error, naive;  ///< NaN: none
  std::vector<double> correlations;  ///< [parameters, parameters]
  std::vector<bool> is_at_limit, is_unidentified;
  std::size_t clusters = 0;
  std::vector<double> degrees;  ///< of Student's t for the interval of each parameter; of at least two clusters
};

/// At the maximum `values`, from the observed information A and the sums of the scores over clusters,
///
///   A^-1 (G / (G - 1) sum_g s_g s_g') A^-1,   G clusters that tell alike
///
/// never below A^-1. Where a few clusters tell most of a parameter, their scores are small because it follows them:
/// each counts by what it does not tell, and degrees are those of as many clusters as would tell alike (Bell and
/// McCaffrey, Survey Methodology 28 (2002), with the share of each parameter in place of the matrix). `cluster`: of
/// each return of the likelihood, ascending. `are_stretches`: of the way, which err together with their neighbours
/// (Neighbours).
ChainErrors chain_errors(const ChainLikelihood& likelihood, std::span<const double> values,
                         std::span<const std::uint32_t> cluster, bool are_stretches);

}  // namespace fathom
