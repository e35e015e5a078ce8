// SPDX-License-Identifier: MIT
// Text as strangers hand it over: packed, padded, marked, endless.
#include <zlib.h>

#include <fathom/core/geometry.hpp>
#include <fathom/files/log_files.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/scene/trajectory.hpp>

#include "core/text/files.hpp"
#include "core/text/gzip_text.hpp"
#include "io/log/scan_lines.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

const std::string kCsv = "x_m,y_m,yaw_rad,range_m@0\n1,2,3,4.25\n";
const std::string kBom = "\xef\xbb\xbf";

std::string gzipped(const TemporaryFolder& folder, const std::string& text) {
  const auto file = folder / "part.gz";
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  return bytes_of(file);
}

class LogText : public testing::Test {
 protected:
  std::string refusal(const std::string& bytes) {
    const auto file = folder_.write("a.log", bytes);
    return input_error([&] { scans_ = read_scan_log(file).scans(); });
  }
  TemporaryFolder folder_;
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
  EXPECT_TRUE(contains(refusal(gzipped(folder_, gzipped(folder_, kCsv))), "a.log: is compressed twice"));
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
    return message_of<SystemError>([&] { within_memory("big.log", [&] { throw thrown; }); });
  };
  EXPECT_EQ(said(std::bad_alloc()), "big.log: there is not enough memory for what it holds");
  EXPECT_EQ(said(std::length_error("x")), "big.log: there is not enough memory for what it holds");
  const auto lacking = [](const char* file) {
    return message_of<SystemError>([&] {
      within_memory(
          file, [] { throw std::bad_alloc(); }, "the run does not fit into memory");
    });
  };
  EXPECT_EQ(lacking("room.yaml"), "room.yaml: the run does not fit into memory");
  EXPECT_EQ(lacking(""), "the run does not fit into memory");
}

ScanLog make_log(std::size_t rays, double step_deg) {
  ScanLog log;
  log.max_range_m = 80.0;
  for (std::size_t i = 0; i < rays; ++i) {
    log.azimuth_rad.push_back(-0.5 * std::numbers::pi + static_cast<double>(i) * step_deg * kRadPerDeg);
  }
  for (int s = 0; s < 3; ++s) {
    log.pose.push_back({0.1 * s - 1e-17, -12345.678901234567, 3.7 * s});
    for (std::size_t i = 0; i < rays; ++i) log.range_m.push_back(0.1F * static_cast<float>(i) + 0.01F);
  }
  log.range_m[7] = std::numeric_limits<float>::infinity();
  return log;
}

TEST(CarmenText, IsReadBackToTheSameBits) {
  const TemporaryFolder folder;
  for (const std::size_t rays : {180U, 181U, 360U, 361U}) {
    const ScanLog log = make_log(rays, rays < 200 ? 1.0 : 0.5);
    ASSERT_TRUE(fits_carmen(log)) << rays;
    const ScanLog read = read_scan_log(folder.write("refined.log", carmen_text(log, log.pose)));
    EXPECT_EQ(read.pose, log.pose);
    EXPECT_EQ(read.range_m, log.range_m);
    EXPECT_EQ(read.azimuth_rad, log.azimuth_rad);
    EXPECT_EQ(read.max_range_m, log.max_range_m);
  }
}

TEST(CarmenText, HasOdometryBehindThePose) {
  const ScanLog log = make_log(180, 1.0);
  const std::vector<PlanarPose> odometry(3, {7.0, 8.5, 9.0});
  const std::string text = carmen_text(log, odometry);
  EXPECT_TRUE(contains(text, " 0.2 -12345.678901234567 7.4 7 8.5 9 2 fathom 2\n")) << text.substr(4000);
  EXPECT_EQ(test::input_error([&] {
              static_cast<void>(carmen_text(log, {odometry.data(), 2}));
            }),
            "2 poses of odometry given for 3 scans");
}

