// SPDX-License-Identifier: MIT
// Clouds for calibration: bytes as messages lay them out, rows by elevation or ring, firings by azimuth.

#include <fathom/fit/frames.hpp>

#include "fit/frames/cloud_frames.hpp"
#include "io/message/cdr.hpp"
#include "io/message/sensors.hpp"
#include "support/expect.hpp"

namespace fathom {
namespace {

/// Rows of 2 points, with 4 spare bytes after each row.
CloudPoints read_points(const test::TemporaryFolder& folder, bool is_bigendian, std::uint32_t count = 1) {
  std::vector<std::uint32_t> words;
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 6; ++i) words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(6 * row + i)));
    words.push_back(0);
  }
  if (is_bigendian) {
    for (std::uint32_t& word : words) word = __builtin_bswap32(word);
  }
  msg::PointCloud2 cloud;
  cloud.height = 2, cloud.width = 2, cloud.point_step = 12, cloud.row_step = 28;
  cloud.is_bigendian = is_bigendian;
  cloud.point_fields = {{"x", count == 0 ? 12U : 0U, 7, count}, {"y", 4, 7, 1}, {"z", 8, 7, 1}};
  cloud.data = std::as_bytes(std::span(words));
  const std::string bytes = write_message(cloud);
  return read_cloud_points(folder.write("a.cdr", bytes));
}

TEST(CloudPoints, RowsMayBePaddedAndBytesOfEitherOrder) {
  const test::TemporaryFolder folder;
  for (const bool is_bigendian : {false, true}) {
    const CloudPoints points = read_points(folder, is_bigendian);
    ASSERT_EQ(points.at_m.size(), 4U);
    EXPECT_EQ(points.at_m[1], (Vec3{3, 4, 5}));
    EXPECT_EQ(points.at_m[2], (Vec3{6, 7, 8}));
    EXPECT_EQ(points.at_m[3], (Vec3{9, 10, 11}));
  }
}

TEST(CloudPoints, ACoordinateOfNoValueIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(test::contains(test::message_of<InputError>([&] { read_points(folder, false, 0); }),
                             "a.cdr: its x is no float32 or float64"));
}

}  // namespace
}  // namespace fathom

