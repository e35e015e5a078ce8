// SPDX-License-Identifier: MIT
#include "calibrate/depth_patch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kDegrees = 4;  // 0 to 3
constexpr int kSteps = 200;          // of before_cubic()

using Line = std::array<double, kPatchSide>;
using Square = std::array<std::array<double, kDegrees>, kDegrees>;

double dot(const Line& a, const Line& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < kPatchSide; ++i) sum += a[i] * b[i];
  return sum;
}

/// Orthonormal polynomials of degree 0 to 3 on the pixels of a line, by Gram and Schmidt. Products of two of them, in x
/// and in y, are orthonormal on the patch; those of total degree 3 and less span the cubics.
std::array<Line, kDegrees> make_basis() {
  std::array<Line, kDegrees> basis{};
  for (std::size_t degree = 0; degree < kDegrees; ++degree) {
    Line& line = basis[degree];
    for (std::size_t i = 0; i < kPatchSide; ++i) {
      const double x = (2.0 * static_cast<double>(i) + 1.0) / kPatchSide - 1.0;
      line[i] = degree == 0 ? 1.0 : x * basis[degree - 1][i];
    }
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t lower = 0; lower < degree; ++lower) {
        const double part = dot(line, basis[lower]);
        for (std::size_t i = 0; i < kPatchSide; ++i) line[i] -= part * basis[lower][i];
      }
    }
    const double length = std::sqrt(dot(line, line));
    for (double& value : line) value /= length;
  }
  return basis;
}

const std::array<Line, kDegrees>& basis() {
  static const std::array<Line, kDegrees> made = make_basis();
  return made;
}

/// The line times the covariance matrix of a stationary line.
Line times_covariance(const Line& line, const ByLag& covariance) {
  Line product{};
  for (std::size_t i = 0; i < kPatchSide; ++i) {
    for (std::size_t k = 0; k < kPatchSide; ++k) {
      const std::size_t lag = i > k ? i - k : k - i;
      if (lag < kLagCount) product[i] += covariance[lag] * line[k];
    }
  }
  return product;
}

/// The line times the symmetric matrix S of a lag: e' S e is the sum of the products of values `lag` apart.
Line times_shift(const Line& line, std::size_t lag) {
  Line product{};
  for (std::size_t i = 0; i + lag < kPatchSide; ++i) {
    product[i] += 0.5 * line[i + lag];
    product[i + lag] += 0.5 * line[i];
  }
  return product;
}

/// The matrix of a lag as the basis sees it.
struct Shift {
  std::array<Line, kDegrees> of_basis{};
  Square in_basis{};
};

std::array<Shift, kLagCount> make_shifts() {
  std::array<Shift, kLagCount> shifts;
  for (std::size_t lag = 0; lag < kLagCount; ++lag) {
    for (std::size_t a = 0; a < kDegrees; ++a) {
      shifts[lag].of_basis[a] = times_shift(basis()[a], lag);
      for (std::size_t k = 0; k < kDegrees; ++k) {
        shifts[lag].in_basis[a][k] = dot(shifts[lag].of_basis[a], basis()[k]);
      }
    }
  }
  return shifts;
}

