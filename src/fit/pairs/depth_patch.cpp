// SPDX-License-Identifier: MIT
#include "fit/pairs/depth_patch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr Eigen::Index kSide = kPatchSide, kDegrees = 4;  // degrees 0 to 3
constexpr int kSteps = 200;                               // of before_cubic()
constexpr int kBinsPerOctave = 16;                        // of roughness

using PatchMatrix = Eigen::Matrix<double, kSide, kSide, Eigen::RowMajor>;
using Basis = Eigen::Matrix<double, kSide, kDegrees>;
using Square = Eigen::Matrix<double, kDegrees, kDegrees>;

/// Orthonormal polynomials of degree 0 to 3 on the pixels of a line, by Gram and Schmidt. Products of two of them, in x
/// and in y, are orthonormal on the patch; the products of total degree 3 and less span the cubics.
Basis make_basis() {
  using Line = Eigen::Matrix<double, kSide, 1>;
  const Line x = Line::LinSpaced(kSide, 1.0 / kSide - 1.0, 1.0 - 1.0 / kSide);
  Basis basis;
  for (Eigen::Index degree = 0; degree < kDegrees; ++degree) {
    Line line = Line::Ones();
    if (degree > 0) line = x.cwiseProduct(basis.col(degree - 1));
    for (int twice = 0; twice < 2; ++twice) {
      for (Eigen::Index lower = 0; lower < degree; ++lower) line -= line.dot(basis.col(lower)) * basis.col(lower);
    }
    basis.col(degree) = line.normalized();
  }
  return basis;
}

const Basis& basis() {
  static const Basis made = make_basis();
  return made;
}

double pairs_at(std::size_t lag) { return static_cast<double>((kPatchSide - lag) * kPatchSide); }

/// The covariance matrix of a stationary line.
PatchMatrix toeplitz(const ByLag& covariance) {
  PatchMatrix matrix = PatchMatrix::Zero();
  for (std::size_t k = 0; k < kLagCount; ++k) {
    const auto lag = static_cast<Eigen::Index>(k);
    matrix.diagonal(lag).setConstant(covariance[k]), matrix.diagonal(-lag).setConstant(covariance[k]);
  }
  return matrix;
}

/// The symmetric matrix S of a lag as the basis sees it: e' S e is the sum of the products of values `lag` apart.
struct Shift {
  Basis of_basis;
  Square in_basis;
};

std::array<Shift, kLagCount> make_shifts() {
  std::array<Shift, kLagCount> shifts;
  for (std::size_t lag = 0; lag < kLagCount; ++lag) {
    ByLag of_lag{};
    of_lag[lag] = lag == 0 ? 1.0 : 0.5;
    shifts[lag].of_basis = toeplitz(of_lag) * basis();
    shifts[lag].in_basis = basis().transpose() * shifts[lag].of_basis;
  }
  return shifts;
}

/// after_cubic() along one axis. With the error e, its covariance C = A (x) B, and H the projection on cubics, the mean
/// of e'(1 - H) S (1 - H) e is tr(S C) - 2 tr(S H C) + tr(S H C H); every factor is a product along x and along y.
/// `along`: covariances along the axis of the lag; `beside`: correlations along the other.
ByLag after_cubic_along(const ByLag& along, const ByLag& beside) {
  static const std::array<Shift, kLagCount> shifts = make_shifts();
  const Basis covered = toeplitz(along) * basis(), covered_beside = toeplitz(beside) * basis();
  const Square in_covariance = basis().transpose() * covered;
  ByLag mean{};
  for (std::size_t lag = 0; lag < kLagCount; ++lag) {
    const Basis once = shifts[lag].of_basis.cwiseProduct(covered);
    const Square twice = shifts[lag].in_basis.cwiseProduct(in_covariance);
    double taken = 0.0;
    for (Eigen::Index degree = 0; degree < kDegrees; ++degree) {
      const Eigen::Index degrees = kDegrees - degree;  // of the other axis, up to a total of 3
      const double other = basis().col(degree).dot(covered_beside.col(degree));
      taken += other * (2.0 * once.leftCols(degrees).sum() - twice.topLeftCorner(degrees, degrees).sum());
    }
    mean[lag] = along[lag] - taken / pairs_at(lag);
  }
  return mean;
}

ByLag divided(const ByLag& values, double by) {
  ByLag result{};
  for (std::size_t lag = 0; lag < kLagCount; ++lag) result[lag] = values[lag] / by;
  return result;
}

void add_to(ByLag& sum, const ByLag& more) {
  for (std::size_t lag = 0; lag < kLagCount; ++lag) sum[lag] += more[lag];
}

}  // namespace

PatchState patch_state(const float* first, std::size_t cols) {
  using Depths = Eigen::Matrix<float, kSide, kSide, Eigen::RowMajor>;
  const Eigen::OuterStride<> stride(static_cast<Eigen::Index>(cols));
  const Eigen::Map<const Depths, 0, Eigen::OuterStride<>> depths(first, stride);
  const Eigen::Array<double, kSide, kSide, Eigen::RowMajor> z = depths.cast<double>().array();
  const auto has_step = [](const auto& a, const auto& b) {
    return ((a - b).abs() > DepthMeasure::kMostStep * a.min(b)).any();
  };
  if (z.isNaN().any()) return PatchState::kHole;
  if (has_step(z.leftCols<kSide - 1>(), z.rightCols<kSide - 1>())) return PatchState::kStep;
  if (has_step(z.topRows<kSide - 1>(), z.bottomRows<kSide - 1>())) return PatchState::kStep;
  return PatchState::kGood;
}

