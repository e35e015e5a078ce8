// SPDX-License-Identifier: MIT
// What is wrong with a log is said in words, with what to do; of a log that is in order nothing is said.

#include <fathom/core/random.hpp>
#include <fathom/noise/beam_density.hpp>

#include "fit/report/figures.hpp"
#include "fit/report/sanity.hpp"
#include "fit/report/synthetic_report.hpp"
#include "report/report.hpp"

namespace fathom::test::sanity_test {
namespace {

/// 12 m x 8 m in cells of 10 cm: walls around, a wall and a block inside that no turn or mirror leaves as they are.
/// `open`: the wall to the east is missing, and rays through there meet nothing.
GridMap hall(bool open = false) {
  GridMap map;
  map.rows = 80, map.cols = 120;
  map.resolution_m = 0.1;
  map.cells.assign(std::size_t{map.rows} * map.cols, Cell::kFree);
  for (std::uint32_t r = 0; r < map.rows; ++r) {
    for (std::uint32_t c = 0; c < map.cols; ++c) {
      const bool wall = r == 0 || r == 79 || c == 0 || (c == 119 && !open);
      const bool inside = (c == 75 && r < 30) || (r > 50 && r < 58 && c > 15 && c < 40);
      if (wall || inside) map.cells[std::size_t{r} * map.cols + c] = Cell::kOccupied;
    }
  }
  return map;
}

/// A cabin of 4 m x 3 m that stands free in a hall, nearer to its south wall.
GridMap cabin() {
  GridMap map = hall();
  for (std::uint32_t r = 1; r < 79; ++r) {
    for (std::uint32_t c = 1; c < 119; ++c) {
      const bool within = r >= 6 && r <= 36 && c >= 20 && c <= 60;
      const bool wall = within && (r == 6 || r == 36 || c == 20 || c == 60);
      map.cells[std::size_t{r} * map.cols + c] = wall ? Cell::kOccupied : Cell::kFree;
    }
  }
  return map;
}

GridMap upside_down(GridMap map) {
  for (std::uint32_t r = 0; r < map.rows / 2; ++r) {
    const auto low = map.cells.begin() + static_cast<std::ptrdiff_t>(r * map.cols);
    const auto high = map.cells.begin() + static_cast<std::ptrdiff_t>((map.rows - 1 - r) * map.cols);
    std::swap_ranges(low, low + static_cast<std::ptrdiff_t>(map.cols), high);
  }
  return map;
}

constexpr BeamParameters kTruth = {.80, .08, .04, .08, .06, .6};

BeamModel model_of(const BeamParameters& parameters, double max_range_m = 14) {
  BeamModel model;
  model.parameters = parameters;
  model.sensor = {.max_range_m = max_range_m, .expected_floor_m = 0.05};
  return model;
}

/// Scans along a way through the hall.
ScanLog drive(const BeamModel& model, const World& world, std::size_t scans = 120, std::uint32_t rays = 121,
              std::uint64_t seed = 5) {
  std::vector<PlanarPose> poses;
  for (std::size_t k = 0; k < scans; ++k) {
    const double i = static_cast<double>(k * 120 / scans);
    poses.push_back({1.5 + 0.045 * i, 3.4 + 0.6 * std::sin(0.1 * i), 0.21 * i});
  }
  return sample_log(model, world, poses, even_azimuths_rad(rays, 240), seed, {.threads = 1});
}

const World& world() {
  static const World closed = World::from_map(hall());
  return closed;
}

const ScanLog& usual_log() {
  static const ScanLog log = drive(model_of(kTruth), world());
  return log;
}

/// As many within the cabin.
ScanLog drive_in_cabin(const BeamModel& model, const World& world) {
  std::vector<PlanarPose> poses;
  for (int i = 0; i < 120; ++i) poses.push_back({3.0 + 0.015 * i, 2.1 + 0.5 * std::sin(0.1 * i), 0.21 * i});
  return sample_log(model, world, poses, even_azimuths_rad(121, 240), 5, {.threads = 1});
}

FitLogOptions options() {
  FitLogOptions how;
  how.compute.threads = 1;
  return how;
}

TEST(Sanity, OfALogInOrderNothingIsSaid) {
  const FitReport report = fit_log(usual_log(), world(), options());
  EXPECT_EQ(texts_of(report.sanity), std::vector<std::string>{});
}

// Of few readings the model's own draws lie anywhere: chance is no fault of poses, tails or masses.
TEST(Sanity, OfFewReadingsOfTheModelNothingIsSaid) {
  constexpr std::array<std::pair<std::size_t, std::uint32_t>, 5> kSizes = {
      {{40, 1}, {7, 3}, {12, 6}, {40, 3}, {120, 12}}};
  for (const auto& [scans, rays] : kSizes) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(testing::Message() << scans << " scans of " << rays << " rays, seed " << seed);
      const FitReport report = fit_log(drive(model_of(kTruth), world(), scans, rays, seed), world(), options());
      for (const std::string_view words : {"poses", "tails", "miss"}) EXPECT_EQ(flag_with(report, words), "");
      EXPECT_EQ(disagreements(report), std::vector<std::string>{});
    }
  }
}

