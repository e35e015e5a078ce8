// SPDX-License-Identifier: MIT
// Weather in frames: intensities, surfaces of returns from drops, and no weather.

#include <fathom/noise/noise.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "render/test_scenes.hpp"
#include "support/expect.hpp"

namespace fathom::test::weather_test {
namespace {

Frame render_in(NoiseChain weather, Sensor sensor = make_sensor(make_lidar())) {
  sensor.noise = std::move(weather);
  return render_once(make_room_scene(), std::move(sensor));
}

void expect_same_frame(const Frame& a, const Frame& b) {
  EXPECT_TRUE(same_bits(a.range_m(), b.range_m()));
  EXPECT_TRUE(same_bits(a.reason(), b.reason()));
  EXPECT_TRUE(same_bits(a.intensity(), b.intensity()));
  EXPECT_TRUE(same_bits(a.entity_id(), b.entity_id()));
}

TEST(WeatherInFrames, HardlyAnyWeatherHasTheBitsOfNone) {
  for (const FalloffLaw law : {FalloffLaw::kNone, FalloffLaw::kInverseSquare}) {
    for (const float divergence : {0.0F, 0.01F}) {
      Sensor sensor = make_sensor(make_lidar());
      sensor.falloff.law = law, sensor.detection.reach_10_m = 2;  // some walls are too weak
      sensor.divergence = {.horizontal_rad = divergence, .vertical_rad = divergence};
      const DistanceNoise noise = {.stddev_m = 0.05F};
      const Frame clear = render_in({noise}, sensor);
      expect_same_frame(render_in({noise, Fog{.visibility_m = 1e12F}}, sensor), clear);
      expect_same_frame(render_in({noise, Rain{.rate_mm_per_h = 1e-30F}}, sensor), clear);
      expect_same_frame(render_in({noise, Snow{.rate_mm_per_h = 1e-30F}}, sensor), clear);
    }
  }
}

TEST(WeatherInFrames, DimsIntensitiesAndHidesSurfacesOfReturnsFromDroplets) {
  const Frame clear = render_in({}), foggy = render_in({Fog{.visibility_m = 10.0F}});
  std::size_t soft = 0, hard = 0;
  for (std::size_t i = 0; i < foggy.size(); ++i) {
    ASSERT_EQ(foggy.reason()[i], Reason::kHit);
    ASSERT_EQ(foggy.clean_range_m()[i], clear.clean_range_m()[i]);
    if (foggy.entity_id()[i] != index(kNoEntity)) {
      const float left = std::exp(-2 * std::log(20.0F) / 10.0F * clear.range_m()[i]);
      ASSERT_NEAR(foggy.intensity()[i], clear.intensity()[i] * left, 1e-5);
      ASSERT_EQ(foggy.range_m()[i], clear.range_m()[i]);
      ++hard;
    } else {
      ASSERT_LE(foggy.range_m()[i], clear.range_m()[i]);
      ASSERT_GT(foggy.intensity()[i], 0.0F);
      ASSERT_EQ(foggy.triangle_id()[i], kNoTriangle);
      ASSERT_TRUE(std::isnan(foggy.normal_world().x[i]) && std::isnan(foggy.incidence_rad()[i]));
      ++soft;
    }
  }
  EXPECT_GT(soft, 1000U);
  EXPECT_GT(hard, 100U);
}

/// The way of the ray along d from the origin to `range` through a box, or through the ellipsoid in it, times its
/// density.
double way_through(const Fog& fog, const std::array<double, 3>& d, double range) {
  const double centre[] = {double{fog.x_m}, double{fog.y_m}, double{fog.z_m}};
  const double half[] = {0.5 * double{fog.size_x_m}, 0.5 * double{fog.size_y_m}, 0.5 * double{fog.size_z_m}};
  constexpr int kSteps = 4000;
  double inside = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double t = range * (i + 0.5) / kSteps;
    double largest = 0, square = 0, product = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = (t * d[k] - centre[k]) / half[k];
      largest = std::max(largest, std::abs(x)), square += x * x, product *= 1 - x * x;
    }
    const bool is_box = fog.region == FogRegion::kBox;
    if ((is_box ? largest : square) <= 1) inside += 1 - double{fog.falloff} * (is_box ? 1 - product : square);
  }
  return range * inside / kSteps;
}

TEST(WeatherInFrames, CloudsDimTheirOwnAirAlone) {
  const Frame clear = render_in({});
  const std::pair<FogRegion, float> kinds[] = {
      {FogRegion::kBox, 0.0F}, {FogRegion::kBox, 1.0F}, {FogRegion::kSphere, 0.0F}, {FogRegion::kSphere, 0.7F}};
  for (const auto& [region, falloff] : kinds) {
    const Fog cloud = {.extinction_per_m = 0.2F,
                       .backscatter_per_m_sr = 1e-12F,
                       .region = region,
                       .x_m = 3,
                       .y_m = -1,
                       .size_x_m = 3,
                       .size_y_m = 4,
                       .size_z_m = 1.5F,
                       .falloff = falloff};
    const Frame foggy = render_in({cloud});
    for (std::size_t i = 0; i < foggy.size(); i += 7) {
      const double range = double{clear.range_m()[i]};
      const std::array<double, 3> d = {double{clear.hit_sensor_m().x[i]} / range,
                                       double{clear.hit_sensor_m().y[i]} / range,
                                       double{clear.hit_sensor_m().z[i]} / range};
      const double left = std::exp(-0.4 * way_through(cloud, d, range));
      ASSERT_NEAR(foggy.intensity()[i], double{clear.intensity()[i]} * left, 2e-3) << i;
    }
  }
}