TEST(CarmenText, IsNotOfWhatItCannotSay) {
  EXPECT_FALSE(fits_carmen(make_log(100, 1.0)));
  EXPECT_FALSE(fits_carmen(make_log(180, 0.5)));
  ScanLog log = make_log(180, 1.0);
  log.max_range_m = 8.0;
  EXPECT_FALSE(fits_carmen(log));
  log = make_log(180, 1.0);
  log.azimuth_rad[90] += 1e-6;
  EXPECT_FALSE(fits_carmen(log));
  log = make_log(180, 1.0);
  log.ray_offset.resize(log.range_m.size());
  EXPECT_FALSE(fits_carmen(log));
  EXPECT_TRUE(contains(test::input_error([&] { static_cast<void>(carmen_text(log, log.pose)); }), "FLASER"));
}

}  // namespace

// The small tables of the beam model, and what a scan log says of its sensor.

namespace {

class BeamCsv : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) { return folder_.write("a.csv", text); }
  TemporaryFolder folder_;
};

TEST_F(BeamCsv, PosesInAnyOrderOfColumns) {
  const auto poses =
      read_poses_csv(file("# driven by hand\r\nyaw_rad, stamp_s, x_m,y_m\r\n0.5,7,1,-2\r\n\r\n1e-3,8,+3,4\r\n"));
  ASSERT_EQ(poses.size(), 2U);
  EXPECT_EQ(poses[0], (PlanarPose{1, -2, .5}));
  EXPECT_EQ(poses[1], (PlanarPose{3, 4, .001}));
}

TEST_F(BeamCsv, ExpectedRangesWithAndWithoutScans) {
  const ExpectedTable plain = read_expected_csv(file("expected_m\n2.5\ninf\n0\n"));
  EXPECT_EQ(plain.expected_m, (std::vector<float>{2.5F, std::numeric_limits<float>::infinity(), 0}));
  EXPECT_EQ(plain.scan, (std::vector<std::uint32_t>{0, 0, 0}));
  const ExpectedTable scans = read_expected_csv(file("expected_m,scan\n2,4\n3,4\n1,4294967295\n"));
  EXPECT_EQ(scans.scan, (std::vector<std::uint32_t>{4, 4, 4294967295U}));
}

TEST_F(BeamCsv, NamesFileAndLineOfWhatIsWrong) {
  const auto poses = [&](const std::string& text) { return test::input_error([&] { read_poses_csv(file(text)); }); };
  const auto expected = [&](const std::string& text) {
    return test::input_error([&] { read_expected_csv(file(text)); });
  };
  EXPECT_TRUE(contains(poses("x_m,y_m,yaw_rad\n1,2,3\n1,inf,3\n"), "a.csv:3: y_m = inf is not finite"));
  EXPECT_TRUE(contains(poses("x_m,y_m\n1,2\n"), "a.csv:1: there is no column 'yaw_rad'"));
  EXPECT_TRUE(contains(expected("expected_m\n-0.5\n"), "a.csv:2: expected_m = -0.5 is not at least 0"));
  EXPECT_TRUE(contains(expected("scan,expected_m\n0.5,1\n"), "a.csv:2: scan = 0.5"));
  EXPECT_TRUE(contains(expected("scan,expected_m\n3,1\n2,1\n"), "a.csv:3: scan = 2"));
}

TEST_F(BeamCsv, NamesAzimuthsInDegrees) {
  const auto log = [&](const std::string& azimuth) {
    return test::input_error([&] { read_scan_log(file("x_m,y_m,yaw_rad,range_m@" + azimuth + "\n1,2,3,4\n")); });
  };
  EXPECT_EQ(log("-6.2831855"), "");  // a turn in single precision
  EXPECT_TRUE(contains(log("-90"), "a.csv:1: the azimuth of a ray = -90 rad is not within a turn; is it in degrees?"));
}

