// SPDX-License-Identifier: MIT
// The M-step. Weights are mean responsibilities; sigma and lambda solve the likelihood equations of the cut
// densities, each a strictly monotone function with at most one root, found by Newton steps kept inside a bracket.
#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/LU>

#include <fathom/core/distributions.hpp>

#include "fit/beam/em.hpp"

namespace fathom {

namespace {

constexpr double kLogStep = 1.5;  // of a Newton step, in a logarithm
constexpr double kSmallStep = 0.03;
constexpr int kMostSteps = 200;
constexpr double kFewest = 1e-9;  // responsibilities, per pair, below which there is nothing to learn from
constexpr double kMostLambda = kMostLambdaShortPerM, kLeastLambda = 1e-9;

struct ValueSlope {
  double value, slope;
};

enum class RootAt : std::uint8_t { kInside, kLow, kHigh };
struct Root {
  double x;
  RootAt at;
};

/// The root of a function that rises strictly over [low, high], starting at x, or the end towards which it lies. Newton
/// steps of at most kLogStep; bisection where one would leave the known bracket. A Newton step of size h leaves an
/// error of order h^2: it gains all but a share of order h^2 of what there is to gain, so a step below kSmallStep is
/// the last. As learning converges all steps are, and an M-step costs no pass over the data. The ends are looked at
/// only when the search comes to them. `first`: the function at the x given.
template <class F>
Root find_root(double low, double high, double x, ValueSlope first, F function) {
  bool low_known = false, high_known = false;
  for (int i = 0; i < kMostSteps; ++i) {
    const ValueSlope f = i == 0 ? first : function(x);
    const bool right = f.value < 0.0;
    if (right && x >= high) return {high, RootAt::kHigh};
    if (!right && x <= low) return {low, RootAt::kLow};
    (right ? low : high) = x;
    (right ? low_known : high_known) = true;
    double next = x - std::clamp(f.value / f.slope, -kLogStep, kLogStep);
    if (std::abs(next - x) < kSmallStep) return {next, RootAt::kInside};
    if (!(next > low)) next = low_known ? 0.5 * (low + high) : low;
    if (!(next < high)) next = high_known ? 0.5 * (low + high) : high;
    x = next;
  }
  return {x, RootAt::kInside};
}

/// sum r d^2 = sum r m2(sigma), in log sigma.
void solve_sigma(Em& em, const Expectation& e, const SigmaLimits& limits, double reach, MStep& m) {
  const double old = m.parameters.sigma_hit_m;
  const auto surplus = [&](double sigma, const HitMoments& edges) {
    const double interior = e.interior_r * sigma * sigma;
    return ValueSlope{interior + edges.m2 - e.sums.hit_d2, 2.0 * interior + edges.m2_growth};
  };
  const bool all_listed = !(e.interior_r > 0.0);
  const double top = all_listed ? limits.high_m : std::min(limits.high_m, old * reach / kEdgeSigmas);
  const double log_low = std::log(limits.low_m), log_top = std::log(top);
  // The old sigma is where the sums were made, and within the limits, as every sigma learned is.
  const Root root = find_root(log_low, log_top, std::clamp(std::log(old), log_low, log_top), surplus(old, e.edges),
                              [&](double log_sigma) {
                                const double sigma = std::exp(log_sigma);
                                return surplus(sigma, em.edge_moments(sigma));
                              });
  m.parameters.sigma_hit_m = std::exp(root.x);
  m.sigma_at_floor = root.at == RootAt::kLow;
  m.sigma_at_top = root.at == RootAt::kHigh && top >= limits.high_m;
  m.out_of_reach = root.at == RootAt::kHigh && !m.sigma_at_top;
  if (m.sigma_at_floor) m.parameters.sigma_hit_m = limits.low_m;
}

/// From the mean of z over z*, q: right to first order where q is near 1/2 (lambda 0) and near 0 (nothing cut).
double guess_lambda(const EmSums& s) {
  const double q = s.short_z / s.short_expected;
  return s.shorts / s.short_z * (1.0 - 2.0 * q) * (1.0 + 8.0 * q * q);
}

/// sum r z = sum r m1(lambda).
void solve_lambda(Em& em, const Expectation& e, MStep& m) {
  if (e.sums.short_z >= 0.5 * e.sums.short_expected) {  // m1 is at most z*/2, at lambda = 0
    m.parameters.lambda_short_per_m = 0.0;
    m.lambda_at_zero = true;
    return;
  }
  const auto surplus = [&](double lambda, const ShortMoments& shorts) {
    return ValueSlope{e.sums.short_z - shorts.mean, lambda * shorts.variance};
  };
  const auto at = [&](double log_lambda) {
    const double lambda = std::exp(log_lambda);
    return surplus(lambda, em.short_moments(lambda));
  };
  const double low = std::log(kLeastLambda), high = std::log(kMostLambda);
  const double old = m.parameters.lambda_short_per_m;
  const bool known = old > kLeastLambda && old < kMostLambda;
  const double start = std::clamp(known ? std::log(old) : std::log(guess_lambda(e.sums)), low, high);
  const ValueSlope first = known ? surplus(old, e.sums.short_moments) : at(start);
  m.parameters.lambda_short_per_m = std::min(std::exp(find_root(low, high, start, first, at).x), kMostLambda);
}

void take_closed_forms(const Expectation& e, const SigmaLimits& limits, MStep& m) {
  if (!m.no_hits) {
    m.parameters.sigma_hit_m = std::clamp(std::sqrt(e.sums.hit_d2 / e.sums.hit), limits.low_m, limits.high_m);
  }
  if (!m.no_shorts) m.parameters.lambda_short_per_m = std::min(e.sums.shorts / e.sums.short_z, kMostLambda);
}

// The M-step of hits of extended laws. Lange, "A gradient algorithm locally equivalent to the EM algorithm", JRSS B 57
// (1995): one step of Newton's per expectation converges as fast as whole maximisations.

/// The largest nu of learning: beyond it data cannot distinguish student_t from the Gaussian.
constexpr double kMostLearnedNu = 1000.0;

/// Two numbers with their limits, and how far a step may take them.
struct Box {
  Eigen::Array2d now, low, high, most;
};

/// The average of student_t's information over readings that follow it, in log sigma and log nu.
Eigen::Matrix2d mean_information(double nu) {
  const double bend = 0.25 * math::gamma_step(0.5 * nu).bend - 0.5 / (nu * nu);
  const double of_nu = -bend - (nu + 5.0) / (2.0 * nu * (nu + 1.0) * (nu + 3.0));
  const double of_both = -2.0 * nu / ((nu + 1.0) * (nu + 3.0));
  return Eigen::Matrix2d{{2.0 * nu / (nu + 3.0), of_both}, {of_both, nu * nu * std::max(0.0, of_nu)}};
}

bool is_positive(const Eigen::Matrix2d& m) {
  constexpr double kLeast = 1e-9;
  return m(0, 0) > 0.0 && m(1, 1) > 0.0 && m.determinant() > kLeast * m(0, 0) * m(1, 1);
}

/// Newton's step, of both numbers where the information is positive, else of each alone. It is cut as a whole, so that
/// the direction stays. A held number stays, too.
Eigen::Array2d newton_step(const Box& box, const Eigen::Vector2d& slope, const Eigen::Matrix2d& information,
                           const std::array<bool, 2>& held) {
  if (is_positive(information) && !held[0] && !held[1]) {
    const Eigen::Array2d step = information.inverse() * slope;
    return step / std::max(1.0, (step / box.most).abs().maxCoeff());
  }
  Eigen::Array2d step = Eigen::Array2d::Zero();
  for (int k = 0; k < 2; ++k) {
    const double bend = information(k, k), most = box.most[k];
    if (!held[k]) step[k] = bend > 0.0 ? std::clamp(slope[k] / bend, -most, most) : std::copysign(most, slope[k]);
  }
  return step;
}

/// Towards the maximum inside the box. A number that stands at a limit and would leave it stays there.
Eigen::Array2d step_in(const Box& box, const TailSums& tail, const Eigen::Matrix2d& information) {
  std::array<bool, 2> held = {};
  Eigen::Array2d to;
  for (int round = 0; round < 2; ++round) {
    to = box.now + newton_step(box, {tail.slope[0], tail.slope[1]}, information, held);
    for (int k = 0; k < 2; ++k) {
      const bool leaves = to[k] <= box.low[k] || to[k] >= box.high[k];
      const bool stands = box.now[k] <= box.low[k] || box.now[k] >= box.high[k];
      held[k] = held[k] || (leaves && stands);
    }
    if (!held[0] && !held[1]) break;
  }
  return to.max(box.low).min(box.high);
}

Eigen::Matrix2d information_of(const TailSums& tail) {
  return Eigen::Matrix2d{{tail.information[0], tail.information[1]}, {tail.information[1], tail.information[2]}};
}

void note_limits(const Eigen::Array2d& at, const Box& box, MStep& m) {
  m.sigma_at_floor = at[0] <= box.low[0], m.sigma_at_top = at[0] >= box.high[0];
  m.tail_at_low = at[1] <= box.low[1], m.tail_at_high = at[1] >= box.high[1];
}

void step_student(const Expectation& e, const SigmaLimits& limits, MStep& m) {
  BeamParameters& p = m.parameters;
  const double low = HitTail::kLeastNu, high = std::max(kMostLearnedNu, p.tail.nu_hit);
  const Box box = {{std::log(p.sigma_hit_m), std::log(p.tail.nu_hit)},
                   {std::log(limits.low_m), std::log(low)},
                   {std::log(limits.high_m), std::log(high)},
                   {1.0, 1.0}};
  Eigen::Matrix2d information = information_of(e.tail);
  if (!is_positive(information)) information = e.sums.hit * mean_information(p.tail.nu_hit);
  const Eigen::Array2d at = step_in(box, e.tail, information);
  note_limits(at, box, m);
  p.sigma_hit_m = m.sigma_at_floor ? limits.low_m : std::min(std::exp(at[0]), limits.high_m);
  p.tail.nu_hit = m.tail_at_low ? low : m.tail_at_high ? high : std::clamp(std::exp(at[1]), low, high);
}

void step_growing(const Expectation& e, const SigmaLimits& limits, MStep& m) {
  BeamParameters& p = m.parameters;
  constexpr double kFirstSlope = 0.05;
  const double sigma = p.sigma_hit_m;
  const Box box = {{sigma, p.tail.sigma_hit_per_m},
                   {limits.low_m, 0.0},
                   {limits.high_m, HitTail::kMostSigmaPerM},
                   {0.7 * sigma, std::max(0.7 * p.tail.sigma_hit_per_m, kFirstSlope)}};
  const Eigen::Array2d at = step_in(box, e.tail, information_of(e.tail));
  note_limits(at, box, m);
  p.sigma_hit_m = at[0], p.tail.sigma_hit_per_m = at[1];
}

}  // namespace

MStep m_step_of(Em& em, const Expectation& e, const BeamParameters& old, FitOptions::Variant variant,
                const SigmaLimits& limits, double reach) {
  MStep m;
  m.parameters = old;
  const Evidence& evidence = em.evidence();
  const auto n = static_cast<double>(evidence.pairs());
  m.parameters.w_hit = (e.sums.hit + e.max_as_hit) / n;
  m.parameters.w_short = e.sums.shorts / n;
  m.parameters.w_max = (evidence.max_expected_total + evidence.max_missed_total - e.max_shared) / n;
  m.parameters.w_rand = e.sums.rand / n;
  m.no_hits = !(e.sums.hit > kFewest * n);
  m.no_shorts = !(e.sums.shorts > kFewest * n);
  if (variant != FitOptions::Variant::kExact) {
    take_closed_forms(e, limits, m);
    return m;
  }
  if (!m.no_hits && old.tail.hit == HitLaw::kGaussian) solve_sigma(em, e, limits, reach, m);
  if (!m.no_hits && old.tail.hit == HitLaw::kStudentT) step_student(e, limits, m);
  if (!m.no_hits && old.tail.hit == HitLaw::kGrows) step_growing(e, limits, m);
  if (!m.no_shorts) solve_lambda(em, e, m);
  return m;
}

}  // namespace fathom
