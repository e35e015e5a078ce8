// SPDX-License-Identifier: MIT

#include <fathom/noise/beam_density.hpp>

#include "fit/beam/em.hpp"
#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom::test::model_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  const char* name;
  BeamParameters parameters;
  BeamSensor sensor;
  double expected_m;
};

/// Away from defaults, and the edge cases.
std::vector<Case> cases() {
  const BeamSensor ten = {.max_range_m = 10, .miss = MissPolicy::kBook};
  const BeamSensor atom = {.max_range_m = 10, .miss = MissPolicy::kAtom};
  return {
      {"plain", {.7, .15, .05, .1, .1, .4}, ten, 4},
      {"offset", {.6, .2, .05, .15, .2, .9, .3}, ten, 4},
      {"offset beyond Z", {.6, .2, .05, .15, .2, .9, 3}, ten, 9},
      {"z* = Z", {.6, .2, .1, .1, .3, .5}, ten, 10},
      {"z* = Z, atom", {.6, .2, .1, .1, .3, .5}, atom, 10},
      {"nothing in the map", {.6, .2, .1, .1, .3, .5}, ten, kInf},
      {"z* below a cell", {.6, .2, .1, .1, .05, .5}, ten, 0.001},
      {"z* = 0", {.6, .2, .1, .1, .3, .5}, ten, 0},
      {"sigma above Z", {.6, .2, .1, .1, 37, .5}, ten, 3},
      {"lambda z* = 1e-12", {.3, .5, .1, .1, .1, 2e-13}, ten, 5},
      {"lambda z* = 1e3", {.3, .5, .1, .1, .1, 200}, ten, 5},
      {"lambda = 0", {.3, .5, .1, .1, .1, 0}, ten, 5},
      {"only hits", {1, 0, 0, 0, .1, .4}, ten, 4},
      {"only shorts", {0, 1, 0, 0, .1, .4}, ten, 4},
      {"only max", {0, 0, 1, 0, .1, .4}, ten, 4},
      {"only random", {0, 0, 0, 1, .1, .4}, ten, 4},
      {"no max", {.7, .2, 0, .1, .1, .4}, ten, 4},
  };
}

/// Integral of f over [low, high], by Simpson's rule on pieces that fit the narrowest feature.
double integrate(const BeamDensity& d, double low, double high) {
  constexpr int kPieces = 20000;
  double sum = 0;
  const double h = (high - low) / kPieces;
  for (int i = 0; i < kPieces; ++i) {
    const double z = low + i * h;
    // Just inside the piece: f jumps at z* and at Z.
    sum += h / 6 * (d.density(z + 1e-9 * h) + 4 * d.density(z + h / 2) + d.density(z + h * (1 - 1e-9)));
  }
  return sum;
}

TEST(BeamDensity, IntegratesToOneAndAgreesWithItsCdf) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const BeamDensity d(c.parameters, c.sensor, c.expected_m);
    const double surface = d.expected_m();
    const double below = integrate(d, 0, surface);
    const double beyond = surface < 10 ? integrate(d, surface, 10) : 0.0;
    EXPECT_NEAR(below + beyond + d.density(10), 1, 2e-6);
    EXPECT_NEAR(d.cdf(surface), below + (surface < 10 ? 0 : d.w_max()), 2e-6);
    EXPECT_NEAR(d.cdf(0.7 * surface), integrate(d, 0, 0.7 * surface), 2e-6);
    EXPECT_EQ(d.cdf(10), 1);
    EXPECT_EQ(d.cdf(-1e-9), 0);
    EXPECT_NEAR(1 - d.cdf(10 - 1e-12), d.w_max(), 1e-9);
  }
}

TEST(BeamDensity, QuantileInvertsTheCdf) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const BeamDensity d(c.parameters, c.sensor, c.expected_m);
    for (const double u : {1e-9, 0.01, 0.3, 0.5, 0.8, 0.94, 1 - 1e-9}) {
      const double z = d.quantile(u);
      if (u > 1 - d.w_max()) {
        EXPECT_EQ(z, 10);
      } else {
        EXPECT_NEAR(d.cdf(z), u, 1e-12);
      }
    }
  }
}

