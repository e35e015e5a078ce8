// SPDX-License-Identifier: MIT
#include "calibrate/wall_correlation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fathom/math/f64.hpp>
#include <fathom/math/trigonometry.hpp>

#include "calibrate/search.hpp"
#include "calibrate/wall_pixels.hpp"
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

namespace {

constexpr double kMostSizePx = 64.0;
constexpr double kLeastCorrelation = 0.05;  // lags are fitted up to the first below, and one more
constexpr double kWhite = 0.01, kWhiteErrors = 3.0;
constexpr int kRounds = 3;  // of the fit and of what the plane takes, each from the other
constexpr std::size_t kPhases = 256;

using ImageSums = WallLagSums<WallMeasure::kLags + 1>;

/// Of all frames but those of one group; `group` none: of all.
WallFrameSums sums_without(const WallWork& work, std::size_t group) {
  WallFrameSums sums;
  for (std::size_t f = 0; f < work.sums.size(); ++f) {
    if (work.fits[f] && f % kWallGroups != group) sums.add(work.sums[f]);
  }
  return sums;
}
constexpr std::size_t kNoGroup = kWallGroups;

/// Kernels of whole pixels get longer, and jump, at sizes of thirds of a pixel, where what is fitted to them sticks.
/// Errors are those of sizes near the best ones, fitted to kernels that stay as long as those of these, and so are
/// smooth, and of what the two differ by. Nothing: any size, and kernels as long as it says.
struct NearSizes {
  std::optional<double> across = {}, down = {};
};
constexpr double kLeastNear = 0.6, kMostNear = 1.6;  // of a best size
constexpr double kFormError = 0.005;                 // of a size

int reach_of(double size_px) { return static_cast<int>(std::floor(3.0 * size_px)); }

double kernel_correlation(double size_px, int reach, int lag) {
  const auto h = [&](int i) { return i < -reach || i > reach ? 0.0 : math::exp(-i * i / (2.0 * size_px * size_px)); };
  double product = 0.0, square = 0.0;
  for (int i = -reach; i <= reach; ++i) product += h(i) * h(i + lag), square += h(i) * h(i);
  return product / square;
}

double form_correlation(std::optional<double> near, CorrelationShape shape, double size_px, std::size_t lag) {
  if (!near || shape != CorrelationShape::kGaussian) return field_correlation(shape, size_px, lag);
  return kernel_correlation(size_px, reach_of(*near), static_cast<int>(lag));
}

/// What the planes leave of a correlation, undone: they take the share kappa of the variance, at all lags alike.
struct Taken {
  double kappa = 0.0;
  [[nodiscard]] double put_back(double correlation) const { return correlation * (1.0 - kappa) + kappa; }
};

/// Lags that tell something.
std::size_t fitted_lags(const ImageSums& sums, const Taken& taken) {
  std::size_t lag = 1;
  while (lag < WallMeasure::kLags && sums.pairs[lag + 1] > 0.0 &&
         taken.put_back(lag_correlation(sums, lag)) >= kLeastCorrelation) {
    ++lag;
  }
  return std::min(WallMeasure::kLags, lag + 1);
}

double square_misfit(const ImageSums& sums, const Taken& taken, std::optional<double> near, CorrelationShape shape,
                     double size_px, double shared) {
  double square = 0.0;
  for (std::size_t lag = 1; lag <= fitted_lags(sums, taken); ++lag) {
    if (!(sums.pairs[lag] > 0.0)) break;
    const double off =
        taken.put_back(lag_correlation(sums, lag)) - shared * form_correlation(near, shape, size_px, lag);
    square += off * off;
  }
  return square;
}

/// Sizes from 0.05 to 64 px, or near one, and between them by golden sections.
double best_size(const ImageSums& sums, const Taken& taken, std::optional<double> near, CorrelationShape shape,
                 double shared) {
  std::vector<double> sizes;
  const double least = near ? kLeastNear * *near : 0.05, most = near ? kMostNear * *near : kMostSizePx;
  for (double s = least; s < most; s *= 1.08) sizes.push_back(s);
  sizes.push_back(most);
  return highest(sizes, 1e-4, [&](double s) { return -square_misfit(sums, taken, near, shape, s, shared); }).x;
}

/// Whether neighbours of a direction have nothing in common.
bool is_white(const std::vector<Estimate>& correlations, const ImageSums& sums) {
  if (correlations.empty()) return true;
  const Estimate& first = correlations.front();
  const double naive = 1.0 / std::sqrt(sums.pairs[1]);
  const double error = std::isfinite(first.std_error) ? std::max(first.std_error, naive) : 2.0 * naive;
  return first.value < std::max(kWhite, kWhiteErrors * error);
}

struct Fitted {
  double across = 0.0, down = 0.0, square = 0.0, sum = 1.0;
  std::size_t lags = 0;
};

WallNeighbours::Lags lags_of(CorrelationShape shape, double size_px) {
  WallNeighbours::Lags lags{};
  for (std::size_t lag = 0; lag < lags.size(); ++lag) lags[lag] = field_correlation(shape, size_px, lag);
  return lags;
}

/// Sizes of one shape. What a plane takes depends on the sum of the correlations, and that on the sizes.
Fitted fit_shape(const WallWork& work, const WallNeighbours& neighbours, const WallFrameSums& sums,
                 const NearSizes& near, CorrelationShape shape, double shared, bool white_across, bool white_down) {
  double frames = 0.0;
  for (const auto& fit : work.fits) frames += fit ? 1.0 : 0.0;
  const double readings = static_cast<double>(work.measure.readings) / frames;
  Fitted fitted;
  Taken taken{.kappa = static_cast<double>(work.rays.unknowns()) / readings};
  for (int round = 0; round < kRounds; ++round) {
    fitted = {};
    if (!white_across) fitted.across = best_size(sums.across, taken, near.across, shape, shared);
    if (!white_down) fitted.down = best_size(sums.down, taken, near.down, shape, shared);
    fitted.sum = shared * neighbours.sum(lags_of(shape, fitted.across), lags_of(shape, fitted.down)) + 1.0 - shared;
    taken.kappa = std::min(0.5, static_cast<double>(work.rays.unknowns()) * fitted.sum / readings);
    const auto count = [&](const ImageSums& of, std::optional<double> fixed, double size, bool white) {
      if (white) return;
      fitted.square += square_misfit(of, taken, fixed, shape, size, shared);
      fitted.lags += fitted_lags(of, taken);
    };
    count(sums.across, near.across, fitted.across, white_across);
    count(sums.down, near.down, fitted.down, white_down);
  }
  return fitted;
}

double misfit_of(const Fitted& fitted) {
  return fitted.lags > 0 ? std::sqrt(fitted.square / static_cast<double>(fitted.lags)) : 0.0;
}

/// The time between key frames that describes the correlation of frames best, of a grid.
double best_time(const std::vector<Estimate>& in_time, double shared, double rate_hz) {
  double best_s = 0.0, least = std::numeric_limits<double>::infinity();
  const auto tried = [&](double time_s) {
    double square = 0.0;
    for (std::size_t lag = 1; lag <= in_time.size(); ++lag) {
      const double off = in_time[lag - 1].value - shared * time_correlation(time_s, rate_hz, lag);
      square += off * off;
    }
    if (square < least) least = square, best_s = time_s;
  };
  tried(0.0);
  for (double frames = 0.5; frames < 200.0; frames *= 1.03) tried(frames / rate_hz);
  tried(std::numeric_limits<double>::infinity());
  return best_s;
}

}  // namespace

