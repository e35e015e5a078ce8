// SPDX-License-Identifier: MIT
// Claims: several processes share one list of units, and none waits for a dead one.

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/dataset/dataset.hpp>
#include <fathom/dataset/manifest.hpp>

#include "dataset/claims.hpp"
#include "dataset/dataset_fixture.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::DatasetFolder;
using test::files_in;
using test::has_hdf5;
using test::input_error;
namespace fs = std::filesystem;

/// Makes a claim look as if nobody had renewed it for so long.
void age(const fs::path& claim, std::chrono::seconds by) {
  fs::last_write_time(claim, fs::file_time_type::clock::now() - by);
}

TEST(Claims, AreOfOneUntilReleasedOrStale) {
  const test::TemporaryFolder folder;
  Claims mine(folder.path(), 100.0), yours(folder.path(), 100.0);
  EXPECT_TRUE(mine.take(1234567));
  EXPECT_FALSE(yours.take(1234567));
  EXPECT_TRUE(yours.take(1234568));
  mine.release(1234567);
  EXPECT_TRUE(yours.take(1234567));
  const fs::path claim = folder.path() / std::string("claims/001/234/001234567");
  age(claim, std::chrono::seconds(50));
  EXPECT_FALSE(mine.take(1234567));
  age(claim, std::chrono::seconds(150));
  yours.renew(1234567);
  EXPECT_FALSE(mine.take(1234567));
  age(claim, std::chrono::seconds(150));
  EXPECT_TRUE(mine.take(1234567));
  EXPECT_FALSE(yours.take(1234567));
  age(claim, std::chrono::seconds(-50));  // somebody set the clock back
  EXPECT_FALSE(yours.take(1234567));
  age(claim, std::chrono::seconds(-150));
  EXPECT_TRUE(yours.take(1234567));
}

/// The folder of a dataset of which no unit is there.
void open_without_units(const DatasetFolder& data, DatasetOptions options) {
  options.claim = false;
  options.units = std::vector<std::uint64_t>{0};
  render_dataset(data.setup, options);
  fs::remove_all(options.run.out / "units");
}

/// Of several who take stale claims at once, nobody ends with none taken; the files are those of one process.
RC_GTEST_PROP(Claims, MakeTheDatasetOfOneProcess, ()) {
  static const DatasetFolder data;
  static const auto expected = [] {
    render_dataset(data.setup, data.options("one"));
    merge_dataset(data.folder / "one");
    return files_in(data.folder / "one");
  }();
  DatasetOptions options = data.options("claimed");
  options.claim = true;
  fs::remove_all(options.run.out);
  open_without_units(data, options);
  // What dead processes have left: claims, half of a unit.
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const auto unit = *rc::gen::inRange<std::uint64_t>(0, 18);
    const fs::path claim = options.run.out / "claims" / unit_folder(unit).lexically_relative("units");
    fs::create_directories(claim);
    age(claim, std::chrono::hours(1));
  }
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 5);
  std::vector<DatasetResult> results(count);
  std::vector<std::thread> processes;
  for (std::uint64_t i = 0; i < count; ++i) {
    processes.emplace_back([&, i] {
      DatasetOptions mine = options;
      mine.shard = {i, count};
      results[i] = render_dataset(data.setup, mine);
    });
  }
  for (std::thread& process : processes) process.join();
  std::uint64_t rendered = 0;
  for (const DatasetResult& result : results) {
    rendered += result.rendered;
    RC_ASSERT(result.rendered + result.skipped == 18U);
  }
  RC_ASSERT(rendered >= 18U);
  merge_dataset(options.run.out);
  RC_ASSERT(files_in(options.run.out) == expected);
  RC_ASSERT(!fs::exists(options.run.out / "claims"));
}

// A process sleeps in the middle of a file; another one finds its claim stale, completes the dataset and merges it,
// which removes what the first one had begun. When it wakes, all stays as it is.
TEST(Claims, AProcessThatWakesAfterMergingHarmsNothing) {
  for (const DatasetFormat format : {DatasetFormat::kWebDataset, DatasetFormat::kHdf5}) {
    if (format == DatasetFormat::kHdf5 && !has_hdf5()) continue;
    SCOPED_TRACE(to_string(format));
    const DatasetFolder data;
    DatasetOptions slow = data.options("out");
    slow.files = {.format = format, .units_per_file = 5};
    slow.claim = true;
    DatasetOptions quick = slow;
    quick.claim_stale_s = 1e-9;
    std::map<std::string, std::string> merged;
    slow.run.on_progress = [&](const Progress&) {
      if (!merged.empty()) return;
      render_dataset(data.setup, quick);
      merge_dataset(quick.run.out);
      merged = files_in(quick.run.out);
    };
    render_dataset(data.setup, slow);
    EXPECT_EQ(files_in(slow.run.out), merged);
    EXPECT_EQ(verify_dataset(slow.run.out).fault_count, 0U);
  }
}

TEST(Claims, LetOneProcessHelpTheOthers) {
  const DatasetFolder data;
  DatasetOptions options = data.options("alone");
  options.claim = true;
  options.shard = {2, 5};  // the others never start
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 18U);
  options.run.force = true;
  EXPECT_NE(input_error([&] { return render_dataset(data.setup, options); }).find("claims"), std::string::npos);
}

TEST(Claims, ReplaceUnitsOfOtherInputsAsResumeDoes) {
  const DatasetFolder data;
  DatasetOptions options = data.options("other");
  render_dataset(data.setup, options);
  options.claim = true;
  options.run.seed = 6;
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 18U);
}

TEST(Claims, WaitForLivingOnesUntilStopped) {
  const DatasetFolder data;
  DatasetOptions options = data.options("waiting");
  options.claim = true;
  open_without_units(data, options);
  fs::create_directories(options.run.out / "claims/000/000/000000007");
  options.run.should_stop = [&] { return read_dataset_info(options.run.out).complete == 17; };
  EXPECT_THROW(render_dataset(data.setup, options), Interrupted);
  EXPECT_EQ(read_dataset_info(options.run.out).complete, 17U);
}

}  // namespace
}  // namespace fathom
