// SPDX-License-Identifier: MIT
// The lasers of CARMEN's logs, where their rays point, and where they were.

#include <fmt/format.h>

#include <fathom/fit/fit.hpp>

#include "core/text/gzip_text.hpp"
#include "core/text/text_lines.hpp"
#include "io/log/scan_lines.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr double kDeg = std::numbers::pi / 180.0;

std::string readings_text(int rays) {
  std::string text;
  for (int i = 0; i < rays; ++i) text += fmt::format(" {}", 1.0 + 0.25 * i);
  return text;
}

std::string end_text(double time_s) { return fmt::format(" {} host 5.5\n", time_s); }

std::string flaser(int rays, const PlanarPose& p, double time_s, const std::string& name = "FLASER") {
  return fmt::format("{} {}{} {} {} {} 7 8 9", name, rays, readings_text(rays), p.x_m, p.y_m, p.yaw_rad) +
         end_text(time_s);
}

std::string head_of(const std::string& name, int rays, double start_rad, double step_rad, double max_range_m) {
  return fmt::format("{} 2 {} 3.14 {} {} 0.01 0 {}{} 2 11 12", name, start_rad, step_rad, max_range_m, rays,
                     readings_text(rays));
}

std::string robot_laser(const std::string& name, int rays, const PlanarPose& p, double time_s, double start_rad = -1.5,
                        double step_rad = 0.5, double max_range_m = 81.5) {
  return head_of(name, rays, start_rad, step_rad, max_range_m) +
         fmt::format(" {} {} {} 70 80 90 0.3 0.1 0.5 0.5 1e6", p.x_m, p.y_m, p.yaw_rad) + end_text(time_s);
}

std::string raw_laser(const std::string& name, int rays, double time_s) {
  return head_of(name, rays, -1.5, 0.5, 81.5) + end_text(time_s);
}

std::string odometry(const PlanarPose& p, double time_s) {
  return fmt::format("ODOM {} {} {} 0.5 0.1 0", p.x_m, p.y_m, p.yaw_rad) + end_text(time_s);
}

/// Straight on at 2 m/s and round at 3 rad/s: passes through the jump of angles.
PlanarPose way(double time_s) { return {1.0 + 2.0 * time_s, -3.0 - time_s, 3.0 * time_s}; }
PlanarPose logged_way(double time_s) {
  PlanarPose pose = way(time_s);
  pose.yaw_rad = std::remainder(pose.yaw_rad, 2.0 * std::numbers::pi);
  return pose;
}

void expect_pose(const PlanarPose& a, const PlanarPose& b, double tolerance = 1e-9) {
  EXPECT_NEAR(a.x_m, b.x_m, tolerance);
  EXPECT_NEAR(a.y_m, b.y_m, tolerance);
  EXPECT_NEAR(std::remainder(a.yaw_rad - b.yaw_rad, 2.0 * std::numbers::pi), 0.0, tolerance);
}

class CarmenLog : public testing::Test {
 protected:
  ScanLog read(const std::string& text, const ScanLogOptions& options = {}) {
    return read_scan_log(folder_.write("a.log", text), options);
  }
  std::string refusal(const std::string& text, const ScanLogOptions& options = {}) {
    return input_error([&] { read_scan_log(folder_.write("a.log", text), options); });
  }

  TemporaryFolder folder_;
};

TEST_F(CarmenLog, OfRobotLasersSaysWhereRaysPointAndHowFarTheyReach) {
  const ScanLog log = read(robot_laser("ROBOTLASER1", 5, {1, 2, 3}, 10) + "SYNC tag 1 h 2\n" +
                           robot_laser("ROBOTLASER1", 5, {-4, 5, -6}, 11));
  EXPECT_EQ(log.azimuth_rad, (std::vector<double>{-1.5, -1.0, -0.5, 0.0, 0.5}));
  EXPECT_EQ(log.max_range_m, 81.5);
  EXPECT_EQ(log.pose, (std::vector<PlanarPose>{{1, 2, 3}, {-4, 5, -6}})) << "the laser's, not the robot's";
  EXPECT_EQ(log.range_m, (std::vector<float>{1, 1.25, 1.5, 1.75, 2, 1, 1.25, 1.5, 1.75, 2}));
  EXPECT_EQ(log.laser, "ROBOTLASER1");
  EXPECT_TRUE(log.notes.empty());
  EXPECT_TRUE(log.ray_offset.empty());
}

