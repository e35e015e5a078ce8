// SPDX-License-Identifier: MIT
// The owner of a folder, and the files that --force removes.

#include "run/run_folder.hpp"

#include "run/scene_fixture.hpp"

namespace fathom::test {
namespace {

namespace fs = std::filesystem;

SceneSetup scene() { return read_scene_text(kScene, "scene.yaml", {}); }

RunOptions options_for(const fs::path& out, std::uint64_t seed = 1, bool force = false) {
  RunOptions options;
  options.out = out;
  options.seed = seed;
  options.force = force;
  options.compute.threads = 1;
  return options;
}

/// Stops after this many calls.
void run_in_part(RunOptions options, int questions) {
  int asked = 0;
  options.should_stop = [&] { return asked++ >= questions; };
  EXPECT_THROW(run_scene(scene(), options), Interrupted);
}

std::string refusal_of_run(const RunOptions& options) {
  return input_error([&] { run_scene(scene(), options); });
}

/// Runs two at once and returns the number of completed runs. The folder then holds the files of one seed.
int race(const fs::path& out, bool force) {
  std::atomic<int> ready = 0, done = 0;
  std::vector<std::string> refusals(2);
  const auto one = [&](std::uint64_t seed) {
    const SceneSetup setup = scene();
    RunOptions options = options_for(out, seed, force);
    options.frames = 3;
    ++ready;
    while (ready < 2) std::this_thread::yield();
    refusals[seed - 1] = input_error([&] {
      run_scene(setup, options);
      ++done;
    });
  };
  std::thread first(one, 1), second(one, 2);
  first.join();
  second.join();
  for (const std::string& refusal : refusals) {
    const bool says_why = refusal.empty() || refusal.find("exists already") != std::string::npos ||
                          refusal.find("another run is writing into this folder") != std::string::npos;
    EXPECT_TRUE(says_why) << refusal;
  }
  return done;
}

void expect_files_of_one_seed(const fs::path& out, const fs::path& twin) {
  auto files = read_folder(out);
  ASSERT_EQ(files.count("summary.json"), 1U);
  const auto seed = nlohmann::json::parse(files.at("summary.json"))["seed"].get<std::uint64_t>();
  RunOptions options = options_for(twin, seed, true);
  options.frames = 3;
  run_scene(scene(), options);
  auto expected = read_folder(twin);
  files.erase("summary.json"), expected.erase("summary.json");
  EXPECT_TRUE(files == expected);
}

using RunFolder = InFolder;

TEST_F(RunFolder, TwoRunsCannotShareANewFolder) {
  for (int k = 0; k < 20; ++k) {
    const fs::path out = folder / std::to_string(k);
    if (k % 2 == 1) fs::create_directory(out);  // empty ones are taken too
    ASSERT_EQ(race(out, false), 1) << k;
    expect_files_of_one_seed(out, folder / "twin");
  }
}

// In sequence, both may replace; at the same time, one of them is refused. Either way the files are of one run.
TEST_F(RunFolder, TwoRunsWithForceCannotShareAFolder) {
  run_scene(scene(), options_for(folder / "out", 7));
  for (int k = 0; k < 20; ++k) {
    ASSERT_GE(race(folder / "out", true), 1) << k;
    expect_files_of_one_seed(folder / "out", folder / "twin");
  }
}

TEST_F(RunFolder, ARunAtWorkKeepsOthersOut) {
  RunOptions first = options_for(folder / "out");
  std::vector<std::string> refusals;
  first.on_progress = [&](const RunOptions::Progress&) {
    refusals.push_back(refusal_of_run(options_for(folder / "out", 2, true)));
    refusals.push_back(refusal_of_run(options_for(folder / "out", 2, false)));
  };
  run_scene(scene(), first);
  ASSERT_EQ(refusals.size(), 4U);
  EXPECT_TRUE(contains(refusals[0], "another run is writing into this folder"));
  EXPECT_TRUE(contains(refusals[1], "exists already"));
  EXPECT_FALSE(fs::exists(folder / "out" / kRecordName));
  EXPECT_EQ(nlohmann::json::parse(test::bytes_of(folder / "out/summary.json"))["seed"], 1);
}

TEST_F(RunFolder, AnEmptyFolderNeedsNoForce) {
  const RunResult result = run_scene(scene(), options_for(folder.path()));
  EXPECT_EQ(read_folder(folder.path()).size(), result.files.size());
}

TEST_F(RunFolder, ForceAfterAnInterruptedRunRemovesItsFiles) {
  const fs::path out = folder / "out";
  RunOptions first = options_for(out, 9);
  first.frames = 60;
  run_in_part(first, 40);
  EXPECT_TRUE(fs::exists(out / "lidar/cloud_000003.pcd"));
  EXPECT_TRUE(fs::exists(out / kRecordName));
  // Remains of a killed process on a file system without nameless files, and files of the user.
  for (const char* name : {".cloud_000007.pcd.123.part", ".cloud_000008.pcd.123-4.part"}) {
    folder.write(fs::path("out/lidar") / name, "half");
  }
  const std::vector<std::string> mine = {"cloud_12.pcd", "cloud_0000123.pcd", "my_cloud_000001.pcd",
                                         "notes.txt",    "cloud_00000x.pcd",  ".cloud_000001.pcd.part"};
  for (const std::string& name : mine) folder.write(fs::path("out/lidar") / name, "mine");

  RunOptions second = options_for(out, 1, true);
  second.frames = 1;
  const RunResult result = run_scene(scene(), second);
  auto files = read_folder(out);
  for (const std::string& name : mine) EXPECT_EQ(files.erase("lidar/" + name), 1U) << name;
  EXPECT_EQ(files.size(), result.files.size());
  EXPECT_FALSE(fs::exists(out / kRecordName));
}

// A complete run is replaced by a run that stops at any moment, and that by a third: nothing of the first two remains.
TEST_F(RunFolder, ForceAfterForceRemovesAll) {
  for (const int questions : {1, 7, 10}) {
    const fs::path out = folder / std::to_string(questions);
    RunOptions first = options_for(out, 1);
    first.frames = 4;
    run_scene(scene(), first);
    run_in_part(options_for(out, 2, true), questions);
    EXPECT_FALSE(fs::exists(out / "summary.json"));
    RunOptions third = options_for(out, 3, true);
    third.frames = 1;
    EXPECT_EQ(read_folder(out).size() > 1, questions > 1);
    const RunResult result = run_scene(scene(), third);
    EXPECT_EQ(read_folder(out).size(), result.files.size());
  }
}

TEST_F(RunFolder, TheRecordKnowsOldFilesBeforeTheFirstIsRemoved) {
  folder.write("a.txt", "old");
  folder.write("b.txt", "old");
  {
    RunRecord record(folder.path(), false);
    record.add({"a.txt", "b.txt"});
  }  // killed here
  fs::remove(folder / "a.txt");
  EXPECT_EQ(read_record(folder.path()), std::vector<fs::path>{"b.txt"});
  {
    RunRecord record(folder.path(), true);  // the lock ended with its owner
    record.add({"b.txt"});
    record.replace({{"lidar", {"cloud_*.pcd", "scans.csv"}}}, 42);
  }
  EXPECT_TRUE(read_record(folder.path()).empty());
  fs::create_directory(folder / "lidar");
  folder.write("lidar/cloud_000041.pcd", "new");
  folder.write("lidar/scans.csv", "new");
  folder.write("lidar/cloud_000042.pcd", "of no frame");
  EXPECT_EQ(read_record(folder.path()), (std::vector<fs::path>{"lidar/cloud_000041.pcd", "lidar/scans.csv"}));
}

TEST_F(RunFolder, ARecordNeverReachesOutsideAndMustBeOurs) {
  const fs::path victim = folder.write("victim.txt", "precious");
  fs::create_directories(folder / "elsewhere");
  folder.write("elsewhere/cloud_000001.pcd", "precious");
  fs::create_directory(folder / "out");
  fs::create_directory_symlink(folder / "elsewhere", folder / "out" / "link");
  { RunRecord(folder / "out", false).replace({}, 1); }
  const std::string header = test::bytes_of(folder / "out" / kRecordName);
  for (const std::string& line : {std::string("../victim.txt"), victim.string(),
                                  std::string("link/cloud_[000000-000009].pcd"), std::string("..")}) {
    folder.write(fs::path("out") / kRecordName, header + line + "\n");
    EXPECT_TRUE(contains(refusal_of_run(options_for(folder / "out", 1, true)), "not a file inside the folder")) << line;
  }
  for (const std::string notes : {"my notes\n", "my notes", "\n"}) {
    folder.write(fs::path("out") / kRecordName, notes);
    EXPECT_TRUE(contains(refusal_of_run(options_for(folder / "out", 1, true)), "not written by fathom"));
    EXPECT_EQ(test::bytes_of(folder / "out" / kRecordName), notes);
  }
  EXPECT_EQ(test::bytes_of(victim), "precious");
  EXPECT_EQ(test::bytes_of(folder / "elsewhere/cloud_000001.pcd"), "precious");
}

/// A run with force into a folder with inputs of its scene.
class OwnInput : public testing::Test {
 protected:
  static constexpr const char* kWall =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
      "end_header\n3 0 0\n3 1 0\n3 0 1\n3 0 1 2\n";

