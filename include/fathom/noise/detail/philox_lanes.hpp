// SPDX-License-Identifier: MIT
#pragma once
// Philox4x32-10 for many counters at once. Words ride in 64-bit lanes, because every instruction set has a 32 x 32 ->
// 64 bit multiplication that ignores the upper halves: a round is two of them, two shifts and two three-way exclusive
// ors. g++ 12 does not find this by itself (it emits the 64-bit multiplication, three times the work): the normals come
// out 1.6 times as fast on AVX-512 (bench/bench_noise.cpp). The bits equal philox4x32() in random.hpp.

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <fathom/core/export.hpp>
#include <fathom/core/random.hpp>

namespace fathom {

#if defined(__AVX512F__)

struct WideWords {
  static constexpr std::size_t kWidth = 8;
  __m512i v;
  FATHOM_KERNEL static WideWords all(std::uint32_t x) { return {_mm512_set1_epi64(x)}; }
  FATHOM_KERNEL static WideWords load(const std::uint32_t* p) {
    return {_mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  FATHOM_KERNEL void store(std::uint32_t* p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi64_epi32(v));
  }
  FATHOM_KERNEL friend WideWords multiply(WideWords a, WideWords b) { return {_mm512_mul_epu32(a.v, b.v)}; }
  FATHOM_KERNEL friend WideWords upper(WideWords a) { return {_mm512_srli_epi64(a.v, 32)}; }
  FATHOM_KERNEL friend WideWords exclusive_or(WideWords a, WideWords b, WideWords c) {
    return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0x96)};
  }
};

#elif defined(__AVX2__)

struct WideWords {
  static constexpr std::size_t kWidth = 4;
  __m256i v;
  FATHOM_KERNEL static WideWords all(std::uint32_t x) { return {_mm256_set1_epi64x(x)}; }
  FATHOM_KERNEL static WideWords load(const std::uint32_t* p) {
    return {_mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  FATHOM_KERNEL void store(std::uint32_t* p) const {
    const __m256i low = _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(low));
  }
  FATHOM_KERNEL friend WideWords multiply(WideWords a, WideWords b) { return {_mm256_mul_epu32(a.v, b.v)}; }
  FATHOM_KERNEL friend WideWords upper(WideWords a) { return {_mm256_srli_epi64(a.v, 32)}; }
  FATHOM_KERNEL friend WideWords exclusive_or(WideWords a, WideWords b, WideWords c) {
    return {_mm256_xor_si256(_mm256_xor_si256(b.v, c.v), a.v)};
  }
};

#elif defined(__SSE2__)

struct WideWords {
  static constexpr std::size_t kWidth = 2;
  __m128i v;
  FATHOM_KERNEL static WideWords all(std::uint32_t x) { return {_mm_set1_epi64x(x)}; }
  FATHOM_KERNEL static WideWords load(const std::uint32_t* p) {
    return {_mm_unpacklo_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), _mm_setzero_si128())};
  }
  FATHOM_KERNEL void store(std::uint32_t* p) const {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_shuffle_epi32(v, 0x08));
  }
  FATHOM_KERNEL friend WideWords multiply(WideWords a, WideWords b) { return {_mm_mul_epu32(a.v, b.v)}; }
  FATHOM_KERNEL friend WideWords upper(WideWords a) { return {_mm_srli_epi64(a.v, 32)}; }
  FATHOM_KERNEL friend WideWords exclusive_or(WideWords a, WideWords b, WideWords c) {
    return {_mm_xor_si128(_mm_xor_si128(b.v, c.v), a.v)};
  }
};

#else

struct WideWords {
  static constexpr std::size_t kWidth = 1;
  std::uint64_t v;
  FATHOM_KERNEL static WideWords all(std::uint32_t x) { return {x}; }
  FATHOM_KERNEL static WideWords load(const std::uint32_t* p) { return {*p}; }
  FATHOM_KERNEL void store(std::uint32_t* p) const { *p = static_cast<std::uint32_t>(v); }
  FATHOM_KERNEL friend WideWords multiply(WideWords a, WideWords b) {
    return {(a.v & 0xffffffffU) * (b.v & 0xffffffffU)};
  }
  FATHOM_KERNEL friend WideWords upper(WideWords a) { return {a.v >> 32U}; }
  FATHOM_KERNEL friend WideWords exclusive_or(WideWords a, WideWords b, WideWords c) { return {a.v ^ b.v ^ c.v}; }
};

#endif

/// word[k][q] := word k of keyed_block(key, quads[q], draw), for `count` quads, a multiple of 8.
FATHOM_KERNEL void keyed_blocks(const NoiseKey& key, std::uint32_t draw, const std::uint32_t* quads, std::size_t count,
                                std::uint32_t* const (&word)[4]) {
  const WideWords m0 = WideWords::all(0xD2511F53U), m1 = WideWords::all(0xCD9E8D57U);
  WideWords key0[10], key1[10];
  for (std::uint32_t round = 0; round < 10; ++round) {
    key0[round] = WideWords::all(static_cast<std::uint32_t>(key.seed) + round * 0x9E3779B9U);
    key1[round] = WideWords::all(static_cast<std::uint32_t>(key.seed >> 32U) + round * 0xBB67AE85U);
  }
  for (std::size_t q = 0; q < count; q += WideWords::kWidth) {
    WideWords c0 = WideWords::load(quads + q), c1 = WideWords::all(key.frame);
    WideWords c2 = WideWords::all(key.stream), c3 = WideWords::all(draw);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const WideWords p0 = multiply(c0, m0), p1 = multiply(c2, m1);
      c0 = exclusive_or(upper(p1), c1, key0[round]);
      c1 = p1;
      c2 = exclusive_or(upper(p0), c3, key1[round]);
      c3 = p0;
    }
    c0.store(word[0] + q), c1.store(word[1] + q), c2.store(word[2] + q), c3.store(word[3] + q);
  }
}

}  // namespace fathom
