// SPDX-License-Identifier: MIT
// Standard errors from first and second derivatives of the log density of each reading. Coordinates make the
// derivatives simple: the weights as shares of a softmax, log sigma, log lambda, the offset, and log nu or sigma' of an
// extended law of hits.
//
// Component c has the responsibility r_c and the log density log(w_c p_c), with the gradient h_c and the Hessian H_c. A
// reading has the gradient sum_c r_c h_c and the Hessian
//
//   sum_c r_c (h_c h_c' + H_c) - (sum_c r_c h_c) (sum_c r_c h_c)'   (Louis, JRSS B 44 (1982))
//
// where h_c is 1 in the weight of c. All readings have one more term: -w in the gradient and w w' - diag(w) in the
// Hessian of the weights.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include <fathom/core/distributions.hpp>
#include <fathom/core/field.hpp>

#include "fit/beam/em.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kWeights = 4, kLambda = 5, kBookCoordinates = 7, kCoordinates = 8;
static_assert(BeamParameters::fields().size() == kBookCoordinates &&
              BeamParameters::fields()[6].name == "hit_offset_m");  // in this order
using Score = Eigen::Vector<double, kCoordinates>;
using Hessian = Eigen::Matrix<double, kCoordinates, kCoordinates>;

Eigen::Vector4d weights_of(const BeamParameters& p) { return {p.w_hit, p.w_short, p.w_max, p.w_rand}; }

/// Sums over readings, without the term that all readings have.
struct CurvatureSums {
  Eigen::Matrix4d hits = Eigen::Matrix4d::Zero();    ///< r (h h' + H) over w_hit and the numbers of hits
  Eigen::Matrix3d shorts = Eigen::Matrix3d::Zero();  ///< the same over w_short and the numbers of shorts
  double rand = 0.0;                                 ///< of responsibilities
  Hessian products = Hessian::Zero();                ///< of gradients

  [[nodiscard]] Hessian hessian() const {
    constexpr std::array<int, 4> kHits = {0, 4, 6, 7};
    constexpr std::array<int, 3> kShorts = {1, 5, 6};
    Hessian sum = -products;
    sum(kHits, kHits) += hits;
    sum(kShorts, kShorts) += shorts;
    sum(3, 3) += rand;
    return sum;
  }
};

/// log p_hit is worked out over the centre c, the deviation sigma at c and nu, and then, by the chain rule, over the
/// coordinates. Gaussian hits are `grows` with sigma' = 0.
class ReadingCurvature {
 public:
  ReadingCurvature(const BeamParameters& parameters, const BeamSensor& sensor);

  /// The gradient of a reading without the common term. Adds its other sums. `missed`: nothing was expected within Z;
  /// expected_m is at most Z.
  Score add(double z_m, double expected_m, bool missed, CurvatureSums& sums) const;

 private:
  /// A log density as a function of three numbers, with its slopes and second derivatives.
  struct Jet {
    double value = 0.0;  ///< of components, the density with its weight
    Eigen::Vector3d slope = Eigen::Vector3d::Zero();
    Eigen::Matrix3d bend = Eigen::Matrix3d::Zero();
  };
  /// The log density of a law before it is cut, in deviations u from its centre, and its derivatives by u and nu.
  struct Law {
    double value, by_u, by_u2, by_nu = 0.0, by_nu2 = 0.0, by_both = 0.0;
  };
  [[nodiscard]] StudentTail student_tail(double x) const;
  [[nodiscard]] Law law_at(double u) const;
  void add_end(double x, double side, double sigma, Jet& mass) const;
  [[nodiscard]] Jet log_hit_of_law(double z, double center, double sigma) const;
  [[nodiscard]] Jet uncut_hit(double z, double center, double moves) const;
  [[nodiscard]] Jet hit(double z, double center, double moves) const;
  [[nodiscard]] Jet shorts(double z, double center, double moves) const;

  BeamParameters p_;
  BeamSensor sensor_;
  bool is_student_;
  double log_peak_ = 0.0, peak_slope_ = 0.0, peak_bend_ = 0.0;
  std::vector<StudentTail> tails_;  // at the edges of panels
};

constexpr int kCenter = 0, kSigma = 1, kNu = 2;  // over which log p_hit is worked out

/// Adds the derivatives of g(u, nu), where u is linear over c and inverse over sigma: `side` is the slope of sigma u
/// over c.
template <class Jet>
void add_by_chain(double by_u, double by_u2, double by_both, double u, double side, double sigma, Jet& to) {
  const Eigen::Vector3d slope = {side / sigma, -u / sigma, 0.0};
  to.slope += by_u * slope;
  to.bend += by_u2 * slope * slope.transpose();
  to.bend(kCenter, kSigma) -= by_u * side / (sigma * sigma);
  to.bend(kSigma, kSigma) += 2.0 * by_u * u / (sigma * sigma);
  to.bend.col(kNu) += by_both * slope;
}

