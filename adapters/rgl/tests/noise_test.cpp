// SPDX-License-Identifier: MIT
// The three noises: moments over many runs, new draws each run, frames, seeds, misses.

#include <rgl/api/extensions/weather.h>

#include <fathom/noise/snow.hpp>

#include "rgl/tests/scene.hpp"
#include "sensor/noise/thrown_drops.hpp"
#include "support/expect.hpp"

namespace fathom::test::noise_test {
namespace {

class RglNoise : public Rgl {};

struct Moments {
  double sum = 0, square = 0;
  std::size_t count = 0;
  void add(double v) { sum += v, square += v * v, ++count; }
  [[nodiscard]] double mean() const { return sum / double(count); }
  [[nodiscard]] double sigma() const { return std::sqrt(square / double(count) - mean() * mean()); }
};

/// 100 000 points in 256 runs, as the issue asks: every run must draw anew, or the figures would not come out.
constexpr int kRuns = 256, kPoints = 391;

const std::vector<rgl_field_t> kFields = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32};

rgl_node_t array_at(float x, float y, float z, float distance) {
  std::vector<float> points;
  for (int i = 0; i < kPoints; ++i) points.insert(points.end(), {x, y, z, distance});
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl_node_points_from_array(&node, points.data(), kPoints, kFields.data(), 2), RGL_SUCCESS) << last_error();
  return node;
}

TEST_F(RglNoise, DistanceHasItsMeanAndSigma) {
  rgl_node_t noise = nullptr;
  RGL_OK(rgl_node_gaussian_noise_distance(&noise, 0.1F, 0.03F, 0.002F));
  chain({array_at(0, 3, 4, 10), noise});  // 5 m from the origin; the ray travelled 10
  Moments e, along;
  std::vector<float> last;
  for (int run = 0; run < kRuns; ++run) {
    RGL_OK(rgl_graph_run(noise));
    const auto distance = result<float>(noise, RGL_FIELD_DISTANCE_F32),
               xyz = result<float>(noise, RGL_FIELD_XYZ_VEC3_F32);
    EXPECT_NE(distance, last);
    for (std::size_t i = 0; i < distance.size(); ++i) {
      e.add(distance[i] - 10.0);
      along.add(std::hypot(xyz[3 * i + 1], xyz[3 * i + 2]) - 5.0);
      EXPECT_EQ(xyz[3 * i], 0.0F);
      EXPECT_NEAR(xyz[3 * i + 1] * 4, xyz[3 * i + 2] * 3, 1e-5);
    }
    last = distance;
  }
  EXPECT_NEAR(e.mean(), 0.1, 0.002);
  EXPECT_NEAR(e.sigma(), 0.03 + 10 * 0.002, 0.002);
  EXPECT_NEAR(along.mean(), 0.1, 0.002);
  EXPECT_NEAR(along.sigma(), 0.05, 0.002);
}

TEST_F(RglNoise, HitPointsTurnAboutEachAxisBothWaysRight) {
  // x about +Z goes to +y, y about +X to +z, z about +Y to +x.
  const float start[3][3] = {{0, 5, 0}, {0, 0, 5}, {5, 0, 0}};
  const int to[3] = {2, 0, 1}, from[3] = {1, 2, 0};
  for (int axis = 0; axis < 3; ++axis) {
    rgl_node_t noise = nullptr;
    RGL_OK(rgl_node_gaussian_noise_angular_hitpoint(&noise, 0.2F, 0.05F, static_cast<rgl_axis_t>(axis + 1)));
    chain({array_at(start[axis][0], start[axis][1], start[axis][2], 10), noise});
    Moments angle;
    for (int run = 0; run < kRuns; ++run) {
      RGL_OK(rgl_graph_run(noise));
      const auto xyz = result<float>(noise, RGL_FIELD_XYZ_VEC3_F32);
      for (std::size_t i = 0; i < xyz.size() / 3; ++i) {
        angle.add(std::atan2(xyz[3 * i + std::size_t(to[axis])], xyz[3 * i + std::size_t(from[axis])]));
      }
    }
    EXPECT_NEAR(angle.mean(), 0.2, 0.002);
    EXPECT_NEAR(angle.sigma(), 0.05, 0.002);
    // The distance becomes that from the sensor's origin.
    EXPECT_NEAR(result<float>(noise, RGL_FIELD_DISTANCE_F32)[0], 5.0F, 1e-5);
    RGL_OK(rgl_cleanup());
  }
}