TEST(BeamDensity, LogDensityAndMoments) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const BeamDensity d(c.parameters, c.sensor, c.expected_m);
    for (const double z : {0.0, 1.0, 3.9, 4.0, 9.9, 10.0}) {
      const double f = d.density(z);
      EXPECT_TRUE(!(f > 0) || std::abs(d.log_density(z) - std::log(f)) < 1e-12) << z;
    }
    // Moments by the quantile function: E[g] = int g(Q(u)) du, midpoints.
    constexpr int kSteps = 4000;
    double mean = 0, square = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double z = d.quantile((i + 0.5) / kSteps);
      mean += z / kSteps, square += z * z / kSteps;
    }
    EXPECT_NEAR(d.mean(), mean, 2e-3);
    EXPECT_NEAR(d.variance(), square - mean * mean, 2e-2);
  }
}

TEST(BeamDensity, LogDensityOutlivesUnderflow) {
  const BeamDensity d({1, 0, 0, 0, .01, .4}, {.max_range_m = 10}, 4);
  EXPECT_EQ(d.density(9), 0);
  EXPECT_NEAR(d.log_density(9), -0.5 * 500.0 * 500.0 - std::log(.01) - 0.5 * std::log(2 * std::numbers::pi), 1e-6);
  EXPECT_EQ(d.log_density(-1), -kInf);
  EXPECT_EQ(d.log_density(10), -kInf);
}

TEST(BeamDensity, SamplerPassesKolmogorovSmirnovAndChiSquare) {
  constexpr auto kDraws = static_cast<std::uint32_t>(repetitions(400000));
  constexpr std::size_t kCells = 100;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const BeamDensity d(c.parameters, c.sensor, c.expected_m);
    const NoiseKey key = beam_key(42, 7, c.name);
    std::vector<double> pit;
    std::vector<double> counts(kCells, 0.0);
    double at_max = 0;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const double z = sample_reading(d, key, i);
      ASSERT_TRUE(z >= 0 && z <= 10);
      if (z == 10) {
        ++at_max;
      } else {
        pit.push_back(d.cdf(z) / (1 - d.w_max()));
        ++counts[std::min(kCells - 1, static_cast<std::size_t>(pit.back() * kCells))];
      }
    }
    const double expected_max = kDraws * d.w_max();
    EXPECT_LE(std::abs(at_max - expected_max), 4.5 * std::sqrt(expected_max * (1 - d.w_max())) + 1e-9);
    if (pit.empty()) continue;
    double chi_square = 0;
    const double expected = static_cast<double>(pit.size()) / kCells;
    for (const double count : counts) chi_square += (count - expected) * (count - expected) / expected;
    EXPECT_GT(chi_square_p_value(chi_square, kCells - 1), 1e-5);
    EXPECT_GT(ks_p_value(ks_distance_uniform(pit), pit.size()), 1e-5);
  }
}

TEST(BeamDensity, ReadingsAreMaxByThresholdNeverByEquality) {
  const BeamSensor sensor = {.max_range_m = 80, .min_range_m = 0.1};
  for (const double z : {80.0, 81.83, 81.91, 1e9, kInf}) EXPECT_EQ(classify(z, sensor), ReadingKind::kMax) << z;
  for (const double z : {0.1, 5.0, 79.999}) EXPECT_EQ(classify(z, sensor), ReadingKind::kRange) << z;
  // Readings too near are not readings without a return.
  for (const double z : {0.0, 0.05, -1.0, -kInf, kNan}) EXPECT_EQ(classify(z, sensor), ReadingKind::kNone) << z;
  BeamSensor nan_is_max = sensor;
  nan_is_max.nan = NanPolicy::kMax;
  EXPECT_EQ(classify(kNan, nan_is_max), ReadingKind::kMax);
  EXPECT_EQ(classify(-1.0, nan_is_max), ReadingKind::kNone);
}

TEST(BeamDensity, NoReturnHasTheProbabilityOfMaxAndTooNearHasNoSay) {
  const BeamParameters p = {.7, .15, .05, .1, .1, .4};
  const BeamDensity d(p, {.max_range_m = 10, .min_range_m = 0.2}, 4);
  for (const double z : {10.0, 12.0, kInf}) EXPECT_DOUBLE_EQ(d.log_likelihood(z), std::log(.05));
  for (const double z : {0.1, -3.0, -kInf, kNan}) EXPECT_EQ(d.log_likelihood(z), 0);
}

