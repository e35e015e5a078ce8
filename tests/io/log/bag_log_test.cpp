// SPDX-License-Identifier: MIT
// Scans of bags: the laser's pose at each ray, and the scans left out.

#include <fathom/files/log_files.hpp>

#include "io/bag/mcap_format.hpp"
#include "io/bag/mcap_writer.hpp"
#include "io/log/scan_lines.hpp"
#include "io/log/scan_taker.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

msg::Time time_at(double s) { return msg::time_of(s); }

msg::TransformStamped transform(const std::string& parent, const std::string& child, double s, const Pose& pose) {
  msg::TransformStamped t;
  t.header = {time_at(s), parent};
  t.child_frame_id = child;
  t.transform.translation = {pose.translation_m.x, pose.translation_m.y, pose.translation_m.z};
  t.transform.rotation = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w};
  return t;
}

/// Three rays, a tenth of a second apart.
msg::LaserScan scan_at(double s, const std::string& frame = "laser") {
  msg::LaserScan scan;
  scan.header = {time_at(s), frame};
  scan.angle_min = -0.5F, scan.angle_max = 0.5F, scan.angle_increment = 0.5F;
  scan.time_increment = 0.1F, scan.scan_time = 1.0F;
  scan.range_min = 0.5F, scan.range_max = 8.0F;
  scan.ranges = {1.0F, 2.0F, 3.0F};
  return scan;
}

class BagLog : public testing::Test {
 protected:
  BagLog() : writer_(folder_ / "drive.mcap") {
    tf_ = writer_.add_topic("/tf", msg::TFMessage::kType);
    static_ = writer_.add_topic("/tf_static", msg::TFMessage::kType);
    scan_ = writer_.add_topic("/scan", msg::LaserScan::kType);
  }
  void put_tf(const msg::TransformStamped& t) { writer_.write(tf_, 0, write_message(msg::TFMessage{{t}})); }
  void put_mount(const Pose& pose) {
    writer_.write(static_, 0, write_message(msg::TFMessage{{transform("base", "laser", 0, pose)}}));
  }
  void put(const msg::LaserScan& scan) { put(scan_, scan); }
  void put(std::uint16_t topic, const msg::LaserScan& scan) { writer_.write(topic, 0, write_message(scan)); }
  /// Straight on along x at 2 m/s from (1, 3), turning by 0.25 rad/s, from 0 to 10 s.
  void drive() {
    for (const double s : {0.0, 10.0}) {
      put_tf(transform("map", "base", s, {{1 + 2 * s, 3, 0}, from_roll_pitch_yaw(0, 0, 0.25 * s - 1.25)}));
    }
  }
  ScanLog read(const BagLogOptions& options = {}) {
    writer_.commit();
    return read_bag_log(folder_ / "drive.mcap", options);
  }
  std::string error(const BagLogOptions& options = {}) {
    const std::string text = input_error([&] { static_cast<void>(read(options)); });
    const std::string name = (folder_ / "drive.mcap").string() + ": ";
    EXPECT_EQ(text.rfind(name, 0), 0U) << text;
    return text.substr(std::min(text.size(), name.size()));
  }

  const TemporaryFolder folder_;
  McapWriter writer_;
  std::uint16_t tf_ = 0, static_ = 0, scan_ = 0;
};