// Binomial counts of the model's own shares are never told, and a share that is not the model's is, once readings
// enough are there.
TEST(Sanity, SharesDisagreeByMoreThanChance) {
  MixtureShares shares;
  const NoiseKey key = {0, 0, make_stream("sanity", 0, "shares")};
  std::uint32_t draw = 0;
  const auto uniform = [&] {
    const PhiloxBlock block = keyed_block(key, draw++, 0);
    return open_uniform(block.word[0], block.word[1]);
  };
  std::size_t told = 0;
  for (const std::size_t n : {5, 20, 60, 200}) {
    shares.pairs = shares.modelled = n;
    for (const double p : {.01, .03, .1, .3, .5, .9, .99}) {
      for (int i = 0; i < 500; ++i) {
        std::size_t found = 0;
        for (std::size_t k = 0; k < n; ++k) found += uniform() < p ? 1 : 0;
        told += disagree(static_cast<double>(found) / static_cast<double>(n), p, shares) ? 1 : 0;
      }
    }
  }
  EXPECT_LE(told, 1U);  // of 14 000
  shares.pairs = shares.modelled = 40;
  EXPECT_FALSE(disagree(0.0, .3, shares)) << "12 were expected";
  shares.pairs = shares.modelled = 400;
  EXPECT_TRUE(disagree(0.0, .1, shares)) << "40 were expected";
  EXPECT_TRUE(disagree(.1, 0.0, shares));
}

TEST(Sanity, AMapOfAnotherPlaceIsNamed) {
  const World within = World::from_map(cabin());
  const ScanLog in_cabin = drive_in_cabin(model_of(kTruth), within);
  EXPECT_EQ(flag_with(fit_log(in_cabin, within, options()), "another place"), "");
  const FitReport flipped = fit_log(in_cabin, World::from_map(upside_down(cabin())), options());
  EXPECT_NE(flag_with(flipped, "the map is of another place, or lies elsewhere than the log says"), "")
      << flipped.fit.model.w_short << ' ' << flipped.fit.model.sigma_hit_m;
  // A room twice as large: most readings are short.
  const ScanLog log = usual_log();
  GridMap large = hall();
  large.resolution_m = 0.2;
  large.world_from_map = {-8, -6, 0};
  const FitReport far = fit_log(log, World::from_map(large), options());
  EXPECT_EQ(flag_with(far, "the map is of another place").find("w_short is 0."), 0U)
      << far.fit.model.w_short << ' ' << far.fit.model.sigma_hit_m;
}

// Where the map is wrong, what it expects tells nothing of the sensor or of poses.
TEST(Sanity, AWrongMapGetsNoOtherAdvice) {
  BeamModel model = model_of(kTruth);
  model.sensor.miss = MissPolicy::kAtom;
  const ScanLog log = drive(model, World::from_map(hall(true)));
  GridMap large = hall(true);
  large.resolution_m = 0.2;
  large.world_from_map = {-8, -6, 0};
  const FitReport report = fit_log(log, World::from_map(large), options());
  EXPECT_NE(flag_with(report, "the map is of another place"), "") << report.fit.model.w_short;
  for (const std::string_view words : {"miss: atom", "refine_poses", "tails"}) {
    EXPECT_EQ(flag_with(report, words), "");
    for (const std::string& sentence : disagreements(report)) EXPECT_FALSE(contains(sentence, words));
  }
  EXPECT_FALSE(disagreements(report).empty());
}

