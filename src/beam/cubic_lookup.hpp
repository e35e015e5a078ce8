// SPDX-License-Identifier: MIT
#pragma once
// Look-ups in cubic tables, sixteen at once. Compiled once per instruction set, FATHOM_ISA naming it.

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#else
#include <emmintrin.h>
#endif

#include <fathom/base/export.hpp>

#include "beam/cubic_table.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr std::size_t kLookups = 16;

#if defined(__AVX512F__)

/// out[k] = table at place[k], in [0, CubicTable::kLast].
FATHOM_KERNEL void look_up(const CubicTable& table, const float* place, float* out) {
  const __m512 at = _mm512_load_ps(place);
  const __m512i piece = _mm512_cvttps_epi32(at);
  const __m512 part = _mm512_sub_ps(at, _mm512_cvtepi32_ps(piece));
  const auto column = [&](std::size_t k) __attribute__((always_inline)) {
    return _mm512_permutex2var_ps(_mm512_load_ps(table.columns[k]), piece, _mm512_load_ps(table.columns[k] + 16));
  };
  __m512 value = column(3);
  for (int k = 2; k >= 0; --k) {
    value = _mm512_add_ps(column(static_cast<std::size_t>(k)), _mm512_mul_ps(part, value));
  }
  _mm512_store_ps(out, value);
}

#elif defined(__AVX2__)

FATHOM_KERNEL void look_up(const CubicTable& table, const float* place, float* out) {
  for (std::size_t i = 0; i < kLookups; i += 8) {
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

#else

FATHOM_KERNEL void look_up(const CubicTable& table, const float* place, float* out) {
  for (std::size_t i = 0; i < kLookups; i += 4) {
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

#endif

}  // namespace fathom::FATHOM_ISA
