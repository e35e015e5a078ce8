// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it. Plain loops over arrays, which the compiler vectorises.

#include "beam/score_kernels.hpp"

#include <fathom/math/f32.hpp>

namespace fathom::FATHOM_ISA {

namespace {

using math::select;

constexpr std::size_t kMostRays = 256;  // summed at once; longer scans go in pieces

/// exp(x) for x <= 0; relative error below 2e-7, 0 below -87 (Cody-Waite reduction, Taylor to r^7).
FATHOM_KERNEL float exp_negative(float x) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23
  const float clamped = select(x < -87.0F, -87.0F, x);
  const float turned = clamped * 1.44269504F + kRound;
  const float k = turned - kRound;
  const float r = (clamped - k * 0.693359375F) + k * 2.12194440e-4F;
  const float series =
      1.0F +
      r * (1.0F + r * (0.5F + r * (1.6666667e-1F + r * (4.1666667e-2F + r * (8.3333333e-3F + r * 1.3888889e-3F)))));
  const float power = math::float_of((math::bits_of(turned) + 127U) << 23U);
  return select(x < -87.0F, 0.0F, series * power);
}

FATHOM_KERNEL float smaller(float a, float b) { return select(a < b, a, b); }
FATHOM_KERNEL float larger(float a, float b) { return select(a > b, a, b); }

/// Linear interpolation in a table at `position`, held at both ends.
FATHOM_KERNEL float look_up(const float* table, float position, float last) {
  const float held = larger(0.0F, smaller(position, last));
  const auto index = static_cast<std::int32_t>(held);
  const float part = held - static_cast<float>(index);
  const float low = table[index];
  return low + part * (table[index + 1] - low);
}

struct Constants {
  const float *hit, *shorts;
  float hit_per_m, hit_last, short_per_m, short_last, offset_m, max_range_m, floor_m, inverse_sigma, w_rand_density,
      log_max, log_max_miss;
  bool atom;
};

[[gnu::noinline]] double score_rays(const Constants& c, const float* __restrict reading, const float* __restrict factor,
                                    const std::uint32_t* __restrict kind, const float* __restrict expected,
                                    std::size_t rays) {
  alignas(64) float terms[kMostRays];
  for (std::size_t k = 0; k < rays; ++k) {
    const float z = reading[k];
    const bool missed = expected[k] >= c.max_range_m;
    const float offset = select(missed, 0.0F, c.offset_m);
    const float z_star = smaller(larger(expected[k] + offset, c.floor_m), c.max_range_m);
    const float nearer_end = smaller(z_star, c.max_range_m - z_star);
    const float hit_scale = look_up(c.hit, nearer_end * c.hit_per_m, c.hit_last);
    const float d = (z - z_star) * c.inverse_sigma;
    const float hit = select(c.atom & missed, 0.0F, hit_scale * exp_negative(-0.5F * d * d));
    const float short_scale = look_up(c.shorts, z_star * c.short_per_m, c.short_last) / z_star;
    const float shorts = select(z <= z_star, short_scale * factor[k], 0.0F);
    // The smallest normal float stands for "impossible", as a logarithm of it is finite; see score_tables.hpp.
    const float f = larger(hit + shorts + c.w_rand_density, 1.17549435e-38F);
    const float at_max = select(missed, c.log_max_miss, c.log_max);
    const float by_range = math::log(f);
    const float with_max = select(kind[k] == 1U, at_max, by_range);
    terms[k] = select(kind[k] == 2U, 0.0F, with_max);
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < rays; ++k) sum += terms[k];
  return sum;
}

void score(const ScoreTables& t, const ScanTerms& scan, const float* expected_m, std::size_t poses, std::size_t rays,
           double* out) {
  const Constants c = {t.hit.data(),     t.shorts.data(), t.hit_per_m,    t.hit_last, t.short_per_m,
                       t.short_last,     t.offset_m,      t.max_range_m,  t.floor_m,  t.inverse_sigma,
                       t.w_rand_density, t.log_max,       t.log_max_miss, t.atom};
  for (std::size_t p = 0; p < poses; ++p) {
    double sum = 0.0;
    for (std::size_t k = 0; k < rays; k += kMostRays) {
      const std::size_t count = rays - k < kMostRays ? rays - k : kMostRays;
      sum += score_rays(c, scan.reading_m.data() + k, scan.short_factor.data() + k, scan.kind.data() + k,
                        expected_m + p * rays + k, count);
    }
    out[p] = sum;
  }
}

}  // namespace

const ScoreKernel kScoreKernel = &score;

}  // namespace fathom::FATHOM_ISA