TEST(Sanity, AMapThatExplainsLittleIsNamed) {
  constexpr BeamParameters kScattered = {.30, .05, .04, .61, .06, .6};
  const FitReport report = fit_log(drive(model_of(kScattered), world()), world(), options());
  EXPECT_EQ(flag_with(report, "the map is of another place").find("w_rand is 0.59, above 0.5"), 0U)
      << report.fit.model.w_rand << ' ' << report.fit.model.w_short;
}

/// The log writes 81.91 where nothing comes back, and says that the sensor measures up to 100 m.
ScanLog coded(ScanLog log) {
  for (float& reading : log.range_m) {
    if (reading >= 14.0F) reading = 81.91F;
  }
  log.max_range_m = 100;
  return log;
}

TEST(Sanity, ACodeForNoReturnIsNamedAndCanBeTaken) {
  const ScanLog log = coded(usual_log());
  const FitReport missed = fit_log(log, world(), options());
  const std::string flag = flag_with(missed, "many readings are 81.91 m");
  EXPECT_TRUE(contains(flag, "give max_range_m 81.82, or let it be found (auto_max_range)"));
  constexpr SettingName kTyped[] = {{"auto_max_range", "--max-range auto"}};
  EXPECT_TRUE(contains(missed.text(ReportForm::kTerminal, kTyped), "let it be found (--max-range auto)"));
  EXPECT_LT(missed.fit.model.w_max, 1e-6);

  FitLogOptions automatic = options();
  automatic.auto_max_range = true;
  const FitReport found = fit_log(log, world(), automatic);
  EXPECT_DOUBLE_EQ(found.model.sensor.max_range_m, 81.82);
  EXPECT_NEAR(found.fit.model.w_max, kTruth.w_max, 4 * found.fit["w_max"].std_error);
  EXPECT_EQ(flag_with(found, "many readings"), "");
}

/// How the sensor of a log reports that nothing came back, and what lies beyond.
struct Code {
  const char* name;
  double share;  ///< of all readings
  float least_m, most_m;
  std::size_t strays;  ///< readings beyond
  float farthest_m;
};

constexpr Code kCodes[] = {{"two neighbouring values before a few strays", .079, 51.14F, 51.15F, 40, 51.25F},
                           {"one value before strays far beyond", .02, 30.0F, 30.0F, 20, 49.0F},
                           {"one value and nothing beyond", .04, 81.91F, 81.91F, 0, 0.0F},
                           {"neighbouring values and nothing beyond", .10, 29.99F, 30.0F, 0, 0.0F}};

ScanLog log_with(const Code& code, const World& world) {
  BeamParameters truth = kTruth;
  truth.w_max = code.share, truth.w_hit = .84 - code.share;
  ScanLog log = drive(model_of(truth), world, 400, 151);
  std::size_t lost = 0, strays = 0;
  for (float& reading : log.range_m) {
    if (reading < 14.0F) continue;
    const bool is_stray = lost % 30 == 29 && strays < code.strays;
    reading = lost % 3 == 0 ? code.least_m : code.most_m;
    if (is_stray)
      reading += (code.farthest_m - code.most_m) * static_cast<float>(++strays) / static_cast<float>(code.strays);
    ++lost;
  }
  EXPECT_EQ(strays, code.strays);
  log.max_range_m = 90;
  return log;
}

// The first as the log acapulco of Radish has it. The flag advises what the automatic maximum range takes, and nothing
// advises otherwise once it is given.
TEST(Sanity, CodesOfLogsAreFoundWithTheirStrays) {
  for (const Code& code : kCodes) {
    SCOPED_TRACE(code.name);
    const ScanLog log = log_with(code, world());
    FitLogOptions how = options();
    how.check_poses = false, how.auto_max_range = true;
    const FitReport found = fit_log(log, world(), how);
    const double max_range_m = found.model.sensor.max_range_m;
    EXPECT_LT(max_range_m, code.least_m);
    EXPECT_GT(max_range_m, 0.99 * code.least_m);
    EXPECT_NEAR(found.fit.model.w_max, code.share, 5 * found.fit["w_max"].std_error);
    EXPECT_EQ(fit_field_log(log, hall(), {.auto_max_range = true, .check_poses = false}).fit.model.max_range_m,
              max_range_m);
    how.auto_max_range = false;
    EXPECT_NE(flag_with(fit_log(log, world(), how), "many readings are"), "");
    how.max_range_m = max_range_m;
    const FitReport given = fit_log(log, world(), how);
    for (const std::string_view words : {"many readings", "beyond the maximum range"}) {
      EXPECT_EQ(flag_with(found, words), "");
      EXPECT_EQ(flag_with(given, words), "");
    }
  }
}

