// SPDX-License-Identifier: MIT
#include <fathom/noise/gain_bias.hpp>

#include "sensor/noise/blocks.hpp"
#include "support/casters.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

TEST(GainBias, ScalesAndShiftsEveryRangeAndMovesThePointAlongItsLine) {
  const GainBias model = {.gain = 1e-2F, .bias_m = 0.05F};
  const Lanes before = make_lanes(4096);
  for (const Isa isa : usable_isas()) {
    Lanes lanes = before;
    apply(model, isa, {1, 2, 3}, lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const Return &a = before.returns[i], &b = lanes.returns[i];
      const double range = double{a.range_m}, moved = 1e-2 * range + 0.05, scale = 1 + moved / double{a.radius_m};
      ASSERT_NEAR(b.range_m, range + moved, 2e-7 * b.range_m);
      ASSERT_NEAR(b.x, scale * a.x, 4e-7 * std::abs(b.x));
      ASSERT_NEAR(b.y, scale * a.y, 4e-7 * std::abs(b.y));
      ASSERT_NEAR(b.z, scale * a.z, 4e-7 * std::abs(b.z));
      ASSERT_EQ(lanes.reasons[i], before.reasons[i]);
    }
  }
}

TEST(GainBias, IsAConstantForEveryKeyAndReturn) {
  // 1 / 4 and 1 / 8 of 2: exact in single precision.
  Lanes lanes = make_equal_lanes(1024, 0, 2, 0), other = lanes;
  const GainBias model = {.gain = 0.25F, .bias_m = -0.125F};
  apply(model, detect_isa(), {1, 2, 3}, lanes);
  apply(model, detect_isa(), {9, 8, 7}, other);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    ASSERT_EQ(lanes.returns[i].range_m, 2.375F);
    ASSERT_EQ(lanes.returns[i].y, 2.375F);
    ASSERT_EQ(bits_of_lane(lanes, i), bits_of_lane(other, i));
  }
}

TEST(GainBias, ABiasBeyondTheOriginComesOutOnTheOtherSide) {
  const Return out = GainBias::apply({.bias_m = -3}, {0, 2, 0, 2, 2}, {});
  EXPECT_EQ(out.range_m, -1.0F);
  EXPECT_EQ(out.radius_m, -1.0F);
  EXPECT_EQ(out.y, -1.0F);
}

TEST(GainBias, IsTheIdentityWithoutEither) {
  EXPECT_TRUE(GainBias{}.is_identity());
  EXPECT_FALSE(GainBias{.gain = 1e-4F}.is_identity());
  EXPECT_FALSE(GainBias{.bias_m = 1e-4F}.is_identity());
}

}  // namespace
}  // namespace fathom::test
