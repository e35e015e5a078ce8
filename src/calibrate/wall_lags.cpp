// SPDX-License-Identifier: MIT
#include "calibrate/wall_lags.hpp"

#include <array>
#include <cmath>

#include "calibrate/wall_bins.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

template <std::size_t Count>
std::vector<Estimate> correlations(const WallWork& work, WallLagSums<Count> WallFrameSums::*member) {
  WallLagSums<Count> all;
  std::array<WallLagSums<Count>, kWallGroups> groups;
  for (std::size_t f = 0; f < work.fits.size(); ++f) {
    if (!work.fits[f]) continue;
    all.add(work.sums[f].*member), groups[f % kWallGroups].add(work.sums[f].*member);
  }
  std::vector<Estimate> estimates;
  for (std::size_t lag = 1; lag < Count; ++lag) {
    if (!(all.pairs[lag] >= static_cast<double>(kLeastInWallBin))) break;
    std::vector<double> without;
    for (const auto& group : groups) {
      if (!(group.pairs[lag] > 0.0)) continue;
      WallLagSums<Count> rest = all;
      for (std::size_t k = 0; k < Count; ++k) rest.products[k] -= group.products[k], rest.pairs[k] -= group.pairs[k];
      if (rest.pairs[lag] > 0.0) without.push_back(lag_correlation(rest, lag));
    }
    estimates.push_back({lag_correlation(all, lag), jackknife_error(without)});
  }
  return estimates;
}

}  // namespace

WallFrameSums lag_sums(const WallRays& rays, std::span<const float> standardised) {
  WallFrameSums sums;
  const std::size_t rows = rays.rows, cols = rays.cols;
  const auto add = [&](auto& of, std::size_t lag, std::size_t i, std::size_t k) {
    const double product = double{standardised[i]} * double{standardised[k]};
    if (std::isnan(product)) return;
    of.products[lag] += product, of.pairs[lag] += 1.0;
  };
  for (std::size_t lag = 0; lag <= WallMeasure::kLags; ++lag) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t col = 0; col + lag < cols; ++col)
        add(sums.across, lag, row * cols + col, row * cols + col + lag);
    }
    for (std::size_t i = 0; i + lag * cols < rows * cols; ++i) add(sums.down, lag, i, i + lag * cols);
  }
  return sums;
}

std::vector<Estimate> lag_correlations(const WallWork& work,
                                       WallLagSums<WallMeasure::kLags + 1> WallFrameSums::*member) {
  return correlations(work, member);
}

std::vector<Estimate> lag_correlations(const WallWork& work,
                                       WallLagSums<WallMeasure::kLagsInTime + 1> WallFrameSums::*member) {
  return correlations(work, member);
}

}  // namespace fathom
