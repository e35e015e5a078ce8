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
  /// Of the 95 % interval of each parameter, if the likelihood is a parabola; NaN: none.
  std::vector<double> half_width;
  std::vector<double> parabola;  ///< errors that the second derivatives of the likelihood alone say; NaN: none
  bool hangs_on_floor = false;   ///< whether returns near the floor say more of them than the others: there are none
};

/// At the maximum `values`, from the observed information A: the larger of the error of independent returns, A^-1, and
/// that of clusters, which their scores say (cluster_variance.hpp). An interval is the wider of that of independent
/// returns, normal, and that of clusters, by Student's t: where few clusters tell a parameter, their error is uncertain
/// and has a large quantile, but A^-1, of all returns, is not. `cluster`: of each return of the likelihood, ascending.
/// `are_stretches`: of the way, which err together with their neighbours (Neighbours). `rim`: the returns near the
/// floor of what is possible (PossibleReturns), of which A takes its part.
ChainErrors chain_errors(const ChainLikelihood& likelihood, const ChainLikelihood& rim, std::span<const double> values,
                         std::span<const std::uint32_t> cluster, bool are_stretches);

}  // namespace fathom
