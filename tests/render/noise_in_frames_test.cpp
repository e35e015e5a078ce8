// SPDX-License-Identifier: MIT
// The noises as a user sees them, in frames: definitions of the models read off the clouds.

#include <cmath>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/noise/custom.hpp>

#include "render/test_scenes.hpp"

namespace fathom {
namespace {

using test::all_channels;
using test::make_lidar;
using test::make_room_scene;
using test::make_sensor;
using test::render_once;

/// One sphere around the sensor: every clean range is its radius.
Scene make_sphere_scene(const Pose& pose) {
  Scene scene;
  scene.add_entity({.name = "sphere", .mesh = scene.add_mesh(make_sphere(10, 1024)), .parent_from_entity = pose});
  return scene;
}

struct Moments {
  double mean = 0, stddev = 0;
};

template <class F>
Moments moments(std::size_t n, F value) {
  double sum = 0, square = 0;
  for (std::size_t i = 0; i < n; ++i) sum += value(i), square += value(i) * value(i);
  const double mean = sum / static_cast<double>(n);
  return {mean, std::sqrt(square / static_cast<double>(n) - mean * mean)};
}

TEST(AngularRayInFrames, PointsStayOnTheSurface) {
  const Frame f =
      render_once(make_room_scene(), make_sensor(make_lidar(), {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.05F}}));
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.entity_id()[i] != 0) continue;  // the walls of the room lie at |x| = 6, |y| = 4, |z| = 2
    const double to_wall =
        std::min({std::abs(std::abs(f.hit_world_m().x[i]) - 6.0), std::abs(std::abs(f.hit_world_m().y[i]) - 4.0),
                  std::abs(std::abs(f.hit_world_m().z[i]) - 2.0)});
    ASSERT_LT(to_wall, 1e-5);
  }
}

TEST(AngularRayInFrames, ReportedAzimuthIsThatOfTheTurnedRay) {
  const Frame clean = render_once(make_room_scene(), make_sensor(make_lidar(64, 1024)));
  const Frame noisy = render_once(
      make_room_scene(),
      make_sensor(make_lidar(64, 1024), {AngularRay{.axis = Axis::kZ, .mean_rad = 0.01F, .stddev_rad = 0.02F}}));
  const auto turned = [&](std::size_t i) {
    return std::remainder(double(noisy.azimuth_rad()[i]) - clean.azimuth_rad()[i], 2 * M_PI);
  };
  const Moments m = moments(clean.size(), turned);
  EXPECT_NEAR(m.mean, 0.01, 5 * 0.02 / 256);
  EXPECT_NEAR(m.stddev, 0.02, 5 * 0.02 / 362);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    ASSERT_NEAR(noisy.elevation_rad()[i], clean.elevation_rad()[i], 1e-6);
    ASSERT_NEAR(std::atan2(noisy.hit_sensor_m().y[i], noisy.hit_sensor_m().x[i]), noisy.azimuth_rad()[i], 1e-6);
  }
}

TEST(AngularHitInFrames, KeepsTheRangeAndLeavesTheSurface) {
  const Frame clean = render_once(make_room_scene(), make_sensor(make_lidar()));
  const Frame noisy =
      render_once(make_room_scene(), make_sensor(make_lidar(), {AngularHit{.axis = Axis::kX, .stddev_rad = 0.1F}}));
  std::size_t off_surface = 0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    ASSERT_EQ(noisy.range_m()[i], clean.range_m()[i]);
    ASSERT_EQ(noisy.azimuth_rad()[i], clean.azimuth_rad()[i]);
    const double radius = std::hypot(noisy.hit_sensor_m().x[i], noisy.hit_sensor_m().y[i], noisy.hit_sensor_m().z[i]);
    ASSERT_NEAR(radius, clean.range_m()[i], 2e-6 * radius);
    ASSERT_EQ(noisy.hit_sensor_m().x[i], clean.hit_sensor_m().x[i]);  // the axis of rotation
    off_surface += std::abs(noisy.hit_world_m().z[i] - clean.hit_world_m().z[i]) > 0.01;
  }
  EXPECT_GT(off_surface, clean.size() / 2);
}

TEST(DistanceInFrames, SigmaGrowsLinearlyWithRange) {
  const DistanceNoise noise{.mean_m = 0.05F, .stddev_m = 0.02F, .stddev_per_m = 0.01F};
  for (const double radius : {1.0, 10.0, 50.0}) {
    Scene scene;
    scene.add_entity({.name = "sphere", .mesh = scene.add_mesh(make_sphere(radius, 256))});
    const Frame f = render_once(scene, make_sensor(make_lidar(64, 1024), {noise}));
    const Moments m = moments(f.size(), [&](std::size_t i) { return double(f.range_m()[i]) - f.clean_range_m()[i]; });
    const double sigma = 0.02 + 0.01 * radius;
    EXPECT_NEAR(m.mean, 0.05, 5 * sigma / 256) << radius;
    EXPECT_NEAR(m.stddev, sigma, 5 * sigma / 362 + 1e-3 * sigma) << radius;
  }
}

