// SPDX-License-Identifier: MIT
#include "run/dataset/hdf5/compress.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <isa-l/igzip_lib.h>

namespace fathom::hdf5 {

namespace {

/// All first bytes, then all second ones, and so on: the exponents of neighbours are similar.
template <std::size_t kBytes>
void shuffle_elements(std::span<const std::byte> elements, std::byte* out) {
  const std::size_t count = elements.size() / kBytes;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < kBytes; ++k) out[k * count + i] = elements[i * kBytes + k];
  }
}

/// The library has four levels for the nine of deflate.
int library_level(int level) { return level <= 1 ? 0 : level <= 3 ? 1 : level <= 6 ? 2 : 3; }

std::size_t memory_of(int library_level) {
  constexpr std::array<std::size_t, 4> kSizes = {ISAL_DEF_LVL0_DEFAULT, ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT,
                                                 ISAL_DEF_LVL3_DEFAULT};
  return kSizes.at(static_cast<std::size_t>(library_level));
}

/// The library reads through pointers to non-const.
std::uint8_t* to_library(const std::byte* bytes) {
  return const_cast<std::uint8_t*>(                   // NOLINT(*-const-cast)
      reinterpret_cast<const std::uint8_t*>(bytes));  // NOLINT(*-reinterpret-cast)
}

/// Whether the values of the bytes are so evenly distributed that no code makes them shorter, as in noise.
bool is_noise(std::span<const std::byte> bytes) {
  constexpr std::size_t kValues = 256, kSample = 1024;
  constexpr double kEven = 1.25;  // sum of squares relative to an even distribution; at this limit a code saves 2 %
  if (bytes.size() < kSample) return false;
  std::array<std::uint32_t, kValues> counts = {};
  for (std::size_t i = 0; i < kSample; ++i) ++counts[static_cast<std::size_t>(bytes[i * bytes.size() / kSample])];
  double squares = 0.0;
  for (const std::uint32_t count : counts) squares += static_cast<double>(count) * count;
  constexpr double kN = kSample;
  return squares < kEven * (kN + kN * kN / kValues);
}

/// Appends bytes uncompressed, as blocks of RFC 1951, 3.2.4, without the mark of the last block.
std::size_t put_stored(std::span<const std::byte> bytes, std::byte* out) {
  constexpr std::size_t kMost = 65535;
  std::size_t done = 0;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(kMost, bytes.size()))) {
    const auto size = static_cast<std::uint16_t>(std::min(kMost, bytes.size()));
    const auto inverse = static_cast<std::uint16_t>(~size);
    const std::array<std::uint8_t, 5> head = {
        0, static_cast<std::uint8_t>(size & 0xffU), static_cast<std::uint8_t>(size >> 8U),
        static_cast<std::uint8_t>(inverse & 0xffU), static_cast<std::uint8_t>(inverse >> 8U)};
    std::memcpy(out + done, head.data(), head.size());
    std::memcpy(out + done + head.size(), bytes.data(), size);
    done += head.size() + size;
  }
  return done;
}

}  // namespace

ChunkFilter::ChunkFilter(int level) : level_(library_level(level)), memory_(memory_of(level_)) {}

/// Raw deflate into `out`; 0 if it does not fit.
std::size_t ChunkFilter::code(std::span<const std::byte> plain, std::span<std::byte> out) {
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  stream.gzip_flag = IGZIP_DEFLATE;
  stream.level = static_cast<std::uint32_t>(level_);
  stream.level_buf = memory_.data();
  stream.level_buf_size = static_cast<std::uint32_t>(memory_.size());
  stream.next_in = to_library(plain.data());
  stream.avail_in = static_cast<std::uint32_t>(plain.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());  // NOLINT(*-reinterpret-cast): bytes
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  return isal_deflate_stateless(&stream) == COMP_OK ? stream.total_out : 0;
}

StoredChunk ChunkFilter::store(std::span<const std::byte> elements, std::size_t element_bytes) {
  std::span<const std::byte> plain = elements;
  if (element_bytes > 1) {
    shuffled_.resize(elements.size());
    element_bytes == 2 ? shuffle_elements<2>(elements, shuffled_.data())
                       : shuffle_elements<4>(elements, shuffled_.data());
    plain = shuffled_;
  }
  return deflate(plain, elements.size() / element_bytes);
}

/// A stream of zlib (RFC 1950). The first planes of numbers are the low bits, which hold the noise. Storing them
/// uncompressed takes a tenth of the time.
StoredChunk ChunkFilter::deflate(std::span<const std::byte> plain, std::size_t plane) {
  constexpr std::array<std::uint8_t, 2> kHead = {0x78, 0x01};
  constexpr std::size_t kMostBlocks = 5 * 8;  // heads of stored planes
  std::size_t noise = 0;
  while (noise + plane < plain.size() && is_noise(plain.subspan(noise, plane))) noise += plane;
  deflated_.resize(plain.size() + kMostBlocks + plain.size() / 4096);
  std::byte* out = deflated_.data();
  std::memcpy(out, kHead.data(), kHead.size());
  std::size_t size = kHead.size();
  for (std::size_t at = 0; at < noise; at += plane) size += put_stored(plain.subspan(at, plane), out + size);
  const auto rest = plain.subspan(noise);
  const std::size_t coded =
      code(rest, std::span(deflated_).subspan(size, deflated_.size() - size - sizeof(std::uint32_t)));
  size += coded + sizeof(std::uint32_t);
  if (coded == 0 || size >= plain.size()) return {plain, false};
  const std::uint32_t sum = isal_adler32(1, to_library(plain.data()), plain.size());
  for (std::size_t i = 0; i < sizeof sum; ++i) {
    out[size - sizeof sum + i] = static_cast<std::byte>(sum >> (24 - 8 * i));  // the most significant byte first
  }
  return {std::span(deflated_).first(size), true};
}

}  // namespace fathom::hdf5
