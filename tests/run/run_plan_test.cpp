// SPDX-License-Identifier: MIT
// plan_run() predicts run_scene(), and make_simulator() renders the same frames.

#include <fathom/files/clouds.hpp>

#include "core/text/formats.hpp"
#include "run/scene_fixture.hpp"
#include "scene_fixture.hpp"

namespace fathom::test {
namespace {

const char* const kPlanScene =
    "scene: {meshes: {b: {box: {size_m: [8, 6, 3]}}, p: {plane: {size_m: [2, 2]}}},\n"
    "  entities: [{name: b, mesh: b}, {name: c, mesh: b, scale: 3}, {name: p, mesh: p}]}\n"
    "sensors:\n"
    "  - name: lidar\n"
    "    preset: VLP-16\n"
    "    columns: 90\n"
    "    noise: [{dropout: {probability: 0.1}}]\n"
    "    outputs: [pcd, {ply: {frame: world, keep_misses: true}}, pointcloud2, range_image, {birds_eye: {pixels: "
    "64}},\n"
    "      {npy: {channels: [range, hit_world, ring, reason]}}]\n"
    "  - {name: laser, type: laser_2d, rays: 8, min_azimuth_deg: -90, max_azimuth_deg: 90, max_range_m: 30,\n"
    "     outputs: [scan_log]}\n"
    "  - {name: cam, type: depth_camera, width: 20, height: 10, fx: 20, outputs: [depth_png, camera_sheet,\n"
    "     reason_picture]}\n"
    "frames: 3\n";

/// Width times height from the header of a PNG file.
std::uint64_t pixels_of(const fs::path& file) {
  const std::string bytes = bytes_of(file);
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes.at(at + i));
    return value;
  };
  return number(16) * number(20);
}

TEST(RunPlan, IsWhatTheRunDoes) {
  const TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(folder.write("scene.yaml", kPlanScene));
  RunOptions options;
  options.out = folder / "out";
  const RunPlan plan = plan_run(setup, options);
  EXPECT_FALSE(fs::exists(options.out));
  EXPECT_EQ(plan.frames, 3U);
  EXPECT_EQ(plan.entities, 3U);
  EXPECT_EQ(plan.meshes, 2U);
  EXPECT_EQ(plan.triangles, 14U);
  ASSERT_EQ(plan.sensors.size(), 3U);
  EXPECT_EQ(plan.sensors[0].preset, "VLP-16");
  EXPECT_EQ(plan.sensors[0].kind, "spinning_lidar");
  EXPECT_EQ(plan.sensors[0].rays(), 16U * 90U);
  EXPECT_EQ(plan.sensors[1].preset, "");

  const RunResult result = run_scene(setup, options);
  EXPECT_EQ(plan.files(), result.files.size());
  for (const RunPlan::Sensor& sensor : plan.sensors) {
    for (const RunPlan::Sensor::Output& output : sensor.outputs) {
      const fs::path first = options.out / output.first_file;
      ASSERT_TRUE(fs::exists(first)) << first;
      std::uintmax_t bytes = 0, files = 0;
      for (const fs::path& file : result.files) {
        const std::string stem = file.stem().string();
        const bool same = file.parent_path() == first.parent_path() && file.extension() == first.extension() &&
                          stem.substr(0, stem.size() - 6) == first.stem().string().substr(0, stem.size() - 6);
        if (same) bytes += fs::file_size(file), ++files;
      }
      EXPECT_EQ(files, output.files) << first;
      EXPECT_LE(bytes, output.bytes_at_most) << first;
    }
  }
}

bool is_grey(const std::string& name) {
  return name.find("/depth_") != std::string::npos || name.find("/label_id_") != std::string::npos;
}

// Every kind of picture and colour, with small frames, where legends fill most of the picture, and a larger one.
TEST(RunPlan, NoFileIsLargerThanPlanned) {
  const std::string pictures =
      "[{range_image: {color: COLOR}}, {birds_eye: {color: COLOR, pixels: 64}}, camera_sheet, reason_picture,"
      " label_picture, label_picture: {values: id}, depth_png, npy, pcd, ply, pointcloud2]";
  const std::string clouds = "[{range_image: {color: COLOR}}, {birds_eye: {color: COLOR, pixels: 300}}, ply]";
  for (const std::string color : {"range", "entity", "reason"}) {
    std::string text =
        "scene: {meshes: {b: {box: {size_m: [8, 6, 3]}}}, entities: [{name: b, mesh: b}]}\n"
        "sensors:\n"
        "  - {name: tiny, type: depth_camera, width: 2, height: 3, fx: 2, outputs: " +
        pictures +
        "}\n"
        "  - {name: wide, type: depth_camera, width: 400, height: 20, fx: 200, outputs: " +
        pictures +
        "}\n"
        "  - {name: line, type: laser_2d, rays: 5000, min_azimuth_deg: -90, max_azimuth_deg: 90, max_range_m: 30,\n"
        "     outputs: " +
        clouds +
        "}\n"
        "  - {name: petals, preset: Mid-40, outputs: " +
        clouds + "}\n";
    for (std::size_t at; (at = text.find("COLOR")) != std::string::npos;) text.replace(at, 5, color);
    const TemporaryFolder folder;
    const SceneSetup setup = read_scene_file(folder.write("scene.yaml", text));
    RunOptions options;
    options.out = folder / "out";
    const RunPlan plan = plan_run(setup, options);
    run_scene(setup, options);
    for (const RunPlan::Sensor& sensor : plan.sensors) {
      for (const RunPlan::Sensor::Output& output : sensor.outputs) {
        const fs::path file = options.out / output.first_file;
        EXPECT_LE(fs::file_size(file), output.bytes_at_most) << file;
        if (file.extension() != ".png") continue;
        EXPECT_LE(pixels_of(file) * (is_grey(output.first_file) ? 2 : 3), output.bytes_at_most) << file;
      }
    }
  }
}

