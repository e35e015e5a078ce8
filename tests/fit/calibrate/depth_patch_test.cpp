// SPDX-License-Identifier: MIT
// The cubic of a patch: it takes every cubic and nothing else, and what it does to covariances is what its matrix does.

#include "fit/pairs/depth_patch.hpp"

#include "support/expect.hpp"

namespace fathom::test::depth_patch_test {
namespace {

using Values = std::array<double, kPatchPixels>;

/// x^a y^b, a + b <= 3.
double monomial(std::size_t pixel, int a, int b) {
  return std::pow(static_cast<double>(pixel % kPatchSide), a) * std::pow(static_cast<double>(pixel / kPatchSide), b);
}

RC_GTEST_PROP(DepthPatch, TakesAnyCubicExactly, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::uniform_real_distribution<double> number(-1, 1);
  Values values{}, noise{};
  double size = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; a + b < 4; ++b) {
      const double factor = number(random);
      for (std::size_t i = 0; i < kPatchPixels; ++i) values[i] += factor * monomial(i, a, b);
    }
  }
  for (const double value : values) size = std::max(size, std::abs(value));
  for (double& value : noise) value = number(random);
  Values with_noise = values;
  for (std::size_t i = 0; i < kPatchPixels; ++i) with_noise[i] += noise[i];
  remove_cubic(values);
  remove_cubic(noise);
  remove_cubic(with_noise);
  for (std::size_t i = 0; i < kPatchPixels; ++i) {
    RC_ASSERT(std::abs(values[i]) < 1e-13 * size);
    RC_ASSERT(std::abs(with_noise[i] - noise[i]) < 1e-13 * size);
  }
}

TEST(DepthPatch, LeavesWhatNoCubicIs) {
  // Orthogonal to every cubic: the rest of any image; and a fourth power is not taken whole.
  Values values{};
  for (std::size_t i = 0; i < kPatchPixels; ++i) values[i] = monomial(i, 4, 0) + std::sin(static_cast<double>(i * i));
  remove_cubic(values);
  Values again = values;
  remove_cubic(again);
  double square = 0;
  for (std::size_t i = 0; i < kPatchPixels; ++i) {
    EXPECT_NEAR(again[i], values[i], 1e-8);
    square += values[i] * values[i];
  }
  EXPECT_GT(square, 1e3);
}

using Matrix = std::vector<std::vector<double>>;

/// Ten orthonormal columns that span the cubics, by Gram and Schmidt over all pixels.
Matrix cubics() {
  Matrix columns;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; a + b < 4; ++b) {
      std::vector<double> column(kPatchPixels);
      for (std::size_t i = 0; i < kPatchPixels; ++i) column[i] = monomial(i, a, b) / std::pow(24.0, a + b);
      for (int twice = 0; twice < 2; ++twice) {
        for (const auto& other : columns) {
          double part = 0;
          for (std::size_t i = 0; i < kPatchPixels; ++i) part += column[i] * other[i];
          for (std::size_t i = 0; i < kPatchPixels; ++i) column[i] -= part * other[i];
        }
      }
      double square = 0;
      for (const double value : column) square += value * value;
      for (double& value : column) value /= std::sqrt(square);
      columns.push_back(column);
    }
  }
  return columns;
}

LagPair gaussian(double across, double down) {
  LagPair c;
  for (std::size_t lag = 0; lag < kLagCount; ++lag) {
    const double square = static_cast<double>(lag * lag);
    c.across[lag] = across > 0 ? 2.5 * std::exp(-square / (4 * across * across)) : lag == 0 ? 2.5 : 0.0;
    c.down[lag] = down > 0 ? 2.5 * std::exp(-square / (4 * down * down)) : lag == 0 ? 2.5 : 0.0;
  }
  return c;
}

