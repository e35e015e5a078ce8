// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

/// Finds blobs: holes connected over the 4 neighbours left, right, above and below. Keeps its memory between images.
class HoleBlobs {
 public:
  /// `is_hole` [rows, cols], 0 or 1. Afterwards sizes() has the number of pixels of each blob, in the order of their
  /// first pixels, and blob_size() for each pixel that of its blob, 0: no hole.
  void find(std::span<const std::uint8_t> is_hole, std::uint32_t rows, std::uint32_t cols);
  [[nodiscard]] std::span<const std::uint32_t> sizes() const { return sizes_; }
  [[nodiscard]] std::span<const std::uint32_t> blob_size() const { return blob_size_; }

 private:
  std::vector<std::uint32_t> sizes_, blob_size_;
  std::vector<std::size_t> members_;
};

}  // namespace fathom
