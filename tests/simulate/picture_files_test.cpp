// SPDX-License-Identifier: MIT
// The pictures that a scene file asks for: those of the C++ API, with the names and the pose that only a run knows.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/simulate/run.hpp>

#include "simulate/scene_fixture.hpp"
#include "simulate/scene_text.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::TemporaryFolder;

/// Two boxes around a sensor that looks to the left.
std::string picture_scene(const std::string& sensor, const std::string& outputs) {
  return "seed: 4\nsensors:\n  - name: eye\n" + sensor +
         "    position_m: [0.5, 0, 0]\n    rpy_deg: [0, 0, 90]\n    outputs: " + outputs +
         "\nscene:\n  meshes:\n    room: {box: {size_m: [8, 6, 3]}}\n    post: {box: {size_m: [0.4, 0.4, 2]}}\n"
         "  entities:\n    - {name: the room, mesh: room}\n    - {name: a post, mesh: post, position_m: [0.5, 2, 0]}\n";
}

constexpr const char* kCamera =
    "    type: pinhole_camera\n    width: 40\n    height: 30\n    fx: 30\n    fy: 30\n    cx: 19.5\n    cy: 14.5\n    "
    "max_range_m: 9\n";
constexpr const char* kRosette =
    "    type: rosette\n    points: 500\n    field_of_view_deg: 38\n    prism1_hz: 100\n    prism2_hz: -67\n"
    "    points_per_s: 5000\n    max_range_m: 9\n";

/// Runs the scene; its files have to be `expected`, by name, made by writers from the frame that a simulator renders.
void expect_files(
    const std::string& sensor, const std::string& outputs,
    const std::vector<std::pair<std::string, std::function<void(const std::filesystem::path&, const Frame&, const Pose&,
                                                                const PictureLegend&)>>>& expected) {
  const TemporaryFolder folder;
  const SceneSetup setup = read_scene_text(picture_scene(sensor, outputs), "s.yaml", {});
  RunOptions options;
  options.out = folder / "out";
  run_scene(setup, options);
  const auto files = test::read_folder(options.out);

  Simulator simulator(setup.scene, {.seed = 4, .compute = {.threads = 1}});
  Frame frame({Channel::kRange, Channel::kEntityId, Channel::kReason, Channel::kHitWorld, Channel::kAzimuth,
               Channel::kElevation});
  const SensorId id = simulator.add_sensor(setup.sensors[0].sensor);
  simulator.render(id, 0, frame);
  const std::vector<std::string> names = {"the room", "a post"};
  for (const auto& [name, write] : expected) {
    ASSERT_EQ(files.count("eye/" + name), 1U) << name;
    write(folder / "file", frame, simulator.world_from_sensor(id, 0.0), {true, names});
    EXPECT_TRUE(files.at("eye/" + name) == test::bytes_of(folder / "file")) << name;
  }
}

TEST(PictureFiles, NameEntitiesAndShowWhereTheSensorLooks) {
  expect_files(
      kCamera, "[range_image, range_image: {color: entity}, birds_eye: {color: entity, pixels: 300}, reason_picture]",
      {{"range_image_000000.png",
        [](const auto& file, const Frame& f, const Pose&, const PictureLegend& l) {
          write_range_image(file, f, ColorBy::kRange, 0.0, {}, l);
        }},
       {"range_image_entity_000000.png",
        [](const auto& file, const Frame& f, const Pose&, const PictureLegend& l) {
          write_range_image(file, f, ColorBy::kEntity, 0.0, {}, l);
        }},
       {"birds_eye_entity_000000.png",
        [](const auto& file, const Frame& f, const Pose& pose, const PictureLegend& l) {
          write_birds_eye_view(file, f, ColorBy::kEntity, 0.0, 300, pose, l);
        }},
       {"reason_000000.png",
        [](const auto& file, const Frame& f, const Pose&, const PictureLegend&) { write_reason_picture(file, f); }}});
}

