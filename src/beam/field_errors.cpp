// SPDX-License-Identifier: MIT
// Standard errors of the likelihood field, as std_errors.cpp has those of the beam model: naive H^-1 of the observed
// information H by w_hit and sigma, and clustered H^-1 J H^-1, J from the summed slopes of stretches of the way and
// products of those of neighbours (Neighbours), with intervals by Student's t.
#include "beam/field_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fathom/math/trigonometry.hpp>

#include "base/small_matrix.hpp"
#include "beam/stretches.hpp"
#include "beam/student_t.hpp"

namespace fathom {

namespace {

constexpr double kWeightBoundary = 1e-7;

/// By w_hit and sigma: a vector, and a symmetric matrix.
struct FieldSlopes {
  double w = 0.0, s = 0.0;
};
struct FieldMatrix {
  double ww = 0.0, ws = 0.0, ss = 0.0;
  [[nodiscard]] FieldSlopes operator*(const FieldSlopes& v) const { return {ww * v.w + ws * v.s, ws * v.w + ss * v.s}; }
};

/// Of one reading: derivatives of log f, and the observed information.
struct FieldCurvature {
  FieldSlopes slope;
  FieldMatrix information;

  FieldCurvature(const LikelihoodFieldModel& m, double distance_m) {
    const double s = m.sigma_hit_m, t = distance_m * distance_m / (s * s);
    const double g = math::normal_density(distance_m / s) / s, u = 1.0 / m.max_range_m;
    const double f = m.w_hit * g + m.w_rand * u;
    const double g1 = g * (t - 1.0) / s, g2 = g * ((t - 1.0) * (t - 1.0) + 1.0 - 3.0 * t) / (s * s);
    slope = {(g - u) / f, m.w_hit * g1 / f};
    information = {slope.w * slope.w, slope.w * slope.s - g1 / f, slope.s * slope.s - m.w_hit * g2 / f};
  }
};

/// Which of the two are inside their limits.
struct FreeField {
  bool w = true, s = true;
};

FreeField flag_boundaries(const FieldFit& of, double floor_m, std::vector<std::string>& flags) {
  const bool no_rand = !(of.model.w_rand > kWeightBoundary), no_hits = !(of.model.w_hit > kWeightBoundary);
  const bool at_floor = of.model.sigma_hit_m <= floor_m;
  if (no_rand) flags.emplace_back("w_rand is at its boundary 0");
  if (no_hits) flags.emplace_back("w_hit is at its boundary 0");
  if (at_floor) flags.emplace_back("sigma_hit_m is at its floor, the size of a cell / sqrt(12)");
  return {.w = !no_rand && !no_hits, .s = !no_hits && !at_floor};
}

/// Of the free ones, 0 elsewhere; nothing where it is not positive.
std::optional<FieldMatrix> inverse(const FieldMatrix& a, FreeField free) {
  std::vector<std::size_t> rows;
  if (free.w) rows.push_back(0);
  if (free.s) rows.push_back(1);
  const auto found = inverse_of(FixedMatrix<2>{{{a.ww, a.ws}, {a.ws, a.ss}}}, rows);
  if (!found) return std::nullopt;
  return FieldMatrix{(*found)[0][0], (*found)[0][1], (*found)[1][1]};
}

FieldMatrix information_of(const LikelihoodFieldModel& model, const DistanceField& field,
                           std::span<const double> count) {
  FieldMatrix sum;
  for (std::uint32_t level = 0; level < field.levels(); ++level) {
    if (count[level] == 0.0) continue;
    const FieldMatrix of = FieldCurvature(model, field.distance_m(level)).information;
    sum.ww += count[level] * of.ww, sum.ws += count[level] * of.ws, sum.ss += count[level] * of.ss;
  }
  return sum;
}

std::size_t scans_of(const FieldData& data) {
  std::size_t scans = 1;
  for (std::size_t i = 1; i < data.scan.size(); ++i) scans += data.scan[i] != data.scan[i - 1] ? 1 : 0;
  return scans;
}

std::vector<FieldSlopes> slopes_of_stretches(const FieldData& data, const DistanceField& field,
                                             const LikelihoodFieldModel& model, const Stretches& stretches) {
  std::vector<FieldSlopes> sums(stretches.clusters);
  std::uint64_t scan = 0;
  for (std::size_t i = 0; i < data.level.size(); ++i) {
    if (i > 0 && data.scan[i] != data.scan[i - 1]) ++scan;
    const FieldSlopes slope = FieldCurvature(model, field.distance_m(data.level[i])).slope;
    FieldSlopes& sum = sums[stretches.of_scan(scan)];
    sum.w += slope.w, sum.s += slope.s;
  }
  return sums;
}

/// What the slopes of stretches make of the two standard errors.
FieldSlopes clustered_errors(const FieldMatrix& covariance, std::vector<FieldSlopes> slopes,
                             const Neighbours& neighbours) {
  for (FieldSlopes& slope : slopes) slope = covariance * slope;
  FieldSlopes variance;
  neighbours.for_each_product(slopes.size(), [&](std::size_t a, std::size_t b, double times) {
    variance.w += times * slopes[a].w * slopes[b].w, variance.s += times * slopes[a].s * slopes[b].s;
  });
  return {std::sqrt(std::max(0.0, variance.w)), std::sqrt(std::max(0.0, variance.s))};
}

void add_intervals(double degrees, FieldFit& fit) {
  const double t = student_t_quantile(0.975, degrees);
  const auto interval = [t](double value, double error, double low, double high) -> std::array<double, 2> {
    return {std::max(value - t * error, low), std::min(value + t * error, high)};  // NaN stays
  };
  const LikelihoodFieldModel& model = fit.model;
  fit.w_hit_95 = interval(model.w_hit, fit.w_std_error, 0.0, 1.0);
  fit.w_rand_95 = interval(model.w_rand, fit.w_std_error, 0.0, 1.0);
  fit.sigma_95_m = interval(model.sigma_hit_m, fit.sigma_std_error_m, kLeastSigmaHitM, kMostSigmaHitM);
}

}  // namespace

void add_field_errors(const FieldData& data, const DistanceField& field, std::span<const double> count, double floor_m,
                      const FieldFitOptions& options, FieldFit& fit) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  fit.w_std_error = fit.sigma_std_error_m = fit.naive_w_std_error = fit.naive_sigma_std_error_m = kUnknown;
  fit.w_hit_95 = fit.w_rand_95 = fit.sigma_95_m = {kUnknown, kUnknown};
  const Stretches stretches = make_stretches(scans_of(data), options.stretches, options.stretch_of_scan);
  fit.clusters = stretches.clusters;
  const FreeField free = flag_boundaries(fit, floor_m, fit.flags);
  const std::optional<FieldMatrix> covariance = inverse(information_of(fit.model, field, count), free);
  if (!covariance) {
    fit.flags.emplace_back("standard errors are not available: the likelihood has no clear maximum here");
    return;
  }
  if (free.w) fit.naive_w_std_error = std::sqrt(covariance->ww);
  if (free.s) fit.naive_sigma_std_error_m = std::sqrt(covariance->ss);
  if (fit.clusters < 2) {
    fit.flags.push_back(one_cluster_flag("rays"));
    return;
  }
  const std::string few = few_clusters_flag(fit.clusters, options.stretches);
  if ((free.w || free.s) && !few.empty()) fit.flags.push_back(few);
  const Neighbours neighbours(fit.clusters, options.stretches > 0);
  const FieldSlopes errors =
      clustered_errors(*covariance, slopes_of_stretches(data, field, fit.model, stretches), neighbours);
  // No parameter is known better than from independent readings: few clusters can agree by chance.
  fit.w_std_error = std::max(fit.naive_w_std_error, errors.w);  // NaN stays
  fit.sigma_std_error_m = std::max(fit.naive_sigma_std_error_m, errors.s);
  add_intervals(neighbours.degrees(static_cast<double>(fit.clusters)), fit);
}

}  // namespace fathom
