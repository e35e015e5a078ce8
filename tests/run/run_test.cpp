// SPDX-License-Identifier: MIT

#include <fathom/simulate/run.hpp>

#include "run/scene_fixture.hpp"
#include "support/file_size_limit.hpp"

namespace fathom::test::run_test {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

/// All kinds of files, all noise stages, and a sensor that moves while it scans.
const std::string kRichScene = test::replaced(
    test::replaced(
        kScene, "    outputs: [pcd, range_image]\n",
        "      - angular_ray: {axis: z, stddev_deg: 0.2}\n      - angular_hit: {axis: y, stddev_deg: 0.2}\n"
        "      - dropout: {probability: 0.1}\n    outputs: [pcd, ply, pointcloud2, npy, range_image, birds_eye]\n"
        "    rolling: true\n"),
    "position_m: [3, 0, 0.5]",
    "motion: {loop: true, keyframes: [{time_s: 0, position_m: [3, 0, 0.5]}, {time_s: 1, position_m: [3, 2, 0.5]}]}");

SceneSetup read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_scene_text(text, "scene.yaml", overrides);
}

RunOptions into(const fs::path& out) {
  RunOptions options;
  options.out = out;
  return options;
}

/// The files of a run, summary.json without values that differ between runs.
Files files_of(const fs::path& out) {
  Files files = read_folder(out);
  auto summary = nlohmann::json::parse(files.at("summary.json"));
  EXPECT_EQ(summary.erase("run"), 1U);
  files["summary.json"] = summary.dump();
  return files;
}

Files files_of_run(const std::string& scene, int threads, const std::vector<std::string>& overrides = {}) {
  const TemporaryFolder folder;
  RunOptions options = into(folder / "out");
  options.compute.threads = threads;
  run_scene(read(scene, overrides), options);
  return files_of(options.out);
}

TEST(Run, FilesAreTheSameForAnyNumberOfThreadsAndEveryTime) {
  const Files one = files_of_run(kRichScene, 1);
  EXPECT_EQ(one.size(), 2 * (6 + 2) + 1U);  // two frames of the lidar's six files and the laser's two, and the summary
  for (const int threads : {1, 2, 7}) {
    const Files again = files_of_run(kRichScene, threads);
    ASSERT_EQ(again.size(), one.size());
    for (const auto& [name, bytes] : one) EXPECT_TRUE(again.at(name) == bytes) << name << ", " << threads << " threads";
  }
}

TEST(Run, SeedsFramesAndSensorsDiffer) {
  const Files a = files_of_run(kRichScene, 1);
  const Files b = files_of_run(kRichScene, 1, {"seed=6"});
  EXPECT_NE(a.at("lidar/cloud_000000.pcd"), b.at("lidar/cloud_000000.pcd"));
  EXPECT_NE(a.at("lidar/cloud_000000.pcd"), a.at("lidar/cloud_000001.pcd"));
  const Files c = files_of_run(kRichScene, 1, {"sensors.lidar.name=other"});
  EXPECT_NE(a.at("lidar/range_000000.npy"), c.at("other/range_000000.npy"));
  // The laser has no noise: the seed does not change it.
  EXPECT_EQ(a.at("laser/cloud_000000.pcd"), b.at("laser/cloud_000000.pcd"));
}

TEST(Run, SummaryCountsEveryRayAndListsEveryFile) {
  const TemporaryFolder folder;
  const RunResult result = run_scene(read(kRichScene), into(folder / "deep" / "out"));
  const fs::path out = folder / "deep" / "out";
  const auto summary = nlohmann::json::parse(test::bytes_of(out / "summary.json"));
  EXPECT_EQ(summary["seed"], 5);
  EXPECT_EQ(summary["frames"], 2);
  ASSERT_EQ(summary["sensors"].size(), 2U);
  std::uint64_t all = 0;
  for (const auto& sensor : summary["sensors"]) {
    std::uint64_t rays = 0;
    for (const auto& count : sensor["reasons"]) rays += count.get<std::uint64_t>();
    EXPECT_EQ(rays, sensor["rays"].get<std::uint64_t>());
    EXPECT_EQ(rays, 2U * sensor["rows"].get<std::uint64_t>() * sensor["cols"].get<std::uint64_t>());
    EXPECT_GT(sensor["reasons"]["hit"].get<std::uint64_t>(), 0U);
    all += rays;
  }
  EXPECT_GT(summary["sensors"][0]["reasons"]["dropout"].get<std::uint64_t>(), 0U);
  EXPECT_EQ(result.progress.rays_done, all);
  EXPECT_GT(summary["run"]["rays_per_second"].get<double>(), 0.0);
  EXPECT_FALSE(summary["versions"]["compiler"].get<std::string>().empty());
  Files files = read_folder(out);
  ASSERT_EQ(files.size(), result.files.size());
  EXPECT_EQ(result.files.back(), out / "summary.json");
  EXPECT_EQ(summary["files"].size() + 1, files.size());
  for (const auto& file : summary["files"]) EXPECT_EQ(files.count(file.get<std::string>()), 1U) << file;
}