/// after_cubic() along one axis. With the error e, its covariance C = A (x) B, and H the projection on cubics, the mean
/// of e'(1 - H) S (1 - H) e is tr(S C) - 2 tr(S H C) + tr(S H C H); every factor is a product along x and along y.
/// `along`: covariances along the axis of the lag; `beside`: correlations along the other.
ByLag after_cubic_along(const ByLag& along, const ByLag& beside) {
  static const std::array<Shift, kLagCount> shifts = make_shifts();
  const auto& p = basis();
  std::array<Line, kDegrees> covered{};
  Square in_covariance{};
  std::array<double, kDegrees> other{};
  for (std::size_t a = 0; a < kDegrees; ++a) {
    covered[a] = times_covariance(p[a], along);
    other[a] = dot(p[a], times_covariance(p[a], beside));
    for (std::size_t b = 0; b < kDegrees; ++b) in_covariance[a][b] = dot(p[b], covered[a]);
  }
  ByLag mean{};
  for (std::size_t lag = 0; lag < kLagCount; ++lag) {
    const double pairs = static_cast<double>((kPatchSide - lag) * kPatchSide);
    double sum = pairs * along[lag];
    for (std::size_t a = 0; a < kDegrees; ++a) {
      const double once = dot(shifts[lag].of_basis[a], covered[a]);
      for (std::size_t b = 0; a + b < kDegrees; ++b) {
        sum -= 2.0 * once * other[b];
        for (std::size_t k = 0; k + b < kDegrees; ++k) {
          sum += in_covariance[a][k] * shifts[lag].in_basis[a][k] * other[b];
        }
      }
    }
    mean[lag] = sum / pairs;
  }
  return mean;
}

ByLag divided(const ByLag& values, double by) {
  ByLag result{};
  for (std::size_t lag = 0; lag < kLagCount; ++lag) result[lag] = values[lag] / by;
  return result;
}

bool differs(float a, float b) {
  return std::abs(double{a} - double{b}) > DepthMeasure::kMostStep * double{std::min(a, b)};
}

}  // namespace

PatchState patch_state(const float* first, std::size_t cols) {
  for (std::size_t y = 0; y < kPatchSide; ++y) {
    for (std::size_t x = 0; x < kPatchSide; ++x) {
      if (std::isnan(first[y * cols + x])) return PatchState::kHole;
    }
  }
  for (std::size_t y = 0; y < kPatchSide; ++y) {
    for (std::size_t x = 0; x < kPatchSide; ++x) {
      const float* at = first + y * cols + x;
      if ((x + 1 < kPatchSide && differs(at[0], at[1])) || (y + 1 < kPatchSide && differs(at[0], at[cols]))) {
        return PatchState::kStep;
      }
    }
  }
  return PatchState::kGood;
}

void remove_cubic(PatchValues values) {
  const auto& p = basis();
  Square part{};  // [degree in y][degree in x]
  for (std::size_t y = 0; y < kPatchSide; ++y) {
    std::array<double, kDegrees> in_row{};
    for (std::size_t x = 0; x < kPatchSide; ++x) {
      const double value = values[y * kPatchSide + x];
      for (std::size_t a = 0; a < kDegrees; ++a) in_row[a] += value * p[a][x];
    }
    for (std::size_t b = 0; b < kDegrees; ++b) {
      for (std::size_t a = 0; a + b < kDegrees; ++a) part[b][a] += in_row[a] * p[b][y];
    }
  }
  for (std::size_t y = 0; y < kPatchSide; ++y) {
    std::array<double, kDegrees> in_row{};
    for (std::size_t b = 0; b < kDegrees; ++b) {
      for (std::size_t a = 0; a + b < kDegrees; ++a) in_row[a] += part[b][a] * p[b][y];
    }
    for (std::size_t x = 0; x < kPatchSide; ++x) {
      for (std::size_t a = 0; a < kDegrees; ++a) values[y * kPatchSide + x] -= in_row[a] * p[a][x];
    }
  }
}

double block_mean_square(ConstPatchValues residual) {
  constexpr std::size_t kBlock = 6, kBlocks = kPatchSide / kBlock;
  std::array<double, kBlocks * kBlocks> sums{};
  for (std::size_t i = 0; i < kPatchPixels; ++i) {
    sums[i / kPatchSide / kBlock * kBlocks + i % kPatchSide / kBlock] += residual[i];
  }
  double square = 0.0;
  for (const double sum : sums) square += sum * sum;
  return square / (kBlocks * kBlocks) / (kBlock * kBlock * kBlock * kBlock);
}