// A code beyond the log's maximum range counts as no return already: 81.91 of FLASER, which measures 80 m.
TEST(Sanity, ACodeThatIsNotBelowWhatTheLogSaysIsNotTaken) {
  ScanLog log = coded(usual_log());
  FitLogOptions automatic = options();
  automatic.auto_max_range = true;
  log.max_range_m = 80;
  EXPECT_EQ(fit_log(log, world(), automatic).model.sensor.max_range_m, 80);
  const ScanLog plain = usual_log();  // which has 14 for no return, and says 14
  ASSERT_GT(std::count(plain.range_m.begin(), plain.range_m.end(), 14.0F), 100);
  EXPECT_EQ(fit_log(plain, world(), automatic).model.sensor.max_range_m, 14);
  log.max_range_m = 0;
  EXPECT_EQ(fit_log(log, world(), automatic).model.sensor.max_range_m, 81.82);
}

TEST(Sanity, ZerosForNoReturnAreNamed) {
  ScanLog log = usual_log();
  for (float& reading : log.range_m) {
    if (reading >= 14.0F) reading = 0.0F;
  }
  log.max_range_m = 14;
  const std::string flag = flag_with(fit_log(log, world(), options()), "of the readings are 0 m");
  EXPECT_TRUE(contains(flag, "give min_range_m 0.001, and they carry no evidence"));
  FitLogOptions told = options();
  told.min_range_m = 0.001;
  const FitReport report = fit_log(log, world(), told);
  EXPECT_EQ(flag_with(report, "are 0 m"), "");
  EXPECT_NEAR(report.fit.model.w_short, kTruth.w_short / (1 - kTruth.w_max), 4 * report.fit["w_short"].std_error);
}

TEST(Sanity, WithoutACodeTheMaximumRangeIsTheLogs) {
  ScanLog log = usual_log();
  for (float& reading : log.range_m) {  // none comes back without a range, and none piles up
    if (reading >= 14.0F) reading = std::numeric_limits<float>::infinity();
  }
  FitLogOptions automatic = options();
  automatic.auto_max_range = true;
  EXPECT_EQ(fit_log(log, world(), automatic).model.sensor.max_range_m, 14);
  log.max_range_m = 0;
  log.name = "some.log";
  EXPECT_EQ(input_error([&] { fit_log(log, world(), automatic); }),
            "some.log: has no value beyond all others that many readings have, and does not say how far its sensor "
            "measures; give max_range_m");
}

TEST(Sanity, PairsHaveTheirCodesToo) {
  const ScanLog log = coded(usual_log());
  const BeamData pairs = make_beam_data(log, select_scans("all", log.scans()), world(), 100);
  FitLogOptions how = options();
  how.max_range_m = 100;
  EXPECT_NE(flag_with(fit_pairs(pairs, how), "many readings are 81.91 m"), "");
  how.max_range_m.reset(), how.auto_max_range = true;
  const FitReport found = fit_pairs(pairs, how);
  EXPECT_DOUBLE_EQ(found.model.sensor.max_range_m, 81.82);
  EXPECT_EQ(flag_with(found, "many readings"), "");
}

