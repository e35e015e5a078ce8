// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/math/random.hpp>

#include "math/samples.hpp"
#include "support/statistics.hpp"

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
