// SPDX-License-Identifier: MIT
// The likelihood field: distances against all pairs of cells, learning against what made the ends, errors against the
// spread of fits, and what localizers read against their own formula.

#include <fathom/core/random.hpp>
#include <fathom/fit/beam.hpp>
#include <fathom/fit/localizer.hpp>

#include "fit/beam/likelihood_field.hpp"
#include "support/expect.hpp"

namespace fathom::test::likelihood_field_test {
namespace {

GridMap random_map(std::uint32_t rows, std::uint32_t cols, double share, std::uint32_t seed) {
  GridMap map;
  map.rows = rows, map.cols = cols, map.resolution_m = 0.05;
  for (std::uint32_t i = 0; i < rows * cols; ++i) {
    const float u = uniform_from_word(keyed_block({seed, 0, 1}, i, 0).word[0]);
    map.cells.push_back(u < share ? Cell::kOccupied : u < 2 * share ? Cell::kUnknown : Cell::kFree);
  }
  return map;
}

TEST(DistanceField, IsExactAgainstAllOccupiedCells) {
  for (const auto& [rows, cols, share] :
       {std::tuple{37U, 53U, .01}, {1U, 90U, .05}, {90U, 1U, .05}, {40U, 40U, .3}, {32U, 48U, .001}, {20U, 20U, 0.0}}) {
    const GridMap map = random_map(rows, cols, share, 3);
    for (const double max_m : {0.07, 0.5, 2.0}) {
      const DistanceField field(map, max_m);
      for (std::uint32_t r = 0; r < rows; ++r) {
        for (std::uint32_t c = 0; c < cols; ++c) {
          double nearest = max_m;
          for (std::uint32_t i = 0; i < rows * cols; ++i) {
            if (map.cells[i] != Cell::kOccupied) continue;
            nearest = std::min(nearest, .05 * std::hypot(double(i / cols) - r, double(i % cols) - c));
          }
          const double d = field.distance_m(field.level_at(.05 * (c + .3), .05 * (r + .7)));
          ASSERT_NEAR(d, nearest, 1e-12) << r << " " << c << " of " << rows << " x " << cols << ", " << max_m;
        }
      }
      EXPECT_EQ(field.distance_m(field.level_at(-.01, .01)), max_m) << "outside";
      EXPECT_EQ(field.distance_m(field.level_at(.05 * cols, .01)), max_m) << "outside";
      EXPECT_EQ(field.distance_m(field.level_at(NAN, .01)), max_m);
    }
  }
}

TEST(DistanceField, StandsWhereItsMapStands) {
  GridMap map = random_map(30, 40, .01, 5);
  const DistanceField here(map, 1);
  map.world_from_map = {3, -2, .7};
  const DistanceField there(map, 1);
  for (double x = .025; x < 2; x += .05) {
    for (double y = .025; y < 1.5; y += .05) {
      const double wx = 3 + std::cos(.7) * x - std::sin(.7) * y, wy = -2 + std::sin(.7) * x + std::cos(.7) * y;
      ASSERT_EQ(here.level_at(x, y), there.level_at(wx, wy)) << x << " " << y;
    }
  }
}

TEST(DistanceField, RefusesLengthsOfNoUse) {
  const GridMap map = random_map(5, 5, .2, 1);
  for (const double bad : {0.0, -1.0, 52.0, double(NAN), double(INFINITY)}) {
    EXPECT_TRUE(contains(input_error([&] { DistanceField(map, bad); }), "max_distance_m")) << bad;
  }
}

/// A long wall along y at x = 4 m in fine cells. Rays meet it head-on, so distances to it equal errors of ranges.
GridMap wall(double cell_m) {
  GridMap map;
  map.resolution_m = cell_m;
  map.rows = 8, map.cols = static_cast<std::uint32_t>(std::lround(10 / cell_m));
  map.cells.assign(std::size_t{map.rows} * map.cols, Cell::kFree);
  const auto col = static_cast<std::uint32_t>(std::lround(4 / cell_m));
  for (std::uint32_t r = 0; r < map.rows; ++r) map.cells[std::size_t{r} * map.cols + col] = Cell::kOccupied;
  return map;
}

/// Scans of one ray towards it: hits about the wall, and readings anywhere up to Z.
ScanLog scans_of_wall(const LikelihoodFieldModel& truth, std::size_t scans, std::uint64_t seed, double cell_m) {
  ScanLog log;
  log.azimuth_rad = {0.0};
  for (std::uint32_t i = 0; i < scans; ++i) {
    const PhiloxBlock block = keyed_block({seed, 0, 7}, i, 0);
    const double u = open_uniform(block.word[0], block.word[1]);
    const NormalPair normal = normals_from_words(block.word[2], block.word[3]);
    const double z = u < truth.w_hit ? 4.0 + cell_m / 2 + truth.sigma_hit_m * double(normal.first)
                                     : truth.max_range_m * (u - truth.w_hit) / truth.w_rand;
    log.pose.push_back({0.0, 4 * cell_m, 0.0});
    log.range_m.push_back(static_cast<float>(z));
  }
  return log;
}

FieldFit fit_log_of_wall(const LikelihoodFieldModel& truth, std::size_t scans, std::uint64_t seed,
                         const DistanceField& field, double cell_m) {
  const ScanLog log = scans_of_wall(truth, scans, seed, cell_m);
  LikelihoodFieldModel start = truth;
  start.w_hit = .5, start.w_rand = .5, start.sigma_hit_m = .5;
  return fit_likelihood_field(make_field_data(log, select_scans("all", scans), field, truth), field, start);
}

TEST(LikelihoodField, LearnsWhatMadeTheReadings) {
  constexpr double kCell = 0.005;
  const LikelihoodFieldModel truth = {.8, .2, .1, 10};
  const DistanceField field(wall(kCell), 2);
  double w_sum = 0, w_squares = 0, s_sum = 0, s_squares = 0, w_error = 0, s_error = 0;
  constexpr std::size_t kSeeds = 60;
  for (std::size_t seed = 0; seed < kSeeds; ++seed) {
    const FieldFit fit = fit_log_of_wall(truth, 2000, seed, field, kCell);
    EXPECT_TRUE(fit.converged);
    EXPECT_TRUE(fit.findings.empty()) << fit.findings.front().text.text();
    for (std::size_t i = 1; i < fit.log_likelihood_by_iteration.size(); ++i) {
      EXPECT_GE(fit.log_likelihood_by_iteration[i], fit.log_likelihood_by_iteration[i - 1] - 1e-9);
    }
    const double w = fit.model.w_hit - truth.w_hit, s = fit.model.sigma_hit_m - truth.sigma_hit_m;
    w_sum += w, w_squares += w * w, s_sum += s, s_squares += s * s;
    w_error += fit["w_hit"].naive_error, s_error += fit["sigma_hit_m"].naive_error;
    EXPECT_GE(fit["w_hit"].std_error, fit["w_hit"].naive_error);
  }
  const double n = kSeeds;
  EXPECT_NEAR(w_sum / n, 0, 4 * w_error / n / std::sqrt(n)) << "no bias";
  EXPECT_NEAR(s_sum / n, 0, 4 * s_error / n / std::sqrt(n) + 1e-4) << "no bias";
  EXPECT_NEAR(std::sqrt(w_squares / n) / (w_error / n), 1, .35) << "errors are the spread of fits";
  EXPECT_NEAR(std::sqrt(s_squares / n) / (s_error / n), 1, .35);
}

TEST(LikelihoodField, FlagsBoundaries) {
  const LikelihoodFieldModel truth = {1, 0, .1, 10};
  const DistanceField field(wall(.005), 2);
  const FieldFit fit = fit_log_of_wall(truth, 500, 1, field, .005);
  EXPECT_TRUE(std::isnan(fit["w_hit"].std_error));
  EXPECT_EQ(fit["w_rand"].status, Fit::Status::kAtLimit);
  EXPECT_EQ(fit.findings.back().text.text(), "w_rand is at its boundary 0");
  const LikelihoodFieldModel sharp = {.8, .2, 1e-3, 10};
  const DistanceField coarse(wall(.1), 2);
  const FieldFit floored = fit_log_of_wall(sharp, 500, 1, coarse, .1);
  EXPECT_DOUBLE_EQ(floored.model.sigma_hit_m, .1 / std::sqrt(12));
  EXPECT_TRUE(contains(floored.findings.back().text.text(), "at its floor"));
}

/// Scans in runs of `run` share the deviation of their sigma, so errors of neighbours are correlated.
FieldFit fit_of_runs(std::size_t run, std::uint64_t seed, std::size_t stretches, const DistanceField& field) {
  constexpr double kCell = 0.005;
  LikelihoodFieldModel truth = {.8, .2, .1, 10};
  const std::size_t scans = 1600;
  ScanLog log = scans_of_wall(truth, scans, seed, kCell);
  for (std::uint32_t i = 0; i < scans; ++i) {
    const auto of_run = static_cast<std::uint32_t>(i / run);
    const double factor = .6 + .8 * double(uniform_from_word(keyed_block({seed, 0, 8}, of_run, 0).word[0]));
    const double off = double(log.range_m[i]) - 4 - kCell / 2;
    if (std::abs(off) < .5) log.range_m[i] = static_cast<float>(4 + kCell / 2 + factor * off);
  }
  FieldFitOptions options;
  options.stretches = stretches;
  return fit_likelihood_field(make_field_data(log, select_scans("all", scans), field, truth), field, truth, options);
}

// The spread of fits of 60 logs is the standard error, and intervals by Student's t hold what all logs say together.
TEST(LikelihoodField, ErrorsOfScansThatErrTogetherAreTheirSpread) {
  const DistanceField field(wall(.005), 2);
  constexpr std::size_t kSeeds = 60;
  double sum = 0, squares = 0, errors = 0, of_scans = 0;
  std::vector<std::array<double, 2>> intervals;
  for (std::size_t seed = 0; seed < kSeeds; ++seed) {
    const FieldFit fit = fit_of_runs(40, seed, 40, field);
    EXPECT_EQ(fit.blocks, 40U);
    sum += fit.model.sigma_hit_m, squares += fit.model.sigma_hit_m * fit.model.sigma_hit_m;
    errors += fit["sigma_hit_m"].std_error / kSeeds;
    of_scans += fit_of_runs(40, seed, 0, field)["sigma_hit_m"].std_error / kSeeds;
    intervals.push_back({fit["sigma_hit_m"].low_95, fit["sigma_hit_m"].high_95});
    // t of 40 clusters with two lags has 17 degrees of freedom: docs/beam-model.md.
    EXPECT_NEAR(fit["sigma_hit_m"].high_95 - fit.model.sigma_hit_m, 2.1098 * fit["sigma_hit_m"].std_error,
                .002 * fit["sigma_hit_m"].std_error);
    EXPECT_NEAR(fit["w_hit"].low_95 + fit["w_rand"].high_95, 1, 1e-9);
  }
  const double mean = sum / kSeeds, spread = std::sqrt(squares / kSeeds - mean * mean);
  EXPECT_NEAR(spread / errors, 1, .3);
  EXPECT_GT(spread / of_scans, 1.4) << "scans are not independent";
  const auto held = std::ranges::count_if(intervals, [&](const auto& i) { return i[0] <= mean && mean <= i[1]; });
  EXPECT_GE(held, 52) << "of 60";
}

TEST(LikelihoodField, AtABoundaryTheOtherParameterHasAnError) {
  const DistanceField field(wall(.005), 2);
  const FieldFit fit = fit_log_of_wall({1, 0, .1, 10}, 500, 1, field, .005);
  EXPECT_TRUE(std::isnan(fit["w_hit"].std_error) && std::isnan(fit["w_hit"].low_95) &&
              std::isnan(fit["w_rand"].high_95));
  EXPECT_NEAR(fit["sigma_hit_m"].naive_error, .1 / std::sqrt(2 * 500), 1e-3);  // of a normal deviation
  EXPECT_LT(fit["sigma_hit_m"].low_95, .1);
  EXPECT_GT(fit["sigma_hit_m"].high_95, .1);
}

TEST(LikelihoodField, FewStretchesAreNamed) {
  const DistanceField field(wall(.005), 2);
  const LikelihoodFieldModel truth = {.8, .2, .1, 10};
  EXPECT_EQ(fit_log_of_wall(truth, 12, 3, field, .005).findings.back().text.text(),
            "standard errors rest on 12 stretches only: they are rough, learn from at least 20 scans");
  const FieldFit one = fit_log_of_wall(truth, 1, 3, field, .005);
  EXPECT_TRUE(std::isnan(one["sigma_hit_m"].std_error));
  EXPECT_TRUE(contains(input_error([&] {
                         fit_likelihood_field({{1, 2}, {0, 1}}, field, truth, {.stretches = 2'000'000});
                       }),
                       "stretches"));
}

TEST(LikelihoodField, ScoresAreSumsOfLogDensities) {
  const GridMap map = random_map(60, 80, .01, 9);
  const LikelihoodFieldModel model = {.7, .3, .1, 5, .2, 1};
  const DistanceField field(map, model.max_distance_m);
  ScanLog log;
  for (int i = 0; i < 31; ++i) log.azimuth_rad.push_back((i - 15) * .15);
  log.pose = {{1, 1, .3}, {2, 1.5, -2}, {3, 2, 8}};
  for (std::uint32_t i = 0; i < 93; ++i)
    log.range_m.push_back(6 * uniform_from_word(keyed_block({1, 0, 2}, i, 0).word[0]));
  log.range_m[40] = NAN;
  for (std::uint32_t scan = 0; scan < 3; ++scan) {
    double sum = 0;
    for (std::size_t k = 0; k < 31; ++k) {
      const double z = log.scan(scan)[k];
      if (!(z >= .2 && z < 5)) continue;
      const double angle = log.pose[scan].yaw_rad + log.azimuth_rad[k];
      const double d = field.distance_m(
          field.level_at(log.pose[scan].x_m + z * std::cos(angle), log.pose[scan].y_m + z * std::sin(angle)));
      sum += std::log(.7 * std::exp(-d * d / .02) / (.1 * std::sqrt(2 * std::numbers::pi)) + .3 / 5);
    }
    for (const int threads : {1, 3}) {
      FieldScorer scorer(model, field, {.threads = threads});
      std::vector<double> out(log.scans());
      scorer.score(log.pose, reading_ends(log, scan, model), out);
      EXPECT_NEAR(out[scan], sum, 1e-9);
    }
    const std::vector<std::uint32_t> only = {scan};
    const FieldData data = make_field_data(log, only, field, model);
    EXPECT_NEAR(field_nats_per_reading(data, field, model) * static_cast<double>(data.level.size()), sum, 1e-9);
  }
}

// nav2_amcl/src/sensors/laser/likelihood_field_model.cpp and beluga/sensor/likelihood_field_model_base.hpp.
TEST(LikelihoodField, LocalizersGiveTheLearnedDensities) {
  const LikelihoodFieldModel model = {.83, .17, .0743, 80};
  const LocalizerField nav2 = localizer_field(model, Localizer::kNav2),
                       beluga = localizer_field(model, Localizer::kBeluga);
  EXPECT_NEAR(nav2.z_hit + nav2.z_rand, 1, 1e-12);
  const double constant = std::log(nav2.z_rand / model.w_rand);
  for (double z = 0; z < 2; z += .01) {
    const double of_nav2 =
        nav2.z_hit * std::exp(-(z * z) / (2 * nav2.sigma_hit * nav2.sigma_hit)) + nav2.z_rand * 1.0 / 80;
    const double amplitude = beluga.z_hit / (beluga.sigma_hit * std::sqrt(2 * std::numbers::pi));
    const double of_beluga =
        amplitude * std::exp(-z * z / (2 * beluga.sigma_hit * beluga.sigma_hit)) + beluga.z_rand / 80;
    ASSERT_NEAR(std::log(of_nav2) - std::log(model.density(z)), constant, 1e-12);
    ASSERT_NEAR(std::log(of_beluga), std::log(model.density(z)), 1e-12);
  }
  EXPECT_TRUE(
      contains(model.localizer_text(Localizer::kAmcl), "\nlaser_model_type: \"likelihood_field\"\nlaser_z_hit: 0.9"));
  EXPECT_TRUE(contains(model.localizer_text(Localizer::kNav2),
                       "\n    laser_likelihood_max_dist: 2.0\n    laser_max_range: 80.0\n"));
}

// MAP_GXWX and MAP_GYWY of nav2_amcl's map.hpp, and convertMap() of its amcl_node.cpp; ROS 1 has the same.
TEST(LikelihoodField, CellsAreLookedUpAsAmclDoes) {
  for (const std::uint32_t size : {7U, 8U}) {
    GridMap map = {size, size + 1, .05, {-1.3, 2.7, 0}, {}};
    map.cells.assign(std::size_t{map.rows} * map.cols, Cell::kFree);
    map.cells[3 * map.cols + 2] = Cell::kOccupied;
    const DistanceField field(map, 2), rounded = field.looked_up(CellLookup::kRounded);
    const double scale = map.resolution_m;
    const auto cell_of = [&](double at, double corner, std::uint32_t cells) {
      const int half = static_cast<int>(cells) / 2;
      const double origin = corner + half * scale;
      return static_cast<int>(std::floor((at - origin) / scale + .5)) + half;
    };
    for (double x = -1.3 - .061; x < -1.3 + .5; x += .0173) {
      for (double y = 2.7 - .061; y < 2.7 + .5; y += .0173) {
        const int i = cell_of(x, -1.3, map.cols), j = cell_of(y, 2.7, map.rows);
        const std::uint32_t expected = field.level_at(-1.3 + scale * (i + .5), 2.7 + scale * (j + .5));
        ASSERT_EQ(rounded.level_at(x, y), expected) << x << ' ' << y;
      }
    }
  }
  EXPECT_EQ(cell_lookup(Localizer::kNav2), CellLookup::kRounded);
  EXPECT_EQ(cell_lookup(Localizer::kAmcl), CellLookup::kRounded);
  EXPECT_EQ(cell_lookup(Localizer::kBeluga), CellLookup::kContaining);
}

TEST(LikelihoodField, RefusesWhatIsInvalid) {
  const DistanceField field(wall(.1), 2);
  EXPECT_NE(input_error([&] { fit_likelihood_field({}, field, {}); }), "");
  EXPECT_NE(input_error([&] { FieldScorer({.9, .3, .1, 10}, field); }), "");
  FieldScorer scorer({.9, .1, .1, 10}, field);
  std::vector<double> out(1);
  const std::vector<PlanarPose> bad = {{NAN, 0, 0}};
  EXPECT_EQ(input_error([&] { scorer.score(bad, {}, out); }), "pose 0 is not finite");
}

/// The odd scans of a real log, learned from as eight parts and as one.
TEST(LikelihoodField, ErrorsOfARealLogAreTheSpreadOfItsParts) {
  const auto log_file = shared_data() / "logs/freiburg-079-corrected.log.gz";
  const auto map_file = shared_data() / "maps/freiburg-079_5cm_even.yaml";
  if (!std::filesystem::exists(log_file) || !std::filesystem::exists(map_file)) GTEST_SKIP() << "skipped: no data";
  const ScanLog log = read_scan_log(log_file);
  const DistanceField field(read_grid_map(map_file), 2);
  const LikelihoodFieldModel start = {.5, .5, .2, 80};
  const std::vector<std::uint32_t> odd = select_scans("odd", log.scans());
  const auto learn = [&](std::size_t begin, std::size_t end) {
    return fit_likelihood_field(make_field_data(log, std::span(odd).subspan(begin, end - begin), field, start), field,
                                start);
  };
  const FieldFit all = learn(0, odd.size());
  constexpr std::size_t kParts = 8;
  double s = 0, s2 = 0, w = 0, w2 = 0;
  for (std::size_t i = 0; i < kParts; ++i) {
    const LikelihoodFieldModel part = learn(i * odd.size() / kParts, (i + 1) * odd.size() / kParts).model;
    s += part.sigma_hit_m, s2 += part.sigma_hit_m * part.sigma_hit_m;
    w += part.w_hit, w2 += part.w_hit * part.w_hit;
  }
  const auto spread = [](double sum, double squares) {
    return std::sqrt((squares - sum * sum / kParts) / (kParts - 1));
  };
  EXPECT_LT(spread(s, s2) / (all["sigma_hit_m"].std_error * std::sqrt(kParts)), 1.5);
  EXPECT_LT(spread(w, w2) / (all["w_hit"].std_error * std::sqrt(kParts)), 1.5);
}

}  // namespace
}  // namespace fathom::test::likelihood_field_test
