// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include <fathom/math/f64.hpp>

#include "calibrate/search.hpp"
#include "calibrate/wall_work.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostCentres = 4000;  // of neighbourhoods

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
template <class Lags>
std::vector<Estimate> correlations(const WallFrameSums& all, std::span<const WallFrameSums> without,
                                   Lags WallFrameSums::*member) {
  const Lags& sums = all.*member;
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

constexpr double kMostSizePx = 64.0;
constexpr double kLeastCorrelation = 0.05;  // lags are fitted up to the first below, and one more
constexpr double kWhite = 0.01, kWhiteErrors = 3.0;
constexpr int kRounds = 3;  // of the fit and of what the plane takes, each from the other
constexpr std::size_t kPhases = 256;

using ImageSums = WallLagSums<WallMeasure::kLags + 1>;

/// Kernels of whole pixels get longer, and jump, at sizes of thirds of a pixel, where a fit to them sticks. Standard
/// errors come from sizes near the best ones, fitted to kernels of constant length, which are smooth. The difference of
/// the two forms adds to them.
constexpr double kLeastNear = 0.6, kMostNear = 1.6;  // of a best size
constexpr double kFormError = 0.005;                 // of a size

/// `near`: the size that the kernel is as long as; nothing: its own.
double form_correlation(std::optional<double> near, CorrelationShape shape, double size_px, std::size_t lag) {
  if (lag == 0) return 1.0;
  if (!(size_px > 0.0)) return 0.0;
  if (shape == CorrelationShape::kExponential) return math::exp(-static_cast<double>(lag) / size_px);
  const int reach = static_cast<int>(std::floor(3.0 * near.value_or(size_px)));
  const auto h = [&](int i) { return i < -reach || i > reach ? 0.0 : math::exp(-i * i / (2.0 * size_px * size_px)); };
  double product = 0.0, square = 0.0;
  for (int i = -reach; i <= reach; ++i) product += h(i) * h(i + static_cast<int>(lag)), square += h(i) * h(i);
  return product / square;
}

/// Undoes the part of the planes: they take the share kappa of the variance, equally at all lags.
double put_back(double kappa, double correlation) { return correlation * (1.0 - kappa) + kappa; }

/// Fits one shape to the sums of an image along both directions.
class ShapeFit {
 public:
  /// `readings`: of a frame, in the mean.
  ShapeFit(CorrelationShape shape, double shared, double unknowns, double readings, const WallNeighbours& neighbours)
      : shape_(shape), shared_(shared), unknowns_(unknowns), readings_(readings), neighbours_(neighbours) {}

  struct Direction {
    bool is_white = true;
    std::optional<double> near = {};  ///< the size that kernels are as long as
    double size_px = 0.0;
  };
  Direction across, down;
  double sum = 1.0, misfit = 0.0;  ///< S, and a root mean square over the lags fitted

  /// The share of the planes depends on the sum of the correlations, and that on the sizes.
  void fit(const WallFrameSums& sums) {
    kappa_ = unknowns_ / readings_;
    for (int round = 0; round < kRounds; ++round) {
      fit_size(sums.across, across), fit_size(sums.down, down);
      sum = shared_ * neighbours_.sum(lags_of(across), lags_of(down)) + 1.0 - shared_;
      kappa_ = std::min(0.5, unknowns_ * sum / readings_);
    }
    double square = 0.0;
    std::size_t lags = 0;
    for (const auto& [of, direction] : {std::pair(&sums.across, &across), std::pair(&sums.down, &down)}) {
      if (direction->is_white) continue;
      square += square_misfit(*of, *direction, direction->size_px), lags += fitted_lags(*of);
    }
    misfit = lags > 0 ? std::sqrt(square / static_cast<double>(lags)) : 0.0;
  }

 private:
  /// Lags that tell something.
  [[nodiscard]] std::size_t fitted_lags(const ImageSums& sums) const {
    std::size_t lag = 1;
    while (lag < WallMeasure::kLags && sums.pairs[lag + 1] > 0.0 &&
           put_back(kappa_, sums.correlation(lag)) >= kLeastCorrelation) {
      ++lag;
    }
    return std::min(WallMeasure::kLags, lag + 1);
  }

  [[nodiscard]] double square_misfit(const ImageSums& sums, const Direction& direction, double size_px) const {
    double square = 0.0;
    for (std::size_t lag = 1; lag <= fitted_lags(sums); ++lag) {
      if (!(sums.pairs[lag] > 0.0)) break;
      const double off =
          put_back(kappa_, sums.correlation(lag)) - shared_ * form_correlation(direction.near, shape_, size_px, lag);
      square += off * off;
    }
    return square;
  }

  /// Sizes from 0.05 to 64 px, or near one, and between them by golden sections.
  void fit_size(const ImageSums& sums, Direction& direction) const {
    if (direction.is_white) return;
    const std::optional<double>& near = direction.near;
    std::vector<double> sizes;
    const double least = near ? kLeastNear * *near : 0.05, most = near ? kMostNear * *near : kMostSizePx;
    for (double s = least; s < most; s *= 1.08) sizes.push_back(s);
    sizes.push_back(most);
    direction.size_px = highest(sizes, 1e-4, [&](double s) { return -square_misfit(sums, direction, s); }).x;
  }

  [[nodiscard]] WallNeighbours::Lags lags_of(const Direction& direction) const {
    WallNeighbours::Lags lags{};
    for (std::size_t lag = 0; lag < lags.size(); ++lag) lags[lag] = field_correlation(shape_, direction.size_px, lag);
    return lags;
  }

  CorrelationShape shape_;
  double shared_, unknowns_, readings_, kappa_ = 0.0;
  const WallNeighbours& neighbours_;
};

/// Whether neighbours of a direction have nothing in common.
bool is_white(const std::vector<Estimate>& correlations, const ImageSums& sums) {
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
  return times_s[static_cast<std::size_t>(std::min_element(squares.begin(), squares.end()) - squares.begin())];
}

/// Standard error of a size from its values without one group of frames after the other.
double size_error(double size_px, const std::vector<double>& without) {
  return two_errors_widening(without.empty() ? 0 : without.size() - 1) *
         std::hypot(jackknife_error(without), kFormError * size_px);
}

/// Shape and sizes of a correlation in the image.
void fit_image(const WallWork& work, const WallFrameSums& all, ShapeFit::Direction across, ShapeFit::Direction down,
               WallCorrelation& result) {
  const WallNeighbours neighbours(work);
  const auto frames =
      std::count_if(work.fits.begin(), work.fits.end(), [](const auto& fit) { return fit.has_value(); });
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
  rest.across.near = best.across.size_px, rest.down.near = best.down.size_px;
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
  const auto product = [&](std::size_t i, std::size_t k) { return double{standardised[i]} * double{standardised[k]}; };
  for (std::size_t lag = 0; lag <= WallMeasure::kLags; ++lag) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t col = 0; col < cols; ++col) {
        const std::size_t i = row * cols + col;
        if (col + lag < cols) sums.across.add(lag, product(i, i + lag));
        if (row + lag < rows) sums.down.add(lag, product(i, i + lag * cols));
      }
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

WallNeighbours::WallNeighbours(const WallWork& work) : weights_(kSide * kSide, 0.0) {
  const std::size_t rays = work.rays.size(), rows = work.rays.rows, cols = work.rays.cols;
  const std::size_t every = work.measure.readings / kMostCentres + 1;
  const auto is_reading_at = [&](std::size_t f, std::size_t row, std::size_t col) {
    return work.measure.pixels[f * rays + row * cols + col] == WallPixel::kWall;
  };
  const std::size_t most = WallMeasure::kLags;
  std::size_t seen = 0;
  for (std::size_t f = 0; f < work.fits.size(); ++f) {
    if (!work.fits[f]) continue;
    const auto of_frame = work.rays_of(f);
    for (std::size_t i = 0; i < rays; ++i) {
      const std::size_t row = i / cols, col = i % cols;
      if (!is_reading_at(f, row, col) || seen++ % every != 0) continue;
      const double leverage = work.fits[f]->leverage(*of_frame, i);
      all_ += leverage;
      for (std::size_t y = row - std::min(row, most); y <= std::min(rows - 1, row + most); ++y) {
        for (std::size_t x = col - std::min(col, most); x <= std::min(cols - 1, col + most); ++x) {
          if (!is_reading_at(f, y, x)) continue;
          const std::size_t down = y > row ? y - row : row - y, across = x > col ? x - col : col - x;
          weights_[down * kSide + across] += leverage;
        }
      }
    }
  }
}

double WallNeighbours::sum(const Lags& across, const Lags& down) const {
  double sum = 0.0;
  for (std::size_t y = 0; y < kSide; ++y) {
    for (std::size_t x = 0; x < kSide; ++x) sum += weights_[y * kSide + x] * down[y] * across[x];
  }
  return all_ > 0.0 ? sum / all_ : 1.0;
}

double field_correlation(CorrelationShape shape, double size_px, std::size_t lag) {
  return form_correlation(std::nullopt, shape, size_px, lag);
}

WallCorrelation fit_correlation(const WallWork& work, double shared, const WallOptions& options) {
  const WallFrameSums all = sums_without(work, kWallGroups);
  const ShapeFit::Direction across{.is_white = is_white(work.measure.across, all.across)},
      down{.is_white = is_white(work.measure.down, all.down)};
  WallCorrelation result;
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

Correlation WallCorrelation::correlation() const {
  return {.across_px = static_cast<float>(across_px.value),
          .down_px = static_cast<float>(down_px.value),
          .time_s = time_s.value,
          .shape = shape};
}

}  // namespace fathom