TEST_F(BeamCsv, TablesAreReadBack) {
  const ExpectedTable table = {{1.25F, .1F}, {3, 9}};
  EXPECT_EQ(readings_csv(table, std::vector<float>{1, 30}), "scan,expected_m,reading_m\n3,1.25,1\n9,0.1,30\n");
  EXPECT_EQ(scores_csv(std::vector<ScanScore>{{7, {1, 2, .5}, 91, -12.5}}),
            "scan,x_m,y_m,yaw_rad,rays,log_likelihood\n7,1,2,0.5,91,-12.5\n");
}

TEST_F(BeamCsv, LogsKeepWhatTheySayOfTheirSensor) {
  ScanLog log;
  log.azimuth_rad = {-.1, 0, 1.0 / 3};
  log.pose = {{1, 2, 3}, {4, 5, 6}};
  log.range_m = {1, 2, std::numeric_limits<float>::infinity(), .1F, 5, 6};
  log.max_range_m = 12.3;
  const ScanLog again = read_scan_log(file(log.csv()));
  EXPECT_EQ(again.max_range_m, 12.3);
  EXPECT_EQ(again.azimuth_rad, log.azimuth_rad);
  EXPECT_EQ(again.pose, log.pose);
  EXPECT_EQ(again.range_m, log.range_m);
  log.max_range_m = 0;
  EXPECT_EQ(read_scan_log(file(log.csv())).max_range_m, 0);
}

TEST(SuspectedNoReturn, IsAPileOfLargestReadingsWellBelowTheMaximum) {
  ScanLog log;
  log.azimuth_rad.assign(200, 0);
  log.pose.resize(1);
  for (int i = 0; i < 200; ++i) log.range_m.push_back(1.0F + .05F * static_cast<float>(i));
  EXPECT_EQ(suspected_no_return_m(log, 80), 0);  // one in 200, more than 0.3 %, but the farthest by chance
  for (int i = 0; i < 10; ++i) log.range_m[20 * i] = 10.95F;
  EXPECT_EQ(suspected_no_return_m(log, 80), 10.95F);
  for (int i = 0; i < 10; ++i) log.range_m[20 * i] = 5;
  log.range_m[199] = 5;
  log.range_m[0] = std::numeric_limits<float>::infinity();
  for (int i = 0; i < 134; ++i) log.range_m.push_back(std::nanf(""));
  log.azimuth_rad.resize(log.range_m.size());
  EXPECT_EQ(suspected_no_return_m(log, 80), 0);  // a single 10.9 m among 334 readings is less than 0.3 %
  for (int i = 0; i < 10; ++i) log.range_m[20 * i] = i % 2 == 0 ? 32.76F : 32.77F;
  EXPECT_EQ(suspected_no_return_m(log, 80), 32.77F);
  EXPECT_EQ(suspected_no_return_m(log, 33), 0) << "near the maximum, where hits pile up too";
  for (int i = 0; i < 10; ++i) log.range_m[20 * i] = 32.77F;
  EXPECT_EQ(suspected_no_return_m(log, 33), 32.77F) << "one value, and more often than the rest there";
  EXPECT_EQ(suspected_no_return_m(log, 32.77), 0) << "Z, though single precision writes it a little below";
  for (int i = 0; i < 19; ++i) log.range_m[10 * i + 1] = 32.74F - .01F * static_cast<float>(i);
  EXPECT_EQ(suspected_no_return_m(log, 33), 0);
}

TEST_F(BeamCsv, RefusesAMaximumRangeThatIsNone) {
  for (const char* value : {"0", "-1", "nan", "inf", "far", ""}) {
    const std::string text = std::string("# max_range_m: ") + value + "\nx_m,y_m,yaw_rad,range_m@0\n1,2,3,4\n";
    EXPECT_TRUE(contains(test::input_error([&] { read_scan_log(file(text)); }), "a.csv:1")) << value;
  }
}

}  // namespace
}  // namespace fathom::test