TEST_F(RglNoise, RaysTurnWithTheirWholeFrameAboutTheSensor) {
  const rgl_mat3x4f wall = {{{900, 0, 0, 100}, {0, 900, 0, 200}, {0, 0, 1, 311}}};
  place(make_cube(), wall);
  const rgl_mat3x4f pose = translation(100, 200, 300);
  rgl_node_t transform = nullptr, noise = nullptr;
  RGL_OK(rgl_node_rays_transform(&transform, &pose));
  RGL_OK(rgl_node_gaussian_noise_angular_ray(&noise, 0.1F, 0.04F, RGL_AXIS_Y));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays(std::vector<rgl_mat3x4f>(kPoints, translation(0, 0, 1))), transform, noise, trace,
         make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_AZIMUTH_F32, RGL_FIELD_RAY_POSE_MAT3x4_F32})});
  Moments angle;
  for (int run = 0; run < kRuns; ++run) {
    RGL_OK(rgl_graph_run(trace));
    const auto azimuth = result<float>(trace, RGL_FIELD_AZIMUTH_F32);
    for (const float a : azimuth) angle.add(a);
    if (run != 0) continue;
    const auto distance = result<float>(trace, RGL_FIELD_DISTANCE_F32);
    const auto ray = result<rgl_mat3x4f>(trace, RGL_FIELD_RAY_POSE_MAT3x4_F32);
    for (std::size_t i = 0; i < azimuth.size(); ++i) {
      const double a = azimuth[i];
      // The ray's origin, 1 m ahead of the sensor, turns as well; the wall is 10 m ahead.
      EXPECT_NEAR(ray[i].value[0][3], 100 + std::sin(a), 1e-4);
      EXPECT_NEAR(ray[i].value[2][3], 300 + std::cos(a), 1e-4);
      EXPECT_NEAR(ray[i].value[0][0], std::cos(a), 1e-5);
      EXPECT_NEAR(distance[i], 10 / std::cos(a) - 1, 1e-4);
    }
  }
  EXPECT_NEAR(angle.mean(), 0.1, 0.002);
  EXPECT_NEAR(angle.sigma(), 0.04, 0.002);
}

std::vector<float> cloud_of_all_noises() {
  EXPECT_EQ(rgl_cleanup(), RGL_SUCCESS);
  const rgl_mat3x4f wall = {{{100, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 1, 11}}};
  place(make_cube(), wall);
  rgl_node_t a = nullptr, b = nullptr, c = nullptr;
  EXPECT_EQ(rgl_node_gaussian_noise_angular_ray(&a, 0, 0.01F, RGL_AXIS_X), RGL_SUCCESS);
  EXPECT_EQ(rgl_node_gaussian_noise_angular_hitpoint(&b, 0, 0.01F, RGL_AXIS_Y), RGL_SUCCESS);
  EXPECT_EQ(rgl_node_gaussian_noise_distance(&c, 0, 0.01F, 0), RGL_SUCCESS);
  chain({make_rays(std::vector<rgl_mat3x4f>(3000, kIdentity)), a, make_raytrace(), b, c});
  std::vector<float> all;
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(rgl_graph_run(a), RGL_SUCCESS) << last_error();
    const auto xyz = result<float>(c, RGL_FIELD_XYZ_VEC3_F32);
    all.insert(all.end(), xyz.begin(), xyz.end());
  }
  return all;
}