namespace fathom::test {
namespace {

constexpr std::uint32_t kPointsInRow = 200;

/// Deviations of a row from the sensor's description: the start of its rays and their elevation.
struct RowPlace {
  double off_rad = 0.0, ahead_m = 0.0, above_m = 0.0;
};

/// Points of every row of a lidar, 1 to 12 m away, row by row.
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

std::size_t wrong_rows(const std::vector<RevolutionPoint>& points) {
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
    const std::vector<RevolutionPoint> points = rows.points_of(cloud, "cloud.pcd");
    ASSERT_EQ(points.size(), cloud.at_m.size());
    EXPECT_EQ(wrong_rows(points), 0U) << sensor;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const RevolutionPoint& p = points[i];
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
  // A lidar of Ouster's: calibrated elevations, rays that start 28 mm from its axis, and rings counted from the top.
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

struct MadeRevolution {
  std::vector<RevolutionPoint> points;
  std::vector<std::size_t> firing;  ///< of each point
  std::vector<double> azimuth_rad;  ///< of each firing
};

struct RevolutionMaker {
  std::size_t rows = 16, firings = 1800;
  double step_rad = 0.2 * kRadPerDeg, start_rad = 1.0, lost = 0.1;
  double encoder_rad = 0.01 * kRadPerDeg;
  double sway_rad = 0.0;  ///< by which azimuths go to and fro in a revolution
  std::vector<double> row_offset_rad = std::vector<double>(rows, 0.0);

  [[nodiscard]] MadeRevolution make(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::bernoulli_distribution loses(lost);
    MadeRevolution revolution;
    for (std::size_t k = 0; k < firings; ++k) {
      const double at = static_cast<double>(k);
      revolution.azimuth_rad.push_back(start_rad + step_rad * at + encoder_rad * normal(random) +
                                       sway_rad * std::sin(2.0 * std::numbers::pi * at / static_cast<double>(firings)));
      for (std::size_t row = 0; row < rows; ++row) {
        if (loses(random)) continue;
        const double off = row_offset_rad[row];
        revolution.points.push_back(
            {.row = static_cast<std::uint32_t>(row),
             .azimuth_rad = std::remainder(revolution.azimuth_rad.back() + off, 2.0 * std::numbers::pi)});
        revolution.firing.push_back(k);
      }
    }
    return revolution;
  }
};

/// Each found column holds points of one firing only, and each firing is in at most one column.
void expect_firings(const MadeRevolution& revolution, const RevolutionGrid& grid) {
  std::vector<std::set<std::size_t>> of_column(grid.azimuth_rad.size());
  std::vector<std::set<std::uint32_t>> of_firing(revolution.azimuth_rad.size());
  for (std::size_t i = 0; i < revolution.points.size(); ++i) {
    if (!grid.column[i]) continue;
    of_column[*grid.column[i]].insert(revolution.firing[i]), of_firing[revolution.firing[i]].insert(*grid.column[i]);
  }
  for (const auto& firings : of_column) RC_ASSERT(firings.size() == 1U);
  for (const auto& columns : of_firing) RC_ASSERT(columns.size() <= 1U);
  RC_ASSERT(std::is_sorted(grid.azimuth_rad.begin(), grid.azimuth_rad.end()));
}

std::size_t taken(const RevolutionGrid& grid) {
  return static_cast<std::size_t>(
      std::count_if(grid.column.begin(), grid.column.end(), [](const auto& column) { return column.has_value(); }));
}

/// With a point in a column.
std::size_t fewest_rows(const MadeRevolution& revolution, const RevolutionGrid& grid) {
  std::vector<std::size_t> rows_of(grid.azimuth_rad.size(), 0);
  for (std::size_t i = 0; i < revolution.points.size(); ++i) {
    if (grid.column[i]) ++rows_of[*grid.column[i]];
  }
  return *std::min_element(rows_of.begin(), rows_of.end());
}

RC_GTEST_PROP(RevolutionGridTest, ColumnsAreFirings, ()) {
  RevolutionMaker maker;
  maker.step_rad *= 1.0 + 0.003 * *rc::gen::inRange(-100, 101) / 100.0;
  maker.start_rad = *rc::gen::inRange(-314, 315) / 100.0;
  maker.lost = *rc::gen::element(0.0, 0.05, 0.4);
  maker.rows = *rc::gen::element<std::size_t>(2, 16);
  maker.firings =
      static_cast<std::size_t>(2.0 * std::numbers::pi / maker.step_rad) - *rc::gen::inRange<std::size_t>(0, 3);
  maker.sway_rad = *rc::gen::element(0.0, 0.002);
  // Lasers fire one after the other, within five eighths of a step.
  maker.row_offset_rad.clear();
  for (std::size_t row = 0; row < maker.rows; ++row) {
    maker.row_offset_rad.push_back(-0.625 * maker.step_rad * static_cast<double>(row * 7 % maker.rows) /
                                   static_cast<double>(maker.rows));
  }
  const MadeRevolution revolution = maker.make(*rc::gen::arbitrary<std::uint64_t>());
  const RevolutionGrid grid = find_revolution_grid(revolution.points, maker.row_offset_rad);
  RC_ASSERT(grid.is_regular);
  RC_ASSERT(std::abs(grid.step_rad / maker.step_rad - 1.0) < 0.01);
  expect_firings(revolution, grid);
  if (maker.lost == 0.0) RC_ASSERT(fewest_rows(revolution, grid) == maker.rows);
  // Points are left out only where the revolution starts.
  RC_ASSERT(static_cast<double>(taken(grid)) > 0.99 * static_cast<double>(revolution.points.size()));
}

/// Drivers that count packets let a revolution overlap itself.
TEST(RevolutionGridTest, AnOverlapOfARevolutionIsLeftOut) {
  RevolutionMaker maker;
  for (const double step_deg : {0.199, 0.2, 0.2003}) {
    maker.step_rad = step_deg * kRadPerDeg, maker.firings = 1824;
    const MadeRevolution revolution = maker.make(3);
    const RevolutionGrid grid = find_revolution_grid(revolution.points, maker.row_offset_rad);
    ASSERT_TRUE(grid.is_regular) << step_deg;
    EXPECT_GT(static_cast<double>(taken(grid)), 0.96 * static_cast<double>(revolution.points.size())) << step_deg;
    // With 16 rows that lose a tenth, all 2000 columns show at least 7 rows; half a firing would show fewer.
    EXPECT_GE(fewest_rows(revolution, grid), 7U) << step_deg;
  }
}

/// Rows that look several degrees to the side share azimuths with firings of another part of the revolution.
TEST(RevolutionGridTest, RowsMayLookAside) {
  RevolutionMaker maker;
  for (std::size_t row = 0; row < maker.rows; ++row) {
    maker.row_offset_rad[row] = (row % 2 == 0 ? 4.2 : -1.4) * kRadPerDeg;
  }
  maker.lost = 0.0;
  const MadeRevolution revolution = maker.make(5);
  const RevolutionGrid grid = find_revolution_grid(revolution.points, maker.row_offset_rad);
  ASSERT_TRUE(grid.is_regular);
  EXPECT_GT(static_cast<double>(taken(grid)), 0.9 * static_cast<double>(revolution.points.size()));
  EXPECT_EQ(fewest_rows(revolution, grid), maker.rows);  // nothing was lost
}

TEST(RevolutionGridTest, HalfAsManyColumnsAreHalfAsMany) {
  RevolutionMaker maker;
  maker.step_rad *= 2.0, maker.firings = 899;
  const MadeRevolution revolution = maker.make(6);
  const RevolutionGrid grid = find_revolution_grid(revolution.points, maker.row_offset_rad);
  EXPECT_TRUE(grid.is_regular);
  EXPECT_LE(grid.azimuth_rad.size(), 899U);
  EXPECT_NEAR(grid.step_rad, maker.step_rad, 0.01 * maker.step_rad);
}

TEST(RevolutionGridTest, AzimuthsWithoutAGridAreCells) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> anywhere(-std::numbers::pi, std::numbers::pi);
  std::vector<RevolutionPoint> points;
  for (std::uint32_t i = 0; i < 20'000; ++i) points.push_back({.row = i % 16, .azimuth_rad = anywhere(random)});
  const RevolutionGrid grid = find_revolution_grid(points, std::vector<double>(16, 0.0));
  EXPECT_FALSE(grid.is_regular);
  std::vector<std::vector<std::pair<double, std::uint32_t>>> rows(16);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_TRUE(grid.column[i]);
    ASSERT_LT(*grid.column[i], grid.azimuth_rad.size());
    rows[points[i].row].emplace_back(points[i].azimuth_rad, *grid.column[i]);
  }
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    for (std::size_t i = 1; i < row.size(); ++i) EXPECT_LT(row[i - 1].second, row[i].second);
  }
}

TEST(RevolutionGridTest, FewPointsAreNoGridAndTwoAtAnAzimuthAreRefused) {
  EXPECT_FALSE(find_revolution_grid({}, std::vector<double>(16, 0.0)).is_regular);
  const std::vector<RevolutionPoint> few = {{.row = 1, .azimuth_rad = 0.1}, {.row = 2, .azimuth_rad = 0.2}};
  EXPECT_EQ(find_revolution_grid(few, std::vector<double>(16, 0.0)).column.size(), 2U);
  MadeRevolution revolution = RevolutionMaker{}.make(8);
  const std::vector<RevolutionPoint> once = revolution.points;
  revolution.points.insert(revolution.points.end(), once.begin(), once.end());
  EXPECT_TRUE(contains(message_of<InputError>([&] {
                         static_cast<void>(find_revolution_grid(revolution.points, std::vector<double>(16, 0.0)));
                       }),
                       "have another one of their ring at their azimuth"));
}

}  // namespace
}  // namespace fathom::test
