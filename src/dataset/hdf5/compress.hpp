// SPDX-License-Identifier: MIT
#pragma once
// HDF5's filters `shuffle` and `deflate`, outside of the library: that takes one call at a time in a whole process, and
// zlib takes ten times as long as ISA-L at its fastest.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::hdf5 {

/// A chunk as it stands in the file.
struct StoredChunk {
  std::span<const std::byte> bytes;
  bool deflated = false;  ///< else it would not have become smaller
};

class ChunkFilter {
 public:
  /// In [1, 9].
  explicit ChunkFilter(int level);

  /// Elements of so many bytes. What it gives lives until the next call.
  StoredChunk store(std::span<const std::byte> elements, std::size_t element_bytes);

 private:
  [[nodiscard]] StoredChunk deflate(std::span<const std::byte> plain, std::size_t plane);

  [[nodiscard]] std::size_t code(std::span<const std::byte> plain, std::span<std::byte> out);

  int level_;                         // of the library
  std::vector<std::uint8_t> memory_;  // that the level needs
  std::vector<std::byte> shuffled_, deflated_;
};

}  // namespace fathom::hdf5
