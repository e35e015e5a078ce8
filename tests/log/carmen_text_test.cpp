// SPDX-License-Identifier: MIT
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <fathom/base/geometry.hpp>
#include <fathom/beam/log_files.hpp>

#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom {
namespace {

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
  const test::TemporaryFolder folder;
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
  EXPECT_NE(text.find(" 0.2 -12345.678901234567 7.4 7 8.5 9 2 fathom 2\n"), std::string::npos) << text.substr(4000);
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
  EXPECT_NE(test::input_error([&] { static_cast<void>(carmen_text(log, log.pose)); }).find("FLASER"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom
