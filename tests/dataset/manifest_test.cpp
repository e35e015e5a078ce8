// SPDX-License-Identifier: MIT
// What datasets hold: merged, they are the same whoever rendered them; and no change of a byte remains unseen.

#include <fathom/dataset/manifest.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>

#include "dataset/dataset_fixture.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::bytes_of;
using test::DatasetFolder;
using test::files_in;
using test::input_error;
using test::write_bytes;
namespace fs = std::filesystem;

/// A merged dataset; its folder.
fs::path merged(const DatasetFolder& data, const std::string& out, std::uint64_t shards = 1) {
  DatasetOptions options = data.options(out);
  options.resume = true;
  options.shard.count = shards;
  for (std::uint64_t i = shards; i-- > 0;) {
    options.shard.index = i;
    render_dataset(data.setup, options);
  }
  EXPECT_EQ(merge_dataset(options.run.out).complete, 18U);
  return options.run.out;
}

bool has_fault(const fs::path& dataset, const std::string& text) {
  const auto faults = verify_dataset(dataset, {.threads = 1}).faults;
  return std::any_of(faults.begin(), faults.end(), [&](const auto& f) { return f.find(text) != std::string::npos; });
}

TEST(MergeDataset, GivesTheSameBytesForAnyShards) {
  const DatasetFolder data;
  const auto one = files_in(merged(data, "one"));
  EXPECT_EQ(files_in(merged(data, "five", 5)), one);
  EXPECT_EQ(one.size(), 18U + 3 * 2 * 5 * 2 + 3);  // unit.json; two files a frame; dataset, manifest and its part
}

TEST(MergeDataset, NeedsAllUnits) {
  const DatasetFolder data;
  DatasetOptions options = data.options("half");
  options.shard = {0, 2};
  render_dataset(data.setup, options);
  EXPECT_NE(input_error([&] { return merge_dataset(options.run.out); }).find("000000001: is missing"),
            std::string::npos);
  DatasetInfo info = read_dataset_info(options.run.out);
  EXPECT_EQ(info.complete, 9U);
  EXPECT_EQ(info.first_missing, 1U);
  EXPECT_FALSE(info.merged);
  options.shard.index = 1;
  options.run.seed = 9;
  options.resume = true;
  render_dataset(data.setup, options);
  EXPECT_NE(input_error([&] { return merge_dataset(options.run.out); }).find("000000000: is made of something else"),
            std::string::npos);
  info = read_dataset_info(options.run.out);
  EXPECT_EQ(info.complete, 9U);
  EXPECT_EQ(info.others, 9U);
  EXPECT_EQ(info.seed, 9U);
  EXPECT_NE(input_error([&] { return merge_dataset(data.folder.path()); }).find("dataset.json"), std::string::npos);
}

TEST(MergeDataset, RefusesUnitsThatAreNone) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  for (const char* stray :
       {"units/000/000/000000018", "units/000/000/17", "units/000/001", "units/001", "manifest/000/001.txt"}) {
    fs::create_directories(dataset / stray);
    EXPECT_NE(input_error([&] { return merge_dataset(dataset); }).find(stray), std::string::npos) << stray;
    EXPECT_TRUE(has_fault(dataset, stray)) << stray;
    fs::remove_all(dataset / stray);
  }
  EXPECT_EQ(verify_dataset(dataset).fault_count, 0U);
}

/// The dataset without its last environment: the units of that one are too many.
TEST(MergeDataset, MakesOneOfFewerUnits) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  DatasetOptions fewer = data.options("fewer");
  fewer.environments = {1, 3};
  render_dataset(data.setup, fewer);
  merge_dataset(fewer.run.out);
  const auto expected = files_in(fewer.run.out);
  fewer.run.out = dataset;
  fewer.resume = true;
  EXPECT_EQ(render_dataset(data.setup, fewer).skipped, 12U);
  const DatasetInfo info = read_dataset_info(dataset);
  EXPECT_FALSE(info.merged);
  EXPECT_EQ(info.strays, 6U);
  ASSERT_TRUE(info.first_stray);
  EXPECT_EQ(*info.first_stray, dataset / "units/000/000/000000012");
  EXPECT_NE(input_error([&] { return merge_dataset(dataset); }).find("verify --remove-faulty"), std::string::npos);
  EXPECT_EQ(verify_dataset(dataset, {.remove_faulty = true}).removed, 6U);
  merge_dataset(dataset);
  EXPECT_EQ(files_in(dataset), expected);
}

