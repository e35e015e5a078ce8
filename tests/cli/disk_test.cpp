// SPDX-License-Identifier: MIT
// A disk that fills up: exit code 1, one line, whole files only.

#include <sys/mount.h>

#include "process.hpp"
#include "support/file_size_limit.hpp"

namespace cli_test {
namespace {

/// A file system of 1 MB while it lives.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    std::filesystem::create_directories(folder);
    mounted_ = mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount(folder_.c_str());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::string folder_;
  bool mounted_ = false;
};

using fathom::test::FileSizeLimit;

class Disk : public testing::Test {
 protected:
  Words simulate_into(const std::string& out, const std::string& frames) {
    return {"simulate", scene_, "--out", folder_ / out, "--frames", frames};
  }
  /// Only the last line counts: progress may have come before.
  static void expect_system_error(const Ended& ended) {
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    EXPECT_EQ(ended.out, "");
    const std::size_t message = ended.err.rfind("fathom: error: ");
    ASSERT_NE(message, std::string::npos) << ended.err;
    EXPECT_EQ(count_lines(ended.err.substr(message)), 1U) << ended.err;
  }
  /// The files of an unfinished run, without unfinished.txt.
  [[nodiscard]] std::vector<std::filesystem::path> files_of_unfinished(const std::string& out) {
    std::vector<std::filesystem::path> files = files_below(folder_ / out);
    EXPECT_EQ(std::erase(files, std::filesystem::path(folder_ / out) / "unfinished.txt"), 1U);
    return files;
  }
  void expect_whole_files(const std::string& out, const std::string& full) {
    for (const auto& file : files_of_unfinished(out)) {
      const auto twin = std::filesystem::path(folder_ / full) / file.lexically_relative(folder_ / out);
      ASSERT_TRUE(std::filesystem::exists(twin)) << file << " is not a file of a run";
      EXPECT_TRUE(bytes_of(file) == bytes_of(twin)) << file << " is not whole";
    }
  }

  TemporaryFolder folder_;
  std::string scene_ = write_text(folder_ / "room.yaml", room_scene("[{npy: {channels: [range]}}, pcd]"));
};

TEST_F(Disk, FullIsASystemErrorAndLeavesWholeFiles) {
  const SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "a small file system can only be mounted by root";
  succeed(simulate_into("full", "20"));
  const Ended ended = run_fathom(simulate_into("disk/out", "20"));
  expect_system_error(ended);
  EXPECT_TRUE(contains(ended.err, "disk/out"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "disk/out/summary.json"));
  EXPECT_GT(files_of_unfinished("disk/out").size(), 0U);
  expect_whole_files("disk/out", "full");
}

TEST_F(Disk, FileThatMayNotGrowIsASystemErrorAndLeavesWholeFiles) {
  succeed(simulate_into("full", "1"));
  const auto files = files_below(folder_ / "full/lidar");
  ASSERT_EQ(files.size(), 2U);
  const auto [small, large] = std::minmax({std::filesystem::file_size(files[0]), std::filesystem::file_size(files[1])});
  ASSERT_LT(small, large);
  const FileSizeLimit limit((small + large) / 2);
  expect_system_error(run_fathom(simulate_into("out", "1")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/summary.json"));
  EXPECT_LE(files_of_unfinished("out").size(), 1U);
  expect_whole_files("out", "full");
}

TEST_F(Disk, FullUnderABagIsASystemErrorAndLeavesNone) {
  const SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "a small file system can only be mounted by root";
  const Ended ended = run_fathom(simulate_into("out", "40") + Words{"--bag", folder_ / "disk/run.mcap"});
  expect_system_error(ended);
  EXPECT_TRUE(contains(ended.err, "run.mcap: cannot write"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "disk"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/summary.json"));
}

TEST_F(Disk, BagThatMayNotGrowIsASystemErrorAndLeavesNone) {
  succeed(simulate_into("full", "1"));
  std::uintmax_t largest = 0;
  for (const auto& file : files_below(folder_ / "full/lidar")) largest = std::max(largest, file_size(file));
  const FileSizeLimit limit(largest + 1000);  // the bag grows with every frame
  const Ended ended = run_fathom(simulate_into("out", "40") + Words{"--bag", folder_ / "run.mcap"});
  expect_system_error(ended);
  EXPECT_TRUE(contains(ended.err, "run.mcap: cannot write"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run.mcap"));
}

TEST_F(Disk, FolderThatCannotBeMadeIsASystemError) {
  EXPECT_EQ(run_fathom({"simulate", scene_, "--out", "/proc/fathom/out"}).exit_code, 1);
}

}  // namespace
}  // namespace cli_test
