// SPDX-License-Identifier: MIT
#include <fathom/noise/distance.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

/// Half a unit in the last place of a float near `value`: the rounding of one measured range.
double rounding(double value) { return std::ldexp(std::abs(value), -24); }

std::vector<double> errors(const Lanes& lanes, float range) {
  return values_of_lanes(lanes, [&](std::size_t i) { return double{lanes.returns[i].range_m} - range; });
}

TEST(Distance, ErrorsAreGaussianAndGrowWithTheRange) {
  // sigma(d) = 0.02 + 0.001 d, in closed form at each range.
  const DistanceNoise model = {.mean_m = 0.03F, .stddev_m = 0.02F, .stddev_per_m = 0.001F};
  for (const float range : {0.5F, 8.0F, 32.0F, 128.0F}) {
    const Lanes lanes = sample(model, 0, range, 0);
    expect_gaussian(errors(lanes, range), 0.03, 0.02 + 0.001 * range, rounding(range));
  }
}

TEST(Distance, TheDeviationIsALineThroughItsParameters) {
  const DistanceNoise model = {.stddev_m = 0.01F, .stddev_per_m = 0.004F};
  const auto deviation = [&](float range) {
    return std::sqrt(moments_of(errors(sample(model, range, 0, 0), range)).variance);
  };
  // The same key draws the same normals at every range, so the line holds far better than the sampling error.
  const double at_1 = deviation(1), at_3 = deviation(3), at_9 = deviation(9);
  EXPECT_NEAR((at_3 - at_1) / 2, 0.004, 0.004 * 0.003);
  EXPECT_NEAR((at_9 - at_3) / 6, (at_3 - at_1) / 2, 1e-6);
}

TEST(Distance, RangeRadiusAndPointMoveTogether) {
  // Rays that start beside the sensor origin: the point moves along the line from the sensor origin, not along the ray,
  // by the very amount that the range changes.
  Lanes lanes = make_lanes(1 << 16);
  const Lanes before = lanes;
  apply(DistanceNoise{0.1F, 0.05F, 0.01F}, detect_isa(), {3, 1, 4}, lanes);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Return &r = lanes.returns[i], &old = before.returns[i];
    const double error = double{r.range_m} - old.range_m;
    const double size = std::max(old.range_m, old.radius_m) + std::abs(error);
    ASSERT_NEAR(double{r.radius_m} - old.radius_m, error, 4 * rounding(size));
    const double scale = 1.0 + error / old.radius_m;
    // The range carries its own rounding, which is many times that of the point when the radius is far smaller.
    const double slack = 8 * rounding(size) + 4 * rounding(std::abs(error));
    ASSERT_NEAR(r.x, scale * old.x, slack);
    ASSERT_NEAR(r.y, scale * old.y, slack);
    ASSERT_NEAR(r.z, scale * old.z, slack);
  }
}

TEST(Distance, AReturnAtTheOriginStaysFinite) {
  const Return moved = DistanceNoise::apply({.mean_m = 0.5F}, {0, 0, 0, 0, 0}, {});
  EXPECT_EQ(moved.range_m, 0.5F);
  EXPECT_TRUE(std::isfinite(moved.x) && std::isfinite(moved.y) && std::isfinite(moved.z));
}

TEST(Distance, NothingIsClamped) {
  const Return moved = DistanceNoise::apply({.mean_m = -2.0F}, {1, 0, 0, 1, 1}, {});
  EXPECT_EQ(moved.range_m, -1.0F);
  EXPECT_EQ(moved.x, -1.0F);
}

}  // namespace
}  // namespace fathom::test
