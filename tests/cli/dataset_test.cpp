// SPDX-License-Identifier: MIT
// `fathom simulate --shard ... --resume`: processes that are killed, and started again in other numbers, make the files
// of one process.

#include <csignal>

#include "process.hpp"

namespace cli_test {
namespace {

namespace fs = std::filesystem;

class Dataset : public testing::Test {
 protected:
  [[nodiscard]] Words arguments(const std::string& out, Words more) const {
    const Words all =
        Words{"simulate", scene_,     "--out", folder_ / out, "--quiet", "--environments", "2:6", "--episodes",
              "0:3",      "--frames", "4",     "--block",     "2"} +
        more;
    return all;
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
  succeed(arguments("one", {"--shard", "0/1"}));
  const auto expected = contents_of(folder_ / "one");
  EXPECT_EQ(expected.size(), 1U + 24 * (2 + 2 * 3));  // dataset.json, and units of two frames of three files
  std::mt19937 random(7);
  for (int round = 0; round < 4; ++round) {
    const std::string out = "killed" + std::to_string(round);
    for (int tries = 0; tries < 2; ++tries) kill_shards(out, 1 + (round + tries) % 4, random);
    const std::string count = std::to_string(1 + round % 3);
    RecordProperty("units after the kills of " + out, static_cast<int>(count_entries(out)));
    for (int i = 0; i < 1 + round % 3; ++i) {
      succeed(arguments(out, {"--shard", std::to_string(i) + "/" + count, "--resume"}));
    }
    EXPECT_TRUE(contents_of(folder_ / out) == expected) << "round " << round;
  }
}

TEST_F(Dataset, SaysWhatWasRenderedAndWhatWasThere) {
  auto half = arguments("out", {"--shard", "1/2"});
  std::erase(half, "--quiet");
  const Ended first = run_fathom(half);
  EXPECT_TRUE(contains(first.out, "12 of 24 units rendered, 24 frames, 84 files in "));
  auto rest = arguments("out", {"--resume"});
  std::erase(rest, "--quiet");
  const Ended second = run_fathom(rest);
  EXPECT_TRUE(contains(second.out, "12 of 24 units rendered, 12 complete before, "));
}

TEST_F(Dataset, InfoTellsTheCommandThatFinishesIt) {
  succeed(arguments("a set", {"--shard", "1/2"}));
  const std::string dataset = folder_ / "a set";
  const Ended missing = run_fathom({"dataset", "verify", dataset});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.err, "fathom: error: " + dataset + ": 12 faults\n");
  EXPECT_EQ(missing.out.substr(0, missing.out.find('\n')), "units/000/000/000000000: is missing");
  const auto finish = [&] {
    const Ended info = succeed({"dataset", "info", dataset});
    const std::string mark = "to finish it: fathom ";
    const std::size_t at = info.out.find(mark);
    return at == std::string::npos ? "" : info.out.substr(at + mark.size());
  };
  ASSERT_EQ(run_shell("$FATHOM " + finish(), folder_.path()), 0);
  EXPECT_EQ(finish(), "");
  const Ended verified = succeed({"dataset", "verify", dataset});
  EXPECT_TRUE(contains(verified.out, "24 units, 168 files, "));
  const std::string cloud = dataset + "/units/000/000/000000005/lidar/cloud_000002.pcd";
  ASSERT_TRUE(fs::exists(cloud));
  std::string bytes = bytes_of(cloud);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_text(cloud, bytes);
  const Ended flipped = run_fathom({"dataset", "verify", dataset});
  EXPECT_EQ(flipped.exit_code, 2);
  EXPECT_EQ(flipped.out, "units/000/000/000000005/lidar/cloud_000002.pcd: has other bytes than were written\n");
  EXPECT_TRUE(contains(flipped.err, "1 fault"));
}

TEST_F(Dataset, VerifyLeavesAloneWhatIsNotPartOfIt) {
  succeed(arguments("out", {"--shard", "0/1"}));
  const std::string dataset = folder_ / "out";
  write_text(dataset + "/extra.txt", "");
  fs::create_directories(fs::path(folder_ / "victim/photos"));
  write_text(folder_ / "victim/photos/a.jpg", "precious");
  fs::remove_all(dataset + "/units/000/000/000000003");
  fs::create_directory_symlink(folder_ / "victim", dataset + "/units/000/000/000000003");
  const Ended info = run_fathom({"dataset", "info", dataset});
  EXPECT_TRUE(contains(info.out, "not part of the dataset: 2 (the first: " + dataset + "/extra.txt)"));
  fs::resize_file(dataset + "/units/000/000/000000005/unit.json", 3);
  const Ended removed = run_fathom({"dataset", "verify", "--remove-faulty", dataset});
  EXPECT_EQ(removed.exit_code, 2);
  EXPECT_EQ(removed.out.substr(0, removed.out.rfind(';')),
            "units/000/000/000000005/unit.json: is not as it was written\n"
            "extra.txt: is not part of the dataset\n"
            "units/000/000/000000003: is a link; a dataset has no links\n1 removed");
  EXPECT_EQ(removed.err, "fathom: error: " + dataset + ": 2 faults left alone\n");
  EXPECT_EQ(bytes_of(folder_ / "victim/photos/a.jpg"), "precious");
  expect_refused("resume", arguments("out", {"--resume"}), {"000000003: is a link"}, folder_ / "none");
  fs::remove(dataset + "/extra.txt");
  fs::remove(dataset + "/units/000/000/000000003");
  succeed(arguments("out", {"--resume"}));
  succeed({"dataset", "verify", dataset});
}

TEST_F(Dataset, IsTheSameHoweverTheSceneIsNamed) {
  const std::string more = " --out out --quiet --environments 2:6 --frames 4 --shard ";
  ASSERT_EQ(run_shell("$FATHOM simulate room.yaml" + more + "0/3", folder_.path()), 0);
  EXPECT_EQ(run_shell("$FATHOM simulate ./room.yaml" + more + "1/3", folder_.path()), 0);
  EXPECT_EQ(run_shell("$FATHOM simulate " + scene_ + more + "2/3", folder_.path()), 0);
  EXPECT_EQ(run_shell("$FATHOM dataset verify out", folder_.path()), 0);
}

/// The scripts for schedulers, without a scheduler: which units a process renders follows from its variables.
class ShareScripts : public Dataset {
 protected:
  std::string units(const std::string& environment, const std::string& command) {
    fs::remove_all(fs::path(folder_ / "out"));
    EXPECT_EQ(run_shell("env " + environment + " " + command + " 2> said", folder_.path()), 0)
        << environment << bytes_of(folder_ / "said");
    std::string text;
    for (const auto& entry : fs::directory_iterator(folder_ / "out/units/000/000")) {
      text += static_cast<char>('a' + std::stoi(entry.path().filename().string()));
    }
    std::sort(text.begin(), text.end());
    return text;
  }