ReadingCurvature::ReadingCurvature(const BeamParameters& parameters, const BeamSensor& sensor)
    : p_(parameters), sensor_(sensor), is_student_(parameters.tail.hit == HitLaw::kStudentT) {
  if (p_.tail.hit != HitLaw::kGrows) p_.tail.sigma_hit_per_m = 0.0;
  if (!is_student_) return;
  const double nu = p_.tail.nu_hit;
  const math::GammaStep gamma = math::gamma_step(0.5 * nu);
  log_peak_ = math::student_log_peak(nu), peak_slope_ = 0.5 * gamma.slope, peak_bend_ = 0.25 * gamma.bend;
  const StudentTails tails(nu);
  const std::size_t panels = panels_up_to(sensor.max_range_m / p_.sigma_hit_m);
  for (std::size_t k = 0; k <= panels + 1; ++k) tails_.push_back(tails.at(panel_at(k).low));
}

/// Lines between the edges of panels have errors up to 3e-5 of the tail.
StudentTail ReadingCurvature::student_tail(double x) const {
  const std::size_t panel = std::min<std::size_t>(tails_.size() - 2, panel_of(1.0 + x));
  const double part = part_of(1.0 + x);
  const StudentTail &a = tails_[panel], &b = tails_[panel + 1];
  return {a.value + part * (b.value - a.value), a.by_nu + part * (b.by_nu - a.by_nu),
          a.by_nu2 + part * (b.by_nu2 - a.by_nu2)};
}

ReadingCurvature::Law ReadingCurvature::law_at(double u) const {
  if (!is_student_) return {std::log(math::kInverseSqrtTwoPi) - 0.5 * u * u, -u, -1.0};
  const double nu = p_.tail.nu_hit, all = nu + u * u, v = u * u / all, log_u = math::log1p(u * u / nu);
  return {.value = log_peak_ - 0.5 * (nu + 1.0) * log_u,
          .by_u = -(nu + 1.0) * u / all,
          .by_u2 = -(nu + 1.0) * (nu - u * u) / (all * all),
          .by_nu = peak_slope_ - 0.5 * log_u + 0.5 * (nu + 1.0) / nu * v,
          .by_nu2 = peak_bend_ + 0.5 * v / nu - 0.5 * (v + (nu + 1.0) * v * (1.0 - v)) / (nu * nu),
          .by_both = -u / all + (nu + 1.0) * u / (all * all)};
}

/// Subtracts the mass beyond one end, x deviations from the centre; `side` is the slope of sigma x over c.
void ReadingCurvature::add_end(double x, double side, double sigma, Jet& mass) const {
  if (!is_student_ && x > kFarSigmas) return;
  const Law law = law_at(x);
  const double density = std::exp(law.value);
  const StudentTail tail = is_student_ ? student_tail(x) : StudentTail{0.5 * math::erfc(x * math::kSqrtHalf)};
  mass.value -= tail.value;
  add_by_chain(density, density * law.by_u, density * law.by_nu, x, side, sigma, mass);
  mass.slope[kNu] -= tail.by_nu;
  mass.bend(kNu, kNu) -= tail.by_nu2;
}

/// Over c, sigma and nu.
ReadingCurvature::Jet ReadingCurvature::log_hit_of_law(double z, double center, double sigma) const {
  const double u = (z - center) / sigma;
  const Law law = law_at(u);
  Jet mass, f;
  mass.value = 1.0;
  add_end(center / sigma, 1.0, sigma, mass);
  add_end((sensor_.max_range_m - center) / sigma, -1.0, sigma, mass);
  f.value = law.value - std::log(sigma * mass.value);
  add_by_chain(law.by_u, law.by_u2, law.by_both, u, -1.0, sigma, f);
  f.slope[kSigma] -= 1.0 / sigma;
  f.bend(kSigma, kSigma) += 1.0 / (sigma * sigma);
  f.slope[kNu] += law.by_nu;
  f.bend(kNu, kNu) += law.by_nu2;
  const Eigen::Vector3d share = mass.slope / mass.value;
  f.slope -= share;
  f.bend -= mass.bend / mass.value - share * share.transpose();
  f.bend = Eigen::Matrix3d(f.bend.selfadjointView<Eigen::Upper>());
  return f;
}

