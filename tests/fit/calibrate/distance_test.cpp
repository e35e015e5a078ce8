// SPDX-License-Identifier: MIT

#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>
#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/fit/frames.hpp>

#include "render/test_scenes.hpp"
#include "support/statistics.hpp"

namespace fathom::test::distance_test {
namespace {

constexpr DistanceNoise kTruth = {.mean_m = 0.013F, .stddev_m = 0.02F, .stddev_per_m = 0.004F};
constexpr const char* kNoScans =
    "nothing tells which pairs are of one scan: standard errors take all as independent, and are too small where "
    "pairs of a scan, or of a place, are correlated";
constexpr ChannelSet kChannels = {Channel::kRange, Channel::kCleanRange, Channel::kReason};

/// Frames of a lidar in a room, ranges of 1 to 8 m.
class Frames {
 public:
  Frames(const DistanceNoise& noise, std::uint32_t rings, std::uint32_t columns)
      : simulator_(make_room_scene(), {.seed = 11, .compute = {.threads = 1}}),
        sensor_(simulator_.add_sensor(
            make_sensor(make_lidar(rings, columns), {Noise(noise), Noise(Dropout{0.1F})}, {{1, 1, 0}, {}}))) {}

  RangePairs pairs(std::uint32_t frame) {
    RangePairs pairs;
    simulator_.render(sensor_, frame, frame_);
    pairs.append(frame_);
    return pairs;
  }

