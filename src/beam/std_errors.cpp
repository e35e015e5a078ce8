// SPDX-License-Identifier: MIT
// Standard errors from the score of each pair (BeamDensity's parameters in coordinates where the score is simple):
//
//   weights, as shares of a softmax   r_c - w_c               sigma, as log sigma    r_h (d^2 - m2) / sigma^2
//   lambda, as log lambda             r_s lambda (m1 - z)
//   offset                            r_h (d - E[d]) / sigma^2 - r_s lambda / (e^{lambda z*} - 1)
//
// where hits are Gaussian; else ReadingCurvature has it, with log nu or sigma' as one coordinate more.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include <fathom/base/field.hpp>
#include <fathom/math/distributions.hpp>

#include "beam/em.hpp"
#include "beam/learning.hpp"

namespace fathom {

namespace {

// First and second derivatives of the log density of a range reading, in coordinates where they are simple: the
// weights, as shares of a softmax, log sigma, log lambda, the offset, and log nu or sigma' of an extended law of hits.
//
// With responsibilities r_c and h_c the gradient of log(w_c p_c) without the weights' common term, the gradient of a
// log density is sum_c r_c h_c and its Hessian
//
//   Cov_r(h) + sum_c r_c H_c,   H_c the Hessian of log p_c   (Louis, JRSS B 44 (1982))
//
// log p_hit is worked out over the centre c, the deviation sigma at c and nu, and then, by the chain rule, over the
// coordinates. Gaussian hits are `grows` with sigma' = 0.

constexpr std::size_t kWeights = 4, kBookCoordinates = 7, kCoordinates = 8;
static_assert(BeamParameters::fields().size() == kBookCoordinates &&
              BeamParameters::fields()[6].name == "hit_offset_m");  // in this order
using Score = Eigen::Vector<double, kCoordinates>;
using Hessian = Eigen::Matrix<double, kCoordinates, kCoordinates>;

Eigen::Vector4d weights_of(const BeamParameters& p) { return {p.w_hit, p.w_short, p.w_max, p.w_rand}; }

/// The term that all components have of the weights: -w of a score and w w' - diag(w) of second derivatives.
void add_common_term(const BeamParameters& p, double pairs, Score& score, Hessian& hessian) {
  const Eigen::Vector4d w = weights_of(p);
  score.head<kWeights>() -= pairs * w;
  hessian.topLeftCorner<kWeights, kWeights>() += pairs * w * w.transpose();
  hessian.diagonal().head<kWeights>() -= pairs * w;
}

class ReadingCurvature {
 public:
  ReadingCurvature(const BeamParameters& parameters, const BeamSensor& sensor);

  /// The score of a reading; its second derivatives are added. `missed`: nothing was expected within Z; expected_m is
  /// at most Z.
  Score add(double z_m, double expected_m, bool missed, Hessian& hessian) const;