/// Gaussian hits that no end of [0, Z] cuts, over log sigma and the offset.
ReadingCurvature::Jet ReadingCurvature::uncut_hit(double z, double center, double moves) const {
  const double inverse = 1.0 / p_.sigma_hit_m, u = (z - center) * inverse, by_offset = moves * inverse;
  Jet f;
  f.value = p_.w_hit * math::kInverseSqrtTwoPi * inverse * std::exp(-0.5 * u * u);
  f.slope = {u * u - 1.0, u * by_offset, 0.0};
  f.bend(0, 0) = -2.0 * u * u;
  f.bend(0, 1) = f.bend(1, 0) = -2.0 * u * by_offset;
  f.bend(1, 1) = -by_offset * by_offset;
  return f;
}

/// Over log sigma_hit_m, the offset, and log nu or sigma'.
ReadingCurvature::Jet ReadingCurvature::hit(double z, double center, double moves) const {
  const double sigma_0 = p_.sigma_hit_m, growth = p_.tail.sigma_hit_per_m, nu = is_student_ ? p_.tail.nu_hit : 0.0;
  const double margin = std::min(center, sensor_.max_range_m - center);
  if (!p_.tail.is_extended() && margin > kFarSigmas * sigma_0) return uncut_hit(z, center, moves);
  const Jet f = log_hit_of_law(z, center, sigma_0 + growth * center);
  // [coordinate][c, sigma, nu]
  const Eigen::Matrix3d to{{0.0, sigma_0, 0.0}, {moves, moves * growth, 0.0}, {0.0, is_student_ ? 0.0 : center, nu}};
  Jet out = {p_.w_hit * std::exp(f.value), to * f.slope, to * f.bend * to.transpose()};
  out.bend(0, 0) += sigma_0 * f.slope[kSigma];
  out.bend(2, 2) += nu * f.slope[kNu];
  if (!is_student_) out.bend(1, 2) += moves * f.slope[kSigma], out.bend(2, 1) += moves * f.slope[kSigma];
  return out;
}

/// Over log lambda and the offset: log p = log x - log(1 - e^-x) - log c - lambda z, x = lambda c. With q = x / (e^x -
/// 1), lambda times the mean of shorts is 1 - q and lambda^2 times their variance is 1 - q (q + x).
ReadingCurvature::Jet ReadingCurvature::shorts(double z, double center, double moves) const {
  constexpr double kNearZero = 0.02;  // below, these formulas lose digits
  const double lambda = p_.lambda_short_per_m, x = std::max(lambda * center, 1e-12), decay = std::exp(-x);
  const double per_mass = 1.0 / (x < kNearZero ? -std::expm1(-x) : 1.0 - decay), per_center = 1.0 / center;
  const double q = x * decay * per_mass, inverse = moves * per_center;
  double mean = 1.0 - q, variance = 1.0 - q * (q + x);
  if (x < kNearZero) {
    const TruncatedExponential law = {lambda, center};
    mean = lambda * law.mean(), variance = lambda * lambda * law.variance();
  }
  Jet f;
  f.value = p_.w_short * x * per_mass * per_center * std::exp(-lambda * z);
  f.slope = {mean - lambda * z, -q * inverse, 0.0};
  f.bend(0, 0) = f.slope[0] - variance;
  f.bend(0, 1) = f.bend(1, 0) = q * (q + x - 1.0) * inverse;
  f.bend(1, 1) = q * (q + x) * inverse * inverse;
  return f;
}

Score ReadingCurvature::add(double z, double expected, bool missed, CurvatureSums& sums) const {
  const double limit = sensor_.max_range_m, floor = sensor_.expected_floor_m;
  const double wanted = missed ? limit : expected + p_.hit_offset_m, center = std::clamp(wanted, floor, limit);
  const double moves = !missed && wanted >= floor && wanted <= limit ? 1.0 : 0.0;
  const bool no_hits = missed && sensor_.miss == MissPolicy::kAtom;
  const Jet of_hit = no_hits ? Jet{} : hit(z, center, moves), of_short = z <= center ? shorts(z, center, moves) : Jet{};
  const double f_rand = p_.w_rand / limit, inverse = 1.0 / std::max(of_hit.value + of_short.value + f_rand, 1e-300);
  const double r_hit = of_hit.value * inverse, r_short = of_short.value * inverse, r_rand = f_rand * inverse;
  const Eigen::Vector4d h = {1.0, of_hit.slope[0], of_hit.slope[1], of_hit.slope[2]}, weighed_hit = r_hit * h;
  const Eigen::Vector3d s = {1.0, of_short.slope[0], of_short.slope[1]}, weighed_short = r_short * s;
  sums.hits += weighed_hit.lazyProduct(h.transpose());
  sums.hits.bottomRightCorner<3, 3>() += r_hit * of_hit.bend;
  sums.shorts += weighed_short.lazyProduct(s.transpose());
  sums.shorts.bottomRightCorner<2, 2>() += r_short * of_short.bend.topLeftCorner<2, 2>();
  sums.rand += r_rand;
  return {weighed_hit[0],
          weighed_short[0],
          0.0,
          r_rand,
          weighed_hit[1],
          weighed_short[1],
          weighed_hit[2] + weighed_short[2],
          weighed_hit[3]};
}

