// SPDX-License-Identifier: MIT
#include <fathom/noise/angular_hit.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

TEST(AngularHit, KeepsRangeAndRadiusToTheBitAndTheDistanceOfThePoint) {
  for (const Axis axis : {Axis::kX, Axis::kY, Axis::kZ}) {
    Lanes lanes = make_lanes(1 << 16);
    const Lanes before = lanes;
    apply(AngularHit{axis, 1.0F, 3.0F}, detect_isa(), {1, 1, 1}, lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const Return &r = lanes.returns[i], &old = before.returns[i];
      ASSERT_EQ(math::bits_of(r.range_m), math::bits_of(old.range_m));
      ASSERT_EQ(math::bits_of(r.radius_m), math::bits_of(old.radius_m));
      const double distance = std::sqrt(double{r.x} * r.x + double{r.y} * r.y + double{r.z} * r.z);
      ASSERT_NEAR(distance, old.radius_m, 5e-7 * old.radius_m);
    }
  }
}

TEST(AngularHit, TurnsRightHanded) {
  constexpr float kQuarter = 0.5F * std::numbers::pi_v<float>;
  const Return about_x = AngularHit::apply({Axis::kX, kQuarter, 0}, {1, 2, 3, 9, 9}, {});
  EXPECT_NEAR(about_x.x, 1, 1e-6);
  EXPECT_NEAR(about_x.y, -3, 1e-6);
  EXPECT_NEAR(about_x.z, 2, 1e-6);
  const Return about_y = AngularHit::apply({Axis::kY, kQuarter, 0}, {1, 2, 3, 9, 9}, {});
  EXPECT_NEAR(about_y.x, 3, 1e-6);
  EXPECT_NEAR(about_y.y, 2, 1e-6);
  EXPECT_NEAR(about_y.z, -1, 1e-6);
  const Return about_z = AngularHit::apply({Axis::kZ, kQuarter, 0}, {1, 2, 3, 9, 9}, {});
  EXPECT_NEAR(about_z.x, -2, 1e-6);
  EXPECT_NEAR(about_z.y, 1, 1e-6);
  EXPECT_NEAR(about_z.z, 3, 1e-6);
}

TEST(AngularHit, AnglesAreGaussian) {
  constexpr float kMean = -0.05F, kStddev = 0.2F;
  const Lanes z = sample(AngularHit{Axis::kZ, kMean, kStddev}, 5, 0, 1);
  expect_gaussian(values_of_lanes(z, [&](std::size_t i) { return std::atan2(z.returns[i].y, z.returns[i].x); }), kMean,
                  kStddev);
  const Lanes y = sample(AngularHit{Axis::kY, kMean, kStddev}, 0, 1, 5);
  expect_gaussian(values_of_lanes(y, [&](std::size_t i) { return std::atan2(y.returns[i].x, y.returns[i].z); }), kMean,
                  kStddev);
  const Lanes x = sample(AngularHit{Axis::kX, kMean, kStddev}, 1, 5, 0);
  expect_gaussian(values_of_lanes(x, [&](std::size_t i) { return std::atan2(x.returns[i].z, x.returns[i].y); }), kMean,
                  kStddev);
}

TEST(AngularHit, RaysAreNotTouched) {
  const Lanes lanes = sample(AngularHit{Axis::kZ, 0.3F, 0.5F}, 3, 0, 4);
  for (const Ray& r : lanes.rays) ASSERT_TRUE(r.dx == 0.6F && r.dy == 0.0F && r.dz == 0.8F);
}

/// What the sampler does is what the density says: also where deviations are so large that turns come round.
TEST(AngularHit, DensityIsThatOfTheSampler) {
  constexpr std::size_t kCells = 60, kSteps = 200;
  constexpr double kPi = std::numbers::pi, kCell = 2 * kPi / kCells;
  for (const AngularHit& model : {AngularHit{Axis::kZ, -0.05F, 0.2F}, AngularHit{Axis::kZ, 3.0F, 0.45F},
                                  AngularHit{Axis::kZ, 2.0F, 0.6F}, AngularHit{Axis::kZ, -1.0F, 3.0F}}) {
    const Lanes lanes = sample(model, 5, 0, 1);
    std::vector<double> counts(kCells, 0.0);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const double angle = std::atan2(double{lanes.returns[i].y}, double{lanes.returns[i].x});
      counts[std::min(kCells - 1, static_cast<std::size_t>((angle + kPi) / kCell))] += 1.0;
    }
    double statistic = 0.0, mass = 0.0, rest = static_cast<double>(lanes.size()), degrees = -1.0;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      double share = 0.0;
      for (std::size_t k = 0; k < kSteps; ++k) {
        const double angle = -kPi + kCell * (static_cast<double>(cell) + (static_cast<double>(k) + 0.5) / kSteps);
        share += std::exp(log_density(model.turn(), angle)) * kCell / kSteps;
      }
      mass += share;
      const double expected = share * static_cast<double>(lanes.size());
      if (expected < 20.0) continue;
      rest -= counts[cell];
      statistic += std::pow(counts[cell] - expected, 2) / expected, degrees += 1.0;
    }
    EXPECT_NEAR(mass, 1.0, 1e-4);  // the sum is one of midpoints
    EXPECT_LT(rest, 400.0);        // what lies in cells that expect hardly anything
    const double p = chi_square_p_value(statistic, degrees);
    EXPECT_GT(p, kLowestP) << model.stddev_rad;
    EXPECT_LT(p, kHighestP) << model.stddev_rad;
  }
  EXPECT_EQ(log_density(AxisTurn{Axis::kZ, 0.1, 0.0}, 0.1), -INFINITY);
}

}  // namespace
}  // namespace fathom::test
