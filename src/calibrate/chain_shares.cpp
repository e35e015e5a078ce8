// SPDX-License-Identifier: MIT
#include "calibrate/chain_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "calibrate/chain_density.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostShown = 4000, kLeastInBin = 20;
constexpr int kAngleBins = 18;
constexpr double kAnyRangeM = 1e12;
constexpr double kTail = 0.002;  // of the ranges, that lie beyond a picture at each end
/// Heavy tails would make a picture so wide that the errors of most ranges fall into one bin of it: it reaches as many
/// times the width of the inner four fifths beyond these.
constexpr double kInnerTail = 0.1, kWidths = 1.5;

std::size_t angle_bin(float incidence_rad) {
  const double share = double{incidence_rad} / (0.5 * std::numbers::pi);
  return static_cast<std::size_t>(std::clamp(share * kAngleBins, 0.0, kAngleBins - 1.0));
}

/// Means over bins of incidence of what `loss` says of a return.
template <class F>
BinShares mean_by_angle(const ChainReturns& returns, F loss) {
  BinShares out;
  for (int i = 0; i <= kAngleBins; ++i) out.edges.push_back(90.0 * i / kAngleBins);
  std::vector<std::size_t> count(kAngleBins, 0);
  out.shares.assign(kAngleBins, 0.0);
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const std::size_t bin = angle_bin(returns.incidence_rad[i]);
    ++count[bin], out.shares[bin] += loss(i);
  }
  for (std::size_t bin = 0; bin < count.size(); ++bin) {
    const bool is_known = count[bin] >= kLeastInBin;
    out.shares[bin] =
        is_known ? out.shares[bin] / static_cast<double>(count[bin]) : std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

}  // namespace

std::vector<double> error_edges(const ChainReturns& returns, std::size_t bins) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (!std::isnan(returns.range_m[i]))
      errors.push_back(double{returns.range_m[i]} - double{returns.clean_range_m[i]});
  }
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  const auto ends = [&](double tail) {
    const auto cut = static_cast<std::size_t>(tail * static_cast<double>(errors.size()));
    return std::pair(errors[cut], errors[errors.size() - 1 - cut]);
  };
  auto [low, high] = ends(kTail);
  const auto [inner_low, inner_high] = ends(kInnerTail);
  if (const double width = inner_high - inner_low; width > 0.0) {
    low = std::max(low, inner_low - kWidths * width), high = std::min(high, inner_high + kWidths * width);
  }
  const double room = high > low ? 0.1 * (high - low) : 1e-4;
  low -= room, high += room;
  std::vector<double> edges;
  for (std::size_t i = 0; i <= bins; ++i) {
    edges.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(bins));
  }
  return edges;
}

BinShares measured_errors(const ChainReturns& returns, std::vector<double> edges) {
  BinShares out = {std::move(edges), {}};
  out.shares.assign(out.edges.empty() ? 0 : out.edges.size() - 1, 0.0);
  double all = 0.0;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (std::isnan(returns.range_m[i])) continue;
    ++all;
    const double error = double{returns.range_m[i]} - double{returns.clean_range_m[i]};
    // The outer bins hold what lies beyond them, too.
    const auto above = std::upper_bound(out.edges.begin() + 1, out.edges.end() - 1, error);
    ++out.shares[above - out.edges.begin() - 1];
  }
  for (double& share : out.shares) share /= std::max(all, 1.0);
  return out;
}

BinShares expected_errors(const NoiseChain& chain, const ChainReturns& returns, std::vector<double> edges) {
  const ChainDensity density(chain, returns);
  BinShares out = {std::move(edges), {}};
  out.shares.assign(out.edges.empty() ? 0 : out.edges.size() - 1, 0.0);
  double all = 0.0;
  const std::size_t step = returns.size() / kMostShown + 1;
  for (std::size_t i = 0; i < returns.size(); i += step) {
    const double kept = density.kept(i), z = double{returns.clean_range_m[i]};
    all += kept * density.reported(i);
    for (std::size_t bin = 0; bin < out.shares.size(); ++bin) {
      const double low = bin == 0 ? 0.0 : z + out.edges[bin];
      const double high = bin + 1 == out.shares.size() ? kAnyRangeM : z + out.edges[bin + 1];
      out.shares[bin] += kept * density.probability_between(i, low, high);
    }
  }
  for (double& share : out.shares) share /= all > 0.0 ? all : 1.0;
  return out;
}

BinShares measured_losses(const ChainReturns& returns) {
  return mean_by_angle(returns, [&](std::size_t i) { return std::isnan(returns.range_m[i]) ? 1.0 : 0.0; });
}

BinShares expected_losses(const NoiseChain& chain, const ChainReturns& returns) {
  const ChainDensity density(chain, returns);
  return mean_by_angle(returns, [&](std::size_t i) { return 1.0 - density.kept(i) * density.reported(i); });
}

}  // namespace fathom