/// Coordinates of parameters that were learned and are at no limit. One weight, the largest, follows from the others.
std::vector<std::size_t> free_coordinates(const BeamFit& fit, const MStep& last) {
  const Eigen::Vector4d w = weights_of(fit.model);
  const auto largest = static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin());
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    if (k == largest || fit.parameters[k].status != Fit::Status::kUnidentified) continue;
    const bool has_data = k < kWeights   ? true
                          : k == kLambda ? !last.no_shorts && fit.model.w_short > kWeightBoundary
                                         : !last.no_hits;
    if (has_data) free.push_back(k);
  }
  return free;
}

/// Slopes of the parameters by the coordinates: dw_c / d eta_k = w_c (1{c=k} - w_k).
Eigen::MatrixXd slope_of_parameters(const BeamParameters& p) {
  const Eigen::Vector4d w = weights_of(p);
  const double of_tail = p.tail.hit == HitLaw::kStudentT ? p.tail.nu_hit : 1.0;
  Eigen::MatrixXd slope = Score{0, 0, 0, 0, p.sigma_hit_m, p.lambda_short_per_m, 1.0, of_tail}.asDiagonal();
  slope.topLeftCorner<kWeights, kWeights>() = Eigen::Matrix4d(w.asDiagonal()) - w * w.transpose();
  return slope;
}

/// Whether a weight is known much worse than by counting readings of known origin. Only then does a correlation of two
/// weights say that the data cannot tell them apart: as they sum to 1, it is -1 where there are but two, and near it
/// where the others are small.
bool is_ill_known(double variance, double weight, std::size_t pairs) {
  constexpr double kMostVariance = 4.0;
  return variance > kMostVariance * weight * (1.0 - weight) / static_cast<double>(pairs);
}

/// Sums over pairs.
struct Derivatives {
  std::uint64_t first_block = 0;
  Eigen::Matrix<double, Eigen::Dynamic, kCoordinates> scores;  ///< [blocks from the first on]
  Hessian hessian = Hessian::Zero();

  Derivatives() = default;
  Derivatives(std::uint64_t first, std::uint64_t last) : first_block(first) {
    scores.setZero(static_cast<Eigen::Index>(last - first + 1), kCoordinates);
  }
  auto score_of(std::uint64_t block) { return scores.row(static_cast<Eigen::Index>(block - first_block)); }
  void add(const Derivatives& o) {
    scores.middleRows(static_cast<Eigen::Index>(o.first_block - first_block), o.scores.rows()) += o.scores;
    hessian += o.hessian;
  }
  /// The term that all pairs have. The gradients of a pair by the weights sum to 1 before.
  void add_common_term(const Eigen::Vector4d& w) {
    const Eigen::VectorXd pairs = scores.leftCols<kWeights>().rowwise().sum();
    scores.leftCols<kWeights>() -= pairs * w.transpose();
    hessian.topLeftCorner<kWeights, kWeights>() += pairs.sum() * (w * w.transpose() - Eigen::Matrix4d(w.asDiagonal()));
  }
};

Derivatives sum_up(const RangeReadings& readings, std::size_t begin, std::size_t end, bool missed,
                   const ReadingCurvature& curvature, const TrajectoryBlocks& blocks) {
  constexpr std::size_t kAtOnce = 128;  // the matrix product of their gradients is fast
  const std::uint32_t* cluster = readings.cluster.data();
  const auto [least, most] = std::minmax_element(cluster + begin, cluster + end);
  Derivatives of_all(blocks.of_scan(*least), blocks.of_scan(*most));
  CurvatureSums sums;
  Eigen::Matrix<double, kCoordinates, kAtOnce> scores;
  for (std::size_t first = begin; first < end; first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, end - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = first + k;
      scores.col(k) = curvature.add(readings.z_m[i], readings.expected_m[i], missed, sums);
      of_all.score_of(blocks.of_scan(cluster[i])) += scores.col(k).transpose();
    }
    sums.products.noalias() += scores.leftCols(count) * scores.leftCols(count).transpose();
  }
  of_all.hessian = sums.hessian();
  return of_all;
}