  /// A run whose boxes are `mesh` is refused and does not change `file`.
  void expect_kept(const std::string& mesh, const fs::path& file) {
    const fs::path scene = folder_.write("scene.yaml", replaced(replaced(kScene, "[pcd, range_image]", "[ply]"),
                                                                "box: {box: {size_m: [1, 1, 1]}}", "box: " + mesh));
    const std::string before = test::bytes_of(file);
    ASSERT_NE(before, "");
    const std::string message =
        input_error([&] { run_scene(read_scene_file(scene), options_for(folder_ / "out", 1, true)); });
    EXPECT_TRUE(contains(message, "is an input too"));
    EXPECT_TRUE(contains(message, file.filename().string()));
    EXPECT_TRUE(test::bytes_of(file) == before);
    EXPECT_FALSE(fs::exists(folder_ / "out/unfinished.txt"));
  }

  TemporaryFolder folder_;
};

TEST_F(OwnInput, IsNotOverwritten) {
  fs::create_directories(folder_ / "out/lidar");
  expect_kept("out/lidar/cloud_000000.ply", folder_.write("out/lidar/cloud_000000.ply", kWall));
  folder_.write("wall.ply", kWall);
  fs::remove(folder_ / "out/lidar/cloud_000000.ply");
  fs::create_hard_link(folder_ / "wall.ply", folder_ / "out/lidar/cloud_000001.ply");
  expect_kept("{file: wall.ply}", folder_ / "out/lidar/cloud_000001.ply");
}

TEST_F(OwnInput, OfAnEarlierRunIsNotRemoved) {
  fs::create_directories(folder_ / "out/old");
  folder_.write("out/summary.json", R"({"fathom": "1", "files": ["old/wall.ply"]})");
  expect_kept("out/old/wall.ply", folder_.write("out/old/wall.ply", kWall));
}

TEST(SceneFile, KnowsEveryFileThatItWasReadFrom) {
  const TemporaryFolder folder;
  folder.write("map.pgm", "P2\n2 2\n255\n0 0 0 254\n");
  folder.write("map.yaml",
               "image: map.pgm\nresolution: 1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\n"
               "free_thresh: 0.196\n");
  folder.write("path.txt", "0 0 0 0 0 0 0 1\n1 1 0 0 0 0 0 1\n");
  folder.write("rays.csv", "ox,oy,oz,dx,dy,dz\n0,0,0,1,0,0\n");
  folder.write("world.yaml",
               "scene: {meshes: {m: {grid_map: {file: map.yaml, height_m: 1}}}, "
               "entities: [{name: m, mesh: m, motion: {file: path.txt}}]}\n");
  const fs::path file =
      folder.write("scene.yaml",
                   "scene: {file: world.yaml}\n"
                   "sensors: [{name: a, type: ray_table, rays: rays.csv, min_range_m: 0, max_range_m: 9}]\n");
  std::vector<std::string> names;
  for (const fs::path& input : read_scene_file(file).inputs) names.push_back(input.filename().string());
  EXPECT_EQ(names,
            (std::vector<std::string>{"world.yaml", "map.yaml", "map.pgm", "path.txt", "rays.csv", "scene.yaml"}));
}

TEST_F(RunFolder, ARecordThatWasJustBegunIsOurs) {
  fs::create_directory(folder / "out");
  for (const std::string begun : {"", "fathom: this run"}) {
    folder.write(fs::path("out") / kRecordName, begun);
    EXPECT_EQ(refusal_of_run(options_for(folder / "out", 1, true)), "");
  }
}

// The record of a run of 40 frames says nothing about frame 50.
TEST_F(RunFolder, ForceKeepsFilesBeyondTheFramesOfTheRecord) {
  const fs::path out = folder / "out";
  fs::create_directories(out / "lidar");
  folder.write("out/lidar/cloud_000050.pcd", "mine");
  RunOptions first = options_for(out, 1, true);
  first.frames = 40;
  run_in_part(first, 20);
  EXPECT_TRUE(fs::exists(out / "lidar/cloud_000000.pcd"));
  RunOptions second = options_for(out, 1, true);
  second.frames = 1;
  EXPECT_EQ(refusal_of_run(second), "");
  EXPECT_EQ(test::bytes_of(out / "lidar/cloud_000050.pcd"), "mine");
  EXPECT_FALSE(fs::exists(out / "lidar/cloud_000001.pcd"));
}

TEST_F(RunFolder, AFileThatNoRunHasListedIsNotReplaced) {
  const fs::path out = folder / "out";
  RunOptions options = options_for(out, 1, true);
  options.frames = 2;
  fs::create_directories(out / "lidar");
  for (const bool has_summary : {false, true}) {
    if (has_summary) {
      RunOptions shorter = options;
      shorter.frames = 1;
      EXPECT_EQ(refusal_of_run(shorter), "");
    }
    folder.write("out/lidar/cloud_000001.pcd", "mine");
    const auto before = read_folder(out);
    EXPECT_TRUE(contains(refusal_of_run(options), "lidar/cloud_000001.pcd: is there already"));
    EXPECT_TRUE(read_folder(out) == before);
  }
  fs::remove(out / "lidar/cloud_000001.pcd");
  EXPECT_EQ(refusal_of_run(options), "");
}

TEST_F(RunFolder, ASubfolderThatIsALinkIsRefused) {
  fs::create_directories(folder / "elsewhere");
  fs::create_directories(folder / "out");
  fs::create_directory_symlink("../elsewhere", folder / "out" / "lidar");
  const std::string link = refusal_of_run(options_for(folder / "out", 1, true));
  EXPECT_TRUE(contains(link, "lidar: is a link, not a folder"));
  fs::remove(folder / "out" / "lidar");
  folder.write("out/lidar", "mine");
  const std::string file = refusal_of_run(options_for(folder / "out", 1, true));
  EXPECT_TRUE(contains(file, "lidar: is a file, not a folder"));
  EXPECT_TRUE(fs::is_empty(folder / "elsewhere"));
  EXPECT_EQ(read_folder(folder / "out").size(), 1U);
}

TEST_F(RunFolder, ASummaryThatListsAFolderRemovesNothing) {
  fs::create_directories(folder / "out" / "mine");
  const std::string summary = R"({"fathom": "1", "files": ["mine"]})";
  folder.write("out/summary.json", summary);
  const std::string refusal = refusal_of_run(options_for(folder / "out", 1, true));
  EXPECT_TRUE(contains(refusal, "'mine', which is not a file inside the folder"));
  EXPECT_EQ(test::bytes_of(folder / "out" / "summary.json"), summary);
  EXPECT_TRUE(fs::is_directory(folder / "out" / "mine"));
}

TEST_F(RunFolder, ANameThatIsTooLongIsSaidToBe) {
  for (const bool force : {false, true}) {
    const std::string refusal = refusal_of_run(options_for(folder / std::string(300, 'a'), 1, force));
    EXPECT_TRUE(contains(refusal, "the output folder cannot be called"));
    EXPECT_TRUE(contains(refusal, "name too long"));
    EXPECT_FALSE(contains(refusal, "summary.json"));
  }
}

TEST_F(RunFolder, SensorsThatDifferInCaseOnlyAreRefused) {
  EXPECT_THROW(read_scene_text(replaced(kScene, "name: laser", "name: Lidar"), "scene.yaml", {}), InputError);
  SceneSetup setup = scene();
  setup.sensors[1].sensor.name = "LIDAR";
  EXPECT_THROW(run_scene(setup, options_for(folder / "out")), InputError);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace fathom::test
