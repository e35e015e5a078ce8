// SPDX-License-Identifier: MIT
// Where could a scan have been made: against scoring pose by pose, in maps that are turned, and as a picture.

#include <fathom/fit/score.hpp>
#include <fathom/scene/expected_ranges.hpp>

#include "io/picture/png_reader.hpp"

namespace fathom::test::heatmap_test {
namespace {

/// An L-shaped room of 6 m x 4 m with cells of 0.1 m, in unknown ground, turned and moved in the world: no symmetry.
GridMap room(PlanarPose world_from_map = {}) {
  GridMap map;
  map.rows = 50, map.cols = 70, map.resolution_m = 0.1, map.world_from_map = world_from_map;
  map.cells.assign(std::size_t{map.rows} * map.cols, Cell::kUnknown);
  for (std::uint32_t r = 5; r < 45; ++r) {
    for (std::uint32_t c = 5; c < 65; ++c) {
      const bool outside = r >= 25 && c >= 45;
      const bool wall = r == 5 || c == 5 || r == 44 || c == 64 || (r == 24 && c >= 44) || (c == 44 && r >= 24);
      if (!outside || wall) map.cells[std::size_t{r} * map.cols + c] = wall ? Cell::kOccupied : Cell::kFree;
    }
  }
  return map;
}

struct Case {
  explicit Case(PlanarPose world_from_map = {}) : map(room(world_from_map)), expected(make_grid_ranges(map)) {
    std::vector<double> azimuth_rad;
    for (int i = 0; i < 45; ++i) azimuth_rad.push_back((i - 22) * 8 * std::numbers::pi / 180);
    fan = RayFan::planar(azimuth_rad);
  }
  /// What an exact sensor reads there.
  [[nodiscard]] std::vector<float> scan(const PlanarPose& pose) const {
    std::vector<float> range_m(fan.size());
    const Pose world_from_sensor = pose.at_height();
    expected->cast({&world_from_sensor, 1}, fan, sensor.max_range_m, range_m);
    return range_m;
  }

  BeamParameters parameters = {.8, .05, .05, .1, .08, .5};
  BeamSensor sensor = {.max_range_m = 12, .expected_floor_m = .05};
  GridMap map;
  std::unique_ptr<ExpectedRanges> expected;
  RayFan fan;
};

TEST(FreePositions, AreCentresOfFreeCells) {
  const PlanarPose world_from_map = {3, -2, .7};
  const GridMap map = room(world_from_map);
  for (const double spacing_m : {.1, .2, .35, 1.0}) {
    const PositionGrid grid = free_positions(map, spacing_m);
    std::size_t wanted = 0;
    for (std::uint32_t r = 0; r < grid.rows; ++r) {
      for (std::uint32_t c = 0; c < grid.cols; ++c) {
        const PlanarPose p = grid.position(r, c);
        // Back into the map, written out once more: rotate by -yaw about the origin.
        const double dx = p.x_m - 3, dy = p.y_m + 2;
        const double col = (std::cos(.7) * dx + std::sin(.7) * dy) / .1,
                     row = (std::cos(.7) * dy - std::sin(.7) * dx) / .1;
        EXPECT_NEAR(col - std::floor(col), .5, 1e-6);
        EXPECT_NEAR(row - std::floor(row), .5, 1e-6);
        const Cell cell = map.cells[static_cast<std::size_t>(row) * map.cols + static_cast<std::size_t>(col)];
        EXPECT_EQ(grid.wanted[std::size_t{r} * grid.cols + c] != 0, cell == Cell::kFree);
        wanted += grid.wanted[std::size_t{r} * grid.cols + c];
      }
    }
    EXPECT_GT(wanted, 10U);
    EXPECT_LT(50 * .1 - grid.rows * grid.spacing_m, grid.spacing_m);
  }
}

TEST(Heatmap, IsTheBestHeadingScoredOneByOne) {
  const Case c;
  const std::vector<float> reading_m = c.scan({1.75, 2.15, .4});
  HeatmapOptions options;
  options.headings = 12;
  options.score.compute.threads = 2;
  const PositionGrid grid = free_positions(c.map, .6);
  const Heatmap heatmap = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, reading_m, grid, options);
  ScanScorer scorer(c.parameters, c.sensor, *c.expected, c.fan);
  for (std::uint32_t i = 0; i < grid.rows * grid.cols; ++i) {
    if (grid.wanted[i] == 0) {
      EXPECT_TRUE(std::isnan(heatmap.log_likelihood[i]));
      continue;
    }
    double best = -std::numeric_limits<double>::infinity();
    for (int h = 0; h < 12; ++h) {
      PlanarPose pose = grid.position(i / grid.cols, i % grid.cols);
      pose.yaw_rad = 2 * std::numbers::pi * h / 12;
      const Pose world_from_sensor = pose.at_height();
      double score = 0;
      scorer.score({&world_from_sensor, 1}, reading_m, {&score, 1});
      best = std::max(best, score);
    }
    EXPECT_NEAR(heatmap.log_likelihood[i], best, 1e-9 * std::abs(best));
  }
}

TEST(Heatmap, FindsThePose) {
  const Case c({-4, 11, -2.1});
  const PositionGrid grid = free_positions(c.map, .1);
  PlanarPose truth = grid.position(30, 20);
  truth.yaw_rad = 2 * std::numbers::pi * 17 / 60 - 2 * std::numbers::pi;
  HeatmapOptions options;
  options.headings = 60;
  const Heatmap heatmap = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, c.scan(truth), grid, options);
  EXPECT_NEAR(heatmap.best.x_m, truth.x_m, 1e-9);
  EXPECT_NEAR(heatmap.best.y_m, truth.y_m, 1e-9);
  EXPECT_NEAR(std::remainder(heatmap.best.yaw_rad - truth.yaw_rad, 2 * std::numbers::pi), 0, 1e-9);
  EXPECT_EQ(heatmap.rays, c.fan.size());
}