// The same noise must come out wherever the sensor stands and however it is turned: what happens in the sensor frame
// depends on the sensor frame alone.
TEST(NoiseInFrames, StatisticsAndDrawsDoNotDependOnThePose) {
  const NoiseChain noise = {AngularHit{.axis = Axis::kY, .stddev_rad = 0.02F},
                            DistanceNoise{.stddev_m = 0.1F, .stddev_per_m = 0.01F}};
  const Pose far{{300, -200, 50}, from_roll_pitch_yaw(1.0, -0.5, 2.0)};
  const Frame here = render_once(make_sphere_scene({}), make_sensor(make_lidar(), noise));
  const Frame there = render_once(make_sphere_scene(far), make_sensor(make_lidar(), noise, far));
  for (std::size_t i = 0; i < here.size(); ++i) {
    ASSERT_NEAR(here.range_m()[i], there.range_m()[i], 1e-4);
    ASSERT_NEAR(here.hit_sensor_m().x[i], there.hit_sensor_m().x[i], 2e-4);
    ASSERT_NEAR(here.hit_sensor_m().y[i], there.hit_sensor_m().y[i], 2e-4);
    ASSERT_NEAR(here.hit_sensor_m().z[i], there.hit_sensor_m().z[i], 2e-4);
  }
}

TEST(NoiseInFrames, AllThreeActAtOnce) {
  const Frame clean = render_once(make_sphere_scene({}), make_sensor(make_lidar(64, 1024)));
  const Frame f = render_once(make_sphere_scene({}),
                              make_sensor(make_lidar(64, 1024), {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.01F},
                                                                 AngularHit{.axis = Axis::kZ, .stddev_rad = 0.02F},
                                                                 DistanceNoise{.stddev_m = 0.05F}}));
  const Moments range = moments(f.size(), [&](std::size_t i) { return double(f.range_m()[i]) - clean.range_m()[i]; });
  const Moments angle = moments(f.size(), [&](std::size_t i) {
    const double a = std::atan2(f.hit_sensor_m().y[i], f.hit_sensor_m().x[i]) - double(clean.azimuth_rad()[i]);
    return std::remainder(a, 2 * M_PI);
  });
  EXPECT_NEAR(range.stddev, 0.05, 5 * 0.05 / 362 + 1e-4);
  EXPECT_NEAR(angle.stddev, std::hypot(0.01, 0.02), 5 * 0.0224 / 362);
  EXPECT_NEAR(angle.mean, 0.0, 5 * 0.0224 / 256);
}

TEST(DropoutInFrames, LosesItsShareOfReturnsAndSaysSo) {
  const Frame f = render_once(make_room_scene(), make_sensor(make_lidar(64, 1024), {Dropout{.probability = 0.3F}}));
  const double lost = static_cast<double>(f.count_reasons()[static_cast<std::size_t>(Reason::kDropout)]);
  EXPECT_NEAR(lost / 65536, 0.3, 4 * std::sqrt(0.3 * 0.7 / 65536));
}

/// A model that a user writes: every return a fixed step farther on odd draws. It is in no list of fathom's.
struct Ripple {
  float height_m = 0.0F;
  static constexpr std::string_view kSlug = "ripple";
  static constexpr std::string_view kDoc = "Adds a step to about half of the ranges.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.uniforms = 1};
  static constexpr auto fields() {
    return std::array<Field<Ripple>, 1>{{{"height_m", "m", &Ripple::height_m, 0, 1, "height of the step"}}};
  }
  [[nodiscard]] constexpr bool is_identity() const { return height_m == 0.0F; }
  FATHOM_KERNEL static Return apply(const Ripple& p, Return hit, const Draws<kDraws>& draws) {
    return move_radially(hit, draws.uniform[0] < 0.5F ? p.height_m : 0.0F);
  }
};

/// The same under another name.
struct SlashedRipple : Ripple {
  static constexpr std::string_view kSlug = "b/ripple";
};
struct DashedRipple : Ripple {
  static constexpr std::string_view kSlug = "b-ripple_2";
};

// make_stream("a", 0, "b/c") is make_stream("a/b", 0, "c"): a slug with a slash is no model, and does not compile.
TEST(Slugs, ASlashIsRefused) {
  static_assert(NoiseModel<Ripple> && NoiseModel<DashedRipple>);
  static_assert(!NoiseModel<SlashedRipple>);
  static_assert(!std::is_constructible_v<Noise, SlashedRipple>);
  for (const NoiseInfo& model : noise_models()) EXPECT_TRUE(is_slug(model.slug)) << model.slug;
  for (const char* text : {"", "a/b", "a.b", "a b", "\xc3\xa4"}) EXPECT_FALSE(is_slug(text)) << text;
}

TEST(UserNoise, ActsLikeABuiltInModel) {
  const Frame clean = render_once(make_room_scene(), make_sensor(make_lidar()));
  const Frame f = render_once(make_room_scene(), make_sensor(make_lidar(), {Ripple{.height_m = 0.25F}}));
  std::size_t moved = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const float step = f.range_m()[i] - clean.range_m()[i];
    ASSERT_TRUE(step == 0.0F || std::abs(step - 0.25F) < 1e-5F);
    moved += step != 0.0F;
  }
  EXPECT_NEAR(double(moved) / double(f.size()), 0.5, 4 * 0.5 / std::sqrt(double(f.size())));
  EXPECT_THROW(Noise(Ripple{.height_m = 2.0F}), InputError);
}

}  // namespace
}  // namespace fathom
