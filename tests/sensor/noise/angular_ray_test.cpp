// SPDX-License-Identifier: MIT
#include <fathom/noise/angular_ray.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

constexpr float kQuarter = 0.5F * std::numbers::pi_v<float>;

/// Where a quarter turn about the axis takes the directions +x, +y and +z.
struct QuarterTurn {
  Axis axis;
  Vector of_x, of_y, of_z;
};
const QuarterTurn kRightHanded[] = {
    {Axis::kX, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    {Axis::kY, {0, 0, -1}, {0, 1, 0}, {1, 0, 0}},
    {Axis::kZ, {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
};

TEST(AngularRay, TurnsOriginAndDirectionRightHanded) {
  for (const QuarterTurn& turn : kRightHanded) {
    const AngularRay model = {turn.axis, kQuarter, 0.0F};
    const Vector starts[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, ends[] = {turn.of_x, turn.of_y, turn.of_z};
    for (int k = 0; k < 3; ++k) {
      const Vector v = starts[k];
      const Ray ray = AngularRay::apply(model, {2 * v.x, 2 * v.y, 2 * v.z, v.x, v.y, v.z}, {});
      EXPECT_NEAR(ray.dx, ends[k].x, 2e-7);
      EXPECT_NEAR(ray.dy, ends[k].y, 2e-7);
      EXPECT_NEAR(ray.dz, ends[k].z, 2e-7);
      EXPECT_NEAR(ray.ox, 2 * ends[k].x, 4e-7);
      EXPECT_NEAR(ray.oy, 2 * ends[k].y, 4e-7);
      EXPECT_NEAR(ray.oz, 2 * ends[k].z, 4e-7);
    }
  }
}

TEST(AngularRay, KeepsUnitLength) {
  for (const Axis axis : {Axis::kX, Axis::kY, Axis::kZ}) {
    Lanes lanes = make_lanes(1 << 16);
    apply(AngularRay{axis, 1.0F, 3.0F}, detect_isa(), {1, 1, 1}, lanes);
    for (const Ray& r : lanes.rays) {
      const double length = std::sqrt(double{r.dx} * r.dx + double{r.dy} * r.dy + double{r.dz} * r.dz);
      // Lanes start within 1.2e-7 of unit length; a turn adds the errors of sine and cosine.
      ASSERT_NEAR(length, 1.0, 5e-7);
    }
  }
}

TEST(AngularRay, AnglesAreGaussian) {
  // A ray along +x turned about z, and its like for the other axes: the angle is read back exactly.
  constexpr float kMean = 0.02F, kStddev = 0.1F;
  const Lanes z = sample(AngularRay{Axis::kZ, kMean, kStddev}, 5, 0, 0);
  expect_gaussian(values_of_lanes(z, [&](std::size_t i) { return std::atan2(z.rays[i].dy, z.rays[i].dx); }), kMean,
                  kStddev);
  const Lanes y = sample(AngularRay{Axis::kY, kMean, kStddev}, 0, 0, 5);
  expect_gaussian(values_of_lanes(y, [&](std::size_t i) { return std::atan2(y.rays[i].dx, y.rays[i].dz); }), kMean,
                  kStddev);
  const Lanes x = sample(AngularRay{Axis::kX, kMean, kStddev}, 0, 5, 0);
  expect_gaussian(values_of_lanes(x, [&](std::size_t i) { return std::atan2(x.rays[i].dz, x.rays[i].dy); }), kMean,
                  kStddev);
}

TEST(AngularRay, LeavesRaysAlongItsAxisAlone) {
  const Lanes lanes = sample(AngularRay{Axis::kZ, 0.3F, 0.5F}, 0, 0, 7);
  for (const Ray& r : lanes.rays) ASSERT_TRUE(r.dx == 0.0F && r.dy == 0.0F && r.dz == 1.0F);
}

TEST(AngularRay, ReturnsAreNotTouched) {
  const Lanes lanes = sample(AngularRay{Axis::kZ, 0.3F, 0.5F}, 3, 0, 4);
  for (const Return& r : lanes.returns) ASSERT_TRUE(r.x == 3.0F && r.y == 0.0F && r.z == 4.0F && r.range_m == 5.0F);
}

}  // namespace
}  // namespace fathom::test