  const std::string share_ = std::string(FATHOM_SOURCE_DIR) + "/share/";
  const std::string more_ = " " + scene_ + " out --environments 0:12 --frames 1";
};

TEST_F(ShareScripts, GiveTheMembersOfAnArrayTheirShards) {
  const std::string array = "FATHOM=$FATHOM bash " + share_ + "slurm/array.sbatch" + more_;
  EXPECT_EQ(units("SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=4", array), "bfj");
  EXPECT_EQ(
      units("SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4", array),
      "cgk");
  EXPECT_EQ(run_shell("SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=3 " + array + " 2> said",
                      folder_.path()),
            2);
  EXPECT_TRUE(contains(bytes_of(folder_ / "said"), "shard '5/3'"));
}

TEST_F(ShareScripts, GiveTheTasksOfAJobTheirShards) {
  write_text(folder_ / "srun", "#!/bin/sh\nfor SLURM_PROCID in 0 2; do export SLURM_PROCID; \"$@\" || exit; done\n");
  fs::permissions(folder_ / "srun", fs::perms::owner_all);
  EXPECT_EQ(units("PATH=.:$PATH SLURM_NTASKS=3", "FATHOM=$FATHOM bash " + share_ + "slurm/tasks.sbatch" + more_),
            "acdfgijl");
}

/// The command of the container, with its image's program and the folders of the test.
TEST_F(ShareScripts, GiveTheCompletionsOfAnIndexedJobTheirShards) {
  const std::string job = bytes_of(share_ + "kubernetes/dataset-job.yaml");
  const std::size_t begin = job.find("exec fathom"), end = job.find("\n          env:");
  ASSERT_LT(begin, end);
  std::string command = job.substr(begin, end - begin);  // folded: line breaks are blanks
  std::ranges::replace(command, '\n', ' ');
  for (const auto& [text, by] : std::vector<std::pair<std::string, std::string>>{{"exec fathom", "exec $FATHOM"},
                                                                                 {"/data/scene.yaml", scene_},
                                                                                 {"/data/dataset", "out"},
                                                                                 {"0:1000", "0:24"},
                                                                                 {"--frames 100", "--frames 1"}}) {
    command = replaced(command, text, by);
  }
  write_text(folder_ / "command", command);
  EXPECT_EQ(units("JOB_COMPLETION_INDEX=5 FATHOM_SHARDS=16 FATHOM=$FATHOM", "sh command"), "fv");
}

TEST_F(Dataset, RefusesBadOptions) {
  const auto refused = [&](Words more, Words expected) {
    expect_refused(more.back(), Words{"simulate", scene_, "--out", folder_ / "out"} + more, expected, folder_ / "out");
  };
  refused({"--shard", "4/4"}, {"shard '4/4'", "i/n"});
  refused({"--shard", ""}, {"shard ''", "i/n"});
  refused({"--block", "0"}, {"--block"});
  refused({"--shard", "auto"}, {"shard 'auto'", "i/n"});
  refused({"--resume", "--digest"}, {"--digest"});
  refused({"--resume", "--bag", folder_ / "a.mcap"}, {"--bag"});
  refused({"--resume", "--environments", "5:5"}, {"--environments"});
}

}  // namespace
}  // namespace cli_test