double field_correlation(CorrelationShape shape, double size_px, std::size_t lag) {
  if (lag == 0) return 1.0;
  if (!(size_px > 0.0)) return 0.0;
  if (shape == CorrelationShape::kExponential) return math::exp(-static_cast<double>(lag) / size_px);
  return kernel_correlation(size_px, reach_of(size_px), static_cast<int>(lag));
}

double time_correlation(double time_s, double rate_hz, std::size_t lag) {
  if (lag == 0 || std::isinf(time_s)) return 1.0;
  if (!(time_s > 0.0)) return 0.0;
  double sum = 0.0;
  for (std::size_t k = 0; k < kPhases; ++k) {
    const double a = static_cast<double>(k) / (rate_hz * time_s), b = static_cast<double>(k + lag) / (rate_hz * time_s);
    const double from = std::floor(a), to = std::floor(b);
    const double phi = 0.5 * std::numbers::pi * (a - from), psi = 0.5 * std::numbers::pi * (b - to);
    if (from == to) sum += math::cos(phi - psi);
    if (to == from + 1.0) sum += math::sin(phi) * math::cos(psi);
  }
  return sum / kPhases;
}

WallCorrelation fit_correlation(const WallWork& work, double shared, const WallOptions& options) {
  const WallFrameSums all = sums_without(work, kNoGroup);
  const bool white_across = is_white(work.measure.across, all.across),
             white_down = is_white(work.measure.down, all.down);
  WallCorrelation result;
  result.shared = shared;
  result.across_px = result.down_px = {0.0, kNoNumber};
  if (!(white_across && white_down)) {
    const WallNeighbours neighbours(work);
    const auto of_shape = [&](const WallFrameSums& sums, const NearSizes& near, CorrelationShape shape) {
      return fit_shape(work, neighbours, sums, near, shape, shared, white_across, white_down);
    };
    const Fitted gaussian = of_shape(all, {}, CorrelationShape::kGaussian),
                 exponential = of_shape(all, {}, CorrelationShape::kExponential);
    const bool is_gaussian = misfit_of(gaussian) <= misfit_of(exponential);
    const Fitted& best = is_gaussian ? gaussian : exponential;
    result.shape = is_gaussian ? CorrelationShape::kGaussian : CorrelationShape::kExponential;
    result.misfit = misfit_of(best), result.other_misfit = misfit_of(is_gaussian ? exponential : gaussian);
    result.sum = best.sum;
    const NearSizes as_best = {best.across, best.down};
    std::vector<double> across, down;
    for (std::size_t group = 0; group < std::min(kWallGroups, work.fits.size()); ++group) {
      const WallFrameSums rest = sums_without(work, group);
      if (!(rest.across.pairs[0] > 0.0) || rest.across.pairs[0] == all.across.pairs[0]) continue;
      const Fitted without = of_shape(rest, as_best, result.shape);
      across.push_back(without.across), down.push_back(without.down);
    }
    const auto estimate = [](double value, bool white, const std::vector<double>& without) {
      return white ? Estimate{0.0, kNoNumber}
                   : Estimate{value, two_errors_widening(without.empty() ? 0 : without.size() - 1) *
                                         std::hypot(jackknife_error(without), kFormError * value)};
    };
    result.across_px = estimate(best.across, white_across, across);
    result.down_px = estimate(best.down, white_down, down);
  }
  const std::vector<Estimate>& in_time = work.measure.in_time;
  result.time_s.std_error = kNoNumber;
  if (!in_time.empty() && in_time.front().value > std::max(0.02, kWhiteErrors * in_time.front().std_error)) {
    result.time_s.value = best_time(in_time, shared, options.rate_hz);
  }
  return result;
}

Correlation WallCorrelation::correlation() const {
  return {.across_px = static_cast<float>(across_px.value),
          .down_px = static_cast<float>(down_px.value),
          .time_s = time_s.value,
          .shape = shape};
}

}  // namespace fathom
