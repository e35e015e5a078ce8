// SPDX-License-Identifier: MIT
#pragma once
// The density of a t plus something small: the rounding to a step, a uniform, a normal.

#include <optional>

namespace fathom {

/// Added to T ~ Student's t: two uniforms over [-half_step, half_step] and [-half_width, half_width], and a normal. In
/// scales of T; 0 if absent.
struct SmallSpread {
  double half_step = 0.0, half_width = 0.0, deviation = 0.0;
};

/// The density of T + spread at x, as a multiple of T's own density there; empty if the spread is not small against the
/// distance over which that density changes. Relative errors below 1e-11.
///
/// About x the density of T is a series in r = (x' - x) / R with R^2 = nu + x^2, the generating function of
/// Gegenbauer's polynomials (Abramowitz and Stegun, 22.9.3), whose radius of convergence is 1:
///
///   t(x + R r) = t(x) sum_n C_n(-x / R) r^n,   of order (nu + 1) / 2
///
/// so that the mean over the spread S is sum_n C_2n(x / R) E[(S / R)^2n].
std::optional<double> spread_student(double x, double nu, const SmallSpread& spread);

}  // namespace fathom
