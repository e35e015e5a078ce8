// SPDX-License-Identifier: MIT
// The M-step of hits of extended laws. Lange, "A gradient algorithm locally equivalent to the EM algorithm", JRSS B 57
// (1995): one step of Newton's per expectation converges as fast as whole maximisations.

#include <algorithm>
#include <array>
#include <cmath>

#include <fathom/math/student.hpp>

#include "beam/maximise.hpp"

namespace fathom {

namespace {

using Pair = std::array<double, 2>;

/// Two numbers with their limits, and how far a step may take them.
struct Box {
  Pair now, low, high, most;
};

/// The average of student_t's information over readings that follow it, in log sigma and log nu.
std::array<double, 3> mean_information(double nu) {
  const double bend = 0.25 * math::gamma_step(0.5 * nu).bend - 0.5 / (nu * nu);
  const double of_nu = -bend - (nu + 5.0) / (2.0 * nu * (nu + 1.0) * (nu + 3.0));
  return {2.0 * nu / (nu + 3.0), -2.0 * nu / ((nu + 1.0) * (nu + 3.0)), nu * nu * std::max(0.0, of_nu)};
}

bool is_positive(const std::array<double, 3>& m) {
  constexpr double kLeast = 1e-9;
  return m[0] > 0.0 && m[2] > 0.0 && m[0] * m[2] - m[1] * m[1] > kLeast * m[0] * m[2];
}

/// Newton's step of one number alone.
double single_step(double slope, double information, double most) {
  return information > 0.0 ? std::clamp(slope / information, -most, most) : std::copysign(most, slope);
}

/// Towards the maximum inside the box. A number that stands at a limit and would leave it stays there.
Pair step_in(const Box& box, const double* slope, const std::array<double, 3>& information) {
  Pair step = {}, at = box.now;
  std::array<bool, 2> held = {};
  const bool both = is_positive(information);
  for (int round = 0; round < 2; ++round) {
    if (both && !held[0] && !held[1]) {
      const double determinant = information[0] * information[2] - information[1] * information[1];
      step = {(information[2] * slope[0] - information[1] * slope[1]) / determinant,
              (information[0] * slope[1] - information[1] * slope[0]) / determinant};
      // Cut as a whole, so that the direction stays.
      const double longest = std::max(std::abs(step[0]) / box.most[0], std::abs(step[1]) / box.most[1]);
      if (longest > 1.0) step[0] /= longest, step[1] /= longest;
    } else {
      for (std::size_t k = 0; k < 2; ++k) {
        step[k] = held[k] ? 0.0 : single_step(slope[k], information[2 * k], box.most[k]);
      }
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const double to = box.now[k] + step[k];
      const bool leaves = to <= box.low[k] || to >= box.high[k];
      const bool stands = box.now[k] <= box.low[k] || box.now[k] >= box.high[k];
      at[k] = std::clamp(to, box.low[k], box.high[k]);
      if (leaves && stands) held[k] = true;
    }
    if (!held[0] && !held[1]) break;
  }
  return at;
}

void step_student(const Expectation& e, const SigmaLimits& limits, Maximum& m) {
  BeamParameters& p = m.parameters;
  const double low = HitTail::kLeastNu, high = std::max(kMostLearnedNu, p.tail.nu_hit);
  const Box box = {{std::log(p.sigma_hit_m), std::log(p.tail.nu_hit)},
                   {std::log(limits.low_m), std::log(low)},
                   {std::log(limits.high_m), std::log(high)},
                   {1.0, 1.0}};
  std::array<double, 3> information = {e.tail.information[0], e.tail.information[1], e.tail.information[2]};
  if (!is_positive(information)) {
    information = mean_information(p.tail.nu_hit);
    for (double& number : information) number *= e.sums.hit;
  }
  const Pair at = step_in(box, e.tail.slope, information);
  m.sigma_at_floor = at[0] <= box.low[0], m.sigma_at_top = at[0] >= box.high[0];
  m.tail_at_low = at[1] <= box.low[1], m.tail_at_high = at[1] >= box.high[1];
  p.sigma_hit_m = m.sigma_at_floor ? limits.low_m : std::min(std::exp(at[0]), limits.high_m);
  p.tail.nu_hit = m.tail_at_low ? low : m.tail_at_high ? high : std::clamp(std::exp(at[1]), low, high);
}

void step_growing(const Expectation& e, const SigmaLimits& limits, Maximum& m) {
  BeamParameters& p = m.parameters;
  constexpr double kFirstSlope = 0.05;
  const double sigma = p.sigma_hit_m;
  const Box box = {{sigma, p.tail.sigma_hit_per_m},
                   {limits.low_m, 0.0},
                   {limits.high_m, HitTail::kMostSigmaPerM},
                   {0.7 * sigma, std::max(0.7 * p.tail.sigma_hit_per_m, kFirstSlope)}};
  const Pair at = step_in(box, e.tail.slope, {e.tail.information[0], e.tail.information[1], e.tail.information[2]});
  m.sigma_at_floor = at[0] <= box.low[0], m.sigma_at_top = at[0] >= box.high[0];
  m.tail_at_low = at[1] <= box.low[1], m.tail_at_high = at[1] >= box.high[1];
  p.sigma_hit_m = at[0], p.tail.sigma_hit_per_m = at[1];
}

}  // namespace

void step_tail(const Expectation& e, const SigmaLimits& limits, Maximum& m) {
  m.parameters.tail.hit == HitLaw::kStudentT ? step_student(e, limits, m) : step_growing(e, limits, m);
}

}  // namespace fathom
