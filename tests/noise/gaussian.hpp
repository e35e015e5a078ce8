// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics.hpp"

namespace fathom::test {

/// Expects a sample to follow normal(mean, stddev): four moments within four standard errors, and the whole shape by
/// chi-square. `resolution` is the rounding of one value; sampling error is added to it.
inline void expect_gaussian(std::span<const double> x, double mean, double stddev, double resolution = 0.0) {
  const auto n = static_cast<double>(x.size());
  const Moments m = moments_of(x);
  EXPECT_NEAR(m.mean, mean, 4 * stddev / std::sqrt(n) + resolution);
  EXPECT_NEAR(std::sqrt(m.variance), stddev, 4 * stddev / std::sqrt(2 * n) + resolution);
  EXPECT_NEAR(m.skewness, 0.0, 4 * std::sqrt(6 / n));
  EXPECT_NEAR(m.kurtosis, 3.0, 4 * std::sqrt(24 / n));
  std::vector<double> u(x.begin(), x.end());
  for (double& v : u) v = normal_cdf((v - mean) / stddev);
  const double p = chi_square_p_of_uniforms(u, 201);
  EXPECT_GT(p, kLowestP);
  EXPECT_LT(p, kHighestP);
}

}  // namespace fathom::test
