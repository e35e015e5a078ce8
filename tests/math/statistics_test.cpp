// SPDX-License-Identifier: MIT
#include "support/statistics.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fathom::test {
namespace {

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