LagPair lag_means(ConstPatchValues residual) {
  LagPair means;
  for (std::size_t lag = 0; lag < kLagCount; ++lag) {
    double across = 0.0, down = 0.0;
    for (std::size_t y = 0; y < kPatchSide; ++y) {
      const double* row = &residual[y * kPatchSide];
      for (std::size_t x = 0; x + lag < kPatchSide; ++x) across += row[x] * row[x + lag];
    }
    for (std::size_t i = 0; i + lag * kPatchSide < kPatchPixels; ++i) {
      down += residual[i] * residual[i + lag * kPatchSide];
    }
    const double pairs = static_cast<double>((kPatchSide - lag) * kPatchSide);
    means.across[lag] = across / pairs;
    means.down[lag] = down / pairs;
  }
  means.down[0] = means.across[0];  // the same sum
  return means;
}

LagPair after_cubic(const LagPair& c) {
  LagPair after{after_cubic_along(c.across, divided(c.down, c.down[0])),
                after_cubic_along(c.down, divided(c.across, c.across[0]))};
  after.down[0] = after.across[0];  // the same to rounding
  return after;
}

LagPair before_cubic(const LagPair& measured) {
  if (!(measured.across[0] > 0.0)) return {};
  LagPair c = measured;
  for (int step = 0; step < kSteps; ++step) {
    const LagPair after = after_cubic(c);
    double change = 0.0;
    for (std::size_t lag = 0; lag < kLagCount; ++lag) {
      const double across = measured.across[lag] - after.across[lag], down = measured.down[lag] - after.down[lag];
      c.across[lag] += across;
      c.down[lag] += down;
      change = std::max({change, std::abs(across), std::abs(down)});
    }
    if (!(c.across[0] > 0.0)) return measured;      // of no separable field
    if (!(change > 1e-14 * c.across[0])) return c;  // rounding
  }
  return c;
}

namespace {

void add_to(ByLag& sum, const ByLag& more) {
  for (std::size_t lag = 0; lag < kLagCount; ++lag) sum[lag] += more[lag];
}

/// numerator / denominator, NaN where that is 0.
double ratio(double numerator, double denominator) { return denominator > 0.0 ? numerator / denominator : kNoNumber; }

ByLag by_first(const ByLag& values) {
  ByLag result{};
  for (std::size_t lag = 0; lag < kLagCount; ++lag) result[lag] = ratio(values[lag], values[0]);
  return result;
}

ByLag scaled(const ByLag& values, double by) {
  ByLag result{};
  for (std::size_t lag = 0; lag < kLagCount; ++lag) result[lag] = values[lag] * by;
  return result;
}

}  // namespace

void GroupSums::add(const GroupSums& other) {
  patches += other.patches;
  add_to(lags.across, other.lags.across);
  add_to(lags.down, other.lags.down);
  square_m += other.square_m;
  add_to(in_time, other.in_time);
  add_to(both, other.both);
}

int roughness_bin(double mean_square) {
  if (!(mean_square > 0.0)) return std::numeric_limits<int>::min() / 2;
  int octave = 0;
  const double mantissa = std::frexp(mean_square, &octave);  // in [1/2, 1): exact, so no library's log decides
  return octave * kBinsPerOctave + static_cast<int>((mantissa - 0.5) * 2.0 * kBinsPerOctave);
}

int last_used_bin(const RoughnessBins& bins) {
  std::uint64_t all = 0, below = 0;
  for (const auto& [number, bin] : bins) all += bin.patches;
  for (const auto& [number, bin] : bins) {
    below += bin.patches;
    if (2 * below >= all) return number + 2 * kBinsPerOctave;  // two octaves: 4 times
  }
  return bins.rbegin()->first;
}