TEST(Run, OptionsReplaceFramesAndSeed) {
  const TemporaryFolder folder;
  RunOptions options = into(folder / "out");
  options.frames = 1;
  options.seed = 77;
  run_scene(read(kScene), options);
  const auto summary = nlohmann::json::parse(test::bytes_of(folder / "out" / "summary.json"));
  EXPECT_EQ(summary["frames"], 1);
  EXPECT_EQ(summary["seed"], 77);
  EXPECT_FALSE(fs::exists(folder / "out" / "lidar" / "cloud_000001.pcd"));
}

TEST(Run, ProgressComesAfterEveryFrame) {
  const TemporaryFolder folder;
  RunOptions options = into(folder / "out");
  std::vector<RunOptions::Progress> seen;
  options.on_progress = [&](const RunOptions::Progress& progress) { seen.push_back(progress); };
  run_scene(read(kScene), options);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].frames_done, 1U);
  EXPECT_EQ(seen[1].frames_done, 2U);
  EXPECT_EQ(seen[1].frames_total, 2U);
  EXPECT_EQ(seen[1].rays_done, 2U * (16 * 90 + 45));
  EXPECT_LE(seen[1].cast_seconds, seen[1].seconds);
}

TEST(Run, AnExistingFolderIsRefused) {
  const TemporaryFolder folder;
  const SceneSetup setup = read(kScene);
  const fs::path file = folder.write("file", "mine");
  EXPECT_THROW(run_scene(setup, into(folder.path())), InputError);
  EXPECT_EQ(read_folder(folder.path()).size(), 1U);
  RunOptions options = into(file);
  EXPECT_THROW(run_scene(setup, options), InputError);
  options.force = true;
  EXPECT_THROW(run_scene(setup, options), InputError);
  EXPECT_EQ(test::bytes_of(file), "mine");
}

TEST(Run, ForceReplacesOnlyWhatAnEarlierRunWrote) {
  const TemporaryFolder folder;
  RunOptions options = into(folder / "out");
  run_scene(read(kScene), options);
  folder.write("out/lidar/notes.txt", "mine");
  folder.write("out/mine.txt", "mine too");
  options.force = true;
  options.frames = 1;
  run_scene(read(kScene, {"sensors.laser.name=scanner"}), options);
  const Files files = read_folder(options.out);
  EXPECT_EQ(files.count("lidar/cloud_000001.pcd"), 0U);  // of the earlier run
  EXPECT_EQ(files.count("lidar/cloud_000000.pcd"), 1U);
  EXPECT_EQ(files.at("lidar/notes.txt"), "mine");
  EXPECT_EQ(files.at("mine.txt"), "mine too");
  EXPECT_FALSE(fs::exists(options.out / "laser"));
}

TEST(Run, ForceNeverReachesOutsideTheFolder) {
  const TemporaryFolder folder;
  const SceneSetup setup = read(kScene);
  const fs::path victim = folder.write("victim.txt", "precious");
  fs::create_directory(folder / "elsewhere");
  folder.write("elsewhere/victim.txt", "precious");
  fs::create_directory(folder / "out");
  fs::create_directory_symlink(folder / "elsewhere", folder / "out" / "link");
  RunOptions options = into(folder / "out");
  options.force = true;
  for (const std::string& name : {std::string("../victim.txt"), victim.string(), std::string("a/../../victim.txt"),
                                  std::string("link/victim.txt"), std::string(".."), std::string("")}) {
    const nlohmann::json summary = {{"fathom", "0.1.0"}, {"files", {name}}};
    folder.write("out/summary.json", summary.dump());
    EXPECT_THROW(run_scene(setup, options), InputError) << name;
    EXPECT_EQ(test::bytes_of(victim), "precious");
    EXPECT_EQ(test::bytes_of(folder / "elsewhere/victim.txt"), "precious");
    EXPECT_TRUE(fs::exists(folder / "out" / "summary.json")) << name;
  }
}

