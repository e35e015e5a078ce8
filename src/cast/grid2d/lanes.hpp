#pragma once
// As many lanes as the instruction set has in one register, as a compiler vector, and the two operations that the
// vector extension lacks. (g++ 12 takes wider vectors apart lane by lane.) Only for sources compiled by
// fathom_isa_sources.

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#else
#include <emmintrin.h>
#endif

#include <fathom/export.hpp>

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

/// out[lane] = the word at table + offset[lane] (bytes, unaligned); at least its low byte.
FATHOM_KERNEL void gather_words(const std::uint8_t* table, const Ints& offset, Ints& out) {
#if defined(__AVX512F__)
  // The masked form, because the plain one starts from an uninitialised register, which g++ 12 warns of.
  out = reinterpret_cast<Ints>(
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, reinterpret_cast<__m512i>(offset), table, 1));
#elif defined(__AVX2__)
  out = reinterpret_cast<Ints>(
      _mm256_i32gather_epi32(reinterpret_cast<const int*>(table), reinterpret_cast<__m256i>(offset), 1));
#else
  out = Ints{table[offset[0]], table[offset[1]], table[offset[2]], table[offset[3]]};
#endif
}

/// Whether any lane of a comparison's result is true.
FATHOM_KERNEL bool any(const Ints& mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(mask)) != 0;
#else
  return _mm_movemask_epi8(reinterpret_cast<__m128i>(mask)) != 0;
#endif
}

}  // namespace fathom::FATHOM_ISA
