// SPDX-License-Identifier: MIT
#pragma once
// 4, 8 and 16 floats as one value, with the operations of tree walks. An operation gives the same bits in every width:
// min and max are a < b ? a : b and a > b ? a : b, also for NaN. Only for sources compiled by fathom_isa_sources.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <fathom/core/export.hpp>

namespace fathom::FATHOM_ISA {

// Four lanes as a vector of the compiler. Most operations are one instruction of SSE2 or NEON.
using Floats4 [[gnu::vector_size(16)]] = float;
using Words4 [[gnu::vector_size(16)]] = std::int32_t;

struct F4 {
  static constexpr unsigned kLanes = 4;
  using Mask = F4;
  Floats4 v;
  static F4 of(Words4 x) { return {reinterpret_cast<Floats4>(x)}; }
  static F4 all(float x) { return {Floats4{x, x, x, x}}; }
  static F4 load(const float* p) {
    F4 a;
    __builtin_memcpy(&a.v, p, sizeof a.v);
    return a;
  }
  static F4 mask_from(unsigned bits, Words4 each = Words4{1, 2, 4, 8}) {
    const auto all = static_cast<std::int32_t>(bits);
    return of((Words4{all, all, all, all} & each) == each);
  }
  static F4 word(std::uint32_t x) { return all(std::bit_cast<float>(x)); }
  void store(float* p) const { __builtin_memcpy(p, &v, sizeof v); }
  [[nodiscard]] Words4 words() const { return reinterpret_cast<Words4>(v); }
};
FATHOM_KERNEL F4 operator+(F4 a, F4 b) { return {a.v + b.v}; }
FATHOM_KERNEL F4 operator-(F4 a, F4 b) { return {a.v - b.v}; }
FATHOM_KERNEL F4 operator*(F4 a, F4 b) { return {a.v * b.v}; }
FATHOM_KERNEL F4 operator/(F4 a, F4 b) { return {a.v / b.v}; }
FATHOM_KERNEL F4 min(F4 a, F4 b) { return {a.v < b.v ? a.v : b.v}; }
FATHOM_KERNEL F4 max(F4 a, F4 b) { return {a.v > b.v ? a.v : b.v}; }
FATHOM_KERNEL F4 le(F4 a, F4 b) { return F4::of(a.v <= b.v); }
FATHOM_KERNEL F4 lt(F4 a, F4 b) { return F4::of(a.v < b.v); }
FATHOM_KERNEL F4 eq(F4 a, F4 b) { return F4::of(a.v == b.v); }
#if defined(__SSE2__)  // on words these would cost a cycle, because the next operation is one on floats
FATHOM_KERNEL F4 operator&(F4 a, F4 b) { return {_mm_and_ps(a.v, b.v)}; }
FATHOM_KERNEL F4 operator|(F4 a, F4 b) { return {_mm_or_ps(a.v, b.v)}; }
FATHOM_KERNEL F4 without(F4 a, F4 b) { return {_mm_andnot_ps(b.v, a.v)}; }
FATHOM_KERNEL unsigned bits(F4 m) { return static_cast<unsigned>(_mm_movemask_ps(m.v)); }
#else
FATHOM_KERNEL F4 operator&(F4 a, F4 b) { return F4::of(a.words() & b.words()); }
FATHOM_KERNEL F4 operator|(F4 a, F4 b) { return F4::of(a.words() | b.words()); }
FATHOM_KERNEL F4 without(F4 a, F4 b) { return F4::of(a.words() & ~b.words()); }
FATHOM_KERNEL unsigned bits(F4 m) {
  const Words4 each = (m.words() >> 31) & Words4{1, 2, 4, 8};
  return static_cast<unsigned>(each[0] | each[1] | each[2] | each[3]);
}
#endif
FATHOM_KERNEL F4 abs(F4 a) { return without(a, F4::all(-0.0F)); }
FATHOM_KERNEL F4 select(F4 m, F4 a, F4 b) { return (m & a) | without(b, m); }
FATHOM_KERNEL float first(F4 a) { return a.v[0]; }
FATHOM_KERNEL float least(F4 a) {
  const F4 m = min(a, {__builtin_shufflevector(a.v, a.v, 2, 3, 2, 3)});
  return first(min(m, {__builtin_shufflevector(m.v, m.v, 1, 1, 1, 1)}));
}

#if defined(__AVX2__)

/// The lanes of each set of eight lanes, packed.
inline constexpr auto kPacked = [] {
  std::array<std::array<std::uint8_t, 8>, 256> lanes = {};
  for (unsigned set = 0; set < 256; ++set) {
    for (unsigned i = 0, at = 0; i < 8; ++i) {
      if ((set >> i & 1U) != 0) lanes[set][at++] = static_cast<std::uint8_t>(i);
    }
  }
  return lanes;
}();

struct F8 {
  static constexpr unsigned kLanes = 8;
  using Mask = F8;
  __m256 v;
  static F8 all(float x) { return {_mm256_set1_ps(x)}; }
  static F8 load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static F8 word(std::uint32_t x) { return {_mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(x)))}; }
  static F8 mask_from(unsigned bits) {
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i set = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), lane);
    return {_mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lane))};
  }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
};
FATHOM_KERNEL F8 operator+(F8 a, F8 b) { return {_mm256_add_ps(a.v, b.v)}; }
FATHOM_KERNEL F8 operator-(F8 a, F8 b) { return {_mm256_sub_ps(a.v, b.v)}; }
FATHOM_KERNEL F8 operator*(F8 a, F8 b) { return {_mm256_mul_ps(a.v, b.v)}; }
FATHOM_KERNEL F8 operator/(F8 a, F8 b) { return {_mm256_div_ps(a.v, b.v)}; }
FATHOM_KERNEL F8 min(F8 a, F8 b) { return {_mm256_min_ps(a.v, b.v)}; }
FATHOM_KERNEL F8 max(F8 a, F8 b) { return {_mm256_max_ps(a.v, b.v)}; }
FATHOM_KERNEL F8 abs(F8 a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0F), a.v)}; }
FATHOM_KERNEL F8 le(F8 a, F8 b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)}; }
FATHOM_KERNEL F8 lt(F8 a, F8 b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)}; }
FATHOM_KERNEL F8 eq(F8 a, F8 b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ)}; }
FATHOM_KERNEL F8 operator&(F8 a, F8 b) { return {_mm256_and_ps(a.v, b.v)}; }
FATHOM_KERNEL F8 operator|(F8 a, F8 b) { return {_mm256_or_ps(a.v, b.v)}; }
FATHOM_KERNEL F8 without(F8 a, F8 b) { return {_mm256_andnot_ps(b.v, a.v)}; }
FATHOM_KERNEL F8 select(F8 m, F8 a, F8 b) { return {_mm256_blendv_ps(b.v, a.v, m.v)}; }
FATHOM_KERNEL unsigned bits(F8 m) { return static_cast<unsigned>(_mm256_movemask_ps(m.v)); }
FATHOM_KERNEL float least(F8 a) {
  return least(F4{_mm_min_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1))});
}

