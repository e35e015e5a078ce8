// SPDX-License-Identifier: MIT
#include "dataset/hdf5/compress.hpp"

#include <new>

#include <libdeflate.h>

namespace fathom::hdf5 {

namespace {

/// All first bytes, then all second ones, and so on: the exponents of neighbours are alike.
template <std::size_t kBytes>
void shuffle_elements(std::span<const std::byte> elements, std::byte* out) {
  const std::size_t count = elements.size() / kBytes;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < kBytes; ++k) out[k * count + i] = elements[i * kBytes + k];
  }
}

}  // namespace

void ChunkFilter::FreeCompressor::operator()(libdeflate_compressor* compressor) const {
  libdeflate_free_compressor(compressor);
}

ChunkFilter::ChunkFilter(int level) : compressor_(libdeflate_alloc_compressor(level)) {
  if (!compressor_) throw std::bad_alloc();
}

StoredChunk ChunkFilter::store(std::span<const std::byte> elements, std::size_t element_bytes) {
  std::span<const std::byte> plain = elements;
  if (element_bytes > 1) {
    shuffled_.resize(elements.size());
    element_bytes == 2 ? shuffle_elements<2>(elements, shuffled_.data())
                       : shuffle_elements<4>(elements, shuffled_.data());
    plain = shuffled_;
  }
  deflated_.resize(plain.size());
  const std::size_t size =
      libdeflate_zlib_compress(compressor_.get(), plain.data(), plain.size(), deflated_.data(), deflated_.size());
  if (size == 0) return {plain, false};
  return {std::span(deflated_).first(size), true};
}

}  // namespace fathom::hdf5