TEST_F(RglNoise, ASeedMakesCloudsRepeatForAnyNumberOfThreads) {
  RGL_OK(fathom_rgl_set_seed(42));
  const std::vector<float> first = cloud_of_all_noises();
  const std::vector<float> other = cloud_of_all_noises();  // nodes of other numbers
  EXPECT_NE(first, other);
  RGL_OK(rgl_cleanup());
  RGL_OK(fathom_rgl_set_threads(1));
  RGL_OK(fathom_rgl_set_seed(42));
  EXPECT_EQ(cloud_of_all_noises(), first);
  RGL_OK(rgl_cleanup());
  RGL_OK(fathom_rgl_set_threads(3));
  RGL_OK(fathom_rgl_set_seed(42));
  EXPECT_EQ(cloud_of_all_noises(), first);
  RGL_STATUS(fathom_rgl_set_threads(2), RGL_INVALID_ARGUMENT, "no nodes");
  RGL_STATUS(fathom_rgl_set_threads(-1), RGL_INVALID_ARGUMENT, "threads >= 0");
  RGL_OK(rgl_cleanup());
  RGL_OK(fathom_rgl_set_seed(43));
  EXPECT_NE(cloud_of_all_noises(), first);
  RGL_OK(rgl_cleanup());
  RGL_OK(fathom_rgl_set_threads(0));
}

/// The results of three noises in a chain after two runs. The upper two leave their models to the next one, unless
/// other nodes read them, too.
std::vector<float> reports_of_noises(bool others_read, bool keep_misses) {
  EXPECT_EQ(rgl_cleanup(), RGL_SUCCESS);
  EXPECT_EQ(fathom_rgl_set_seed(42), RGL_SUCCESS);
  EXPECT_EQ(fathom_rgl_set_keep_misses(keep_misses), RGL_SUCCESS);
  const rgl_mat3x4f wall = {{{3, 0, 0, 3}, {0, 100, 0, 0}, {0, 0, 1, 11}}};  // half of the rays miss it
  place(make_cube(), wall);
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < 5003; ++i) rays.push_back(turned(0.1 * std::sin(i), 0.01 * std::cos(i), 0.1F, 0.2F, 0.3F));
  rgl_node_t noise[3] = {};
  EXPECT_EQ(rgl_node_gaussian_noise_angular_hitpoint(&noise[0], 0, 0.01F, RGL_AXIS_Y), RGL_SUCCESS);
  EXPECT_EQ(rgl_node_gaussian_noise_distance(&noise[1], 0, 0.01F, 0.1F), RGL_SUCCESS);
  EXPECT_EQ(rgl_node_gaussian_noise_angular_hitpoint(&noise[2], 0, 0.02F, RGL_AXIS_X), RGL_SUCCESS);
  const std::vector<rgl_field_t> fields = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32, RGL_FIELD_IS_HIT_I32};
  chain({make_rays(rays), make_raytrace(), noise[0], noise[1], noise[2], make_yield(fields)});
  if (others_read) {
    for (int i = 0; i < 2; ++i) chain({noise[i], make_yield(fields)});
  }
  for (int run = 0; run < 2; ++run) EXPECT_EQ(rgl_graph_run(noise[0]), RGL_SUCCESS) << last_error();
  std::vector<float> all;
  for (const int i : {0, 2, 1}) {
    for (const rgl_field_t field : {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32}) {
      const auto values = result<float>(noise[i], field);
      all.insert(all.end(), values.begin(), values.end());
    }
    // What is configured now acts from the next run on, also on the points of the nodes below.
    EXPECT_EQ(rgl_node_gaussian_noise_angular_hitpoint(&noise[0], 1.0F, 0, RGL_AXIS_Z), RGL_SUCCESS);
  }
  EXPECT_EQ(fathom_rgl_set_keep_misses(false), RGL_SUCCESS);
  return all;
}

TEST_F(RglNoise, PointsThatWereHandedOnAreThereWhenTheyAreAskedFor) {
  for (const bool keep_misses : {false, true}) {
    const std::vector<float> kept = reports_of_noises(true, keep_misses), made = reports_of_noises(false, keep_misses);
    ASSERT_EQ(made.size(), 3U * 4U * 5003U);
    EXPECT_EQ(std::memcmp(made.data(), kept.data(), made.size() * sizeof(float)), 0);  // misses are NaN
    const std::size_t node = 4 * 5003;
    EXPECT_NE(std::memcmp(made.data(), made.data() + node, node * sizeof(float)), 0);
  }
}

