// SPDX-License-Identifier: MIT
// Points of a turning lidar are told their rows by elevations, by rings that drivers count in their own way, and by
// neither where they are of another sensor.

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/wall_clouds.hpp>

#include "simulate/ring_rows.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

constexpr std::uint32_t kPointsInRow = 200;

/// Where rays of a row start and how high they go, beside what the sensor says.
struct RowPlace {
  double off_rad = 0.0, ahead_m = 0.0, above_m = 0.0;
};

/// Points 1 to 12 m away of every row of a lidar, in which rows follow each other.
CloudPoints cloud_of(const RingRows& rows, const std::function<RowPlace(std::size_t)>& place_of,
                     const std::function<std::uint32_t(std::size_t)>& ring_of = {}) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> even(0.0, 1.0);
  CloudPoints cloud;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const RowPlace place = place_of(row);
    for (std::uint32_t k = 0; k < kPointsInRow; ++k) {
      const double elevation = rows.elevation_rad(row) + place.off_rad, azimuth = 2.0 * std::numbers::pi * even(random);
      const double range_m = 1.0 + 11.0 * even(random), across = place.ahead_m + range_m * std::cos(elevation);
      cloud.at_m.push_back(
          {across * std::cos(azimuth), across * std::sin(azimuth), place.above_m + range_m * std::sin(elevation)});
      if (ring_of) cloud.ring.push_back(ring_of(row));
    }
  }
  return cloud;
}

std::size_t wrong_rows(const std::vector<TurnPoint>& points) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < points.size(); ++i) wrong += points[i].row == i / kPointsInRow ? 0 : 1;
  return wrong;
}

RingRows rows_of(const std::string& sensor) { return RingRows::of(find_wall_lidar(sensor)).value(); }

TEST(RingRowsTest, ElevationsTellRows) {
  for (const std::string sensor : {"VLP-16", "OS1-64"}) {
    const RingRows rows = rows_of(sensor);
    const CloudPoints cloud =
        cloud_of(rows, [](std::size_t row) { return RowPlace{.off_rad = row % 2 == 0 ? 5e-4 : 0}; });
    const std::vector<TurnPoint> points = rows.points_of(cloud, "cloud.pcd");
    ASSERT_EQ(points.size(), cloud.at_m.size());
    EXPECT_EQ(wrong_rows(points), 0U) << sensor;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const TurnPoint& p = points[i];
      const double across = p.range_m * std::cos(p.elevation_rad);
      EXPECT_LT(norm(cloud.at_m[i] - Vec3{across * std::cos(p.azimuth_rad), across * std::sin(p.azimuth_rad),
                                          p.range_m * std::sin(p.elevation_rad)}),
                1e-9);
    }
  }
}

TEST(RingRowsTest, RaysMayStartBesideTheSensorAsDriversHaveThem) {
  // velodyne_driver: 11.2 mm above the centre at the lowest ring, as much below it at the highest.
  const RingRows velodyne = rows_of("VLP-16");
  const auto above = [&](std::size_t row) {
    return RowPlace{.above_m = -0.0112 * velodyne.elevation_rad(row) / velodyne.elevation_rad(0)};
  };
  EXPECT_EQ(wrong_rows(velodyne.points_of(cloud_of(velodyne, above), "cloud.pcd")), 0U);
  // A unit of Ouster's has elevations of its own, rays that start 28 mm from its axis, and counts rings from the top.
  const RingRows ouster = rows_of("OS1-64");
  const auto ahead = [](std::size_t row) {
    return RowPlace{.off_rad = (static_cast<double>(row % 3) - 1.0) * 2e-3, .ahead_m = 0.028};
  };
  for (const bool from_top : {true, false}) {
    const auto ring = [&](std::size_t row) { return static_cast<std::uint32_t>(from_top ? row : 63 - row); };
    const auto points = ouster.points_of(cloud_of(ouster, ahead, ring), "cloud.pcd");
    ASSERT_EQ(points.size(), 64U * kPointsInRow);
    EXPECT_EQ(wrong_rows(points), 0U);
  }
}

TEST(RingRowsTest, RefusesOtherSensorsAndSaysByHowMuch) {
  const auto on_level = [](std::size_t) { return RowPlace{}; };
  const auto number = [](std::size_t row) { return static_cast<std::uint32_t>(row); };
  const std::array<std::array<std::string, 2>, 4> of = {
      {{"VLP-16-HiRes", "VLP-16"}, {"VLP-16", "VLP-16-HiRes"}, {"HDL-32E", "OS1-64"}, {"VLP-32C", "OS1-128"}}};
  for (const auto& [measured, given] : of) {
    const RingRows rows = rows_of(given);
    for (const bool has_ring : {true, false}) {
      const CloudPoints cloud =
          has_ring ? cloud_of(rows_of(measured), on_level, number) : cloud_of(rows_of(measured), on_level);
      const std::string message =
          message_of<InputError>([&] { static_cast<void>(rows.points_of(cloud, "cloud.pcd")); });
      EXPECT_TRUE(contains(message, "lie on no ring") || (has_ring && contains(message, "lie both at")))
          << measured << " as " << given << ": " << message;
      EXPECT_TRUE(contains(message, "cloud.pcd: ")) << message;
    }
  }
  const RingRows rows = rows_of("VLP-16");
  const CloudPoints raised = cloud_of(
      rows, [](std::size_t) { return RowPlace{.off_rad = 0.7 * kRadPerDeg}; }, number);
  EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(rows.points_of(raised, "cloud.pcd")); }),
                       "3200 of 3200 points lie on no ring of the lidar: in the median they are 0.70 degrees off"));
}

TEST(RingRowsTest, OfRowsThatAreNoConesThereAreNone) {
  WallSensor lidar = find_wall_lidar("VLP-16");
  EXPECT_TRUE(RingRows::of(lidar));
  lidar.lidar->direction[5] = {0.0, 0.0, 1.0};
  EXPECT_FALSE(RingRows::of(lidar));
}

}  // namespace
}  // namespace fathom::test
