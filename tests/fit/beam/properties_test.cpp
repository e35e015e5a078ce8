// SPDX-License-Identifier: MIT
// What holds for every parameter, sensor, map and scan, whichever rapidcheck thinks of.

#include <fathom/fit/beam.hpp>

#include "support/casters.hpp"
#include "support/expect.hpp"

namespace fathom::test::properties_test {
namespace {

/// A number in [low, high].
double in(double low, double high) {
  return low + (high - low) * (*rc::gen::inRange<std::uint32_t>(0, 1U << 30U)) / static_cast<double>(1U << 30U);
}
/// A number over several orders of magnitude.
double scale_in(double low, double high) { return std::exp(in(std::log(low), std::log(high))); }

/// The book's law of hits, or the law of an extension.
HitTail any_tail() {
  HitTail tail;
  tail.hit = static_cast<HitLaw>(*rc::gen::inRange(0, 3));
  if (tail.hit == HitLaw::kStudentT) tail.nu_hit = scale_in(0.5, 1e3);
  if (tail.hit == HitLaw::kGrows) tail.sigma_hit_per_m = *rc::gen::inRange(0, 3) == 0 ? 0.0 : scale_in(1e-4, 1);
  return tail;
}

BeamParameters any_parameters(double max_range_m) {
  double w[4], sum = 0;
  for (double& each : w) sum += each = *rc::gen::inRange(0, 4) == 0 ? 0.0 : in(0.01, 1);
  if (sum == 0) w[0] = sum = 1;
  const double lambda = *rc::gen::inRange(0, 4) == 0 ? 0.0 : scale_in(1e-13, 1e3) / max_range_m;
  return {w[0] / sum,
          w[1] / sum,
          w[2] / sum,
          w[3] / sum,
          max_range_m * scale_in(1e-4, 30),
          lambda,
          *rc::gen::inRange(0, 2) == 0 ? 0.0 : in(-0.2, 0.2) * max_range_m,
          any_tail()};
}

struct AnyBeam {
  BeamParameters parameters;
  BeamSensor sensor;
  double expected_m;
};

/// Z up to 4 km: with it grow the offsets, which may be 1 km.
AnyBeam any_beam(double least_range_m = 0.02, double most_range_m = 4e3) {
  AnyBeam b;
  b.sensor.max_range_m = scale_in(least_range_m, most_range_m);
  b.sensor.expected_floor_m = b.sensor.max_range_m * scale_in(1e-7, 0.05);
  b.sensor.miss = *rc::gen::inRange(0, 2) == 0 ? MissPolicy::kBook : MissPolicy::kAtom;
  b.parameters = any_parameters(b.sensor.max_range_m);
  b.expected_m = in(0, 1.2) * b.sensor.max_range_m;
  return b;
}

RC_GTEST_PROP(BeamProperties, TheCdfRisesFromZeroToOneAndJumpsByTheAtom, ()) {
  const AnyBeam b = any_beam();
  const BeamDensity d(b.parameters, b.sensor, b.expected_m);
  const double limit = b.sensor.max_range_m;
  double before = 0.0;
  for (int i = 0; i <= 64; ++i) {
    const double f = d.cdf(limit * (i / 64.0) * (1 - 1e-14));
    RC_ASSERT(f >= before - 1e-13);
    RC_ASSERT(d.density(limit * i / 64.0) >= 0.0);
    before = f;
  }
  RC_ASSERT(std::abs(before + d.w_max() - 1.0) < 1e-9);
  RC_ASSERT(d.cdf(limit) == 1.0);
  RC_ASSERT(d.cdf(-1e-12 * limit) == 0.0);
}

RC_GTEST_PROP(BeamProperties, TheDensityIsTheSlopeOfTheCdf, ()) {
  const AnyBeam b = any_beam();
  const BeamDensity d(b.parameters, b.sensor, b.expected_m);
  const double limit = b.sensor.max_range_m, surface = d.expected_m();
  const double z = in(0.01, 0.99) * limit;
  // A step small against every feature; f jumps at the surface, where shorts end.
  const double h = 1e-4 * std::min({b.parameters.sigma_hit_m, limit, 1.0 / (b.parameters.lambda_short_per_m + 1e-300)});
  RC_PRE(std::abs(z - surface) > 2 * h && z - h > 0 && z + h < limit);
  const double slope = (d.cdf(z + h) - d.cdf(z - h)) / (2 * h);
  RC_ASSERT(std::abs(slope - d.density(z)) <= 1e-6 * d.density(z) + 1e-15 / h);
}

RC_GTEST_PROP(BeamProperties, TheQuantileInvertsTheCdf, ()) {
  const AnyBeam b = any_beam();
  const BeamDensity d(b.parameters, b.sensor, b.expected_m);
  const double u = in(1e-6, 1 - 1e-6), z = d.quantile(u), limit = b.sensor.max_range_m;
  if (z >= limit) {
    RC_ASSERT(u > 1.0 - d.w_max() - 1e-9);
  } else {
    RC_ASSERT(std::abs(d.cdf(z) - u) < 1e-9 || d.cdf(z * (1 - 1e-15)) <= u);
    RC_ASSERT(z >= 0.0);
  }
}

RC_GTEST_PROP(BeamProperties, TheUnitOfLengthIsAConvention, ()) {
  const AnyBeam b = any_beam(1, 40);
  const double unit = scale_in(0.02, 1e2);
  AnyBeam scaled = b;
  scaled.parameters.sigma_hit_m *= unit, scaled.parameters.lambda_short_per_m /= unit;
  scaled.parameters.hit_offset_m *= unit, scaled.expected_m *= unit;
  scaled.sensor.max_range_m *= unit, scaled.sensor.expected_floor_m *= unit;
  const BeamDensity one(b.parameters, b.sensor, b.expected_m);
  const BeamDensity other(scaled.parameters, scaled.sensor, scaled.expected_m);
  const double z = in(0, 1) * b.sensor.max_range_m * 0.999;
  RC_PRE(std::abs(z - one.expected_m()) > 1e-9 * b.sensor.max_range_m);
  RC_ASSERT(std::abs(other.density(unit * z) * unit - one.density(z)) <= 1e-9 * one.density(z) + 1e-300);
  RC_ASSERT(std::abs(other.cdf(unit * z) - one.cdf(z)) <= 1e-12);
  RC_ASSERT(other.w_max() == one.w_max());
}

/// A map of up to 40 x 40 cells with walls, unknown cells and a random pose.
GridMap any_map() {
  GridMap map;
  map.rows = *rc::gen::inRange(1U, 41U), map.cols = *rc::gen::inRange(1U, 41U);
  map.resolution_m = scale_in(0.01, 2);
  map.world_from_map = {in(-100, 100), in(-100, 100), in(-4, 4)};
  const int walls = *rc::gen::inRange(1, 30);
  for (std::size_t i = 0; i < std::size_t{map.rows} * map.cols; ++i) {
    const int draw = *rc::gen::inRange(0, 30);
    map.cells.push_back(draw < walls / 4 ? Cell::kOccupied : draw == 29 ? Cell::kUnknown : Cell::kFree);
  }
  return map;
}

struct AnyScans {
  GridMap map = any_map();
  std::vector<Pose> poses;
  RayFan fan;
};

AnyScans any_scans() {
  AnyScans s;
  const double width = s.map.cols * s.map.resolution_m, height = s.map.rows * s.map.resolution_m;
  for (int i = 0; i < 12; ++i) {
    s.poses.push_back(s.map.world_from_map.at_height() *
                      PlanarPose{in(-0.1, 1.1) * width, in(-0.1, 1.1) * height, in(-4, 4)}.at_height());
  }
  std::vector<double> azimuth;
  const int rays = *rc::gen::inRange(1, 40);
  for (int k = 0; k < rays; ++k) azimuth.push_back(in(-3.2, 3.2));
  s.fan = RayFan::planar(azimuth);
  return s;
}

RC_GTEST_PROP(BeamProperties, GridCastsAgreeWithTheWalkCellByCell, ()) {
  const AnyScans s = any_scans();
  const double limit = in(0.5, 60) * s.map.resolution_m;
  for (const UnknownCells unknown : {UnknownCells::kFree, UnknownCells::kOccupied, UnknownCells::kStop}) {
    std::vector<float> oracle(s.poses.size() * s.fan.size()), got(oracle.size());
    make_grid_ranges(s.map, {unknown, GridCasterOptions::Precision::kOracle})->cast(s.poses, s.fan, limit, oracle);
    for (const GridCasterOptions::Precision precision :
         {GridCasterOptions::Precision::kDouble, GridCasterOptions::Precision::kFast}) {
      for (const Isa isa : usable_isas()) {
        make_grid_ranges(s.map, {unknown, precision, isa})->cast(s.poses, s.fan, limit, got);
        for (std::size_t i = 0; i < got.size(); ++i) {
          RC_ASSERT(std::abs(double{got[i]} - oracle[i]) <= 1e-4 * s.map.resolution_m);
        }
      }
    }
  }
}

RC_GTEST_PROP(BeamProperties, AScansScoreIsTheSumOfItsRays, ()) {
  const AnyScans s = any_scans();
  const BeamSensor sensor = {.max_range_m = in(2, 60) * s.map.resolution_m,
                             .expected_floor_m = 0.5 * s.map.resolution_m};
  BeamParameters p = any_parameters(sensor.max_range_m);
  const double spare = std::max(0.0, 0.05 - p.w_rand);  // some random readings, so that no reading is impossible
  for (const auto w : {&BeamParameters::w_hit, &BeamParameters::w_short, &BeamParameters::w_max}) p.*w *= 1 - spare;
  p.w_rand = 1.0 - p.w_hit - p.w_short - p.w_max;
  const auto ranges = make_grid_ranges(s.map);
  std::vector<float> readings;
  for (std::size_t k = 0; k < s.fan.size(); ++k) readings.push_back(static_cast<float>(in(0, 1) * sensor.max_range_m));
  std::vector<double> whole(s.poses.size()), sum(s.poses.size(), 0.0), one(s.poses.size());
  for (const bool exact : {false, true}) {
    std::fill(sum.begin(), sum.end(), 0.0);
    ScanScorer(p, sensor, *ranges, s.fan, {.compute = {.threads = 1}, .exact = exact}).score(s.poses, readings, whole);
    for (std::size_t k = 0; k < s.fan.size(); ++k) {
      const RayFan ray = {{s.fan.x[k]}, {s.fan.y[k]}, {s.fan.z[k]}};
      ScanScorer(p, sensor, *ranges, ray, {.compute = {.threads = 1}, .exact = exact})
          .score(s.poses, std::span(readings).subspan(k, 1), one);
      for (std::size_t i = 0; i < one.size(); ++i) sum[i] += one[i];
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      RC_ASSERT(std::abs(sum[i] - whole[i]) <= 1e-4 + 1e-5 * std::abs(whole[i]));
    }
  }
}

// A density is no probability: with a narrow sigma it is far above 1, which nothing may object to.
TEST(BeamProperties, DensitiesAboveOneAreNoError) {
  const BeamParameters p = {.9, .04, .03, .03, 1e-3, .4};
  const BeamDensity d(p, {.max_range_m = 10}, 4);
  EXPECT_NEAR(d.density(4), .9 / (1e-3 * std::sqrt(2 * std::numbers::pi)), 1);
  EXPECT_GT(d.log_likelihood(4), 5);
}

}  // namespace
}  // namespace fathom::test::properties_test