inline constexpr bool kPacksFast = true;  ///< pack() is a few instructions

/// Stores the lanes of `words` whose bits are set, packed; may write eight words.
FATHOM_KERNEL void pack(F8 words, unsigned which, void* to) {
  const __m256i from = _mm256_castps_si256(words.v);
#if defined(__AVX512VL__)
  const __m256i packed = _mm256_maskz_compress_epi32(static_cast<__mmask8>(which), from);
#else
  const __m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPacked[which].data())));
  const __m256i packed = _mm256_permutevar8x32_epi32(from, lanes);
#endif
  _mm256_storeu_si256(static_cast<__m256i*>(to), packed);
}

#else

struct F8 {
  static constexpr unsigned kLanes = 8;
  using Mask = F8;
  F4 a, b;
  static F8 all(float x) { return {F4::all(x), F4::all(x)}; }
  static F8 load(const float* p) { return {F4::load(p), F4::load(p + 4)}; }
  static F8 word(std::uint32_t x) { return {F4::word(x), F4::word(x)}; }
  static F8 mask_from(unsigned bits) { return {F4::mask_from(bits), F4::mask_from(bits, Words4{16, 32, 64, 128})}; }
  void store(float* p) const { a.store(p), b.store(p + 4); }
};
FATHOM_KERNEL F8 operator+(F8 x, F8 y) { return {x.a + y.a, x.b + y.b}; }
FATHOM_KERNEL F8 operator-(F8 x, F8 y) { return {x.a - y.a, x.b - y.b}; }
FATHOM_KERNEL F8 operator*(F8 x, F8 y) { return {x.a * y.a, x.b * y.b}; }
FATHOM_KERNEL F8 operator/(F8 x, F8 y) { return {x.a / y.a, x.b / y.b}; }
FATHOM_KERNEL F8 min(F8 x, F8 y) { return {min(x.a, y.a), min(x.b, y.b)}; }
FATHOM_KERNEL F8 max(F8 x, F8 y) { return {max(x.a, y.a), max(x.b, y.b)}; }
FATHOM_KERNEL F8 abs(F8 x) { return {abs(x.a), abs(x.b)}; }
FATHOM_KERNEL F8 le(F8 x, F8 y) { return {le(x.a, y.a), le(x.b, y.b)}; }
FATHOM_KERNEL F8 lt(F8 x, F8 y) { return {lt(x.a, y.a), lt(x.b, y.b)}; }
FATHOM_KERNEL F8 eq(F8 x, F8 y) { return {eq(x.a, y.a), eq(x.b, y.b)}; }
FATHOM_KERNEL F8 operator&(F8 x, F8 y) { return {x.a & y.a, x.b & y.b}; }
FATHOM_KERNEL F8 operator|(F8 x, F8 y) { return {x.a | y.a, x.b | y.b}; }
FATHOM_KERNEL F8 without(F8 x, F8 y) { return {without(x.a, y.a), without(x.b, y.b)}; }
FATHOM_KERNEL F8 select(F8 m, F8 x, F8 y) { return {select(m.a, x.a, y.a), select(m.b, x.b, y.b)}; }
FATHOM_KERNEL unsigned bits(F8 m) { return bits(m.a) | bits(m.b) << 4; }
FATHOM_KERNEL float least(F8 x) { return least(min(x.a, x.b)); }
inline constexpr bool kPacksFast = false;
FATHOM_KERNEL void pack(F8 words, unsigned which, void* to) {
  float lanes[8];
  words.store(lanes);
  for (auto* next = static_cast<std::byte*>(to); which != 0; which &= which - 1, next += sizeof(float)) {
    std::memcpy(next, lanes + std::countr_zero(which), sizeof(float));
  }
}