TEST_F(BagLog, PlacesTheLaserAtTheTimeOfEachRay) {
  drive();
  put_mount({{0.3, 0.1, 0.2}, from_roll_pitch_yaw(0, 0, 1.0)});
  put(scan_at(2.0));
  put(scan_at(4.5));
  const ScanLog log = read();
  ASSERT_EQ(log.scans(), 2U);
  ASSERT_EQ(log.rays(), 3U);
  EXPECT_EQ(log.max_range_m, 8.0);
  EXPECT_TRUE(log.notes.empty());
  for (std::size_t scan = 0; scan < 2; ++scan) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(log.azimuth_rad[i], -0.5 + 0.5 * static_cast<double>(i), 1e-7);
      const double s = (scan == 0 ? 2.0 : 4.5) + 0.1 * static_cast<double>(i), turn = 0.25 * s - 1.25;
      const double x = 1 + 2 * s + 0.3 * std::cos(turn) - 0.1 * std::sin(turn);
      const double y = 3 + 0.3 * std::sin(turn) + 0.1 * std::cos(turn);
      const PlanarPose& p = log.pose[scan];
      const ScanLog::RayOffset& o = log.offsets(scan)[i];
      EXPECT_NEAR(p.x_m + o.x_m * std::cos(p.yaw_rad) - o.y_m * std::sin(p.yaw_rad), x, 1e-6);
      EXPECT_NEAR(p.y_m + o.x_m * std::sin(p.yaw_rad) + o.y_m * std::cos(p.yaw_rad), y, 1e-6);
      EXPECT_NEAR(p.yaw_rad + o.yaw_rad, turn + 1.0, 1e-6);
    }
  }
}

TEST_F(BagLog, HasNoOffsetsWhereTheLaserStoodStill) {
  put_tf(transform("map", "base", 0, {{1, 2, 0}, {}}));
  put_tf(transform("map", "base", 9, {{1, 2, 0}, {}}));
  put_mount({});
  put(scan_at(1.0));
  const ScanLog log = read();
  EXPECT_TRUE(log.ray_offset.empty());
  EXPECT_EQ(log.pose[0].x_m, 1.0);
}

TEST_F(BagLog, TurnsTheRaysOfALaserThatHangsUpsideDown) {
  drive();
  put_mount({{}, from_roll_pitch_yaw(3.14159265358979, 0, 0.25)});
  put(scan_at(5.0));
  const ScanLog log = read();
  EXPECT_NEAR(log.azimuth_rad[0], 0.5, 1e-7);
  EXPECT_NEAR(log.azimuth_rad[2], -0.5, 1e-7);
  EXPECT_NEAR(log.pose[0].yaw_rad, 0.25, 1e-6);
}

TEST_F(BagLog, TakesReadingsByTheRulesOfRep117) {
  drive();
  put_mount({});
  msg::LaserScan scan = scan_at(1.0);
  scan.ranges = {0.2F, 9.0F, -kInf};
  put(scan);
  scan.header.stamp = time_at(2.0), scan.ranges = {kNan, kInf, 7.9F};
  put(scan);
  const ScanLog log = read();
  const std::vector<float> wanted = {kNan, kInf, kNan, kNan, kInf, 7.9F};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(std::isnan(wanted[i]) ? std::isnan(log.range_m[i]) : log.range_m[i] == wanted[i]) << i;
  }
}

TEST_F(BagLog, LeavesOutWhatHasNoPlaceAndSaysSo) {
  drive();
  put_mount({});
  put(scan_at(9.9));  // its last ray is measured after the last transform
  put(scan_at(9.5));
  msg::LaserScan other = scan_at(3.0);
  other.header.frame_id = "else";
  put(other);
  put(scan_at(10.5));
  const ScanLog log = read();
  EXPECT_EQ(log.scans(), 1U);
  EXPECT_EQ(log.ray_offset.size(), 3U);
  const std::vector<std::string> notes = {"2 scans were left out: the way from 'laser' to 'map' is not known then",
                                          "1 scan was left out: the frame is not that of the first"};
  EXPECT_EQ(log.notes, notes);
}