TEST_F(CarmenLog, OfAnyNumberOfRaysWhereTheAngleIsGiven) {
  for (const int rays : {180, 181, 360, 361}) {
    const double angle_deg = rays < 200 ? 1.0 : 0.5;
    const ScanLog known = read(flaser(rays, {}, 1)), given = read(flaser(rays, {}, 1), {.ray_angle_deg = angle_deg});
    EXPECT_EQ(known.azimuth_rad, given.azimuth_rad) << rays;
    EXPECT_NEAR(known.azimuth_rad[0], -90 * kDeg, 1e-12);
  }
  const ScanLog wide = read(flaser(1081, {}, 1), {.ray_angle_deg = 0.25});
  EXPECT_NEAR(wide.azimuth_rad.front(), -135 * kDeg, 1e-12);
  EXPECT_NEAR(wide.azimuth_rad.back(), 135 * kDeg, 1e-12);
  EXPECT_EQ(wide.azimuth_rad[540], 0.0);
  const ScanLog one = read(flaser(1, {}, 1), {.ray_angle_deg = 3.0});
  EXPECT_EQ(one.azimuth_rad, std::vector<double>{0.0});
  EXPECT_TRUE(contains(refusal(flaser(541, {}, 1)),
                       "a.log:1: 541 rays: the angle between rays is known for 180, 181, "
                       "360 and 361 only; give ray_angle_deg"));
  for (const auto& line : {robot_laser("ROBOTLASER1", 5, {}, 1), odometry({}, 0) + raw_laser("RAWLASER1", 4, 1)}) {
    EXPECT_TRUE(contains(refusal(line, {.ray_angle_deg = 0.5}),
                         "LASER1 lines say where their rays point; ray_angle_deg is for FLASER, RLASER and LASERn"));
  }
  EXPECT_TRUE(
      contains(refusal(flaser(360, {}, 1), {.ray_angle_deg = 100.0}),
               "a.log:1: ray_angle_deg = 100: 360 rays so far apart span 35900 degrees, more than a turn of 360"));
  EXPECT_EQ(read(flaser(361, {}, 1), {.ray_angle_deg = 1.0}).rays(), 361U) << "the last one as the first";
  for (const double wrong : {0.0, -1.0, 361.0, std::nan("")}) {
    EXPECT_TRUE(contains(refusal(flaser(180, {}, 1), {.ray_angle_deg = wrong}), "is not in (0, 360] degrees")) << wrong;
  }
}

TEST_F(CarmenLog, IsOfTheLaserThatIsChosen) {
  std::string text;
  for (const char* name : {"RAWLASER1", "ROBOTLASER1", "ROBOTLASER2", "RAWLASER1"}) {
    const int rays = 3 + static_cast<int>(text.size() % 2);
    const std::string line =
        std::string(name).starts_with("RAW") ? raw_laser(name, 4, 1) : robot_laser(name, rays, {}, 1);
    text += line;
  }
  const std::string message = refusal(text);
  EXPECT_TRUE(contains(message, "a.log: has several lasers, ROBOTLASER1, ROBOTLASER2; give laser")) << message;
  const ScanLog second = read(text, {.laser = "ROBOTLASER2"});
  EXPECT_EQ(second.scans(), 1U);
  ASSERT_EQ(second.skipped.size(), 2U);
  EXPECT_EQ(second.skipped[0].name, "RAWLASER1");
  EXPECT_EQ(second.skipped[0].lines, 2U);
  // Where there is FLASER, that is it.
  EXPECT_EQ(read(text + flaser(180, {}, 1)).laser, "FLASER");
  // One alone need not be chosen, nor one with poses beside one without.
  EXPECT_EQ(read(flaser(180, {2, 3, 1}, 1, "RLASER")).laser, "RLASER");
  EXPECT_EQ(read(raw_laser("RAWLASER1", 4, 1) + robot_laser("ROBOTLASER1", 4, {}, 1)).laser, "ROBOTLASER1");
  EXPECT_TRUE(contains(refusal(text, {.laser = "ROBOTLASER3"}), "holds no scans (ROBOTLASER3 lines"));
  EXPECT_TRUE(contains(refusal(text, {.laser = "ODOM"}), "laser 'ODOM' is not FLASER, RLASER, "));
  EXPECT_TRUE(contains(refusal("x_m,y_m,yaw_rad,range_m@0\n1,2,3,4\n", {.laser = "FLASER"}),
                       "is CSV, of one laser whose header says where rays point; laser is for CARMEN"));
}