 private:
  Simulator simulator_;
  SensorId sensor_;
  Frame frame_{kChannels};
};

void expect_within(const Fit::Parameter& e, double truth, double std_errors) {
  EXPECT_NEAR(e.value, truth, std_errors * e.std_error);
}

TEST(CalibrateDistance, FindsTheParametersOfASimulatedLidar) {
  Frames frames(kTruth, 64, 720);
  const RangePairs pairs = frames.pairs(0);
  const DistanceCalibration c = calibrate_distance(pairs);
  EXPECT_EQ(c.pairs, pairs.range_m.size());
  EXPECT_NEAR(static_cast<double>(c.pairs), 0.9 * 64 * 720, 500);  // dropouts are no pairs
  expect_within(c["mean_m"], kTruth.mean_m, 4);
  expect_within(c["stddev_m"], kTruth.stddev_m, 4);
  expect_within(c["stddev_per_m"], kTruth.stddev_per_m, 4);
  EXPECT_LT(c["stddev_m"].std_error, 0.0005);
  EXPECT_LT(c["stddev_per_m"].std_error, 0.0002);
  EXPECT_EQ(texts_of(c.findings), std::vector<std::string>{kNoScans});
  EXPECT_EQ(c.noise().stddev_m, static_cast<float>(c["stddev_m"].value));
}

TEST(CalibrateDistance, ReadingsThatAreNotAboveZeroAreNoRanges) {
  Frames frames(kTruth, 16, 360);
  RangePairs pairs = frames.pairs(0);
  const DistanceCalibration clean = calibrate_distance(pairs);
  for (const float lost : {0.0F, -1.0F, -std::numeric_limits<float>::infinity(), std::nanf("")}) {
    pairs.range_m.push_back(lost), pairs.expected_m.push_back(3.0F);
  }
  const DistanceCalibration c = calibrate_distance(pairs);
  EXPECT_EQ(c.skipped, clean.skipped + 4);
  EXPECT_EQ(c["mean_m"].value, clean["mean_m"].value);
  EXPECT_EQ(c["stddev_per_m"].value, clean["stddev_per_m"].value);
}

TEST(CalibrateDistance, TheErrorsAreRightAndTheEstimatesUnbiased) {
  Frames frames(kTruth, 4, 360);
  const auto runs = static_cast<std::uint32_t>(repetitions(400));
  double covered[3] = {}, bias[3] = {};
  const double truth[3] = {kTruth.mean_m, kTruth.stddev_m, kTruth.stddev_per_m};
  for (std::uint32_t frame = 0; frame < runs; ++frame) {
    const DistanceCalibration c = calibrate_distance(frames.pairs(frame));
    for (int k = 0; k < 3; ++k) {
      const double z = (c.parameters[k].value - truth[k]) / c.parameters[k].std_error;
      covered[k] += std::abs(z) < 2 ? 1 : 0;
      bias[k] += z / runs;
    }
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(is_binomial(covered[k], runs, 0.9545, 4)) << k << ": " << covered[k] << " of " << runs;
    EXPECT_LT(std::abs(bias[k]), 4.5 / std::sqrt(runs)) << k;
  }
}

TEST(CalibrateDistance, BoundariesAreFoundAndFlagged) {
  // Half of all samples without growth (or without a constant part) lean the other way: the estimate is then at 0.
  std::size_t at_zero = 0;
  Frames constant({.stddev_m = 0.02F}, 4, 360), growing({.stddev_per_m = 0.01F}, 4, 360);
  for (std::uint32_t frame = 0; frame < 40; ++frame) {
    const DistanceCalibration a = calibrate_distance(constant.pairs(frame)),
                              b = calibrate_distance(growing.pairs(frame));
    expect_within(a["mean_m"], 0, 5);
    if (a["stddev_per_m"].value > 1e-9) {
      expect_within(a["stddev_per_m"], 0, 5);
    } else {
      ++at_zero;
      EXPECT_TRUE(std::isnan(a["stddev_per_m"].std_error));
      expect_within(a["stddev_m"], 0.02, 5);
      EXPECT_EQ(texts_of(a.findings), (std::vector<std::string>{"stddev_per_m is at its boundary 0", kNoScans}));
    }
    if (b["stddev_m"].value <= 1e-9) {
      EXPECT_TRUE(std::isnan(b["stddev_m"].std_error));
      expect_within(b["stddev_per_m"], 0.01, 5);
    }
  }
  EXPECT_GT(at_zero, 8U);
  EXPECT_LT(at_zero, 32U);
}

TEST(CalibrateDistance, NoOtherPointIsMoreLikely) {
  Frames frames(kTruth, 4, 360);
  const RangePairs pairs = frames.pairs(3);
  const auto log_likelihood = [&](double mean, double stddev, double per_m) {
    double sum = 0;
    for (std::size_t i = 0; i < pairs.range_m.size(); ++i) {
      const double s = stddev + per_m * pairs.expected_m[i];
      const double u = (double{pairs.range_m[i]} - pairs.expected_m[i] - mean) / s;
      sum -= 0.5 * u * u + std::log(s) + 0.5 * std::log(2 * std::numbers::pi);
    }
    return sum;
  };
  const DistanceCalibration c = calibrate_distance(pairs);
  const double best = log_likelihood(c["mean_m"].value, c["stddev_m"].value, c["stddev_per_m"].value);
  EXPECT_NEAR(best, c.log_likelihood, 1e-6);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 3000; ++i) {
    const double spread = i % 2 == 0 ? 1.0 : 1e-3;
    const auto around = [&](double v, double most) {
      return v + spread * (unit(random) * most - (i % 2 == 0 ? v : 0.5 * most));
    };
    EXPECT_LE(log_likelihood(around(c["mean_m"].value, 0.05), around(c["stddev_m"].value, 0.1),
                             around(c["stddev_per_m"].value, 0.05)),
              best + 1e-7);
  }
}

TEST(CalibrateDistance, OneRangeAndNoSpread) {
  RangePairs same, still;
  for (int i = 0; i < 1000; ++i) {
    same.expected_m.push_back(4.0F), same.range_m.push_back(4.0F + (i % 2 == 0 ? 0.01F : -0.01F));
    still.expected_m.push_back(1.0F + 0.001F * static_cast<float>(i)), still.range_m.push_back(still.expected_m.back());
  }
  const DistanceCalibration a = calibrate_distance(same), b = calibrate_distance(still);
  EXPECT_NEAR(a["stddev_m"].value, 0.01, 1e-6);
  EXPECT_EQ(a["stddev_per_m"].value, 0);
  EXPECT_TRUE(std::isnan(a["stddev_per_m"].std_error));
  EXPECT_EQ(a.findings.size(), 2U);
  EXPECT_EQ(b["mean_m"].value, 0);
  EXPECT_EQ(b["stddev_m"].value, 0);
  EXPECT_EQ(texts_of(b.findings),
            std::vector<std::string>{"all errors are equal: the deviation is 0 and has no standard error"});
}

TEST(CalibrateDistance, NamesWhatIsWrong) {
  const auto refusal = [](const RangePairs& pairs) { return input_error([&] { (void)calibrate_distance(pairs); }); };
  EXPECT_EQ(refusal({{1, 2}, {1}}), "2 ranges given for 1 expected ranges");
  EXPECT_EQ(refusal({{1, 2, 3}, {1, 0, 3}}), "pair 1: expected range 0 m is not above 0");
  EXPECT_EQ(refusal({{1, NAN, 3, 4}, {1, 2, INFINITY, 4}}),
            "2 pairs with finite ranges above 0: at least 3 are needed");
  EXPECT_EQ(calibrate_distance({{1.1F, NAN, 3.2F, 4, 5}, {1, 2, 3, 4, INFINITY}}).skipped, 2U);
}

}  // namespace
}  // namespace fathom::test::distance_test

