// SPDX-License-Identifier: MIT
// Blobs of holes, against an oracle that spreads labels until nothing changes.

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fit/pairs/depth_patch.hpp"

namespace fathom::test::hole_blobs_test {
namespace {

constexpr DepthPixel kMeasured = DepthPixel::kMeasured, kHole = DepthPixel::kHole, kLeftOut = DepthPixel::kLeftOut;

/// For each pixel the least number of a pixel that it is connected with, holes only.
std::vector<std::size_t> spread(const std::vector<DepthPixel>& pixels, std::uint32_t rows, std::uint32_t cols) {
  std::vector<std::size_t> label(pixels.size());
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t r = 0; r < rows; ++r) {
      for (std::uint32_t c = 0; c < cols; ++c) {
        const std::size_t i = std::size_t{r} * cols + c;
        const auto join = [&](std::size_t k) {
          if (pixels[i] != kHole || pixels[k] != kHole || label[i] == label[k]) return;
          label[i] = label[k] = std::min(label[i], label[k]);
          changed = true;
        };
        if (c + 1 < cols) join(i + 1);
        if (r + 1 < rows) join(i + cols);
      }
    }
  }
  return label;
}

/// Whether the pixel, a hole, makes its blob no whole one.
bool cuts(const std::vector<DepthPixel>& pixels, std::uint32_t rows, std::uint32_t cols, std::size_t pixel) {
  const auto r = static_cast<std::int64_t>(pixel / cols), c = static_cast<std::int64_t>(pixel % cols);
  for (const auto& [dr, dc] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
    const std::int64_t y = r + dr, x = c + dc;
    if (y < 0 || x < 0 || y >= rows || x >= cols) return true;
    if (pixels[static_cast<std::size_t>(y * cols + x)] == kLeftOut) return true;
  }
  return false;
}

RC_GTEST_PROP(HoleBlobs, AreThoseOfTheOracle, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const auto rows = *rc::gen::inRange<std::uint32_t>(1, 20), cols = *rc::gen::inRange<std::uint32_t>(1, 20);
  const double share = 0.1 * *rc::gen::inRange(0, 11);
  const double out = 0.1 * *rc::gen::inRange(0, 3);
  const auto chance = [&](double of) { return std::uniform_real_distribution<double>(0, 1)(random) < of; };
  std::vector<DepthPixel> pixels(std::size_t{rows} * cols);
  for (auto& pixel : pixels) pixel = chance(out) ? kLeftOut : chance(share) ? kHole : kMeasured;
  const HoleBlobs found = find_blobs(pixels, rows, cols);
  const std::vector<std::size_t> label = spread(pixels, rows, cols);
  std::map<std::size_t, HoleBlobs::Blob> expected;  // by the first pixel, so in the order of the first pixels
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (pixels[i] != kHole) continue;
    HoleBlobs::Blob& blob = expected[label[i]];
    ++blob.size;
    blob.whole = blob.whole && !cuts(pixels, rows, cols, i);
  }
  RC_ASSERT(found.blobs.size() == expected.size());
  std::size_t k = 0;
  for (const auto& [first, blob] : expected) {
    RC_ASSERT(found.blobs[k].size == blob.size);
    RC_ASSERT(found.blobs[k++].whole == blob.whole);
  }
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    RC_ASSERT(found.blob_size[i] == (pixels[i] == kHole ? expected[label[i]].size : 0U));
  }
}

TEST(HoleBlobs, CornersDoNotConnect) {
  const HoleBlobs found = find_blobs(std::vector<DepthPixel>{kHole, kMeasured, kHole, kMeasured, kHole, kHole}, 2, 3);
  ASSERT_EQ(found.blobs.size(), 2U);
  EXPECT_EQ(found.blobs[0].size, 1U);
  EXPECT_EQ(found.blobs[1].size, 3U);
}

}  // namespace
}  // namespace fathom::test::hole_blobs_test