TEST_F(CarmenLog, OfRawLasersHasPosesBetweenThoseOfOdometry) {
  std::string text = raw_laser("RAWLASER1", 4, 0.5);  // before the first pose
  for (int i = 0; i < 40; ++i) {
    text += raw_laser("RAWLASER1", 4, 1.0 + 0.1 * i + 0.03);
    // Poses may stand behind the scans that need them, and in any order.
    const int at = i ^ 1;
    text += odometry(logged_way(1.0 + 0.1 * at), 1.0 + 0.1 * at);
  }
  const ScanLog log = read(text);
  ASSERT_EQ(log.scans(), 39U);
  for (std::size_t i = 0; i < log.scans(); ++i) {
    SCOPED_TRACE(i);
    expect_pose(log.pose[i], way(1.03 + 0.1 * static_cast<double>(i)));
  }
  EXPECT_EQ(log.notes, std::vector<std::string>{"2 scans were left out: no pose is known then"});
  EXPECT_EQ(log.max_range_m, 81.5);
  const PlanarPose mount = {0.2, -0.1, 0.7};
  const ScanLog mounted = read(text, {.mount = mount});
  for (std::size_t i = 0; i < log.scans(); ++i) {
    const PlanarPose& p = log.pose[i];
    const double c = std::cos(p.yaw_rad), s = std::sin(p.yaw_rad);
    expect_pose(mounted.pose[i], {p.x_m + 0.2 * c + 0.1 * s, p.y_m + 0.2 * s - 0.1 * c, p.yaw_rad + 0.7});
  }
  EXPECT_TRUE(contains(refusal(flaser(180, {}, 1), {.mount = mount}),
                       "FLASER lines have the pose of the laser itself; mount is for RAWLASERn and LASERn"));
  EXPECT_TRUE(contains(refusal("x_m,y_m,yaw_rad,range_m@0\n0,0,0,1\n", {.mount = mount}), "mount is for CARMEN"));
  // A mount of nothing does as little there.
  EXPECT_TRUE(contains(refusal(flaser(180, {}, 1), {.mount = PlanarPose{}}), "mount is for RAWLASERn and LASERn"));
  EXPECT_TRUE(contains(refusal(raw_laser("RAWLASER1", 4, 1)),
                       "holds no scans (RAWLASER1 lines, or CSV with x_m, y_m, yaw_rad); 1 scan was left out"));
}

/// What the way was at a ray: the pose of the scan, and the offset of the ray.
PlanarPose at_ray(const ScanLog& log, std::size_t scan, std::size_t ray) {
  const PlanarPose& p = log.pose[scan];
  if (log.ray_offset.empty()) return p;
  const ScanLog::RayOffset& o = log.offsets(scan)[ray];
  const double c = std::cos(p.yaw_rad), s = std::sin(p.yaw_rad);
  return {p.x_m + c * o.x_m - s * o.y_m, p.y_m + s * o.x_m + c * o.y_m, p.yaw_rad + o.yaw_rad};
}

TEST_F(CarmenLog, KnowsTheWayOfALaserDuringItsScans) {
  std::string old, robot, raw, csv = "stamp_s,x_m,y_m,yaw_rad,range_m@0,range_m@0.1,range_m@0.2,range_m@0.3\n";
  for (int i = 0; i < 20; ++i) {
    const double t = 0.1 * i;
    const PlanarPose p = logged_way(t);
    old += flaser(4, p, t), robot += robot_laser("ROBOTLASER1", 4, p, t);
    raw += odometry(p, t) + raw_laser("RAWLASER1", 4, t);
    csv += fmt::format("{},{},{},{},1,2,3,4\n", t, p.x_m, p.y_m, p.yaw_rad);
  }
  for (const auto& [text, is_old] :
       {std::pair(old, true), std::pair(robot, false), std::pair(raw, false), std::pair(csv, false)}) {
    ScanLogOptions options;
    options.ray_time_s = 0.03;
    if (is_old) options.ray_angle_deg = 1.0;
    const ScanLog log = read(text, options);
    ASSERT_EQ(log.scans(), 19U) << "the last scan's way ends behind the last pose";
    ASSERT_EQ(log.ray_offset.size(), log.range_m.size());
    for (std::size_t i = 0; i < log.scans(); ++i) {
      for (std::size_t k = 0; k < 4; ++k) {
        expect_pose(at_ray(log, i, k), way(0.1 * static_cast<double>(i) + 0.03 * static_cast<double>(k)), 1e-6);
      }
    }
    EXPECT_EQ(log.notes, std::vector<std::string>{"1 scan was left out: no pose is known then"});
    options.ray_time_s = 0.0;
    EXPECT_TRUE(read(text, options).ray_offset.empty());
  }
  EXPECT_TRUE(contains(refusal("x_m,y_m,yaw_rad,range_m@0\n1,2,3,4\n", {.ray_time_s = 0.1}),
                       "a.log:1: there is no column 'stamp_s'"));
  EXPECT_TRUE(contains(refusal(old, {.ray_time_s = 2.0}), "ray_time_s = 2 is not in [0, 1] s"));
}

