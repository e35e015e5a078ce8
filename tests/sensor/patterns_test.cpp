// SPDX-License-Identifier: MIT
// The rays of every kind against closed forms: angles and times are recovered from the pattern and compared with what
// was asked for.

#include <fathom/core/geometry.hpp>

#include "render/test_scenes.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom::test {
namespace {

// A float unit vector points at most about 2^-24 rad = 3.4e-6 degrees beside the angle it was made from.
constexpr double kAngleToleranceDeg = 1e-5;

// Spinning lidar

TEST(SpinningLidar, RowsDescendFromTheHighestRingWhateverTheListedOrder) {
  const RayPattern p = make_pattern(small_lidar());
  ASSERT_EQ(p.rows, 4U);
  ASSERT_EQ(p.cols, 36U);
  const double expected_deg[] = {15, 5, 0, -10};
  for (std::size_t i = 0; i < p.direction_x.size(); ++i) {
    EXPECT_NEAR(elevation_deg(p, i), expected_deg[i / 36], kAngleToleranceDeg);
  }
}

TEST(SpinningLidar, RingCountsFromTheLowestRingUnlessGiven) {
  SpinningLidar lidar = small_lidar();
  RayPattern p = make_pattern(lidar);
  for (std::uint32_t row = 0; row < 4; ++row) EXPECT_EQ(p.ring[row * 36], 3 - row);
  lidar.ring = {7, 8, 9, 10};
  p = make_pattern(lidar);
  const std::uint16_t from_top[] = {10, 8, 9, 7};
  for (std::uint32_t row = 0; row < 4; ++row) EXPECT_EQ(p.ring[row * 36 + 35], from_top[row]);
}

TEST(SpinningLidar, DefaultImageReadsLeftToRightWithStraightAheadInItsMiddle) {
  const RayPattern p = make_pattern(small_lidar());
  EXPECT_NEAR(std::abs(azimuth_deg(p, 0)), 180.0, kAngleToleranceDeg);
  EXPECT_NEAR(azimuth_deg(p, 9), 90.0, kAngleToleranceDeg) << "left of the sensor in the left half of the image";
  EXPECT_NEAR(azimuth_deg(p, 18), 0.0, kAngleToleranceDeg);
  EXPECT_NEAR(azimuth_deg(p, 27), -90.0, kAngleToleranceDeg);
}

TEST(SpinningLidar, AzimuthAndTimeFollowTheSteadyTurnOfTheHead) {
  for (const bool clockwise : {false, true}) {
    SpinningLidar lidar = small_lidar();
    lidar.clockwise = clockwise;
    lidar.start_azimuth_rad = 30 * kDeg;
    lidar.span_rad = 120 * kDeg;
    lidar.columns = 10;
    lidar.rate_hz = 5;
    lidar.azimuth_offset_rad = {1 * kDeg, -2 * kDeg, 3 * kDeg, 0.5 * kDeg};
    lidar.firing_time_s = {0.0, 1e-3, 2e-3, 3e-3};
    const RayPattern p = make_pattern(lidar);
    const std::size_t listed_of_row[] = {3, 1, 2, 0};
    const double sense = clockwise ? -1 : 1;
    for (std::size_t row = 0; row < 4; ++row) {
      const std::size_t listed = listed_of_row[row];
      for (std::size_t c = 0; c < 10; ++c) {
        // 5 turns per second are 1800 degrees per second; columns are 12 degrees, so 1/150 s, apart.
        const double time_s = static_cast<double>(c) / 150.0 + lidar.firing_time_s[listed];
        const double azimuth = 30 + sense * 1800.0 * time_s + lidar.azimuth_offset_rad[listed] / kDeg;
        EXPECT_NEAR(p.time_offset_s[row * 10 + c], time_s, 1e-8);
        EXPECT_NEAR(turn_deg(azimuth, azimuth_deg(p, row * 10 + c)), 0.0, kAngleToleranceDeg);
      }
    }
  }
}

TEST(SpinningLidar, VerticalOffsetsMoveTheOriginsAndOtherwiseThereAreNone) {
  SpinningLidar lidar = small_lidar();
  EXPECT_TRUE(make_pattern(lidar).origin_x.empty());
  lidar.vertical_offset_m = {0.1, 0.2, 0.3, 0.4};
  const RayPattern p = make_pattern(lidar);
  EXPECT_FLOAT_EQ(p.origin_z[0], 0.4F);
  EXPECT_FLOAT_EQ(p.origin_z[3 * 36 + 35], 0.1F);
  EXPECT_EQ(p.origin_x[5], 0.0F);
  EXPECT_EQ(p.origin_y.size(), p.direction_x.size());
}

TEST(SpinningLidar, EvenElevationsIncludeBothEnds) {
  const std::vector<double> e = even_elevations(5, 20 * kDeg, -20 * kDeg);
  ASSERT_EQ(e.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(e[i] / kDeg, 20.0 - 10.0 * static_cast<double>(i), 1e-12);
  EXPECT_EQ(even_elevations(1, 0.25, 0.5), std::vector<double>{0.25});
  EXPECT_TRUE(even_elevations(0, 0.25, 0.5).empty());
}

// Planar laser

TEST(Laser2d, RaysRunFromMinToMaxAzimuthInThePlane) {
  Laser2d laser;
  laser.rays = 271;
  laser.min_azimuth_rad = -135 * kDeg;
  laser.max_azimuth_rad = 135 * kDeg;
  const RayPattern p = make_pattern(laser);
  ASSERT_EQ(p.rows, 1U);
  ASSERT_EQ(p.cols, 271U);
  for (std::size_t i = 0; i < 271; ++i) {
    EXPECT_NEAR(azimuth_deg(p, i), static_cast<double>(i) - 135.0, kAngleToleranceDeg);
    EXPECT_EQ(p.direction_z[i], 0.0F);
  }
}

TEST(Laser2d, TimeFollowsTheMirrorInItsSense) {
  Laser2d laser;
  laser.rays = 181;
  laser.max_azimuth_rad = 180 * kDeg;
  laser.rate_hz = 20;
  RayPattern p = make_pattern(laser);
  EXPECT_EQ(p.time_offset_s[0], 0.0F);
  EXPECT_NEAR(p.time_offset_s[180], 0.025, 1e-9) << "half of a turn of 50 ms";
  laser.clockwise = true;
  p = make_pattern(laser);
  EXPECT_EQ(p.time_offset_s[180], 0.0F);
  EXPECT_NEAR(p.time_offset_s[0], 0.025, 1e-9);
}

TEST(Laser2d, OneRayIsARangefinder) {
  Laser2d laser;
  laser.rays = 1;
  laser.min_azimuth_rad = laser.max_azimuth_rad = 45 * kDeg;
  const RayPattern p = make_pattern(laser);
  EXPECT_NEAR(azimuth_deg(p, 0), 45.0, kAngleToleranceDeg);
  EXPECT_EQ(p.time_offset_s[0], 0.0F);
}

// Camera

RC_GTEST_PROP(PinholeCamera, RaysProjectBackToTheirPixels, ()) {
  PinholeCamera camera;
  camera.width = *rc::gen::inRange(1U, 50U);
  camera.height = *rc::gen::inRange(1U, 40U);
  camera.fx = *rc::gen::inRange(100, 2000) / 10.0;
  camera.fy = *rc::gen::inRange(100, 2000) / 10.0;
  camera.cx = *rc::gen::inRange(-100, 600) / 10.0;
  camera.cy = *rc::gen::inRange(-100, 600) / 10.0;
  const RayPattern p = make_pattern(camera);
  RC_ASSERT(p.rows == camera.height && p.cols == camera.width);
  for (std::uint32_t v = 0; v < camera.height; ++v) {
    for (std::uint32_t u = 0; u < camera.width; ++u) {
      const std::size_t i = std::size_t{v} * camera.width + u;
      RC_ASSERT(p.direction_x[i] > 0.0F);
      // camera axes: right is -y, down is -z, forward is x
      RC_ASSERT(std::abs(camera.cx - camera.fx * p.direction_y[i] / p.direction_x[i] - u) < 1e-4);
      RC_ASSERT(std::abs(camera.cy - camera.fy * p.direction_z[i] / p.direction_x[i] - v) < 1e-4);
      RC_ASSERT(std::abs(length(p, i) - 1.0) < 2e-7);
    }
  }
}

TEST(PinholeCamera, ReadsLikeAPicture) {
  const RayPattern p = make_pattern(PinholeCamera::from_fov(64, 48, 60 * kDeg));
  EXPECT_GT(p.direction_y[0], 0.0F) << "the first pixel looks left";
  EXPECT_GT(p.direction_z[0], 0.0F) << "and up";
  EXPECT_LT(p.direction_y.back(), 0.0F);
  EXPECT_LT(p.direction_z.back(), 0.0F);
  EXPECT_TRUE(p.time_offset_s.empty());
}

TEST(PinholeCamera, FieldOfViewSpansTheEdgesOfTheImage) {
  const PinholeCamera camera = PinholeCamera::from_fov(640, 480, 90 * kDeg);
  EXPECT_NEAR(camera.fx, 320.0, 1e-9);  // tan 45 degrees = 1
  EXPECT_EQ(camera.fx, camera.fy);
  EXPECT_EQ(camera.cx, 319.5);
  EXPECT_EQ(camera.cy, 239.5);
  EXPECT_THROW(PinholeCamera::from_fov(640, 480, 180 * kDeg), InputError);
  EXPECT_THROW(PinholeCamera::from_fov(640, 480, std::nan("")), InputError);
}

// Rosette

double off_axis_deg(const RayPattern& p, std::size_t i) {
  return std::atan2(std::hypot(double{p.direction_y[i]}, double{p.direction_z[i]}), double{p.direction_x[i]}) / kDeg;
}

TEST(Rosette, StaysInsideItsConeAndReachesItsRim) {
  double widest = 0;
  for (std::uint32_t frame = 0; frame < 4; ++frame) {
    const RayPattern p = make_pattern(small_rosette(), frame);
    for (std::size_t i = 0; i < p.cols; ++i) widest = std::max(widest, off_axis_deg(p, i));
  }
  EXPECT_LE(widest, 20.0 + kAngleToleranceDeg);
  EXPECT_GT(widest, 19.9);
}

TEST(Rosette, SplitsIntoTwoTurningVectorsOfEqualLength) {
  // Without the polar form it is the sum of the two prisms: checked at instants with known angles.
  Rosette rosette = small_rosette();
  rosette.prism1_hz = 25;
  rosette.prism2_hz = -25;  // opposite: a straight line along y
  RayPattern p = make_pattern(rosette);
  for (std::size_t i = 0; i < p.cols; ++i) {
    EXPECT_NEAR(p.direction_z[i], 0.0F, 1e-6);
    EXPECT_NEAR(azimuth_deg(p, i), 20 * std::cos(2 * std::numbers::pi * 25 * static_cast<double>(i) / 1e5),
                kAngleToleranceDeg);
  }
  rosette.prism2_hz = 25;  // together: a circle at the rim, counter-clockwise seen from in front (y towards z)
  p = make_pattern(rosette);
  for (std::size_t i = 0; i < p.cols; ++i) EXPECT_NEAR(off_axis_deg(p, i), 20.0, kAngleToleranceDeg);
  EXPECT_GT(p.direction_z[100], 0.0F);
}

TEST(Rosette, ContinuesAcrossFrames) {
  const Rosette rosette = small_rosette();
  Rosette both = rosette;
  both.points *= 2;
  const RayPattern long_frame = make_pattern(both);
  const RayPattern first = make_pattern(rosette, 0), second = make_pattern(rosette, 1);
  for (std::size_t i = 0; i < rosette.points; ++i) {
    EXPECT_EQ(first.direction_y[i], long_frame.direction_y[i]);
    EXPECT_EQ(second.direction_y[i], long_frame.direction_y[rosette.points + i]);
    EXPECT_EQ(second.direction_z[i], long_frame.direction_z[rosette.points + i]);
    EXPECT_EQ(second.time_offset_s[i], first.time_offset_s[i]);
  }
  EXPECT_TRUE(make_view(rosette).rays_vary);
  EXPECT_FALSE(make_view(small_lidar()).rays_vary);
}

/// Cells of half a degree, well inside the cone, that the first `frames` frames struck, as a fraction of all.
double coverage(const Rosette& rosette, std::uint32_t frames) {
  constexpr int kCells = 76;  // 38 degrees across
  const auto inside = [](int column, int row) {
    return std::hypot(column - kCells / 2 + 0.5, row - kCells / 2 + 0.5) < kCells / 2;
  };
  std::set<std::pair<int, int>> seen;
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    const RayPattern p = make_pattern(rosette, frame);
    for (std::size_t i = 0; i < p.cols; ++i) {
      // Equidistant, as the formula of the rosette: angle from the axis, in the direction of (y, z).
      const double off_axis = std::hypot(double{p.direction_y[i]}, double{p.direction_z[i]});
      const double scale = off_axis > 0 ? off_axis_deg(p, i) / off_axis : 0.0;
      const int column = static_cast<int>(std::floor(scale * p.direction_y[i] * 2)) + kCells / 2;
      const int row = static_cast<int>(std::floor(scale * p.direction_z[i] * 2)) + kCells / 2;
      if (inside(column, row)) seen.insert({column, row});
    }
  }
  int all = 0;
  for (int i = 0; i < kCells * kCells; ++i) all += inside(i % kCells, i / kCells) ? 1 : 0;
  return static_cast<double>(seen.size()) / all;
}

TEST(Rosette, FillsItsFieldOfViewMoreWithEveryFrameUntilItIsFull) {
  double before = 0.0;
  for (std::uint32_t frames = 1; frames <= 5; ++frames) {
    const double now = coverage(small_rosette(), frames);
    EXPECT_GT(now, before) << frames << " frames";
    before = now;
  }
  EXPECT_GT(coverage(small_rosette(), 100), 0.999);
  Rosette repeating = small_rosette();  // prisms at 120 and -80 Hz: the same five petals every 25 ms
  repeating.prism1_hz = 120;
  repeating.prism2_hz = -80;
  EXPECT_EQ(coverage(repeating, 100), coverage(repeating, 1));
  EXPECT_LT(coverage(repeating, 100), 0.5);
}

TEST(Rosette, StaysSharpAfterDays) {
  // Frame 10^7 of 50 ms is day 5: neighbours in time must still be neighbours in angle. The ray moves at most
  // 20 degrees x pi (121.6 + 77.7) rad/s = 12 524 degrees/s, so 0.126 degrees from point to point.
  const RayPattern p = make_pattern(small_rosette(), 10000000);
  for (std::size_t i = 1; i < p.cols; ++i) {
    EXPECT_LT(std::hypot(p.direction_y[i] - p.direction_y[i - 1], p.direction_z[i] - p.direction_z[i - 1]) / kDeg,
              0.13);
  }
}

// All kinds

RC_GTEST_PROP(Patterns, DirectionsAreUnitVectorsAndTheTableAccepted, ()) {
  SpinningLidar lidar;
  const auto rings = *rc::gen::inRange(1, 20);
  lidar.elevation_rad = *rc::gen::container<std::vector<double>>(
      rings, rc::gen::map(rc::gen::inRange(-90, 91), [](int deg) { return deg * kDeg; }));
  lidar.azimuth_offset_rad = *rc::gen::container<std::vector<double>>(
      rings, rc::gen::map(rc::gen::inRange(-180, 181), [](int deg) { return deg * kDeg; }));
  lidar.columns = *rc::gen::inRange(1U, 200U);
  lidar.span_rad = *rc::gen::inRange(1, 361) * kDeg;
  lidar.start_azimuth_rad = *rc::gen::inRange(-360, 361) * kDeg;
  lidar.clockwise = *rc::gen::arbitrary<bool>();
  const RayPattern p = make_pattern(lidar);
  for (std::size_t i = 0; i < p.direction_x.size(); ++i) RC_ASSERT(std::abs(length(p, i) - 1.0) < 2e-7);
  validate(p);  // what the kinds write, a ray table may hold
  // Rows never rise, and rings count them.
  for (std::size_t row = 1; row < p.rows; ++row) {
    RC_ASSERT(p.direction_z[row * p.cols] <= p.direction_z[(row - 1) * p.cols]);
    RC_ASSERT(p.ring[row * p.cols] + 1 == p.ring[(row - 1) * p.cols]);
  }
}

TEST(Patterns, UpdatingReusesTheArrays) {
  const SensorModel model = small_rosette();
  RayPattern pattern = make_pattern(model);
  const float* before = pattern.direction_x.data();
  update_pattern(model, 3, pattern);
  EXPECT_EQ(pattern.direction_x.data(), before);
  EXPECT_EQ(pattern.direction_x, make_pattern(model, 3).direction_x);
  EXPECT_NE(pattern.direction_x, make_pattern(model, 0).direction_x);
}

TEST(Patterns, UpdatingForgetsWhatAnotherModelLeft) {
  SpinningLidar lidar = small_lidar();
  lidar.vertical_offset_m = {0.1, 0.2, 0.3, 0.4};
  RayPattern pattern = make_pattern(lidar);
  update_pattern(PinholeCamera::from_fov(4, 3, 1.0), 0, pattern);
  EXPECT_TRUE(pattern.origin_x.empty());
  EXPECT_TRUE(pattern.time_offset_s.empty());
  EXPECT_TRUE(pattern.ring.empty());
  validate(pattern);
}

/// Seven rays, at 10 k^2 ms.
RayPattern seven_rays() {
  RayPattern table;
  table.rows = 1, table.cols = 7;
  for (int k = 0; k < 7; ++k) {
    table.direction_x.push_back(std::cos(0.1F * static_cast<float>(k)));
    table.direction_y.push_back(std::sin(0.1F * static_cast<float>(k)));
    table.direction_z.push_back(0);
    table.time_offset_s.push_back(0.01F * static_cast<float>(k * k));
    table.ring.push_back(static_cast<std::uint16_t>(k));
  }
  table.min_range_m = {0}, table.max_range_m = {10};
  return table;
}

TEST(RayTable, PlaysItsRaysOneAfterTheOther) {
  RayPattern table = seven_rays();
  table.rays_per_frame = 3;
  for (const bool loop : {true, false}) {
    table.loop = loop;
    EXPECT_TRUE(make_view(table).rays_vary);
    for (const std::uint32_t frame : {0U, 1U, 2U, 3U, 7U, 4000000000U}) {
      const RayPattern p = make_pattern(table, frame);
      validate(p);
      ASSERT_EQ(p.cols, 3U);
      const std::uint64_t first = loop ? std::uint64_t{frame} * 3 % 7 : std::min<std::uint64_t>(frame * 3ULL, 4);
      for (std::uint32_t i = 0; i < 3; ++i) {
        const std::size_t k = (first + i) % 7;
        EXPECT_EQ(p.direction_x[i], table.direction_x[k]);
        EXPECT_EQ(p.direction_y[i], table.direction_y[k]);
        EXPECT_EQ(p.ring[i], k);
        // A table that starts again goes on after its mean step, a sixth of 0.36 s.
        const double again = first + i >= 7 ? 0.36 + 0.06 : 0.0;
        EXPECT_NEAR(p.time_offset_s[i], table.time_offset_s[k] - table.time_offset_s[first] + again, 1e-6);
      }
    }
  }
}

TEST(RayTable, OfWholeFramesRepeatsAndOfARateHasEvenTimes) {
  RayPattern table = seven_rays();
  const RayPattern plain = make_pattern(table);
  table.rays_per_frame = 7;
  EXPECT_FALSE(make_view(table).rays_vary);
  EXPECT_EQ(make_pattern(table, 5).direction_y, plain.direction_y);
  EXPECT_EQ(make_pattern(table, 5).time_offset_s, plain.time_offset_s);
  table.rays_per_frame = 2, table.points_per_s = 100;
  EXPECT_EQ(make_pattern(table, 5).time_offset_s, (std::vector<float>{0.0F, 0.01F}));
  table.time_offset_s.clear();
  EXPECT_TRUE(make_view(table).timed);
  EXPECT_EQ(make_pattern(table, 5).time_offset_s, (std::vector<float>{0.0F, 0.01F}));
}

TEST(RayTable, RefusesToPlayMoreThanItHasOrSeveralRowsOrTooSlowly) {
  RayPattern table = seven_rays();
  const auto refusal = [&] { return input_error([&] { make_pattern(table); }); };
  table.rays_per_frame = 8;
  EXPECT_EQ(refusal(), "ray_table.rays_per_frame = 8 is more than the 7 rays of the table");
  table.rays_per_frame = 1, table.rows = 7, table.cols = 1;
  EXPECT_EQ(refusal(), "ray_table.rays_per_frame = 1 needs a table of one row, not 7");
  table = seven_rays();
  for (const double wrong : {1e-40, 0.99}) {
    table.points_per_s = wrong;
    EXPECT_TRUE(contains(refusal(), "ray_table.points_per_s = "));
    EXPECT_TRUE(contains(refusal(), "is not in [1, 1000000000] Hz or 0"));
  }
  table.points_per_s = 1;
  EXPECT_EQ(refusal(), "");
}

TEST(SpinningLidar, RaysStartAtTheirDistanceFromTheAxis) {
  SpinningLidar lidar = small_lidar();
  lidar.azimuth_offset_rad.assign(lidar.elevation_rad.size(), 0.2);
  const RayPattern centred = make_pattern(lidar);
  lidar.beam_origin_m = 0.015;
  const RayPattern p = make_pattern(lidar);
  EXPECT_FALSE(make_view(lidar).one_origin);
  for (std::size_t i = 0; i < p.origin_x.size(); ++i) {
    EXPECT_EQ(p.direction_x[i], centred.direction_x[i]);
    const double head_deg = std::atan2(double{p.origin_y[i]}, double{p.origin_x[i]}) / kDeg;
    EXPECT_NEAR(std::hypot(p.origin_x[i], p.origin_y[i]), 0.015, 1e-8);
    EXPECT_NEAR(std::remainder(azimuth_deg(p, i) - head_deg - 0.2 / kDeg, 360), 0, 1e-4);
    EXPECT_EQ(p.origin_z[i], 0.0F);
  }
}

}  // namespace
}  // namespace fathom::test