TEST(PictureFiles, HaveTheLabelsOfTheScene) {
  const TemporaryFolder folder;
  const std::string text = test::replaced(
      test::replaced(picture_scene(kCamera, "[label_picture, label_picture: {values: id}, npy: {channels: [label]}]"),
                     "mesh: room}", "mesh: room, label: wall}"),
      "scene:\n", "scene:\n  labels: {post: {id: 12, color: [1, 2, 3]}, wall: 4}\n");
  const SceneSetup setup =
      read_scene_text(test::replaced(text, "mesh: post,", "mesh: post, label: post,"), "s.yaml", {});
  RunOptions options;
  options.out = folder / "out";
  run_scene(setup, options);
  const auto files = test::read_folder(options.out);
  Simulator simulator(setup.scene, {.compute = {.threads = 1}});
  Frame frame({Channel::kEntityId, Channel::kLabel});
  simulator.render(simulator.add_sensor(setup.sensors[0].sensor), 0, frame);
  EXPECT_EQ(frame.label()[20 + 40 * 15], 12U) << "the post ahead";
  const std::vector<Label> labels = {{"post", 12, {{1, 2, 3}}}, {"wall", 4, {}}};
  write_label_picture(folder / "a", frame, labels);
  write_label_ids(folder / "b", frame);
  EXPECT_TRUE(files.at("eye/label_000000.png") == test::bytes_of(folder / "a"));
  EXPECT_TRUE(files.at("eye/label_id_000000.png") == test::bytes_of(folder / "b"));
  EXPECT_EQ(files.count("eye/label_000000.npy"), 1U);
}

TEST(PictureFiles, GoWithoutALegend) {
  expect_files(
      kCamera,
      "[range_image: {legend: false}, birds_eye: {legend: false, pixels: 300}, reason_picture: {legend: false}]",
      {{"range_image_000000.png",
        [](const auto& file, const Frame& f, const Pose&, const PictureLegend&) {
          write_range_image(file, f, ColorBy::kRange, 0.0, {}, {false, {}});
        }},
       {"birds_eye_000000.png",
        [](const auto& file, const Frame& f, const Pose& pose, const PictureLegend&) {
          write_birds_eye_view(file, f, ColorBy::kRange, 0.0, 300, pose, {false, {}});
        }},
       {"reason_000000.png", [](const auto& file, const Frame& f, const Pose&, const PictureLegend&) {
          write_reason_picture(file, f, false);
        }}});
  EXPECT_NE(test::input_error([] {
              read_scene_text(picture_scene(kCamera, "[range_image: {legend: maybe}]"), "s.yaml", {});
            }).find("legend = maybe"),
            std::string::npos);
}

TEST(PictureFiles, ShowRosettesByAngle) {
  expect_files(
      kRosette, "[range_image, range_image: {color: reason, legend: false}]",
      {{"range_image_000000.png", [](const auto& file, const Frame& f, const Pose&,
                                     const PictureLegend& l) { write_angle_image(file, f, ColorBy::kRange, 0.0, l); }},
       {"range_image_reason_000000.png", [](const auto& file, const Frame& f, const Pose&, const PictureLegend&) {
          write_angle_image(file, f, ColorBy::kReason, 0.0, {false, {}});
        }}});
}

// An image by angle is 1024 pixels wide, one of two rays two.
TEST(PictureFiles, ShowTablesOfRaysByAngleUnlessTheyLieInOnePlane) {
  const TemporaryFolder folder;
  const auto width_of = [&](const char* name, const std::string& rays) {
    folder.write(std::string(name) + ".csv", "ox,oy,oz,dx,dy,dz\n" + rays);
    const std::string scene = picture_scene(
        "    type: ray_table\n    min_range_m: 0\n    max_range_m: 9\n    rays: " + std::string(name) + ".csv\n",
        "[range_image: {legend: false}]");
    RunOptions options;
    options.out = folder / name;
    run_scene(read_scene_text(scene, folder / "s.yaml", {}), options);
    const std::string png = test::bytes_of(folder / name / "eye/range_image_000000.png");
    return static_cast<unsigned char>(png.at(18)) * 256 + static_cast<unsigned char>(png.at(19));
  };
  EXPECT_EQ(width_of("plane", "0,0,0,1,0,0\n0,0,0,0,1,0\n"), 2);
  EXPECT_EQ(width_of("cone", "0,0,0,1,0,0\n0,0,0,0.8,0,0.6\n0,0,0,0.8,0.6,0\n"), 1024);
}

}  // namespace
}  // namespace fathom