TEST_F(CarmenLog, NamesFileAndLineOfWhatIsWrong) {
  const std::string good = robot_laser("ROBOTLASER1", 5, {}, 1), raw = raw_laser("RAWLASER1", 5, 1);
  const auto second = [&](const std::string& line) { return refusal(good + line); };
  EXPECT_TRUE(contains(second(robot_laser("ROBOTLASER1", 5, {}, 1, -1.5, 0.5, 30)),
                       "a.log:2: maximum_range = 30 m, after scans with 81.5 m"));
  EXPECT_TRUE(contains(refusal(robot_laser("ROBOTLASER1", 5, {}, 1, 7)), "a.log:1: start_angle = 7 rad"));
  EXPECT_TRUE(contains(refusal(robot_laser("ROBOTLASER1", 5, {}, 1, 0, 0)), "a.log:1: angular_resolution = 0 rad"));
  EXPECT_TRUE(contains(refusal(robot_laser("ROBOTLASER1", 5, {}, 1, 0, 1, 0)), "a.log:1: maximum_range = 0 m"));
  EXPECT_TRUE(contains(refusal(robot_laser("ROBOTLASER1", 5, {std::nan(""), 0, 0}, 1)), "a.log:1: laser_pose_x = nan"));
  EXPECT_TRUE(contains(refusal("RAWLASER1 1 2 3 4 5 6 7 100001\n"), "100001 is not a number of rays in [1, 100000]"));
  EXPECT_TRUE(
      contains(refusal("RAWLASER1 1 2 3 4 5 6 7 1 1.5 -1\n"), "-1 is not a number of remissions in [0, 100000]"));
  EXPECT_TRUE(contains(refusal(raw + "ODOM 1 2 x 0 0 0 1 h 1\n"), "a.log:2: theta = 'x' is not a number"));
}

/// Each ray of a scan points where that scan says, whichever of the scans has most of them.
TEST_F(CarmenLog, ScansMayDifferInTheirRays) {
  struct Fan {
    int rays;
    double start_rad, step_rad;
  };
  const std::vector<Fan> fans = {{4, -1.5, 0.5}, {6, -1, 0.25}, {4, -1.5, 0.5}, {6, -1.5, 0.5}, {1, 0.75, 0.5}};
  std::string text;
  for (const Fan& fan : fans) text += robot_laser("ROBOTLASER1", fan.rays, {}, 1, fan.start_rad, fan.step_rad);
  const ScanLog log = read(text);
  EXPECT_TRUE(log.has_own_rays);
  ASSERT_EQ(log.scans(), fans.size());
  ASSERT_EQ(log.rays(), 6U);
  EXPECT_NO_THROW(validate(log));
  for (std::size_t i = 0; i < fans.size(); ++i) {
    for (std::size_t k = 0; k < log.rays(); ++k) {
      const bool is_there = static_cast<int>(k) < fans[i].rays;
      EXPECT_EQ(log.scan(i)[k], is_there ? 1.0F + 0.25F * static_cast<float>(k) : -INFINITY);
      if (!is_there) continue;
      EXPECT_NEAR(log.azimuth_rad[k] + double{log.offsets(i)[k].yaw_rad},
                  fans[i].start_rad + static_cast<double>(k) * fans[i].step_rad, 1e-6);
    }
  }
  std::string wide = robot_laser("ROBOTLASER1", 6, {}, 1, -1.5, 0.5);
  wide.insert(wide.find(' '), 500, ' ');
  const ScanLog blanks = read(robot_laser("ROBOTLASER1", 4, {}, 1, -1.5, 0.5) + wide);
  EXPECT_EQ(blanks.rays(), 6U) << "however far behind the name the number of rays is";
  EXPECT_NO_THROW(validate(blanks));
  const ScanLog old = read(flaser(180, {}, 1) + flaser(181, {}, 1) + flaser(361, {}, 1));
  ASSERT_EQ(old.rays(), 361U);
  EXPECT_NEAR(old.azimuth_rad[7] + double{old.offsets(0)[7].yaw_rad}, (7 - 90) * kDeg, 1e-6);
  EXPECT_NEAR(old.azimuth_rad[180] + double{old.offsets(1)[180].yaw_rad}, 90 * kDeg, 1e-6);
  EXPECT_NEAR(old.azimuth_rad[180] + double{old.offsets(2)[180].yaw_rad}, 0, 1e-6);
  const ScanLog same = read(flaser(180, {}, 1) + flaser(180, {}, 2));
  EXPECT_FALSE(same.has_own_rays);
  EXPECT_TRUE(same.ray_offset.empty());
}

