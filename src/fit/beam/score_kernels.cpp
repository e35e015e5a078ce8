// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it. Plain loops over arrays, which the compiler vectorises.

#include "fit/beam/score_kernels.hpp"

#include <limits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <fathom/core/f32.hpp>

namespace fathom::FATHOM_ISA {

namespace {

// Look-ups in cubic tables.

#if defined(__AVX512F__)

/// out[k] = table at place[k], in [0, CubicTable::kLast].
FATHOM_KERNEL void look_up(const CubicTable& table, const float* place, float* out) {
  static_assert(kScoreLanes == 16);
  const __m512 at = _mm512_load_ps(place);
  const __m512i piece = _mm512_cvttps_epi32(at);
  const __m512 part = _mm512_sub_ps(at, _mm512_cvtepi32_ps(piece));
  const auto column = [&](std::size_t k) __attribute__((always_inline)) {
    return _mm512_permutex2var_ps(_mm512_load_ps(table.columns[k]), piece, _mm512_load_ps(table.columns[k] + 16));
  };
  __m512 value = column(3);
  for (int k = 2; k >= 0; --k) value = _mm512_add_ps(column(static_cast<std::size_t>(k)), _mm512_mul_ps(part, value));
  _mm512_store_ps(out, value);
}

#elif defined(__AVX2__)

FATHOM_KERNEL void look_up(const CubicTable& table, const float* place, float* out) {
  for (std::size_t i = 0; i < kScoreLanes; i += 8) {
    const __m256 at = _mm256_load_ps(place + i);
    const __m256i piece = _mm256_cvttps_epi32(at);
    const __m256 part = _mm256_sub_ps(at, _mm256_cvtepi32_ps(piece));
    alignas(32) std::int32_t pieces[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(pieces), piece);
    const auto rows = [&](std::size_t k) __attribute__((always_inline)) {  // of lanes k and k + 4
      return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(table.rows[pieces[k]])),
                                  _mm_load_ps(table.rows[pieces[k + 4]]), 1);
    };
    const __m256 r0 = rows(0), r1 = rows(1), r2 = rows(2), r3 = rows(3);
    const __m256 low01 = _mm256_unpacklo_ps(r0, r1), high01 = _mm256_unpackhi_ps(r0, r1);
    const __m256 low23 = _mm256_unpacklo_ps(r2, r3), high23 = _mm256_unpackhi_ps(r2, r3);
    const __m256 c0 = _mm256_shuffle_ps(low01, low23, 0x44), c1 = _mm256_shuffle_ps(low01, low23, 0xee);
    const __m256 c2 = _mm256_shuffle_ps(high01, high23, 0x44), c3 = _mm256_shuffle_ps(high01, high23, 0xee);
    const __m256 line = _mm256_add_ps(c2, _mm256_mul_ps(part, c3));
    const __m256 parabola = _mm256_add_ps(c1, _mm256_mul_ps(part, line));
    _mm256_store_ps(out + i, _mm256_add_ps(c0, _mm256_mul_ps(part, parabola)));
  }
}

#elif defined(__SSE2__)

FATHOM_KERNEL void look_up(const CubicTable& table, const float* place, float* out) {
  for (std::size_t i = 0; i < kScoreLanes; i += 4) {
    const __m128 at = _mm_load_ps(place + i);
    const __m128i piece = _mm_cvttps_epi32(at);
    const __m128 part = _mm_sub_ps(at, _mm_cvtepi32_ps(piece));
    alignas(16) std::int32_t pieces[4];
    _mm_store_si128(reinterpret_cast<__m128i*>(pieces), piece);
    __m128 c0 = _mm_load_ps(table.rows[pieces[0]]), c1 = _mm_load_ps(table.rows[pieces[1]]);
    __m128 c2 = _mm_load_ps(table.rows[pieces[2]]), c3 = _mm_load_ps(table.rows[pieces[3]]);
    _MM_TRANSPOSE4_PS(c0, c1, c2, c3);
    const __m128 parabola = _mm_add_ps(c1, _mm_mul_ps(part, _mm_add_ps(c2, _mm_mul_ps(part, c3))));
    _mm_store_ps(out + i, _mm_add_ps(c0, _mm_mul_ps(part, parabola)));
  }
}

#else

FATHOM_KERNEL void look_up(const CubicTable& table, const float* place, float* out) {
  for (std::size_t i = 0; i < kScoreLanes; ++i) {
    const auto piece = static_cast<std::int32_t>(place[i]);
    const float part = place[i] - static_cast<float>(piece);
    const float* const c = table.rows[piece];
    out[i] = c[0] + part * (c[1] + part * (c[2] + part * c[3]));
  }
}

#endif

FATHOM_KERNEL float select(bool condition, float a, float b) {
#if defined(__AVX512F__)
  return condition ? a : b;  // one instruction with a mask
#else
  return math::select(condition, a, b);
#endif
}