TEST_F(RglNoise, MissesBecomeNaNOrStayAsTheyAre) {
  rgl_node_t noise = nullptr;
  RGL_OK(rgl_node_gaussian_noise_distance(&noise, 0, 0.1F, 0));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace, noise, make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_IS_HIT_I32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_TRUE(std::isnan(result<float>(noise, RGL_FIELD_DISTANCE_F32)[0]));
  RGL_OK(fathom_rgl_set_keep_misses(true));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(noise, RGL_FIELD_DISTANCE_F32)[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(result<float>(noise, RGL_FIELD_XYZ_VEC3_F32)[0], 0.0F);
  RGL_OK(fathom_rgl_set_keep_misses(false));
}

TEST_F(RglNoise, ZeroNoiseChangesNoBit) {
  rgl_node_t hit = nullptr, distance = nullptr;
  RGL_OK(rgl_node_gaussian_noise_angular_hitpoint(&hit, 0, 0, RGL_AXIS_Z));
  RGL_OK(rgl_node_gaussian_noise_distance(&distance, 0, 0, 0));
  chain({array_at(0.1F, 3.3F, -4.7F, 10), distance, hit});
  RGL_OK(rgl_graph_run(hit));
  const auto xyz = result<float>(hit, RGL_FIELD_XYZ_VEC3_F32);
  EXPECT_EQ((std::vector<float>{xyz[0], xyz[1], xyz[2]}), (std::vector<float>{0.1F, 3.3F, -4.7F}));
  EXPECT_EQ(result<float>(distance, RGL_FIELD_DISTANCE_F32)[0], 10.0F);
}

/// A wall at 40 m of this intensity behind snow.
rgl_node_t snow_before(float intensity, float rate, bool dims) {
  std::vector<float> points;
  for (int i = 0; i < kPoints; ++i) points.insert(points.end(), {0, 24, 32, 40, intensity, 5});
  const std::vector<rgl_field_t> fields = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32, RGL_FIELD_INTENSITY_F32,
                                           RGL_FIELD_LASER_RETRO_F32};
  rgl_node_t array = nullptr, snow = nullptr;
  EXPECT_EQ(rgl_node_points_from_array(&array, points.data(), kPoints, fields.data(), 4), RGL_SUCCESS);
  EXPECT_EQ(rgl_node_points_simulate_snow(&snow, 2, 100, rate, 0.003F, 1.6F, 0.07F, 1, 0.003F, dims, 0), RGL_SUCCESS);
  chain({array, snow});
  EXPECT_EQ(rgl_graph_run(snow), RGL_SUCCESS) << last_error();
  return snow;
}

TEST_F(RglNoise, SnowMovesPointsToFlakesAndDimsTheOthers) {
  for (const bool dims : {false, true}) {
    const rgl_node_t snow = snow_before(25.5F, 10, dims);
    const auto distance = result<float>(snow, RGL_FIELD_DISTANCE_F32),
               xyz = result<float>(snow, RGL_FIELD_XYZ_VEC3_F32);
    const auto intensity = result<float>(snow, RGL_FIELD_INTENSITY_F32),
               retro = result<float>(snow, RGL_FIELD_LASER_RETRO_F32);
    const double alpha = Snow{.rate_mm_per_h = 10}.drops().extinction_per_m();
    int flakes = 0;
    for (std::size_t i = 0; i < distance.size(); ++i) {
      EXPECT_NEAR(xyz[3 * i + 1], 0.6F * distance[i], 1e-4);
      EXPECT_NEAR(xyz[3 * i + 2], 0.8F * distance[i], 1e-4);
      if (distance[i] == 40.0F) {
        EXPECT_NEAR(intensity[i], dims ? 25.5 * std::exp(-80 * alpha) : 25.5, 1e-3);
        EXPECT_EQ(retro[i], 5.0F);
        continue;
      }
      ++flakes;
      EXPECT_GE(distance[i], 2.0F);
      EXPECT_LT(distance[i], 40.0F);
      EXPECT_GT(intensity[i] / (distance[i] * distance[i]), 25.5 * std::exp(-80 * alpha) / 1600) << "is stronger";
      EXPECT_EQ(retro[i], 0.0F);
    }
    EXPECT_GT(flakes, kPoints / 20);
    EXPECT_LT(flakes, kPoints);
  }
}