TEST(Run, ForceRefusesAForeignSummary) {
  const TemporaryFolder folder;
  const SceneSetup setup = read(kScene);
  fs::create_directory(folder / "out");
  RunOptions options = into(folder / "out");
  options.force = true;
  for (const char* text : {"{\"name\": \"my project\"}", "[1]", "not json", "{\"fathom\": \"x\", \"files\": [3]}"}) {
    folder.write("out/summary.json", text);
    EXPECT_THROW(run_scene(setup, options), InputError) << text;
    EXPECT_EQ(test::bytes_of(folder / "out" / "summary.json"), text);
  }
}

TEST(Run, BadOptionsWriteNothing) {
  const TemporaryFolder folder;
  const SceneSetup setup = read(kScene);
  for (const std::uint32_t frames : {0U, kMaxFrames + 1}) {
    RunOptions options = into(folder / "out");
    options.frames = frames;
    EXPECT_THROW(run_scene(setup, options), InputError);
  }
  EXPECT_THROW(run_scene(setup, into("")), InputError);
  SceneSetup escaping = read(kScene);
  escaping.sensors[0].sensor.name = "../escape";
  EXPECT_THROW(run_scene(escaping, into(folder / "out")), InputError);
  SceneSetup empty = read(kScene);
  empty.sensors.clear();
  EXPECT_THROW(run_scene(empty, into(folder / "out")), InputError);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// Stopped at any moment, existing files are whole and equal the files of a full run, and there is no summary.
TEST(Run, StoppedAtAnyMomentLeavesWholeFilesAndNoSummary) {
  const TemporaryFolder folder;
  const Files full = files_of_run(kRichScene, 2);
  std::size_t most = 0;
  for (int allowed = 0;; ++allowed) {
    const fs::path out = folder / std::to_string(allowed);
    RunOptions options = into(out);
    std::atomic<int> asked = 0;
    options.should_stop = [&] { return asked++ >= allowed; };
    try {
      run_scene(read(kRichScene), options);
      EXPECT_GT(allowed, 16);
      break;
    } catch (const Interrupted&) {
    }
    if (!fs::exists(out)) continue;
    Files part = read_folder(out);
    EXPECT_EQ(part.erase("unfinished.txt"), 1U);
    EXPECT_EQ(part.count("summary.json"), 0U);
    EXPECT_GE(part.size(), most);
    most = part.size();
    for (const auto& [name, bytes] : part) {
      ASSERT_EQ(full.count(name), 1U) << name;
      EXPECT_TRUE(full.at(name) == bytes) << name;
    }
  }
  EXPECT_EQ(most, full.size() - 2);  // the last call comes before the last file
}

TEST(Run, AFolderThatWasInterruptedCanBeRunAgainWithForce) {
  const TemporaryFolder folder;
  const SceneSetup setup = read(kRichScene);
  RunOptions options = into(folder / "out");
  std::atomic<int> asked = 0;
  options.should_stop = [&] { return asked++ >= 6; };
  EXPECT_THROW(run_scene(setup, options), Interrupted);
  options.should_stop = {};
  EXPECT_THROW(run_scene(setup, options), InputError);
  options.force = true;
  run_scene(read(kRichScene), options);
  EXPECT_EQ(files_of(options.out), files_of_run(kRichScene, 1));
}

TEST(Run, AFolderThatCannotBeMadeIsASystemError) {
  const TemporaryFolder folder;
  folder.write("file", "mine");
  EXPECT_THROW(run_scene(read(kScene), into(folder / "file" / "out")), SystemError);
  EXPECT_EQ(test::bytes_of(folder / "file"), "mine");
}

TEST(Run, AFullDiskIsASystemErrorAndLeavesNoHalfFile) {
  const TemporaryFolder folder;
  const Files full = files_of_run(kRichScene, 1);
  {
    const FileSizeLimit limit(2000);  // the laser's files fit, the lidar's clouds do not
    EXPECT_THROW(run_scene(read(kRichScene, {"sensors.lidar.outputs=[range_image, pcd]"}), into(folder / "out")),
                 SystemError);
  }
  Files part = read_folder(folder / "out");
  EXPECT_EQ(part.erase("unfinished.txt"), 1U);
  for (const auto& [name, bytes] : part) {
    ASSERT_EQ(full.count(name), 1U) << name;
    EXPECT_TRUE(full.at(name) == bytes) << name;
  }
  EXPECT_FALSE(fs::exists(folder / "out" / "summary.json"));
}

}  // namespace
}  // namespace fathom::test::run_test
