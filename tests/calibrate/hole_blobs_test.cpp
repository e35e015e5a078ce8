// SPDX-License-Identifier: MIT
// Blobs of holes, against an oracle that spreads labels until nothing changes.

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "calibrate/hole_blobs.hpp"

namespace fathom::test {
namespace {

/// For each pixel the least number of a pixel that it is connected with, holes only.
std::vector<std::size_t> spread(const std::vector<std::uint8_t>& hole, std::uint32_t rows, std::uint32_t cols) {
  std::vector<std::size_t> label(hole.size());
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t r = 0; r < rows; ++r) {
      for (std::uint32_t c = 0; c < cols; ++c) {
        const std::size_t i = std::size_t{r} * cols + c;
        const auto join = [&](std::size_t k) {
          if (hole[i] == 0 || hole[k] == 0 || label[i] == label[k]) return;
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

RC_GTEST_PROP(HoleBlobs, AreThoseOfTheOracle, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const auto rows = *rc::gen::inRange<std::uint32_t>(1, 20), cols = *rc::gen::inRange<std::uint32_t>(1, 20);
  const double share = 0.1 * *rc::gen::inRange(0, 11);
  std::vector<std::uint8_t> hole(std::size_t{rows} * cols);
  for (auto& pixel : hole) pixel = std::uniform_real_distribution<double>(0, 1)(random) < share ? 1 : 0;
  HoleBlobs blobs;
  blobs.find(std::vector<std::uint8_t>(6, 1), 2, 3);  // memory of another image
  blobs.find(hole, rows, cols);
  const std::vector<std::size_t> label = spread(hole, rows, cols);
  std::map<std::size_t, std::uint32_t> size;  // by the first pixel, so in the order of the first pixels
  for (std::size_t i = 0; i < hole.size(); ++i) {
    if (hole[i] != 0) ++size[label[i]];
  }
  std::vector<std::uint32_t> expected;
  for (const auto& [first, pixels] : size) expected.push_back(pixels);
  RC_ASSERT(std::vector<std::uint32_t>(blobs.sizes().begin(), blobs.sizes().end()) == expected);
  for (std::size_t i = 0; i < hole.size(); ++i) {
    RC_ASSERT(blobs.blob_size()[i] == (hole[i] == 0 ? 0U : size[label[i]]));
  }
}

TEST(HoleBlobs, CornersDoNotConnect) {
  HoleBlobs blobs;
  blobs.find(std::vector<std::uint8_t>{1, 0, 1, 0, 1, 1}, 2, 3);
  ASSERT_EQ(blobs.sizes().size(), 2U);
  EXPECT_EQ(blobs.sizes()[0], 1U);
  EXPECT_EQ(blobs.sizes()[1], 3U);
}

}  // namespace
}  // namespace fathom::test