TEST(RunPlan, TakesOptionsAndRefusesWhatARunWould) {
  const TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(folder.write("scene.yaml", kPlanScene));
  RunOptions options;
  options.frames = 7;
  EXPECT_EQ(plan_run(setup, options).frames, 7U);
  options.frames = 0;
  EXPECT_THROW(plan_run(setup, options), InputError);
  // A scan log needs level poses.
  std::string tilted = kPlanScene;
  tilted.replace(tilted.find("rays: 8"), 8, "rays: 8, rpy_deg: [5, 0, 0]");
  EXPECT_THROW(plan_run(read_scene_file(folder.write("tilted.yaml", tilted)), {}), InputError);
}

}  // namespace
}  // namespace fathom::test

namespace fathom {
namespace {

const char* const kTwoSensors =
    "scene: {meshes: {b: {box: {size_m: [8, 6, 3]}}}, entities: [{name: b, mesh: b}]}\n"
    "sensors:\n"
    "  - {name: lidar, preset: VLP-16, columns: 90, noise: [{distance: {stddev_m: {uniform: [0.01, 0.1]}}}],\n"
    "     motion: {keyframes: [{time_s: 0}, {time_s: 10, position_m: [3, 0, 0]}]}, outputs: [npy]}\n"
    "  - {name: laser, type: laser_2d, rays: 8, min_azimuth_deg: -90, max_azimuth_deg: 90, max_range_m: 30,\n"
    "     noise: [{gain_bias: {bias_m: 0.5}}], outputs: [npy]}\n"
    "frames: 2\nseed: 9\nenvironment: 3\nrate_hz: 4\nstart_s: 1\n";

/// As write_npy writes it.
std::string npy_of(const test::TemporaryFolder& folder, const Frame& frame) {
  write_npy(folder / "frame.npy", frame, Channel::kRange);
  return test::bytes_of(folder / "frame.npy");
}

TEST(MakeSimulator, TakesTheDeviceOfTheFileUnlessTheOptionsSay) {
  const Device automatic = device_named("auto"), processor = device_named("cpu");
  const SceneSetup setup = read_scene_text(std::string(kTwoSensors) + "device: auto\n", "s.yaml", {});
  EXPECT_EQ(setup.device, automatic);
  EXPECT_EQ(make_simulator(setup).options().compute.device, automatic);
  RunOptions options;
  options.device = processor;
  EXPECT_EQ(make_simulator(setup, options).options().compute.device, processor);
  const SceneSetup plain = read_scene_text(kTwoSensors, "s.yaml", {});
  EXPECT_EQ(make_simulator(plain).options().compute.device, processor);
  RunOptions of_compute;
  of_compute.compute.device = automatic;
  EXPECT_EQ(make_simulator(plain, of_compute).options().compute.device, automatic);
}

TEST(MakeSimulator, RendersTheFramesOfWhichARunWritesFiles) {
  const test::TemporaryFolder folder;
  const SceneSetup setup = read_scene_text(kTwoSensors, "s.yaml", {});
  for (const std::uint32_t episode : {0U, 2U}) {
    RunOptions options;
    options.out = folder / std::to_string(episode);
    options.episode = episode;
    run_scene(setup, options);
    const auto files = test::read_folder(options.out);
    Simulator simulator = make_simulator(setup, options);
    EXPECT_EQ(simulator.sensor(SensorId{0}).name, "lidar");
    EXPECT_EQ(simulator.sensor(SensorId{1}).name, "laser");
    EXPECT_EQ(simulator.stamp_s(1), 1.25);
    Frame frame({Channel::kRange});
    for (const SensorId sensor : {SensorId{0}, SensorId{1}}) {
      for (const std::uint32_t index : {0U, 1U}) {
        simulator.render(sensor, index, frame);
        const std::string name = simulator.sensor(sensor).name + "/range_00000" + std::to_string(index) + ".npy";
        EXPECT_TRUE(files.at(name) == npy_of(folder, frame)) << name << ", episode " << episode;
      }
    }
  }
  EXPECT_NE(test::bytes_of(folder / "0/lidar/range_000000.npy"), test::bytes_of(folder / "2/lidar/range_000000.npy"));
}

TEST(MakeSimulator, RefusesWhatARunWould) {
  SceneSetup setup = read_scene_text(kTwoSensors, "s.yaml", {});
  setup.sensors[1].sensor.name = "LIDAR";
  EXPECT_THROW(make_simulator(setup), InputError);
  setup.sensors[1].sensor.name = "a/b";
  EXPECT_THROW(make_simulator(setup), InputError);
  setup.sensors.clear();
  EXPECT_NO_THROW(make_simulator(setup)) << "a scene to which the caller adds sensors";
}

}  // namespace
}  // namespace fathom