constexpr std::size_t kMostRays = 256;  // at once, so that mantissas stay below 2^16; longer scans go in pieces

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

FATHOM_KERNEL float smaller(float a, float b) { return a < b ? a : b; }
FATHOM_KERNEL float larger(float a, float b) { return a > b ? a : b; }

/// Linear interpolation in a table at `position`, held at both ends.
FATHOM_KERNEL float interpolate(const float* table, float position, float last) {
  const float held = larger(0.0F, smaller(position, last));
  const auto index = static_cast<std::int32_t>(held);
  const float part = held - static_cast<float>(index);
  const float low = table[index];
  return low + part * (table[index + 1] - low);
}

/// log(1 + y), y >= 0.
FATHOM_KERNEL float log_of_1_and(float y) {
  const float all = 1.0F + y, rest = all - 1.0F;
  const float ratio = y / select(rest > 0.0F, rest, 1.0F);
  return select(rest > 0.0F, math::log(all) * ratio, y);
}

struct Constants : ScoreNumbers {
  const CubicTable &hit, &shorts;
  const float* tail;
};

FATHOM_KERNEL float tail_beyond(const Constants& c, float x) {
  const float root = math::sqrt(x);
  return interpolate(c.tail, root / (root + kTailKnee) * c.tail_per_place, c.tail_last);
}

/// w_hit p_hit of reading z with the surface at z_star; `scale` is that of Gaussian hits.
template <HitLaw kLaw>
FATHOM_KERNEL float hit_density(const Constants& c, float z, float z_star, float scale) {
  if constexpr (kLaw == HitLaw::kGaussian) {
    const float d = (z - z_star) * c.inverse_sigma;
    return scale * exp_negative(-0.5F * d * d);
  } else {
    const float sigma = kLaw == HitLaw::kGrows ? c.sigma + c.sigma_per_m * z_star : c.sigma, inverse = 1.0F / sigma;
    const float below = tail_beyond(c, z_star * inverse), above = tail_beyond(c, (c.max_range_m - z_star) * inverse);
    const float d = (z - z_star) * inverse;
    const float exponent = kLaw == HitLaw::kGrows ? -0.5F * d * d : c.power * log_of_1_and(d * d * c.inverse_nu);
    return c.hit_weight * inverse / (1.0F - below - above) * exp_negative(exponent);
  }
}

/// Densities of rays multiplied in 16 lanes: mantissas, each in [1, 2), and exponents apart, so that no product leaves
/// the range of floats.
struct alignas(64) Products {
  std::int32_t exponent[kScoreLanes];
  float mantissa[kScoreLanes];
  std::uint32_t impossible[kScoreLanes];  ///< not 0: some reading at Z had no weight
};

/// The density of a scan: mantissa, in [1, 2), times 2^exponent.
struct Density {
  double mantissa;
  std::int32_t exponent;
  std::uint32_t impossible;
};

/// What expected ranges make of densities.
struct alignas(64) Surfaces {
  float z_star[kScoreLanes], hit_scale[kScoreLanes], short_rise[kScoreLanes];
};

template <HitLaw kLaw>
FATHOM_KERNEL void find_surfaces(const Constants& c, const float* __restrict expected, Surfaces& __restrict to) {
  alignas(64) float hit_place[kScoreLanes], short_place[kScoreLanes];
  for (std::size_t k = 0; k < kScoreLanes; ++k) {
    const float offset = select(expected[k] >= c.max_range_m, 0.0F, c.offset_m);
    const float z_star = smaller(larger(expected[k] + offset, c.floor_m), c.max_range_m);
    const float nearer_end = smaller(z_star, c.max_range_m - z_star);
    to.z_star[k] = z_star;
    hit_place[k] = smaller(nearer_end * c.hit_per_m, CubicTable::kLast);
    short_place[k] = smaller(z_star * c.short_per_m, CubicTable::kLast);
  }
  if constexpr (kLaw == HitLaw::kGaussian) look_up(c.hit, hit_place, to.hit_scale);
  look_up(c.shorts, short_place, to.short_rise);
}

template <HitLaw kLaw>
FATHOM_KERNEL void multiply(const Constants& c, const float* __restrict reading, const float* __restrict factor,
                            const std::uint32_t* __restrict kind, const float* __restrict expected,
                            Products& __restrict products) {
  Surfaces at;
  find_surfaces<kLaw>(c, expected, at);
  for (std::size_t k = 0; k < kScoreLanes; ++k) {
    const float z = reading[k], z_star = at.z_star[k];
    const bool missed = expected[k] >= c.max_range_m;
    const float hit = select(c.atom & missed, 0.0F, hit_density<kLaw>(c, z, z_star, at.hit_scale[k]));
    const float short_scale = select(z_star < c.short_end_m, at.short_rise[k] / z_star, c.short_far);
    const float shorts = select(z <= z_star, short_scale * factor[k], 0.0F);
    const float at_max = select(missed, c.max_miss, c.max);
    const float with_max = select(kind[k] == 1U, at_max, hit + shorts + c.w_rand_density);
    products.impossible[k] |= static_cast<std::uint32_t>((kind[k] == 1U) & (at_max == 0.0F));
    // The smallest normal float stands for "impossible", as a logarithm of it is finite; see tables_suffice().
    const std::uint32_t bits = math::bits_of(select(kind[k] == 2U, 1.0F, larger(with_max, 1.17549435e-38F)));
    products.exponent[k] += static_cast<std::int32_t>(bits >> 23U) - 127;
    products.mantissa[k] *= math::float_of((bits & 0x007fffffU) | 0x3f800000U);
  }
}

