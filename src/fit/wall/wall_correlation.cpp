// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include <fathom/core/f64.hpp>

#include "fit/estimator.hpp"
#include "fit/wall/wall_work.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostCentres = 4000;  // of neighbourhoods
constexpr std::size_t kWallGroups = 64;     // of frames, left out one after the other for errors
constexpr double kMostSizePx = 64.0;
constexpr double kLeastCorrelation = 0.05;  // lags are fitted up to the first below, and one more
constexpr double kWhite = 0.01, kWhiteErrors = 3.0;
constexpr int kRounds = 3;  // of the fit and of the part that the plane absorbs, each from the other
constexpr std::size_t kPhases = 256;

/// Kernels of whole pixels get longer, and jump, at sizes of thirds of a pixel, where a fit to them sticks. Standard
/// errors come from sizes near the best ones, fitted to kernels of constant length, which are smooth. The difference of
/// the two forms adds to them.
constexpr double kLeastNear = 0.6, kMostNear = 1.6;  // times the best size
constexpr double kFormError = 0.005;                 // of a size

/// Leaves out the frames of one group; kWallGroups: none.
WallFrameSums sums_without(const WallWork& work, std::size_t group) {
  WallFrameSums sums;
  for (std::size_t f = 0; f < work.sums.size(); ++f) {
    if (work.fits[f] && f % kWallGroups != group) sums.add(work.sums[f]);
  }
  return sums;
}

/// The sums without one group after the other, of the groups that have frames.
std::vector<WallFrameSums> sums_without_each(const WallWork& work) {
  std::vector<WallFrameSums> sums;
  for (std::size_t group = 0; group < std::min(kWallGroups, work.fits.size()); ++group) {
    sums.push_back(sums_without(work, group));
  }
  return sums;
}

/// `member`: across, down or in_time.
std::vector<Estimate> correlations(const WallFrameSums& all, std::span<const WallFrameSums> without,
                                   WallLagSums WallFrameSums::*member) {
  const WallLagSums& sums = all.*member;
  std::vector<Estimate> estimates;
  for (std::size_t lag = 1; lag < sums.pairs.size(); ++lag) {
    if (!(sums.pairs[lag] >= static_cast<double>(kLeastInWallBin))) break;
    std::vector<double> values;
    for (const WallFrameSums& rest : without) {
      const double pairs = (rest.*member).pairs[lag];
      if (pairs > 0.0 && pairs < sums.pairs[lag]) values.push_back((rest.*member).correlation(lag));
    }
    estimates.push_back({sums.correlation(lag), jackknife_error(values)});
  }
  return estimates;
}

/// Of a Gaussian kernel that is as long as one of the size `near_px`.
WallLags gaussian_correlations(double size_px, double near_px, std::size_t count) {
  const auto reach = static_cast<std::ptrdiff_t>(std::floor(3.0 * near_px));
  std::vector<double> kernel;
  double square = 0.0;
  for (std::ptrdiff_t i = -reach; i <= reach; ++i) {
    kernel.push_back(math::exp(static_cast<double>(-i * i) / (2.0 * size_px * size_px)));
    square += kernel.back() * kernel.back();
  }
  WallLags lags{};
  for (std::size_t lag = 0; lag < count; ++lag) {
    double product = 0.0;
    for (std::size_t k = 0; k + lag < kernel.size(); ++k) product += kernel[k] * kernel[k + lag];
    lags[lag] = product / square;
  }
  return lags;
}

WallLags form_correlations(CorrelationShape shape, double size_px, double near_px, std::size_t count) {
  if (size_px > 0.0 && shape == CorrelationShape::kGaussian) return gaussian_correlations(size_px, near_px, count);
  WallLags lags{1.0};
  for (std::size_t lag = 1; lag < count && size_px > 0.0; ++lag) {
    lags[lag] = math::exp(-static_cast<double>(lag) / size_px);
  }
  return lags;
}

/// Fits one shape to the sums of an image along both directions.
class ShapeFit {
 public:
  /// `readings`: of a frame, in the mean.
  ShapeFit(CorrelationShape shape, double shared, double unknowns, double readings, const WallNeighbours& neighbours)
      : shape_(shape), shared_(shared), unknowns_(unknowns), readings_(readings), neighbours_(neighbours) {}

  struct Direction {
    bool is_white = true;
    std::optional<double> near_px = {};  ///< the size that kernels are as long as; nothing: their own
    double size_px = 0.0;
  };
  Direction across, down;
  double sum = 1.0, misfit = 0.0;  ///< S, and a root mean square over the lags fitted

  /// The share of the planes depends on the sum of the correlations, and that on the sizes.
  void fit(const WallFrameSums& sums) {
    kappa_ = unknowns_ / readings_;
    for (int round = 0; round < kRounds; ++round) {
      fit_size(sums.across, across), fit_size(sums.down, down);
      const WallLags of_across = field_correlations(shape_, across.size_px),
                     of_down = field_correlations(shape_, down.size_px);
      sum = shared_ * neighbours_.sum(of_across, of_down) + 1.0 - shared_;
      kappa_ = std::min(0.5, unknowns_ * sum / readings_);
    }
    double square = 0.0, lags = 0.0;
    for (const auto& [of, direction] : {std::pair(&sums.across, &across), std::pair(&sums.down, &down)}) {
      if (direction->is_white) continue;
      const std::vector<double> measured = before_the_planes(*of);
      square += square_misfit(measured, *direction, direction->size_px), lags += static_cast<double>(measured.size());
    }
    misfit = lags > 0.0 ? std::sqrt(square / lags) : 0.0;
  }

