// SPDX-License-Identifier: MIT
#pragma once

#include "sensor/noise/blocks.hpp"
#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom::test {

inline constexpr std::size_t kDraws = 1 << 20;

/// A million equal returns at (x, y, z) after the model, with the widest kernel of this computer.
inline Lanes sample(const Noise& noise, float x, float y, float z, const NoiseKey& key = {20240607, 2, 5}) {
  Lanes lanes = make_equal_lanes(kDraws, x, y, z);
  apply(noise, detect_isa(), key, lanes);
  return lanes;
}

/// f(lane) of every lane.
template <class F>
std::vector<double> values_of_lanes(const Lanes& lanes, F f) {
  std::vector<double> values(lanes.size());
  for (std::size_t i = 0; i < lanes.size(); ++i) values[i] = f(i);
  return values;
}

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
