// SPDX-License-Identifier: MIT
// `fathom simulate --shard ... --resume`: processes that are killed, and started again in other numbers, make the files
// of one process.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "process.hpp"
#include "refusal.hpp"
#include "scenes.hpp"

namespace cli_test {
namespace {

namespace fs = std::filesystem;

class Dataset : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> arguments(const std::string& out, std::vector<std::string> more) const {
    std::vector<std::string> all = {"simulate", scene_,       "--out", folder_ / out, "--quiet", "--environments",
                                    "2:6",      "--episodes", "0:3",   "--frames",    "4",       "--block",
                                    "2"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// Name -> bytes of all that the dataset consists of but its manifest, whose lines stand in the order of completion.
  [[nodiscard]] std::map<std::string, std::string> files_of(const std::string& out) const {
    std::map<std::string, std::string> files;
    for (const fs::path& file : files_below(folder_ / out)) {
      const std::string name = file.lexically_relative(folder_ / out).string();
      if (!name.starts_with("manifest")) files[name] = bytes_of(file);
    }
    return files;
  }

  /// Units, whole and begun.
  [[nodiscard]] std::size_t count_entries(const std::string& out) const {
    std::error_code error;
    const fs::directory_iterator entries(fs::path(folder_ / out) / "units/000/000", error);
    return error ? 0 : static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }

  /// Starts shards side by side and kills each somewhere in its work, unless it ends before.
  void kill_shards(const std::string& out, int count, std::mt19937& random) const {
    std::vector<Process> shards;
    std::vector<std::unique_ptr<TemporaryFolder>> folders;
    for (int i = 0; i < count; ++i) {
      folders.push_back(std::make_unique<TemporaryFolder>());
      const std::string shard = std::to_string(i) + "/" + std::to_string(count);
      shards.emplace_back(arguments(out, {"--shard", shard, "--resume", "--threads", "1"}), folders.back()->path());
    }
    for (Process& shard : shards) {
      const std::size_t entries = std::uniform_int_distribution<std::size_t>(0, 20)(random);
      const auto later = std::chrono::microseconds(std::uniform_int_distribution(0, 3000)(random));
      shard.wait_until([&] { return count_entries(out) >= entries; });
      std::this_thread::sleep_for(later);
      shard.send(SIGKILL);
    }
    for (Process& shard : shards) shard.wait();
  }

  TemporaryFolder folder_;
  std::string scene_ =
      write_text(folder_ / "room.yaml", replaced(replaced(room_scene("[{npy: {channels: [range, reason]}}, pcd]"),
                                                          "stddev_m: 0.02", "stddev_m: {uniform: [0, 1]}"),
                                                 "preset: VLP-16", "preset: VLP-16\n    columns: 200"));
};

TEST_F(Dataset, IsTheSameAfterKillsAndWithOtherShards) {
  ASSERT_EQ(run_fathom(arguments("one", {"--shard", "0/1"})).exit_code, 0);
  const auto expected = files_of("one");
  EXPECT_EQ(expected.size(), 1U + 24 * (1 + 2 * 3));  // dataset.json, and units of two frames of three files
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    const std::string out = "killed" + std::to_string(round);
    for (int tries = 0; tries < 2; ++tries) kill_shards(out, 1 + (round + tries) % 4, random);
    const std::string count = std::to_string(1 + round % 3);
    RecordProperty("units after the kills of " + out, static_cast<int>(count_entries(out)));
    for (int i = 0; i < 1 + round % 3; ++i) {
      const Ended ended = run_fathom(arguments(out, {"--shard", std::to_string(i) + "/" + count, "--resume"}));
      ASSERT_EQ(ended.exit_code, 0) << ended.err;
    }
    EXPECT_TRUE(files_of(out) == expected) << "round " << round;
  }
}

TEST_F(Dataset, SaysWhatWasRenderedAndWhatWasThere) {
  auto half = arguments("out", {"--shard", "1/2"});
  std::erase(half, "--quiet");
  const Ended first = run_fathom(half);
  EXPECT_NE(first.out.find("12 of 24 units rendered, 24 frames, 72 files in "), std::string::npos) << first.out;
  auto rest = arguments("out", {"--resume"});
  std::erase(rest, "--quiet");
  const Ended second = run_fathom(rest);
  EXPECT_NE(second.out.find("12 of 24 units rendered, 12 complete before, "), std::string::npos) << second.out;
}

TEST_F(Dataset, InfoTellsTheCommandThatFinishesIt) {
  ASSERT_EQ(run_fathom(arguments("a set", {"--shard", "1/2"})).exit_code, 0);
  const std::string dataset = folder_ / "a set";
  expect_refused("merge", {"dataset", "merge", dataset}, {"000000000: is missing", "fathom dataset info"},
                 folder_ / "a set/manifest.json");
  const auto finish = [&] {
    const Ended info = run_fathom({"dataset", "info", dataset});
    EXPECT_EQ(info.exit_code, 0) << info.err;
    const std::string mark = "to finish it: fathom ";
    const std::size_t at = info.out.find(mark);
    return at == std::string::npos ? "" : info.out.substr(at + mark.size());
  };
  ASSERT_EQ(run_shell("$FATHOM " + finish(), folder_.path()), 0);
  EXPECT_EQ(finish(), "dataset merge '" + dataset + "'\n");
  ASSERT_EQ(run_shell("$FATHOM " + finish(), folder_.path()), 0);
  EXPECT_EQ(finish(), "");
  const Ended verified = run_fathom({"dataset", "verify", dataset});
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_NE(verified.out.find("24 units, 144 files, "), std::string::npos) << verified.out;
  const std::string cloud = dataset + "/units/000/000/000000005/lidar/cloud_000002.pcd";
  ASSERT_TRUE(fs::exists(cloud));
  std::string bytes = bytes_of(cloud);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_text(cloud, bytes);
  const Ended flipped = run_fathom({"dataset", "verify", dataset});
  EXPECT_EQ(flipped.exit_code, 2);
  EXPECT_EQ(flipped.out, "units/000/000/000000005/lidar/cloud_000002.pcd: has other bytes than were written\n");
  EXPECT_NE(flipped.err.find("1 fault"), std::string::npos) << flipped.err;
}

TEST_F(Dataset, InfoTellsHowToRemoveWhatIsTooMuch) {
  ASSERT_EQ(run_fathom(arguments("out", {"--shard", "0/1"})).exit_code, 0);
  const std::string dataset = folder_ / "out";
  write_text(dataset + "/extra.txt", "");
  const Ended info = run_fathom({"dataset", "info", dataset});
  EXPECT_NE(info.out.find("none of the dataset: 1, the first " + dataset + "/extra.txt"), std::string::npos)
      << info.out;
  const std::string finish = "to finish it: fathom dataset verify --remove-faulty " + dataset + "\n";
  EXPECT_NE(info.out.find(finish), std::string::npos) << info.out;
  const Ended removed = run_fathom({"dataset", "verify", "--remove-faulty", dataset});
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_EQ(removed.out.substr(0, removed.out.find(';')), "extra.txt: is none of the dataset\n1 removed");
  EXPECT_EQ(run_fathom({"dataset", "merge", dataset}).exit_code, 0);
  EXPECT_EQ(run_fathom({"dataset", "verify", dataset}).exit_code, 0);
}

TEST_F(Dataset, IsTheSameHoweverTheSceneIsNamed) {
  const std::string more = " --out out --quiet --environments 2:6 --frames 4 --shard ";
  ASSERT_EQ(run_shell("$FATHOM simulate room.yaml" + more + "0/3", folder_.path()), 0);
  EXPECT_EQ(run_shell("$FATHOM simulate ./room.yaml" + more + "1/3", folder_.path()), 0);
  EXPECT_EQ(run_shell("$FATHOM simulate " + scene_ + more + "2/3", folder_.path()), 0);
  EXPECT_EQ(run_shell("$FATHOM dataset merge out && $FATHOM dataset verify out", folder_.path()), 0);
}

/// The shard that the environment gives, by the units that are there afterwards.
class ShardAuto : public Dataset {
 protected:
  int simulate(const std::string& environment, const std::string& more = "") {
    fs::remove_all(fs::path(folder_ / "auto"));
    return run_shell("env " + environment + " $FATHOM simulate " + scene_ +
                         " --out auto --quiet --environments 0:12 --frames 1 --shard auto " + more + " 2> said",
                     folder_.path());
  }