#endif

#if defined(__AVX512F__)

struct M16 {
  __mmask16 m;
};
struct F16 {
  static constexpr unsigned kLanes = 16;
  using Mask = M16;
  __m512 v;
  static F16 all(float x) { return {_mm512_set1_ps(x)}; }
  static F16 load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static F16 word(std::uint32_t x) { return {_mm512_castsi512_ps(_mm512_set1_epi32(static_cast<int>(x)))}; }
  static M16 mask_from(unsigned bits) { return {static_cast<__mmask16>(bits)}; }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
};
FATHOM_KERNEL F16 operator+(F16 a, F16 b) { return {_mm512_add_ps(a.v, b.v)}; }
FATHOM_KERNEL F16 operator-(F16 a, F16 b) { return {_mm512_sub_ps(a.v, b.v)}; }
FATHOM_KERNEL F16 operator*(F16 a, F16 b) { return {_mm512_mul_ps(a.v, b.v)}; }
FATHOM_KERNEL F16 operator/(F16 a, F16 b) { return {_mm512_div_ps(a.v, b.v)}; }
FATHOM_KERNEL F16 min(F16 a, F16 b) { return {_mm512_maskz_min_ps(0xffff, a.v, b.v)}; }
FATHOM_KERNEL F16 max(F16 a, F16 b) { return {_mm512_maskz_max_ps(0xffff, a.v, b.v)}; }
FATHOM_KERNEL F16 abs(F16 a) {
  // The masked form, because g++ 12 warns about an uninitialised register in the plain one.
  return {_mm512_castsi512_ps(_mm512_maskz_and_epi32(0xffff, _mm512_castps_si512(a.v), _mm512_set1_epi32(0x7fffffff)))};
}
FATHOM_KERNEL M16 le(F16 a, F16 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)}; }
FATHOM_KERNEL M16 lt(F16 a, F16 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
FATHOM_KERNEL M16 eq(F16 a, F16 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ)}; }
FATHOM_KERNEL M16 operator&(M16 a, M16 b) { return {static_cast<__mmask16>(a.m & b.m)}; }
FATHOM_KERNEL M16 operator|(M16 a, M16 b) { return {static_cast<__mmask16>(a.m | b.m)}; }
FATHOM_KERNEL M16 without(M16 a, M16 b) { return {static_cast<__mmask16>(a.m & ~b.m)}; }
FATHOM_KERNEL F16 select(M16 m, F16 a, F16 b) { return {_mm512_mask_blend_ps(m.m, b.v, a.v)}; }
FATHOM_KERNEL unsigned bits(M16 m) { return m.m; }
FATHOM_KERNEL float least(F16 a) {
  // The masked forms as in abs().
  const __m256 low = _mm512_maskz_extractf32x8_ps(0xff, a.v, 0), high = _mm512_maskz_extractf32x8_ps(0xff, a.v, 1);
  return least(F8{_mm256_min_ps(low, high)});
}
using FGroup = F16;

#else
using FGroup = F8;
#endif

/// The largest lane.
template <class F>
FATHOM_KERNEL float most(F a) {
  return -least(F::all(0.0F) - a);
}

}  // namespace fathom::FATHOM_ISA
