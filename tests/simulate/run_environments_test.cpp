// SPDX-License-Identifier: MIT
// Many runs of one scene, each in its folder: what each would be alone.

#include <fathom/simulate/run_environments.hpp>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/frame/digest.hpp>

#include "simulate/scene_fixture.hpp"
#include "simulate/scene_text.hpp"
#include "support/casters.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::input_error;
using test::kScene;
using test::read_folder;
using test::replaced;
using test::TemporaryFolder;
namespace fs = std::filesystem;

/// A parameter that is drawn, noise, and a sensor that moves while it scans.
const std::string kDrawnScene = replaced(
    replaced(kScene, "distance: {stddev_m: 0.01}", "distance: {stddev_m: {uniform: [0.01, 0.2]}}"),
    "    outputs: [pcd, range_image]\n", "    rolling: true\n    outputs: [pcd, {npy: {channels: [range, reason]}}]\n");

SceneSetup read_drawn() { return read_scene_text(kDrawnScene, "scene.yaml", {}); }

RunOptions options_into(const fs::path& out, const Compute& compute = {.threads = 2}) {
  RunOptions options;
  options.out = out;
  options.compute = compute;
  return options;
}

/// The files of a run; summary.json without what may differ from run to run.
std::map<std::string, std::string> files_of_one(const fs::path& folder) {
  auto files = read_folder(folder);
  auto summary = nlohmann::json::parse(files.at("summary.json"));
  EXPECT_EQ(summary.erase("run"), 1U);
  files["summary.json"] = summary.dump();
  return files;
}

TEST(RunEnvironments, EveryFolderIsThatOfTheRunAlone) {
  const SceneSetup setup = read_drawn();
  for (const CasterKind caster : test::casters()) {
    for (const int threads : {1, 3, 16}) {  // 16: fewer runs than threads
      const TemporaryFolder folder;
      const RunsResult all = run_environments(
          setup, options_into(folder / "many", {.threads = threads, .caster = caster}), {2, 4}, {9, 12});
      ASSERT_EQ(all.folders.size(), 6U);
      EXPECT_EQ(all.folders[4], folder / "many/environment_0003/episode_0010");
      for (std::uint32_t run = 0; run < 6; ++run) {
        RunOptions one = options_into(folder / std::to_string(run), {.threads = 1, .caster = caster});
        one.environment = 2 + run / 3, one.episode = 9 + run % 3;
        run_scene(setup, one);
        EXPECT_TRUE(files_of_one(all.folders[run]) == files_of_one(one.out)) << run << ", " << threads << " threads";
      }
      EXPECT_FALSE(read_folder(all.folders[0]) == read_folder(all.folders[1])) << "other draws";
    }
  }
}

TEST(RunEnvironments, AddsUpWhatTheRunsSay) {
  const SceneSetup setup = read_drawn();
  const TemporaryFolder folder;
  RunOptions options = options_into(folder / "out");
  options.digest = true;
  std::vector<std::uint32_t> steps;
  options.on_progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.frames_total, 8U);
    steps.push_back(progress.frames_done);
  };
  const RunsResult all = run_environments(setup, options, {0, 2}, {0, 2});
  EXPECT_EQ(steps, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(all.progress.frames_done, 8U);
  EXPECT_EQ(all.files, read_folder(options.out).size());
  std::vector<SensorResult> sums(2);
  std::vector<FrameDigest> digests(2);
  std::uint64_t rays = 0;
  for (const fs::path& run : all.folders) {
    const auto summary = nlohmann::json::parse(test::bytes_of(run / "summary.json"));
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& sensor = summary["sensors"][i];
      sums[i].rays += sensor["rays"].get<std::uint64_t>();
      for (std::size_t r = 0; r < kReasonNames.size(); ++r) {
        sums[i].reasons[r] += sensor["reasons"][std::string(kReasonNames[r])].get<std::uint64_t>();
      }
      digests[i].add(sensor["digest"].get<std::string>());
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(all.sensors[i].name, setup.sensors[i].sensor.name);
    EXPECT_EQ(all.sensors[i].rays, sums[i].rays);
    EXPECT_EQ(all.sensors[i].reasons, sums[i].reasons);
    EXPECT_EQ(all.sensors[i].digest, digests[i].text());
    rays += sums[i].rays;
  }
  EXPECT_EQ(all.progress.rays_done, rays);
}

TEST(RunEnvironments, WarningsSayWhose) {
  // The laser of the cart, mounted inside of it, sees nothing but the cart.
  const SceneSetup setup = read_scene_text(
      replaced(kScene, "    min_range_m: 0.1\n", "    min_range_m: 1\n    see_parent: true\n"), "scene.yaml", {});
  const TemporaryFolder folder;
  const RunsResult all = run_environments(setup, options_into(folder / "out"), {7, 8}, {0, 2});
  ASSERT_EQ(all.warnings.size(), 2U);
  EXPECT_EQ(all.warnings[1].find("environment 7, episode 1: "), 0U) << all.warnings[1];
}