  [[nodiscard]] std::string units() const {
    std::string text;
    for (const auto& entry : fs::directory_iterator(folder_ / "auto/units/000/000")) {
      const int unit = std::stoi(entry.path().filename().string());
      text += static_cast<char>('a' + unit);
    }
    std::sort(text.begin(), text.end());
    return text;
  }
};

TEST_F(ShardAuto, FollowsLaunchers) {
  const std::vector<std::pair<std::string, std::string>> launched = {
      {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4", "bfj"},
      {"PMI_RANK=3 PMI_SIZE=4", "dhl"},
      // mpirun in a script of `sbatch -n 4`, and in a task of srun's.
      {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 SLURM_PROCID=0 SLURM_NTASKS=4", "bdfhjl"},
      {"PMI_RANK=1 PMI_SIZE=2 SLURM_PROCID=3 SLURM_NTASKS=4", "bdfhjl"},
      {"SLURM_PROCID=0 SLURM_NTASKS=3 SLURM_STEP_ID=0", "adgj"},
      {"SLURM_PROCID=0 SLURM_NTASKS=3", "abcdefghijkl"},  // a batch script
      {"SLURM_PROCID=0 SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4",
       "cgk"},
      {"SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=3", "fl"},
      {"SLURM_PROCID=2 SLURM_NTASKS=4 PMI_RANK=2 PMI_SIZE=4", "cgk"},
      {"SLURM_PROCID=1 SLURM_NTASKS=2 PMI_RANK=1 PMI_SIZE=2 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=0 "
       "SLURM_ARRAY_TASK_COUNT=3",
       "fl"},
      {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=0 "
       "SLURM_ARRAY_TASK_COUNT=3",
       "fl"},
      {"JOB_COMPLETION_INDEX=5 FATHOM_SHARDS=6", "fl"}};
  for (const auto& [environment, expected] : launched) {
    ASSERT_EQ(simulate(environment), 0) << environment << bytes_of(folder_ / "said");
    EXPECT_EQ(units(), expected) << environment;
  }
  ASSERT_EQ(simulate("JOB_COMPLETION_INDEX=1", "--shards 4"), 0);
  EXPECT_EQ(units(), "bfj");
  ASSERT_EQ(simulate("PMI_RANK=1 PMI_SIZE=4", "--shards 4"), 0);
  EXPECT_EQ(units(), "bfj");
  EXPECT_EQ(simulate("PMI_RANK=1 PMI_SIZE=4", "--shards 5"), 2);
  EXPECT_NE(bytes_of(folder_ / "said").find("--shards = 5 and PMI_RANK 1 of PMI_SIZE 4 disagree"), std::string::npos);
}

TEST_F(ShardAuto, RefusesWhatDoesNotSayIt) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"A=1", "no launcher"},
      {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMI_RANK=0 PMI_SIZE=1",
       "OMPI_COMM_WORLD_RANK 1 of OMPI_COMM_WORLD_SIZE 4 and PMI_RANK 0 of PMI_SIZE 1 disagree"},
      {"OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK=1 PMI_SIZE=4 SLURM_PROCID=2 SLURM_NTASKS=4 SLURM_STEP_ID=0",
       "PMI_RANK 1 of PMI_SIZE 4 and SLURM_PROCID 2 of SLURM_NTASKS 4 disagree"},
      {"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 SLURM_PROCID=2 SLURM_NTASKS=4 SLURM_STEP_ID=0",
       "OMPI_COMM_WORLD_RANK 0 of OMPI_COMM_WORLD_SIZE 1 and SLURM_PROCID 2 of SLURM_NTASKS 4 disagree"},
      {"PMI_RANK=4 PMI_SIZE=4", "not below 4"},
      {"PMI_RANK=-1 PMI_SIZE=4", "PMI_RANK = '-1'"},
      {"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0", "_COUNT"},
      {"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3", "not below 3"},
      {"SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=2", "no step"},
      {"JOB_COMPLETION_INDEX=1", "--shards N"}};
  for (const auto& [environment, expected] : wrong) {
    EXPECT_EQ(simulate(environment), 2) << environment;
    const std::string said = bytes_of(folder_ / "said");
    EXPECT_EQ(count_lines(said), 1U) << said;
    EXPECT_NE(said.find(expected), std::string::npos) << said;
    EXPECT_FALSE(fs::exists(fs::path(folder_ / "auto")));
  }
}

TEST_F(Dataset, RefusesBadOptions) {
  const auto refused = [&](std::vector<std::string> more, std::vector<std::string> expected) {
    std::vector<std::string> all = {"simulate", scene_, "--out", folder_ / "out"};
    all.insert(all.end(), more.begin(), more.end());
    expect_refused(more.back(), all, expected, folder_ / "out");
  };
  refused({"--shard", "4/4"}, {"shard '4/4'", "i/n"});
  refused({"--shard", ""}, {"shard ''", "i/n"});
  refused({"--shard", "0/2", "--shards", "2"}, {"--shards is of --shard auto"});
  refused({"--resume", "--claim-seconds", "5"}, {"--claim-seconds is of --claim"});
  refused({"--block", "0"}, {"--block"});
  refused({"--shards", "0"}, {"--shards"});
  refused({"--resume", "--digest"}, {"--digest"});
  refused({"--resume", "--bag", folder_ / "a.mcap"}, {"--bag"});
  refused({"--resume", "--environments", "5:5"}, {"--environments"});
}

}  // namespace
}  // namespace cli_test