TEST(BeamDensity, WeightsDoNotDependOnTheUnitOfLength) {
  // f below Z is per length, f(Z) is not: 100 times smaller in centimetres, and the same at Z.
  const BeamDensity m({.7, .15, .05, .1, .1, .4}, {.max_range_m = 10, .expected_floor_m = .025}, 4);
  const BeamDensity cm({.7, .15, .05, .1, 10, .004}, {.max_range_m = 1000, .expected_floor_m = 2.5}, 400);
  for (const double z : {0.0, 1.0, 3.9, 4.05, 9.0}) EXPECT_NEAR(cm.density(100 * z) * 100, m.density(z), 1e-12);
  EXPECT_EQ(cm.density(1000), m.density(10));
  EXPECT_NEAR(cm.mean(), 100 * m.mean(), 1e-9);
}

/// Readings that a sensor of this step can give: multiples of it below Z, then Z.
std::vector<double> lattice(const BeamSensor& sensor) {
  std::vector<double> readings;
  for (int i = 0; !reaches(i * sensor.step_m, sensor.max_range_m); ++i) readings.push_back(i * sensor.step_m);
  readings.push_back(sensor.max_range_m);
  return readings;
}

// 0.3 and 0.7 do not divide Z: readings from half a step below the first multiple beyond Z on are Z.
constexpr double kSteps[] = {0.01, 0.25, 0.3, 0.7, 2.5, 10};

TEST(BeamDensity, QuantisedReadingsHaveProbabilitiesThatSumToOne) {
  for (Case c : cases()) {
    for (const double step : kSteps) {
      SCOPED_TRACE(testing::Message() << c.name << ", step " << step);
      c.sensor.step_m = step;
      const BeamDensity d(c.parameters, c.sensor, c.expected_m);
      double sum = 0;
      CdfJump last = {0, 0};
      for (const double z : lattice(c.sensor)) {
        const double p = std::exp(d.log_likelihood(z));
        const CdfJump jump = d.cdf_jump(z);
        ASSERT_LE(p, 1 + 1e-12) << z;  // bounded, however small sigma
        ASSERT_NEAR(jump.after - jump.before, p, 1e-12) << z;
        ASSERT_NEAR(jump.before, last.after, 1e-12) << z;
        sum += p;
        last = jump;
      }
      EXPECT_NEAR(sum, 1, 1e-9);
      EXPECT_EQ(last.after, 1);
    }
  }
}

TEST(BeamDensity, QuantisedReadingsHaveTheProbabilityOfTheirCell) {
  const BeamParameters p = {.7, .15, .05, .1, .1, .4};
  const BeamDensity d(p, {.max_range_m = 10, .step_m = .25}, 4), exact(p, {.max_range_m = 10}, 4);
  for (const double z : {0.25, 3.75, 4.0, 4.25, 9.0}) {
    EXPECT_NEAR(d.log_likelihood(z), std::log(exact.cdf(z + .125) - exact.cdf(z - .125)), 1e-9) << z;
  }
  EXPECT_NEAR(d.log_likelihood(0), std::log(exact.cdf(.125)), 1e-12);
  EXPECT_NEAR(d.log_likelihood(10), std::log(1 - exact.cdf(9.875)), 1e-12);
  EXPECT_NEAR(d.log_likelihood(9.75), std::log(exact.cdf(9.875) - exact.cdf(9.625)), 1e-12);
  // Off the multiples, as when Z is not the sensor's own: what is "max" is not counted twice.
  EXPECT_NEAR(d.log_likelihood(9.9), std::log(exact.cdf(9.875) - exact.cdf(9.775)), 1e-12);
}

// Half of the hits on a surface at Z lie in the last half step below it, and are read as Z.
TEST(BeamDensity, HitsInTheLastHalfStepAreMax) {
  const BeamDensity d({.7, .15, .05, .1, .01, .4}, {.max_range_m = 10, .step_m = .25}, 10);
  const double shorts = .15 * (std::exp(-.4 * 9.875) - std::exp(-4.0)) / (1 - std::exp(-4.0));
  EXPECT_NEAR(d.log_likelihood(10), std::log(.05 + .7 + shorts + .1 * .0125), 1e-12);
}

