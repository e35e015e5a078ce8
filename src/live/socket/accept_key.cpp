// SPDX-License-Identifier: MIT
#include "live/socket/accept_key.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/base64.hpp"
#include "live/socket/big_endian.hpp"

namespace fathom {

namespace {

constexpr std::string_view kWebSocketId = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // of the protocol
constexpr std::size_t kBlockBytes = 64;

using Digest = std::array<std::uint32_t, 5>;

/// FIPS 180-4, section 6.1.2, steps 2 and 3: how a round mixes b, c and d, and its constant.
std::uint32_t mixed(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (round < 20) return (d ^ (b & (c ^ d))) + 0x5a827999U;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1U;
  if (round < 60) return ((b & c) | (d & (b | c))) + 0x8f1bbcdcU;
  return (b ^ c ^ d) + 0xca62c1d6U;
}

void add_block(Digest& digest, std::string_view block) {
  std::array<std::uint32_t, 80> words = {};
  for (std::size_t i = 0; i < 16; ++i) words[i] = static_cast<std::uint32_t>(big_endian(block.substr(4 * i, 4)));
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = digest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t next = std::rotl(a, 5) + mixed(i, b, c, d) + e + words[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  digest = {digest[0] + a, digest[1] + b, digest[2] + c, digest[3] + d, digest[4] + e};
}

std::string sha1(std::string message) {
  const std::uint64_t bits = std::uint64_t{8} * message.size();
  message += '\x80';
  while (message.size() % kBlockBytes != kBlockBytes - 8) message += '\0';
  append_big_endian(message, bits, 8);
  Digest digest = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  const std::string_view blocks = message;
  for (std::size_t i = 0; i < blocks.size(); i += kBlockBytes) add_block(digest, blocks.substr(i, kBlockBytes));
  std::string bytes;
  for (const std::uint32_t word : digest) append_big_endian(bytes, word, 4);
  return bytes;
}

}  // namespace

std::string accept_key(std::string_view key) { return base64(sha1(std::string(key).append(kWebSocketId))); }

}  // namespace fathom