TEST(MergeDataset, StaysTheSameHoweverTheCommandIsSpelled) {
  const DatasetFolder data;
  DatasetOptions options = data.options("spelled");
  options.command = "fathom simulate scene.yaml";
  options.shard = {0, 2};
  render_dataset(data.setup, options);
  options.command = "fathom simulate ./scene.yaml";
  options.shard = {1, 2};
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 9U);
  merge_dataset(options.run.out);
  EXPECT_EQ(read_dataset_info(options.run.out).command, "fathom simulate scene.yaml");
  const auto files = files_in(options.run.out);
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).skipped, 9U);
  EXPECT_EQ(files_in(options.run.out), files);
  EXPECT_EQ(verify_dataset(options.run.out).fault_count, 0U);
}

TEST(MergeDataset, SurvivesTheLossOfItsDescription) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  const auto files = files_in(dataset);
  DatasetOptions options = data.options("one");
  for (const bool removed : {false, true}) {
    removed ? static_cast<void>(fs::remove(dataset / "dataset.json")) : write_bytes(dataset / "dataset.json", "");
    options.resume = false;
    EXPECT_NE(input_error([&] { return render_dataset(data.setup, options); }).find("is lost; --resume"),
              std::string::npos);
    options.resume = true;
    EXPECT_EQ(render_dataset(data.setup, options).skipped, 18U);
    merge_dataset(dataset);
    EXPECT_EQ(files_in(dataset), files);
  }
}

TEST(MergeDataset, RemovesWhatIsUnfinished) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  const auto files = files_in(dataset);
  const fs::path begun = dataset / "units/000/000/.000000003.there-1-0.part/laser";
  fs::create_directories(begun);
  EXPECT_EQ(read_dataset_info(dataset).unfinished, 1U);
  write_bytes(dataset / ".manifest.json.17.part", "half");
  write_bytes(dataset / "manifest/000/.000.txt.17-1.part", "half");
  merge_dataset(dataset);
  EXPECT_FALSE(fs::exists(begun.parent_path()));
  EXPECT_EQ(files_in(dataset), files);
}

TEST(MergeDataset, IsDoneWhereItsFilesSpeakOfTheDataset) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  EXPECT_TRUE(read_dataset_info(dataset).merged);
  const std::string manifest = bytes_of(dataset / "manifest.json"), about = bytes_of(dataset / "dataset.json");
  write_bytes(dataset / "manifest.json", "");
  EXPECT_FALSE(read_dataset_info(dataset).merged);
  write_bytes(dataset / "manifest.json", manifest);
  std::string other = about;
  other.replace(other.find("scene.yaml"), 5, "house");
  write_bytes(dataset / "dataset.json", other);
  EXPECT_FALSE(read_dataset_info(dataset).merged);
  if (!test::has_hdf5()) return;
  DatasetOptions options = data.options("packs");
  options.files = {.format = DatasetFormat::kHdf5, .units_per_file = 4};
  render_dataset(data.setup, options);
  merge_dataset(options.run.out);
  EXPECT_TRUE(read_dataset_info(options.run.out).merged);
  fs::remove(options.run.out / "dataset.h5");
  EXPECT_FALSE(read_dataset_info(options.run.out).merged);
}

TEST(MergeDataset, IsUndoneByRendering) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  DatasetOptions options = data.options("one");
  options.resume = true;
  render_dataset(data.setup, options);
  EXPECT_TRUE(read_dataset_info(dataset).merged);  // nothing was to be rendered
  options.environments.end = 5;
  render_dataset(data.setup, options);
  EXPECT_FALSE(read_dataset_info(dataset).merged);
}

/// Any byte of any file, and any change of it.
RC_GTEST_PROP(VerifyDataset, FindsAFlippedByte, ()) {
  static const DatasetFolder data;
  static const fs::path dataset = merged(data, "one");
  static const auto files = files_in(dataset);
  RC_ASSERT(verify_dataset(dataset, {.threads = 2}).fault_count == 0U);
  const auto& [name, bytes] = *std::next(files.begin(), *rc::gen::inRange<int>(0, static_cast<int>(files.size())));
  std::string changed = bytes;
  char& byte = changed[*rc::gen::inRange<std::size_t>(0, bytes.size())];
  byte = static_cast<char>(byte ^ *rc::gen::inRange(1, 256));
  write_bytes(dataset / name, changed);
  bool found = false;
  try {
    found = verify_dataset(dataset, {.threads = 1}).fault_count > 0;
  } catch (const InputError&) {  // dataset.json cannot be read any more
    found = name == "dataset.json";
  }
  write_bytes(dataset / name, bytes);
  RC_ASSERT(found);
}