TEST(Sanity, HitsWhereTheMapExpectsNothingAreNamed) {
  const World world = World::from_map(hall(true));
  BeamModel model = model_of(kTruth);
  model.sensor.miss = MissPolicy::kAtom;
  const ScanLog log = drive(model, world);
  FitLogOptions as_the_book = options();
  as_the_book.miss = MissPolicy::kBook;
  const FitReport book = fit_log(log, world, as_the_book);
  EXPECT_NE(flag_with(book, "use miss: atom"), "") << book.fit.model.w_max;
  EXPECT_EQ(flag_with(fit_log(log, world, options()), "miss: atom"), "");
  FitReport wrong_map = book;  // where most is short, the map is wrong, and what it expects tells nothing
  wrong_map.fit.model.w_hit = .28, wrong_map.fit.model.w_short = .60;
  wrong_map.fit.model.w_max = .04, wrong_map.fit.model.w_rand = .08;
  wrong_map.sanity.clear();
  add_model_flags(wrong_map);
  ASSERT_EQ(wrong_map.sanity.size(), 1U);
  EXPECT_TRUE(contains(wrong_map.sanity[0].text.text(), "w_short is 0.60, above 0.5: the map is of another place"));
  EXPECT_NE(disagreements(book), std::vector<std::string>{});
  for (const std::string& sentence : disagreements(wrong_map)) {
    EXPECT_FALSE(contains(sentence, "miss: atom"));
  }
}

TEST(Sanity, TailsHeavierThanTheModelsAreNamed) {
  BeamParameters heavy = {.90, .03, .04, .03, .04, .6};
  heavy.tail = {HitLaw::kStudentT, 1.5, 0};
  const ScanLog log = drive(model_of(heavy), world());
  const FitReport book = fit_log(log, world(), options());
  EXPECT_NE(flag_with(book, "its tails are too light; learn with hit: student_t"), "");
  FitReport without_random = book;
  BeamParameters& p = without_random.fit.model;
  p.w_hit += std::exchange(p.w_rand, 0.0);
  without_random.sanity.clear();
  add_model_flags(without_random);
  EXPECT_NE(flag_with(without_random, "its tails are too light"), "");
  FitLogOptions student = options();
  student.hit = HitLaw::kStudentT;
  EXPECT_EQ(flag_with(fit_log(log, world(), student), "tails"), "");
}

// The page names differences that are certain. A flag also needs an effect: 0.02 nats per reading.
TEST(Sanity, DifferencesWithoutAnEffectAreNoFlags) {
  FitLogOptions how = options();
  how.check_poses = false;
  BeamParameters heavy = {.90, .03, .04, .03, .04, .6};
  heavy.tail = {HitLaw::kStudentT, 6, 0};
  const World closed = world();
  const FitReport tails = fit_log(drive(model_of(heavy), closed, 400, 151), closed, how);
  EXPECT_NE(disagreements(tails), std::vector<std::string>{});
  EXPECT_EQ(flag_with(tails, "tails"), "");

  GridMap gap = hall();
  for (std::uint32_t row = 32; row < 40; ++row) gap.cells[std::size_t{row} * gap.cols + 119] = Cell::kFree;
  const World world = World::from_map(gap);
  BeamModel model = model_of({.62, .08, .22, .08, .06, .6});
  model.sensor.miss = MissPolicy::kAtom;
  how.miss = MissPolicy::kBook;
  const FitReport book = fit_log(drive(model, world, 400, 151), world, how);
  EXPECT_NE(disagreements(book), std::vector<std::string>{});
  EXPECT_EQ(flag_with(book, "miss: atom"), "");
}

TEST(Sanity, PosesThatAreNotExactAreNamed) {
  BeamParameters sharp = kTruth;
  sharp.sigma_hit_m = .03;
  ScanLog log = drive(model_of(sharp), world(), 120, 81);
  EXPECT_EQ(flag_with(fit_log(log, world(), options()), "poses"), "");
  for (std::size_t i = 0; i < log.scans(); ++i) {
    const double sign = i / 4 % 2 == 0 ? 1.0 : -1.0, part = 0.2 + 0.8 * static_cast<double>(i % 5) / 4.0;
    log.pose[i].x_m += sign * 0.1 * part;
    log.pose[i].y_m -= 0.08 * part * (i % 3 == 0 ? 1.0 : -1.0);
    log.pose[i].yaw_rad += sign * 1.0 * kRadPerDeg * part;
  }
  const ScanLog& spoilt_log = log;
  const FitReport spoilt = fit_log(spoilt_log, world(), options());
  EXPECT_NE(flag_with(spoilt, "learn them, too (refine_poses)"), "");
  for (const FitLogOptions::PerLog per_log :
       {FitLogOptions::PerLog::kMount, FitLogOptions::PerLog::kOffset, FitLogOptions::PerLog::kBoth}) {
    FitLogOptions own = options();
    own.per_log = per_log;
    EXPECT_NE(flag_with(fit_log(spoilt_log, world(), own), per_log == FitLogOptions::PerLog::kMount
                                                               ? "learn them, too (refine_poses)"
                                                               : "(refine_poses, which goes with per_log nothing "
                                                                 "and mount)"),
              "");
  }
  FitLogOptions unasked = options();
  unasked.check_poses = false;
  EXPECT_EQ(flag_with(fit_log(log, world(), unasked), "refine_poses"), "");
}