/// As the drivers of RPLIDAR and LD06 send them: the number of rays, their angles and times differ from turn to turn.
TEST_F(BagLog, EachScanHasItsOwnRays) {
  for (const double roll : {0.0, std::numbers::pi}) {
    const std::string file = roll == 0.0 ? "level.mcap" : "hanging.mcap";
    McapWriter bag(folder_ / file);
    const std::uint16_t tf = bag.add_topic("/tf", msg::TFMessage::kType),
                        topic = bag.add_topic("/scan", msg::LaserScan::kType);
    for (const double s : {0.0, 10.0}) {
      const Pose pose = {{1 + 2 * s, 3, 0}, from_roll_pitch_yaw(roll, 0, 0.25 * s - 1.25)};
      bag.write(tf, 0, write_message(msg::TFMessage{{transform("map", "laser", s, pose)}}));
    }
    std::vector<msg::LaserScan> scans;
    for (const std::size_t rays : {std::size_t{4}, std::size_t{7}, std::size_t{5}, std::size_t{7}, std::size_t{1}}) {
      msg::LaserScan& scan = scans.emplace_back(scan_at(1.0 + 1.5 * static_cast<double>(scans.size())));
      scan.ranges.clear();
      for (std::size_t i = 0; i < rays; ++i) scan.ranges.push_back(1.0F + static_cast<float>(i));
      scan.angle_min = 0.01F * static_cast<float>(scans.size()) - 3.0F;
      scan.angle_increment = 6.0F / static_cast<float>(rays), scan.time_increment = 0.1F / static_cast<float>(rays);
      bag.write(topic, 0, write_message(scan));
    }
    bag.commit();
    const ScanLog log = read_bag_log(folder_ / file);
    EXPECT_TRUE(log.has_own_rays);
    EXPECT_TRUE(log.notes.empty());
    ASSERT_EQ(log.scans(), scans.size());
    ASSERT_EQ(log.rays(), 7U);
    EXPECT_NO_THROW(validate(log));
    for (std::size_t k = 0; k < scans.size(); ++k) {
      const msg::LaserScan& scan = scans[k];
      for (std::size_t i = 0; i < log.rays(); ++i) {
        if (i >= scan.ranges.size()) {
          EXPECT_EQ(log.scan(k)[i], -kInf);
          continue;
        }
        EXPECT_EQ(log.scan(k)[i], scan.ranges[i]);
        const double n = static_cast<double>(i);
        const double s = 1.0 + 1.5 * static_cast<double>(k) + double{scan.time_increment} * n;
        const double azimuth = double{scan.angle_min} + n * double{scan.angle_increment};
        const double bearing = 0.25 * s - 1.25 + (roll == 0.0 ? azimuth : -azimuth);
        const PlanarPose& p = log.pose[k];
        const ScanLog::RayOffset& o = log.offsets(k)[i];
        EXPECT_NEAR(p.x_m + o.x_m * std::cos(p.yaw_rad) - o.y_m * std::sin(p.yaw_rad), 1 + 2 * s, 1e-6);
        EXPECT_NEAR(std::remainder(p.yaw_rad + log.azimuth_rad[i] + double{o.yaw_rad} - bearing, 2 * std::numbers::pi),
                    0, 2e-6);
      }
    }
  }
}

/// One transform of NaN, one message of /tf that is cut, and scans that are cut or have no sense.
TEST_F(BagLog, LeavesOutWhatIsDamagedAndSaysSoInOneLine) {
  drive();
  put_tf(transform("map", "base", 5.0, {{kNan, 3, 0}, {}}));
  writer_.write(tf_, 0, "half a message");
  put_mount({});
  put(scan_at(1.0));
  msg::LaserScan wrong = scan_at(2.0);
  wrong.angle_min = kNan;
  put(wrong);
  wrong = scan_at(2.0), wrong.ranges.clear();
  put(wrong);
  writer_.write(scan_, 0, write_message(scan_at(2.0)).substr(0, 60));
  put(scan_at(6.0));
  const ScanLog log = read();
  ASSERT_EQ(log.scans(), 2U);
  EXPECT_NEAR(log.pose[1].x_m, 13.0, 1e-9) << "as if the transform of NaN were not there";
  EXPECT_FALSE(log.has_own_rays);
  ASSERT_EQ(log.notes.size(), 1U);
  EXPECT_EQ(log.notes[0], "5 parts are damaged and left out, the first: " + (folder_ / "drive.mcap").string() +
                              ": /tf: the transform from 'map' to 'base' has numbers that are not finite, or no "
                              "rotation");
}

