// SPDX-License-Identifier: MIT
// A log that was cut short is refused, with the line where it ends.

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include <fathom/beam/scan.hpp>

#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom {
namespace {

using test::contains;

/// 180 readings from this x.
std::string flaser(const std::string& x) {
  std::string line = "FLASER 180";
  for (int i = 0; i < 180; ++i) line += " 2.25";
  return line + " " + x + " -2.5 0.25 0 0 0 1071078718.4 host 1071078718.5\n";
}

std::string lines_text(const std::string& log) { return std::to_string(std::count(log.begin(), log.end(), '\n') + 1); }

class CutLog : public testing::Test {
 protected:
  std::string refusal(const std::string& log) {
    const auto file = folder_.write("cut.log", log);
    return test::input_error([&] { read_scan_log(file); });
  }
  /// `whole` makes sense; of `more`, only cuts at the end of a line do.
  void expect_cuts_seen(const std::string& whole, const std::string& more) {
    for (std::size_t size = 0; size <= more.size(); ++size) {
      const std::string log = whole + more.substr(0, size), message = refusal(log);
      if (log.back() == '\n') {
        EXPECT_EQ(message, "") << size;
      } else {
        EXPECT_TRUE(contains(message, "cut.log:" + lines_text(log) + ": ")) << size;
      }
    }
  }

  test::TemporaryFolder folder_;
};

TEST_F(CutLog, OfCarmenIsRefusedWhereverALineIsHurt) {
  expect_cuts_seen(flaser("1"), flaser("3.5") + flaser("2"));
  EXPECT_TRUE(contains(refusal(flaser("1") + "FLASE"), "cut.log:2: the log is cut short"));
  // All that is used is there, but the last time was longer.
  const std::string last = flaser("2");
  EXPECT_TRUE(contains(refusal(flaser("1") + last.substr(0, last.size() - 3)), "cut.log:2: the log is cut short"));
}

TEST_F(CutLog, OfCarmenMayEndInHalfAMessageThatNobodyReads) {
  for (const char* half :
       {"ODOM 1 2 3 4", "PARAM laser_front_laser_resol", "RLASER 180 1.0 2.", "# half a comm", "O"}) {
    EXPECT_EQ(refusal(flaser("1") + half), "") << half;
  }
  for (const char* half : {"F", "FLASER", "FLASER 180 1.0", "  FLA"}) {
    EXPECT_TRUE(contains(refusal(flaser("1") + half), "cut.log:2: ")) << half;
  }
}

TEST_F(CutLog, OfCsvIsRefusedWhereverALineIsHurt) {
  expect_cuts_seen("# max_range_m: 8\nx_m,y_m,yaw_rad,range_m@0,range_m@0.5\n1,2,3,4,5\n",
                   "1,2.5,3,4.25,5.75\n1,2.5,3,inf,7\n");
  EXPECT_TRUE(contains(refusal("x_m,y_m,yaw_rad,range_m@0\n1,2,3,4.25\n1,2,3,4.2"), "cut.log:3: the log is cut short"));
}

TEST_F(CutLog, MayEndWithBlanksAndCarriageReturns) {
  EXPECT_EQ(refusal(flaser("1") + "  \t"), "");
  EXPECT_EQ(refusal("x_m,y_m,yaw_rad,range_m@0\r\n1,2,3,4.25\r\n"), "");
}

TEST_F(CutLog, InGzipIsNamedByTheLineUpToWhichItCouldBeRead) {
  const auto file = folder_ / "a.log.gz";
  const std::string line = flaser("1"), text = line + line + line + line + line + line + line + line;
  gzFile out = gzopen(file.c_str(), "wb0");  // stored, not packed: so many bytes less are so many bytes of text less
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  ASSERT_EQ(read_scan_log(file).scans(), 8U);
  const auto refusal_at = [&](std::uintmax_t size) {
    std::filesystem::resize_file(file, size);
    return test::input_error([&] { read_scan_log(file); });
  };
  const auto size = std::filesystem::file_size(file);
  EXPECT_TRUE(contains(refusal_at(size - 1), "a.log.gz:9: cut short or damaged"));  // of the check sum after the text
  EXPECT_TRUE(contains(refusal_at(size - 3 * line.size() / 2), "a.log.gz:7: cut short or damaged"));
  EXPECT_TRUE(contains(refusal_at(12), "a.log.gz:1: cut short or damaged"));
}

}  // namespace
}  // namespace fathom
