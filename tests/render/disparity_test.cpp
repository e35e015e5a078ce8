// SPDX-License-Identifier: MIT
// What follows from the disparity of a stereo camera: its errors, the band at the edge, the smallest depth.

#include "render/stereo_scenes.hpp"

namespace fathom::test {
namespace {

TEST(Disparity, LevelsAreTheClosedFormApart) {
  const double fb = 400 * 0.1, steps = 16;
  const TiltedPlane plane{4.0, 20 * kDeg};
  const Frame f = render_once(make_plane_scene(plane),
                              make_sensor(make_stereo(512, 2, 400, 0.1), {Disparity{.steps_per_px = float(steps)}}));
  std::size_t checked = 0;
  for (std::size_t i = 0; i < 512; ++i) {
    const double z = f.depth_m()[i], level = fb / z * steps;
    ASSERT_NEAR(level, std::round(level), 2e-3);
    ASSERT_LE(std::abs(fb / f.clean_depth_m()[i] * steps - level), 0.501);
    if (i == 0) continue;
    const double step = std::abs(z - f.depth_m()[i - 1]);
    if (step < 1e-4) continue;
    EXPECT_NEAR(step, z * z / (steps * fb), 0.02 * step);
    ++checked;
  }
  EXPECT_GT(checked, 5U);
}

// At 5 m the disparity is 8 px: with a deviation of 8 px every sixth or so comes out at or below 0, or rounds to it.
TEST(Disparity, NoneLeftIsLostAboveTheMaximumRangeWhateverThePolicy) {
  StereoCamera camera = make_stereo(128, 128, 400, 0.1);
  camera.max_range_m = 10;
  for (const float steps : {0.0F, 1.0F}) {
    Sensor sensor = make_sensor(camera, {Disparity{.stddev_px = 8, .steps_per_px = steps}});
    sensor.range_policy = RangePolicy::kKeep;
    const Frame keep = render_once(make_plane_scene({5.0, 0.0}), sensor);
    const double n = static_cast<double>(keep.size());
    const double p = 0.5 * std::erfc((steps > 0 ? 7.5 : 8.0) / 8 / std::sqrt(2.0));
    EXPECT_NEAR(double(count_of(keep, Reason::kAboveMaxRange)), n * p, 4 * std::sqrt(n * p * (1 - p)));
    EXPECT_EQ(count_of(keep, Reason::kHit) + count_of(keep, Reason::kAboveMaxRange), keep.size());
    sensor.range_policy = RangePolicy::kClamp;
    const Frame clamp = render_once(make_plane_scene({5.0, 0.0}), sensor);
    for (std::size_t i = 0; i < keep.size(); ++i) {
      ASSERT_EQ(clamp.reason()[i], keep.reason()[i]);
      ASSERT_EQ(std::isnan(keep.range_m()[i]), keep.reason()[i] != Reason::kHit);
      if (keep.reason()[i] != Reason::kHit) continue;
      ASSERT_GT(keep.depth_m()[i], 0.0F);
      ASSERT_LE(clamp.range_m()[i], 10.0F);
    }
  }
}

TEST(Disparity, ABiasOfMoreThanAllLosesEveryPixelAndLaterModelsLeaveThemAlone) {
  for (const RangePolicy policy : {RangePolicy::kKeep, RangePolicy::kClamp, RangePolicy::kDrop}) {
    Sensor sensor = make_sensor(make_stereo(32, 24, 400, 0.1),
                                {Disparity{.bias_px = -9}, DistanceNoise{.mean_m = -1}, Dropout{.probability = 1}});
    sensor.range_policy = policy;
    const Frame f = render_once(make_plane_scene({5.0, 0.0}), sensor);
    EXPECT_EQ(count_of(f, Reason::kAboveMaxRange), f.size());
  }
}

TEST(Disparity, WhatItCarriesBeyondTheLimitsIsLostUnlessThePolicySaysOtherwise) {
  StereoCamera camera = make_stereo(32, 24, 400, 0.1);
  camera.min_range_m = 1, camera.max_range_m = 10;
  const auto reason_at = [&](double z, float bias_px, std::optional<RangePolicy> policy) {
    Sensor sensor = make_sensor(camera, {Disparity{.bias_px = bias_px}});
    sensor.range_policy = policy;
    const Frame f = render_once(make_plane_scene({z, 0.0}), sensor);
    EXPECT_EQ(count_of(f, f.reason()[0]), f.size());
    return f.reason()[0];
  };
  EXPECT_EQ(reason_at(5, -5, {}), Reason::kAboveMaxRange);  // 13.3 m
  EXPECT_EQ(reason_at(2, 30, {}), Reason::kBelowMinRange);  // 0.8 m
  EXPECT_EQ(reason_at(5, -2, {}), Reason::kHit);            // 6.7 m
  EXPECT_EQ(reason_at(5, -5, RangePolicy::kKeep), Reason::kHit);
  DepthCamera one;
  one.width = 32, one.height = 24, one.fx = 400;
  const NoiseChain far = {DistanceNoise{.mean_m = 8}};
  EXPECT_EQ(count_of(render_once(make_plane_scene({5.0, 0.0}), make_sensor(one, far)), Reason::kAboveMaxRange), 768U);
  PinholeCamera range_camera;  // other kinds keep
  range_camera.width = 32, range_camera.height = 24, range_camera.fx = range_camera.fy = 400;
  range_camera.max_range_m = 10;
  EXPECT_EQ(count_of(render_once(make_plane_scene({5.0, 0.0}), make_sensor(range_camera, far)), Reason::kHit), 768U);
}

// Hit noise comes first: the disparity is that of the turned point, and its error moves the point along its new line.
TEST(Order, HitNoiseComesBeforeDisparity) {
  const double turn = 0.3, bias = 4, fb = 60 * 0.5;
  const StereoCamera camera = make_stereo(96, 72, 60, 0.5);
  const Noise hit = AngularHit{.axis = Axis::kZ, .mean_rad = float(turn)},
              disparity = Disparity{.bias_px = float(bias)};
  const RayPattern pattern = make_pattern(camera);
  for (const NoiseChain& chain : {NoiseChain{hit, disparity}, NoiseChain{disparity, hit}}) {
    const Frame f = render_once(make_room_scene(), make_sensor(camera, chain));
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Vec3 p = double{f.clean_range_m()[i]} * direction_of(pattern, i);
      const Vec3 turned = {std::cos(turn) * p.x - std::sin(turn) * p.y, std::sin(turn) * p.x + std::cos(turn) * p.y,
                           p.z};
      const double depth = fb / (fb / turned.x + bias), scale = depth / turned.x;
      ASSERT_EQ(f.reason()[i], Reason::kHit);
      ASSERT_NEAR(f.depth_m()[i], depth, 1e-5);
      ASSERT_NEAR(f.hit_sensor_m().y[i], scale * turned.y, 1e-5);
      ASSERT_NEAR(f.hit_sensor_m().z[i], scale * turned.z, 1e-5);
      ASSERT_NEAR(f.range_m()[i], scale * norm(p), 1e-5);
    }
  }
}

TEST(InvalidBand, IsAsWideAsTheDisparity) {
  for (const double z : {0.7, 1.1, 3.3}) {
    const double d = 300 * 0.12 / z;
    const Frame f = render_once(make_plane_scene({z, 0.0}),
                                make_sensor(make_stereo(320, 4, 300, 0.12, CameraReference::kLeft), {InvalidBand{}}));
    EXPECT_EQ(count_in_row(f, 1, Reason::kHiddenRight), std::ceil(d)) << z;
    EXPECT_EQ(f.reason()[320], Reason::kHiddenRight);
  }
}

StereoCamera placed(const Vec3& left_m, const Vec3& right_m) {
  StereoCamera camera = make_stereo(320, 4, 300, 0.0);
  camera.left_camera = Pose{left_m, {}}, camera.right_camera = Pose{right_m, {}};
  return camera;
}

// The band is defined for the left camera as reference: with another reference it would be on the wrong side.
TEST(InvalidBand, TheLeftBandNeedsTheLeftCameraAsReference) {
  const InvalidBand on{}, off{.left_band = false, .max_disparity_px = 126};
  const auto refusal = [](const SensorModel& model, const Sensor& from) {
    Sensor sensor = from;
    sensor.model = model;
    Simulator simulator(make_plane_scene({2.0, 0.0}), {.compute = {.threads = 1}});
    return input_error([&] { simulator.add_sensor(sensor); });
  };
  const Sensor with_band = make_sensor(StereoCamera{}, {on});
  Sensor by_entity = make_sensor(StereoCamera{}, {off});
  by_entity.noise[0].by_entity = {{.entity = EntityId{0}, .noise = on}};
  const double b = 0.12;
  for (const StereoCamera& camera :
       {make_stereo(320, 4, 300, b), make_stereo(320, 4, 300, b, CameraReference::kRight), placed({}, {0, 0, -b}),
        placed({}, {0, b, 0}), placed({0, -b, 0}, {}), placed({0, b / 2, 0}, {0, -b / 2, 0})}) {
    EXPECT_TRUE(contains(refusal(camera, with_band), "invalid_band.left_band = true"));
    EXPECT_TRUE(contains(refusal(camera, with_band), "reference"));
    EXPECT_TRUE(contains(refusal(camera, by_entity), "invalid_band.left_band = true"));
    EXPECT_EQ(refusal(camera, make_sensor(StereoCamera{}, {off})), "");
  }
  // Poses that say the same as reference: left.
  EXPECT_EQ(refusal(placed({}, {0, -b, 0}), with_band), "");
  const Frame f = render_once(make_plane_scene({1.1, 0.0}), make_sensor(placed({}, {0, -b, 0}), {on}));
  EXPECT_EQ(count_in_row(f, 1, Reason::kHiddenRight), std::ceil(300 * b / 1.1));
}

TEST(InvalidBand, DisparitiesBeyondTheSearchAreTooNear) {
  const InvalidBand search{.left_band = false, .max_disparity_px = 126};
  const double limit = 600 * 0.05 / 126;
  for (const double z : {0.99 * limit, 1.01 * limit}) {
    const Frame f = render_once(make_plane_scene({z, 0.0}), make_sensor(make_stereo(64, 48, 600, 0.05), {search}));
    EXPECT_EQ(count_of(f, Reason::kBelowMinRange), z < limit ? f.size() : 0U);
  }
}

}  // namespace
}  // namespace fathom::test