TEST(RunEnvironments, NothingBeginsWhenAFolderIsTaken) {
  const TemporaryFolder folder;
  const RunOptions options = options_into(folder / "out");
  run_environments(read_drawn(), options, {1, 2}, {3, 4});
  const std::string message = input_error([&] { run_environments(read_drawn(), options, {0, 3}, {2, 4}); });
  EXPECT_NE(message.find("environment_0001/episode_0003: exists already"), std::string::npos) << message;
  EXPECT_EQ(fs::exists(folder / "out/environment_0000"), false);
  // Other runs may be added to the same folder.
  run_environments(read_drawn(), options, {1, 2}, {4, 5});
  const auto before = read_folder(folder / "out/environment_0001/episode_0004");
  // With force, the runs that are asked for are replaced, and no others.
  RunOptions force = options;
  force.force = true, force.frames = 1;
  run_environments(read_drawn(), force, {1, 2}, {3, 4});
  EXPECT_FALSE(fs::exists(folder / "out/environment_0001/episode_0003/lidar/cloud_000001.pcd"));
  EXPECT_TRUE(read_folder(folder / "out/environment_0001/episode_0004") == before);
}

TEST(RunEnvironments, AFailingRunStopsTheOthersAndIsNamed) {
  const TemporaryFolder folder;
  RunOptions options = options_into(folder / "out");
  options.force = true;
  fs::create_directories(folder / "out/environment_0000/episode_0002/lidar");
  folder.write("out/environment_0000/episode_0002/lidar/cloud_000001.pcd", "mine");
  const std::string message = input_error([&] { run_environments(read_drawn(), options, {0, 50}, {0, 4}); });
  EXPECT_EQ(message.find("environment 0, episode 2: "), 0U) << message;
  EXPECT_NE(message.find("not listed by an earlier run"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(folder / "out/environment_0049"));
}

TEST(RunEnvironments, StoppedItLeavesWholeFolders) {
  const SceneSetup setup = read_drawn();
  const TemporaryFolder folder;
  RunOptions options = options_into(folder / "out");
  std::atomic<bool> stop = false;
  options.on_progress = [&](const Progress& progress) { stop = progress.frames_done >= 7; };
  options.should_stop = [&] { return stop.load(); };
  EXPECT_THROW(run_environments(setup, options, {0, 100}, {0, 1}), Interrupted);
  std::size_t whole = 0, begun = 0;
  for (const auto& entry : fs::directory_iterator(folder / "out")) {
    ++begun;
    const fs::path run = entry.path() / "episode_0000";
    EXPECT_NE(fs::exists(run / "summary.json"), fs::exists(run / "unfinished.txt")) << run;
    whole += fs::exists(run / "summary.json") ? 1U : 0U;
  }
  EXPECT_GE(whole, 2U);
  EXPECT_LE(begun - whole, 2U) << "one of each thread";
}

TEST(RunEnvironments, BadRangesAndInputAreRefusedBeforeAnythingIsWritten) {
  const SceneSetup setup = read_drawn();
  const TemporaryFolder folder;
  RunOptions options = options_into(folder / "out");
  const auto refused = [&](NumberRange environments, NumberRange episodes) {
    return input_error([&] { run_environments(setup, options, environments, episodes); });
  };
  EXPECT_EQ(refused({3, 3}, {0, 1}), "environments 3:3 are none: the end must be above the first");
  EXPECT_EQ(refused({0, 1}, {5, 2}), "episodes 5:2 are none: the end must be above the first");
  EXPECT_EQ(refused({0, 0xffffffff}, {0, 0xffffffff}),
            "4294967295 environments of 4294967295 episodes of 2 frames are more than 4294967295 frames");
  SceneSetup broken = setup;
  broken.sensors.clear();
  EXPECT_EQ(input_error([&] { run_environments(broken, options, {0, 2}, {0, 2}); }), "the scene has no sensor");
  folder.write("file", "");
  options.out = folder / "file";
  EXPECT_NE(refused({0, 1}, {0, 1}).find("exists and is not a folder"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(RunEnvironments, FoldersHaveAtLeastFourDigits) {
  EXPECT_EQ(run_folder(3, 20), fs::path("environment_0003/episode_0020"));
  EXPECT_EQ(run_folder(123456, 4294967295U), fs::path("environment_123456/episode_4294967295"));
}

}  // namespace
}  // namespace fathom