// Standard errors of `distance` where errors of scans at one place are correlated.

namespace fathom::test::distance_errors_test {
namespace {

constexpr double kOwn_m = 0.02, kOfPlace_m = 0.015;
constexpr std::uint32_t kScans = 280, kRays = 30, kScansOfPlace = 3;

double normal(std::uint32_t seed, std::uint32_t place, std::uint32_t stream) {
  const auto word = keyed_block({.seed = seed, .frame = place, .stream = stream}, 0, 0).word[0];
  return math::normal_quantile((word + 0.5) / 4294967296.0);
}

/// Scans of a drive past places whose walls differ from the map, by the same distance for all readings of a place.
RangePairs drive(std::uint32_t seed) {
  RangePairs pairs;
  for (std::uint32_t scan = 0; scan < kScans; ++scan) {
    const double off_m = kOfPlace_m * normal(seed, scan / kScansOfPlace, 1);
    for (std::uint32_t ray = 0; ray < kRays; ++ray) {
      const auto expected_m = static_cast<float>(2.0 + 0.1 * ray);
      pairs.expected_m.push_back(expected_m);
      pairs.range_m.push_back(
          static_cast<float>(double{expected_m} + off_m + kOwn_m * normal(seed, scan * kRays + ray, 2)));
      pairs.scan.push_back(scan);
    }
  }
  return pairs;
}

RangePairs without_scans(RangePairs pairs) {
  pairs.scan.clear();
  return pairs;
}

bool holds(const Fit::Parameter& e, double truth) { return e.low_95 <= truth && truth <= e.high_95; }

TEST(DistanceErrors, OfStretchesHoldWhereScansOfAPlaceErrTogether) {
  const auto seeds = static_cast<std::uint32_t>(repetitions(200));
  double mean = 0, deviation = 0, of_pairs = 0;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    const RangePairs pairs = drive(seed);
    const DistanceCalibration fit = calibrate_distance(pairs);
    EXPECT_EQ(fit.blocks, 40U);
    mean += holds(fit["mean_m"], 0.0) ? 1 : 0;
    const double all_m = std::hypot(kOwn_m, kOfPlace_m);
    if (std::isnan(fit["stddev_per_m"].std_error)) deviation += holds(fit["stddev_m"], all_m) ? 1 : 0;
    if (!std::isnan(fit["stddev_per_m"].std_error)) deviation += holds(fit["stddev_per_m"], 0.0) ? 1 : 0;
    of_pairs += holds(calibrate_distance(without_scans(pairs))["mean_m"], 0.0) ? 1 : 0;
  }
  EXPECT_GE(mean / seeds, 0.90);
  if (!kSanitized) EXPECT_LE(mean / seeds, 0.99);  // of 25 seeds all may be held
  EXPECT_GE(deviation / seeds, 0.90);
  EXPECT_LT(of_pairs / seeds, 0.6) << "scans must matter in this case";
}

TEST(DistanceErrors, AreNeverBelowThoseOfIndependentPairs) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const RangePairs pairs = drive(seed);
    const DistanceCalibration independent = calibrate_distance(without_scans(pairs));
    for (const std::size_t stretches : {std::size_t{0}, std::size_t{2}, std::size_t{40}, std::size_t{1000}}) {
      const DistanceCalibration fit = calibrate_distance(pairs, stretches);
      EXPECT_EQ(fit["mean_m"].value, independent["mean_m"].value);
      EXPECT_EQ(fit["mean_m"].naive_error, independent["mean_m"].std_error);
      EXPECT_GE(fit["mean_m"].std_error, fit["mean_m"].naive_error);
      EXPECT_EQ(fit.blocks, stretches == 0 ? kScans : std::min<std::size_t>(stretches, kScans));
      EXPECT_LE(fit["mean_m"].low_95, fit["mean_m"].value - 1.9 * fit["mean_m"].std_error);
    }
  }
}

