// SPDX-License-Identifier: MIT
// What datasets hold: merged, they are the same whoever rendered them; and no change of a byte remains unseen.

#include <fathom/dataset/manifest.hpp>

#include <algorithm>
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

TEST(MergeDataset, RemovesWhatIsUnfinished) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  const auto files = files_in(dataset);
  const fs::path begun = dataset / "units/000/000/.000000003.there-1-0.part/laser";
  fs::create_directories(begun);
  EXPECT_EQ(read_dataset_info(dataset).unfinished, 1U);
  merge_dataset(dataset);
  EXPECT_FALSE(fs::exists(begun.parent_path()));
  EXPECT_EQ(files_in(dataset), files);
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

TEST(VerifyDataset, CanBeStopped) {
  const DatasetFolder data;
  const fs::path dataset = merged(data, "one");
  EXPECT_THROW(verify_dataset(dataset, {.threads = 1, .should_stop = [] { return true; }}), Interrupted);
}

}  // namespace
}  // namespace fathom
