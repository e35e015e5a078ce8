// SPDX-License-Identifier: MIT
// Weather in frames: intensities, surfaces of returns from drops, and no weather.

#include <cmath>

#include <gtest/gtest.h>

#include <fathom/noise/noise.hpp>

#include "render/test_scenes.hpp"

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
    Sensor sensor = make_sensor(make_lidar());
    sensor.falloff.law = law, sensor.detection.reach_10_m = 60;
    const Frame clear = render_in({}, sensor);
    expect_same_frame(render_in({Fog{.visibility_m = 1e12F}}, sensor), clear);
    expect_same_frame(render_in({Rain{.rate_mm_per_h = 1e-30F}}, sensor), clear);
    expect_same_frame(render_in({Snow{.rate_mm_per_h = 1e-30F}}, sensor), clear);
  }
}

TEST(WeatherInFrames, DimsIntensitiesAndHidesSurfacesOfReturnsFromDroplets) {
  const Frame clear = render_in({}), foggy = render_in({Fog{.visibility_m = 40.0F}});
  std::size_t soft = 0, hard = 0;
  for (std::size_t i = 0; i < foggy.size(); ++i) {
    ASSERT_EQ(foggy.reason()[i], Reason::kHit);
    ASSERT_EQ(foggy.clean_range_m()[i], clear.clean_range_m()[i]);
    if (foggy.range_m()[i] == clear.range_m()[i]) {
      const float left = std::exp(-2 * std::log(20.0F) / 40.0F * clear.range_m()[i]);
      ASSERT_NEAR(foggy.intensity()[i], clear.intensity()[i] * left, 1e-5);
      ASSERT_EQ(foggy.entity_id()[i], clear.entity_id()[i]);
      ++hard;
    } else {
      ASSERT_LT(foggy.range_m()[i], clear.range_m()[i]);
      ASSERT_GT(foggy.intensity()[i], 0.0F);
      ASSERT_EQ(foggy.entity_id()[i], index(kNoEntity));
      ASSERT_EQ(foggy.triangle_id()[i], kNoTriangle);
      ASSERT_TRUE(std::isnan(foggy.normal().x[i]) && std::isnan(foggy.incidence_rad()[i]));
      ++soft;
    }
  }
  EXPECT_GT(soft, 1000U);
  EXPECT_GT(hard, 100U);
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

}  // namespace

}  // namespace fathom::test::weather_test
