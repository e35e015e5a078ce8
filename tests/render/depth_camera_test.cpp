// SPDX-License-Identifier: MIT
// Depth and stereo cameras as sensors: intrinsics, depth; and what a whole frame with every loss keeps.

#include "render/stereo_scenes.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom::test {
namespace {

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
  pixels.principal_point_px = {{300, 200}};
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
  c.vertical_aperture_mm = 0;
  EXPECT_EQ(input_error([&] { make_pattern(c); }), "") << "a field of view alone is enough";
}

TEST(DepthCamera, APrincipalPointIsTwoNumbersOrNone) {
  SensorModel model = make_sensor_model("depth_camera");
  const double three[] = {1, 2, 3}, two[] = {300, 200}, far[] = {300, 2e6};
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "principal_point_px", three); }),
            "depth_camera.principal_point_px has 3 numbers and needs [cx, cy]");
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "principal_point_px", far); }),
            "depth_camera.principal_point_px[1] = 2000000 is not in [-1000000, 1000000] px");
  set_sensor_field(model, "principal_point_px", two);
  EXPECT_EQ(std::get<DepthCamera>(model).principal_point_px, (std::array<double, 2>{300, 200}));
  EXPECT_EQ(get_sensor_field(model, "principal_point_px"), (std::vector<double>{300, 200}));
  set_sensor_field(model, "principal_point_px", std::span<const double>{});
  EXPECT_FALSE(std::get<DepthCamera>(model).principal_point_px.has_value());
}

TEST(DepthCamera, FocalLengthsWithoutDirectionsAreRefused) {
  const auto refusal = [](double DepthCamera::*field, double value) {
    DepthCamera c;
    c.width = 640, c.height = 480;
    const bool lens = field == &DepthCamera::focal_length_mm || field == &DepthCamera::horizontal_aperture_mm;
    if (lens) c.focal_length_mm = c.horizontal_aperture_mm = 10;
    if (field == &DepthCamera::fy) c.fx = 500;
    c.*field = value;
    return input_error([&] { make_pattern(c); });
  };
  const std::pair<double DepthCamera::*, std::string> fields[] = {
      {&DepthCamera::fx, "fx = "},
      {&DepthCamera::fy, "fy = "},
      {&DepthCamera::horizontal_fov_rad, "horizontal_fov_rad = "},
      {&DepthCamera::focal_length_mm, "focal_length_mm = "}};
  for (const auto& [field, start] : fields) {
    for (const double tiny : {1e-300, 1e-9}) {
      const std::string message = refusal(field, tiny);
      EXPECT_EQ(message.rfind(start, 0), 0U) << message;
      EXPECT_TRUE(contains(message, "not in [0.001, 10000000] px"));
    }
  }
  EXPECT_NE(refusal(&DepthCamera::horizontal_aperture_mm, 1e-300), "");
  EXPECT_EQ(refusal(&DepthCamera::fx, 1e-3), "");
  EXPECT_EQ(refusal(&DepthCamera::fx, 1e7), "");
  EXPECT_EQ(refusal(&DepthCamera::horizontal_fov_rad, 1e-3), "");
}

TEST(DepthCamera, AReferenceBesidePosesIsRefused) {
  StereoCamera camera = make_stereo(8, 8, 8, 0.0);
  camera.left_camera = Pose{{0, 0.05, 0}, {}}, camera.right_camera = Pose{{0, -0.05, 0}, {}};
  EXPECT_EQ(stereo_rig(camera).left_m, (Vec3{0, 0.05, 0}));
  for (const CameraReference reference : {CameraReference::kLeft, CameraReference::kRight}) {
    camera.reference = reference;
    const std::string message = input_error([&] { make_pattern(camera); });
    EXPECT_TRUE(contains(message, "stereo_camera.reference = "));
  }
}

TEST(DepthCamera, ChoicesAndListsGoThroughTheFieldTable) {
  SensorModel model = make_sensor_model("stereo_camera");
  set_sensor_field(model, "reference", std::array{0.0});
  set_sensor_field(model, "baseline_m", std::array{0.1});
  EXPECT_EQ(std::get<StereoCamera>(model).reference, CameraReference::kLeft);
  EXPECT_THROW(set_sensor_field(model, "reference", std::array{3.0}), InputError);
  EXPECT_THROW(set_sensor_field(model, "reference", std::array{0.5}), InputError);
  for (const SensorKindInfo& kind : sensor_kinds()) {
    for (const FieldInfo& field : kind.fields) {
      EXPECT_EQ(field.kind == FieldKind::kChoice, !field.choices.empty()) << field.name;
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

NoiseChain every_loss() {
  return {LossAngle{.max_incidence_rad = 1.3F},
          StereoShadow{},
          InvalidBand{.left_band = false, .max_disparity_px = 200},
          StereoEnergy{.min_energy = 0.2F, .pow = 2, .normalization = EnergyNormalization::kThreshold},
          EdgeLoss{.min_angle_rad = 2.0F, .low_probability = 0.1F, .high_probability = 0.9F},
          AngularHit{.axis = Axis::kZ, .stddev_rad = 0.001F},
          Disparity{.stddev_px = 0.1F, .steps_per_px = 8},
          GainBias{.gain = 1e-3F},
          Dropout{.probability = 0.05F}};
}

bool same_images(const Frame& a, const Frame& b) {
  for (const Channel c :
       {Channel::kRange, Channel::kDepth, Channel::kEnergy, Channel::kCleanDepth, Channel::kHitWorld}) {
    if (!same_bits(a.floats(c), b.floats(c))) return false;
  }
  return same_bits(a.reason(), b.reason());
}

TEST(StereoFrame, SameBitsForAnyNumberOfThreads) {
  const Sensor sensor = make_sensor(make_stereo(161, 119, 90, 0.3), every_loss());
  const Frame one = render_once(make_room_scene(), sensor, all_channels(), {.seed = 3, .compute = {.threads = 1}}, 5);
  for (const int threads : {2, 3, 8}) {
    EXPECT_TRUE(same_images(
        one, render_once(make_room_scene(), sensor, all_channels(), {.seed = 3, .compute = {.threads = threads}}, 5)))
        << threads;
  }
  EXPECT_FALSE(same_images(
      one, render_once(make_room_scene(), sensor, all_channels(), {.seed = 4, .compute = {.threads = 1}}, 5)));
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
  Simulator simulator(make_plane_scene({2.0, 0.0}), {.compute = {.threads = 1}});
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
}  // namespace fathom::test
