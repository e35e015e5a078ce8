// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it. Plain loops over arrays, which the compiler vectorises; for
// sums see em_explain.hpp.

#include "fit/beam/em_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "fit/beam/em_explain.hpp"

namespace fathom::FATHOM_ISA {

namespace {

[[gnu::noinline]] void find_hits(const EmParameters& parameters, const float* __restrict z_m,
                                 const float* __restrict expected_m, const double* __restrict inverse_mass,
                                 std::size_t count, EmWork& __restrict work) {
  const EmParameters p = parameters;
  const double inverse_sigma = 1.0 / p.sigma;
  const double hit_scale = math::kInverseSqrtTwoPi * inverse_sigma;
  for (std::size_t i = 0; i < count; ++i) {
    const double surface = surface_of(p, expected_m[i]), d = (z_m[i] - surface) * inverse_sigma;
    work.surface[i] = surface;
    work.margin[i] = surface - z_m[i];
    work.p_hit[i] = hit_scale * inverse_mass[i] * falling_exp(-0.5 * d * d);
  }
}

std::size_t expect(const EmParameters& p, const EmBlock& b, EmSums& sums) {
  EmWork work;
  find_hits(p, b.z, b.expected, b.inverse_mass, b.count, work);
  return explain_block(p, b, work, sums);
}

std::size_t list_outside(const float* __restrict values, std::size_t count, double low, double high,
                         std::uint32_t* __restrict where) {
  alignas(64) std::uint8_t outside[kEmBlock];
  const auto low_f = static_cast<float>(low), high_f = static_cast<float>(high);
  for (std::size_t i = 0; i < count; ++i) {
    outside[i] = static_cast<std::uint8_t>(static_cast<int>(values[i] < low_f) | static_cast<int>(values[i] > high_f));
  }
  std::fill(outside + count, outside + kEmBlock, std::uint8_t{0});
  std::size_t listed = 0;
  for (std::size_t i = 0; i < count; i += sizeof(std::uint64_t)) {
    std::uint64_t eight;
    std::memcpy(&eight, outside + i, sizeof eight);
    for (; eight != 0; eight &= eight - 1) {
      where[listed++] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(std::countr_zero(eight)) / 8U;
    }
  }
  return listed;
}

template <bool kOneSided>
[[gnu::noinline]] void fill_cut_hits(const double* __restrict center, std::size_t count, double sigma, double limit,
                                     double* __restrict inverse_mass, double* __restrict m2,
                                     double* __restrict growth) {
  const double inverse_sigma = 1.0 / sigma;
  for (std::size_t i = 0; i < count; ++i) {
    const Cut cut = cut_at<kOneSided>(center[i], sigma, inverse_sigma, limit);
    inverse_mass[i] = cut.inverse_mass;
    m2[i] = cut.m2;
    growth[i] = cut.growth;
  }
}

void cut_hits(const double* center, std::size_t count, double sigma, double limit, const CutHits& out) {
  const auto fill = is_one_sided(sigma, limit) ? fill_cut_hits<true> : fill_cut_hits<false>;
  fill(center, count, sigma, limit, out.inverse_mass, out.m2, out.m2_growth);
}

void weigh_hits(const double* r, const CutHits& hits, std::size_t count, HitMoments& sums) {
  sums.r += add_up(r, count);
  sums.m2 += add_up_products(hits.m2, r, count);
  sums.m2_growth += add_up_products(hits.m2_growth, r, count);
}

template <bool kNearZero>
[[gnu::noinline]] void fill_short_moments(const EmParameters& parameters, const float* __restrict expected,
                                          const float* __restrict r, std::size_t count, double* __restrict mean,
                                          double* __restrict variance) {
  const EmParameters p = parameters;
  const double inverse_lambda = 1.0 / p.lambda;
  for (std::size_t i = 0; i < count; ++i) {
    const double limit = surface_of(p, expected[i]), weight = r[i];
    const double x = p.lambda * limit;
    MeanVariance shape;
    if constexpr (kNearZero) {
      const double safe = select(x > 1e-2, x, 1e-2);
      shape = short_shape(limit, x, 1.0 / safe, 1.0 / math::expm1(safe));
    } else {
      const double decay = falling_exp(-x);
      shape = plain_short_shape(limit, inverse_lambda, decay / (1.0 - decay));
    }
    mean[i] = weight * shape.mean;
    variance[i] = weight * shape.variance;
  }
}

void short_moments(const EmParameters& p, const EmShorts& shorts, ShortMoments& sums) {
  alignas(64) double mean[kEmBlock], variance[kEmBlock];
  const auto fill = is_near_zero(p, shorts.lowest) ? fill_short_moments<true> : fill_short_moments<false>;
  fill(p, shorts.expected, shorts.r, shorts.count, mean, variance);
  sums.mean += add_up(mean, shorts.count);
  sums.variance += add_up(variance, shorts.count);
}

}  // namespace

const EmKernels kEmKernels = {&expect, &list_outside, &cut_hits, &weigh_hits, &short_moments};

}  // namespace fathom::FATHOM_ISA
