// SPDX-License-Identifier: MIT
// Parameters that make no sense are refused with one line that names field, value and limits.

#include "render/test_scenes.hpp"
#include "sensor/kinds.hpp"

namespace fathom::test {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

template <class Model>
std::string refusal(const Model& model) {
  return input_error([&] { make_pattern(model); });
}

TEST(Refusals, SpinningLidar) {
  const auto with = [](auto change) {
    SpinningLidar lidar = small_lidar();
    change(lidar);
    return refusal(lidar);
  };
  using L = SpinningLidar;
  EXPECT_EQ(with([](L& l) { l.columns = 0; }), "spinning_lidar.columns = 0 is not in [1, 65536]");
  EXPECT_EQ(with([](L& l) { l.elevation_rad = {}; }),
            "spinning_lidar.elevation_rad is empty: it needs at least one value");
  EXPECT_EQ(with([](L& l) { l.elevation_rad[2] = 2; }),
            "spinning_lidar.elevation_rad[2] = 2 is not in [-1.5707964, 1.5707964] rad");
  EXPECT_EQ(with([](L& l) { l.elevation_rad[0] = kNoNumber; }),
            "spinning_lidar.elevation_rad[0] = nan is not in [-1.5707964, 1.5707964] rad");
  EXPECT_EQ(with([](L& l) { l.span_rad = 7; }), "spinning_lidar.span_rad = 7 is not in [1e-06, 6.2831855] rad");
  EXPECT_EQ(with([](L& l) { l.span_rad = 0; }), "spinning_lidar.span_rad = 0 is not in [1e-06, 6.2831855] rad");
  EXPECT_EQ(with([](L& l) { l.rate_hz = -1; }), "spinning_lidar.rate_hz = -1 is not in [0.01, 10000] Hz");
  EXPECT_EQ(with([](L& l) { l.min_range_m = 200; }), "spinning_lidar.min_range_m = 200 is not below max_range_m = 100");
  EXPECT_EQ(with([](L& l) { l.max_range_m = kNoNumber; }), "spinning_lidar.max_range_m = nan is not in [0, 1000000] m");
  EXPECT_EQ(with([](L& l) { l.azimuth_offset_rad = {0.1}; }),
            "spinning_lidar.azimuth_offset_rad has 1 values and elevation_rad has 4: one per ring is needed");
  EXPECT_EQ(with([](L& l) {
              l.firing_time_s = {0, 0, 0, 0, 0};
            }),
            "spinning_lidar.firing_time_s has 5 values and elevation_rad has 4: one per ring is needed");
  EXPECT_EQ(with([](L& l) { l.vertical_offset_m = {0}; }),
            "spinning_lidar.vertical_offset_m has 1 values and elevation_rad has 4: one per ring is needed");
  EXPECT_EQ(with([](L& l) { l.min_range_m = l.max_range_m; }),
            "spinning_lidar.min_range_m = 100 is not below max_range_m = 100");
  EXPECT_EQ(with([](L& l) {
              l.ring = {1, 2};
            }),
            "spinning_lidar.ring has 2 values and elevation_rad has 4: one per ring is needed");
  const std::string late = with([](L& l) { l.firing_time_s = {0, 0, 0, 1}; });
  EXPECT_EQ(late.substr(0, 49), "spinning_lidar.firing_time_s[3] = 1 is not in [0,") << late;
}

TEST(Refusals, OtherKinds) {
  EXPECT_EQ(refusal(Laser2d{}), "laser_2d.rays = 0 is not in [1, 16777216]");
  Laser2d laser;
  laser.rays = 10;
  EXPECT_EQ(refusal(laser),
            "laser_2d.max_azimuth_rad = 0 with min_azimuth_rad = 0 and rays = 10: it must be larger, "
            "by at most a full turn");
  EXPECT_EQ(refusal(PinholeCamera{}), "pinhole_camera.fx = 0 is not in [0.001, 10000000] px");
  PinholeCamera camera = PinholeCamera::from_fov(10, 10, 1.0);
  camera.fy = kNoNumber;
  EXPECT_EQ(refusal(camera), "pinhole_camera.fy = nan is not in [0.001, 10000000] px");
  Rosette rosette = small_rosette();
  rosette.points = 1000000000;
  EXPECT_EQ(refusal(rosette), "rosette.points = 1000000000 is not in [1, 16777216]");
  rosette = small_rosette();
  rosette.field_of_view_rad = 4;
  EXPECT_EQ(refusal(rosette), "rosette.field_of_view_rad = 4 is not in [0.001, 3.1415927] rad");
}

TEST(Refusals, MoreRaysThanFitBeforeAnythingIsAllocated) {
  PinholeCamera camera = PinholeCamera::from_fov(40000, 25000, 1.0);  // 10^9 rays: 18 GB if it tried
  EXPECT_EQ(refusal(camera),
            "pinhole_camera: height x width = 25000 x 40000 = 1000000000 rays are more than the "
            "268435456 that a frame may have");
  EXPECT_NO_THROW(check_ray_count("x", "rows", 1000, "cols", 1000, 64000000));
  EXPECT_EQ(input_error([&] { check_ray_count("spinning_lidar", "rings", 128, "columns", 65536, 128ULL << 20U); }),
            "spinning_lidar: rings x columns = 128 x 65536 = 8388608 rays need about 0.5 GiB and "
            "this computer has 0.1 GiB");
  EXPECT_GT(physical_memory_bytes(), 1ULL << 26U);
}

RayPattern two_rays() {
  RayPattern p;
  p.rows = 1;
  p.cols = 2;
  p.direction_x = {1, 0};
  p.direction_y = {0, 1};
  p.direction_z = {0, 0};
  p.min_range_m = {0};
  p.max_range_m = {10, 20};
  return p;
}

TEST(Refusals, RayTable) {
  EXPECT_EQ(refusal(two_rays()), "");
  EXPECT_EQ(refusal(RayPattern{}), "ray_table has no rays: rows x cols = 0 x 0");
  const auto with = [](auto change) {
    RayPattern p = two_rays();
    change(p);
    return refusal(p);
  };
  using P = RayPattern;
  constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(with([](P& p) { p.direction_y = {0}; }), "ray_table.direction_y has 1 values and the pattern 2 rays");
  EXPECT_EQ(with([](P& p) { p.direction_x[0] = 0.5F; }),
            "ray_table.direction[0] = (0.5, 0, 0) is not a unit vector: its length is 0.5");
  EXPECT_TRUE(contains(with([](P& p) { p.direction_z[1] = kNanF; }), "direction[1]"));
  EXPECT_EQ(with([](P& p) { p.origin_x = {0, 0}; }), "ray_table.origin_y has 0 values and the pattern 2 rays");
  EXPECT_EQ(with([](P& p) {
              p.time_offset_s = {0, kNanF};
            }),
            "ray_table.time_offset_s[1] = nan is not in [-1000000000, 1000000000] s");
  EXPECT_EQ(with([](P& p) {
              p.min_range_m = {0, 30};
            }),
            "ray_table.min_range_m = 30 is not below max_range_m = 20 for ray 1");
  EXPECT_EQ(with([](P& p) { p.min_range_m = {10}; }),
            "ray_table.min_range_m = 10 is not below max_range_m = 10 for ray 0");
  EXPECT_EQ(with([](P& p) { p.max_range_m = {}; }), "ray_table.max_range_m has 0 values and the pattern 2 rays");
  EXPECT_EQ(with([](P& p) { p.min_range_m = {-1}; }), "ray_table.min_range_m[0] = -1 is not in [0, 1000000] m");
  EXPECT_EQ(with([](P& p) { p.ring = {1}; }), "ray_table.ring has 1 values and the pattern 2 rays");
}

}  // namespace
}  // namespace fathom::test
