// SPDX-License-Identifier: MIT
// log p_hit is worked out over the centre c, the deviation sigma at c and nu, and then, by the chain rule, over the
// coordinates: log sigma_hit_m, the offset, and log nu or sigma'.

#include "beam/tail_curvature.hpp"

#include <algorithm>
#include <cmath>

#include <fathom/math/student.hpp>

namespace fathom {

namespace {

constexpr std::size_t kCenter = 0, kSigma = 1, kNu = 2;  // over which log p_hit is worked out
constexpr int kPerOctave = 64;                           // of 1 + x: lines between are right to 3e-5 of the tail

}  // namespace

TailCurvature::TailCurvature(const BeamParameters& parameters, const BeamSensor& sensor)
    : p_(parameters), sensor_(sensor), is_student_(parameters.tail.hit == HitLaw::kStudentT) {
  if (!is_student_) return;
  constexpr double kStep = 1e-3;  // of nu
  const double nu = p_.tail.nu_hit, step = kStep * nu;
  const math::GammaStep gamma = math::gamma_step(0.5 * nu);
  log_peak_ = math::student_log_peak(nu), peak_slope_ = 0.5 * gamma.slope, peak_bend_ = 0.25 * gamma.bend;
  const double low_peak = math::student_log_peak(nu - step), high_peak = math::student_log_peak(nu + step);
  const int octaves = std::ilogb(1.0 + sensor.max_range_m / p_.sigma_hit_m) + 1;
  for (int k = 0; k <= octaves * kPerOctave + 1; ++k) {
    const double x = std::ldexp(1.0 + static_cast<double>(k % kPerOctave) / kPerOctave, k / kPerOctave) - 1.0;
    const double low = math::student_mass(x, nu - step, low_peak).beyond;
    const double middle = math::student_mass(x, nu, log_peak_).beyond;
    const double high = math::student_mass(x, nu + step, high_peak).beyond;
    tails_.push_back({middle, (high - low) / (2.0 * step), (high - 2.0 * middle + low) / (step * step)});
  }
}

TailCurvature::Tail TailCurvature::student_tail(double x) const {
  int octave = 0;
  const double mantissa = 2.0 * std::frexp(1.0 + x, &octave) - 1.0, place = mantissa * kPerOctave;
  const auto panel = std::min(tails_.size() - 2,
                              static_cast<std::size_t>((octave - 1) * kPerOctave) + static_cast<std::size_t>(place));
  const double part = place - std::floor(place);
  const Tail &a = tails_[panel], &b = tails_[panel + 1];
  return {a.value + part * (b.value - a.value), a.by_nu + part * (b.by_nu - a.by_nu),
          a.by_nu2 + part * (b.by_nu2 - a.by_nu2)};
}

/// Of the law before it is cut, at u = (z - c) / sigma, whose derivatives by sigma carry -1 / sigma: the caller scales.
void TailCurvature::add_law(double u, Jet& jet) const {
  if (!is_student_) {
    jet.value += std::log(math::kInverseSqrtTwoPi) - 0.5 * u * u;
    jet.slope[kCenter] = -u, jet.bend[kCenter][kCenter] = -1.0;
    return;
  }
  const double nu = p_.tail.nu_hit, all = nu + u * u, v = u * u / all, log_u = math::log1p(u * u / nu);
  jet.value += log_peak_ - 0.5 * (nu + 1.0) * log_u;
  jet.slope[kCenter] = -(nu + 1.0) * u / all;
  jet.bend[kCenter][kCenter] = -(nu + 1.0) * (nu - u * u) / (all * all);
  jet.slope[kNu] = peak_slope_ - 0.5 * log_u + 0.5 * (nu + 1.0) / nu * v;
  jet.bend[kNu][kNu] = peak_bend_ + 0.5 * v / nu - 0.5 * (v + (nu + 1.0) * v * (1.0 - v)) / (nu * nu);
  jet.bend[kCenter][kNu] = jet.bend[kNu][kCenter] = -u / all + (nu + 1.0) * u / (all * all);
}

/// Takes from the mass what lies beyond one end, x deviations from the centre; `side` is the slope of sigma x over c.
void TailCurvature::add_end(double x, double side, double sigma, Jet& mass) const {
  Jet law;
  add_law(x, law);
  const double density = std::exp(law.value), fall = -density * law.slope[kCenter];  // Q' = -density, Q'' = fall
  const Tail tail = is_student_ ? student_tail(x) : Tail{0.5 * math::erfc(x * math::kSqrtHalf), 0.0, 0.0};
  const double x_c = side / sigma, x_s = -x / sigma, x_cs = -side / (sigma * sigma), x_ss = 2.0 * x / (sigma * sigma);
  mass.value -= tail.value;
  mass.slope[kCenter] += density * x_c, mass.slope[kSigma] += density * x_s, mass.slope[kNu] -= tail.by_nu;
  mass.bend[kCenter][kCenter] -= fall * x_c * x_c;
  mass.bend[kCenter][kSigma] -= fall * x_c * x_s - density * x_cs;
  mass.bend[kSigma][kSigma] -= fall * x_s * x_s - density * x_ss;
  mass.bend[kCenter][kNu] += density * law.slope[kNu] * x_c;
  mass.bend[kSigma][kNu] += density * law.slope[kNu] * x_s;
  mass.bend[kNu][kNu] -= tail.by_nu2;
}

/// Over log sigma_hit_m, the offset, and log nu or sigma'.
TailCurvature::Jet TailCurvature::log_hit(double z, double center, bool moved) const {
  const double sigma_0 = p_.sigma_hit_m, growth = is_student_ ? 0.0 : p_.tail.sigma_hit_per_m;
  const double sigma = sigma_0 + growth * center, limit = sensor_.max_range_m, u = (z - center) / sigma;
  Jet law, mass;
  add_law(u, law);
  mass.value = 1.0;
  add_end(center / sigma, 1.0, sigma, mass);
  add_end((limit - center) / sigma, -1.0, sigma, mass);
  const double u_c = -1.0 / sigma, u_s = -u / sigma, l_u = law.slope[kCenter], l_uu = law.bend[kCenter][kCenter];
  const double square = sigma * sigma;
  Jet f;  // over c, sigma and nu
  f.value = law.value - std::log(sigma) - std::log(mass.value);
  f.slope = {l_u * u_c, l_u * u_s - 1.0 / sigma, law.slope[kNu]};
  f.bend[kCenter][kCenter] = l_uu * u_c * u_c;
  f.bend[kCenter][kSigma] = l_uu * u_c * u_s + l_u / square;
  f.bend[kSigma][kSigma] = l_uu * u_s * u_s + 2.0 * l_u * u / square + 1.0 / square;
  f.bend[kCenter][kNu] = law.bend[kCenter][kNu] * u_c;
  f.bend[kSigma][kNu] = law.bend[kCenter][kNu] * u_s;
  f.bend[kNu][kNu] = law.bend[kNu][kNu];
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = i; k < 3; ++k) {
      f.bend[i][k] -= mass.bend[i][k] / mass.value - mass.slope[i] * mass.slope[k] / (mass.value * mass.value);
      f.bend[k][i] = f.bend[i][k];
    }
    f.slope[i] -= mass.slope[i] / mass.value;
  }
  const double nu = p_.tail.nu_hit, moves = moved ? 1.0 : 0.0;
  // [coordinate][c, sigma, nu]
  const Square to = {
      {{0.0, sigma_0, 0.0}, {moves, moves * growth, 0.0}, {0.0, is_student_ ? 0.0 : center, is_student_ ? nu : 0.0}}};
  Jet out;
  out.value = f.value;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t a = 0; a < 3; ++a) out.slope[i] += to[i][a] * f.slope[a];
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) out.bend[i][k] += to[i][a] * f.bend[a][b] * to[k][b];
      }
    }
  }
  out.bend[0][0] += sigma_0 * f.slope[kSigma];
  if (is_student_) {
    out.bend[2][2] += nu * f.slope[kNu];
  } else {
    out.bend[1][2] += moves * f.slope[kSigma], out.bend[2][1] += moves * f.slope[kSigma];
  }
  return out;
}

