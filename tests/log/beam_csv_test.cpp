// SPDX-License-Identifier: MIT
// The small tables of the beam model, and what a scan log says of its sensor.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <fathom/beam/log_files.hpp>

#include "beam/files.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

class BeamCsv : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) { return folder_.write("a.csv", text); }
  test::TemporaryFolder folder_;
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
  EXPECT_NE(poses("x_m,y_m,yaw_rad\n1,2,3\n1,inf,3\n").find("a.csv:3: y_m = inf is not finite"), std::string::npos);
  EXPECT_NE(poses("x_m,y_m\n1,2\n").find("a.csv:1: there is no column 'yaw_rad'"), std::string::npos);
  EXPECT_NE(expected("expected_m\n-0.5\n").find("a.csv:2: expected_m = -0.5 is not at least 0"), std::string::npos);
  EXPECT_NE(expected("scan,expected_m\n0.5,1\n").find("a.csv:2: scan = 0.5"), std::string::npos);
  EXPECT_NE(expected("scan,expected_m\n3,1\n2,1\n").find("a.csv:3: scan = 2"), std::string::npos);
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
  const ScanLog again = read_scan_log(file(scan_csv(log)));
  EXPECT_EQ(again.max_range_m, 12.3);
  EXPECT_EQ(again.azimuth_rad, log.azimuth_rad);
  EXPECT_EQ(again.pose, log.pose);
  EXPECT_EQ(again.range_m, log.range_m);
  log.max_range_m = 0;
  EXPECT_EQ(read_scan_log(file(scan_csv(log))).max_range_m, 0);
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
  EXPECT_EQ(suspected_no_return_m(log, 80), 0);  // 10.9 m stands alone among 334, which is less than 0.3 %
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
    EXPECT_NE(test::input_error([&] { read_scan_log(file(text)); }).find("a.csv:1"), std::string::npos) << value;
  }
}

}  // namespace
}  // namespace fathom
