// SPDX-License-Identifier: MIT
#include "base/small_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fathom::test {
namespace {

/// B B' of numbers drawn from a normal, with rows in units of their own: positive definite.
SmallMatrix any_positive(std::size_t n, std::uint32_t seed) {
  std::mt19937 draws(seed);
  std::normal_distribution<double> normal;
  SmallMatrix b(n), a(n);
  for (double& value : b.values) value = normal(draws);
  for (std::size_t i = 0; i < n; ++i) b(i, i) += 2.0;
  std::vector<double> unit(n);
  for (double& u : unit) u = std::exp(4.0 * normal(draws));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) a(i, j) += unit[i] * b(i, k) * b(j, k) * unit[j];
    }
  }
  return a;
}

template <std::size_t N>
FixedMatrix<N> fixed(const SmallMatrix& a) {
  FixedMatrix<N> out = {};
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < a.n; ++j) out[i][j] = a(i, j);
  }
  return out;
}

RC_GTEST_PROP(SmallMatrix, TimesItsInverseIsOne, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 9);
  const SmallMatrix a = any_positive(n, *rc::gen::arbitrary<std::uint32_t>());
  const auto inverse = inverse_of(a, 1e-12);
  RC_PRE(inverse.has_value());
  double largest = 0;  // of the inverse of the matrix with a unit diagonal: what rounding is multiplied by
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, (*inverse)(i, i) * a(i, i));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a(i, k) * (*inverse)(k, j);
      const double units = std::sqrt(a(j, j) / a(i, i));
      RC_ASSERT(std::abs(sum * units - (i == j ? 1 : 0)) < 1e-13 * largest);
      RC_ASSERT(std::abs((*inverse)(i, j) - (*inverse)(j, i)) * std::sqrt(a(i, i) * a(j, j)) < 1e-13 * largest);
    }
  }
}

RC_GTEST_PROP(SmallMatrix, OfAFixedSizeHasTheSameInverse, ()) {
  const SmallMatrix a = any_positive(4, *rc::gen::arbitrary<std::uint32_t>());
  const auto inverse = inverse_of(a, 0.0);
  const auto same = inverse_of(fixed<4>(a));
  RC_ASSERT(inverse.has_value() == same.has_value());
  if (inverse) RC_ASSERT(*same == fixed<4>(*inverse));
}

TEST(SmallMatrix, OfSomeRowsLeavesTheOthersOut) {
  const SmallMatrix a = any_positive(5, 7);
  const std::vector<std::size_t> rows = {1, 2, 4};
  SmallMatrix part(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) part(i, j) = a(rows[i], rows[j]);
  }
  FixedMatrix<5> whole = fixed<5>(a);
  whole[0][0] = std::numeric_limits<double>::quiet_NaN(), whole[3][2] = whole[2][3] = -1e30;
  const auto inverse = inverse_of(whole, rows);
  const auto expected = inverse_of(part, 0.0);
  ASSERT_TRUE(inverse && expected);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      const auto at = [&](std::size_t row) { return std::find(rows.begin(), rows.end(), row) - rows.begin(); };
      const bool both = at(i) < 3 && at(j) < 3;
      EXPECT_EQ((*inverse)[i][j],
                both ? (*expected)(static_cast<std::size_t>(at(i)), static_cast<std::size_t>(at(j))) : 0);
    }
  }
  EXPECT_TRUE(inverse_of(whole, std::span<const std::size_t>()).has_value());
}

TEST(SmallMatrix, WithoutAnInverseIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(inverse_of(FixedMatrix<2>{{{2, 1}, {1, 2}}}));
  EXPECT_FALSE(inverse_of(FixedMatrix<2>{{{1, 1}, {1, 1}}}));    // singular
  EXPECT_FALSE(inverse_of(FixedMatrix<2>{{{1, 2}, {2, 1}}}));    // neither positive nor negative
  EXPECT_FALSE(inverse_of(FixedMatrix<2>{{{-1, 0}, {0, -1}}}));  // negative, with an inverse
  EXPECT_FALSE(inverse_of(FixedMatrix<2>{{{0, 0}, {0, 1}}}));    // says nothing of one row
  EXPECT_FALSE(inverse_of(FixedMatrix<2>{{{1, nan}, {nan, 1}}}));
  EXPECT_FALSE(inverse_of(FixedMatrix<2>{{{inf, 0}, {0, 1}}}));
  SmallMatrix near(2);
  near.values = {1.0, 1.0 - 1e-10, 1.0 - 1e-10, 1.0};
  EXPECT_FALSE(inverse_of(near));
  EXPECT_TRUE(inverse_of(near, 1e-12));
}

TEST(SmallMatrix, RowsThatAreSumsOfOthersAreLeftOut) {
  SmallMatrix a(3);
  // Rows of a Gram matrix of (1, 0), (2, 0) and (0, 3).
  a.values = {1, 2, 0, 2, 4, 0, 0, 0, 9};
  EXPECT_EQ(independent_rows(a, 1e-9), (std::vector<std::size_t>{0, 2}));
}

/// Rows in front of others are the ones that are kept, as many as the rank says.
RC_GTEST_PROP(SmallMatrix, IndependentRowsAreThoseThatHaveAnInverse, ()) {
  const auto n = static_cast<std::size_t>(*rc::gen::inRange(1, 7));
  const auto rank = static_cast<std::size_t>(*rc::gen::inRange(1, 7));
  std::vector<double> factor;
  for (std::size_t i = 0; i < n * rank; ++i) factor.push_back(*rc::gen::inRange(-9, 10));
  SmallMatrix a(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < rank; ++k) a(i, j) += factor[i * rank + k] * factor[j * rank + k];
    }
  }
  std::vector<std::size_t> slow;
  for (std::size_t row = 0; row < n; ++row) {
    std::vector<std::size_t> tried = slow;
    tried.push_back(row);
    SmallMatrix part(tried.size());
    for (std::size_t i = 0; i < tried.size(); ++i) {
      for (std::size_t j = 0; j < tried.size(); ++j) part(i, j) = a(tried[i], tried[j]);
    }
    if (inverse_of(part, 1e-7)) slow = tried;
  }
  RC_ASSERT(independent_rows(a, 1e-7) == slow);
}

}  // namespace
}  // namespace fathom::test