TEST_F(RglNoise, SnowHasTheShareOfThrownFlakes) {
  constexpr int kThrown = 20000;
  const Snow snow = {.rate_mm_per_h = 10, .beam_rad = 0.003F, .nearest_m = 2};
  const DropLaw law = snow.drops();
  // The wall has a tenth of the full intensity, and the sensor would see such a surface up to its 100 m.
  const double wall = 0.1 * std::exp(-80 * law.extinction_per_m()) / 1600;
  std::mt19937_64 random(4);
  double thrown = 0, seen = 0;
  for (int i = 0; i < kThrown; ++i) thrown += throw_drops(law, 40, wall, random).power > wall ? 1.0 / kThrown : 0.0;
  const rgl_node_t node = snow_before(25.5F, 10, true);
  for (int run = 0; run < kRuns; ++run) {
    if (run > 0) RGL_OK(rgl_graph_run(node));
    for (const float d : result<float>(node, RGL_FIELD_DISTANCE_F32)) seen += d < 40.0F ? 1.0 / (kRuns * kPoints) : 0.0;
  }
  EXPECT_NEAR(seen, thrown, 4.5 * std::sqrt(thrown * (1 - thrown) / kThrown) + 1e-3);
}

/// A ray that meets nothing, whose point lies where the user wants it: it is no surface.
TEST_F(RglNoise, SnowLeavesRaysThatMetNothing) {
  rgl_node_t rays = nullptr, trace = nullptr, snow = nullptr;
  const std::vector<rgl_mat3x4f> up(kPoints, translation(0, 0, 1000));
  RGL_OK(rgl_node_rays_from_mat3x4f(&rays, up.data(), kPoints));
  RGL_OK(rgl_node_raytrace(&trace, nullptr));
  RGL_OK(rgl_node_raytrace_configure_non_hits(trace, 40.0F, 40.0F));
  RGL_OK(rgl_node_points_simulate_snow(&snow, 0, 100, 300, 0.003F, 1.6F, 0.07F, 1, 0.003F, true, 0));
  chain({rays, trace, snow});
  RGL_OK(rgl_graph_run(snow));
  EXPECT_EQ(result<float>(snow, RGL_FIELD_DISTANCE_F32), std::vector<float>(kPoints, 40.0F));
}

TEST_F(RglNoise, NoSnowChangesNoBit) {
  const rgl_node_t snow = snow_before(25.5F, 0, true);
  EXPECT_EQ(result<float>(snow, RGL_FIELD_DISTANCE_F32), std::vector<float>(kPoints, 40.0F));
  EXPECT_EQ(result<float>(snow, RGL_FIELD_INTENSITY_F32), std::vector<float>(kPoints, 25.5F));
}

TEST_F(RglNoise, SnowNeedsIntensities) {
  rgl_node_t snow = nullptr;
  RGL_OK(rgl_node_points_simulate_snow(&snow, 0, 100, 9, 0.003F, 1.6F, 0.07F, 1, 0.003F, true, 0));
  chain({array_at(0, 3, 4, 5), snow});
  RGL_STATUS(rgl_graph_run(snow), RGL_INVALID_PIPELINE, "INTENSITY_F32");
}

/// Below points_transform(T) the sensor's frame is T^-1 L.
TEST_F(RglNoise, TheSensorMovesWithTransformedPoints) {
  rgl_node_t move = nullptr, noise = nullptr;
  const rgl_mat3x4f far = translation(100, 0, 0);
  RGL_OK(rgl_node_points_transform(&move, &far));
  RGL_OK(rgl_node_gaussian_noise_distance(&noise, 1.0F, 0, 0));
  chain({array_at(0, 0, 5, 5), move, noise});
  RGL_OK(rgl_graph_run(noise));
  const auto xyz = result<float>(noise, RGL_FIELD_XYZ_VEC3_F32);
  EXPECT_EQ((std::vector<float>{xyz[0], xyz[1], xyz[2]}), (std::vector<float>{100, 0, 6}));
}

}  // namespace
}  // namespace fathom::test::noise_test