TEST_F(BagLog, NamesFileAndTopicOfADamagedScan) {
  drive();
  put_mount({});
  put(scan_at(1.0));
  writer_.write(scan_, 0, write_message(scan_at(2.0)).substr(0, 60));
  const ScanLog log = read();
  ASSERT_EQ(log.notes.size(), 1U);
  const std::string place = (folder_ / "drive.mcap").string() + ": /scan: sensor_msgs/msg/LaserScan: ";
  EXPECT_TRUE(contains(log.notes[0], "1 part is damaged and left out, the first: " + place));
}

TEST_F(BagLog, NamesFileAndTopicWhereEveryScanIsDamaged) {
  drive();
  put_mount({});
  writer_.write(scan_, 0, write_message(scan_at(2.0)).substr(0, 60));
  EXPECT_EQ(error().rfind("/scan: sensor_msgs/msg/LaserScan: ", 0), 0U);
}

TEST_F(BagLog, NamesTheEncodingOfWhatItCannotRead) {
  const MessageType ros1 = {"sensor_msgs/LaserScan", "", "", {}};
  writer_.add_topic("/laser", ros1);
  writer_.add_topic("/empty", msg::LaserScan::kType);
  EXPECT_EQ(error(),
            "has no topic of sensor_msgs/msg/LaserScan in cdr; /empty is sensor_msgs/msg/LaserScan, without messages, "
            "/laser is sensor_msgs/LaserScan, encoded as 'cdr', /scan is sensor_msgs/msg/LaserScan, without messages");
}

TEST_F(BagLog, NamesOtherEncodingsThanThatOfRos2) {
  for (const std::string encoding : {"json", "ros1", "xcdr2"}) {
    std::string bytes(mcap::kMagic);
    mcap::Record()
        .number(std::uint16_t{1})
        .text(msg::LaserScan::kType.name)
        .text("ros2msg")
        .text("")
        .append_to(bytes, mcap::Op::kSchema);
    mcap::Record()
        .number(std::uint16_t{1})
        .number(std::uint16_t{1})
        .text("/laser")
        .text(encoding)
        .text("")
        .append_to(bytes, mcap::Op::kChannel);
    mcap::Record().number(std::uint32_t{0}).append_to(bytes, mcap::Op::kDataEnd);
    const auto file = folder_.write("other.mcap", bytes);
    const std::string said = input_error([&] { static_cast<void>(read_bag_log(file)); });
    EXPECT_TRUE(contains(said, "/laser is sensor_msgs/msg/LaserScan, encoded as '" + encoding + "'"));
    EXPECT_EQ(said.find("rosbags-convert") != std::string::npos, encoding == "ros1") << said;
  }
}

TEST_F(BagLog, AsksWhichOfSeveralLasers) {
  drive();
  put_mount({});
  const std::uint16_t rear = writer_.add_topic("/rear", msg::LaserScan::kType);
  put(scan_at(1.0));
  put(rear, scan_at(2.0));
  EXPECT_EQ(error(), "has several topics of scans, choose one of /rear, /scan");
  EXPECT_EQ(read_bag_log(folder_ / "drive.mcap", {.scan_topic = "/rear"}).pose[0].x_m, 5.0);
  EXPECT_EQ(input_error([&] { read_bag_log(folder_ / "drive.mcap", {.scan_topic = "/front"}); }),
            (folder_ / "drive.mcap").string() + ": has no scans on topic '/front', but on /rear, /scan");
}

