// SPDX-License-Identifier: MIT
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "beam/em_kernels.hpp"

namespace fathom::test::falling_exp_test {
namespace {

/// Against the C library in extended precision, on a grid that is dense near 0 and on one over everything.
TEST(FallingExp, IsExactToTwoRoundings) {
  for (const auto& [step, last] : {std::pair{1e-5, -3.0}, {0.00713, -708.0}}) {
    for (double x = 0.0; x >= last; x -= step) {
      const long double exact = std::exp(static_cast<long double>(x));
      ASSERT_NEAR(static_cast<double>(math::falling_exp(x) / exact), 1.0, 4e-16) << x;
    }
  }
}

TEST(FallingExp, EndsInZero) {
  EXPECT_EQ(math::falling_exp(0.0), 1.0);
  EXPECT_EQ(math::falling_exp(-0.0), 1.0);
  for (const double x : {-709.0, -710.0, -1e4, -1e300, -double{INFINITY}}) EXPECT_EQ(math::falling_exp(x), 0.0) << x;
  EXPECT_LE(math::falling_exp(-708.5), 1e-307);
}

}  // namespace
}  // namespace fathom::test::falling_exp_test