void remove_cubic(PatchValues values) {
  Eigen::Map<PatchMatrix> patch(values.data());
  Square part = basis().transpose() * patch * basis();  // [degree in y, degree in x]
  for (Eigen::Index degree = 0; degree < kDegrees; ++degree) part.row(degree).tail(degree).setZero();
  patch -= basis() * part * basis().transpose();
}

double block_mean_square(ConstPatchValues residual) {
  constexpr Eigen::Index kBlock = 6, kBlocks = kSide / kBlock;
  const Eigen::Map<const PatchMatrix> patch(residual.data());
  double square = 0.0;
  for (Eigen::Index k = 0; k < kBlocks * kBlocks; ++k) {
    const double mean = patch.block<kBlock, kBlock>(k / kBlocks * kBlock, k % kBlocks * kBlock).mean();
    square += mean * mean;
  }
  return square / static_cast<double>(kBlocks * kBlocks);
}

LagPair lag_means(ConstPatchValues residual) {
  const Eigen::Map<const PatchMatrix> patch(residual.data());
  LagPair means;
  for (std::size_t lag = 0; lag < kLagCount; ++lag) {
    const auto rest = static_cast<Eigen::Index>(kPatchSide - lag);
    means.across[lag] = patch.leftCols(rest).cwiseProduct(patch.rightCols(rest)).sum() / pairs_at(lag);
    means.down[lag] = patch.topRows(rest).cwiseProduct(patch.bottomRows(rest)).sum() / pairs_at(lag);
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
    if (!(c.across[0] > 0.0)) return measured;      // not of a separable field
    if (!(change > 1e-14 * c.across[0])) return c;  // rounding
  }
  return c;
}

void PatchSums::add(const PatchSums& other) {
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

PatchSummary summarise(const PatchSums& sums) {
  const LagPair measured = {divided(sums.lags.across, sums.patches), divided(sums.lags.down, sums.patches)};
  const LagPair corrected = before_cubic(measured);
  PatchSummary summary;
  if (measured.across[0] > 0.0) summary.put_back = std::sqrt(corrected.across[0] / measured.across[0]);
  summary.residual = std::sqrt(measured.across[0]);
  summary.residual_m = std::sqrt(sums.square_m / sums.patches);
  summary.deviation = summary.residual * summary.put_back;
  summary.deviation_m = summary.residual_m * summary.put_back;
  summary.residual_correlation = {divided(measured.across, measured.across[0]),
                                  divided(measured.down, measured.down[0])};
  summary.correlation = {divided(corrected.across, corrected.across[0]), divided(corrected.down, corrected.down[0])};
  // The cubic takes the same share of both frames.
  for (std::size_t lag = 0; lag < kLagCount; ++lag) summary.in_time[lag] = sums.in_time[lag] / sums.both[lag];
  return summary;
}

std::vector<double> PatchSummary::estimates() const {
  std::vector<double> all = {deviation, deviation_m};
  for (const ByLag* lags : {&correlation.across, &correlation.down, &in_time}) {
    all.insert(all.end(), lags->begin() + 1, lags->end());
  }
  return all;
}

std::vector<double> jackknife_errors(const PatchGroups& groups) {
  std::vector<std::vector<double>> without(PatchSummary{}.estimates().size());  // by estimate
  for (std::size_t left_out = 0; left_out < kPatchGroups; ++left_out) {
    if (!(groups[left_out].patches > 0.0)) continue;
    PatchSums rest;
    for (std::size_t group = 0; group < kPatchGroups; ++group) {
      if (group != left_out) rest.add(groups[group]);
    }
    const std::vector<double> values = summarise(rest).estimates();
    for (std::size_t k = 0; k < values.size(); ++k) without[k].push_back(values[k]);
  }
  std::vector<double> errors;
  errors.reserve(without.size());
  for (const std::vector<double>& of_one : without) errors.push_back(jackknife_error(of_one));
  return errors;
}

HoleBlobs find_blobs(std::span<const DepthPixel> pixels, std::uint32_t rows, std::uint32_t cols) {
  constexpr std::uint32_t kFound = std::numeric_limits<std::uint32_t>::max();  // until the size of its blob is known
  HoleBlobs found{.blobs = {}, .blob_size = std::vector<std::uint32_t>(pixels.size(), 0)};
  std::vector<std::size_t> members;
  const std::size_t width = cols, count = width * rows;
  for (std::size_t first = 0; first < count; ++first) {
    HoleBlobs::Blob blob;
    members.clear();
    const auto take = [&](std::size_t pixel) {
      if (pixels[pixel] == DepthPixel::kLeftOut) blob.whole = false;
      if (pixels[pixel] != DepthPixel::kHole || found.blob_size[pixel] != 0) return;
      found.blob_size[pixel] = kFound;
      members.push_back(pixel);
    };
    take(first);
    if (members.empty()) continue;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::size_t pixel = members[k], col = pixel % width;
      if (col == 0 || col + 1 == width || pixel < width || pixel + width >= count) blob.whole = false;
      if (col > 0) take(pixel - 1);
      if (col + 1 < width) take(pixel + 1);
      if (pixel >= width) take(pixel - width);
      if (pixel + width < count) take(pixel + width);
    }
    blob.size = static_cast<std::uint32_t>(members.size());
    for (const std::size_t member : members) found.blob_size[member] = blob.size;
    found.blobs.push_back(blob);
  }
  return found;
}

}  // namespace fathom
