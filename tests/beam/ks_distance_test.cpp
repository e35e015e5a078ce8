// SPDX-License-Identifier: MIT
#include <vector>

#include <gtest/gtest.h>

#include "beam/evidence.hpp"

namespace fathom::ks_distance_test {
namespace {

TEST(KsDistanceTest, DistanceOfASampleDrawnByHand) {
  std::vector<double> middle = {0.5}, spread = {0.75, 0.25};
  EXPECT_DOUBLE_EQ(ks_distance_uniform(middle), 0.5);
  EXPECT_DOUBLE_EQ(ks_distance_uniform(spread), 0.25);
  std::vector<double> none;
  EXPECT_EQ(ks_distance_uniform(none), 0.0);
}

}  // namespace
}  // namespace fathom::ks_distance_test
