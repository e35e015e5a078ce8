// SPDX-License-Identifier: MIT

#include <fathom/core/random.hpp>

#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom::test {

/// What the scalar generator gives for the first `count` rays (a multiple of 4) of a key: the order of lanes is that of
/// noise/detail/drive.hpp, four rays a block.
inline std::vector<double> normals_of(const NoiseKey& key, std::size_t count, std::uint32_t draw = 0) {
  std::vector<double> out;
  for (std::uint32_t quad = 0; quad < count / 4; ++quad) {
    const PhiloxBlock block = keyed_block(key, quad, draw);
    const NormalPair a = normals_from_words(block.word[0], block.word[1]);
    const NormalPair b = normals_from_words(block.word[2], block.word[3]);
    out.insert(out.end(), {a.first, a.second, b.first, b.second});
  }
  return out;
}

inline std::vector<double> uniforms_of(const NoiseKey& key, std::size_t count, std::uint32_t draw = 0) {
  std::vector<double> out;
  for (std::uint32_t quad = 0; quad < count / 4; ++quad) {
    const PhiloxBlock block = keyed_block(key, quad, draw);
    for (const std::uint32_t word : block.word) out.push_back(uniform_from_word(word));
  }
  return out;
}

}  // namespace fathom::test

namespace fathom::test::normals_test {
namespace {

constexpr std::size_t kDraws = 1'000'000;

/// Samples of several seeds, each of a million: one seed could be lucky.
std::vector<std::vector<double>> samples() {
  std::vector<std::vector<double>> all;
  for (const std::uint64_t seed : {0ULL, 1ULL, 0x9e3779b97f4a7c15ULL}) all.push_back(normals_of({seed, 3, 17}, kDraws));
  return all;
}

// Standard errors for n normal draws: mean 1/sqrt n, variance sqrt(2/n), skewness sqrt(6/n), kurtosis sqrt(24/n).
TEST(Normals, MomentsAreThoseOfANormal) {
  for (const auto& x : samples()) {
    const Moments m = moments_of(x);
    EXPECT_NEAR(m.mean, 0.0, 4 * std::sqrt(1.0 / kDraws));
    EXPECT_NEAR(m.variance, 1.0, 4 * std::sqrt(2.0 / kDraws));
    EXPECT_NEAR(m.skewness, 0.0, 4 * std::sqrt(6.0 / kDraws));
    EXPECT_NEAR(m.kurtosis, 3.0, 4 * std::sqrt(24.0 / kDraws));
  }
}

TEST(Normals, FitTheDensity) {
  for (auto x : samples()) {
    for (double& v : x) v = normal_cdf(v);
    for (const std::size_t cells : {11U, 101U, 1001U}) {
      const double p = chi_square_p_of_uniforms(x, cells);
      EXPECT_GT(p, kLowestP) << cells << " cells";
      EXPECT_LT(p, kHighestP) << cells << " cells";
    }
  }
}

TEST(Normals, TailsHoldAsManyAsTheyShould) {
  std::vector<double> x = normals_of({11, 0, 5}, 16 * kDraws);
  for (const double limit : {3.0, 4.0, 5.0}) {
    double above = 0, below = 0;
    for (const double v : x) above += v > limit, below += v < -limit;
    const double p = normal_cdf(-limit);
    EXPECT_TRUE(is_binomial(above, static_cast<double>(x.size()), p, 4)) << above << " above " << limit;
    EXPECT_TRUE(is_binomial(below, static_cast<double>(x.size()), p, 4)) << below << " below -" << limit;
  }
}

TEST(Normals, ReachTheirBoundAndNoFurther) {
  // The smallest radius word gives u = 2^-32, the farthest normal: sqrt(64 ln 2) = 6.6604.
  EXPECT_NEAR(normals_from_words(0, 0).first, std::sqrt(64 * std::log(2.0)), 1e-5);
  EXPECT_NEAR(normals_from_words(0, 0x80000000U).first, -std::sqrt(64 * std::log(2.0)), 1e-5);
  const NormalPair none = normals_from_words(0xffffffffU, 0x12345678U);
  EXPECT_EQ(none.first, 0.0F);
  EXPECT_EQ(none.second, 0.0F);
}

/// Box and Muller in double precision with the words' own uniforms: u = (w1 / 2 rounded to a float) 2^-31 + 2^-32.
struct Pair {
  double first, second;
};
Pair double_box_muller(std::uint32_t radius_word, std::uint32_t angle_word) {
  const float u = static_cast<float>(radius_word >> 1U) * 0x1p-31F + 0x1p-32F;
  const double radius = std::sqrt(-2.0 * std::log(double{u}));
  const double angle = static_cast<double>(angle_word) * (2.0 * std::numbers::pi / 4294967296.0);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

RC_GTEST_PROP(Normals, EqualBoxAndMullerInDoublePrecision, (std::uint64_t seed)) {
  for (std::uint32_t quad = 0; quad < 1000; ++quad) {
    const PhiloxBlock b = keyed_block({seed, 0, 0}, quad, 0);
    for (const std::uint32_t radius_word : {b.word[0], b.word[0] >> 16U, ~(b.word[0] >> 16U)}) {
      const NormalPair got = normals_from_words(radius_word, b.word[1]);
      const Pair expected = double_box_muller(radius_word, b.word[1]);
      RC_ASSERT(std::abs(got.first - expected.first) <= 1e-6);
      RC_ASSERT(std::abs(got.second - expected.second) <= 1e-6);
    }
  }
}

}  // namespace
}  // namespace fathom::test::normals_test

namespace fathom::test::uniforms_test {
namespace {

constexpr std::size_t kDraws = 1'000'000;

// Uniform on [0, 1): variance 1/12, fourth central moment 1/80, so the variance has standard error sqrt(1/180 n); the
// kurtosis is 1.8.
TEST(Uniforms, MomentsAndFit) {
  for (const std::uint64_t seed : {0ULL, 1ULL, 0x9e3779b97f4a7c15ULL}) {
    const std::vector<double> x = uniforms_of({seed, 3, 17}, kDraws);
    const Moments m = moments_of(x);
    EXPECT_NEAR(m.mean, 0.5, 4 * std::sqrt(1.0 / 12 / kDraws));
    EXPECT_NEAR(m.variance, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / kDraws));
    EXPECT_NEAR(m.skewness, 0.0, 0.01);
    EXPECT_NEAR(m.kurtosis, 1.8, 0.01);
    for (const std::size_t cells : {11U, 101U, 1001U}) {
      const double p = chi_square_p_of_uniforms(x, cells);
      EXPECT_GT(p, kLowestP) << cells << " cells";
      EXPECT_LT(p, kHighestP) << cells << " cells";
    }
  }
}

TEST(Uniforms, StayInTheHalfOpenInterval) {
  EXPECT_EQ(uniform_from_word(0), 0.0F);
  EXPECT_EQ(uniform_from_word(0xffU), 0.0F);
  EXPECT_EQ(uniform_from_word(0x100U), 0x1p-24F);
  EXPECT_EQ(uniform_from_word(0x80000000U), 0.5F);
  EXPECT_EQ(uniform_from_word(0xffffffffU), 1.0F - 0x1p-24F);
}

}  // namespace
}  // namespace fathom::test::uniforms_test

