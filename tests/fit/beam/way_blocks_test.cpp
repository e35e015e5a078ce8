// SPDX-License-Identifier: MIT
// Stretches of the way follow distance and turning, not the number of scans.

#include <fathom/core/random.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/fit/score.hpp>

#include "fit/beam/scans.hpp"
#include "fit/beam/synthetic.hpp"

namespace fathom::test::way_blocks_test {
namespace {

using Poses = std::vector<PlanarPose>;

Poses drive(std::size_t scans, double step_m, double turn_rad = 0.0) {
  Poses poses;
  for (std::size_t i = 0; i < scans; ++i) {
    poses.push_back({static_cast<double>(i) * step_m, 0, static_cast<double>(i) * turn_rad});
  }
  return poses;
}

/// Each pose off by about this much.
Poses with_jitter(Poses poses, double m) {
  for (std::uint32_t i = 0; i < poses.size(); ++i) {
    const PhiloxBlock words = keyed_block({3, 0, 1}, i, 0);
    const NormalPair xy = normals_from_words(words.word[0], words.word[1]);
    poses[i].x_m += m * double(xy.first), poses[i].y_m += m * double(xy.second);
  }
  return poses;
}

// As where nothing is known of the way.
TEST(WayBlocks, UniformMotionGivesEqualNumbersOfScans) {
  for (const std::size_t scans : {41U, 120U, 480U, 2395U}) {
    for (const Poses& poses : {drive(scans, .37), drive(scans, .29, .11), drive(scans, 2.5)}) {
      const std::vector<std::uint32_t> block = blocks_of_way(poses, 40);
      for (std::size_t i = 0; i < scans; ++i) ASSERT_EQ(block[i], i * 40 / scans) << i << " of " << scans;
    }
  }
}

// Many scans a step: blocks differ from equal numbers by the scans of a step at most.
TEST(WayBlocks, SlowMotionIsEvenToo) {
  constexpr std::size_t kScans = 2000;
  const std::vector<std::uint32_t> block = blocks_of_way(with_jitter(drive(kScans, .02), .003), 40);
  ASSERT_EQ(block.back(), 39U);
  for (std::size_t b = 0; b < 40; ++b) {
    EXPECT_NEAR(static_cast<double>(std::count(block.begin(), block.end(), b)), kScans / 40.0, 14) << b;
  }
}

TEST(WayBlocks, ARobotThatStandsIsInOneBlock) {
  const Poses stands = with_jitter(drive(1000, 0), .02);
  EXPECT_TRUE(are_of_one_place(stands));
  EXPECT_EQ(blocks_of_way(stands, 40), std::vector<std::uint32_t>(1000));
  Poses turns = drive(1000, 0, .3);  // and sees the same walls
  EXPECT_EQ(blocks_of_way(turns, 40), std::vector<std::uint32_t>(1000));
  // It drives, waits for 5000 scans, and drives on.
  Poses poses = drive(400, .3), waits = with_jitter(Poses(5000, {119.7, 0, 0}), .02), on = drive(400, .3);
  for (PlanarPose& pose : on) pose.x_m += 120;
  poses.insert(poses.end(), waits.begin(), waits.end());
  poses.insert(poses.end(), on.begin(), on.end());
  const std::vector<std::uint32_t> block = blocks_of_way(poses, 40);
  EXPECT_EQ(block.back(), 39U);
  EXPECT_LE(block[5399] - block[400], 1U);
}

TEST(WayBlocks, AShortWayHasFewBlocks) {
  EXPECT_EQ(blocks_of_way(drive(500, .002), 40).back(), 3U);  // of 1 m
}

// Of the way between two logs, or of a pose that jumped, no block is made.
TEST(WayBlocks, JumpsTakeNoBlocks) {
  Poses poses = drive(300, .3), other = drive(300, .3);
  for (PlanarPose& pose : other) pose.y_m += 1e4;
  poses.insert(poses.end(), other.begin(), other.end());
  EXPECT_GE(blocks_of_way(poses, 40).back(), 37U);
}

// Logs that each stand somewhere else: each place is a block, however far the places are apart.
TEST(WayBlocks, PlacesThatAreFarApartAreABlockEach) {
  for (const double jitter_m : {0.0, .01}) {
    Poses poses;
    for (const double x_m : {0.0, 10.0, 11.0, 500.0}) {
      const Poses stands = with_jitter(Poses(100, {x_m, 0, 0}), jitter_m);
      poses.insert(poses.end(), stands.begin(), stands.end());
      const std::vector<std::uint32_t> block = blocks_of_way(poses, 40);
      for (std::size_t i = 0; i < poses.size(); ++i) ASSERT_EQ(block[i], i / 100) << i << " of " << poses.size();
    }
  }
}

TEST(WayBlocks, ErrorsOfOneStretchAreNotAvailable) {
  const BeamData data = simulate(kLaserTruth, kLaser, 5000, .5, 8, 3);
  FitOptions options;
  options.compute.threads = 1;
  options.stretch_of_scan.assign(50, 0);
  const BeamFit fit = fit_beam_model(data, kLaser, options);
  EXPECT_TRUE(std::isnan(fit["sigma_hit_m"].std_error) && std::isnan(fit["w_hit"].low_95));
  EXPECT_EQ(fit.blocks, 1U);
  for (std::uint32_t i = 0; i < 50; ++i) options.stretch_of_scan[i] = i * 40 / 50;
  const BeamFit given = fit_beam_model(data, kLaser, options);
  for (std::uint32_t i = 0; i < 50; ++i) options.stretch_of_scan[i] = i * 15 / 50;
  EXPECT_EQ(texts_of(fit_beam_model(data, kLaser, options).findings),
            std::vector<std::string>{"standard errors rest on 15 stretches only: they are rough, learn from at least "
                                     "20 scans, along a longer way"});
  options.stretch_of_scan.clear();
  const BeamFit counted = fit_beam_model(data, kLaser, options);
  EXPECT_EQ(given["sigma_hit_m"].std_error, counted["sigma_hit_m"].std_error);
  EXPECT_EQ(given["w_hit"].low_95, counted["w_hit"].low_95);
  options.stretch_of_scan.assign(49, 0);
  EXPECT_EQ(input_error([&] { fit_beam_model(data, kLaser, options); }), "stretches of 49 scans given for 50 scans");
  options.stretch_of_scan.assign(50, 0);
  options.stretch_of_scan[7] = 2;
  EXPECT_EQ(input_error([&] { fit_beam_model(data, kLaser, options); }),
            "scan 7 is in stretch 2, and the scan before in 0");
}

}  // namespace
}  // namespace fathom::test::way_blocks_test