TEST(VerifyDataset, NamesWhatIsWrong) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one"), unit = dataset / "units/000/000/000000004",
                 file = unit / "laser/range_000002.npy";
  const VerifyResult good = verify_dataset(dataset);
  EXPECT_EQ(good.units, 18U);
  EXPECT_EQ(good.files, 60U);
  const std::string bytes = bytes_of(file);
  ASSERT_TRUE(fs::exists(file)) << file;
  write_bytes(file, bytes + "x");
  EXPECT_TRUE(
      has_fault(dataset, "000000004/laser/range_000002.npy: has " + std::to_string(bytes.size() + 1) + " bytes"));
  fs::remove(file);
  EXPECT_TRUE(has_fault(dataset, "000000004/laser/range_000002.npy: is missing"));
  write_bytes(file, bytes);
  write_bytes(unit / "laser/more.txt", "");
  EXPECT_TRUE(has_fault(dataset, "000000004/laser/more.txt: is a file that the unit does not have"));
  fs::remove(unit / "laser/more.txt");
  EXPECT_EQ(verify_dataset(dataset).fault_count, 0U);
  fs::rename(unit, dataset / "away");
  EXPECT_TRUE(has_fault(dataset, "000000004: is missing"));
  // A unit of another seed, which is whole in itself.
  DatasetOptions other = data.options("other");
  other.run.seed = 9;
  render_dataset(data.setup, other);
  fs::copy(other.run.out / "units/000/000/000000004", unit, fs::copy_options::recursive);
  EXPECT_TRUE(has_fault(dataset, "000000004: is made of something else"));
  fs::remove(dataset / "manifest.json");
  EXPECT_NE(input_error([&] { return verify_dataset(dataset); }).find("merge"), std::string::npos);
}

TEST(VerifyDataset, FindsAndRemovesWhatIsTooMuch) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one"), unit = dataset / "units/000/000/000000004";
  const auto files = files_in(dataset);
  write_bytes(dataset / "extra.txt", "");
  fs::create_directories(dataset / "foo");
  fs::create_directories(dataset / "packs/000");
  EXPECT_TRUE(has_fault(dataset, "extra.txt: is none of the dataset"));
  EXPECT_TRUE(has_fault(dataset, "foo: is none of the dataset"));
  EXPECT_TRUE(has_fault(dataset, "packs: is none of the dataset"));
  fs::create_directories(unit / "empty");
  EXPECT_TRUE(has_fault(dataset, "000000004/empty: is a folder that the unit does not have"));
  fs::create_directory_symlink(unit / "laser", unit / "again");
  EXPECT_TRUE(has_fault(dataset, "000000004/again: is a file that the unit does not have"));
  const std::string found = dataset / "units/000/000/000000007/laser/range_000002.npy";
  std::string bytes = bytes_of(found);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_bytes(found, bytes);
  const VerifyResult result = verify_dataset(dataset, {.remove_faulty = true});
  EXPECT_EQ(result.fault_count, 6U);
  EXPECT_EQ(result.removed, 5U);  // both faults of unit 4 at once
  EXPECT_FALSE(fs::exists(dataset / "manifest.json"));
  EXPECT_EQ(read_dataset_info(dataset).complete, 16U);
  EXPECT_EQ(verify_dataset(dataset, {.remove_faulty = true}).fault_count, 0U);  // what is missing is none
  DatasetOptions options = data.options("one");
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 2U);
  merge_dataset(dataset);
  EXPECT_EQ(files_in(dataset), files);
}

/// A description with other numbers would make all files strays.
TEST(VerifyDataset, RemovesNothingByAWrongDescription) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one"), about = dataset / "dataset.json";
  const std::string right = bytes_of(about);
  const std::map<std::string, std::string> numbers = {{"\"frames\": 5", "\"frames\": 4294967301"},
                                                      {"\"seed\": 5", "\"seed\": -1"},
                                                      {"\"units_per_file\": 0", "\"units_per_file\": -1"},
                                                      {"\"compression\": 1", "\"compression\": 4294967296"},
                                                      {"\"block\": 2", "\"block\": 2.5"}};
  for (const auto& [number, other] : numbers) {
    std::string wrong = right;
    ASSERT_NE(wrong.find(number), std::string::npos) << number << right;
    wrong.replace(wrong.find(number), number.size(), other);
    write_bytes(about, wrong);
    EXPECT_NE(input_error([&] { read_dataset_info(dataset); }).find("not as this version of fathom writes it"),
              std::string::npos)
        << other;
  }
  write_bytes(about, right + " ");
  const auto files = files_in(dataset);
  EXPECT_NE(input_error([&] { verify_dataset(dataset, {.remove_faulty = true}); }).find("so nothing is removed"),
            std::string::npos);
  EXPECT_EQ(files_in(dataset), files);
}

TEST(VerifyDataset, NamesAUnitJsonThatNoMemoryHolds) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  fs::resize_file(dataset / "units/000/000/000000004/unit.json", std::uintmax_t{1} << 40U);
  EXPECT_TRUE(has_fault(dataset, "000000004: is no unit that can be read"));
}

TEST(VerifyDataset, CanBeStopped) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  EXPECT_THROW(verify_dataset(dataset, {.threads = 1, .should_stop = [] { return true; }}), Interrupted);
}

}  // namespace
}  // namespace fathom
