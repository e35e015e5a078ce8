// SPDX-License-Identifier: MIT
// Pictures and depth files of a scene file equal the files of the C++ API, with the names, poses and lost values of
// the run.

#include <fathom/files/clouds.hpp>
#include <fathom/files/pictures.hpp>

#include "core/text/formats.hpp"
#include "run/scene_fixture.hpp"

namespace fathom::test {
namespace {

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

constexpr const char* kLidar =
    "    type: spinning_lidar\n    columns: 64\n    elevation_deg: [10, 0, -10]\n    azimuth_offset_deg: [17, 0, -17]\n"
    "    max_range_m: 9\n";

/// Runs the scene and compares its files with `expected`, by name, which writers make from the frame of a simulator.
void expect_files(
    const std::string& sensor, const std::string& outputs,
    const std::vector<std::pair<std::string, std::function<void(const std::filesystem::path&, const Frame&, const Pose&,
                                                                const PictureLegend&)>>>& expected) {
  const TemporaryFolder folder;
  const SceneSetup setup = read_scene_text(picture_scene(sensor, outputs), "s.yaml", {});
  RunOptions options;
  options.out = folder / "out";
  run_scene(setup, options);
  const auto files = read_folder(options.out);

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
  const std::string text = replaced(
      replaced(picture_scene(kCamera, "[label_picture, label_picture: {values: id}, npy: {channels: [label]}]"),
               "mesh: room}", "mesh: room, label: wall}"),
      "scene:\n", "scene:\n  labels: {post: {id: 12, color: [1, 2, 3]}, wall: 4}\n");
  const SceneSetup setup = read_scene_text(replaced(text, "mesh: post,", "mesh: post, label: post,"), "s.yaml", {});
  RunOptions options;
  options.out = folder / "out";
  run_scene(setup, options);
  const auto files = read_folder(options.out);
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
  EXPECT_TRUE(contains(
      input_error([] { read_scene_text(picture_scene(kCamera, "[range_image: {legend: maybe}]"), "s.yaml", {}); }),
      "legend = maybe"));
}

TEST(PictureFiles, AreDestaggeredUnlessTheSceneRefuses) {
  static constexpr std::array<std::int32_t, 3> kShifts = {-3, 0, 3};
  expect_files(kLidar, "[range_image]",
               {{"range_image_000000.png", [](const auto& file, const Frame& f, const Pose&, const PictureLegend& l) {
                   write_range_image(file, f, ColorBy::kRange, 0.0, kShifts, l);
                 }}});
  expect_files(kLidar, "[range_image: {destagger: false}]",
               {{"range_image_000000.png", [](const auto& file, const Frame& f, const Pose&, const PictureLegend& l) {
                   write_range_image(file, f, ColorBy::kRange, 0.0, {}, l);
                 }}});
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

// An image by angle is 1024 pixels wide, an image of two rays two.
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

/// A camera that sees a post before a wall, and nothing beside the wall.
std::string depth_scene(const std::string& outputs) {
  return "seed: 4\nsensors:\n  - name: cam\n    type: stereo_camera\n    width: 40\n    height: 30\n    fx: 30\n"
         "    baseline_m: 0.3\n    min_range_m: 0.2\n    max_range_m: 6\n    noise:\n"
         "      - stereo_shadow: {}\n      - stereo_energy: {min_energy: 0.2, pow: 1, normalization: threshold}\n      "
         "- dropout: {probability: "
         "0.1}\n"
         "    outputs: " +
         outputs +
         "\nscene:\n  meshes:\n    wall: {box: {size_m: [0.1, 4, 2]}}\n    post: {box: {size_m: [0.1, 0.4, 2]}}\n"
         "  entities:\n    - {name: wall, mesh: wall, position_m: [4, 0, 0]}\n"
         "    - {name: post, mesh: post, position_m: [2, 0, 0]}\n";
}

SceneSetup read(const std::string& outputs) { return read_scene_text(depth_scene(outputs), "s.yaml", {}); }

std::map<std::string, std::string> files_of(const std::string& outputs) {
  const TemporaryFolder folder;
  RunOptions options;
  options.out = folder / "out";
  run_scene(read(outputs), options);
  return read_folder(options.out);
}

/// The frame that the run writes.
Frame render(ChannelSet channels) {
  const SceneSetup setup = read("[]");
  Simulator simulator(setup.scene, {.seed = 4, .compute = {.threads = 1}});
  Frame frame(channels);
  simulator.render(simulator.add_sensor(setup.sensors[0].sensor), 0, frame);
  return frame;
}

using DepthFiles = InFolder;

TEST_F(DepthFiles, AreThoseOfTheCppApi) {
  const Frame f = render({Channel::kDepth, Channel::kCleanDepth, Channel::kRange, Channel::kReason, Channel::kEnergy});
  const auto files = files_of(
      "[depth_png, depth_png: {channel: range, per_m: 5000, lost: inf}, depth_png: {channel: clean_depth, lost: max},"
      " reason_picture, camera_sheet: {max_range_m: 5}, npy: {channels: [range, depth], lost: minus_one},"
      " npy: {channels: [energy, incidence, clean_depth]}]");
  EXPECT_EQ(files.size(), 5U + 5U + 1U);
  const auto expect_file = [&](const std::string& name, auto write) {
    ASSERT_EQ(files.count("cam/" + name), 1U) << name;
    write(folder / "file");
    EXPECT_TRUE(files.at("cam/" + name) == bytes_of(folder / "file")) << name;
  };
  expect_file("depth_000000.png", [&](const auto& file) { write_depth_png(file, f, Channel::kDepth); });
  expect_file("range_000000.png", [&](const auto& file) {
    write_depth_png(file, f, Channel::kRange, {LostValue::kInf, 0.0F}, 5000);
  });
  expect_file("clean_depth_000000.png", [&](const auto& file) {
    write_depth_png(file, f, Channel::kCleanDepth, {LostValue::kMax, 6.0F});
  });
  expect_file("reason_000000.png", [&](const auto& file) { write_reason_picture(file, f); });
  expect_file("sheet_000000.png", [&](const auto& file) { write_camera_sheet(file, f, 5.0); });
  expect_file("depth_000000.npy", [&](const auto& file) {
    write_npy(file, f, Channel::kDepth, LostPolicy{LostValue::kMinusOne, 0.0F});
  });
  expect_file("energy_000000.npy", [&](const auto& file) { write_npy(file, f, Channel::kEnergy); });
}

TEST_F(DepthFiles, ArraysHoldTheValuesOfTheFrame) {
  const Channel channels[] = {Channel::kRange,      Channel::kCleanRange, Channel::kDepth,
                              Channel::kCleanDepth, Channel::kIncidence,  Channel::kEnergy};
  ChannelSet all = {Channel::kReason};
  for (const Channel channel : channels) all.insert(channel);
  const Frame f = render(all);
  const auto files = files_of("[npy: {channels: [range, clean_range, depth, clean_depth, incidence, energy, reason]}]");
  const auto array = [&](Channel channel) {
    const std::string name = std::string(to_string(channel)) + "_000000.npy";
    return npy::read(folder.write(name, files.at("cam/" + name)));
  };
  for (const Channel channel : channels) {
    const npy::Array values = array(channel);
    ASSERT_EQ(values.shape, (std::vector<std::size_t>{30, 40})) << to_string(channel);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double expected = f.floats(channel)[i];
      ASSERT_TRUE(values.at(i) == expected || (std::isnan(values.at(i)) && std::isnan(expected)))
          << to_string(channel) << " of ray " << i << ": " << values.at(i) << ", not " << expected;
    }
  }
  const npy::Array reasons = array(Channel::kReason);
  std::array<std::uint64_t, kReasonNames.size()> counts = {};
  for (std::size_t i = 0; i < f.size(); ++i) ++counts.at(static_cast<std::size_t>(reasons.at(i)));
  EXPECT_EQ(counts, f.count_reasons());
  const auto summary = nlohmann::json::parse(files.at("summary.json"));
  for (std::size_t r = 0; r < counts.size(); ++r) {
    EXPECT_EQ(summary["sensors"][0]["reasons"][std::string(kReasonNames[r])], counts[r]) << kReasonNames[r];
  }
  for (const Reason r : {Reason::kHit, Reason::kMiss, Reason::kHiddenLeft, Reason::kRandomLoss, Reason::kDropout}) {
    EXPECT_GT(counts[static_cast<std::size_t>(r)], 0U) << to_string(r);
  }
}

TEST_F(DepthFiles, TheLostValueIsAppliedLastAndOnlyToLengths) {
  const Frame f = render({Channel::kDepth, Channel::kReason});
  struct Policy {
    std::string word;
    double value;
  };
  const Policy policies[] = {{"zero", 0}, {"nan", NAN}, {"inf", INFINITY}, {"max", 6}, {"minus_one", -1}};
  for (const Policy& policy : policies) {  // no structured binding: clang 14 captures none
    const auto& word = policy.word;
    const double value = policy.value;
    const auto files = files_of("[npy: {channels: [depth, energy, reason, hit_sensor], lost: " + word + "}]");
    const auto array = [&](const std::string& name) {
      return npy::read(folder.write(name + word, files.at("cam/" + name + "_000000.npy")));
    };
    const npy::Array depth = array("depth"), reason = array("reason"), energy = array("energy"),
                     point = array("hit_sensor");
    std::size_t lost = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      ASSERT_EQ(reason.at(i), static_cast<double>(f.reason()[i])) << word;
      if (f.reason()[i] == Reason::kHit) {
        ASSERT_EQ(depth.at(i), f.depth_m()[i]) << word;
        continue;
      }
      ++lost;
      ASSERT_TRUE(depth.at(i) == value || (std::isnan(value) && std::isnan(depth.at(i)))) << word;
      ASSERT_TRUE(std::isnan(point.at(3 * i))) << word;  // a lost point has no place
      ASSERT_EQ(std::isnan(energy.at(i)), f.reason()[i] == Reason::kMiss) << word;
    }
    EXPECT_GT(lost, 100U);
  }
}

TEST_F(DepthFiles, WhatNoiseCarriesOffTheScaleIsLostAndTheRunGoesOn) {
  // 1 m of noise at 65 m: it moves some returns beyond 65.535 m.
  std::string text = depth_scene("[depth_png]");
  text = replaced(text, "max_range_m: 6", "max_range_m: 65\n    range_policy: keep");
  text = replaced(text, "- stereo_shadow: {}\n", "- distance: {stddev_m: 1}\n");
  text = replaced(text, "size_m: [0.1, 4, 2]", "size_m: [0.1, 400, 200]");
  text = replaced(text, "position_m: [4, 0, 0]", "position_m: [64.5, 0, 0]");
  RunOptions options;
  options.out = folder / "out";
  run_scene(read_scene_text(text, "s.yaml", {}), options);
  EXPECT_TRUE(std::filesystem::exists(options.out / "cam" / "depth_000000.png"));
}

}  // namespace
}  // namespace fathom::test