// Poses are exact once the mount is known, and readings once their offset is.
TEST(Sanity, PosesAreJudgedWithWhatIsLearnedOfTheLog) {
  BeamParameters sharp = kTruth;
  sharp.sigma_hit_m = .03;
  ScanLog log = drive(model_of(sharp), world());
  for (PlanarPose& pose : log.pose) {  // of a robot, on which the laser stands 0.12 m ahead and 0.1 m to the left
    pose.x_m -= 0.12 * std::cos(pose.yaw_rad) - 0.1 * std::sin(pose.yaw_rad);
    pose.y_m -= 0.12 * std::sin(pose.yaw_rad) + 0.1 * std::cos(pose.yaw_rad);
  }
  // Where the laser is elsewhere on the robot, all moves of poses share a side, and the mount is named.
  const std::string flag = flag_with(fit_log(log, world(), options()), "mounted otherwise than the log says");
  EXPECT_EQ(flag.find("scans fit best with the laser 0.1"), 0U) << flag;
  EXPECT_TRUE(contains(flag, "m to the left of where the log has it, turned by "));
  EXPECT_TRUE(contains(flag, "learn the mount (per_log: mount)"));
  EXPECT_EQ(flag_with(fit_log(log, world(), options()), "refine_poses"), "");
  for (float& reading : log.range_m) reading = reading < 13.9F ? reading + 0.08F : reading;
  FitLogOptions own = options();
  own.per_log = FitLogOptions::PerLog::kBoth;
  const FitReport report = fit_log(log, world(), own);
  EXPECT_NEAR(report.logs.at(0).correction.mount_x_m, 0.12, 0.02);
  EXPECT_EQ(flag_with(report, "poses"), "");
}

// --- Where a log lies ---

ScanLog scaled(ScanLog log, double readings, double poses) {
  for (float& reading : log.range_m) reading = static_cast<float>(double{reading} * readings);
  for (PlanarPose& pose : log.pose) pose.x_m *= poses, pose.y_m *= poses;
  log.max_range_m *= readings;
  return log;
}

void expect_only_fault(const FitReport& report, const std::string& words) {
  ASSERT_EQ(report.sanity.size(), 1U) << report.sanity.front().text.text();
  EXPECT_TRUE(contains(report.sanity.front().text.text(), words));
  EXPECT_EQ(first_unusable(report.sanity), report.sanity.front().text);
}

