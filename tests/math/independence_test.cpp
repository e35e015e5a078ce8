// SPDX-License-Identifier: MIT
// Nothing that ought to be independent is correlated: words of a block, neighbouring rays, draws, frames, streams,
// seeds.

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/math/random.hpp>

#include "math/samples.hpp"
#include "support/statistics.hpp"

namespace fathom::test {
namespace {

constexpr std::size_t kDraws = 400'000;

// A correlation of n independent pairs has standard error 1/sqrt n; 4.5 of them leaves room for the 60 asked below.
void expect_uncorrelated(std::span<const double> a, std::span<const double> b, const std::string& what) {
  EXPECT_LT(std::abs(correlation(a, b)), 4.5 / std::sqrt(static_cast<double>(a.size()))) << what;
}

/// Correlates values, and squares as well: the two normals of one Box-Muller pair share their radius.
void expect_independent(std::vector<double> a, std::vector<double> b, const std::string& what) {
  expect_uncorrelated(a, b, what);
  for (double& v : a) v = v * v;
  for (double& v : b) v = v * v;
  expect_uncorrelated(a, b, what + ", squared");
}

std::vector<double> every_fourth(const std::vector<double>& x, std::size_t lane) {
  std::vector<double> out;
  for (std::size_t i = lane; i < x.size(); i += 4) out.push_back(x[i]);
  return out;
}

TEST(Independence, LanesOfABlock) {
  const auto normals = normals_of({1, 2, 3}, 4 * kDraws), uniforms = uniforms_of({1, 2, 3}, 4 * kDraws);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      const std::string what = "lanes " + std::to_string(a) + " and " + std::to_string(b);
      expect_independent(every_fourth(normals, a), every_fourth(normals, b), "normals, " + what);
      expect_independent(every_fourth(uniforms, a), every_fourth(uniforms, b), "uniforms, " + what);
    }
  }
}

TEST(Independence, NeighbouringRays) {
  const auto x = normals_of({7, 0, 1}, kDraws);
  for (const std::size_t lag : {1U, 2U, 3U, 4U, 5U, 8U, 16U, 64U, 256U, 1024U, 2048U}) {
    const std::vector<double> a(x.begin(), x.end() - static_cast<std::ptrdiff_t>(lag));
    const std::vector<double> b(x.begin() + static_cast<std::ptrdiff_t>(lag), x.end());
    expect_independent(a, b, "lag " + std::to_string(lag));
  }
}

TEST(Independence, KeysThatDifferInOneThing) {
  const NoiseKey key = {42, 7, make_stream("lidar", 0, "distance")};
  const auto x = normals_of(key, kDraws);
  expect_independent(x, normals_of(key, kDraws, 1), "next draw");
  expect_independent(x, normals_of({key.seed, key.frame + 1, key.stream}, kDraws), "next frame");
  expect_independent(x, normals_of({key.seed + 1, key.frame, key.stream}, kDraws), "next seed");
  expect_independent(x, normals_of({key.seed + (1ULL << 32U), key.frame, key.stream}, kDraws),
                     "upper half of the seed");
  expect_independent(x, normals_of({key.seed, key.frame, key.stream + 1}, kDraws), "next stream");
  expect_independent(x, normals_of({key.seed, key.frame, make_stream("lidar", 1, "distance")}, kDraws), "next slot");
  expect_independent(x, normals_of({key.seed, key.frame, make_stream("lidar2", 0, "distance")}, kDraws),
                     "other sensor");
  expect_independent(x, normals_of({key.seed, key.frame, make_stream("lidar", 0, "uniform")}, kDraws), "other model");
}

TEST(Independence, OneRayOverFrames) {
  // The same ray frame after frame: what a robot that stands still sees.
  for (const std::uint32_t lag : {1U, 2U, 10U}) {
    std::vector<double> now, later;
    for (std::uint32_t frame = 0; frame < kDraws / 4; ++frame) {
      const auto a = normals_of({5, frame, 9}, 4), b = normals_of({5, frame + lag, 9}, 4);
      now.insert(now.end(), a.begin(), a.end());
      later.insert(later.end(), b.begin(), b.end());
    }
    expect_independent(now, later, "frames " + std::to_string(lag) + " apart");
  }
}

TEST(Streams, DoNotCollide) {
  // 80 000 of 2^32 hashes: a perfect random function would collide 0.75 times in this table on average. The names are
  // those people give, and this table is fixed; it shows that near names do not meet.
  constexpr std::array<std::string_view, 5> kSlugs = {"angular_ray", "angular_hit", "distance", "uniform", "dropout"};
  std::set<std::uint32_t> seen;
  std::size_t made = 0;
  for (int sensor = 0; sensor < 1000; ++sensor) {
    for (std::uint32_t slot = 0; slot < 16; ++slot) {
      for (const std::string_view slug : kSlugs) {
        seen.insert(make_stream("lidar_" + std::to_string(sensor), slot, slug));
        ++made;
      }
    }
  }
  EXPECT_EQ(seen.size(), made);
}

TEST(Streams, TellWherePartsEnd) {
  // A slash ends the sensor's name; slugs have none, so the last slash of the text is always that one.
  EXPECT_NE(make_stream("ab", 0, "c"), make_stream("a", 0, "bc"));
  EXPECT_NE(make_stream("a", 0, "b"), make_stream("a", 256, "b"));
  // With a slash in a slug two streams would be one: see Slugs.ASlashIsRefused (tests/sensor).
  EXPECT_EQ(make_stream("a/b", 0, "c"), make_stream("a", 0, "b/c"));
}

// Published test vectors of FNV-1a, 32 bits (Fowler, Noll, Vo; draft-eastlake-fnv, appendix with "", "a", "foobar").
TEST(Streams, HashTextIsFnv1a) {
  EXPECT_EQ(hash_text(""), 0x811c9dc5U);
  EXPECT_EQ(hash_text("a"), 0xe40c292cU);
  EXPECT_EQ(hash_text("foobar"), 0xbf9cf968U);
}

}  // namespace
}  // namespace fathom::test
