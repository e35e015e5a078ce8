// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it. Plain loops over arrays, which the compiler vectorises.

#include "beam/curvature_kernels.hpp"

#include <fathom/math/f64.hpp>

#include "beam/falling_exp.hpp"
#include "beam/lane_sums.hpp"
#include "beam/surface_of.hpp"

namespace fathom::FATHOM_ISA {

namespace {

using math::falling_exp;
using math::select;

/// Values that the loops below pass to each other, [kEmBlock].
struct Work {
  alignas(64) double hit[kEmBlock], shorts[kEmBlock], rand[kEmBlock];  // responsibilities
  double surface[kEmBlock], below[kEmBlock], decay[kEmBlock];          // 1 - e^{-l z*}, e^{-l z}
  double hit_sigma[kEmBlock], hit_offset[kEmBlock];                    // gradient of log p_hit
  double short_lambda[kEmBlock], short_offset[kEmBlock];               // gradient of log p_short
  double bend_sigma[kEmBlock], bend_sigma_offset[kEmBlock];            // sum_c r_c (H_c + h_c h_c^T)
  double bend_lambda[kEmBlock], bend_lambda_offset[kEmBlock], bend_offset[kEmBlock];
};

/// x, at least so large that 1 - e^{-x} keeps its digits; smaller ones are as good as 0, which is flat.
FATHOM_KERNEL double safe_rate(double x) { return select(x > 1e-12, x, 1e-12); }

[[gnu::noinline]] void find_shorts(const EmParameters& parameters, const CurvatureBlock& b, Work& __restrict work) {
  const EmParameters p = parameters;
  for (std::size_t i = 0; i < b.count; ++i) work.surface[i] = surface_of(p, b.expected[i]);
  for (std::size_t i = 0; i < b.count; ++i) work.below[i] = -math::expm1(-safe_rate(p.lambda * work.surface[i]));
  for (std::size_t i = 0; i < b.count; ++i) work.decay[i] = falling_exp(-p.lambda * b.z[i]);
}

/// What is rate * mean = 1 - q and rate^2 * variance = 1 - q^2 - x q of shorts, q = x / (e^x - 1), near x = 0 too
/// (distributions.hpp).
FATHOM_KERNEL double scaled_mean(double x, double q) {
  const double x2 = x * x;
  return select(x2 > 0.01, 1.0 - q, x * (0.5 - x * (1.0 / 12 - x2 * (1.0 / 720 - x2 * (1.0 / 30240)))));
}
FATHOM_KERNEL double scaled_variance(double x, double q) {
  const double x2 = x * x;
  const double near = x2 * (1.0 / 12 - x2 * (1.0 / 240 - x2 * (1.0 / 6048 - x2 * (1.0 / 172800))));
  return select(x2 > 0.04, 1.0 - q * q - x * q, near);
}

/// Whether the offset moves this surface: cut to [floor, Z] it stays.
FATHOM_KERNEL double is_moved(const EmParameters& p, double expected, double moves) {
  const double moved = expected + p.offset;
  return select(moved >= p.floor, select(moved <= p.limit, moves, 0.0), 0.0);
}

[[gnu::noinline]] void share(const EmParameters& parameters, const CurvatureBlock& b, Work& __restrict work) {
  const EmParameters p = parameters;
  const CutMoments cut = b.cut;
  const double inverse_sigma = 1.0 / p.sigma, hit_scale = p.w_hit * math::kInverseSqrtTwoPi * inverse_sigma;
  for (std::size_t i = 0; i < b.count; ++i) {
    const double z = b.z[i], surface = work.surface[i], u = (z - surface) * inverse_sigma;
    const double x = safe_rate(p.lambda * surface);
    const double hit = hit_scale * cut.inverse_mass[i] * falling_exp(-0.5 * u * u);
    const double short_here = p.w_short * x / (work.below[i] * surface) * work.decay[i];
    const double shorts = select(z <= surface, short_here, 0.0);
    const double f = hit + shorts + p.w_rand_density;
    const double inverse = 1.0 / select(f > 1e-300, f, 1e-300);
    work.hit[i] = hit * inverse;
    work.shorts[i] = shorts * inverse;
    work.rand[i] = p.w_rand_density * inverse;
  }
}

[[gnu::noinline]] void bend_hits(const EmParameters& parameters, const CurvatureBlock& b, Work& __restrict work) {
  const EmParameters p = parameters;
  const CutMoments cut = b.cut;
  const double moves = b.moves ? 1.0 : 0.0, inverse = 1.0 / (p.sigma * p.sigma);
  for (std::size_t i = 0; i < b.count; ++i) {
    const double d = b.z[i] - work.surface[i], m1 = cut.m1[i], m2 = cut.m2[i], r = work.hit[i];
    const double moved = is_moved(p, b.expected[i], moves);
    const double by_sigma = (d * d - m2) * inverse, by_offset = moved * (d - m1) * inverse;
    work.hit_sigma[i] = by_sigma;
    work.hit_offset[i] = by_offset;
    work.bend_sigma[i] = r * (by_sigma * by_sigma + (2.0 * (m2 - d * d) - cut.growth[i]) * inverse);
    work.bend_sigma_offset[i] =
        r * (by_sigma * by_offset + moved * (2.0 * (m1 - d) - (cut.m3[i] - m2 * m1) * inverse) * inverse);
    work.bend_offset[i] = r * (by_offset * by_offset - moved * (m2 - m1 * m1) * inverse * inverse);
  }
}

[[gnu::noinline]] void bend_shorts(const EmParameters& parameters, const CurvatureBlock& b, Work& __restrict work) {
  const EmParameters p = parameters;
  const double moves = b.moves ? 1.0 : 0.0;
  for (std::size_t i = 0; i < b.count; ++i) {
    const double surface = work.surface[i], x = safe_rate(p.lambda * surface), r = work.shorts[i];
    const double q = x * (1.0 - work.below[i]) / work.below[i], inverse = is_moved(p, b.expected[i], moves) / surface;
    const double by_lambda = scaled_mean(x, q) - p.lambda * b.z[i], by_offset = -q * inverse;
    work.short_lambda[i] = by_lambda;
    work.short_offset[i] = by_offset;
    work.bend_lambda[i] = r * (by_lambda * by_lambda + by_lambda - scaled_variance(x, q));
    work.bend_lambda_offset[i] = r * (by_lambda * by_offset + q * (q + x - 1.0) * inverse);
    work.bend_offset[i] += r * (by_offset * by_offset + q * (q + x) * inverse * inverse);
  }
}

[[gnu::noinline]] void add_scores(const CurvatureBlock& b, const CurvatureSums& out, const Work& __restrict work) {
  double *const of_sigma = out.score[3], *const of_lambda = out.score[4], *const of_offset = out.score[5];
  for (std::size_t i = 0; i < b.count; ++i) {
    out.score[0][i] = work.hit[i];
    out.score[1][i] = work.shorts[i];
    out.score[2][i] = work.rand[i];
  }
  for (std::size_t i = 0; i < b.count; ++i) of_sigma[i] = work.hit[i] * work.hit_sigma[i];
  for (std::size_t i = 0; i < b.count; ++i) of_lambda[i] = work.shorts[i] * work.short_lambda[i];
  for (std::size_t i = 0; i < b.count; ++i) {
    of_offset[i] = work.hit[i] * work.hit_offset[i] + work.shorts[i] * work.short_offset[i];
  }
}

/// Sum of second[i] - a[i] b[i]: an entry of the Hessian.
FATHOM_KERNEL double add_up_rest(const double* __restrict second, const double* __restrict a,
                                 const double* __restrict b, std::size_t count) {
  return add_up_terms(count, [=](std::size_t i) { return second[i] - a[i] * b[i]; });
}

void add_curvature(const EmParameters& p, const CurvatureBlock& b, const CurvatureSums& out) {
  Work work;
  const std::size_t n = b.count;
  find_shorts(p, b, work);
  share(p, b, work);
  bend_hits(p, b, work);
  bend_shorts(p, b, work);
  add_scores(b, out, work);
  const double *hit = work.hit, *shorts = work.shorts, *rand = work.rand;
  const double *sigma = out.score[3], *lambda = out.score[4], *offset = out.score[5];
  double* h = out.hessian;
  // Each component's own gradient, weighed, less the product of the mean gradients.
  h[0] += add_up_rest(hit, hit, hit, n);
  h[1] -= add_up_products(hit, shorts, n);
  h[2] -= add_up_products(hit, rand, n);
  h[3] += add_up_rest(sigma, hit, sigma, n);
  h[4] -= add_up_products(hit, lambda, n);
  h[5] += add_up_terms(n, [=, &work](std::size_t i) { return hit[i] * (work.hit_offset[i] - offset[i]); });
  h[6] += add_up_rest(shorts, shorts, shorts, n);
  h[7] -= add_up_products(shorts, rand, n);
  h[8] -= add_up_products(shorts, sigma, n);
  h[9] += add_up_rest(lambda, shorts, lambda, n);
  h[10] += add_up_terms(n, [=, &work](std::size_t i) { return shorts[i] * (work.short_offset[i] - offset[i]); });
  h[11] += add_up_rest(rand, rand, rand, n);
  h[12] -= add_up_products(rand, sigma, n);
  h[13] -= add_up_products(rand, lambda, n);
  h[14] -= add_up_products(rand, offset, n);
  h[15] += add_up_rest(work.bend_sigma, sigma, sigma, n);
  h[16] -= add_up_products(sigma, lambda, n);
  h[17] += add_up_rest(work.bend_sigma_offset, sigma, offset, n);
  h[18] += add_up_rest(work.bend_lambda, lambda, lambda, n);
  h[19] += add_up_rest(work.bend_lambda_offset, lambda, offset, n);
  h[20] += add_up_rest(work.bend_offset, offset, offset, n);
}

}  // namespace

const CurvatureKernel kCurvatureKernel = &add_curvature;

}  // namespace fathom::FATHOM_ISA