PatchSummary summarise(const GroupSums& sums) {
  PatchSummary summary;
  if (!(sums.patches > 0.0)) {
    summary.residual = summary.residual_m = summary.deviation = summary.deviation_m = kNoNumber;
    for (ByLag* lags : {&summary.residual_correlation.across, &summary.residual_correlation.down,
                        &summary.correlation.across, &summary.correlation.down, &summary.in_time}) {
      lags->fill(kNoNumber);
    }
    return summary;
  }
  const LagPair measured = {scaled(sums.lags.across, 1.0 / sums.patches), scaled(sums.lags.down, 1.0 / sums.patches)};
  const LagPair corrected = before_cubic(measured);
  summary.residual = std::sqrt(measured.across[0]);
  summary.residual_m = std::sqrt(sums.square_m / sums.patches);
  summary.deviation = std::sqrt(corrected.across[0]);
  const double put_back = measured.across[0] > 0.0 ? summary.deviation / summary.residual : 1.0;
  summary.deviation_m = summary.residual_m * put_back;
  summary.residual_correlation = {by_first(measured.across), by_first(measured.down)};
  summary.correlation = {by_first(corrected.across), by_first(corrected.down)};
  // The cubic takes the same share of both frames.
  for (std::size_t lag = 0; lag < kLagCount; ++lag) summary.in_time[lag] = ratio(sums.in_time[lag], sums.both[lag]);
  return summary;
}

std::vector<double> PatchSummary::estimates() const {
  std::vector<double> all = {deviation, deviation_m};
  for (const ByLag* lags : {&correlation.across, &correlation.down, &in_time}) {
    all.insert(all.end(), lags->begin() + 1, lags->end());
  }
  return all;
}

std::vector<double> jackknife_errors(const std::array<GroupSums, kPatchGroups>& groups) {
  std::vector<std::vector<double>> without;
  for (std::size_t left_out = 0; left_out < kPatchGroups; ++left_out) {
    if (!(groups[left_out].patches > 0.0)) continue;
    GroupSums rest;
    for (std::size_t group = 0; group < kPatchGroups; ++group) {
      if (group != left_out) rest.add(groups[group]);
    }
    without.push_back(summarise(rest).estimates());
  }
  std::vector<double> errors, of_one(without.size());
  for (std::size_t k = 0; k < PatchSummary{}.estimates().size(); ++k) {
    for (std::size_t group = 0; group < without.size(); ++group) of_one[group] = without[group][k];
    errors.push_back(jackknife_error(of_one));
  }
  return errors;
}

namespace {

constexpr std::uint32_t kFound = std::numeric_limits<std::uint32_t>::max();  // until the size of its blob is known

}  // namespace

void HoleBlobs::find(std::span<const DepthPixel> pixels, std::uint32_t rows, std::uint32_t cols) {
  blobs_.clear();
  blob_size_.assign(pixels.size(), 0);
  const std::size_t width = cols, count = width * rows;
  for (std::size_t first = 0; first < count; ++first) {
    if (pixels[first] != DepthPixel::kHole || blob_size_[first] != 0) continue;
    Blob blob;
    members_.assign(1, first);
    blob_size_[first] = kFound;
    const auto take = [&](std::size_t pixel) {
      if (pixels[pixel] == DepthPixel::kLeftOut) blob.whole = false;
      if (pixels[pixel] != DepthPixel::kHole || blob_size_[pixel] != 0) return;
      blob_size_[pixel] = kFound;
      members_.push_back(pixel);
    };
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::size_t pixel = members_[k], col = pixel % width;
      if (col == 0 || col + 1 == width || pixel < width || pixel + width >= count) blob.whole = false;
      if (col > 0) take(pixel - 1);
      if (col + 1 < width) take(pixel + 1);
      if (pixel >= width) take(pixel - width);
      if (pixel + width < count) take(pixel + width);
    }
    blob.size = static_cast<std::uint32_t>(members_.size());
    for (const std::size_t member : members_) blob_size_[member] = blob.size;
    blobs_.push_back(blob);
  }
}

}  // namespace fathom