 private:
  /// The significant correlations of lags from 1 on. The planes take the share kappa of the variance, equally
  /// at all lags.
  [[nodiscard]] std::vector<double> before_the_planes(const WallLagSums& sums) const {
    std::vector<double> measured;
    bool is_last = false;
    for (std::size_t lag = 1; lag <= WallMeasure::kLags && sums.pairs[lag] > 0.0 && !is_last; ++lag) {
      is_last = !measured.empty() && !(measured.back() >= kLeastCorrelation);
      measured.push_back(sums.correlation(lag) * (1.0 - kappa_) + kappa_);
    }
    return measured;
  }

  [[nodiscard]] double square_misfit(std::span<const double> measured, const Direction& direction,
                                     double size_px) const {
    const WallLags form = form_correlations(shape_, size_px, direction.near_px.value_or(size_px), measured.size() + 1);
    double square = 0.0;
    for (std::size_t k = 0; k < measured.size(); ++k) {
      const double off = measured[k] - shared_ * form[k + 1];
      square += off * off;
    }
    return square;
  }

  /// Sizes from 0.05 to 64 px, or near one, and between them by Brent's method.
  void fit_size(const WallLagSums& sums, Direction& direction) const {
    if (direction.is_white) return;
    const std::optional<double>& near_px = direction.near_px;
    std::vector<double> sizes;
    const double least = near_px ? kLeastNear * *near_px : 0.05, most = near_px ? kMostNear * *near_px : kMostSizePx;
    for (double s = least; s < most; s *= 1.08) sizes.push_back(s);
    sizes.push_back(most);
    const std::vector<double> measured = before_the_planes(sums);
    direction.size_px = highest(sizes, [&](double s) { return -square_misfit(measured, direction, s); }).x;
  }

  CorrelationShape shape_;
  double shared_, unknowns_, readings_, kappa_ = 0.0;
  const WallNeighbours& neighbours_;
};

/// Whether neighbours of a direction have nothing in common.
bool is_white(const std::vector<Estimate>& correlations, const WallLagSums& sums) {
  if (correlations.empty()) return true;
  const Estimate& first = correlations.front();
  const double naive = 1.0 / std::sqrt(sums.pairs[1]);
  const double error = std::isfinite(first.std_error) ? std::max(first.std_error, naive) : 2.0 * naive;
  return first.value < std::max(kWhite, kWhiteErrors * error);
}

/// E[F(t) F(t')] of frames `lag` apart, over the frames that follow from stamp 0 on.
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

/// The time between key frames that describes the correlation of frames best, of a grid.
double best_time(const std::vector<Estimate>& in_time, double shared, double rate_hz) {
  std::vector<double> times_s = {0.0};
  for (double frames = 0.5; frames < 200.0; frames *= 1.03) times_s.push_back(frames / rate_hz);
  times_s.push_back(std::numeric_limits<double>::infinity());
  std::vector<double> squares;
  for (const double time_s : times_s) {
    double& square = squares.emplace_back(0.0);
    for (std::size_t lag = 1; lag <= in_time.size(); ++lag) {
      const double off = in_time[lag - 1].value - shared * time_correlation(time_s, rate_hz, lag);
      square += off * off;
    }
  }
  return times_s[static_cast<std::size_t>(std::ranges::min_element(squares) - squares.begin())];
}

/// Standard error of a size from its values without one group of frames after the other.
double size_error(double size_px, const std::vector<double>& without) {
  return two_errors_widening(without.empty() ? 0 : without.size() - 1) *
         std::hypot(jackknife_error(without), kFormError * size_px);
}

/// Shape and sizes of a correlation in the image.
void fit_image(const WallWork& work, const WallFrameSums& all, ShapeFit::Direction across, ShapeFit::Direction down,
               WallFit::CorrelationFit& result) {
  const WallNeighbours neighbours(work);
  const auto frames = std::ranges::count_if(work.fits, [](const auto& fit) { return fit.has_value(); });
  const double readings = static_cast<double>(work.measure.readings) / static_cast<double>(frames);
  const auto of_shape = [&](CorrelationShape shape) {
    ShapeFit fit(shape, result.shared, static_cast<double>(work.rays.unknowns()), readings, neighbours);
    fit.across = across, fit.down = down;
    fit.fit(all);
    return fit;
  };
  const ShapeFit gaussian = of_shape(CorrelationShape::kGaussian),
                 exponential = of_shape(CorrelationShape::kExponential);
  const bool is_gaussian = gaussian.misfit <= exponential.misfit;
  const ShapeFit& best = is_gaussian ? gaussian : exponential;
  result.shape = is_gaussian ? CorrelationShape::kGaussian : CorrelationShape::kExponential;
  result.misfit = best.misfit, result.other_misfit = (is_gaussian ? exponential : gaussian).misfit;
  result.sum = best.sum;
  ShapeFit rest = best;
  rest.across.near_px = best.across.size_px, rest.down.near_px = best.down.size_px;
  std::vector<double> across_px, down_px;
  for (const WallFrameSums& without : sums_without_each(work)) {
    const double readings_left = without.across.pairs[0];
    if (!(readings_left > 0.0) || readings_left == all.across.pairs[0]) continue;
    rest.fit(without);
    across_px.push_back(rest.across.size_px), down_px.push_back(rest.down.size_px);
  }
  if (!across.is_white) result.across_px = {best.across.size_px, size_error(best.across.size_px, across_px)};
  if (!down.is_white) result.down_px = {best.down.size_px, size_error(best.down.size_px, down_px)};
}

}  // namespace