/// Over log lambda and the offset: log p = log x - log(1 - e^-x) - log c - lambda z, x = lambda c.
TailCurvature::Jet TailCurvature::log_short(double z, double center, bool moved) const {
  const double lambda = p_.lambda_short_per_m, x = std::max(lambda * center, 1e-12), below = -math::expm1(-x);
  const TruncatedExponential law = {lambda, center};
  const double q = x * (1.0 - below) / below, inverse = moved ? 1.0 / center : 0.0;
  Jet f;
  f.value = std::log(x / (below * center)) - lambda * z;
  f.slope = {lambda * (law.mean() - z), -q * inverse, 0.0};
  f.bend[0][0] = f.slope[0] - lambda * lambda * law.variance();
  f.bend[0][1] = f.bend[1][0] = q * (q + x - 1.0) * inverse;
  f.bend[1][1] = q * (q + x) * inverse * inverse;
  return f;
}

TailScore TailCurvature::add(double z, double expected, bool missed, std::array<double, kTailProducts>& hessian) const {
  const double limit = sensor_.max_range_m, floor = sensor_.expected_floor_m;
  const double wanted = missed ? limit : expected + p_.hit_offset_m, center = std::clamp(wanted, floor, limit);
  const bool moved = !missed && wanted >= floor && wanted <= limit;
  const bool no_hits = missed && sensor_.miss == MissPolicy::kAtom;
  const Jet hit = log_hit(z, center, moved), shorts = log_short(z, center, moved);
  const double f_hit = no_hits ? 0.0 : p_.w_hit * std::exp(hit.value);
  const double f_short = z <= center ? p_.w_short * std::exp(shorts.value) : 0.0, f_rand = p_.w_rand / limit;
  const double f = std::max(f_hit + f_short + f_rand, 1e-300);
  const double r_hit = f_hit / f, r_short = f_short / f, r_rand = f_rand / f;
  const TailScore of_hit = {1.0, 0.0, 0.0, hit.slope[0], 0.0, hit.slope[1], hit.slope[2]};
  const TailScore of_short = {0.0, 1.0, 0.0, 0.0, shorts.slope[0], shorts.slope[1], 0.0};
  TailScore score;
  for (std::size_t k = 0; k < kTailScores; ++k) score[k] = r_hit * of_hit[k] + r_short * of_short[k];
  score[2] += r_rand;
  // Where the second derivatives of the components stand among the coordinates.
  std::array<std::array<double, kTailScores>, kTailScores> bend = {};
  constexpr std::array<std::size_t, 3> kHitPlaces = {3, 5, 6};
  constexpr std::array<std::size_t, 2> kShortPlaces = {4, 5};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) bend[kHitPlaces[i]][kHitPlaces[k]] += r_hit * hit.bend[i][k];
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 2; ++k) bend[kShortPlaces[i]][kShortPlaces[k]] += r_short * shorts.bend[i][k];
  }
  bend[2][2] += r_rand;
  std::size_t product = 0;
  for (std::size_t i = 0; i < kTailScores; ++i) {
    for (std::size_t k = i; k < kTailScores; ++k, ++product) {
      hessian[product] +=
          bend[i][k] + r_hit * of_hit[i] * of_hit[k] + r_short * of_short[i] * of_short[k] - score[i] * score[k];
    }
  }
  return score;
}

}  // namespace fathom
