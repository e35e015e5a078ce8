// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

/// What a pixel of a depth image is.
enum class DepthPixel : std::uint8_t { kMeasured, kHole, kLeftOut };

/// Finds blobs: holes connected over the 4 neighbours left, right, above and below. Keeps its memory between images.
class HoleBlobs {
 public:
  struct Blob {
    std::uint32_t size = 0;  ///< pixels
    bool whole = true;       ///< touches neither the border of the image nor a pixel that is left out
  };
  /// `pixels` [rows, cols]. Afterwards blobs() has them in the order of their first pixels, and blob_size() for each
  /// pixel the size of its blob, 0: no hole.
  void find(std::span<const DepthPixel> pixels, std::uint32_t rows, std::uint32_t cols);
  [[nodiscard]] std::span<const Blob> blobs() const { return blobs_; }
  [[nodiscard]] std::span<const std::uint32_t> blob_size() const { return blob_size_; }

 private:
  std::vector<Blob> blobs_;
  std::vector<std::uint32_t> blob_size_;
  std::vector<std::size_t> members_;
};

}  // namespace fathom