TEST(Heatmap, RefinesTheBestPositionBetweenThoseOfACoarseGrid) {
  const Case c({-4, 11, -2.1});
  const PositionGrid grid = free_positions(c.map, .4);
  HeatmapOptions options;
  options.headings = 40;
  ScanScorer scorer(c.parameters, c.sensor, *c.expected, c.fan);
  for (const auto& [row, col, turn] : {std::tuple(7.3, 5.4, .33), std::tuple(3.5, 9.5, .5), std::tuple(4.2, 3.8, .1)}) {
    PlanarPose truth = grid.world_from_grid;
    const double x = col * grid.spacing_m, y = row * grid.spacing_m, yaw = grid.world_from_grid.yaw_rad;
    truth.x_m += std::cos(yaw) * x - std::sin(yaw) * y, truth.y_m += std::sin(yaw) * x + std::cos(yaw) * y;
    truth.yaw_rad = turn;
    const std::vector<float> reading_m = c.scan(truth);
    const Heatmap heatmap = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, reading_m, grid, options);
    const Pose world_from_sensor = truth.at_height();
    double at_truth = 0.0;
    scorer.score({&world_from_sensor, 1}, reading_m, {&at_truth, 1});
    EXPECT_GT(heatmap.refined_log_likelihood, heatmap.best_log_likelihood);
    EXPECT_GT(heatmap.refined_log_likelihood, at_truth - 1.0) << "not worse than the truth for want of positions";
    EXPECT_NEAR(heatmap.refined.x_m, truth.x_m, .05);
    EXPECT_NEAR(heatmap.refined.y_m, truth.y_m, .05);
    EXPECT_NEAR(std::remainder(heatmap.refined.yaw_rad - turn, 2 * std::numbers::pi), 0, .02);
  }
}

TEST(Heatmap, DoesNotDependOnThreads) {
  const Case c;
  const std::vector<float> reading_m = c.scan({1.75, 2.15, .4});
  const PositionGrid grid = free_positions(c.map, .3);
  HeatmapOptions one, three;
  one.headings = three.headings = 40;
  one.score.compute.threads = 1, three.score.compute.threads = 3;
  const Heatmap a = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, reading_m, grid, one);
  const Heatmap b = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, reading_m, grid, three);
  EXPECT_EQ(a.refined_log_likelihood, b.refined_log_likelihood);
  EXPECT_EQ(a.refined.x_m, b.refined.x_m);
  for (std::size_t i = 0; i < grid.wanted.size(); ++i) {
    if (grid.wanted[i] == 0) continue;
    EXPECT_EQ(a.log_likelihood[i], b.log_likelihood[i]);
    EXPECT_EQ(a.yaw_rad[i], b.yaw_rad[i]);
  }
}