/// "Max" readings: only the point mass explains them, except hits that the atom policy moved there.
void add_max(const Evidence& evidence, const BeamParameters& p, MissPolicy miss, const TrajectoryBlocks& blocks,
             Derivatives& sums) {
  const double both = p.w_hit + p.w_max;
  const double shared = miss == MissPolicy::kAtom && both > 0.0 ? p.w_hit / both : 0.0;
  for (std::size_t scan = 0; scan < evidence.clusters(); ++scan) {
    const double expected = evidence.max_expected[scan], missed = evidence.max_missed[scan];
    auto score = sums.score_of(blocks.of_scan(scan));
    score[0] += shared * missed;
    score[2] += expected + (1.0 - shared) * missed;
  }
  const Score apart = Score::Unit(0) - Score::Unit(2);
  sums.hessian += shared * (1.0 - shared) * evidence.max_missed_total * apart * apart.transpose();
}

/// Chunks of readings are the same for any number of threads.
Derivatives find_derivatives(const Evidence& evidence, const BeamParameters& p, const BeamSensor& sensor,
                             const TrajectoryBlocks& blocks, Executor& executor) {
  constexpr std::size_t kReadingsOfChunk = 16384;
  const ReadingCurvature curvature(p, sensor);
  Derivatives sums(0, blocks.count - 1);
  for (const bool missed : {true, false}) {
    const RangeReadings& readings = missed ? evidence.missed : evidence.seen;
    std::vector<Derivatives> chunks((readings.size() + kReadingsOfChunk - 1) / kReadingsOfChunk);
    executor.parallel_for(chunks.size(), 1, [&](std::size_t chunk, std::size_t) {
      const std::size_t begin = chunk * kReadingsOfChunk, end = std::min(readings.size(), begin + kReadingsOfChunk);
      chunks[chunk] = sum_up(readings, begin, end, missed, curvature, blocks);
    });
    for (const Derivatives& chunk : chunks) sums.add(chunk);
  }
  add_max(evidence, p, sensor.miss, blocks, sums);
  sums.add_common_term(weights_of(p));
  return sums;
}

/// Notes pairs of learned parameters with a correlation near 1 or -1.
void flag_unidentified(const Eigen::MatrixXd& covariance, BeamFit& fit) {
  constexpr double kMostCorrelation = 0.98;
  const auto may_be_one_of_a_pair = [&](std::size_t k) {
    const Fit::Parameter& p = fit.parameters[k];
    if (p.status == Fit::Status::kFixed || p.status == Fit::Status::kAtLimit) return false;
    return k >= kWeights || is_ill_known(covariance(k, k), p.value, fit.readings);
  };
  for (std::size_t j = 0; j < fit.parameters.size(); ++j) {
    for (std::size_t k = j + 1; k < fit.parameters.size(); ++k) {
      const double correlation = covariance(j, k) / std::sqrt(covariance(j, j) * covariance(k, k));
      if (!(std::abs(correlation) > kMostCorrelation && may_be_one_of_a_pair(j) && may_be_one_of_a_pair(k))) continue;
      fit.note("correlated", fmt::format("{} and {} are nearly unidentified: their correlation is {:.4f}",
                                         fit.parameters[j].name, fit.parameters[k].name, correlation));
    }
  }
}

}  // namespace

void add_beam_errors(const Evidence& evidence, const BeamSensor& sensor, std::span<const Interval> limits,
                     const MStep& last, const FitOptions& options, Executor& executor, BeamFit& fit) {
  const TrajectoryBlocks blocks(evidence.clusters(), options.stretches, options.stretch_of_scan);
  const Derivatives derivatives = find_derivatives(evidence, fit.model, sensor, blocks, executor);
  const Curvature curvature = {.information = -derivatives.hessian,
                               .scores = derivatives.scores,
                               .slope = slope_of_parameters(fit.model).topRows(fit.parameters.size()),
                               .free = free_coordinates(fit, last)};
  auto covariance = add_std_errors(curvature, blocks, limits, fit);
  // Fewer clusters than coordinates leave the outer product singular.
  if (!covariance && fit.blocks > 2 * fit.parameters.size()) {
    const BartlettWeights weights(blocks.count, options.stretches > 0);
    const auto of_scores = inverse_of(outer_product(derivatives.scores, weights), curvature.free, 0.0);
    if (of_scores) covariance = curvature.slope * *of_scores * curvature.slope.transpose();
  }
  if (covariance) flag_unidentified(*covariance, fit);
}

}  // namespace fathom
