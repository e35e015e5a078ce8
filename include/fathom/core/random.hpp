// SPDX-License-Identifier: MIT
#pragma once
// Keyed randomness: every draw is a pure function of (seed, sensor, model, frame, ray). There is no generator object,
// so results do not depend on threads, on the order of rays, or on other draws.
//
//   word = lane (ray mod 4) of Philox4x32-10 { counter = [quad, frame, stream, draw], key = seed }
//
// A Philox block holds four words. Four neighbouring rays of a row (a quad) share one block, one word each, so three
// noises cost 0.75 blocks a ray instead of three.
//
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. tests/core/math/ replays
// the authors' test vectors.

#include <cstdint>
#include <numbers>
#include <string_view>

#include <fathom/core/export.hpp>
#include <fathom/core/f32.hpp>

namespace fathom {

/// The key of a draw, besides the ray.
struct NoiseKey {
  std::uint64_t seed = 0;
  std::uint32_t frame = 0;
  std::uint32_t stream = 0;  ///< see make_stream()
};

/// The four words of one Philox block.
struct PhiloxBlock {
  std::uint32_t word[4];
};

/// Philox4x32-10.
FATHOM_KERNEL PhiloxBlock philox4x32(PhiloxBlock counter, std::uint32_t key0, std::uint32_t key1) {
  std::uint32_t c0 = counter.word[0], c1 = counter.word[1], c2 = counter.word[2], c3 = counter.word[3];
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32U) ^ c1 ^ key0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32U) ^ c3 ^ key1;
    c3 = static_cast<std::uint32_t>(p0);
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

FATHOM_KERNEL PhiloxBlock keyed_block(const NoiseKey& key, std::uint32_t quad, std::uint32_t draw) {
  return philox4x32({{quad, key.frame, key.stream, draw}}, static_cast<std::uint32_t>(key.seed),
                    static_cast<std::uint32_t>(key.seed >> 32U));
}

/// A word as a uniform number in [0, 1), a multiple of 2^-24.
FATHOM_KERNEL float uniform_from_word(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8U)) * 0x1p-24F;
}

/// Phi(x) of a standard normal x, rounded down to a multiple of 2^-24 as uniform_from_word() has it.
FATHOM_KERNEL float uniform_from_normal(float x) {
  return static_cast<float>(static_cast<std::int32_t>(math::normal_cdf(x) * 0x1p24F)) * 0x1p-24F;
}

struct NormalPair {
  float first, second;
};

/// Two independent standard normals from two words (Box and Muller 1958). The radius comes from a uniform on
/// [2^-32, 1], so normals reach 6.66 standard deviations; the angle is reduced exactly, in integers.
FATHOM_KERNEL NormalPair normals_from_words(std::uint32_t radius_word, std::uint32_t angle_word) {
  const float u = static_cast<float>(static_cast<std::int32_t>(radius_word >> 1U)) * 0x1p-31F + 0x1p-32F;
  const float radius = math::sqrt(-2.0F * math::log(u));
  const std::uint32_t quadrant = (angle_word + 0x20000000U) >> 30U;
  const auto rest = static_cast<std::int32_t>(angle_word - (quadrant << 30U));  // in [-2^29, 2^29)
  const float angle = static_cast<float>(rest) * (0x1p-31F * std::numbers::pi_v<float>);
  const math::SinCos v = math::turn_quadrants(math::sincos_octant(angle), quadrant);
  return {radius * v.cos, radius * v.sin};
}

/// FNV-1a, 32 bits, of the bytes of `text`, continuing from `hash`.
constexpr std::uint32_t hash_text(std::string_view text, std::uint32_t hash = 2166136261U) {
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619U;
  return hash;
}

/// The stream of one model: names the sensor (by its name), the entry of its noise chain and the model's slug, so that
/// two sensors, two entries or two models never share draws. No slug has a slash: the last one ends the name.
constexpr std::uint32_t make_stream(std::string_view sensor, std::uint32_t entry, std::string_view slug) {
  std::uint32_t hash = hash_text(slug, hash_text("/", hash_text(sensor)));
  for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ ((entry >> shift) & 0xffU)) * 16777619U;
  // FNV-1a leaves the last byte in few bits; a finaliser (Murmur3) spreads it over all 32.
  hash = (hash ^ (hash >> 16U)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13U)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16U);
}

}  // namespace fathom