TEST(Sanity, WrongUnitsAreNamed) {
  ScanLog log = usual_log();
  log.max_range_m = 14;
  for (const auto& [factor, words] :
       std::vector<std::pair<double, std::string>>{{100, "divided by 100: are they centimetres?"},
                                                   {1000, "divided by 1000: are they millimetres?"},
                                                   {10, "divided by 10: are they decimetres?"},
                                                   {1 / .3048, "divided by 3.28084: are they feet?"},
                                                   {.001, "times 1000: are they kilometres?"}}) {
    if (factor < 1) {
      const std::string refusal =
          input_error([&, factor = factor] { fit_log(scaled(log, factor, 1), world(), options()); });
      EXPECT_EQ(refusal.find("the maximum range, 0.014 m, is shorter than a cell of the map, 0.1 m"), 0U) << refusal;
      EXPECT_TRUE(contains(refusal, words));
    } else {
      expect_only_fault(fit_log(scaled(log, factor, 1), world(), options()), words);
    }
    ScanLog in_metres = scaled(log, factor, 1);  // as the log has it, or who gives --max-range
    in_metres.max_range_m = 14;
    const bool is_any_below = std::ranges::any_of(in_metres.range_m, [](float m) { return m < 14; });
    if (is_any_below) {
      expect_only_fault(fit_log(in_metres, world(), options()), words);
      for (float& reading : in_metres.range_m) reading = std::max(reading, 14.0F);
    }
    if (factor < 100) continue;
    const std::string refusal = input_error([&] { fit_log(in_metres, world(), options()); });
    EXPECT_TRUE(contains(refusal, "no reading is below the maximum range, 14 m"));
    EXPECT_TRUE(contains(refusal, words));
  }
  const std::string both = input_error([&] { fit_log(scaled(log, 100, 100), world(), options()); });
  EXPECT_EQ(both.find("no pose lies on the map, which covers x 0.0 to 12.0 m and y 0.0 to 8.0 m; the first is (150.0,"),
            0U)
      << both;
  EXPECT_TRUE(contains(both, "together with the poses divided by 100: are they centimetres?"));
  const std::string poses = input_error([&] { fit_log(scaled(log, 1, 1000), world(), options()); });
  EXPECT_TRUE(contains(poses, "with poses divided by 1000: are they millimetres?"));
  ScanLog degrees = log;
  for (PlanarPose& pose : degrees.pose) pose.yaw_rad /= kRadPerDeg;
  expect_only_fault(fit_log(degrees, world(), options()), "with headings taken as degrees: are they degrees?");
  ScanLog mirrored = log;
  for (double& azimuth_rad : mirrored.azimuth_rad) azimuth_rad = -azimuth_rad;
  expect_only_fault(fit_log(mirrored, world(), options()), "with azimuths negated: the laser hangs upside down");
}

TEST(Sanity, WrongUnitsOfATableAreNamed) {
  const ScanLog log = usual_log();
  BeamData pairs = make_beam_data(log, select_scans("all", log.scans()), world(), 14);
  for (float& reading : pairs.reading_m) reading *= 100;
  FitLogOptions how = options();
  how.max_range_m = 1400;
  expect_only_fault(fit_pairs(pairs, how), "divided by 100: are they centimetres?");
  how.max_range_m = 14;
  for (float& reading : pairs.reading_m) reading = std::max(reading, 14.0F);
  EXPECT_TRUE(contains(input_error([&] { fit_pairs(pairs, how); }), "are they centimetres?"));
}

TEST(Sanity, ALogWithoutRangesIsRefused) {
  ScanLog log = usual_log();
  log.max_range_m = 14, log.name = "a.log";
  const auto refusal = [&](float reading) {
    std::fill(log.range_m.begin(), log.range_m.end(), reading);
    return input_error([&] { fit_log(log, world(), options()); });
  };
  EXPECT_EQ(refusal(INFINITY), "a.log: no reading is a range: 14520 are inf, 0 are 0 and 0 are nan or below 0");
  EXPECT_EQ(refusal(0), "a.log: no reading is a range: 0 are inf, 14520 are 0 and 0 are nan or below 0");
  EXPECT_EQ(refusal(NAN), "a.log: no reading is a range: 0 are inf, 0 are 0 and 14520 are nan or below 0");
  EXPECT_EQ(refusal(15), "a.log: no reading is below the maximum range, 14 m: the nearest is 15 m");
  const BeamData pairs = {std::vector<float>(50, INFINITY), std::vector<float>(50, 3), std::vector<std::uint32_t>(50)};
  FitLogOptions how = options();
  how.max_range_m = 14;
  EXPECT_EQ(input_error([&] { fit_pairs(pairs, how); }),
            "no reading is a range: 50 are inf, 0 are 0 and 0 are nan or below 0");
}

TEST(Sanity, PosesBesideTheMapAreNamed) {
  ScanLog log = usual_log();
  log.name = "a.log";
  ScanLog partly = log;
  for (std::size_t i = 0; i < log.scans(); ++i) {
    log.pose[i].x_m += 500;
    if (i % 4 == 0) partly.pose[i].y_m -= 500;
  }
  const std::string refusal = input_error([&] { fit_log(log, world(), options()); });
  EXPECT_EQ(
      refusal.find("a.log: no pose lies on the map, which covers x 0.0 to 12.0 m and y 0.0 to 8.0 m; the first is "
                   "(501.5, 3.4): give the origin"),
      0U)
      << refusal;
  EXPECT_NE(flag_with(fit_log(partly, world(), options()), "25 % of the poses lie beside the map, which covers"), "");
}

