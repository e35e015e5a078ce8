// SPDX-License-Identifier: MIT
// The law of datasets: the files do not depend on the processes that render them, nor on interruptions.

#include <sys/wait.h>

#include "run/dataset/dataset_fixture.hpp"
#include "run/dataset/digest.hpp"

namespace fathom::test {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

fs::path units_folder(const DatasetOptions& options) {
  return options.run.out / (options.files.format == DatasetFormat::kFolders ? "units" : "packs");
}

Files units_of(const DatasetOptions& options) { return files_in(units_folder(options)); }

/// The dataset as one process of one thread makes it.
Files by_one_process(const DatasetFolder& data, const DatasetFiles& files = {}) {
  DatasetOptions options = data.options("one" + std::to_string(static_cast<int>(files.format)));
  options.files = files;
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 18U);
  return units_of(options);
}

/// Renders a shard and stops after this many frames.
void render_some(const DatasetFolder& data, DatasetOptions options, int frames) {
  std::atomic<int> left = frames;
  options.run.on_progress = [&](const RunOptions::Progress&) { --left; };
  options.run.should_stop = [&] { return left <= 0; };
  try {
    render_dataset(data.setup, options);
  } catch (const Interrupted&) {  // most calls are interrupted
  }
}

/// A file of the pack, or the pack itself if it is a file.
fs::path one_file_of(const fs::path& pack) {
  if (!fs::is_directory(pack)) return pack;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(pack)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files.empty() ? pack / "none" : files[*rc::gen::inRange<std::size_t>(0, files.size())];
}

void cut(const fs::path& file) {
  if (fs::is_regular_file(file)) fs::resize_file(file, *rc::gen::inRange<std::uintmax_t>(0, fs::file_size(file)));
}

fs::path description_of(const fs::path& pack) {
  return fs::is_directory(pack) ? pack / "unit.json" : fs::path(pack).replace_extension(".json");
}

void change_a_byte(const fs::path& file) {
  if (!fs::is_regular_file(file) || fs::file_size(file) == 0) return;
  std::string text = bytes_of(file);
  text[*rc::gen::inRange<std::size_t>(0, text.size())] ^= 1;
  write_bytes(file, text);
}

/// Possible remains of a killed process, a failed node, or a loss of power.
void damage(const fs::path& out, const fs::path& units) {
  std::vector<fs::path> there;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(units / "000/000", error)) there.push_back(entry.path());
  if (there.empty()) return;
  std::ranges::sort(there);
  const auto index = *rc::gen::inRange<std::size_t>(0, there.size());
  const fs::path& folder = there[index];
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      fs::remove_all(folder);
      break;
    case 1:
      fs::create_directories(folder.parent_path() /
                             (".00000000" + std::to_string(index % 5) + ".there-1-0.part/laser"));
      break;
    case 3:
      cut(one_file_of(folder));
      break;
    case 4:
      fs::remove_all(folder);
      folder.extension().empty() ? write_bytes(folder, "a file") : void(fs::create_directory(folder));
      break;
    case 2:
      change_a_byte(description_of(folder));
      break;
    default:
      cut(out / "dataset.json");
  }
}

void expect_the_law(const DatasetFolder& data, const DatasetFiles& files, const Files& expected) {
  DatasetOptions options = data.options("split");
  options.files = files;
  fs::remove_all(options.run.out);
  options.resume = true;
  const UnitList units = dataset_units(data.setup, options);
  for (int round = *rc::gen::inRange(0, 4); round > 0; --round) {
    options.shard.count = *rc::gen::inRange<std::uint64_t>(1, 7);
    options.run.compute.threads = *rc::gen::inRange(1, 4);
    for (options.shard.index = 0; options.shard.index < options.shard.count; ++options.shard.index) {
      render_some(data, options, *rc::gen::inRange(0, 30));
    }
    if (fs::exists(options.run.out)) damage(options.run.out, units_folder(options));
  }
  options.shard.count = *rc::gen::inRange<std::uint64_t>(1, 30);
  std::uint64_t rendered = 0, skipped = 0;
  for (options.shard.index = 0; options.shard.index < options.shard.count; ++options.shard.index) {
    const DatasetResult result = render_dataset(data.setup, options);
    rendered += result.rendered;
    skipped += result.skipped;
  }
  RC_ASSERT(rendered + skipped == units.size());
  RC_ASSERT(files_in(options.run.out) == expected);
  RC_ASSERT(verify_dataset(options.run.out).fault_count == 0U);
}

/// All files of the dataset of one process.
Files dataset_of_one_process(const DatasetFolder& data, const DatasetFiles& files = {}) {
  by_one_process(data, files);
  return files_in(data.folder / ("one" + std::to_string(static_cast<int>(files.format))));
}

RC_GTEST_PROP(RenderDataset, IsTheSameHoweverItIsSplitAndStopped, ()) {
  static const DatasetFolder data;
  static const Files expected = dataset_of_one_process(data);
  expect_the_law(data, {}, expected);
}

