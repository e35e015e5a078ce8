// SPDX-License-Identifier: MIT
// Text as strangers hand it over: packed, padded, marked, endless.

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include <fathom/beam/log_files.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/files/read.hpp>

#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"
#include "text/gzip_text.hpp"
#include "text/read_file.hpp"

namespace fathom {
namespace {

using test::contains;
using test::input_error;

const std::string kCsv = "x_m,y_m,yaw_rad,range_m@0\n1,2,3,4.25\n";
const std::string kBom = "\xef\xbb\xbf";

std::string gzipped(const test::TemporaryFolder& folder, const std::string& text) {
  const auto file = folder / "part.gz";
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  return test::bytes_of(file);
}

class LogText : public testing::Test {
 protected:
  std::string refusal(const std::string& bytes) {
    const auto file = folder_.write("a.log", bytes);
    return input_error([&] { scans_ = read_scan_log(file).scans(); });
  }
  test::TemporaryFolder folder_;
  std::size_t scans_ = 0;
};

TEST_F(LogText, MayBeSeveralStreamsAndPaddedWithZeros) {
  const std::string first = gzipped(folder_, kCsv), second = gzipped(folder_, "5,6,7,8\n");
  EXPECT_EQ(refusal(first + second), "");
  EXPECT_EQ(scans_, 2U);
  EXPECT_EQ(refusal(first + std::string(1000, '\0')), "");
  EXPECT_EQ(scans_, 1U);
}

TEST_F(LogText, MayComeInManyEmptyStreamsBehindALongLine) {
  const std::string empty = gzipped(folder_, "");
  std::string comment = gzipped(folder_, kCsv + "#" + std::string(4 << 20, '1'));
  for (int i = 0; i < 20000; ++i) comment += empty;  // which do not look at the line again
  EXPECT_EQ(refusal(comment + gzipped(folder_, "\n5,6,7,8\n") + empty), "");
  EXPECT_EQ(scans_, 2U);
  std::string line = gzipped(folder_, kCsv);
  const std::string piece = gzipped(folder_, std::string(kMaxLineBytes / 4, '1'));
  for (int i = 0; i < 4; ++i) line += piece + empty;
  EXPECT_TRUE(contains(refusal(line + gzipped(folder_, "1\n")), "a.log:3: a line of more than 16 MiB"));
}

TEST_F(LogText, IsRefusedWhereSomethingElseFollowsTheStream) {
  const std::string packed = gzipped(folder_, kCsv);
  EXPECT_TRUE(contains(refusal(packed + "garbage"), "a.log:3: 7 bytes that are not gzip follow the compressed text"));
  EXPECT_TRUE(contains(refusal(packed + std::string("\0\0x", 3)), "that are not gzip"));
  const std::string more = gzipped(folder_, "5,6,7,8\n");
  EXPECT_TRUE(contains(refusal(packed + more.substr(0, more.size() - 9)), "cut short or damaged"));
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // of the check sum
  EXPECT_TRUE(contains(refusal(damaged), "a.log:3: cut short or damaged"));
}

TEST_F(LogText, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(refusal(kBom + kCsv), "");
  EXPECT_EQ(refusal(gzipped(folder_, kBom + kCsv)), "");
  EXPECT_EQ(read_trajectory(folder_.write("a.tum", kBom + "1 0 0 0 0 0 0 1\n")).keys().size(), 1U);
  EXPECT_EQ(read_poses_csv(folder_.write("poses.csv", kBom + "x_m,y_m,yaw_rad\n1,2,3\n")).size(), 1U);
}

TEST_F(LogText, OfOtherEncodingsAndLineEndsIsNamed) {
  EXPECT_TRUE(contains(refusal(std::string("\xff\xfex\0_\0", 6)), "a.log: is in UTF-16; save it as UTF-8"));
  EXPECT_TRUE(contains(refusal("x_m,y_m,yaw_rad,range_m@0\r1,2,3,4\r"), "a.log: its lines end in CR alone"));
}

TEST_F(LogText, HasNoEndlessLine) {
  const std::string line(kMaxLineBytes + 1, '0');
  EXPECT_TRUE(contains(refusal(kCsv + line), "a.log:3: a line of more than 16 MiB"));
  EXPECT_TRUE(contains(refusal(gzipped(folder_, line)), "a.log:1: a line of more than 16 MiB"));
}

TEST_F(LogText, DoesNotInflateWithoutEnd) {
  std::string lines;
  for (int i = 0; i < 1024; ++i) lines += std::string(8191, '#') + '\n';
  const std::string packed = gzipped(folder_, lines);  // 8 MiB, and 1000 times smaller
  std::string bomb;
  for (int i = 0; i < 40; ++i) bomb += packed;
  EXPECT_TRUE(contains(refusal(bomb), "inflate to more than 256 MiB, above 200 times their size, the limit"));
}

TEST_F(LogText, NamesWhatIsWrongInIt) {
  const std::string csv = "x_m,y_m,yaw_rad,range_m@0\n";
  EXPECT_TRUE(
      contains(refusal(csv + std::string("1,2,3,4\0005\n", 10)), "a.log:2: a reading = '4\\x005' is not a number"));
  for (const char* word : {"0x10", "1e999", "nan(123)", "1d3", "--1", "+-1", "4;5", "1_000", "\xd9\xa1"}) {
    EXPECT_TRUE(contains(refusal(csv + "1,2,3," + word + "\n"), "a.log:2: a reading = '")) << word;
  }
  EXPECT_TRUE(contains(refusal(csv + "1,2,3,1e39\n"), "a reading = 1e39 is not in [-3e+38, 3e+38]"));
  EXPECT_TRUE(contains(refusal(csv + "1,5,2,5,3,4\n"), "a.log:2: 6 values for 4 columns"));  // decimal commas
  EXPECT_EQ(refusal("\r\n# mixed\n" + csv + "1,2,3,4\r\n\n1,2,3,inf\n"), "");
}

TEST_F(LogText, CarmenSaysWhichWordIsNoReading) {
  std::string line = "FLASER 180";
  for (int i = 0; i < 180; ++i) line += i == 7 ? " abc" : " 2.25";
  EXPECT_TRUE(contains(refusal(line + " 1 2 3 1 2 3 4 host 5\n"), "a.log:1: a reading = 'abc' is not a number"));
  EXPECT_TRUE(contains(refusal("FLASER 180 1 2 3\n"), "a.log:1: the line is cut short before all readings are there"));
  EXPECT_TRUE(contains(refusal("FLASER 4294967297 1\n"), "not a number of rays in [1, 100000]"));
}

TEST_F(LogText, CarmenCountsTheLasersThatItPassesOver) {
  std::string line = "FLASER 180";
  for (int i = 0; i < 180; ++i) line += " 2.25";
  line += " 1 2 3 1 2 3 4 host 5\n";
  const std::string others = "RLASER 2 1 1\nPARAM robot a,b\nRLASER 2 1 1\nROBOTLASER1 0\nLASERPOINTER 1\nLASER12 1\n";
  const ScanLog log = read_scan_log(folder_.write("a.log", "PARAM first x,y\n" + others + line));
  EXPECT_EQ(log.scans(), 1U);
  ASSERT_EQ(log.skipped.size(), 2U);
  EXPECT_EQ(log.skipped[0].name, "RLASER");
  EXPECT_EQ(log.skipped[0].lines, 2U);
  EXPECT_EQ(log.skipped[1].name, "ROBOTLASER1");
  EXPECT_EQ(log.laser, "FLASER");
  EXPECT_TRUE(contains(refusal(others), "a.log: has several lasers, RLASER, ROBOTLASER1; give laser"));
  const std::string none = input_error([&] { read_scan_log(folder_ / "a.log", {.laser = "FLASER"}); });
  EXPECT_TRUE(contains(none, "holds no scans (FLASER lines"));
  EXPECT_TRUE(contains(none, "; 2 RLASER lines are not read; 1 ROBOTLASER1 lines are not read"));
}

TEST(WithinMemory, NamesTheFileWhoseContentIsTooMuch) {
  const auto said = [](auto thrown) {
    return test::message_of<SystemError>([&] { within_memory("big.log", [&] { throw thrown; }); });
  };
  EXPECT_EQ(said(std::bad_alloc()), "big.log: there is not enough memory for what it holds");
  EXPECT_EQ(said(std::length_error("x")), "big.log: there is not enough memory for what it holds");
  const auto lacking = [](const char* file) {
    return test::message_of<SystemError>([&] {
      within_memory(
          file, [] { throw std::bad_alloc(); }, "the run does not fit into memory");
    });
  };
  EXPECT_EQ(lacking("room.yaml"), "room.yaml: the run does not fit into memory");
  EXPECT_EQ(lacking(""), "the run does not fit into memory");
}

}  // namespace
}  // namespace fathom
