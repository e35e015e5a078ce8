// SPDX-License-Identifier: MIT
#include "calibrate/hole_blobs.hpp"

#include <cstddef>
#include <limits>

namespace fathom {

namespace {

constexpr std::uint32_t kFound = std::numeric_limits<std::uint32_t>::max();  // until the size of its blob is known

}  // namespace

void HoleBlobs::find(std::span<const std::uint8_t> is_hole, std::uint32_t rows, std::uint32_t cols) {
  sizes_.clear();
  blob_size_.assign(is_hole.size(), 0);
  const std::size_t width = cols, count = width * rows;
  for (std::size_t first = 0; first < count; ++first) {
    if (is_hole[first] == 0 || blob_size_[first] != 0) continue;
    members_.assign(1, first);
    blob_size_[first] = kFound;
    const auto take = [&](std::size_t pixel) {
      if (is_hole[pixel] == 0 || blob_size_[pixel] != 0) return;
      blob_size_[pixel] = kFound;
      members_.push_back(pixel);
    };
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::size_t pixel = members_[k], col = pixel % width;
      if (col > 0) take(pixel - 1);
      if (col + 1 < width) take(pixel + 1);
      if (pixel >= width) take(pixel - width);
      if (pixel + width < count) take(pixel + width);
    }
    const auto size = static_cast<std::uint32_t>(members_.size());
    for (const std::size_t member : members_) blob_size_[member] = size;
    sizes_.push_back(size);
  }
}

}  // namespace fathom