RC_GTEST_PROP(RenderDataset, IsTheSameInTarFiles, ()) {
  static const DatasetFolder data;
  constexpr DatasetFiles kFiles = {.format = DatasetFormat::kWebDataset, .units_per_file = 4};
  static const Files expected = dataset_of_one_process(data, kFiles);
  expect_the_law(data, kFiles, expected);
}

RC_GTEST_PROP(RenderDataset, IsTheSameInHdf5, ()) {
  static const DatasetFolder data;
  constexpr DatasetFiles kFiles = {.format = DatasetFormat::kHdf5, .units_per_file = 4};
  static const Files expected = has_hdf5() ? dataset_of_one_process(data, kFiles) : Files();
  if (expected.empty()) return;
  expect_the_law(data, kFiles, expected);
}

/// Stopped at any frame, as a plain run of one thread or of many.
TEST(RenderDataset, APlainOneThatWasStoppedIsResumedByShards) {
  const DatasetFolder data;
  DatasetOptions plain = data.options("plain");
  plain.block = 0;
  plain.run.compute.threads = 2;
  render_dataset(data.setup, plain);
  const Files expected = files_in(plain.run.out);
  EXPECT_EQ(expected.size(), 1U + 6 * (5 * 2 + 2));
  for (const int frames : {0, 1, 5, 12, 29}) {
    for (const std::uint64_t shards : {1U, 3U, 7U}) {
      DatasetOptions options = plain;
      options.run.out = data.folder / ("stopped" + std::to_string(frames) + "_" + std::to_string(shards));
      options.run.compute.threads = 1 + frames % 2;
      render_some(data, options, frames);
      options.resume = true;
      options.shard.count = shards;
      for (options.shard.index = 0; options.shard.index < shards; ++options.shard.index) {
        render_dataset(data.setup, options);
      }
      EXPECT_TRUE(files_in(options.run.out) == expected) << frames << " frames, " << shards << " shards";
    }
  }
}

TEST(RenderDataset, SkipsWhatIsCompleteAndRedoesWhatIsAnother) {
  const DatasetFolder data;
  const Files first = by_one_process(data);
  DatasetOptions options = data.options("one0");
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).skipped, 18U);
  options.run.seed = 6;
  const DatasetResult redone = render_dataset(data.setup, options);
  EXPECT_EQ(redone.rendered, 18U);
  EXPECT_EQ(redone.skipped, 0U);
  EXPECT_EQ(render_dataset(data.setup, options).skipped, 18U);
  const Files second = units_of(options);
  EXPECT_EQ(second.size(), first.size());
  EXPECT_NE(second, first);
  options.run.seed.reset();
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 18U);
  EXPECT_EQ(units_of(options), first);
}

TEST(RenderDataset, KeepsTheUnitsOfFewerEnvironments) {
  const DatasetFolder data;
  by_one_process(data);
  DatasetOptions options = data.options("one0");
  options.resume = true;
  options.environments.end = 5;
  const DatasetResult grown = render_dataset(data.setup, options);
  EXPECT_EQ(grown.skipped, 18U);
  EXPECT_EQ(grown.rendered, 6U);
}

TEST(RenderDataset, DigestsFollowEverythingThatUnitsAreMadeOf) {
  const DatasetFolder data;
  const RunOptions options;
  const Unit unit{3, 1, 0, 2, 2};
  const std::string digest = unit_digest(data.setup, options, unit);
  EXPECT_EQ(unit_digest(data.setup, options, unit), digest);
  RunOptions other = options;
  other.seed = 6;
  EXPECT_NE(unit_digest(data.setup, other, unit), digest);
  other.seed = 5;  // of the scene
  EXPECT_EQ(unit_digest(data.setup, other, unit), digest);
  for (const Unit& changed :
       {Unit{4, 1, 0, 2, 2}, Unit{3, 2, 0, 2, 2}, Unit{3, 1, 1, 2, 2}, Unit{3, 1, 0, 3, 2}, Unit{3, 1, 0, 2, 1}}) {
    EXPECT_NE(unit_digest(data.setup, options, changed), digest);
  }
  const fs::path file = data.folder / "scene.yaml";
  EXPECT_NE(unit_digest(read_scene_file(file, {"seed=5"}), options, unit), digest);
  EXPECT_NE(unit_digest(data.read(kDatasetScene + "# more\n"), options, unit), digest);
}

TEST(RenderDataset, CountsTheFramesOfItsShardBefore) {
  const DatasetFolder data;
  for (const std::uint64_t per_file : {0, 1, 4}) {
    for (std::uint64_t count = 1; count < 6; ++count) {
      DatasetOptions options = data.options("counted");
      options.run.force = true;
      if (per_file > 0) options.files = {.format = DatasetFormat::kWebDataset, .units_per_file = per_file};
      std::uint64_t total = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        options.shard = {i, count};
        const RunOptions::Progress progress = render_dataset(data.setup, options).progress;
        EXPECT_EQ(progress.frames_total, progress.frames_done) << per_file << " " << i << "/" << count;
        total += progress.frames_total;
      }
      EXPECT_EQ(total, 30U);
      fs::remove_all(options.run.out);
    }
  }
}

