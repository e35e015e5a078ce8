// SPDX-License-Identifier: MIT
#pragma once
// Loops for all laws of hits: responsibilities, and hits cut at the ends of [0, Z]. Compiled once per instruction set,
// FATHOM_ISA naming it.

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fathom/core/f64.hpp>

#include "fit/beam/em_kernels.hpp"

namespace fathom::FATHOM_ISA {

using math::falling_exp;
using math::select;

// Sums over arrays run in kLanes lanes that are folded in one order, so that every build gives equal bits.

inline constexpr std::size_t kLanes = 16;

/// The upper half of the lanes onto the lower one, until one is left.
FATHOM_KERNEL double fold(double* lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) lanes[k] += lanes[k + half];
  }
  return lanes[0];
}

/// Adds term(0) to term(count - 1) in kLanes running sums, then these.
template <class Term>
FATHOM_KERNEL double add_up_terms(std::size_t count, const Term& term) {
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += term(i + k);
  }
  for (std::size_t k = 0; i + k < count; ++k) lanes[k] += term(i + k);
  return fold(lanes);
}

FATHOM_KERNEL double add_up(const double* __restrict values, std::size_t count) {
  return add_up_terms(count, [=](std::size_t i) { return values[i]; });
}

template <class A, class B>
FATHOM_KERNEL double add_up_products(const A* __restrict a, const B* __restrict b, std::size_t count) {
  return add_up_terms(count, [=](std::size_t i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}

/// The range at which the surface stands: z* + offset, cut.
FATHOM_KERNEL double surface_of(const EmParameters& p, double expected) {
  const double moved = expected + p.offset;
  const double above = select(moved > p.floor, moved, p.floor);
  return select(above < p.limit, above, p.limit);
}

/// Values between the loops below, [kEmBlock].
struct EmWork {
  alignas(64) double surface[kEmBlock], margin[kEmBlock], p_hit[kEmBlock], below[kEmBlock], decay[kEmBlock],
      f[kEmBlock], log_f[kEmBlock], hit_d2[kEmBlock], rand[kEmBlock], shorts[kEmBlock], short_surface[kEmBlock],
      short_mean[kEmBlock], short_variance[kEmBlock];
};

/// Mean and variance of shorts on [0, limit], x = lambda limit; 1 / x and 1 / (e^x - 1) are given. Near 0 both formulas
/// cancel; their series (distributions.hpp) take over.
struct MeanVariance {
  double mean, variance;
};
FATHOM_KERNEL MeanVariance short_shape(double limit, double x, double inverse, double rest) {
  const double x2 = x * x;
  const double mean_near = 0.5 - x * (1.0 / 12 - x2 * (1.0 / 720 - x2 * (1.0 / 30240)));
  const double variance_near = 1.0 / 12 - x2 * (1.0 / 240 - x2 * (1.0 / 6048 - x2 * (1.0 / 172800)));
  return {limit * select(x2 > 0.01, inverse - rest, mean_near),
          limit * limit * select(x2 > 0.04, inverse * inverse - rest * (1.0 + rest), variance_near)};
}

/// The same for x from kNotNearZero on: cancellation takes less than five of sixteen digits.
inline constexpr double kNotNearZero = 0.02;
FATHOM_KERNEL MeanVariance plain_short_shape(double limit, double inverse_lambda, double rest) {
  const double lost = limit * rest;
  return {inverse_lambda - lost, inverse_lambda * inverse_lambda - lost * (lost + limit)};
}

struct Shares {
  double r_hit, r_short, r_rand;
};
/// Responsibilities of pair i, and terms of sums.
FATHOM_KERNEL Shares share(const EmParameters& p, double z, double p_short, std::size_t i, EmWork& work) {
  const double f = p.w_hit * work.p_hit[i] + p.w_short * p_short + p.w_rand_density;
  const double hit = p.share_hit * work.p_hit[i], shorts = p.share_short * p_short;
  const double all = hit + shorts + p.share_rand_density;
  const double inverse = 1.0 / select(all > 0.0, all, 1.0);
  const double r_hit = hit * inverse, d = z - work.surface[i];
  // A reading that nothing explains gets a tiny density, so that sums stay finite.
  work.f[i] = select(f > 1e-300, f, 1e-300);
  work.hit_d2[i] = r_hit * d * d;
  work.rand[i] = p.share_rand_density * inverse;
  return {r_hit, shorts * inverse, work.rand[i]};
}

/// Pairs [0, end), which lie behind their surfaces.
[[gnu::noinline]] inline void explain_behind(const EmParameters& parameters, const float* __restrict z_m,
                                             std::size_t end, float* __restrict r_short, double* __restrict r_hit,
                                             EmWork& __restrict work) {
  const EmParameters p = parameters;
  for (std::size_t i = 0; i < end; ++i) {
    r_hit[i] = share(p, z_m[i], 0.0, i, work).r_hit;
    r_short[i] = 0.0F;
  }
}

/// Pairs [begin, end), which shorts may explain.
template <bool kNearZero>
[[gnu::noinline]] void explain(const EmParameters& parameters, const float* __restrict z_m, std::size_t begin,
                               std::size_t end, float* __restrict r_short, double* __restrict r_hit,
                               EmWork& __restrict work) {
  const EmParameters p = parameters;
  const double inverse_lambda = 1.0 / p.lambda;
  for (std::size_t i = begin; i < end; ++i) {
    const double x = p.lambda * work.surface[i];
    work.below[i] = kNearZero ? -math::expm1(-x) : 1.0 - falling_exp(-x);
  }
  for (std::size_t i = begin; i < end; ++i) work.decay[i] = falling_exp(-p.lambda * z_m[i]);
  for (std::size_t i = begin; i < end; ++i) {
    const double z = z_m[i], surface = work.surface[i];
    const double x = p.lambda * surface;
    const bool flat = kNearZero && x < 1e-290;
    const double below = select(flat, surface, work.below[i]);
    // One division for two. Without the bound on x the other quotient would leave the doubles.
    const double safe = select(x > 1e-3, x, 1e-3);
    const double both = kNearZero ? 1.0 / (below * safe) : 0.0;
    const double inverse_below = kNearZero ? both * safe : 1.0 / below;
    const double scale = select(flat, 1.0, p.lambda) * inverse_below;
    const double p_short = select(z <= surface, scale * work.decay[i], 0.0);
    const Shares r = share(p, z, p_short, i, work);
    const double rest = (1.0 - below) * inverse_below;
    const MeanVariance shape =
        kNearZero ? short_shape(surface, x, both * below, rest) : plain_short_shape(surface, inverse_lambda, rest);
    work.shorts[i] = r.r_short;
    r_short[i] = static_cast<float>(r.r_short);
    r_hit[i] = r.r_hit;
    work.short_surface[i] = r.r_short * surface;
    work.short_mean[i] = r.r_short * shape.mean;
    work.short_variance[i] = r.r_short * shape.variance;
  }
}

/// Sum of log f, which is overwritten. Takes logarithms of products of sixteen, which stay within doubles while each f
/// is within [1e-18, 1e18].
[[gnu::noinline]] inline double add_up_logs(double* __restrict f, std::size_t count, double* __restrict log_f) {
  std::size_t extreme = 0;
  for (std::size_t i = 0; i < count; ++i) extreme += static_cast<std::size_t>((f[i] < 1e-18) | (f[i] > 1e18));
  const std::size_t products = extreme == 0 ? count / 16 : 0, rest = count - 16 * products;
  for (std::size_t i = 0; i < rest; ++i) log_f[products + i] = math::log(f[16 * products + i]);
  for (std::size_t half = 8 * products; half > 0 && half >= products; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) f[i] *= f[i + half];
  }
  for (std::size_t i = 0; i < products; ++i) log_f[i] = math::log(f[i]);
  return add_up(log_f, products + rest);
}

/// The number of leading pairs behind their surfaces, in whole groups, so that loops need no remainder.
inline std::size_t count_behind(const double* __restrict margin, std::size_t count) {
  for (std::size_t begin = 0; begin + kEmGroup <= count; begin += kEmGroup) {
    std::uint64_t all = ~std::uint64_t{0};
    for (std::size_t i = begin; i < begin + kEmGroup; ++i) all &= math::bits64_of(margin[i]);
    if (all >> 63U == 0) return begin;  // some sign is not set
  }
  return count - count % kEmGroup;
}

/// Whether some x = lambda z* of a block is too small for the plain formulas.
inline bool is_near_zero(const EmParameters& p, float lowest) {
  return !(p.lambda * surface_of(p, lowest) > kNotNearZero);
}

/// Explains the pairs of a block whose surface, margin and p_hit are known, and adds to the sums. Returns
/// count_behind().
inline std::size_t explain_block(const EmParameters& p, const EmBlock& b, EmWork& work, EmSums& sums) {
  const std::size_t behind = count_behind(work.margin, b.count), rest = b.count - behind;
  explain_behind(p, b.z, behind, b.r_short, b.r_hit, work);
  const auto explain_rest = is_near_zero(p, b.lowest) ? explain<true> : explain<false>;
  explain_rest(p, b.z, behind, b.count, b.r_short, b.r_hit, work);
  sums.log_likelihood += add_up_logs(work.f, b.count, work.log_f);
  sums.hit += add_up(b.r_hit, b.count);
  sums.hit_d2 += add_up(work.hit_d2, b.count);
  sums.rand += add_up(work.rand, b.count);
  sums.shorts += add_up(work.shorts + behind, rest);
  sums.short_z += add_up_products(work.shorts + behind, b.z + behind, rest);
  sums.short_expected += add_up(work.short_surface + behind, rest);
  sums.short_moments.mean += add_up(work.short_mean + behind, rest);
  sums.short_moments.variance += add_up(work.short_variance + behind, rest);
  return behind;
}

/// Whether at most one end of [0, Z] can cut a hit density: the other is more than 8.5 sigma away.
inline bool is_one_sided(double sigma, double limit) { return limit > 17.0 * sigma; }

/// A hit density cut at the ends of [0, Z]: 1 / N, the second moment and its growth. N = 1 - Q(c / sigma) -
/// Q((Z - c) / sigma): its absolute error, 5e-16, matters only for sigma far above the range, where learning stops
/// (kMostSigmaPerRange in fit.cpp).
struct Cut {
  double inverse_mass, m2, growth;
};
template <bool kOneSided>
FATHOM_KERNEL Cut cut_at(double center, double sigma, double inverse_sigma, double limit) {
  const double below = center * inverse_sigma, above = (limit - center) * inverse_sigma;
  const double near = select(below < above, below, above), far = select(below < above, above, below);
  const double near_exp = falling_exp(-0.5 * near * near), far_exp = kOneSided ? 0.0 : falling_exp(-0.5 * far * far);
  const double near_tail = math::normal_upper_tail(near, near_exp);
  const double far_tail = kOneSided ? 0.0 : math::normal_upper_tail(far, far_exp);
  const double inverse_mass = 1.0 / (1.0 - near_tail - far_tail), scale = math::kInverseSqrtTwoPi * inverse_mass;
  const double near_phi = near * near_exp * scale, far_phi = far * far_exp * scale;
  const double second = 1.0 - near_phi - far_phi;
  const double fourth = 3.0 - (near * near + 3.0) * near_phi - (far * far + 3.0) * far_phi;
  const double s2 = sigma * sigma;
  return {inverse_mass, s2 * second, s2 * (fourth - second * second)};
}

}  // namespace fathom::FATHOM_ISA
