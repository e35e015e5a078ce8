// SPDX-License-Identifier: MIT
// The list of units, their folders and shards. A unit is the folder of a run, and many add up.

#include <nlohmann/json.hpp>

#include <fathom/fit/frames.hpp>
#include <fathom/frame/digest.hpp>

#include "run/dataset/dataset_fixture.hpp"

namespace fathom::test {
namespace {

/// A slow and obvious list: loops over everything.
std::vector<Unit> units_by_loops(NumberRange environments, NumberRange episodes, std::uint32_t frames,
                                 std::uint32_t block) {
  std::vector<Unit> units;
  for (std::uint64_t e = environments.first; e < environments.end; ++e) {
    for (std::uint64_t p = episodes.first; p < episodes.end; ++p) {
      Unit unit{units.size(), e, p, 0, 0};
      for (std::uint32_t f = 0; f < frames; ++f) {
        if (unit.frames == block) units.push_back(unit), unit = {units.size(), e, p, f, 0};
        ++unit.frames;
      }
      units.push_back(unit);
    }
  }
  return units;
}

NumberRange some_range() {
  const auto first = *rc::gen::inRange(0U, 50U);
  return {first, first + *rc::gen::inRange(1U, 6U)};
}

RC_GTEST_PROP(Units, AreThoseOfLoops, ()) {
  const NumberRange environments = some_range(), episodes = some_range();
  const auto frames = *rc::gen::inRange(1U, 40U), block = *rc::gen::inRange(0U, 45U);
  const UnitList list(environments, episodes, frames, block);
  const auto expected = units_by_loops(environments, episodes, frames, block == 0 ? frames : block);
  RC_ASSERT(list.size() == expected.size());
  for (const Unit& unit : expected) RC_ASSERT(list.at(unit.index) == unit);
}

TEST(Units, AreRefusedWithoutNumbers) {
  EXPECT_TRUE(contains(input_error([] { return UnitList({3, 3}, {0, 1}, 1); }), "environments 3:3"));
  EXPECT_TRUE(contains(input_error([] { return UnitList({0, 1}, {2, 1}, 1); }), "episodes 2:1"));
  EXPECT_TRUE(contains(input_error([] { return UnitList({0, 1}, {0, 1}, 0); }), "frames = 0"));
  EXPECT_TRUE(contains(input_error([] { return UnitList({0, 1'000'000}, {0, 1001}, 1); }), "1000000000"));
  EXPECT_TRUE(contains(input_error([] {
                         return UnitList({0, 0xffffffff}, {0, 0xffffffff}, 1'000'000, 1);
                       }),
                       "1000000000"));
  EXPECT_EQ(UnitList({0, 1'000'000}, {0, 1000}, 1).size(), kMaxUnits);
  EXPECT_TRUE(contains(input_error([] { return UnitList({0, 2}, {0, 1}, 1).at(2); }), "unit 2"));
}

RC_GTEST_PROP(Units, HaveFoldersOfTheirOwnInSmallFolders, ()) {
  const auto index = *rc::gen::inRange<std::uint64_t>(0, kMaxUnits);
  const std::string folder = Unit{index}.folder().string();
  RC_ASSERT(folder.substr(0, 6) == "units/");
  RC_ASSERT(std::stoull(folder.substr(folder.rfind('/') + 1)) == index);
  RC_ASSERT(Unit{index}.folder().parent_path() == Unit{index / 1000 * 1000}.folder().parent_path());
  RC_ASSERT(index < 1000 || Unit{index}.folder().parent_path() != Unit{index - 1000}.folder().parent_path());
  // Three digits a level: no folder has more than a thousand entries.
  RC_ASSERT(Unit{index}.folder().parent_path().string().size() == std::string("units/000/000").size());
}

TEST(Shards, AreParsed) {
  EXPECT_EQ(DatasetOptions::Shard::parse("3/16"), (DatasetOptions::Shard{3, 16}));
  EXPECT_EQ(DatasetOptions::Shard::parse("0/1"), (DatasetOptions::Shard{0, 1}));
  for (const char* bad :
       {"", "/", "3", "3/", "/3", "3/3", "4/3", "-1/3", "a/b", "1/2/3", "0/0", "1 /2", "0/1000000001"}) {
    EXPECT_TRUE(contains(input_error([&] { return DatasetOptions::Shard::parse(bad); }), "i/n")) << bad;
  }
}

using nlohmann::json;
namespace fs = std::filesystem;

/// Sensors of three rates, with files for each frame and one file for all.
std::string many_rates() {
  std::string scene = kDatasetScene;
  const std::string outputs = "    outputs: [{npy: {channels: [range, clean_range, reason]}}, scan_log]\n";
  scene.replace(scene.find("    outputs:"), scene.find("scene:\n") - scene.find("    outputs:"),
                outputs + R"(  - name: fast
    preset: VLP-16
    columns: 9
    position_m: [1, 0, 1]
    noise: [{distance: {stddev_m: 0.1}}, {dropout: {probability: 0.1}}]
    timing: {rate_hz: 27, phase_s: 0.02, latency_s: 0.01, drop_frame: 0.3, freeze: 0.2}
    outputs: [pcd]
  - name: slow
    preset: VLP-16
    columns: 7
    position_m: [-1, 0, 1]
    noise: [{distance: {stddev_m: {uniform: [0.1, 0.2]}}}]
    timing: {rate_hz: 3, phase_s: 0.15}
    outputs: [pcd]
)");
  return scene;
}

using UnitFiles = std::map<std::string, std::string>;

/// The files of a run or unit without its descriptions.
UnitFiles measured_files(const fs::path& folder) {
  UnitFiles files = files_in(folder);
  files.erase("summary.json"), files.erase("unit.json");
  return files;
}

/// The summary without the keys that only runs have. Files come in another order where frames arrive late.
json summary_of(const fs::path& folder) {
  json summary = json::parse(bytes_of(folder / "summary.json"));
  summary.erase("run"), summary.erase("versions");
  auto files = summary["files"].get<std::vector<std::string>>();
  std::ranges::sort(files);
  summary["files"] = files;
  return summary;
}

RunOptions run_of(const DatasetOptions& dataset, const Unit& unit, const fs::path& out) {
  RunOptions options = dataset.run;
  options.out = out;
  options.environment = static_cast<std::uint32_t>(unit.environment);
  options.episode = static_cast<std::uint32_t>(unit.episode);
  return options;
}

TEST(UnitsOfRuns, AreTheFoldersOfRuns) {
  DatasetFolder data;
  data.setup = data.read(many_rates());
  for (const int threads : {1, 3, 16}) {  // 16: fewer units than threads
    const std::string name = "threads" + std::to_string(threads);
    DatasetOptions options = data.options(name);
    options.run.compute = {.threads = threads};
    options.block = 0;
    render_dataset(data.setup, options);
    EXPECT_EQ(verify_dataset(options.run.out).fault_count, 0U);
    const UnitList units = dataset_units(data.setup, options);
    for (std::uint64_t i = 0; i < units.size(); ++i) {
      const fs::path folder = options.run.out / Unit{i}.folder(),
                     run = data.folder / (name + "_run" + std::to_string(i));
      run_scene(data.setup, run_of(options, units.at(i), run));
      EXPECT_TRUE(measured_files(folder) == measured_files(run)) << name << ", unit " << i;
      EXPECT_EQ(summary_of(folder), summary_of(run)) << name << ", unit " << i;
    }
  }
}

TEST(UnitsOfRuns, HaveEachFrameOfEachSensorInOneBlock) {
  DatasetFolder data;
  data.setup = data.read(many_rates());
  for (const std::uint32_t block : {1U, 2U, 3U}) {
    DatasetOptions options = data.options("block" + std::to_string(block));
    options.block = block;
    options.environments = {1, 2}, options.episodes = {1, 2};
    const DatasetResult result = render_dataset(data.setup, options);
    EXPECT_EQ(result.progress.frames_done, 5U);
    EXPECT_EQ(verify_dataset(options.run.out).fault_count, 0U);
    const UnitList units = dataset_units(data.setup, options);
    const fs::path run = data.folder / ("run" + std::to_string(block));
    const RunResult whole = run_scene(data.setup, run_of(options, units.at(0), run));
    UnitFiles expected = measured_files(run), found;
    expected.erase("laser/scans.csv");
    for (std::uint64_t i = 0; i < units.size(); ++i) {
      for (auto& [name, bytes] : measured_files(options.run.out / Unit{i}.folder())) {
        EXPECT_EQ(found.contains(name), name == "laser/scans.csv" && i > 0) << name;
        found[name] = bytes;
      }
      const json summary = summary_of(options.run.out / Unit{i}.folder());
      EXPECT_EQ(summary["frames"], units.at(i).frames);
      EXPECT_EQ(summary.value("first_frame", 0U), units.at(i).first_frame);
    }
    found.erase("laser/scans.csv");
    EXPECT_TRUE(found == expected) << block;
    for (std::size_t i = 0; i < whole.sensors.size(); ++i) {
      EXPECT_EQ(result.sensors[i].rays, whole.sensors[i].rays) << block;
      EXPECT_EQ(result.sensors[i].reasons, whole.sensors[i].reasons) << block;
    }
  }
}

TEST(UnitsOfRuns, HaveALogOfASensorWithoutAFrame) {
  DatasetFolder data;
  std::string scene = kDatasetScene;
  const std::size_t at = scene.find("    outputs:");
  scene.replace(at, scene.find("scene:\n") - at, "    timing: {rate_hz: 3, phase_s: 0.15}\n    outputs: [scan_log]\n");
  data.setup = data.read(scene);
  DatasetOptions options = data.options("out");
  options.block = 1;
  render_dataset(data.setup, options);
  for (std::uint64_t i = 0; i < dataset_units(data.setup, options).size(); ++i) {
    EXPECT_TRUE(fs::exists(options.run.out / Unit{i}.folder() / "laser/scans.csv")) << i;
  }
  EXPECT_EQ(verify_dataset(options.run.out).fault_count, 0U);
}

TEST(UnitsOfRuns, AreRead) {
  DatasetFolder data;
  data.setup = data.read(many_rates());
  DatasetOptions options = data.options("out");
  render_dataset(data.setup, options);
  const fs::path unit = options.run.out / Unit{1}.folder();  // frames 2 and 3
  const auto pairs = read_range_pairs(unit, "laser");
  EXPECT_EQ(pairs.scan.front(), 2U);
  EXPECT_EQ(pairs.scan.back(), 3U);
}

TEST(UnitsOfRuns, AreEstimatedWhereASensorBeginsLate) {
  DatasetFolder data;
  data.setup = data.read(many_rates());
  const DatasetEstimate estimate = estimate_dataset(data.setup, data.options("never"));
  EXPECT_EQ(estimate.units, 18U);
  EXPECT_EQ(estimate.frames, 30U);
  EXPECT_GT(estimate.files, 18U * 2);
}

TEST(UnitsOfRuns, AddUp) {
  const DatasetFolder data;
  DatasetOptions options = data.options("out");
  options.run.compute.threads = 2;
  options.run.digest = true;
  options.block = 0;
  std::vector<std::uint32_t> steps;
  options.run.on_progress = [&](const RunOptions::Progress& progress) {
    EXPECT_EQ(progress.frames_total, 30U);
    steps.push_back(progress.frames_done);
  };
  const DatasetResult all = render_dataset(data.setup, options);
  options.run.on_progress = {};
  ASSERT_EQ(steps.size(), 30U);
  for (std::uint32_t i = 0; i < 30; ++i) EXPECT_EQ(steps[i], i + 1);
  EXPECT_EQ(all.files, files_in(options.run.out).size() - 1 - 6) << "without dataset.json and each unit.json";
  EXPECT_TRUE(all.warnings.empty());
  RunResult::Sensor sum;
  FrameDigest digest;
  const UnitList units = dataset_units(data.setup, options);
  for (std::uint64_t i = 0; i < units.size(); ++i) {
    const RunResult run =
        run_scene(data.setup, run_of(options, units.at(i), data.folder / ("run" + std::to_string(i))));
    sum.rays += run.sensors[0].rays;
    for (std::size_t r = 0; r < sum.reasons.size(); ++r) sum.reasons[r] += run.sensors[0].reasons[r];
    digest.add(run.sensors[0].digest);
    EXPECT_FALSE(summary_of(options.run.out / Unit{i}.folder())["sensors"][0].contains("digest"));
  }
  ASSERT_EQ(all.sensors.size(), 1U);
  EXPECT_EQ(all.sensors[0].name, "laser");
  EXPECT_EQ(all.sensors[0].rays, sum.rays);
  EXPECT_EQ(all.sensors[0].reasons, sum.reasons);
  EXPECT_EQ(all.sensors[0].digest, digest.text());
  EXPECT_EQ(all.progress.rays_done, sum.rays);
}

TEST(UnitsOfRuns, WarnOfTheFirstUnits) {
  // The laser is inside the body that carries it, and sees only that.
  DatasetFolder data;
  data.setup = data.read(R"(frames: 2
sensors:
  - {name: laser, type: laser_2d, rays: 8, min_azimuth_deg: -90, max_azimuth_deg: 90, min_range_m: 1, max_range_m: 20,
     parent: body, see_parent: true, outputs: [pcd]}
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}, body: {box: {size_m: [0.4, 0.3, 0.2]}}}
  entities:
    - {name: room, mesh: room, position_m: [0, 0, 1.5]}
    - {name: body, mesh: body, position_m: [0, 0, 1]}
)");
  data.setup.notes = {"here/scene.yaml:1:1: a note"};
  DatasetOptions options = data.options("out");
  options.run.compute.threads = 3;
  options.environments = {7, 20}, options.block = 0;
  const DatasetResult result = render_dataset(data.setup, options);
  ASSERT_EQ(result.warnings.size(), 1 + kMostUnitWarnings + 1);
  EXPECT_EQ(result.warnings[0], data.setup.notes[0]);
  EXPECT_EQ(result.warnings[4].find("environment 8, episode 1: all "), 0U) << result.warnings[4];
  EXPECT_EQ(result.warnings.back(), "and 16 more of the units");
  const json last = summary_of(options.run.out / Unit{25}.folder());
  ASSERT_EQ(last["warnings"].size(), 1U) << "another spelling of the scene's path changes no byte";
  EXPECT_EQ(result.warnings[4], "environment 8, episode 1: " + last["warnings"][0].get<std::string>());
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).warnings, data.setup.notes);
}

TEST(UnitsOfRuns, RefuseBagsAndDigestsOfParts) {
  const DatasetFolder data;
  DatasetOptions options = data.options("out");
  options.run.bag = data.folder / "a.mcap";
  EXPECT_EQ(input_error([&] { render_dataset(data.setup, options); }), "a bag is of one run, not of a dataset");
  options.run.bag.clear();
  options.run.digest = true;
  options.shard = {0, 2};
  const std::string refusal = "a digest needs all units of a dataset: no --resume and no --shard";
  EXPECT_EQ(input_error([&] { render_dataset(data.setup, options); }), refusal);
  options.shard = {}, options.resume = true;
  EXPECT_EQ(input_error([&] { render_dataset(data.setup, options); }), refusal);
  EXPECT_FALSE(fs::exists(options.run.out));
}

}  // namespace
}  // namespace fathom::test
