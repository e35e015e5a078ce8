// SPDX-License-Identifier: MIT
#pragma once
// The variance of a parameter by what clusters of the data say of it, some of which may tell much more than others.

#include <optional>
#include <span>

#include "beam/stretches.hpp"

namespace fathom {

struct ClusterVariance {
  double variance;
  double degrees;  ///< of Student's t, at least 1
};

/// From u_g = (A^-1 s_g), by which cluster g moves the parameter, and h_g, its share of what is known of it. Since the
/// parameter follows the clusters, sum_g u_g = 0, and in clusters that err independently by as much as they tell,
///
///   var(u_g) = h_g (1 - h_g),   cov(u_g, u_k) = -h_g h_k   (variance of the parameter 1).
///
/// So u_g counts u_g / sqrt(1 - h_g), and the weighted sum of products (Neighbours) is divided by what it is then on
/// average; it is as uncertain as a chi square of
///
///   (mean of the sum)^2 / (half its variance)
///
/// degrees: Bell and McCaffrey, Survey Methodology 28 (2002), with Satterthwaite's degrees, and the shares of one
/// parameter in place of their matrix; why few clusters need it: Imbens and Kolesar, Review of Economics and Statistics
/// 98 (2016). G clusters that tell alike, without neighbours: G / (G - 1) sum u_g^2 and G - 1 degrees. Nothing where
/// one of them tells more than 0.95 of what is known: there is hardly another to differ from.
std::optional<ClusterVariance> cluster_variance(std::span<const double> moved, std::span<const double> share,
                                                const Neighbours& neighbours);

}  // namespace fathom