TEST(BeamDensity, LogarithmsOfCellsOutliveUnderflow) {
  const BeamDensity d({1, 0, 0, 0, .01, .4}, {.max_range_m = 10, .step_m = .02}, 4);
  // 100 sigma away the cell's nearer end, 99, decides: log(phi(99) / 99), up to 1 / 99^2.
  const double expected = -0.5 * 99 * 99 - std::log(99 * std::sqrt(2 * std::numbers::pi));
  EXPECT_NEAR(d.log_likelihood(5), expected, 2e-4);
  EXPECT_NEAR(d.log_likelihood(3), expected, 2e-4);
  // Where doubles just suffice, both ways agree.
  const double near = std::log(0.5 * (std::erfc(37 * M_SQRT1_2) - std::erfc(39 * M_SQRT1_2)));
  EXPECT_NEAR(d.log_likelihood(4.38), near, 1e-9);
  EXPECT_LT(d.log_likelihood(4.4), near);
}

TEST(BeamDensity, SamplesOfASensorWithAStepHaveTheProbabilitiesOfItsReadings) {
  constexpr auto kDraws = static_cast<std::uint32_t>(repetitions(400000));
  for (Case c : cases()) {
    for (const double step : {0.25, 0.7}) {
      SCOPED_TRACE(testing::Message() << c.name << ", step " << step);
      c.sensor.step_m = step;
      const BeamDensity d(c.parameters, c.sensor, c.expected_m);
      const std::vector<double> readings = lattice(c.sensor);
      std::vector<double> counts(readings.size(), 0.0);
      for (std::uint32_t i = 0; i < kDraws; ++i) {
        const double z = sample_reading(d, beam_key(43, 7, c.name), i);
        const auto at = z == 10 ? readings.size() - 1 : static_cast<std::size_t>(std::lround(z / step));
        ASSERT_EQ(z, readings.at(at));
        ++counts[at];
      }
      double chi_square = 0, rare = 0, rare_expected = 0;
      int cells = -1;
      for (std::size_t i = 0; i < readings.size(); ++i) {
        const double expected = kDraws * std::exp(d.log_likelihood(readings[i]));
        if (expected < 10) {
          rare += counts[i], rare_expected += expected;
        } else {
          chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
          ++cells;
        }
      }
      EXPECT_LE(std::abs(rare - rare_expected), 4.5 * std::sqrt(rare_expected) + 1);
      EXPECT_GT(cells > 0 ? chi_square_p_value(chi_square, cells) : 1.0, 1e-5);
    }
  }
}

TEST(BeamSampler, RoundsToTheStepOfTheSensor) {
  const BeamParameters p = {.7, .15, .05, .1, .1, .4};
  const std::vector<float> expected(2000, 4.0F);
  std::vector<float> exact(2000), rounded(2000);
  sample_scan(p, {.max_range_m = 10}, beam_key(1, 2), expected, exact);
  sample_scan(p, {.max_range_m = 10, .step_m = .25}, beam_key(1, 2), expected, rounded);
  for (std::size_t i = 0; i < 2000; ++i) EXPECT_EQ(rounded[i], std::min(10.0F, .25F * std::round(exact[i] / .25F)));
}

TEST(BeamDensity, NanAndInfinityAreDefined) {
  const BeamParameters p = {.7, .15, .05, .1, .1, .4};
  for (const double step : {0.0, 0.25}) {
    const BeamDensity d(p, {.max_range_m = 10, .step_m = step}, 4);
    for (const double v : {d.density(kNan), d.log_density(kNan), d.cdf(kNan), d.quantile(kNan)}) {
      EXPECT_TRUE(std::isnan(v));
    }
    EXPECT_EQ(d.density(kInf), .05);
    EXPECT_EQ(d.log_density(kInf), std::log(.05));
    EXPECT_EQ(d.cdf(kInf), 1);
    EXPECT_EQ(d.quantile(kInf), 10);
    EXPECT_EQ(d.density(-kInf), 0);
    EXPECT_EQ(d.log_density(-kInf), -kInf);
    EXPECT_EQ(d.cdf(-kInf), 0);
    EXPECT_EQ(d.quantile(-kInf), 0);
    EXPECT_EQ(d.log_likelihood(kNan), 0);
    EXPECT_TRUE(std::isnan(d.cdf_jump(kNan).before) && std::isnan(d.cdf_jump(-kInf).after));
    const BeamDensity nan_is_max(p, {.max_range_m = 10, .step_m = step, .nan = NanPolicy::kMax}, 4);
    EXPECT_EQ(nan_is_max.log_likelihood(kNan), d.log_likelihood(10));
    EXPECT_EQ(nan_is_max.log_likelihood(-kInf), 0);
    EXPECT_EQ(nan_is_max.cdf_jump(kNan).after, 1);
  }
}