/// A line that is cut anywhere is refused or ignored.
TEST_F(CarmenLog, IsRefusedWhereverItIsCut) {
  const auto expect_cuts_seen = [&](const std::string& whole, const std::string& line) {
    for (std::size_t size = 1; size < line.size(); ++size) {
      const std::string message = refusal(whole + line.substr(0, size));
      const auto number = std::count(whole.begin(), whole.end(), '\n') + 1;
      EXPECT_TRUE(contains(message, fmt::format("a.log:{}: ", number))) << line.substr(0, size) << " " << message;
    }
    EXPECT_EQ(refusal(whole + line), "");
  };
  const std::string robot = robot_laser("ROBOTLASER1", 5, {}, 1);
  expect_cuts_seen(robot, robot);
  const std::string raw = odometry({}, 0) + odometry({}, 2) + raw_laser("RAWLASER1", 5, 1);
  expect_cuts_seen(raw, raw_laser("RAWLASER1", 5, 1.5));
  expect_cuts_seen(raw, odometry({}, 3));
  EXPECT_EQ(refusal(robot + odometry({}, 3).substr(0, 9)), "") << "which ROBOTLASER1 does not need";
}

TEST(PoseTrack, TakesTheShorterWayRound) {
  PoseTrack track;
  track.add(2.0, {4, 0, -3.0});
  track.add(1.0, {2, 0, 3.0});
  track.add(3.0, {9, 0, 0});
  track.add(3.0, {8, 0, 1});  // the last one holds
  track.sort();
  PlanarPose pose;
  EXPECT_FALSE(track.at(0.999, pose));
  EXPECT_FALSE(track.at(3.001, pose));
  EXPECT_FALSE(track.at(std::nan(""), pose));
  ASSERT_TRUE(track.at(1.5, pose));
  expect_pose(pose, {3, 0, std::numbers::pi}, 1e-12);
  ASSERT_TRUE(track.at(3.0, pose));
  EXPECT_EQ(pose, (PlanarPose{8, 0, 1}));
  ASSERT_TRUE(track.at(1.0, pose));
  EXPECT_EQ(pose, (PlanarPose{2, 0, 3}));
}

/// A real log, in which an ODOM line stands before each scan with the same time, and others have the time 0. The log
/// may not be shipped with the project.
TEST_F(CarmenLog, OfARealRobotIsReadByTimeToo) {
  const auto file = shared_data() / "logs/freiburg-079-corrected.log.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "skipped: no data";
  const ScanLog log = read_scan_log(file);
  const ScanLog timed = read_scan_log(file, {.ray_time_s = 1.0 / 75 / 720});
  ASSERT_GT(timed.scans(), 4780U);
  ASSERT_LT(timed.scans(), log.scans());
  for (std::size_t i = 0; i < timed.scans(); ++i) {
    for (const ScanLog::RayOffset& o : timed.offsets(i)) {
      ASSERT_LT(std::hypot(o.x_m, o.y_m), 0.02) << "in 7 ms";
      ASSERT_LT(std::abs(o.yaw_rad), 0.05);
    }
  }
  // The same log as one of a laser without poses.
  std::string text = read_gzip_text(file), raw;
  std::vector<PlanarPose> before;
  PlanarPose last;
  for_each_line(text, [&](std::size_t, std::string_view line) {
    const auto words = split_words(line);
    if (words.empty()) return;
    if (words[0] == "ODOM") {
      raw += std::string(line) + "\n";
      last = {*parse_number<double>(words[1]), *parse_number<double>(words[2]), *parse_number<double>(words[3])};
    }
    if (words[0] != "FLASER") return;
    before.push_back(last);
    raw += "RAWLASER1 0 -1.5708 3.1416 0.0087266 81.9 0.01 0 360";
    for (std::size_t i = 0; i < 360; ++i) raw += " " + std::string(words[2 + i]);
    raw += " 0 " + std::string(words[words.size() - 3]) + " h " + std::string(words.back()) + "\n";
  });
  const ScanLog of_odometry = read(raw);
  ASSERT_GT(of_odometry.scans(), 4780U);
  std::size_t same = 0;
  for (std::size_t i = 0; i < of_odometry.scans(); ++i) same += of_odometry.pose[i] == before[i] ? 1 : 0;
  EXPECT_GT(same, of_odometry.scans() * 9 / 10);
  EXPECT_TRUE(std::equal(of_odometry.range_m.begin(), of_odometry.range_m.end(), log.range_m.begin()));
}

}  // namespace
}  // namespace fathom::test
