// SPDX-License-Identifier: MIT

#include <zlib.h>

#include <fathom/files/log_files.hpp>
#include <fathom/fit/fit.hpp>

#include "support/expect.hpp"

namespace fathom::test::scan_test {
namespace {

using Indices = std::vector<std::uint32_t>;

/// A FLASER line of n readings of 1, 2, 3 ... metres.
std::string flaser(int n, const std::string& pose = "1.5 -2.5 0.25") {
  std::string line = "FLASER " + std::to_string(n);
  for (int i = 1; i <= n; ++i) line.append(" ").append(std::to_string(i)).append(".25");
  return line + " " + pose + " 0 0 0 1071078718.4 host 1071078718.4\n";
}

void expect_message(const std::string& message, const std::string& part) { EXPECT_TRUE(contains(message, part)); }

TEST(ScanLog, ReadsCarmenText) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "a.log", "# comment\nPARAM x y 1 host 2\nODOM 1 2 3 4 5 6 7 host 8\n" + flaser(180) + flaser(180, "3 4 -1"));
  const ScanLog log = read_scan_log(file);
  ASSERT_EQ(log.scans(), 2U);
  ASSERT_EQ(log.rays(), 180U);
  EXPECT_EQ(log.pose[0], (PlanarPose{1.5, -2.5, 0.25}));
  EXPECT_EQ(log.scan(1)[179], 180.25F);
  EXPECT_DOUBLE_EQ(log.azimuth_rad[0], -std::numbers::pi / 2);
  EXPECT_NEAR(log.azimuth_rad[90], 0, 1e-15);
  const ScanLog fine = read_scan_log(folder.write("b.log", flaser(361)));
  EXPECT_NEAR(fine.azimuth_rad[360], std::numbers::pi / 2, 1e-12);
}

TEST(ScanLog, ReadsGzipAndSeesThatItWasCutShort) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.log.gz";
  const std::string text = flaser(180) + flaser(180) + flaser(180);
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  EXPECT_EQ(read_scan_log(file).scans(), 3U);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  expect_message(input_error([&] { read_scan_log(file); }), "cut short");
}

TEST(ScanLog, NamesFileAndLineOfBadCarmen) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    const auto file = folder.write("bad.log", text);
    const std::string message = input_error([&] { read_scan_log(file); });
    expect_message(message, "bad.log");
    return message;
  };
  const std::string good = flaser(180);
  expect_message(refusal(good + good.substr(0, 300)), "bad.log:2: the line is cut short");
  expect_message(refusal(good + good.substr(0, good.size() - 16)), "bad.log:2: the line is cut short");
  expect_message(refusal(flaser(77)), "bad.log:1: 77 rays: the angle between rays is known for");
  expect_message(refusal(flaser(180, "nan 0 0")), "x = nan is not finite");
  expect_message(refusal("FLASER 180 1 2 x 4"), "bad.log:1:");
  expect_message(refusal("FLASER -3 1 2"), "not a number of rays");
  expect_message(refusal("# nothing\n"), "holds no scans");
  EXPECT_NE(input_error([&] { read_scan_log(folder.path() / "missing.log"); }), "");
  EXPECT_NE(input_error([&] { read_scan_log(folder.path()); }), "");
}

TEST(ScanLog, CsvGoesThereAndBack) {
  ScanLog log;
  log.azimuth_rad = {-0.5, 0.1, 1.0 / 3};
  log.pose = {{1, 2, 3}, {-1e-3, 1.0 / 7, 0}};
  log.range_m = {1.5F, INFINITY, NAN, 0.1F, 2, 3};
  const TemporaryFolder folder;
  write_text_file(folder.path() / "log.csv", log.csv());
  const ScanLog back = read_scan_log(folder.path() / "log.csv");
  EXPECT_EQ(back.azimuth_rad, log.azimuth_rad);
  EXPECT_EQ(back.pose, log.pose);
  EXPECT_TRUE(std::isnan(back.range_m[2]));
  for (const std::size_t i : {0, 1, 3, 4, 5}) EXPECT_EQ(back.range_m[i], log.range_m[i]);
}

TEST(ScanLog, NamesFileAndLineOfBadCsv) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    const auto file = folder.write("bad.csv", text);
    return input_error([&] { read_scan_log(file); });
  };
  const std::string head = "# c\nstamp_s,x_m,y_m,yaw_rad,range_m@0,range_m@0.5\n";
  EXPECT_EQ(refusal(head + "0,1,2,3,4,5\n"), "");
  expect_message(refusal(head + "0,1,2,3,4\n"), "bad.csv:3: 5 values for 6 columns");
  expect_message(refusal(head + "0,1,2,x,4,5\n"), "bad.csv:3: yaw_rad = 'x' is not a number");
  expect_message(refusal(head + "0,1,nan,3,4,5\n"), "bad.csv:3: y_m = nan is not finite");
  expect_message(refusal("x_m\ty_m\tyaw_rad\trange_m@0\n"), "bad.csv:1: columns are separated by commas, not by tabs");
  expect_message(refusal("x_m,y_mm,yaw_rad,range_m@0\n"), "bad.csv:1: unknown column 'y_mm' (nearest known: 'y_m')");
  expect_message(refusal("x_m,y_m,range_m@0\n"), "no column 'yaw_rad'");
  expect_message(refusal("x_m,y_m,yaw_rad\n"), "no column 'range_m@");
  expect_message(refusal("x_m,x_m,y_m,yaw_rad,range_m@0\n"), "'x_m' is there twice");
  expect_message(refusal(head), "holds no scans");
}

TEST(ScanSelection, UnderstandsItsForms) {
  EXPECT_EQ(select_scans("all", 3), (Indices{0, 1, 2}));
  EXPECT_EQ(select_scans("odd", 5), (Indices{1, 3}));
  EXPECT_EQ(select_scans("even", 5), (Indices{0, 2, 4}));
  EXPECT_EQ(select_scans("1::3", 8), (Indices{1, 4, 7}));
  EXPECT_EQ(select_scans("2:5", 8), (Indices{2, 3, 4}));
  EXPECT_EQ(select_scans("::4", 6), (Indices{0, 4}));
  EXPECT_EQ(select_scans(":100:50", 60), (Indices{0, 50}));
}

TEST(ScanSelection, NamesWhatIsWrong) {
  for (const char* text : {"", "some", "1", "a:b", "-1:3", "1:2:0", "1:2:3:4", "1.5:3"}) {
    EXPECT_NE(input_error([&] { select_scans(text, 10); }), "") << text;
  }
  EXPECT_EQ(input_error([] { select_scans("7:7", 10); }), "scans '7:7': selects none of 10 scans");
  EXPECT_EQ(input_error([] { select_scans("odd", 1); }), "scans 'odd': selects none of 1 scan, all takes them");
}

}  // namespace
}  // namespace fathom::test::scan_test