// Expected ranges of a sensor that moves during its scan, against casts from each place alone.

namespace fathom::test::moving_ranges_test {
namespace {

/// Rays in a round room about the origin, whose wall is 5 m away: a closed form.
class RoundRoom final : public ExpectedRanges {
 public:
  static double range(const Pose& p, double x, double y) {
    const Vec3 d = rotate(p.rotation, {x, y, 0});
    const double b = p.translation_m.x * d.x + p.translation_m.y * d.y;
    const double c = p.translation_m.x * p.translation_m.x + p.translation_m.y * p.translation_m.y - 25.0;
    return -b + std::sqrt(b * b - c);
  }
  void cast(std::span<const Pose> world_from_sensor, const RayFan& rays, double max_range_m,
            std::span<float> range_m) const override {
    std::size_t k = 0;
    for (const Pose& p : world_from_sensor) {
      for (std::size_t i = 0; i < rays.size(); ++i) {
        range_m[k++] = static_cast<float>(std::min(max_range_m, range(p, rays.x[i], rays.y[i])));
      }
    }
  }
  [[nodiscard]] double floor_m() const override { return 0.0; }
};

struct Drive {
  std::vector<double> azimuth_rad;
  std::vector<ScanLog::RayOffset> offsets;
  PlanarPose pose;
};

Drive any_drive(std::size_t rays) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  Drive d;
  d.pose = {number(random), number(random), 3 * number(random)};
  for (std::size_t i = 0; i < rays; ++i) {
    d.azimuth_rad.push_back(std::numbers::pi * number(random));
    d.offsets.push_back(
        {static_cast<float>(number(random)), static_cast<float>(number(random)), static_cast<float>(number(random))});
  }
  return d;
}

/// Where the sensor was at ray i, put together by hand, and how far it is from there.
double alone(const Drive& d, std::size_t i) {
  const ScanLog::RayOffset& o = d.offsets[i];
  const double c = std::cos(d.pose.yaw_rad), s = std::sin(d.pose.yaw_rad);
  const PlanarPose there = {d.pose.x_m + c * o.x_m - s * o.y_m, d.pose.y_m + s * o.x_m + c * o.y_m,
                            d.pose.yaw_rad + o.yaw_rad};
  return RoundRoom::range(there.at_height(), std::cos(d.azimuth_rad[i]), std::sin(d.azimuth_rad[i]));
}

RC_GTEST_PROP(MovingRanges, AreThoseFromEachPlaceAlone, ()) {
  const std::size_t rays = *rc::gen::inRange<std::size_t>(1, 200), step = *rc::gen::inRange<std::size_t>(1, 5);
  const Drive d = any_drive(rays);
  const RoundRoom room;
  MovingRanges moving(room, step);
  moving.follow(d.offsets);
  const RayFan fan = RayFan::planar(d.azimuth_rad).every(step);
  const std::array<Pose, 2> poses = {d.pose.at_height(), d.pose.at_height()};
  std::vector<float> found(2 * fan.size());
  moving.cast(poses, fan, 100.0, found);
  for (std::size_t k = 0; k < found.size(); ++k) {
    RC_ASSERT(std::abs(found[k] - alone(d, (k % fan.size()) * step)) < 1e-5);
  }
}

TEST(MovingRanges, OfASensorThatStandsStillAreThoseOfTheFan) {
  const RoundRoom room;
  const MovingRanges moving(room, 1);
  const std::vector<double> azimuths = {-1.0, 0.0, 2.0};
  const RayFan fan = RayFan::planar(azimuths);
  const Pose pose = PlanarPose{1, -0.5, 0.25}.at_height();
  std::array<float, 3> wanted{}, found{};
  room.cast({&pose, 1}, fan, 100.0, wanted);
  moving.cast({&pose, 1}, fan, 100.0, found);
  EXPECT_EQ(wanted, found);
}

RC_GTEST_PROP(MovingRanges, MakePairsOfALog, ()) {
  const std::size_t rays = 7, scans = 40;
  ScanLog log;
  std::vector<Drive> drives;
  for (std::size_t i = 0; i < scans; ++i) drives.push_back(any_drive(rays));
  log.azimuth_rad = drives[0].azimuth_rad;
  for (Drive& d : drives) {
    d.azimuth_rad = log.azimuth_rad;
    log.pose.push_back(d.pose);
    log.ray_offset.insert(log.ray_offset.end(), d.offsets.begin(), d.offsets.end());
  }
  log.range_m.assign(scans * rays, 1.0F);
  const std::vector<std::uint32_t> chosen = select_scans("1::3", scans);
  const BeamData data = make_beam_data(log, chosen, RoundRoom(), 100.0, {.threads = 2});
  for (std::size_t k = 0; k < data.expected_m.size(); ++k) {
    RC_ASSERT(std::abs(data.expected_m[k] - alone(drives[chosen[k / rays]], k % rays)) < 1e-5);
  }
}

TEST(MovingRanges, OffsetsOfALogMustBeSound) {
  ScanLog log;
  log.azimuth_rad = {0.0, 1.0}, log.pose = {{}}, log.range_m = {1.0F, 2.0F};
  log.ray_offset = {{}};
  EXPECT_EQ(input_error([&] { validate(log); }), "log: 1 ray offsets for 2 readings");
  log.ray_offset = {{}, {0.0F, NAN, 0.0F}};
  EXPECT_EQ(input_error([&] { validate(log); }), "log: the offset of ray 1 of scan 0 is not finite");
}

}  // namespace
}  // namespace fathom::test::moving_ranges_test