TEST(RenderDataset, BuildsNothingWhereAllIsComplete) {
  const DatasetFolder data;
  by_one_process(data);
  DatasetOptions options = data.options("one0");
  options.run.device = Device{.kind = DeviceKind::kCuda, .number = Device::kMostNumber};  // missing in every computer
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).skipped, 18U);
  options.environments.end = 5;
  EXPECT_ANY_THROW(render_dataset(data.setup, options));
}

TEST(DatasetRenderer, FollowsFilesThatChange) {
  const DatasetFolder data;
  const Unit unit{3, 1, 0, 2, 2};
  const fs::path file = data.folder / "scene.yaml";
  for (const auto before : {std::chrono::seconds(0), std::chrono::seconds(3600)}) {
    write_bytes(file, kDatasetScene);
    fs::last_write_time(file, fs::file_time_type::clock::now() - before);
    DatasetRenderer renderer(std::make_shared<SceneSetup>(read_scene_file(file)));
    const std::string digest = renderer.unit_digest({}, unit);
    EXPECT_EQ(digest, unit_digest(data.setup, {}, unit));
    EXPECT_EQ(renderer.unit_digest({}, unit), digest);
    const auto time = fs::last_write_time(file);
    std::string other = kDatasetScene;  // of the same size
    other.replace(other.find("seed: 5"), 7, "seed: 6");
    write_bytes(file, other);
    fs::last_write_time(file, time);
    EXPECT_NE(renderer.unit_digest({}, unit), digest);
  }
}

TEST(DatasetRenderer, GivesTheSameInManyCalls) {
  const DatasetFolder data;
  const Files expected = by_one_process(data);
  DatasetRenderer renderer(std::make_shared<SceneSetup>(data.setup));
  DatasetOptions options = data.options("calls");
  options.resume = true;
  for (std::uint64_t i = 18; i-- > 0;) {
    options.units = {{i}};
    EXPECT_EQ(renderer.render(options).rendered, 1U);
  }
  EXPECT_EQ(units_of(options), expected);
}

TEST(RenderDataset, RendersListedUnitsAlone) {
  const DatasetFolder data;
  const Files all = by_one_process(data);
  DatasetOptions options = data.options("listed");
  options.units = {{17, 4}};
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 2U);
  const Files two = units_of(options);
  for (const auto& [name, bytes] : two) EXPECT_TRUE(bytes == all.at(name)) << name;
  EXPECT_EQ(two.size(), (2U + 2) + (4U + 2));  // the last block of an episode has one frame
  options.units = {{18}};
  EXPECT_TRUE(contains(input_error([&] { return render_dataset(data.setup, options); }), "unit 18"));
}

/// For example a process that was presumed dead.
TEST(RenderDataset, LeavesAloneWhatALivingProcessHasBegun) {
  const DatasetFolder data;
  DatasetOptions options = data.options("one");
  const fs::path folder = options.run.out / "units/000/000";
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  const auto begun = [&](pid_t process) {
    const fs::path made =
        folder / (".000000003." + std::string(host.data()) + "-" + std::to_string(process) + "-7.part");
    fs::create_directories(made);
    return made;
  };
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const fs::path living = begun(getppid()), dead = begun(child);
  options.resume = true;
  render_dataset(data.setup, options);
  EXPECT_TRUE(fs::exists(living));
  EXPECT_FALSE(fs::exists(dead));
}

TEST(RenderDataset, RefusesWhatItWouldOverwrite) {
  const DatasetFolder data;
  const Files files = by_one_process(data);
  DatasetOptions options = data.options("one0");
  EXPECT_TRUE(
      contains(input_error([&] { return render_dataset(data.setup, options); }), "000000000: is there already"));
  options.run.seed = 6;
  EXPECT_TRUE(contains(input_error([&] { return render_dataset(data.setup, options); }), "another dataset"));
  EXPECT_EQ(units_of(options), files);
  options.run.seed = 5;
  options.run.force = true;
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 18U);
  EXPECT_EQ(units_of(options), files);
  for (const DatasetFormat format : {DatasetFormat::kWebDataset, DatasetFormat::kHdf5}) {
    if (format == DatasetFormat::kHdf5 && !has_hdf5()) continue;
    options = data.options("one" + std::to_string(static_cast<int>(format)));
    options.files = {.format = format, .units_per_file = 4};
    by_one_process(data, options.files);
    EXPECT_TRUE(contains(input_error([&] { return render_dataset(data.setup, options); }), "is there already"));
    options.files = {};
    options.resume = true;
    EXPECT_TRUE(contains(input_error([&] { return render_dataset(data.setup, options); }),
                         "--format folders keeps nothing of it"));
  }
  options = data.options("other");
  fs::create_directories(options.run.out / "holiday");
  EXPECT_TRUE(contains(input_error([&] { return render_dataset(data.setup, options); }), "something else"));
  options.run.force = true;
  EXPECT_TRUE(contains(input_error([&] { return render_dataset(data.setup, options); }), "something else"));
  options.shard = {2, 2};
  EXPECT_TRUE(contains(input_error([&] { return render_dataset(data.setup, options); }), "shard 2/2"));
}

}  // namespace
}  // namespace fathom::test