TEST(Sanity, ALaserThatIsMountedBackwardsIsNamed) {
  const ScanLog straight = usual_log();
  for (const int quarters : {1, 2, 3}) {
    ScanLog log = straight;
    for (double& azimuth : log.azimuth_rad) azimuth += quarters * std::numbers::pi / 2;
    expect_only_fault(fit_log(log, world(), options()),
                      "with the laser turned by " + std::to_string(360 - 90 * quarters) + " degrees: it is mounted so");
  }
}

TEST(Sanity, AMapThatLiesElsewhereIsNamed) {
  BeamParameters sharp = kTruth;
  sharp.sigma_hit_m = .03;
  const ScanLog log = drive(model_of(sharp), world());
  GridMap shifted = hall(), turned = hall();
  shifted.world_from_map = {.1, -.06, 0}, turned.world_from_map = {0, 0, kRadPerDeg};
  const std::string of_shift = flag_with(fit_log(log, World::from_map(shifted), options()), "scans fit best");
  EXPECT_EQ(of_shift.find("scans fit best 0.1"), 0U) << of_shift;
  EXPECT_TRUE(contains(of_shift, "all to the same side: the map lies elsewhere than the log says"));
  EXPECT_FALSE(contains(of_shift, "mount"));
  const std::string of_turn = flag_with(fit_log(log, World::from_map(turned), options()), "scans fit best");
  EXPECT_TRUE(contains(of_turn, "the map lies elsewhere than the log says"));
  EXPECT_TRUE(contains(of_turn, "turned by "));
  EXPECT_FALSE(contains(of_turn, "mounted"));
}

/// The same walls in cells `times` as large.
GridMap coarse(const GridMap& fine, std::uint32_t times) {
  GridMap map;
  map.rows = fine.rows / times, map.cols = fine.cols / times;
  map.resolution_m = fine.resolution_m * times;
  map.cells.assign(std::size_t{map.rows} * map.cols, Cell::kFree);
  for (std::uint32_t r = 0; r < map.rows * times; ++r) {
    for (std::uint32_t c = 0; c < map.cols * times; ++c) {
      if (fine.cells[std::size_t{r} * fine.cols + c] != Cell::kOccupied) continue;
      map.cells[std::size_t{r / times} * map.cols + c / times] = Cell::kOccupied;
    }
  }
  return map;
}

TEST(Sanity, OfALogInAMapOfLargeCellsNothingIsSaid) {
  BeamParameters sharp = kTruth;
  sharp.sigma_hit_m = .03;
  const ScanLog log = drive(model_of(sharp), world());
  EXPECT_EQ(texts_of(fit_log(log, World::from_map(coarse(hall(), 5)), options()).sanity), std::vector<std::string>{});
}

TEST(Sanity, ALogOfOnePlaceHasNoErrors) {
  ScanLog log = usual_log();
  std::vector<PlanarPose> poses(120, {4.0, 3.5, .3});
  log = sample_log(model_of(kTruth), world(), poses, log.azimuth_rad, 5, {.threads = 1});
  const FitReport report = fit_log(log, world(), options());
  EXPECT_NE(flag_with(report, "all scans are from one place"), "");
  EXPECT_TRUE(std::isnan(report.fit["sigma_hit_m"].std_error));
  EXPECT_EQ(flag_with(fit_log(usual_log(), world(), options()), "one place"), "");
}

TEST(Sanity, FlagsAreInTheFilesOfAFit) {
  const FitReport report = fit_log(coded(usual_log()), world(), options());
  ASSERT_FALSE(report.sanity.empty());
  const TemporaryFolder folder;
  report.write(folder.path() / "fit");
  const auto json = nlohmann::json::parse(bytes_of(folder.path() / "fit/fit.json"));
  const std::vector<std::string> found = texts_of(json);
  const std::string page = bytes_of(folder.path() / "fit/report.html");
  for (const std::string& flag : texts_of(report.sanity)) {
    EXPECT_NE(std::find(found.begin(), found.end(), flag), found.end()) << flag;
    EXPECT_TRUE(contains(page, "<li>" + flag + "</li>")) << flag;
  }
}

}  // namespace
}  // namespace fathom::test::sanity_test
