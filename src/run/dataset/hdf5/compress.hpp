// SPDX-License-Identifier: MIT
#pragma once
// HDF5's filters `shuffle` and `deflate` without the HDF5 library, which allows one call at a time in a process. Its
// zlib takes ten times as long as ISA-L at the fastest level.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::hdf5 {

/// A chunk as the file holds it.
struct StoredChunk {
  std::span<const std::byte> bytes;
  bool deflated = false;  ///< false: deflate would not make it smaller
};

class ChunkFilter {
 public:
  /// `level`: in [1, 9].
  explicit ChunkFilter(int level);

  /// `element_bytes`: size of an element. The result lives until the next call.
  StoredChunk store(std::span<const std::byte> elements, std::size_t element_bytes);

 private:
  [[nodiscard]] StoredChunk deflate(std::span<const std::byte> plain, std::size_t plane);
  [[nodiscard]] std::size_t code(std::span<const std::byte> plain, std::span<std::byte> out);

  int level_;                         // of the library
  std::vector<std::uint8_t> memory_;  // that the level needs
  std::vector<std::byte> shuffled_, deflated_;
};

}  // namespace fathom::hdf5
