// SPDX-License-Identifier: MIT
// The keys of scene files arrive in the scene.

#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/sensor.hpp>

#include "core/text/yaml.hpp"
#include "run/scene_fixture.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom::test::format_test {
namespace {

SceneSetup read(const std::string& text) { return read_scene_text(text, "s.yaml", {}); }

/// A scene of one sensor. `sensor`: its keys, each line indented by four.
std::string scene_with(const std::string& sensor) {
  return "sensors:\n  - name: s\n" + sensor +
         "scene:\n  meshes:\n    m: {sphere: {radius_m: 1}}\n  entities:\n    - {name: e, mesh: m, position_m: [5, 0, "
         "0]}\n";
}

/// The options of an output of kind M.
template <class M>
M options_of(const Output& output) {
  const M* options = output.get_if<M>();
  if (options == nullptr) throw std::runtime_error(std::string(output.info().slug) + " is not the kind expected");
  return *options;
}

double angle_between(Quaternion a, Quaternion b) { return 2 * std::acos(std::min(1.0, std::abs(dot(a, b)))); }

TEST(SceneFormat, TheMinimalSceneOfTheReferenceIsValid) {
  const std::string page = test::bytes_of(std::string(FATHOM_SOURCE_DIR) + "/docs/scene-format.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  const SceneSetup setup = read(page.substr(begin, page.find("```", begin) - begin));
  EXPECT_EQ(setup.sensors.size(), 1U);
  EXPECT_GE(setup.scene.entities().size(), 2U);
}

TEST(SceneFormat, DefaultsAreThoseOfTheReference) {
  const SceneSetup setup = read(scene_with("    preset: VLP-16\n    noise: []\n"));
  EXPECT_EQ(setup.frames, 1U);
  EXPECT_EQ(setup.rate_hz, 10.0);
  EXPECT_EQ(setup.start_s, 0.0);
  EXPECT_EQ(setup.seed, 0U);
  EXPECT_EQ(setup.environment, 0U);
  EXPECT_EQ(setup.episode, 0U);
  const SensorSetup& sensor = setup.sensors[0];
  EXPECT_TRUE(sensor.sensor.noise.empty());
  EXPECT_FALSE(sensor.sensor.rolling);
  EXPECT_FALSE(sensor.sensor.range_policy.has_value());
  EXPECT_EQ(make_view(sensor.sensor.model).usual_policy, RangePolicy::kKeep);
  StereoCamera camera;
  camera.width = camera.height = 2, camera.fx = 2, camera.baseline_m = 0.1;
  EXPECT_EQ(make_view(static_cast<const DepthCamera&>(camera)).usual_policy, RangePolicy::kDrop);
  EXPECT_EQ(make_view(camera).usual_policy, RangePolicy::kDrop);
  EXPECT_EQ(sensor.sensor.parent, kNoEntity);
  EXPECT_EQ(sensor.sensor.parent_from_sensor.at(3), Pose{});
  ASSERT_EQ(sensor.outputs.size(), 2U);
  EXPECT_NE(sensor.outputs[0].get_if<PcdOutput>(), nullptr);
  EXPECT_NE(sensor.outputs[1].get_if<RangeImageOutput>(), nullptr);
  EXPECT_EQ(setup.scene.entities()[0].reflectivity, 1.0F);
}

RC_GTEST_PROP(SceneFormat, PosesArriveInDegreesRadiansAndQuaternions, ()) {
  const auto whole = [](int low, int high) { return *rc::gen::inRange(low, high); };
  const double x = whole(-9000, 9000) / 7.0, y = whole(-9000, 9000) / 11.0, z = whole(-900, 900) / 13.0;
  const double roll = whole(-180, 181), pitch = whole(-90, 91), yaw = whole(-360, 361);
  const Quaternion q = from_roll_pitch_yaw(roll * kRadPerDeg, pitch * kRadPerDeg, yaw * kRadPerDeg);
  const auto list = [](std::initializer_list<double> values) {
    std::string text = "[";
    for (const double v : values) {
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.17g", v);
      text += (text.size() > 1 ? ", " : "") + std::string(digits);
    }
    return text + "]";
  };
  const std::string position = "    preset: VLP-16\n    position_m: " + list({x, y, z}) + "\n    ";
  for (const std::string& rotation : {"rpy_deg: " + list({roll, pitch, yaw}),
                                      "rpy_rad: " + list({roll * kRadPerDeg, pitch * kRadPerDeg, yaw * kRadPerDeg}),
                                      "quaternion_xyzw: " + list({q.x, q.y, q.z, q.w})}) {
    const Pose pose = read(scene_with(position + rotation + "\n")).sensors[0].sensor.parent_from_sensor.at(0);
    RC_ASSERT(pose.translation_m == (Vec3{x, y, z}));
    RC_ASSERT(angle_between(pose.rotation, q) < 1e-7);
  }
}

TEST(SceneFormat, KeyframesAreInterpolatedAndRepeated) {
  const std::string motion =
      "motion: {loop: true, keyframes: [{time_s: 1}, {time_s: 3, position_m: [4, 0, 0], rpy_deg: [0, 0, 90]}]}";
  const SceneSetup setup = read(replaced(kScene, "position_m: [3, 0, 0.5]", motion));
  const Trajectory& path = setup.scene.entities()[1].parent_from_entity;
  EXPECT_NEAR(path.at(2).translation_m.x, 2.0, 1e-12);
  EXPECT_NEAR(path.at(4.5).translation_m.x, 3.0, 1e-12);  // 1.5 s into the second round of 2 s
  EXPECT_NEAR(angle_between(path.at(2).rotation, from_roll_pitch_yaw(0, 0, 45 * kRadPerDeg)), 0.0, 1e-7);
}

TEST(SceneFormat, ATrajectoryFileMoves) {
  const TemporaryFolder folder;
  folder.write("path.tum", "# stamp x y z qx qy qz qw\n0 0 0 0 0 0 0 1\n2 2 0 0 0 0 0 1\n");
  const auto file =
      folder.write("s.yaml", scene_with("    preset: VLP-16\n    motion: {file: path.tum, loop: true}\n"));
  const Trajectory path = read_scene_file(file).sensors[0].sensor.parent_from_sensor;
  EXPECT_NEAR(path.at(1).translation_m.x, 1.0, 1e-12);
  EXPECT_NEAR(path.at(3).translation_m.x, 1.0, 1e-12);
}

// Stamps of a log are seconds since 1970; a scene begins at 0 by default.
TEST(SceneFormat, AMotionThatNoFrameMeetsIsNotedAndCanBeMoved) {
  const TemporaryFolder folder;
  folder.write("path.tum", "1403715523.5 0 0 0 0 0 0 1\n1403715525.5 2 0 0 0 0 0 1\n");
  const auto read_with = [&](const std::string& motion, const std::string& top) {
    return read_scene_file(
        folder.write("s.yaml", top + scene_with("    preset: VLP-16\n    motion: {file: path.tum" + motion + "}\n")));
  };
  const SceneSetup away = read_with("", "");
  ASSERT_EQ(away.notes.size(), 1U);
  EXPECT_TRUE(contains(away.notes[0],
                       "s.motion: no frame lies within its keyframes: they are at 1403715523.5 to 1403715525.5 s, "
                       "the frames at 0 to 0 s; 'start: first_stamp' moves the first to the first"));
  EXPECT_TRUE(read_with(", start: first_stamp", "").notes.empty());
  EXPECT_TRUE(read_with("", "start_s: 1403715523.5\n").notes.empty());
  EXPECT_TRUE(read_with(", loop: true", "").notes.empty());
  EXPECT_EQ(read_with("", "start_s: 1403715525.6\n").notes.size(), 1U);
  const auto x_at = [&](const SceneSetup& setup, double stamp_s) {
    return setup.sensors[0].sensor.parent_from_sensor.at(stamp_s).translation_m.x;
  };
  EXPECT_NEAR(x_at(read_with(", start: first_stamp", ""), 1.5), 1.5, 1e-6);
  EXPECT_NEAR(x_at(read_with(", start: first_stamp", "start_s: 100\n"), 101), 1, 1e-6);
  EXPECT_NEAR(x_at(read_with(", start: as_stamped", "start_s: 1403715523.5\n"), 1403715524.5), 1, 1e-6);
  EXPECT_THROW(read_with("", "start_s: 2e10\n"), InputError);
}

TEST(SceneFormat, ARayTableBecomesThePattern) {
  const TemporaryFolder folder;
  folder.write("rays.csv", "ox,oy,oz,dx,dy,dz\n0,0,0,1,0,0\n0,0,1,0,1,0\n0,0,0,0,0,2\n");
  const auto file = folder.write(
      "s.yaml", scene_with("    type: ray_table\n    rays: rays.csv\n    min_range_m: 0.5\n    max_range_m: 9\n"));
  const auto sensor = read_scene_file(file).sensors[0].sensor;
  const auto& pattern = std::get<RayPattern>(sensor.model);
  EXPECT_EQ(pattern.rows * pattern.cols, 3U);
  EXPECT_EQ(pattern.direction_z[2], 1.0F);
  EXPECT_EQ(pattern.origin_z[1], 1.0F);
}

TEST(SceneFormat, EveryPresetCanBeNamedAndItsNoiseUsed) {
  for (const SensorPreset& preset : sensor_presets()) {
    const std::string name(preset.name);
    const SceneSetup setup =
        read(scene_with("    preset: " + name + "\n    noise: [preset, dropout: {probability: 0.5}]\n"));
    EXPECT_EQ(sensor_kind(setup.sensors[0].sensor.model), sensor_kind(preset.model)) << name;
    EXPECT_EQ(setup.sensors[0].sensor.noise.size(), preset.noise.size() + 1) << name;
  }
}

TEST(SceneFormat, APresetBringsItsNoiseUnlessTheFileSaysOtherwise) {
  const auto noise_of = [](const std::string& sensor) { return read(scene_with(sensor)).sensors[0].sensor.noise; };
  for (const SensorPreset& preset : sensor_presets()) {
    const std::string name(preset.name);
    const std::string line = "    preset: " + name + "\n";
    const NoiseChain brought = noise_of(line), asked = noise_of(line + "    noise: preset\n");
    const NoiseChain made = preset_sensor("s", name).noise;
    ASSERT_EQ(brought.size(), preset.noise.size()) << name;
    ASSERT_EQ(asked.size(), brought.size()) << name;
    ASSERT_EQ(made.size(), brought.size()) << name;
    for (std::size_t i = 0; i < brought.size(); ++i) {
      EXPECT_EQ(brought[i].noise.slug(), preset.noise[i].noise.slug()) << name;
      EXPECT_EQ(asked[i].noise.slug(), brought[i].noise.slug()) << name;
      EXPECT_EQ(made[i].noise.slug(), brought[i].noise.slug()) << name;
    }
    EXPECT_FALSE(brought.empty()) << name;
    EXPECT_TRUE(noise_of(line + "    noise: []\n").empty()) << name;
    EXPECT_EQ(noise_of(line + "    noise: [dropout: {probability: 0.5}]\n").size(), 1U) << name;
  }
  EXPECT_TRUE(noise_of("    type: laser_2d\n    rays: 9\n    min_azimuth_deg: -90\n    max_azimuth_deg: 90\n"
                       "    max_range_m: 9\n")
                  .empty());
}

// The reader knows no model by name: each parameter of each registered model arrives, with a value other than its
// default.
/// Weights of a mixture must sum to 1: the others share the rest.
std::string other_weights(const NoiseInfo& model, const FieldInfo& given, double value) {
  std::string text;
  if (!given.name.starts_with("w_")) return text;
  for (const FieldInfo& field : model.fields) {
    if (!field.name.starts_with("w_") || field.name == given.name) continue;
    text += ", " + std::string(field.name) + ": " + std::to_string((1.0 - value) / 3);
  }
  return text;
}

TEST(SceneFormat, EveryParameterOfEveryNoiseArrives) {
  for (const NoiseInfo& model : noise_models()) {
    for (const FieldInfo& field : model.fields) {
      const double value = 0.75 * field.high + 0.25 * field.low;
      char text[40];
      std::snprintf(text, sizeof text, "%.9g", value);
      if (field.kind == FieldKind::kFlag) std::strcpy(text, "false");
      const std::string key = std::string(field.name) + ": " +
                              (field.choices.empty() ? std::string(text) : std::string(field.choices[1])) +
                              other_weights(model, field, value);
      const SceneSetup setup =
          read(scene_with("    preset: Kinect-v1\n    noise: [" + std::string(model.slug) + ": {" + key + "}]\n"));
      for (const FieldValue& given : setup.sensors[0].sensor.noise[0].noise.values()) {
        if (given.name != field.name) continue;
        if (!field.choices.empty()) {
          EXPECT_EQ(std::get<Choice>(given.value).index, 1U) << model.slug;
        } else if (field.kind == FieldKind::kFlag) {
          EXPECT_FALSE(std::get<bool>(given.value)) << model.slug;
        } else {
          EXPECT_NEAR(std::get<double>(given.value), value, 1e-6 * std::abs(value)) << model.slug << "." << field.name;
        }
      }
    }
  }
}

// A camera by its field of view in degrees, a choice by its word, a list, and a row of parameters for one entity.
TEST(SceneFormat, StereoCameraWithRowsPerEntity) {
  const SceneSetup setup = read(scene_with(
      "    type: stereo_camera\n    width: 8\n    height: 6\n    horizontal_fov_deg: 90\n    reference: left\n"
      "    baseline_m: 0.1\n    principal_point_px: [3, 2]\n    noise:\n"
      "      - stereo_energy: {pow: 3, normalization: threshold, entities: {e: {pow: 5}}}\n"));
  const Sensor& sensor = setup.sensors[0].sensor;
  const auto& camera = std::get<StereoCamera>(sensor.model);
  EXPECT_EQ(camera.reference, CameraReference::kLeft);
  EXPECT_NEAR(intrinsics(camera).fx, 4.0, 1e-9);
  EXPECT_EQ(camera.principal_point_px, (std::array<double, 2>{3, 2}));
  ASSERT_EQ(sensor.noise[0].by_entity.size(), 1U);
  EXPECT_EQ(sensor.noise[0].by_entity[0].entity, setup.scene.find_entity("e"));
  const std::vector<FieldValue> row = sensor.noise[0].by_entity[0].noise.values();
  EXPECT_EQ(std::get<double>(row[1].value), 5.0);       // its own
  EXPECT_EQ(std::get<Choice>(row[2].value).index, 1U);  // of the default row
  EXPECT_THROW(read(scene_with("    preset: D435\n    noise: [stereo_energy: {entities: {f: {pow: 5}}}]\n")),
               InputError);
}

// Poses of the cameras instead of a baseline; the emitter has the pose of the sensor.
TEST(SceneFormat, StereoCameraWithPoses) {
  const SceneSetup setup =
      read(scene_with("    type: stereo_camera\n    width: 8\n    height: 6\n    fx: 8\n    position_m: [1, 2, 3]\n"
                      "    left_camera: {position_m: [0, 0.05, 0.01], rpy_deg: [0, 0, -2]}\n"
                      "    right_camera: {position_m: [0, -0.05, 0], quaternion_xyzw: [0, 0, 0, 1]}\n    noise: "
                      "[stereo_shadow: {}]\n"));
  const auto& camera = std::get<StereoCamera>(setup.sensors[0].sensor.model);
  ASSERT_TRUE(camera.left_camera && camera.right_camera);
  EXPECT_EQ(camera.left_camera->translation_m, (Vec3{0, 0.05, 0.01}));
  EXPECT_NEAR(angle_between(camera.left_camera->rotation, from_roll_pitch_yaw(0, 0, -2 * kRadPerDeg)), 0, 1e-7);
  EXPECT_EQ(camera.right_camera->rotation, Quaternion{});
  EXPECT_EQ(stereo_rig(camera).right_m, (Vec3{0, -0.05, 0}));
  EXPECT_EQ(setup.sensors[0].sensor.parent_from_sensor.at(0).translation_m, (Vec3{1, 2, 3}));
}

// Parameters for two rings; the model's line gives the rest.
TEST(SceneFormat, CorrelationsArrive) {
  const NoiseChain noise =
      read(scene_with("    preset: VLP-16\n    noise:\n"
                      "      - distance: {stddev_m: 0.1, correlation: {across_px: 2.5, down_px: 0.5, time_s: 0.75}}\n"
                      "      - dropout: {correlation: {time_s: inf, shape: exponential}, probability: 0.1}\n"
                      "      - dropout: {correlation: {time_s: .inf}}\n"
                      "      - gain_bias: {correlation: {across_px: 0}}\n"
                      "      - distance: {correlation: {motion_m: 0.04, motion_deg: 180}}\n"))
          .sensors[0]
          .sensor.noise;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  ASSERT_EQ(noise.size(), 5U);
  EXPECT_EQ(noise[0].correlation, (Correlation{.across_px = 2.5F, .down_px = 0.5F, .time_s = 0.75}));
  EXPECT_EQ(noise[1].correlation, (Correlation{.time_s = kInf, .shape = CorrelationShape::kExponential}));
  EXPECT_EQ(noise[2].correlation, (Correlation{.time_s = kInf}));
  EXPECT_TRUE(noise[3].correlation.is_white());
  EXPECT_EQ(noise[4].correlation, (Correlation{.motion_m = 0.04, .motion_rad = 180 * kRadPerDeg}));
}

TEST(SceneFormat, RowsPerChannel) {
  const Sensor sensor =
      read(scene_with("    preset: VLP-16\n    noise:\n      - gain_bias: {gain: 1e-3, rings: {0: {bias_m: 0.02}, "
                      "15: {gain: 0}}}\n"))
          .sensors[0]
          .sensor;
  ASSERT_EQ(sensor.noise[0].by_ring.size(), 2U);
  EXPECT_EQ(sensor.noise[0].by_ring[0].ring, 0U);
  EXPECT_NEAR(std::get<double>(sensor.noise[0].by_ring[0].noise.values()[0].value), 1e-3, 1e-9);
  EXPECT_NEAR(std::get<double>(sensor.noise[0].by_ring[0].noise.values()[1].value), 0.02, 1e-8);
  EXPECT_EQ(sensor.noise[0].by_ring[1].ring, 15U);
  EXPECT_TRUE(sensor.noise[0].by_ring[1].noise.is_identity());
}

TEST(SceneFormat, RangeImagesOfEveryTurningLidarCanBeDestaggered) {
  for (const char* preset : {"OS1-128", "VLP-16", "HDL-64E"}) {
    const SceneSetup setup =
        read(scene_with(std::string("    preset: ") + preset + "\n    outputs: [range_image: {destagger: true}]\n"));
    EXPECT_EQ(options_of<RangeImageOutput>(setup.sensors[0].outputs[0]).destagger, true) << preset;
  }
  EXPECT_THROW(
      read(scene_with("    preset: OS1-64\n    span_deg: 90\n    outputs: [range_image: {destagger: true}]\n")),
      InputError);
}

TEST(SceneFormat, OutputsOfDepthCamerasArrive) {
  const auto outputs =
      read(scene_with("    preset: D435\n    outputs:\n      - depth_png\n      - depth_png: {channel: "
                      "range, per_m: 500, lost: inf}\n      - npy: {channels: [range, depth], lost: "
                      "minus_one}\n      - reason_picture\n      - camera_sheet: {max_range_m: 4}\n"))
          .sensors[0]
          .outputs;
  ASSERT_EQ(outputs.size(), 5U);
  const auto usual = options_of<DepthPngOutput>(outputs[0]), changed = options_of<DepthPngOutput>(outputs[1]);
  EXPECT_EQ(usual.channel, Channel::kDepth);
  EXPECT_EQ(usual.per_m, 1000.0);
  EXPECT_EQ(usual.lost, LostValue::kZero);
  EXPECT_EQ(changed.channel, Channel::kRange);
  EXPECT_EQ(changed.per_m, 500.0);
  EXPECT_EQ(changed.lost, LostValue::kInf);
  EXPECT_EQ(options_of<NpyOutput>(outputs[2]).lost, LostValue::kMinusOne);
  EXPECT_TRUE(options_of<ReasonPictureOutput>(outputs[3]).legend);
  EXPECT_EQ(options_of<CameraSheetOutput>(outputs[4]).max_range_m, 4.0);
}

TEST(SceneFormat, AHalfTurnInDegreesIsAllowed) {
  const SceneSetup setup =
      read(scene_with("    preset: VLP-16\n    noise: [angular_ray: {axis: z, stddev_deg: 180, mean_deg: -180}]\n"));
  EXPECT_EQ(setup.sensors[0].sensor.noise.size(), 1U);
}

TEST(SceneFormat, FieldsOfAPresetCanBeReplaced) {
  const SceneSetup setup =
      read(scene_with("    preset: OS1-64\n    columns: 37\n    span_deg: 90\n    max_range_m: 12\n"));
  const auto& lidar = std::get<SpinningLidar>(setup.sensors[0].sensor.model);
  EXPECT_EQ(lidar.columns, 37U);
  EXPECT_NEAR(lidar.span_rad, 90 * kRadPerDeg, 1e-15);
  EXPECT_EQ(lidar.max_range_m, 12.0);
  EXPECT_EQ(lidar.elevation_rad.size(), 64U);
}

TEST(SceneFormat, DetectionIsThePresetsUnlessItIsGiven) {
  const auto detection = [](const std::string& keys) {
    return read(scene_with("    preset: OS1-128\n" + keys)).sensors[0].sensor.detection;
  };
  EXPECT_EQ(detection("").reach_10_m, 45.0F);
  EXPECT_GT(detection("").least_power(), 0.0F);
  EXPECT_EQ(detection("    detection: {reach_10_m: 0}\n").least_power(), 0.0F);
  EXPECT_EQ(detection("    detection: {reach_80_m: 9}\n").reach_10_m, 0.0F);
  EXPECT_TRUE(test::contains(message_of<InputError>([&] { detection("    detection: {}\n"); }),
                             "gives no range: reach_10_m or reach_80_m"));
}

TEST(SceneFormat, FiltersAndAlignmentAreThePresetsUnlessTheyAreGiven) {
  const auto sensor = [](const std::string& keys) {
    return read(scene_with("    preset: D435_filtered\n" + keys)).sensors[0].sensor;
  };
  const auto message = [&](const std::string& keys) { return message_of<InputError>([&] { sensor(keys); }); };
  EXPECT_TRUE(sensor("").filters.spatial && sensor("").aligned_to);
  EXPECT_FALSE(sensor("    filters: none\n").filters.any());
  EXPECT_FALSE(sensor("    aligned_to: none\n").aligned_to);
  const Sensor given = sensor(
      "    filters: {temporal: {alpha: 0.2, persistency: 8}, hole_filling: nearest}\n"
      "    aligned_to: {fx: 600, fy: 601, cx: 320, cy: 240, width: 640, height: 480, offset: {position_m: [0, 1, "
      "0]}}\n");
  EXPECT_FALSE(given.filters.spatial);
  EXPECT_EQ(given.filters.temporal->alpha, 0.2F);
  EXPECT_EQ(given.filters.temporal->persistency, 8U);
  EXPECT_EQ(given.filters.hole_filling, HoleFilling::kNearest);
  EXPECT_EQ(given.aligned_to->fy, 601);
  EXPECT_EQ(given.aligned_to->offset->translation_m, (Vec3{0, 1, 0}));
  EXPECT_EQ(image_shape(given).rows, 480U);
  EXPECT_TRUE(test::contains(message("    filters: {spatial: {alpha: 2}}\n"), "alpha = 2 is not in [0.25, 1]"));
  EXPECT_TRUE(test::contains(message("    filters: {spatail: {}}\n"), "'spatial'"));
  EXPECT_TRUE(test::contains(message("    aligned_to: {fx: 600}\n"), "fy"));
  EXPECT_TRUE(test::contains(message("    baseline_m: 0\n    filters: {spatial: {}}\n"), "acts on disparities"));
}

TEST(SceneFormat, OutputsWithOptionsArrive) {
  const SceneSetup setup = read(scene_with(
      "    preset: VLP-16\n    outputs:\n      - ply: {frame: world, keep_misses: true, fields: [range, entity_id]}\n"
      "      - birds_eye: {color: reason, max_range_m: 12.5, pixels: 300}\n      - npy: {channels: [normal, reason]}\n"
      "      - npy:\n"));
  const auto& outputs = setup.sensors[0].outputs;
  ASSERT_EQ(outputs.size(), 4U);
  const auto cloud = options_of<PlyOutput>(outputs[0]);
  EXPECT_EQ(cloud.frame, CloudFrame::kWorld);
  EXPECT_TRUE(cloud.keep_misses);
  EXPECT_EQ(cloud.point_fields, (ChannelSet{Channel::kRange, Channel::kEntityId}));
  const auto picture = options_of<BirdsEyeOutput>(outputs[1]);
  EXPECT_EQ(picture.color, ColorBy::kReason);
  EXPECT_EQ(picture.max_range_m, 12.5);
  EXPECT_EQ(picture.pixels, 300U);
  EXPECT_EQ(options_of<NpyOutput>(outputs[2]).channels, (ChannelSet{Channel::kNormal, Channel::kReason}));
  EXPECT_EQ(options_of<NpyOutput>(outputs[3]).channels, ChannelSet{Channel::kRange});
  EXPECT_EQ(options_of<NpyOutput>(outputs[3]).lost, std::nullopt);
}

// A scene in another file, with a mesh beside that file; an override reaches into it.
TEST(SceneFormat, ASceneMayStandInAnotherFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "room");
  folder.write("room/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.write("room/path.tum", "0 5 0 0 0 0 0 1\n");
  folder.write("room/room.yaml", test::replaced(scene_with("    preset: VLP-16\n    noise: [nonsense]\n"),
                                                "m: {sphere: {radius_m: 1}}", "m: flat.obj"));
  const std::string sensors = "sensors: [{name: s, preset: VLP-16}]\n";
  const auto file = folder.write("s.yaml", sensors + "scene: {file: room/room.yaml}\n");
  const SceneSetup setup = read_scene_file(file, {"scene.entities.e.position_m.2=7"});
  EXPECT_EQ(setup.scene.meshes()[0].triangles.size(), 1U);
  EXPECT_EQ(setup.scene.entities()[0].parent_from_entity.at(0).translation_m, (Vec3{5, 0, 7}));
  EXPECT_EQ(read_scene_file(file, {"scene={file: room/room.yaml}"}).scene.entities().size(), 1U);
  const auto error_of = [&](const std::string& scene) {
    return test::input_error([&] { read_scene_file(folder.write("t.yaml", sensors + scene)); });
  };
  const std::string place = (folder / "t.yaml").string() + ":2:15: scene.file";
  EXPECT_EQ(error_of("scene: {file: gone.yaml}\n").rfind(place, 0), 0U) << error_of("scene: {file: gone.yaml}\n");
  EXPECT_EQ(error_of("scene: {file: s.yaml}\n"), place + " = s.yaml is a file that has no scene itself");
  folder.write("bad.yaml", "scene: {meshes: {m: {sphere: {radius_m: -1}}}, entities: []}\n");
  EXPECT_EQ(error_of("scene: {file: bad.yaml}\n"),
            (folder / "bad.yaml").string() + ":1:41: scene.meshes.m.sphere.radius_m = -1 is not in [1e-06, 1000000] m");
}

TEST(SceneFormat, AMeshFileMayHaveAnotherUpAxis) {
  const TemporaryFolder folder;
  folder.write("flat.obj", "v 1 2 3\nv 2 2 3\nv 1 4 3\nf 1 2 3\n");
  const auto first = [&](const std::string& mesh) {
    const std::string text =
        test::replaced(scene_with("    preset: VLP-16\n"), "m: {sphere: {radius_m: 1}}", "m: " + mesh);
    return read_scene_file(folder.write("s.yaml", text)).scene.meshes()[0].vertices_m[0];
  };
  EXPECT_EQ(first("flat.obj"), (std::array<float, 3>{1, 2, 3}));
  EXPECT_EQ(first("{file: flat.obj}"), (std::array<float, 3>{1, 2, 3}));
  EXPECT_EQ(first("{file: flat.obj, up_axis: z}"), (std::array<float, 3>{1, 2, 3}));
  EXPECT_EQ(first("{up_axis: y, file: flat.obj}"), (std::array<float, 3>{1, -3, 2}));
  EXPECT_EQ(first("{file: flat.obj, up_axis: x}"), (std::array<float, 3>{-2, -3, 1}));
}

TEST(SceneFormat, ARobotDescriptionIsNamed) {
  const TemporaryFolder folder;
  const auto file = folder.write("r.urdf", "<?xml version=\"1.0\"?>\n<robot name=\"r\"/>\n");
  EXPECT_TRUE(test::input_error([&] { read_scene_file(file); }).find("r.urdf: is a URDF robot") != std::string::npos);
}

TEST(SceneFormat, AnAliasIsACopy) {
  std::string text = replaced(kScene, "size_m: [20, 20]", "size_m: &size [20, 20]");
  text = replaced(text, "box: {box: {size_m: [1, 1, 1]}}", "box: {plane: {size_m: *size}}");
  EXPECT_EQ(read(text).scene.meshes()[1].vertices_m, read(text).scene.meshes()[0].vertices_m);
}

/// The scene with one character replaced, inserted or deleted.
std::string with_slip(std::size_t at, int kind, char c) {
  std::string text = kScene;
  if (kind == 0) text[at] = c;
  if (kind == 1) text.insert(at, 1, c);
  if (kind == 2) text.erase(at, 1);
  return text;
}

// A slip of one character never crashes or hangs. It throws at most InputError, in one line that names the place.
RC_GTEST_PROP(SceneFormat, AnySingleCharacterMayChange, ()) {
  static const std::string kCharacters = "\n\t :,-[]{}#&*!|>'\"%@`~?.0123456789eaxz_\\=\x01\x7f\xc3\xff";
  for (int i = 0; i < 20; ++i) {
    const auto at = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, kScene.size()));
    const std::string text = with_slip(at, *rc::gen::element(0, 1, 2), *rc::gen::elementOf(kCharacters));
    try {
      RC_ASSERT(!read(text).sensors.empty());
    } catch (const InputError& error) {
      const std::string message = error.what();
      RC_ASSERT(message.rfind("s.yaml:", 0) == 0);
      RC_ASSERT(message.find('\n') == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace fathom::test::format_test