void add_lags(const WallRays& rays, std::span<const float> standardised, WallFrameSums& sums) {
  const std::size_t rows = rays.rows, cols = rays.cols;
  for (std::size_t lag = 0; lag <= WallMeasure::kLags; ++lag) {
    for (std::size_t row = 0; row < rows; ++row) {
      const auto values = standardised.subspan(row * cols, cols);
      if (lag < cols) sums.across.add(lag, values, values.subspan(lag));
      if (row + lag < rows) sums.down.add(lag, values, standardised.subspan((row + lag) * cols, cols));
    }
  }
}

void fill_correlations(WallWork& work, bool has_time) {
  const WallFrameSums all = sums_without(work, kWallGroups);
  const std::vector<WallFrameSums> without = sums_without_each(work);
  WallMeasure& m = work.measure;
  m.across = correlations(all, without, &WallFrameSums::across);
  if (!work.rays.is_planar) m.down = correlations(all, without, &WallFrameSums::down);
  if (has_time) m.in_time = correlations(all, without, &WallFrameSums::in_time);
}

WallNeighbours::WallNeighbours(const WallWork& work) {
  const std::size_t every = work.measure.readings / kMostCentres + 1;
  std::size_t seen = 0;
  for (std::size_t f = 0; f < work.fits.size(); ++f) {
    const auto pixels = std::span(work.measure.pixels).subspan(f * work.rays.size(), work.rays.size());
    work.for_each_ray(f, [&](const WallRays& rays, std::size_t i, WallMeasure::Pixel pixel) {
      if (pixel != WallMeasure::Pixel::kWall || seen++ % every != 0) return;
      add_around(pixels, rays, i, work.fits[f]->leverage(rays, i));
    });
  }
}

void WallNeighbours::add_around(std::span<const WallMeasure::Pixel> pixels, const WallRays& rays, std::size_t i,
                                double leverage) {
  const std::size_t rows = rays.rows, cols = rays.cols, row = i / cols, col = i % cols, most = WallMeasure::kLags;
  all_ += leverage;
  for (std::size_t y = row - std::min(row, most); y <= std::min(rows - 1, row + most); ++y) {
    WallLags& weights = weights_[y > row ? y - row : row - y];
    for (std::size_t x = col - std::min(col, most); x <= std::min(cols - 1, col + most); ++x) {
      if (pixels[y * cols + x] == WallMeasure::Pixel::kWall) weights[x > col ? x - col : col - x] += leverage;
    }
  }
}

double WallNeighbours::sum(const WallLags& across, const WallLags& down) const {
  double sum = 0.0;
  for (std::size_t y = 0; y < weights_.size(); ++y) {
    for (std::size_t x = 0; x < across.size(); ++x) sum += weights_[y][x] * down[y] * across[x];
  }
  return all_ > 0.0 ? sum / all_ : 1.0;
}

WallLags field_correlations(CorrelationShape shape, double size_px) {
  return form_correlations(shape, size_px, size_px, WallLags{}.size());
}

WallFit::CorrelationFit fit_correlation(const WallWork& work, double shared, const WallOptions& options) {
  const WallFrameSums all = sums_without(work, kWallGroups);
  const ShapeFit::Direction across{.is_white = is_white(work.measure.across, all.across)},
      down{.is_white = is_white(work.measure.down, all.down)};
  WallFit::CorrelationFit result;
  result.shared = shared;
  result.across_px = result.down_px = {0.0, kNoNumber};
  if (!(across.is_white && down.is_white)) fit_image(work, all, across, down, result);
  const std::vector<Estimate>& in_time = work.measure.in_time;
  result.time_s.std_error = kNoNumber;
  if (!in_time.empty() && in_time.front().value > std::max(0.02, kWhiteErrors * in_time.front().std_error)) {
    result.time_s.value = best_time(in_time, shared, options.rate_hz);
  }
  return result;
}

Correlation WallFit::CorrelationFit::correlation() const {
  return {.across_px = static_cast<float>(across_px.value),
          .down_px = static_cast<float>(down_px.value),
          .time_s = time_s.value,
          .shape = shape};
}

}  // namespace fathom
