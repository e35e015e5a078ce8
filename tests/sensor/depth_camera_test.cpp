// Depth and stereo cameras as sensors: intrinsics, depth, disparity, the invalid band; and what a whole frame
// with every loss keeps.

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include <fathom/error.hpp>
#include <fathom/sensor_fields.hpp>

#include "sensor/stereo_scenes.hpp"

namespace fathom {
namespace {

using test::all_channels;
using test::count_in_row;
using test::count_of;
using test::make_plane_scene;
using test::make_post_scene;
using test::make_room_scene;
using test::make_sensor;
using test::make_stereo;
using test::render_once;

TEST(DepthCamera, ThreeWaysToGiveTheSameIntrinsics) {
  DepthCamera pixels, view, lens;
  for (DepthCamera* c : {&pixels, &view, &lens}) c->width = 640, c->height = 480;
  pixels.fx = 320 / std::tan(0.5);
  view.horizontal_fov_rad = 1.0;
  lens.focal_length_mm = 24, lens.horizontal_aperture_mm = 48 * std::tan(0.5);
  for (const DepthCamera& c : {pixels, view, lens}) {
    const Intrinsics k = intrinsics(c);
    EXPECT_NEAR(k.fx, 320 / std::tan(0.5), 1e-9);
    EXPECT_NEAR(k.fy, k.fx, 1e-9);
    EXPECT_EQ(k.cx, 319.5);
    EXPECT_EQ(k.cy, 239.5);
  }
  lens.vertical_aperture_mm = 10;
  EXPECT_NEAR(intrinsics(lens).fy, 480 * 24 / 10.0, 1e-9);
  pixels.principal_point_px = {300, 200};
  EXPECT_EQ(intrinsics(pixels).cx, 300);
}

TEST(DepthCamera, NoneOrTwoWaysAreRefused) {
  DepthCamera c;
  c.width = 4, c.height = 4;
  EXPECT_THROW(make_pattern(c), InputError);
  c.fx = 4, c.horizontal_fov_rad = 1;
  EXPECT_THROW(make_pattern(c), InputError);
  c.fx = 0, c.vertical_aperture_mm = 3;
  EXPECT_THROW(make_pattern(c), InputError);
  c.vertical_aperture_mm = 0, c.principal_point_px = {1};
  EXPECT_THROW(make_pattern(c), InputError);
}

TEST(DepthCamera, ChoicesAndListsGoThroughTheFieldTable) {
  SensorModel model = make_sensor_model("stereo_camera");
  set_sensor_field(model, "reference", 0);
  set_sensor_field(model, "baseline_m", 0.1);
  EXPECT_EQ(std::get<StereoCamera>(model).reference, CameraReference::kLeft);
  EXPECT_THROW(set_sensor_field(model, "reference", 3), InputError);
  EXPECT_THROW(set_sensor_field(model, "reference", 0.5), InputError);
  for (const SensorKindInfo& kind : sensor_kinds()) {
    for (const SensorFieldInfo& field : kind.fields) {
      EXPECT_EQ(field.type == SensorFieldType::kChoice, !field.choices.empty()) << field.name;
    }
  }
}

TEST(DepthCamera, DepthIsTheDistanceToTheImagePlane) {
  DepthCamera c;
  c.width = 160, c.height = 120, c.horizontal_fov_rad = 1.5, c.max_range_m = 100;
  const Frame frame = render_once(make_plane_scene({3.0, 0.0}), make_sensor(c, {DistanceNoise{.stddev_m = 0.05F}}));
  const RayPattern pattern = make_pattern(c);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ASSERT_NEAR(frame.clean_depth_m()[i], 3.0, 2e-6);
    ASSERT_NEAR(frame.clean_range_m()[i], 3.0 / pattern.direction_x[i], 4e-6);
    ASSERT_EQ(frame.depth_m()[i], frame.hit_sensor_m().x[i]);
    ASSERT_NEAR(frame.depth_m()[i], frame.range_m()[i] * pattern.direction_x[i], 2e-6);
  }
}

TEST(Disparity, DeviationIsTheClosedForm) {
  for (const double z : {1.0, 3.0, 8.0}) {
    const double fb = 400 * 0.1, sigma = 0.05;
    const Frame f = render_once(make_plane_scene({z, 0.0}),
                                make_sensor(make_stereo(256, 256, 400, 0.1), {Disparity{.stddev_px = float(sigma)}}));
    double sum = 0, square = 0;
    for (const float depth : f.depth_m()) sum += depth - z, square += (depth - z) * (depth - z);
    const double n = static_cast<double>(f.size()), mean = sum / n, deviation = std::sqrt(square / n - mean * mean);
    EXPECT_NEAR(deviation, z * z * sigma / fb, 0.03 * z * z * sigma / fb) << z;
  }
}

TEST(Disparity, ABiasMovesThePlaneByTheClosedForm) {
  const double fb = 400 * 0.1;
  for (const double bias : {-2.0, 0.5}) {
    const Frame f = render_once(make_plane_scene({3.0, 0.0}),
                                make_sensor(make_stereo(32, 24, 400, 0.1), {Disparity{.bias_px = float(bias)}}));
    for (const float depth : f.depth_m()) ASSERT_NEAR(depth, fb / (fb / 3.0 + bias), 1e-5);
  }
}

TEST(Disparity, LevelsAreTheClosedFormApart) {
  const double fb = 400 * 0.1, steps = 16;
  const test::TiltedPlane plane{4.0, 20 * test::kDeg};
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

TEST(InvalidBand, IsAsWideAsTheDisparity) {
  for (const double z : {0.7, 1.1, 3.3}) {
    const double d = 300 * 0.12 / z;
    const Frame f = render_once(make_plane_scene({z, 0.0}),
                                make_sensor(make_stereo(320, 4, 300, 0.12, CameraReference::kLeft), {InvalidBand{}}));
    EXPECT_EQ(count_in_row(f, 1, Reason::kHiddenRight), std::ceil(d)) << z;
    EXPECT_EQ(f.reason()[320], Reason::kHiddenRight);
  }
}

TEST(InvalidBand, DisparitiesBeyondTheSearchAreTooNear) {
  const InvalidBand search{.left_band = Switch::kOff, .max_disparity_px = 126};
  const double limit = 600 * 0.05 / 126;
  for (const double z : {0.99 * limit, 1.01 * limit}) {
    const Frame f = render_once(make_plane_scene({z, 0.0}), make_sensor(make_stereo(64, 48, 600, 0.05), {search}));
    EXPECT_EQ(count_of(f, Reason::kBelowMinRange), z < limit ? f.size() : 0U);
  }
}

TEST(GainBias, ScalesAndShifts) {
  const Frame f =
      render_once(make_room_scene(), make_sensor(test::make_lidar(), {GainBias{.gain = 1e-2F, .bias_m = 0.05F}}));
  for (std::size_t i = 0; i < f.size(); ++i) {
    ASSERT_NEAR(f.range_m()[i], 1.01 * f.clean_range_m()[i] + 0.05, 1e-6 * f.range_m()[i]);
  }
}

TEST(GridScanner, PointsDownFromAnAlignedGrid) {
  GridScanner grid;
  grid.size_x_m = 1.6, grid.size_y_m = 1.0, grid.start_height_m = 5;
  EXPECT_EQ(grid_shape(grid).points_x, 17U);
  EXPECT_EQ(grid_shape(grid).points_y, 11U);
  const Pose pose{{1, 2, 1}, from_roll_pitch_yaw(0.2, -0.3, 0.6)};
  Scene scene;
  scene.add_entity({.name = "ground", .mesh = scene.add_mesh(make_plane(50, 50))});
  for (const auto& [alignment, yaw] : {std::pair{GridAlignment::kYaw, 0.6}, {GridAlignment::kWorld, 0.0}}) {
    grid.alignment = alignment;
    const Frame f = render_once(scene, make_sensor(grid, {}, pose));
    ASSERT_EQ(f.size(), 17U * 11U);
    for (std::size_t i = 0; i < f.size(); ++i) {
      ASSERT_NEAR(f.range_m()[i], 6.0, 1e-5);
      const double x = (double(i % 17) - 8) * 0.1, y = (double(i / 17) - 5) * 0.1;
      ASSERT_NEAR(f.hit_world_m().x[i], 1 + std::cos(yaw) * x - std::sin(yaw) * y, 1e-5);
      ASSERT_NEAR(f.hit_world_m().y[i], 2 + std::sin(yaw) * x + std::cos(yaw) * y, 1e-5);
    }
  }
  grid.alignment = GridAlignment::kBase;
  const Frame f = render_once(scene, make_sensor(grid, {}, pose));
  EXPECT_GT(std::abs(f.range_m()[0] - 6.0), 0.05);
}

std::vector<Noise> every_loss() {
  return {LossAngle{.max_incidence_rad = 1.3F},
          StereoShadow{},
          InvalidBand{.left_band = Switch::kOff, .max_disparity_px = 200},
          StereoEnergy{.min_energy = 0.2F, .pow = 2, .normalization = EnergyNormalization::kThreshold},
          EdgeLoss{.min_angle_rad = 2.0F, .low_probability = 0.1F, .high_probability = 0.9F},
          AngularHit{.axis = Axis::kZ, .stddev_rad = 0.001F},
          Disparity{.stddev_px = 0.1F, .steps_per_px = 8},
          GainBias{.gain = 1e-3F},
          Dropout{.probability = 0.05F}};
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

bool same_frames(const Frame& a, const Frame& b) {
  for (const Channel c :
       {Channel::kRange, Channel::kDepth, Channel::kEnergy, Channel::kCleanDepth, Channel::kHitWorld}) {
    if (!same_bits(a.floats(c), b.floats(c))) return false;
  }
  return same_bits(a.reason(), b.reason());
}

TEST(StereoFrame, SameBitsForAnyNumberOfThreads) {
  const Sensor sensor = make_sensor(make_stereo(161, 119, 90, 0.3), every_loss());
  const Frame one = render_once(make_room_scene(), sensor, all_channels(), {.seed = 3, .threads = 1}, 5);
  for (const int threads : {2, 3, 8}) {
    EXPECT_TRUE(
        same_frames(one, render_once(make_room_scene(), sensor, all_channels(), {.seed = 3, .threads = threads}, 5)))
        << threads;
  }
  EXPECT_FALSE(same_frames(one, render_once(make_room_scene(), sensor, all_channels(), {.seed = 4, .threads = 1}, 5)));
}

TEST(StereoFrame, ReasonsAddUpAndEveryLossOccurs) {
  const Frame f = render_once(make_room_scene(), make_sensor(make_stereo(320, 240, 160, 0.3), every_loss()));
  std::uint64_t sum = 0;
  for (const std::uint64_t count : f.count_reasons()) sum += count;
  EXPECT_EQ(sum, f.size());
  for (const Reason r : {Reason::kHit, Reason::kLossAngle, Reason::kHiddenLeft, Reason::kHiddenRight,
                         Reason::kRandomLoss, Reason::kDropout}) {
    EXPECT_GT(count_of(f, r), 0U) << to_string(r);
  }
}

TEST(StereoFrame, CleanOutputsDoNotChangeWhenNoiseIsSwitchedOn) {
  const StereoCamera camera = make_stereo(160, 120, 90, 0.3);
  const Frame off = render_once(make_room_scene(), make_sensor(camera));
  const Frame on = render_once(make_room_scene(), make_sensor(camera, every_loss()));
  for (const Channel c :
       {Channel::kCleanRange, Channel::kCleanDepth, Channel::kNormal, Channel::kIncidence, Channel::kEnergy}) {
    EXPECT_TRUE(same_bits(off.floats(c), on.floats(c))) << to_string(c);
  }
  EXPECT_TRUE(same_bits(off.entity_id(), on.entity_id()));
  std::vector<Noise> with_rays = every_loss();
  with_rays.push_back(AngularRay{.axis = Axis::kZ, .stddev_rad = 0.01F});
  const Frame turned = render_once(make_room_scene(), make_sensor(camera, with_rays));
  EXPECT_TRUE(same_bits(off.clean_depth_m(), turned.clean_depth_m()));
}

TEST(StereoFrame, EveryArrayAgreesAboutWhatIsLost) {
  const Frame f = render_once(make_room_scene(), make_sensor(make_stereo(160, 120, 90, 0.3), every_loss()));
  for (std::size_t i = 0; i < f.size(); ++i) {
    const bool lost = f.reason()[i] != Reason::kHit;
    ASSERT_EQ(std::isnan(f.range_m()[i]), lost);
    ASSERT_EQ(std::isnan(f.depth_m()[i]), lost);
    ASSERT_EQ(std::isnan(f.hit_world_m().z[i]), lost);
    ASSERT_EQ(std::isnan(f.hit_sensor_m().y[i]), lost);
  }
}

TEST(StereoFrame, AChangeOfParametersActsInTheSameFrame) {
  Simulator simulator(make_plane_scene({2.0, 0.0}), {.threads = 1});
  const SensorId id =
      simulator.add_sensor(make_sensor(make_stereo(64, 48, 90, 0.1), {StereoEnergy{.min_energy = 0.0F, .pow = 100}}));
  Frame f({Channel::kReason});
  simulator.render(id, 0, f);
  EXPECT_EQ(count_of(f, Reason::kLowEnergy), 0U);
  simulator.set_noise(id, {StereoEnergy{.min_energy = 0.99999F}});
  simulator.render(id, 0, f);
  EXPECT_GT(count_of(f, Reason::kLowEnergy), f.size() * 9 / 10);
  EXPECT_THROW(simulator.set_noise(id, {Noise(LossAngle{}).with("max_incidence_rad", 9.0)}), InputError);
}

}  // namespace
}  // namespace fathom