TEST(BeamDensity, RefusesWhatIsInvalidNeverRenormalised) {
  const auto refusal = [](const BeamParameters& p, const BeamSensor& sensor, double expected_m) {
    return input_error([&] { static_cast<void>(BeamDensity(p, sensor, expected_m)); });
  };
  const BeamSensor ten = {.max_range_m = 10};
  EXPECT_EQ(refusal({.8, .15, .05, .1, .1, .4}, ten, 4), "beam: w_hit + w_short + w_max + w_rand = 1.1 is not 1");
  EXPECT_EQ(refusal({.7, .15, .05, .1, -1, .4}, ten, 4), "beam.sigma_hit_m = -1 is not in [1e-06, 1000000] m");
  EXPECT_EQ(refusal({}, {.max_range_m = -1}, 4), "beam.max_range_m = -1 is not in [1e-06, 10000000] m");
  EXPECT_EQ(refusal({}, {.max_range_m = 10, .step_m = 1e-6}, 4), "beam.step_m = 1e-06 is not in [1e-05, 10] m");
  EXPECT_EQ(refusal({}, ten, kNan), "beam.expected_m = nan is not at least 0");
  EXPECT_EQ(refusal({}, ten, -0.5), "beam.expected_m = -0.5 is not at least 0");
  EXPECT_EQ(refusal({}, ten, kInf), "");
}

TEST(BeamParameters, AreRefusedByNameNeverRenormalised) {
  const auto refusal = [](BeamParameters p) { return input_error([&] { validate(p); }); };
  EXPECT_EQ(refusal({.8, .15, .05, .1, .1, .4}), "beam: w_hit + w_short + w_max + w_rand = 1.1 is not 1");
  EXPECT_EQ(refusal({1.2, -.2, 0, 0, .1, .4}), "beam.w_hit = 1.2 is not in [0, 1]");
  EXPECT_EQ(refusal({.7, .15, .05, .1, 0, .4}), "beam.sigma_hit_m = 0 is not in [1e-06, 1000000] m");
  EXPECT_EQ(refusal({.7, .15, .05, .1, .1, -1}), "beam.lambda_short_per_m = -1 is not in [0, 1000000] 1/m");
  EXPECT_EQ(refusal({kNan, .15, .05, .1, .1, .4}), "beam.w_hit = nan is not in [0, 1]");
  EXPECT_EQ(refusal({}), "");
  EXPECT_NE(input_error([] { validate(BeamSensor{.max_range_m = kNan}); }), "");
  EXPECT_NE(input_error([] { validate(BeamSensor{.max_range_m = 5, .min_range_m = 6}); }), "");
}

TEST(BeamSampler, IsKeyedByScanAndRayAlone) {
  const BeamParameters p = {.7, .15, .05, .1, .1, .4};
  const BeamSensor sensor = {.max_range_m = 10};
  std::vector<float> expected(100, 4.0F), once(100), again(100), half(50), other(100);
  sample_scan(p, sensor, beam_key(1, 2), expected, once);
  sample_scan(p, sensor, beam_key(1, 2), expected, again);
  sample_scan(p, sensor, beam_key(1, 2), std::span(expected).first(50), half);
  sample_scan(p, sensor, beam_key(1, 3), expected, other);
  EXPECT_EQ(once, again);
  EXPECT_TRUE(std::equal(half.begin(), half.end(), once.begin()));
  EXPECT_NE(once, other);
  EXPECT_NE(input_error([&] { sample_scan(p, sensor, beam_key(1, 2), half, once); }), "");
}

}  // namespace
}  // namespace fathom::test::model_test