 private:
  /// A function of three numbers, with its slopes and second derivatives.
  struct Jet {
    double value = 0.0;
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
  [[nodiscard]] Jet log_hit(double z, double center, bool moved) const;
  [[nodiscard]] Jet log_short(double z, double center, bool moved) const;

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
  for (std::size_t k = 0; k <= panels + 1; ++k) tails_.push_back(tails.at(panel_edge(k)));
}

/// Lines between the edges of panels are right to 3e-5 of the tail.
StudentTail ReadingCurvature::student_tail(double x) const {
  constexpr auto kPerOctave = static_cast<double>(kPanelsPerOctave);
  int octave = 0;
  const double place = (2.0 * std::frexp(1.0 + x, &octave) + octave - 2.0) * kPerOctave;
  const auto panel = std::min(tails_.size() - 2, static_cast<std::size_t>(place));
  const double part = place - std::floor(place);
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

/// Takes from the mass what lies beyond one end, x deviations from the centre; `side` is the slope of sigma x over c.
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

/// Over log sigma_hit_m, the offset, and log nu or sigma'.
ReadingCurvature::Jet ReadingCurvature::log_hit(double z, double center, bool moved) const {
  const double sigma_0 = p_.sigma_hit_m, growth = p_.tail.sigma_hit_per_m, nu = is_student_ ? p_.tail.nu_hit : 0.0;
  const Jet f = log_hit_of_law(z, center, sigma_0 + growth * center);
  const double moves = moved ? 1.0 : 0.0;
  // [coordinate][c, sigma, nu]
  const Eigen::Matrix3d to{{0.0, sigma_0, 0.0}, {moves, moves * growth, 0.0}, {0.0, is_student_ ? 0.0 : center, nu}};
  Jet out = {f.value, to * f.slope, to * f.bend * to.transpose()};
  out.bend(0, 0) += sigma_0 * f.slope[kSigma];
  out.bend(2, 2) += nu * f.slope[kNu];
  if (!is_student_) out.bend(1, 2) += moves * f.slope[kSigma], out.bend(2, 1) += moves * f.slope[kSigma];
  return out;
}

/// Over log lambda and the offset: log p = log x - log(1 - e^-x) - log c - lambda z, x = lambda c.
ReadingCurvature::Jet ReadingCurvature::log_short(double z, double center, bool moved) const {
  const double lambda = p_.lambda_short_per_m, x = std::max(lambda * center, 1e-12), below = -math::expm1(-x);
  const TruncatedExponential law = {lambda, center};
  const double q = x * (1.0 - below) / below, inverse = moved ? 1.0 / center : 0.0;
  Jet f;
  f.value = std::log(x / (below * center)) - lambda * z;
  f.slope = {lambda * (law.mean() - z), -q * inverse, 0.0};
  f.bend(0, 0) = f.slope[0] - lambda * lambda * law.variance();
  f.bend(0, 1) = f.bend(1, 0) = q * (q + x - 1.0) * inverse;
  f.bend(1, 1) = q * (q + x) * inverse * inverse;
  return f;
}

Score ReadingCurvature::add(double z, double expected, bool missed, Hessian& hessian) const {
  constexpr std::array<int, 3> kHitPlaces = {4, 6, 7}, kShortPlaces = {5, 6, 7};  // of jets among the coordinates
  const double limit = sensor_.max_range_m, floor = sensor_.expected_floor_m;
  const double wanted = missed ? limit : expected + p_.hit_offset_m, center = std::clamp(wanted, floor, limit);
  const bool moved = !missed && wanted >= floor && wanted <= limit, may_be_short = z <= center;
  const bool no_hits = missed && sensor_.miss == MissPolicy::kAtom;
  const Jet hit = log_hit(z, center, moved), shorts = may_be_short ? log_short(z, center, moved) : Jet{};
  const double f_hit = no_hits ? 0.0 : p_.w_hit * std::exp(hit.value);
  const double f_short = may_be_short ? p_.w_short * std::exp(shorts.value) : 0.0, f_rand = p_.w_rand / limit;
  const double f = std::max(f_hit + f_short + f_rand, 1e-300);
  const double r_hit = f_hit / f, r_short = f_short / f, r_rand = f_rand / f;
  Score of_hit = Score::Unit(0), of_short = Score::Unit(1);
  of_hit(kHitPlaces) = hit.slope;
  of_short(kShortPlaces) = shorts.slope;
  const Score weighed_hit = r_hit * of_hit, weighed_short = r_short * of_short;
  Score score = weighed_hit + weighed_short + r_rand * Score::Unit(3);
  hessian += weighed_hit.lazyProduct(of_hit.transpose()) + weighed_short.lazyProduct(of_short.transpose()) -
             score.lazyProduct(score.transpose());
  hessian(3, 3) += r_rand;
  hessian(kHitPlaces, kHitPlaces) += r_hit * hit.bend;
  hessian(kShortPlaces, kShortPlaces) += r_short * shorts.bend;
  add_common_term(p_, 1.0, score, hessian);
  return score;
}

/// Coordinates that are learned and inside their limits. One weight, the largest, follows from the others.
std::vector<std::size_t> free_coordinates(const BeamParameters& p, const Maximum& last, bool offset_fitted) {
  const Eigen::Vector4d w = weights_of(p);
  const auto largest = static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin());
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < kWeights; ++k) {
    if (k != largest && w[k] > kWeightBoundary) free.push_back(k);
  }
  if (!last.no_hits && !last.sigma_at_floor && !last.sigma_at_top) free.push_back(4);
  if (!last.no_shorts && !last.lambda_at_zero && p.w_short > kWeightBoundary) free.push_back(5);
  if (!last.no_hits && offset_fitted) free.push_back(6);
  if (!last.no_hits && p.tail.is_extended() && !last.tail_at_low && !last.tail_at_high) free.push_back(7);
  return free;
}

/// Parameters that have a standard error: the free ones, and every weight above 0, as the largest follows from the
/// others.
std::vector<std::size_t> with_error(const BeamParameters& p, std::vector<std::size_t> free) {
  const bool are_weights_free = !free.empty() && free.front() < kWeights;
  std::erase_if(free, [](std::size_t k) { return k < kWeights; });
  for (std::size_t k = kWeights; k-- > 0;) {
    if (are_weights_free && weights_of(p)[k] > kWeightBoundary) free.insert(free.begin(), k);
  }
  return free;
}

/// Slope of the parameters by the coordinates: dw_c / d eta_k = w_c (1{c=k} - w_k).
Eigen::MatrixXd slope_of_parameters(const BeamParameters& p) {
  const Eigen::Vector4d w = weights_of(p);
  const double of_tail = p.tail.hit == HitLaw::kStudentT ? p.tail.nu_hit : 1.0;
  Eigen::MatrixXd slope = Score{0, 0, 0, 0, p.sigma_hit_m, p.lambda_short_per_m, 1.0, of_tail}.asDiagonal();
  slope.topLeftCorner<kWeights, kWeights>() = Eigen::Matrix4d(w.asDiagonal()) - w * w.transpose();
  return slope;
}

template <class Model>
FitParameter parameter_of(const Field<Model>& field, const Model& in) {
  return {.name = std::string(field.name),
          .unit = std::string(field.unit),
          .value = in.*member_of<double>(field),
          .status = ParameterStatus::kUnidentified,
          .doc = std::string(field.doc)};
}

/// Of the parameters of coordinates.
std::vector<Interval> limits_of(const HitTail& tail) {
  std::vector<Interval> all;
  for (const auto& f : BeamParameters::fields()) all.push_back({f.low, f.high});
  if (tail.is_extended()) all.push_back({HitTail::field_of(tail.hit).low, HitTail::field_of(tail.hit).high});
  return all;
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
};

Derivatives sum_up(const RangeReadings& readings, std::size_t begin, std::size_t end, bool missed,
                   const ReadingCurvature& curvature, const TrajectoryBlocks& blocks) {
  const std::uint32_t* cluster = readings.cluster.data();
  const auto [least, most] = std::minmax_element(cluster + begin, cluster + end);
  Derivatives sums(blocks.of_scan(*least), blocks.of_scan(*most));
  for (std::size_t i = begin; i < end; ++i) {
    sums.score_of(blocks.of_scan(cluster[i])) +=
        curvature.add(readings.z_m[i], readings.expected_m[i], missed, sums.hessian).transpose();
  }
  return sums;
}

/// "Max" readings: the point mass explains them alone, except hits that the atom policy moved there.
void add_max(const Evidence& evidence, const BeamParameters& p, MissPolicy miss, const TrajectoryBlocks& blocks,
             Derivatives& sums) {
  const double both = p.w_hit + p.w_max;
  const double shared = miss == MissPolicy::kAtom && both > 0.0 ? p.w_hit / both : 0.0;
  for (std::size_t scan = 0; scan < evidence.clusters(); ++scan) {
    const double expected = evidence.max_expected[scan], missed = evidence.max_missed[scan];
    Score score = Score::Zero();
    score[0] = shared * missed;
    score[2] = expected + (1.0 - shared) * missed;
    add_common_term(p, expected + missed, score, sums.hessian);
    sums.score_of(blocks.of_scan(scan)) += score.transpose();
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
  return sums;
}

/// Not so where learning ended short of a maximum: there the information can be negative in some direction.
bool are_variances(const Eigen::MatrixXd& covariance, const std::vector<std::size_t>& known) {
  return std::all_of(known.begin(), known.end(), [&](std::size_t k) { return covariance(k, k) > 0.0; });
}

void flag_unidentified(const Eigen::MatrixXd& covariance, const std::vector<std::size_t>& known, BeamFit& fit) {
  constexpr double kMostCorrelation = 0.98;
  const auto may_be_one_of_a_pair = [&](std::size_t k) {
    return k >= kWeights || is_ill_known(covariance(k, k), fit.parameters[k].value, fit.readings);
  };
  for (const std::size_t j : known) {
    for (const std::size_t k : known) {
      const double correlation = covariance(j, k) / std::sqrt(covariance(j, j) * covariance(k, k));
      if (j < k && std::abs(correlation) > kMostCorrelation && may_be_one_of_a_pair(j) && may_be_one_of_a_pair(k)) {
        fit.note("correlated", fmt::format("{} and {} are nearly unidentified: their correlation is {:.4f}",
                                           fit.parameters[j].name, fit.parameters[k].name, correlation));
      }
    }
  }
}

void add_errors(const ParameterErrors& errors, const std::vector<std::size_t>& known, BeamFit& fit) {
  const std::vector<Interval> limits = limits_of(fit.model.tail);
  for (const std::size_t k : known) {
    FitParameter& p = fit.parameters[k];
    const Interval interval = interval_about(p.value, errors.half_width[k], limits[k]);
    p.naive_error = errors.naive[k], p.std_error = errors.error[k];
    p.low_95 = interval.low, p.high_95 = interval.high, p.status = ParameterStatus::kLearned;
  }
}

}  // namespace

std::vector<FitParameter> parameters_of(const BeamParameters& model, bool is_offset_learned) {
  std::vector<FitParameter> all;
  for (const auto& field : BeamParameters::fields()) {
    FitParameter& p = all.emplace_back(parameter_of(field, model));
    const auto member = member_of<double>(field);
    if (member == &BeamParameters::hit_offset_m && !is_offset_learned) p.status = ParameterStatus::kFixed;
    if (member != &BeamParameters::sigma_hit_m) continue;
    if (model.tail.hit == HitLaw::kStudentT) p.doc = "scale of hits";
    if (model.tail.hit == HitLaw::kGrows) p.doc = "standard deviation of hits at range 0";
  }
  if (model.tail.is_extended()) all.push_back(parameter_of(HitTail::field_of(model.tail.hit), model.tail));
  return all;
}

ParameterErrors errors_by_blocks(const Eigen::VectorXd& naive_variances, const Eigen::MatrixXd& moved,
                                 const TrajectoryBlocks& blocks, std::size_t stretches, bool is_learned, Fit& fit) {
  ParameterErrors errors = parameter_errors(naive_variances, {moved}, BartlettWeights(blocks.count, stretches > 0));
  if (blocks.count < 2) {
    fit.note("one_block", one_block_flag("rays"));
    errors.error.setConstant(kNoNumber), errors.half_width.setConstant(kNoNumber);
    return errors;
  }
  const std::string few = few_blocks_flag(blocks.count, stretches, !blocks.given.empty());
  if (is_learned && !few.empty()) fit.note("few_blocks", few);
  return errors;
}

void add_std_errors(const Evidence& evidence, const BeamSensor& sensor, const Maximum& last, const FitOptions& options,
                    Executor& executor, BeamFit& fit) {
  const BeamParameters& p = fit.model;
  const std::vector<std::size_t> free = free_coordinates(p, last, options.fit_hit_offset), known = with_error(p, free);
  const TrajectoryBlocks blocks(evidence.clusters(), options.stretches, options.stretch_of_scan);
  fit.blocks = blocks.count, fit.block = block_word(options.stretches);
  const Derivatives derivatives = find_derivatives(evidence, p, sensor, blocks, executor);
  const Eigen::MatrixXd slope = slope_of_parameters(p);
  const auto inverse = inverse_of(-derivatives.hessian, free, 0.0);
  const Eigen::MatrixXd naive = inverse ? Eigen::MatrixXd(slope * *inverse * slope.transpose()) : slope;
  if (!inverse || !are_variances(naive, known)) {
    fit.note("no_maximum", kNoClearMaximum);
    // Fewer clusters than coordinates leave the outer product singular.
    if (!(fit.blocks > 2 * fit.parameters.size())) return;
    const BartlettWeights weights(blocks.count, options.stretches > 0);
    if (const auto of_scores = inverse_of(outer_product(derivatives.scores, weights), free, 0.0)) {
      flag_unidentified(slope * *of_scores * slope.transpose(), known, fit);
    }
    return;
  }
  flag_unidentified(naive, known, fit);
  const ParameterErrors errors = errors_by_blocks(naive.diagonal(), derivatives.scores * *inverse * slope.transpose(),
                                                  blocks, options.stretches, !known.empty(), fit);
  add_errors(errors, known, fit);
}

}  // namespace fathom
