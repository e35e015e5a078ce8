// SPDX-License-Identifier: MIT
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/text/files.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

class WholeFileTest : public ::testing::TestWithParam<Unfinished> {
 protected:
  TemporaryFolder folder_;
};

TEST_P(WholeFileTest, ShowsNothingUnderItsNameBeforeCommitAndAllAfter) {
  WholeFile out(folder_ / "a.bin", GetParam());
  out.write("hello ");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.bin"));
  out.write("world");
  out.commit();
  EXPECT_EQ(bytes_of(folder_ / "a.bin"), "hello world");
  EXPECT_EQ(folder_.count(), 1);
}

TEST_P(WholeFileTest, LeavesNothingWithoutCommit) {
  { WholeFile(folder_ / "a.bin", GetParam()).write("half"); }
  EXPECT_EQ(folder_.count(), 0);
}

TEST_P(WholeFileTest, KeepsTheOldFileUntilCommitAndThenReplacesIt) {
  folder_.write("a.bin", "old");
  { WholeFile(folder_ / "a.bin", GetParam()).write("half"); }
  EXPECT_EQ(bytes_of(folder_ / "a.bin"), "old");
  WholeFile out(folder_ / "a.bin", GetParam());
  out.write("new");
  EXPECT_EQ(bytes_of(folder_ / "a.bin"), "old");
  out.commit();
  EXPECT_EQ(bytes_of(folder_ / "a.bin"), "new");
  EXPECT_EQ(folder_.count(), 1);
}

TEST_P(WholeFileTest, HasThePermissionsOfAnOrdinaryFile) {
  WholeFile out(folder_ / "a.bin", GetParam());
  out.commit();
  const auto reference = folder_.write("b.bin", "");
  EXPECT_EQ(std::filesystem::status(folder_ / "a.bin").permissions(), std::filesystem::status(reference).permissions());
}

TEST_P(WholeFileTest, NamesTheFileAndTheReason) {
  const auto open = [&](const char* name) {
    return message_of<SystemError>([&] { WholeFile(folder_ / name, GetParam()).commit(); });
  };
  EXPECT_TRUE(contains(open("no_folder/a.bin"), "no_folder/a.bin: cannot create: No such file or directory"));
  std::filesystem::create_directory(folder_ / "taken");
  EXPECT_TRUE(contains(open("taken"), "taken: cannot replace: Is a directory"));
  EXPECT_EQ(folder_.count(), 1);
}

/// Runs f in a child process and returns how it ended.
template <class F>
int status_of_child(F f) {
  const pid_t child = fork();
  if (child == 0) {
    f();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_P(WholeFileTest, SaysWhenTheDiskIsFullAndLeavesTheOldFile) {
  folder_.write("a.bin", "old");
  const int status = status_of_child([&] {
    // A limit on the size of files stands for a full disk: write() is refused in the middle.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      WholeFile out(folder_ / "a.bin", GetParam());
      out.write(std::string(10000, 'x'));
      out.commit();
      _exit(1);
    } catch (const SystemError& error) {
      _exit(std::string(error.what()).find("a.bin: cannot write: File too large") != std::string::npos ? 42 : 2);
    }
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(bytes_of(folder_ / "a.bin"), "old");
  EXPECT_EQ(folder_.count(), 1);
}

TEST_P(WholeFileTest, NeverShowsHalfAFileWhenTheProcessIsKilled) {
  const int status = status_of_child([&] {
    WholeFile out(folder_ / "a.bin", GetParam());
    out.write(std::string(100000, 'x'));
    std::raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.bin"));
  // Without O_TMPFILE the hidden half cannot vanish by itself.
  EXPECT_EQ(folder_.count(), GetParam() == Unfinished::kNameless ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(Both, WholeFileTest, ::testing::Values(Unfinished::kNameless, Unfinished::kHidden),
                         [](const auto& which) {
                           return which.param == Unfinished::kNameless ? "Nameless" : "Hidden";
                         });

TEST(WholeFileInPlaceTest, IsWrittenAtOnceInAnUnfinishedFolder) {
  const test::TemporaryFolder folder;
  for (const std::string above : {".unit.7.part", ".unit.7.part/laser"}) {
    std::filesystem::create_directories(folder / above);
    const std::filesystem::path file = folder / (above + "/range.npy");
    {
      WholeFile left(file);
      left.write("half");
      EXPECT_TRUE(std::filesystem::exists(file));
    }
    EXPECT_FALSE(std::filesystem::exists(file));
    write_whole_file(file, "first");
    {
      WholeFile out(file);
      out.write("second");
      EXPECT_EQ(test::bytes_of(file), "first");
      out.commit();
    }
    EXPECT_EQ(test::bytes_of(file), "second");
  }
}

TEST(WholeFileInPlaceTest, IsHiddenInOtherFolders) {
  const test::TemporaryFolder folder;
  for (const std::string above : {"unit.part", ".hidden", ".part.d", "a.part/b"}) {
    std::filesystem::create_directories(folder / above);
    WholeFile out(folder / (above + "/range.npy"));
    out.write("half");
    EXPECT_FALSE(std::filesystem::exists(folder / (above + "/range.npy"))) << above;
  }
}

TEST(WholeFileKilledTest, ReplacesFilesAtomicallyUnderAKillAtAnyMoment) {
  const TemporaryFolder folder;
  const std::string old_bytes(50000, 'o'), new_bytes(70000, 'n');
  for (int delay_us = 0; delay_us < 3000; delay_us += 100) {
    folder.write("a.bin", old_bytes);
    const pid_t child = fork();
    if (child == 0) {
      while (true) {
        WholeFile out(folder / "a.bin");
        for (std::size_t at = 0; at < new_bytes.size(); at += 1000) out.write(new_bytes.substr(at, 1000));
        out.commit();
      }
    }
    usleep(static_cast<useconds_t>(delay_us));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string found = bytes_of(folder / "a.bin");
    ASSERT_TRUE(found == old_bytes || found == new_bytes) << found.size() << " bytes after " << delay_us << " us";
  }
}

TEST(NestingTest, CountsJsonOutsideStrings) {
  EXPECT_EQ(json_nesting(""), 0U);
  EXPECT_EQ(json_nesting("1"), 0U);
  EXPECT_EQ(json_nesting(R"({"a":[1,[2]],"b":[]})"), 3U);
  EXPECT_EQ(json_nesting(R"(["[[[\"[[[", "]]]"])"), 1U);
  EXPECT_EQ(json_nesting("]]]][[["), 3U);
  EXPECT_EQ(json_nesting(std::string(100000, '[')), 100000U);
  EXPECT_EQ(json_nesting("[\""), 1U);
}

}  // namespace
}  // namespace fathom::test