void expect_unknown(const DistanceCalibration& fit) {
  for (const Fit::Parameter& p : fit.parameters) {
    EXPECT_TRUE(std::isnan(p.std_error) && std::isnan(p.low_95) && std::isnan(p.naive_error));
  }
  EXPECT_EQ(fit.findings.back().text.text(),
            "standard errors need at least two clusters: the readings of one cluster have correlated errors");
}

TEST(DistanceErrors, OfOneClusterAreNotKnown) { expect_unknown(calibrate_distance(drive(1), 1)); }

// The oracle: the mean of pairs with equal deviations moves with the mean of its clusters.
TEST(DistanceErrors, OfTheMeanAreThoseOfTheMeansOfClusters) {
  RangePairs pairs = drive(7);
  for (std::size_t i = 0; i < pairs.range_m.size(); ++i) {
    pairs.range_m[i] += 4.0F - pairs.expected_m[i], pairs.expected_m[i] = 4.0F;
  }
  constexpr std::uint32_t kClusters = 14;  // of 20 scans; fewer than 20 have no neighbours
  std::vector<double> means(kClusters, 0.0);
  for (std::size_t i = 0; i < pairs.range_m.size(); ++i) {
    means[pairs.scan[i] * kClusters / kScans] += (double{pairs.range_m[i]} - 4.0) * kClusters / (kScans * kRays);
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / kClusters;
  double square = 0;
  for (const double of : means) square += (of - mean) * (of - mean);
  const DistanceCalibration fit = calibrate_distance(pairs, kClusters);
  EXPECT_NEAR(fit["mean_m"].value, mean, 1e-9);
  // Shares of the information differ a little from cluster to cluster.
  EXPECT_NEAR(fit["mean_m"].std_error, std::sqrt(square / (kClusters * (kClusters - 1.0))),
              0.03 * fit["mean_m"].std_error);
}

TEST(DistanceErrors, HangOnScansAndNotOnTheirOrder) {
  const RangePairs pairs = drive(3);
  RangePairs shuffled;
  for (std::size_t step = 0; step < 7; ++step) {
    for (std::size_t i = step; i < pairs.range_m.size(); i += 7) {
      shuffled.range_m.push_back(pairs.range_m[i]), shuffled.expected_m.push_back(pairs.expected_m[i]);
      shuffled.scan.push_back(1000 + 3 * pairs.scan[i]);
    }
  }
  const DistanceCalibration fit = calibrate_distance(pairs), again = calibrate_distance(shuffled);
  EXPECT_NEAR(again["mean_m"].std_error, fit["mean_m"].std_error, 1e-6 * fit["mean_m"].std_error);
  EXPECT_NEAR(again["mean_m"].high_95, fit["mean_m"].high_95, 1e-6 * fit["mean_m"].std_error);
}

TEST(DistanceErrors, SayWhatTheyRestOn) {
  RangePairs pairs = drive(1);
  const std::vector<std::string> of_pairs = texts_of(calibrate_distance(without_scans(pairs)).findings);
  ASSERT_EQ(of_pairs.empty(), false);
  EXPECT_EQ(of_pairs.back(),
            "nothing tells which pairs are of one scan: standard errors take all as independent, and are too small "
            "where pairs of a scan, or of a place, are correlated");
  EXPECT_EQ(calibrate_distance(pairs, 5).findings.back().text.text(),
            "standard errors rest on 5 stretches only: they are rough, take 20 stretches or more");
  std::fill(pairs.scan.begin(), pairs.scan.end(), 4U);
  expect_unknown(calibrate_distance(pairs));
  pairs.scan.pop_back();
  EXPECT_EQ(input_error([&] { (void)calibrate_distance(pairs); }), "8399 scan numbers given for 8400 ranges");
  EXPECT_EQ(input_error([&] { (void)calibrate_distance(drive(1), 1'000'001); }),
            "stretches = 1000001 is not in [0, 1000000]");
}

}  // namespace
}  // namespace fathom::test::distance_errors_test