// Rays by the thousand are placed many at a time; each is where the drive has it all the same, also in a scan during
// which a transform comes and the robot turns another way.
TEST_F(BagLog, PlacesTheRaysOfFastScansAsExactly) {
  const auto turn_at = [](double s) { return s < 5.0 ? 3.0 * s : 15.0 - 2.0 * (s - 5.0); };
  for (int k = 0; k <= 80; ++k) {
    const double s = 0.125 * k;
    put_tf(transform("map", "base", s, {{1 + 2 * s, 3, 0}, from_roll_pitch_yaw(0, 0, turn_at(s))}));
  }
  put_mount({{0.3, 0.1, 0.2}, from_roll_pitch_yaw(0, 0, 1.0)});
  for (const auto& [topic, ray_s] : {std::pair("/fast", 1.7e-5F), {"/slow", 2.8e-4F}, {"/back", -1.7e-5F}}) {
    const std::uint16_t id = writer_.add_topic(topic, msg::LaserScan::kType);
    for (const double s : {2.0, 4.0, 4.99, 6.1}) {
      msg::LaserScan scan = scan_at(s);
      scan.angle_increment = 1e-3F, scan.time_increment = ray_s;
      scan.ranges.assign(1000, 2.0F);
      put(id, scan);
    }
  }
  writer_.commit();
  for (const auto& [topic, ray_s] : {std::pair("/fast", 1.7e-5F), {"/slow", 2.8e-4F}, {"/back", -1.7e-5F}}) {
    const ScanLog log = read_bag_log(folder_ / "drive.mcap", {.scan_topic = topic});
    ASSERT_EQ(log.scans(), 4U);
    for (std::size_t scan = 0; scan < 4; ++scan) {
      const PlanarPose& p = log.pose[scan];
      for (std::size_t i = 0; i < 1000; ++i) {
        const double s = std::array{2.0, 4.0, 4.99, 6.1}[scan] + double{ray_s} * static_cast<double>(i);
        const double turn = turn_at(s);
        const ScanLog::RayOffset& o = log.offsets(scan)[i];
        ASSERT_NEAR(p.x_m + o.x_m * std::cos(p.yaw_rad) - o.y_m * std::sin(p.yaw_rad),
                    1 + 2 * s + 0.3 * std::cos(turn) - 0.1 * std::sin(turn), 2e-6);
        ASSERT_NEAR(p.y_m + o.x_m * std::sin(p.yaw_rad) + o.y_m * std::cos(p.yaw_rad),
                    3 + 0.3 * std::sin(turn) + 0.1 * std::cos(turn), 2e-6);
        ASSERT_NEAR(std::remainder(p.yaw_rad + o.yaw_rad - turn - 1.0, 2 * std::numbers::pi), 0.0, 2e-6);
      }
    }
  }
}

