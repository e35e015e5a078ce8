// SPDX-License-Identifier: MIT
// With responsibilities r_c and h_c the gradient of log(w_c p_c) without the weights' common term, the gradient of a
// log density is sum_c r_c h_c and its Hessian
//
//   Cov_r(h) + sum_c r_c H_c,   H_c the Hessian of log p_c   (Louis, JRSS B 44 (1982))
//
// log p_hit is worked out over the centre c, the deviation sigma at c and nu, and then, by the chain rule, over the
// coordinates. Gaussian hits are `grows` with sigma' = 0.
#include "beam/curvature.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fathom/math/distributions.hpp>

namespace fathom {

namespace {

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

}  // namespace

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

void add_common_term(const BeamParameters& p, double pairs, Score& score, Hessian& hessian) {
  const Eigen::Vector4d w = weights_of(p);
  score.head<kWeights>() -= pairs * w;
  hessian.topLeftCorner<kWeights, kWeights>() += pairs * w * w.transpose();
  hessian.diagonal().head<kWeights>() -= pairs * w;
}

}  // namespace fathom
