// SPDX-License-Identifier: MIT
// What a plane takes of errors that neighbours share, against a sum over all pairs of readings.

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/calibrate/wall.hpp>
#include <fathom/calibrate/wall_frames.hpp>

#include "calibrate/wall_work.hpp"
#include "calibrate/walls.hpp"

namespace fathom::test::wall_neighbours_test {
namespace {

/// The trace of H R: H projects errors on what the plane takes, and R has their correlations.
double taken_of(const WallWork& work, const WallNeighbours::Lags& across, const WallNeighbours::Lags& down) {
  const WallPlaneFit& fit = *work.fits[0];
  std::vector<Vec3> slopes;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < work.rays.size(); ++i) {
    if (work.measure.pixels[i] != WallPixel::kWall) continue;
    const double clean_m = work.rays.clean_m(i, fit.m), sigma = fit.scale.at(work.rays, i, clean_m);
    slopes.push_back((1.0 / sigma) * work.rays.slope(i, clean_m, fit.m)), at.push_back(i);
  }
  double trace = 0.0;
  for (std::size_t a = 0; a < at.size(); ++a) {
    for (std::size_t b = 0; b < at.size(); ++b) {
      const auto apart = [&](std::size_t x, std::size_t y) { return x > y ? x - y : y - x; };
      const std::size_t right = apart(at[a] % work.rays.cols, at[b] % work.rays.cols),
                        below = apart(at[a] / work.rays.cols, at[b] / work.rays.cols);
      if (right >= across.size() || below >= down.size() || across[right] * down[below] == 0.0) continue;
      trace += dot(slopes[a], product(fit.covariance, slopes[b])) * across[right] * down[below];
    }
  }
  return trace;
}

TEST(WallNeighbours, SumWhatAPlaneTakes) {
  WallNeighbours::Lags across{}, down{};
  for (std::size_t lag = 0; lag < across.size(); ++lag) {
    across[lag] = field_correlation(CorrelationShape::kGaussian, 1.5, lag);
    down[lag] = field_correlation(CorrelationShape::kGaussian, 1.2, lag);
  }
  const StereoEnergy losing = {.min_energy = 0.15F, .pow = 6.0F, .normalization = EnergyNormalization::kThreshold};
  for (const NoiseChain& chain :
       {NoiseChain{Disparity{.stddev_px = 0.08F}}, NoiseChain{losing, Disparity{.stddev_px = 0.08F}, Dropout{0.3F}}}) {
    const WallWork work = measure_frames(
        simulate_wall(stereo_sensor(64, 48), std::vector{wall_at(1.2, 55.0, 10.0)}, chain, {.seed = 3}), {}, nullptr);
    ASSERT_TRUE(work.fits[0]);
    const double taken = taken_of(work, across, down);
    EXPECT_NEAR(3.0 * WallNeighbours(work).sum(across, down), taken, 0.1 * taken);
  }
}

}  // namespace
}  // namespace fathom::test::wall_neighbours_test
