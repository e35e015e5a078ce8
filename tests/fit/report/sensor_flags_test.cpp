// SPDX-License-Identifier: MIT
// What a table of readings shows of its sensor and of the model is said in words, and nothing where all is in order.

#include "fit/beam/no_return_pile.hpp"
#include "fit/report/synthetic_report.hpp"
#include "report/report.hpp"

namespace fathom::test::sensor_flags_test {
namespace {

constexpr BeamParameters kTruth = {.80, .08, .05, .07, .05, .6};
constexpr BeamSensor kSensor = {.max_range_m = 10};

FitLogOptions options(double max_range_m) {
  FitLogOptions how;
  how.max_range_m = max_range_m;
  how.compute.threads = 1;
  return how;
}

/// Readings of the model, whose sensor writes `code` where nothing comes back.
BeamData coded(float code) {
  BeamData data = simulate(kTruth, kSensor, 20000, .5, 9, 3);
  for (float& reading : data.reading_m) reading = reading >= 10.0F ? code : reading;
  return data;
}

TEST(SensorFlags, ACodeAnywhereBelowTheMaximumRangeIsNamed) {
  for (const double max_range_m : {10.6, 10.9, 12.0}) {
    const FitReport missed = fit_pairs(coded(10.5F), options(max_range_m));
    EXPECT_NE(flag_with(missed, "many readings are 10.5 m, "), "") << max_range_m;
    EXPECT_LT(missed.fit.model.w_max, 1e-6);
    EXPECT_TRUE(first_unusable(missed.sanity).empty());  // it may be a wall
  }
  for (const double max_range_m : {10.0, 10.48, 10.5}) {
    const FitReport taken = fit_pairs(coded(10.5F), options(max_range_m));
    EXPECT_EQ(flag_with(taken, "many readings"), "") << max_range_m;
    EXPECT_NEAR(taken.fit.model.w_max, kTruth.w_max, 5 * taken.fit["w_max"].std_error);
  }
}

// The book piles hits up just below Z where the map expects nothing, and rounds them to steps.
TEST(SensorFlags, HitsThatPileUpBelowTheMaximumRangeAreNoCode) {
  for (const double step_m : {0.0, 0.01}) {
    BeamSensor sensor = kSensor;
    sensor.step_m = step_m, sensor.miss = MissPolicy::kBook;
    const BeamData data = simulate(kTruth, sensor, 20000, .5, 9, 3, 100, 4);
    EXPECT_EQ(flag_with(fit_pairs(data, options(10)), "many readings"), "") << step_m;
  }
}

TEST(SensorFlags, TheLargestOfFewReadingsIsNoCode) {
  BeamData data = simulate(kTruth, kSensor, 200, .5, 9, 3);
  for (std::size_t i = 0; i < 200; ++i) data.reading_m[i] = 1.0F + 0.03F * static_cast<float>(i);
  for (std::size_t i = 0; i < 9; ++i) data.reading_m[i] = 8.5F;
  FitLogOptions automatic = options(12);
  automatic.max_range_m.reset(), automatic.auto_max_range = true;
  EXPECT_EQ(flag_with(fit_pairs(data, options(12)), "many readings"), "");
  EXPECT_TRUE(contains(input_error([&] { (void)fit_pairs(data, automatic); }), "does not say how far"));
  data.reading_m[9] = 8.5F;
  EXPECT_NE(flag_with(fit_pairs(data, options(12)), "many readings are 8.5 m"), "");
  const FitReport taken = fit_pairs(data, automatic);
  ASSERT_EQ(taken.notes.size(), 1U);
  EXPECT_TRUE(contains(taken.notes.front().text(), "count as without a return: max_range_m is 8.49"))
      << taken.notes.front().text();
  for (float& reading : data.reading_m) reading = 8.5F;  // of a wall, for all that is known
  EXPECT_EQ(flag_with(fit_pairs(data, options(12)), "many readings"), "");
}

/// Two neighbouring values mean no return, and a few stray readings lie beyond them.
BeamData coded_before_strays() {
  BeamData data = coded(51.14F);
  for (std::size_t i = 0, k = 0; i < data.reading_m.size(); ++i) {
    if (data.reading_m[i] == 51.14F && ++k % 3 == 0) data.reading_m[i] = k % 99 == 0 ? 51.25F : 51.15F;
  }
  return data;
}

TEST(SensorFlags, ACodeBeforeAFewStrayReadingsIsFound) {
  const BeamData data = coded_before_strays();
  const std::string flag = flag_with(fit_pairs(data, options(80)), "many readings are 51.15 m, ");
  EXPECT_TRUE(contains(flag, " % of them, and only "));
  EXPECT_TRUE(contains(flag, " lie beyond: if that means no return, give max_range_m 51.08"));
  FitLogOptions automatic = options(80);
  automatic.max_range_m.reset(), automatic.auto_max_range = true;
  const FitReport found = fit_pairs(data, automatic);
  EXPECT_DOUBLE_EQ(found.model.sensor.max_range_m, 51.08);
  EXPECT_NEAR(found.fit.model.w_max, kTruth.w_max, 5 * found.fit["w_max"].std_error);
  // With the right maximum range, or one between the code and the strays, nothing advises a larger one.
  for (const double max_range_m : {51.08, 51.2}) {
    EXPECT_EQ(flag_with(fit_pairs(data, options(max_range_m)), "beyond the maximum range"), "") << max_range_m;
  }
  EXPECT_EQ(flag_with(fit_pairs(data, options(51.08)), "many readings"), "");
}

TEST(SensorFlags, AWallBeforeAFewStrayReadingsIsNoCode) {
  NoReturnPile pile;
  std::vector<float> readings;
  for (int i = 0; i < 20000; ++i) readings.push_back(9.0F + 0.0001F * static_cast<float>(i % 2000));
  readings.insert(readings.end(), 5, 12.0F);
  pile.add(readings);
  EXPECT_EQ(pile.code(30).value_m, 0);
}

TEST(SensorFlags, RangesBeyondTheMaximumRangeAreNamed) {
  BeamData data = coded(81.91F);
  data.reading_m[7] = 9.875F;
  const FitReport report = fit_pairs(data, options(5));
  const std::string flag = flag_with(report, "beyond the maximum range, and count as without a return");
  EXPECT_TRUE(contains(flag, " %, lie between 5 and "));
  std::size_t beyond = 0;
  double largest_m = 0.0;
  for (const float reading : data.reading_m) {
    if (reading <= 5.01F || reading > 80.0F) continue;
    ++beyond;
    largest_m = std::max(largest_m, double{reading});
  }
  EXPECT_NEAR(std::stod(flag) * 1000 + std::stod(flag.substr(flag.find(' ') + 1)), static_cast<double>(beyond), 25);
  const double given_m = std::stod(flag.substr(flag.find("give max_range_m ") + 17));
  EXPECT_GT(given_m, largest_m);
  EXPECT_LT(given_m, largest_m + 0.02);
  EXPECT_EQ(flag_with(fit_pairs(data, options(given_m)), "beyond the maximum range"), "");
}

TEST(SensorFlags, FewReadingsBeyondAreAnything) {
  NoReturnPile pile;
  std::vector<float> readings(1000, 2.0F);
  for (int i = 0; i < 10; ++i) readings[100 * i] = 6.0F + .1F * static_cast<float>(i);
  pile.add(readings);
  EXPECT_EQ(pile.beyond(5).readings, 0);
  readings.assign(1, 6.5F);
  pile.add(readings);
  EXPECT_EQ(pile.beyond(5).readings, 11);
  EXPECT_EQ(pile.beyond(5).largest_m, double{6.9F});
  EXPECT_EQ(pile.beyond(7).readings, 0);
  readings = {std::numeric_limits<float>::infinity(), std::nanf(""), -1.0F, 0.0F};
  pile.add(readings);
  EXPECT_EQ(pile.beyond(5).readings, 11);
}

/// Readings 8 cm beyond what a map of 5 cm cells expects.
BeamData behind_walls(double cell_m) {
  BeamData data = simulate(kTruth, kSensor, 20000, .5, 9, 3);
  for (float& expected : data.expected_m) expected -= .08F;
  data.cell_m = cell_m;
  return data;
}

TEST(SensorFlags, PairsOfAMapOfCellsLearnTheHitOffset) {
  const FitReport learned = fit_pairs(behind_walls(.05), options(10));
  EXPECT_NEAR(learned.fit.model.hit_offset_m, .08, 5 * learned.fit["hit_offset_m"].std_error);
  EXPECT_NEAR(learned.fit.model.sigma_hit_m, .05, 5 * learned.fit["sigma_hit_m"].std_error);
  EXPECT_EQ(flag_with(learned, "KS distance"), "");
  FitLogOptions kept = options(10);
  kept.fit_hit_offset = false;
  EXPECT_EQ(fit_pairs(behind_walls(.05), kept).fit.model.hit_offset_m, 0);
  EXPECT_EQ(fit_pairs(behind_walls(0), options(10)).fit.model.hit_offset_m, 0);
}

TEST(SensorFlags, AModelThatDoesNotDescribeTheReadingsIsNamed) {
  const std::string longer = flag_with(fit_pairs(behind_walls(0), options(10)), "KS distance");
  EXPECT_EQ(longer.find("the model does not describe the readings: the KS distance is 0."), 0U) << longer;
  EXPECT_TRUE(contains(longer, "longer than expected; learn by how much (fit_hit_offset)"));
  // Of readings of the model, many or few, nothing is said.
  EXPECT_EQ(flag_with(fit_pairs(coded(10), options(10)), "KS distance"), "");
  EXPECT_EQ(flag_with(fit_pairs(simulate(kTruth, kSensor, 300, .5, 9, 3), options(10)), "KS distance"), "");
}

TEST(SensorFlags, AnOffsetBeyondTheMaximumRangeIsRefused) {
  FitLogOptions how = options(10);
  how.hit_offset_m = 1000;
  EXPECT_EQ(input_error([&] { fit_pairs(coded(12), how, "a.csv"); }),
            "a.csv: beam.hit_offset_m = 1000 is not in [-10, 10] m");
}

}  // namespace
}  // namespace fathom::test::sensor_flags_test