namespace fathom::test::pairs_file_test {
namespace {

using PairsFile = InFolder;

TEST_F(PairsFile, ReadsRangesInAnyOrderOfColumns) {
  const auto file = folder.write("a.csv", "# made by hand\nexpected_m,range_m\n1,1.5\r\n\n2.5, inf\n3,nan\n");
  const RangePairs pairs = read_range_pairs(file);
  EXPECT_EQ(pairs.expected_m, (std::vector<float>{1, 2.5F, 3}));
  EXPECT_EQ(pairs.range_m[0], 1.5F);
  EXPECT_TRUE(std::isinf(pairs.range_m[1]) && std::isnan(pairs.range_m[2]));
  const BeamData data = read_beam_pairs(file);
  EXPECT_EQ(data.scan, (std::vector<std::uint32_t>{0, 1, 2}));
  const auto clustered = folder.write("b.csv", "range_m,expected_m,scan\n1,2,4\n1,2,4\n1,2,9\n");
  EXPECT_EQ(read_beam_pairs(clustered).scan, (std::vector<std::uint32_t>{4, 4, 9}));
  EXPECT_EQ(read_range_pairs(clustered).scan, (std::vector<std::uint32_t>{4, 4, 9}));
  EXPECT_TRUE(pairs.scan.empty());
}

TEST_F(PairsFile, ReadsEnergies) {
  const EnergyPairs pairs = read_energy_pairs(folder.write("a.csv", "energy,lost\n0.25,1\n0.5,0\n"));
  EXPECT_EQ(pairs.energy, (std::vector<float>{0.25F, 0.5F}));
  EXPECT_EQ(pairs.lost, (std::vector<std::uint8_t>{1, 0}));
}

TEST_F(PairsFile, NamesFileAndLineOfWhatIsWrong) {
  const auto refusal = [&](const char* text) {
    const auto file = folder.write("bad.csv", text);
    std::string message = input_error([&] { (void)read_beam_pairs(file); });
    return message.substr(std::min(message.size(), folder.path().string().size() + 1));
  };
  EXPECT_EQ(refusal("range_m,expected_m\n1,2\n1,x\n"), "bad.csv:3: expected_m = 'x' is not a number");
  EXPECT_EQ(refusal("range_m,expected_m\n1,2\n1\n"), "bad.csv:3: 1 values for 2 columns");
  EXPECT_EQ(refusal("range_m;expected_m\n1;2\n"), "bad.csv:1: columns are separated by commas, not by semicolons");
  EXPECT_EQ(refusal("range_m,expectd_m\n1,2\n"), "bad.csv:1: unknown column 'expectd_m' (nearest known: 'expected_m')");
  EXPECT_EQ(refusal("range_m,range_m\n1,2\n"), "bad.csv:1: column 'range_m' is there twice");
  EXPECT_EQ(refusal("range_m\n1\n"), "bad.csv:1: there is no column 'expected_m'");
  EXPECT_EQ(refusal("range_m,expected_m\n"), "bad.csv: holds no lines of numbers below a header");
  EXPECT_EQ(refusal("range_m,expected_m,scan\n1,2,0.5\n"),
            "bad.csv:2: scan = 0.5 is not a whole number in [0, 4294967295]");
  EXPECT_EQ(refusal("range_m,expected_m,scan\n1,2,3\n1,2,2\n"),
            "bad.csv:3: scan = 2 is not a whole number in [3, 4294967295]");
  EXPECT_EQ(refusal("range_m,expected_m\n1,nan\n"), "bad.csv:2: expected_m = nan is not at least 0");
  // Of range pairs scans may come in any order.
  EXPECT_EQ(read_range_pairs(folder.write("any.csv", "range_m,expected_m,scan\n1,2,3\n1,2,2\n")).scan,
            (std::vector<std::uint32_t>{3, 2}));
  const auto half = folder.write("half.csv", "range_m,expected_m,scan\n1,2,0.5\n");
  EXPECT_TRUE(
      contains(input_error([&] { (void)read_range_pairs(half); }), "half.csv:2: scan = 0.5 is not a whole number"));
  const auto energies = folder.write("e.csv", "energy,lost\n0.5,2\n");
  EXPECT_TRUE(contains(input_error([&] { (void)read_energy_pairs(energies); }), "e.csv:2: lost = 2 is not 0 or 1"));
  EXPECT_NE(input_error([&] { (void)read_energy_pairs(folder / "missing.csv"); }), "");
}

}  // namespace
}  // namespace fathom::test::pairs_file_test