TEST(Heatmap, RefusesWhatCannotBe) {
  const Case c;
  const auto heatmap = [&](const PositionGrid& grid, std::size_t readings) {
    return input_error([&] {
      static_cast<void>(make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, std::vector<float>(readings), grid));
    });
  };
  PositionGrid grid = free_positions(c.map, .5);
  EXPECT_TRUE(contains(heatmap(grid, 44), "44 readings given for 45 rays"));
  grid.wanted.pop_back();
  EXPECT_TRUE(contains(heatmap(grid, 45), "marks for"));
  EXPECT_TRUE(contains(heatmap({}, 45), "no position"));
  EXPECT_TRUE(contains(input_error([&] { free_positions(c.map, std::nan("")); }), "spacing_m = nan"));
}

TEST(HeatmapPicture, ShowsWallsHeatAndTheTruePose) {
  const Case c;
  const PlanarPose truth = {1.75, 2.15, .4};
  HeatmapOptions options;
  options.headings = 30;
  const Heatmap heatmap =
      make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, c.scan(truth), free_positions(c.map, .2), options);
  const TemporaryFolder folder;
  Heatmap::Picture picture;
  picture.pixels = 400;
  picture.truth = truth;
  write_heatmap(folder.path() / "heat.png", heatmap, c.map, picture);
  const Picture image = read_png(folder.path() / "heat.png");
  EXPECT_EQ(image.width, 400U);
  const auto has_ink = [&](const Picture& of, Pixel color, std::uint32_t top) {
    std::size_t count = 0;
    for (std::uint32_t y = top; y < of.height; ++y) {
      for (std::uint32_t x = 0; x < of.width; ++x) count += of.at(x, y) == color ? 1 : 0;
    }
    return count;
  };
  // The foot: a bar from the lowest to the highest colour, the scale in metres, and what the marks are.
  const std::uint32_t map_height = image.height - 2 * 19 - (19 + 18 + 9 + 3 + 19);
  const std::uint32_t bar_y = map_height + 9 + 19 + 4;
  EXPECT_EQ(image.at(9, bar_y), (Pixel{27, 12, 65}));
  EXPECT_EQ(image.at(400 - 10, bar_y), (Pixel{250, 240, 130}));
  EXPECT_GT(has_ink(image, {235, 238, 245}, image.height - 38), 60U) << "a bar of 65 pixels or more";
  EXPECT_GT(has_ink(image, {64, 224, 255}, image.height - 38), 0U) << "best pose";
  EXPECT_GT(has_ink(image, {255, 255, 255}, image.height - 38), 0U) << "pose in the log";
  EXPECT_EQ(has_ink(image, {92, 236, 150}, image.height - 38), 0U) << "no readings are drawn";
  picture.truth.reset();
  picture.scan_hits_world = {{1, 1, 0}};
  write_heatmap(folder.path() / "other.png", heatmap, c.map, picture);
  const Picture other = read_png(folder.path() / "other.png");
  EXPECT_EQ(has_ink(other, {255, 255, 255}, other.height - 38), 0U);
  EXPECT_GT(has_ink(other, {92, 236, 150}, other.height - 38), 0U);
  std::size_t white = 0, wall = 0;
  for (const auto& pixel : image.pixels) {
    white += pixel == Pixel{255, 255, 255} ? 1 : 0;
    wall += pixel == Pixel{214, 220, 230} ? 1 : 0;
  }
  EXPECT_GT(white, 20U);
  const auto cells = static_cast<double>(std::count(c.map.cells.begin(), c.map.cells.end(), Cell::kOccupied));
  const double pixels_per_cell = 400 / 65.6;  // 60 cells, and a margin of 3 % and a cell on both sides
  EXPECT_GT(static_cast<double>(wall), 0.9 * cells * pixels_per_cell * pixels_per_cell) << "marks cover some";
  EXPECT_LT(static_cast<double>(wall), 1.05 * cells * pixels_per_cell * pixels_per_cell);
}