namespace fathom::test {

// Nothing that ought to be independent is correlated: words of a block, neighbouring rays, draws, frames, streams,
// seeds.

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

TEST(Statistics, KolmogorovTable) {
  // Critical values of sqrt(n) D for large n: 1.36 at 5 %, 1.63 at 1 % (Smirnov's table).
  EXPECT_NEAR(ks_p_value(1.3581e-3, 1000000), 0.05, 5e-4);
  EXPECT_NEAR(ks_p_value(1.6276e-3, 1000000), 0.01, 2e-4);
  EXPECT_EQ(ks_p_value(0.0, 100), 1.0);
}

TEST(Statistics, ChiSquareTable) {
  // Abramowitz and Stegun, table 26.8.
  EXPECT_NEAR(chi_square_p_value(3.84146, 1), 0.05, 1e-6);
  EXPECT_NEAR(chi_square_p_value(18.3070, 10), 0.05, 1e-6);
  EXPECT_NEAR(chi_square_p_value(135.807, 100), 0.01, 1e-6);
  EXPECT_NEAR(chi_square_p_value(2 * 3.0, 2), std::exp(-3.0), 1e-12);  // closed form
  EXPECT_EQ(chi_square_p_value(0, 5), 1.0);
}

}  // namespace
}  // namespace fathom::test
