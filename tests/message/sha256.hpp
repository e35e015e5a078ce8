// SPDX-License-Identifier: MIT
#pragma once
// SHA-256 as FIPS 180-4 describes it.

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

namespace fathom::test {

__extension__ typedef unsigned __int128 Wide;  // no part of C++20

inline std::uint32_t prime(std::size_t n) {
  std::uint32_t candidate = 1;
  for (std::size_t found = 0; found <= n;) {
    ++candidate;
    bool divides = false;
    for (std::uint32_t d = 2; d * d <= candidate && !divides; ++d) divides = candidate % d == 0;
    if (!divides) ++found;
  }
  return candidate;
}

/// The first 32 bits of the fraction of the square (power 2) or cube root (power 3) of a prime, by whole numbers.
inline std::uint32_t root_bits(std::uint32_t number, int power) {
  Wide root = 0;
  const Wide target = static_cast<Wide>(number) << (32 * power);
  for (int bit = 36; bit >= 0; --bit) {
    const Wide trial = root | (static_cast<Wide>(1) << bit);
    if (trial * trial * (power == 3 ? trial : 1) <= target) root = trial;
  }
  return static_cast<std::uint32_t>(root);
}

inline void hash_block(const std::uint8_t* block, std::array<std::uint32_t, 8>& hash) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 64; ++t) {
    if (t < 16) {
      for (std::size_t i = 0; i < 4; ++i) w[t] = (w[t] << 8) | block[4 * t + i];
      continue;
    }
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                             root_bits(prime(t), 3) + w[t];
    const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) hash[i] += added[i];
}

/// 64 hex digits.
inline std::string sha256(std::string bytes) {
  const std::uint64_t bits = bytes.size() * 8;
  bytes.push_back('\x80');
  while (bytes.size() % 64 != 56) bytes.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(bits >> shift));
  std::array<std::uint32_t, 8> hash{};
  for (std::size_t i = 0; i < 8; ++i) hash[i] = root_bits(prime(i), 2);
  for (std::size_t at = 0; at < bytes.size(); at += 64) {
    hash_block(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, hash);
  }
  std::string text;
  for (const std::uint32_t word : hash) {
    std::array<char, 9> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x", word);
    text += digits.data();
  }
  return text;
}

}  // namespace fathom::test