/// Multiplies all lanes into a density.
FATHOM_KERNEL void fold(const Products& products, Density& density) {
  const float* const m = products.mantissa;
  double eight[8], four[4];
  for (std::size_t k = 0; k < 8; ++k) eight[k] = double{m[k]} * double{m[k + 8]};
  for (std::size_t k = 0; k < 4; ++k) four[k] = eight[k] * eight[k + 4];
  const double product = (four[0] * four[2]) * (four[1] * four[3]);
  std::int32_t exponent = 0;
  std::uint32_t impossible = 0;
  for (std::size_t k = 0; k < kScoreLanes; ++k) exponent += products.exponent[k], impossible |= products.impossible[k];
  const std::uint64_t bits = math::bits64_of(density.mantissa * product);
  density.exponent += exponent + static_cast<std::int32_t>(bits >> 52U) - 1023;
  density.mantissa = math::double_of((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  density.impossible |= impossible;
}

/// Of at most kMostRays rays. `readable`: number of expected ranges that may be read. Those behind the last ray count
/// nothing, as their kind is kNone.
template <HitLaw kLaw>
[[gnu::noinline]] void multiply_rays(const Constants& c, const float* reading, const float* factor,
                                     const std::uint32_t* kind, const float* expected, std::size_t rays,
                                     std::size_t readable, Density& density) {
  Products products;
  for (std::size_t k = 0; k < kScoreLanes; ++k) {
    products.mantissa[k] = 1.0F, products.exponent[k] = 0, products.impossible[k] = 0;
  }
  std::size_t at = 0;
  for (; at < rays && at + kScoreLanes <= readable; at += kScoreLanes) {
    multiply<kLaw>(c, reading + at, factor + at, kind + at, expected + at, products);
  }
  if (at < rays) {
    float last[kScoreLanes];
    for (std::size_t k = 0; k < kScoreLanes; ++k) last[k] = expected[at + k < rays ? at + k : rays - 1];
    multiply<kLaw>(c, reading + at, factor + at, kind + at, last, products);
  }
  fold(products, density);
}

constexpr std::size_t kLogsAtOnce = 64;

/// out[p] = log of densities [p].
[[gnu::noinline]] void take_logs(const Density* densities, std::size_t count, double* out) {
  constexpr double kLog2 = 0.69314718055994531;
  alignas(64) double log_mantissa[kLogsAtOnce];
  for (std::size_t p = 0; p < count; ++p) log_mantissa[p] = densities[p].mantissa;
  for (std::size_t p = 0; p < count; ++p) log_mantissa[p] = math::log(log_mantissa[p]);
  for (std::size_t p = 0; p < count; ++p) {
    const double sum = log_mantissa[p] + kLog2 * densities[p].exponent;
    out[p] = densities[p].impossible != 0 ? -std::numeric_limits<double>::infinity() : sum;
  }
}

void score(const ScoreTables& t, const ScanTerms& scan, const float* expected_m, std::size_t poses, std::size_t rays,
           double* out) {
  const Constants c = {t, t.hit, t.shorts, t.tail.data()};
  const auto multiply_piece = t.law == HitLaw::kGaussian   ? multiply_rays<HitLaw::kGaussian>
                              : t.law == HitLaw::kStudentT ? multiply_rays<HitLaw::kStudentT>
                                                           : multiply_rays<HitLaw::kGrows>;
  Density densities[kLogsAtOnce];
  for (std::size_t first = 0; first < poses; first += kLogsAtOnce) {
    const std::size_t count = poses - first < kLogsAtOnce ? poses - first : kLogsAtOnce;
    for (std::size_t p = 0; p < count; ++p) {
      densities[p] = {1.0, 0, 0};
      for (std::size_t k = 0; k < rays; k += kMostRays) {
        multiply_piece(c, scan.reading_m.data() + k, scan.short_factor.data() + k, scan.kind.data() + k,
                       expected_m + (first + p) * rays + k, rays - k < kMostRays ? rays - k : kMostRays,
                       (poses - first - p) * rays - k, densities[p]);
      }
    }
    take_logs(densities, count, out + first);
  }
}

}  // namespace

const ScoreKernel kScoreKernel = &score;

}  // namespace fathom::FATHOM_ISA