TEST_F(BagLog, PlacesSeveralLasersEachByItsOwnMount) {
  drive();
  writer_.write(static_, 0,
                write_message(msg::TFMessage{
                    {transform("base", "front", 0, {{0.5, 0.25, 0.1}, {}}),
                     transform("base", "rear", 0, {{-0.5, 0, 0.1}, from_roll_pitch_yaw(0, 0, std::numbers::pi)})}}));
  const std::uint16_t rear = writer_.add_topic("/rear", msg::LaserScan::kType);
  for (const double s : {1.0, 5.0, 8.0}) put(scan_at(s, "front")), put(rear, scan_at(s, "rear"));
  writer_.commit();
  const ScanLog front = read_bag_log(folder_ / "drive.mcap", {.scan_topic = "/scan"}),
                back = read_bag_log(folder_ / "drive.mcap", {.scan_topic = "/rear"});
  ASSERT_EQ(front.scans(), 3U);
  ASSERT_EQ(back.scans(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const double s = std::array{1.0, 5.0, 8.0}[i], turn = 0.25 * s - 1.25, x = 1 + 2 * s;
    EXPECT_NEAR(front.pose[i].x_m, x + 0.5 * std::cos(turn) - 0.25 * std::sin(turn), 1e-9);
    EXPECT_NEAR(front.pose[i].y_m, 3 + 0.5 * std::sin(turn) + 0.25 * std::cos(turn), 1e-9);
    EXPECT_NEAR(front.pose[i].yaw_rad, turn, 1e-9);
    EXPECT_NEAR(back.pose[i].x_m, x - 0.5 * std::cos(turn), 1e-9);
    EXPECT_NEAR(back.pose[i].y_m, 3 - 0.5 * std::sin(turn), 1e-9);
    EXPECT_NEAR(std::cos(back.pose[i].yaw_rad - turn), -1.0, 1e-12);
  }
}

TEST_F(BagLog, RefusesFramesThatNothingConnects) {
  drive();
  put(scan_at(1.0));
  EXPECT_EQ(error(), "nothing connects frame 'laser' with frame 'map'; frames: base map");
}

TEST_F(BagLog, RefusesALaserThatIsTilted) {
  drive();
  put_mount({{}, from_roll_pitch_yaw(0, 0.5, 0)});
  put(scan_at(1.0));
  EXPECT_EQ(error(), "the laser 'laser' is tilted by 29 degrees in 'map', at most 10 are allowed");
}

TEST_F(BagLog, RefusesABagWithoutScans) {
  drive();
  EXPECT_EQ(error(),
            "has no topic of sensor_msgs/msg/LaserScan in cdr; /scan is sensor_msgs/msg/LaserScan, without messages");
}

TEST_F(BagLog, RefusesScansThatAllLackAPlace) {
  drive();
  put_mount({});
  put(scan_at(11.0));
  EXPECT_EQ(error(), "no scan of topic '/scan' is left: 1 without a known way from 'laser' to 'map'");
}

TEST_F(BagLog, RefusesScansOfNoSense) {
  drive();
  put_mount({});
  msg::LaserScan scan = scan_at(1.0);
  scan.angle_increment = kNan;
  put(scan);
  EXPECT_EQ(
      error(),
      "/scan: a scan has angle_min -0.5, angle_increment nan, time_increment 0.1, range_max 8: not all are sound");
}

TEST(RayGrid, RefusesAnglesInDegrees) {
  for (const float first : {-90.0F, 0.0F}) {
    msg::LaserScan scan = scan_at(1.0);
    scan.angle_min = first, scan.angle_increment = 90.0F;
    const std::string text = test::input_error([&] { static_cast<void>(ray_grid(scan)); });
    EXPECT_TRUE(contains(text, "angle_increment 90, rad: are they in degrees?"));
  }
}

TEST_F(BagLog, KeepsScansOfMoreRaysAmongThoseThatAreLeftOut) {
  drive();
  put_mount({{0.3, 0.1, 0.2}, from_roll_pitch_yaw(std::numbers::pi, 0, 1.0)});
  msg::LaserScan other = scan_at(3.0);
  other.header.frame_id = "else";
  msg::LaserScan wide = scan_at(3.5);
  wide.ranges.push_back(1.0F);
  for (const msg::LaserScan& scan :
       {scan_at(-1.0), scan_at(0.5), other, scan_at(2.25), scan_at(9.9), wide, scan_at(4.0)}) {
    put(scan);
  }
  const ScanLog whole = read();
  ASSERT_EQ(whole.scans(), 4U);
  ASSERT_EQ(whole.notes.size(), 2U);
}

TEST_F(BagLog, RefusesALaserThatTurnsOver) {
  put_mount({});
  put_tf(transform("map", "base", 0, {}));
  put_tf(transform("map", "base", 4, {}));
  put_tf(transform("map", "base", 5, {{}, from_roll_pitch_yaw(std::numbers::pi, 0, 0)}));
  put_tf(transform("map", "base", 9, {{}, from_roll_pitch_yaw(std::numbers::pi, 0, 0)}));
  put(scan_at(1.0)), put(scan_at(6.0));
  const std::string whole = error();
  EXPECT_TRUE(contains(whole, "turns over"));
}

}  // namespace
}  // namespace fathom::test
