// SPDX-License-Identifier: MIT
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/math/random.hpp>

#include "math/samples.hpp"
#include "support/statistics.hpp"

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
