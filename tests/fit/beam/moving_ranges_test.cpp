// SPDX-License-Identifier: MIT
// Expected ranges of a sensor that moves during its scan, against casts from each place alone.

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/fit/scan.hpp>
#include <fathom/fit/score.hpp>

#include "fit/beam/scans.hpp"
#include "support/error_text.hpp"

namespace fathom::moving_ranges_test {
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
  std::vector<RayOffset> offsets;
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
  const RayOffset& o = d.offsets[i];
  const double c = std::cos(d.pose.yaw_rad), s = std::sin(d.pose.yaw_rad);
  const PlanarPose there = {d.pose.x_m + c * o.x_m - s * o.y_m, d.pose.y_m + s * o.x_m + c * o.y_m,
                            d.pose.yaw_rad + o.yaw_rad};
  return RoundRoom::range(pose_from_planar(there), std::cos(d.azimuth_rad[i]), std::sin(d.azimuth_rad[i]));
}

RC_GTEST_PROP(MovingRanges, AreThoseFromEachPlaceAlone, ()) {
  const std::size_t rays = *rc::gen::inRange<std::size_t>(1, 200), step = *rc::gen::inRange<std::size_t>(1, 5);
  const Drive d = any_drive(rays);
  const RoundRoom room;
  MovingRanges moving(room, step);
  moving.follow(d.offsets);
  const RayFan fan = subsample(planar_fan(d.azimuth_rad), step);
  const std::array<Pose, 2> poses = {pose_from_planar(d.pose), pose_from_planar(d.pose)};
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
  const RayFan fan = planar_fan(azimuths);
  const Pose pose = pose_from_planar({1, -0.5, 0.25});
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
  EXPECT_EQ(test::input_error([&] { validate(log); }), "log: 1 ray offsets for 2 readings");
  log.ray_offset = {{}, {0.0F, NAN, 0.0F}};
  EXPECT_EQ(test::input_error([&] { validate(log); }), "log: the offset of ray 1 of scan 0 is not finite");
}

}  // namespace
}  // namespace fathom::moving_ranges_test