TEST(WeatherInFrames, BeamsWidenAsTheRaysOfTheSensor) {
  Sensor sensor = make_sensor(make_lidar());
  sensor.detection.reach_10_m = 60;
  Snow snow = {.rate_mm_per_h = 50}, named = snow;
  named.beam_rad = kUsualBeamRad;
  const Frame of_lines = render_in({snow}, sensor);
  expect_same_frame(of_lines, render_in({named}, sensor));
  sensor.divergence = {.horizontal_rad = 0.016F, .vertical_rad = 0.004F};
  const Frame of_cones = render_in({snow}, sensor), of_named = render_in({named}, sensor);
  EXPECT_FALSE(same_bits(of_cones.range_m(), of_named.range_m()));
  snow.beam_rad = math::sqrt(0.016F * 0.004F);
  expect_same_frame(of_cones, render_in({snow}, sensor));
}

TEST(WeatherInFrames, CloudsOfEntitiesFollowThem) {
  // The table is at (3, 1, -1), turned by 0.4 rad; the cloud is a ball about a point above it.
  const Fog ball = {.extinction_per_m = 1.0F,
                    .backscatter_per_m_sr = 1e-12F,
                    .region = FogRegion::kSphere,
                    .size_x_m = 1.5F,
                    .size_y_m = 1.5F,
                    .size_z_m = 1.5F};
  Fog in_world = ball, at_table = ball;
  in_world.x_m = 3, in_world.y_m = 1, in_world.z_m = 0.5F, at_table.z_m = 1.5F;
  const Frame a = render_in({in_world}), b = render_in({ChainEntry(Fog{}, {EntityEntry{EntityId{1}, at_table}})});
  const Frame clear = render_in({});
  double dimmed = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a.intensity()[i], b.intensity()[i], 1e-4);
    dimmed += double{clear.intensity()[i]} - double{a.intensity()[i]};
  }
  EXPECT_GT(dimmed, 10.0);
}

TEST(WeatherInFrames, DropletsReturnRaysThatMetNothing) {
  Sensor sensor = make_sensor(make_lidar());
  sensor.noise = {Fog{.visibility_m = 100.0F}};
  sensor.detection.reach_10_m = 60;
  const Frame frame = render_once(Scene(), sensor);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ASSERT_EQ(frame.reason()[i], Reason::kHit);
    ASSERT_EQ(frame.entity_id()[i], index(kNoEntity));
  }
  sensor.detection.reach_10_m = 3;  // fog is too weak
  EXPECT_EQ(render_once(Scene(), sensor).reason()[0], Reason::kMiss);
}

TEST(WeatherInFrames, DropletsNearerThanTheSensorMeasuresDoNotHideSurfaces) {
  SpinningLidar lidar = make_lidar();
  lidar.min_range_m = 1.5;
  Sensor sensor = make_sensor(lidar);
  sensor.range_policy = RangePolicy::kDrop;
  const Frame foggy = render_in({Fog{.visibility_m = 10.0F}}, sensor);
  std::size_t soft = 0;
  for (std::size_t i = 0; i < foggy.size(); ++i) {
    ASSERT_EQ(foggy.reason()[i], Reason::kHit);
    ASSERT_GE(foggy.range_m()[i], 1.5F);
    soft += foggy.entity_id()[i] == index(kNoEntity) ? 1 : 0;
  }
  EXPECT_GT(soft, 100U);
}

TEST(WeatherInFrames, EdgesAreOfSurfacesAlone) {
  const EdgeLoss edges = {.min_angle_rad = 0, .low_probability = 1, .high_probability = 1};
  const Frame clear = render_in({edges}), foggy = render_in({edges, Fog{.visibility_m = 10.0F}});
  std::size_t lost = 0, soft = 0;
  for (std::size_t i = 0; i < foggy.size(); ++i) {
    const bool is_soft = foggy.entity_id()[i] == index(kNoEntity);
    ASSERT_EQ(foggy.reason()[i], is_soft ? Reason::kHit : clear.reason()[i]);
    if (clear.reason()[i] == Reason::kEdgeLoss) is_soft ? ++soft : ++lost;
  }
  EXPECT_GT(soft, 10U);
  EXPECT_GT(lost, 10U);
}

TEST(WeatherInFrames, ACloudOfAnEntityNeedsARegion) {
  const ChainEntry entry(Fog{}, {EntityEntry{EntityId{1}, Fog{.visibility_m = 50, .x_m = 1}}});
  EXPECT_EQ(input_error([&] { render_in({entry}); }), "sensor 'lidar': by_entity: fog of entity 1 has no region");
}

/// A wall before the sensor, whose measured intensities fall with the range.
TEST(WeatherInFrames, HardlyAnyFogKeepsMeasuredIntensities) {
  std::vector<float> x, y, z, intensity;
  for (int i = 0; i < 200; ++i) {
    x.push_back(10.0F), y.push_back(0.1F * static_cast<float>(i)), z.push_back(0.0F);
    intensity.push_back(0.002F + 1e-5F * static_cast<float>(i));
  }
  for (const FalloffLaw law : {FalloffLaw::kNone, FalloffLaw::kInverseSquare}) {
    Sensor sensor = make_sensor(make_lidar(), {Fog{.visibility_m = 1e12F}});
    sensor.falloff.law = law;
    SensorNoise noise(sensor, {.seed = 7, .compute = {.threads = 1}});
    Frame frame(all_channels());
    noise.apply_cloud(0, {.x_m = x, .y_m = y, .z_m = z, .reflectivity = intensity, .reflectivity_has_incidence = true},
                      frame);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint32_t at = noise.cloud_places()[i];
      ASSERT_NEAR(frame.intensity()[at] / intensity[i], 1.0, 1e-6);
      ASSERT_EQ(frame.reason()[at], Reason::kHit);
    }
  }
}

}  // namespace
}  // namespace fathom::test::weather_test
