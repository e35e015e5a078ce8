// SPDX-License-Identifier: MIT
#pragma once
// Eight doubles as one value, with the few operations that sums need. As cast/tree/lanes.hpp: only for sources compiled
// by fathom_isa_sources, and the same bits in every instruction set.

#include <immintrin.h>

#include <fathom/base/export.hpp>

#include "cast/tree/lanes.hpp"

namespace fathom::FATHOM_ISA {

struct D8 {
#if defined(__AVX2__)
  __m256d a, b;
  static D8 all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static D8 load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static D8 of(F8 x) {
    return {_mm256_cvtps_pd(_mm256_castps256_ps128(x.v)), _mm256_cvtps_pd(_mm256_extractf128_ps(x.v, 1))};
  }
  void store(double* p) const { _mm256_storeu_pd(p, a), _mm256_storeu_pd(p + 4, b); }
  [[nodiscard]] F8 rounded() const { return {_mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a))}; }
#else
  struct D4 {
    __m128d a, b;
  } a, b;
  static D4 half(double x) { return {_mm_set1_pd(x), _mm_set1_pd(x)}; }
  static D8 all(double x) { return {half(x), half(x)}; }
  static D4 half(const double* p) { return {_mm_loadu_pd(p), _mm_loadu_pd(p + 2)}; }
  static D8 load(const double* p) { return {half(p), half(p + 4)}; }
  static D4 half(F4 x) { return {_mm_cvtps_pd(x.v), _mm_cvtps_pd(_mm_movehl_ps(x.v, x.v))}; }
  static D8 of(F8 x) { return {half(x.a), half(x.b)}; }
  void store(double* p) const {
    _mm_storeu_pd(p, a.a), _mm_storeu_pd(p + 2, a.b), _mm_storeu_pd(p + 4, b.a), _mm_storeu_pd(p + 6, b.b);
  }
  static F4 rounded(const D4& d) { return {_mm_movelh_ps(_mm_cvtpd_ps(d.a), _mm_cvtpd_ps(d.b))}; }
  [[nodiscard]] F8 rounded() const { return {rounded(a), rounded(b)}; }
#endif
};

#if defined(__AVX2__)
FATHOM_KERNEL D8 operator+(D8 x, D8 y) { return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator-(D8 x, D8 y) { return {_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator*(D8 x, D8 y) { return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator/(D8 x, D8 y) { return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)}; }
/// x > 0 ? y : z
FATHOM_KERNEL D8 where_positive(D8 x, D8 y, D8 z) {
  const __m256d zero = _mm256_setzero_pd();
  return {_mm256_blendv_pd(z.a, y.a, _mm256_cmp_pd(x.a, zero, _CMP_GT_OQ)),
          _mm256_blendv_pd(z.b, y.b, _mm256_cmp_pd(x.b, zero, _CMP_GT_OQ))};
}
#else
FATHOM_KERNEL D8::D4 operator+(D8::D4 x, D8::D4 y) { return {_mm_add_pd(x.a, y.a), _mm_add_pd(x.b, y.b)}; }
FATHOM_KERNEL D8::D4 operator-(D8::D4 x, D8::D4 y) { return {_mm_sub_pd(x.a, y.a), _mm_sub_pd(x.b, y.b)}; }
FATHOM_KERNEL D8::D4 operator*(D8::D4 x, D8::D4 y) { return {_mm_mul_pd(x.a, y.a), _mm_mul_pd(x.b, y.b)}; }
FATHOM_KERNEL D8::D4 operator/(D8::D4 x, D8::D4 y) { return {_mm_div_pd(x.a, y.a), _mm_div_pd(x.b, y.b)}; }
FATHOM_KERNEL D8 operator+(D8 x, D8 y) { return {x.a + y.a, x.b + y.b}; }
FATHOM_KERNEL D8 operator-(D8 x, D8 y) { return {x.a - y.a, x.b - y.b}; }
FATHOM_KERNEL D8 operator*(D8 x, D8 y) { return {x.a * y.a, x.b * y.b}; }
FATHOM_KERNEL D8 operator/(D8 x, D8 y) { return {x.a / y.a, x.b / y.b}; }
FATHOM_KERNEL __m128d where_positive(__m128d x, __m128d y, __m128d z) {
  const __m128d is = _mm_cmpgt_pd(x, _mm_setzero_pd());
  return _mm_or_pd(_mm_and_pd(is, y), _mm_andnot_pd(is, z));
}
/// x > 0 ? y : z
FATHOM_KERNEL D8 where_positive(D8 x, D8 y, D8 z) {
  return {{where_positive(x.a.a, y.a.a, z.a.a), where_positive(x.a.b, y.a.b, z.a.b)},
          {where_positive(x.b.a, y.b.a, z.b.a), where_positive(x.b.b, y.b.b, z.b.b)}};
}
#endif

}  // namespace fathom::FATHOM_ISA
