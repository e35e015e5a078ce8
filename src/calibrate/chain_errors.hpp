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
  double degrees = 0.0;  ///< of Student's t for intervals; of at least two clusters
};

/// At the maximum `values`, from the observed information A and the sums of the scores over clusters,
///
///   A^-1 (G / (G - 1) sum_g s_g s_g') A^-1,   G clusters
///
/// never below A^-1. `cluster`: of each return of the likelihood, ascending. `are_stretches`: of the way, which err
/// together with their neighbours (Neighbours).
ChainErrors chain_errors(const ChainLikelihood& likelihood, std::span<const double> values,
                         std::span<const std::uint32_t> cluster, bool are_stretches);

}  // namespace fathom
