// SPDX-License-Identifier: MIT
#pragma once
// As many lanes as the instruction set has in one register, as a compiler vector, and the operations that the
// vector extension lacks. (g++ 12 takes wider vectors apart lane by lane.) Only for sources compiled by
// fathom_isa_sources.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#else
#include <emmintrin.h>
#endif

#include <fathom/base/export.hpp>

namespace fathom::FATHOM_ISA {

#if defined(__AVX512F__)
inline constexpr std::size_t kLanes = 16;
#elif defined(__AVX2__)
inline constexpr std::size_t kLanes = 8;
#else
inline constexpr std::size_t kLanes = 4;
#endif

using Floats = float __attribute__((vector_size(kLanes * 4)));
using Ints = std::int32_t __attribute__((vector_size(kLanes * 4)));

#if defined(__AVX2__)
/// table[offset[0]] to table[offset[7]].
FATHOM_KERNEL __m128i load_eight(const std::uint16_t* table, const std::int32_t* offset) {
  __m128i low = _mm_cvtsi32_si128(table[offset[0]]), high = _mm_cvtsi32_si128(table[offset[4]]);
  low = _mm_insert_epi16(low, table[offset[1]], 1), high = _mm_insert_epi16(high, table[offset[5]], 1);
  low = _mm_insert_epi16(low, table[offset[2]], 2), high = _mm_insert_epi16(high, table[offset[6]], 2);
  low = _mm_insert_epi16(low, table[offset[3]], 3), high = _mm_insert_epi16(high, table[offset[7]], 3);
  return _mm_unpacklo_epi64(low, high);
}
#endif

/// out[lane] = table[offset[lane]]. Gathers are slower than as many loads, those of AVX2 and those of AVX-512 (Zen 4:
/// 52 for 56 and 74 for 79 million rays a second).
FATHOM_KERNEL void gather(const std::uint16_t* table, const Ints& offset, Ints& out) {
#if defined(__AVX2__)
  alignas(64) std::int32_t at[kLanes];
  __builtin_memcpy(at, &offset, sizeof at);
#if defined(__AVX512F__)
  const __m256i low = _mm256_castsi128_si256(load_eight(table, at));
  // The masked form, because the plain one starts from an uninitialised register, which g++ 12 warns of.
  out = reinterpret_cast<Ints>(
      _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_inserti128_si256(low, load_eight(table, at + 8), 1)));
#else
  out = reinterpret_cast<Ints>(_mm256_cvtepu16_epi32(load_eight(table, at)));
#endif
#else
  out = Ints{table[offset[0]], table[offset[1]], table[offset[2]], table[offset[3]]};
#endif
}

/// Which lanes of a comparison's result are true, a bit each.
FATHOM_KERNEL std::uint32_t lane_bits(const Ints& mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask));
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#endif
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/// [lane_bits][lane]: how many of the bits below a lane are set.
inline constexpr auto kRankOfLane = [] {
  std::array<std::array<std::int32_t, kLanes>, 256> rank{};
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      rank[bits][lane] = std::popcount(bits & ((1U << lane) - 1U));
    }
  }
  return rank;
}();
#endif

/// Lanes of the comparison's result `mask`, whose bits are `bits`, take from[0], from[1], ... in their order; others
/// keep what they have. Reads as many values as there are lanes.
template <class V>
FATHOM_KERNEL void expand(V& to, const Ints& mask, std::uint32_t bits, const void* from) {
#if defined(__AVX512F__)
  static_cast<void>(mask);
  to = reinterpret_cast<V>(
      _mm512_mask_expand_epi32(reinterpret_cast<__m512i>(to), static_cast<__mmask16>(bits), _mm512_loadu_si512(from)));
#elif defined(__AVX2__)
  const auto rank = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kRankOfLane[bits].data()));
  const auto values = _mm256_loadu_si256(static_cast<const __m256i*>(from));
  to = mask ? reinterpret_cast<V>(_mm256_permutevar8x32_epi32(values, rank)) : to;
#else
  static_cast<void>(mask);
  V values;
  __builtin_memcpy(&values, from, sizeof values);
  for (std::size_t lane = 0, k = 0; lane < kLanes; ++lane) {
    if ((bits >> lane & 1U) != 0) to[lane] = values[k++];
  }
#endif
}

}  // namespace fathom::FATHOM_ISA
