// SPDX-License-Identifier: MIT
#include "calibrate/hole_blobs.hpp"

#include <cstddef>
#include <limits>

namespace fathom {

namespace {

constexpr std::uint32_t kFound = std::numeric_limits<std::uint32_t>::max();  // until the size of its blob is known

}  // namespace

void HoleBlobs::find(std::span<const DepthPixel> pixels, std::uint32_t rows, std::uint32_t cols) {
  blobs_.clear();
  blob_size_.assign(pixels.size(), 0);
  const std::size_t width = cols, count = width * rows;
  for (std::size_t first = 0; first < count; ++first) {
    if (pixels[first] != DepthPixel::kHole || blob_size_[first] != 0) continue;
    Blob blob;
    members_.assign(1, first);
    blob_size_[first] = kFound;
    const auto take = [&](std::size_t pixel) {
      if (pixels[pixel] == DepthPixel::kLeftOut) blob.whole = false;
      if (pixels[pixel] != DepthPixel::kHole || blob_size_[pixel] != 0) return;
      blob_size_[pixel] = kFound;
      members_.push_back(pixel);
    };
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::size_t pixel = members_[k], col = pixel % width;
      if (col == 0 || col + 1 == width || pixel < width || pixel + width >= count) blob.whole = false;
      if (col > 0) take(pixel - 1);
      if (col + 1 < width) take(pixel + 1);
      if (pixel >= width) take(pixel - width);
      if (pixel + width < count) take(pixel + width);
    }
    blob.size = static_cast<std::uint32_t>(members_.size());
    for (const std::size_t member : members_) blob_size_[member] = blob.size;
    blobs_.push_back(blob);
  }
}

}  // namespace fathom