TEST(HeatmapPicture, IsWhiteForPrint) {
  const Case c;
  const Heatmap heatmap = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, c.scan({1, 1, 0}),
                                       free_positions(c.map, .5), {.headings = 8});
  const TemporaryFolder folder;
  write_heatmap(folder.path() / "light.png", heatmap, c.map, {.theme = Theme::kLight, .pixels = 400});
  const auto image = read_png(folder.path() / "light.png");
  EXPECT_EQ(image.at(0, 0), (Pixel{255, 255, 255}));
  EXPECT_EQ(image.at(image.width - 1, image.height - 1), (Pixel{255, 255, 255}));
  EXPECT_EQ(std::ranges::count(image.pixels, Pixel{14, 16, 22}), 0);
  EXPECT_GT(std::ranges::count(image.pixels, Pixel{52, 61, 72}), 1000) << "walls";
}

TEST(HeatmapPicture, RefusesNamesOfOtherFormats) {
  EXPECT_EQ(input_error([] { write_heatmap("out/h.jpg", {}, {}); }), "out/h.jpg: the picture is a PNG; name it .png");
  EXPECT_NE(input_error([] { check_heatmap_name(""); }), "");
  check_heatmap_name("out/h.PNG");
}

TEST(HeatmapPicture, RefusesASizeThatIsNone) {
  const Case c;
  const Heatmap heatmap =
      make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, c.scan({1, 1, 0}), free_positions(c.map, 1));
  Heatmap::Picture picture;
  picture.pixels = 100000;
  const TemporaryFolder folder;
  EXPECT_TRUE(
      contains(input_error([&] { write_heatmap(folder.path() / "h.png", heatmap, c.map, picture); }), "[256, 8192]"));
}

// A long name is cut, and does not push what follows out of the picture.
TEST(HeatmapPicture, KeepsItsLegendWithinItself) {
  const TemporaryFolder folder;
  const Case c;
  const PlanarPose truth = {2.0, 1.5, 0.3};
  Heatmap heatmap = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, c.scan(truth), free_positions(c.map, 0.5),
                                 {.headings = 8});
  Heatmap::Picture picture = {.pixels = 700, .truth = truth};
  picture.scan_hits_world = {{2.0, 1.0, 0.0}};
  picture.truth_name = "pose of scan 12 in the log of a robot that was driven through a building on a long afternoon";
  write_heatmap(folder.path() / "long.png", heatmap, c.map, picture);
  const auto image = read_png(folder.path() / "long.png");
  std::size_t dots = 0;
  for (std::uint32_t y = image.height - 40; y < image.height; ++y) {
    for (std::uint32_t x = image.width / 2; x < image.width; ++x) {
      dots += image.at(x, y) == Pixel{92, 236, 150} ? 1 : 0;
    }
  }
  EXPECT_GT(dots, 3U) << "the mark of the readings";
}

// Wide spacings are refined to the cells of the map, which 64ths of the spacing are not.
TEST(Heatmap, IsRefinedToTheCellsOfTheMap) {
  Case c;
  c.map.resolution_m = 0.02;  // the room as a model of itself, 1.2 m long
  c.expected = make_grid_ranges(c.map);
  const PlanarPose truth = {0.43, 0.31, 0.4};
  PositionGrid grid = free_positions(c.map, 0.1);
  EXPECT_EQ(grid.cell_m, 0.02);
  grid.cell_m = 1e-5;  // far below a 64th of the spacing
  const std::vector<float> scan = c.scan(truth);
  const Heatmap fine = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, scan, grid, {.headings = 60});
  grid.cell_m = 0.0;
  const Heatmap coarse = make_heatmap(c.parameters, c.sensor, *c.expected, c.fan, scan, grid, {.headings = 60});
  EXPECT_GT(fine.refined_log_likelihood, coarse.refined_log_likelihood);
}

}  // namespace
}  // namespace fathom::test::heatmap_test