/// (1 - H) C (1 - H) of all 576 pixels, and its means at a lag.
LagPair by_matrix(const LagPair& c) {
  const Matrix q = cubics();
  const auto covariance = [&](std::size_t i, std::size_t k) {
    const auto apart = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
    const std::size_t x = apart(i % kPatchSide, k % kPatchSide), y = apart(i / kPatchSide, k / kPatchSide);
    return x < kLagCount && y < kLagCount ? c.across[x] * c.down[y] / c.across[0] : 0.0;
  };
  Matrix cq(q.size(), std::vector<double>(kPatchPixels));  // C q
  for (std::size_t n = 0; n < q.size(); ++n) {
    for (std::size_t i = 0; i < kPatchPixels; ++i) {
      for (std::size_t k = 0; k < kPatchPixels; ++k) cq[n][i] += covariance(i, k) * q[n][k];
    }
  }
  Matrix qcq(q.size(), std::vector<double>(q.size()));
  for (std::size_t n = 0; n < q.size(); ++n) {
    for (std::size_t m = 0; m < q.size(); ++m) {
      for (std::size_t i = 0; i < kPatchPixels; ++i) qcq[n][m] += q[n][i] * cq[m][i];
    }
  }
  const auto entry = [&](std::size_t i, std::size_t k) {
    double value = covariance(i, k);
    for (std::size_t n = 0; n < q.size(); ++n) {
      value -= q[n][i] * cq[n][k] + cq[n][i] * q[n][k];
      for (std::size_t m = 0; m < q.size(); ++m) value += q[n][i] * qcq[n][m] * q[m][k];
    }
    return value;
  };
  LagPair means;
  for (const std::size_t lag : {0, 1, 4, 12}) {
    double across = 0, down = 0;
    for (std::size_t i = 0; i < kPatchPixels; ++i) {
      if (i % kPatchSide + lag < kPatchSide) across += entry(i, i + lag);
      if (i / kPatchSide + lag < kPatchSide) down += entry(i, i + lag * kPatchSide);
    }
    const double pairs = static_cast<double>((kPatchSide - lag) * kPatchSide);
    means.across[lag] = across / pairs, means.down[lag] = down / pairs;
  }
  return means;
}

TEST(DepthPatch, AfterCubicIsWhatTheMatricesSay) {
  for (const auto& [across, down] : {std::pair{0.0, 0.0}, {2.0, 0.6}, {1.0, 3.0}}) {
    const LagPair c = gaussian(across, down), fast = after_cubic(c), slow = by_matrix(c);
    for (const std::size_t lag : {0, 1, 4, 12}) {
      EXPECT_NEAR(fast.across[lag], slow.across[lag], 1e-11) << across << " " << down << " " << lag;
      EXPECT_NEAR(fast.down[lag], slow.down[lag], 1e-11) << across << " " << down << " " << lag;
    }
  }
}

TEST(DepthPatch, AfterCubicOfWhiteNoiseHasClosedForms) {
  const LagPair after = after_cubic(gaussian(0, 0));
  EXPECT_NEAR(after.across[0], 2.5 * (1 - 10.0 / 576), 1e-12);  // ten numbers of a cubic, 576 pixels
  EXPECT_NEAR(after.across[1], after.down[1], 1e-13);
  EXPECT_LT(after.across[1], 0);
}

TEST(DepthPatch, BeforeCubicTurnsItBack) {
  for (const auto& [across, down, tolerance] :
       {std::tuple{0.0, 0.0, 1e-12}, {1.8, 0.6, 1e-9}, {2.0, 2.0, 1e-9}, {3.0, 3.0, 5e-3}}) {
    const LagPair c = gaussian(across, down), found = before_cubic(after_cubic(c));
    for (std::size_t lag = 0; lag < kLagCount; ++lag) {
      EXPECT_NEAR(found.across[lag], c.across[lag], tolerance) << across << " " << lag;
      EXPECT_NEAR(found.down[lag], c.down[lag], tolerance) << down << " " << lag;
    }
  }
  for (const double value : before_cubic({}).across) EXPECT_EQ(value, 0.0);
}

TEST(DepthPatch, BlocksAverageNoiseAndKeepShapes) {
  Values white{}, shape{};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  double mean = 0;
  for (int k = 0; k < 400; ++k) {
    for (double& value : white) value = normal(random);
    mean += block_mean_square(white) / 400;
  }
  EXPECT_NEAR(mean, 1.0 / 36, 5 * std::sqrt(2.0 / (16 * 400)) / 36);
  for (std::size_t i = 0; i < kPatchPixels; ++i) shape[i] = i / kPatchSide < 12 ? 3 : -1;
  EXPECT_DOUBLE_EQ(block_mean_square(shape), 5);
}

TEST(DepthPatch, LagMeansAreMeansOfProducts) {
  Values values{};
  for (std::size_t i = 0; i < kPatchPixels; ++i) values[i] = std::cos(static_cast<double>(i * i));
  const LagPair means = lag_means(values);
  for (const std::size_t lag : {0, 1, 7, 12}) {
    double across = 0, down = 0, pairs = 0;
    for (std::size_t i = 0; i < kPatchPixels; ++i) {
      for (std::size_t k = i; k < kPatchPixels; ++k) {
        if (i / 24 == k / 24 && k - i == lag) across += values[i] * values[k], ++pairs;
        if (i % 24 == k % 24 && k / 24 - i / 24 == lag) down += values[i] * values[k];
      }
    }
    EXPECT_NEAR(means.across[lag], across / pairs, 1e-13);
    EXPECT_NEAR(means.down[lag], down / pairs, 1e-13);
  }
}

}  // namespace
}  // namespace fathom::test::depth_patch_test

// Blobs of holes, against an oracle that spreads labels until nothing changes.

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
