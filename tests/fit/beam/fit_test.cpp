// SPDX-License-Identifier: MIT
#include <fathom/fit/fit.hpp>

#include "fit/beam/em_kernels.hpp"
#include "fit/beam/synthetic.hpp"
#include "support/casters.hpp"

namespace fathom::test::fit_test {
namespace {

TEST(BeamFit, TheLikelihoodNeverFallsFrom200RandomStarts) {
  const BeamData laser = simulate(kLaserTruth, kLaser, 1500, .5, 8, 3);
  const BeamData sonar = simulate(kSonarTruth, kSonar, 1500, .3, 4.9, 4);
  for (std::uint32_t i = 0; i < repetitions(200); ++i) {
    const PhiloxBlock a = keyed_block({9, i, 0}, 0, 0), b = keyed_block({9, i, 0}, 1, 0);
    std::array<double, 4> w;
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += w[k] = 0.02 + uniform_from_word(a.word[k]);
    FitOptions options = {.compute = {.threads = 1}};
    options.start = {w[0] / sum,
                     w[1] / sum,
                     w[2] / sum,
                     w[3] / sum,
                     std::pow(10.0, -2 + 3 * uniform_from_word(b.word[0])),
                     i % 10 == 0 ? 0.0 : std::pow(10.0, -2 + 3 * uniform_from_word(b.word[1]))};
    options.fit_hit_offset = i % 5 == 0;
    options.max_iterations = 150;
    const bool is_sonar = i % 2 == 1;
    const BeamFit fit = fit_beam_model(is_sonar ? sonar : laser, is_sonar ? kSonar : kLaser, options);
    for (std::size_t k = 1; k < fit.log_likelihood_by_iteration.size(); ++k) {
      const double before = fit.log_likelihood_by_iteration[k - 1];
      ASSERT_GE(fit.log_likelihood_by_iteration[k], before - 1e-10 * std::abs(before))
          << "start " << i << " iteration " << k;
    }
  }
}

/// One step against the slow way, pair by pair from the public densities: the likelihood under the start and the
/// weights.
void expect_step_of_densities(const BeamData& data, const BeamSensor& sensor, const BeamParameters& start) {
  double log_likelihood = 0, hit = 0, shorts = 0, rand = 0;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    BeamParameters p = start;
    if (reaches(data.expected_m[i], sensor.max_range_m)) p.hit_offset_m = 0;
    const BeamDensity density(p, sensor, data.expected_m[i]);
    const double z = data.reading_m[i];
    if (reaches(z, sensor.max_range_m)) {
      log_likelihood += std::log(start.w_max);
      continue;
    }
    const double h = start.w_hit * density.hit().density(z), s = start.w_short * density.shorts().density(z),
                 r = start.w_rand / sensor.max_range_m;
    log_likelihood += std::log(h + s + r);
    hit += h / (h + s + r), shorts += s / (h + s + r), rand += r / (h + s + r);
  }
  const auto n = static_cast<double>(data.reading_m.size());
  for (const Isa isa : usable_isas()) {
    const BeamFit fit =
        fit_beam_model(data, sensor, {.start = start, .max_iterations = 1, .compute = {.threads = 1, .isa = isa}});
    EXPECT_NEAR(fit.start_log_likelihood / log_likelihood, 1, 1e-11);
    EXPECT_NEAR(fit.model.w_hit * n, hit, 1e-9 * n);
    EXPECT_NEAR(fit.model.w_short * n, shorts, 1e-9 * n);
    EXPECT_NEAR(fit.model.w_rand * n, rand, 1e-9 * n);
  }
}

TEST(BeamFit, OneStepIsThatOfTheDensities) {
  BeamData data = simulate(kLaserTruth, kLaser, 3001, 0, 9.9, 9);
  for (std::size_t i = 0; i < data.reading_m.size(); i += 50) data.expected_m[i] = 10.0F;  // missed
  // Lambda from uniform shorts over the series near 0 to steep ones; hits cut at one end, at both, and by an offset.
  for (const double lambda : {0.0, 1e-4, 0.4, 30.0}) {
    for (const double sigma : {0.01, 0.3, 4.0}) {
      for (const double offset : {0.0, 0.07, -0.4}) {
        SCOPED_TRACE(testing::Message() << sigma << ' ' << lambda << ' ' << offset);
        expect_step_of_densities(data, kLaser, {.4, .3, .1, .2, sigma, lambda, offset});
      }
    }
  }
}

// 8.5 sigma, rounded up to 1 m, is the whole range: hits are looked for outside [1, 0], the first time as later.
TEST(BeamFit, OneStepWhereEveryHitIsCutAtBothEnds) {
  const BeamSensor sensor = {.max_range_m = 1, .miss = MissPolicy::kBook};
  BeamData data = simulate({.7, .1, .05, .15, .116, 2.0, 0.0}, sensor, 1000, 0.05, 0.95, 3);
  for (std::size_t i = 0; i < data.reading_m.size(); i += 50) data.expected_m[i] = 1.0F;  // missed
  expect_step_of_densities(data, sensor, {.4, .3, .1, .2, .116, 2.0, 0.0});
}

TEST(BeamFit, SameBitsForAnyThreads) {
  const BeamData data = simulate(kLaserTruth, kLaser, 20000, .5, 8, 1);
  const BeamFit one = fit_beam_model(data, kLaser, {.compute = {.threads = 1}});
  for (const int threads : {2, 7}) {
    const BeamFit other = fit_beam_model(data, kLaser, {.compute = {.threads = threads}});
    EXPECT_EQ(one.model, other.model);
    EXPECT_EQ(one.log_likelihood_by_iteration, other.log_likelihood_by_iteration);
    EXPECT_EQ(one["w_hit"].std_error, other["w_hit"].std_error);
    EXPECT_EQ(one["sigma_hit_m"].std_error, other["sigma_hit_m"].std_error);
    EXPECT_EQ(one["lambda_short_per_m"].std_error, other["lambda_short_per_m"].std_error);
  }
  for (const Isa isa : usable_isas()) {
    EXPECT_EQ(one.model, fit_beam_model(data, kLaser, {.compute = {.threads = 1, .isa = isa}}).model) << to_string(isa);
  }
}

/// Fits data in metres and, scaled, in other units: the same weights, and lengths in proportion.
void expect_same_in_any_unit(const BeamData& metres, const BeamSensor& sensor) {
  const BeamFit m = fit_beam_model(metres, sensor, {.compute = {.threads = 1}});
  for (const double scale : {100.0, 0.001}) {
    SCOPED_TRACE(scale);
    BeamData scaled = metres;
    for (float& z : scaled.reading_m) z = static_cast<float>(z * scale);
    for (float& z : scaled.expected_m) z = static_cast<float>(z * scale);
    BeamSensor other = sensor;
    other.max_range_m *= scale, other.expected_floor_m *= scale;
    FitOptions options = {.compute = {.threads = 1}};
    options.start.sigma_hit_m *= scale;
    options.start.lambda_short_per_m /= scale;
    const BeamFit fit = fit_beam_model(scaled, other, options);
    EXPECT_NEAR(fit.model.w_hit, m.model.w_hit, 1e-4);
    EXPECT_NEAR(fit.model.w_short, m.model.w_short, 1e-4);
    EXPECT_NEAR(fit.model.w_max, m.model.w_max, 1e-4);
    EXPECT_NEAR(fit.model.w_rand, m.model.w_rand, 1e-4);
    EXPECT_NEAR(fit.model.sigma_hit_m / scale, m.model.sigma_hit_m, 1e-4);
    EXPECT_NEAR(fit.model.lambda_short_per_m * scale, m.model.lambda_short_per_m, 1e-3);
  }
}

TEST(BeamFit, WeightsDoNotDependOnTheUnitOfLength) {
  expect_same_in_any_unit(simulate(kLaserTruth, kLaser, 20000, .5, 8, 2), kLaser);
}

TEST(BeamFit, WeightsDoNotDependOnTheUnitOfLengthWhereBeamsExpectNothing) {
  for (const MissPolicy miss : {MissPolicy::kAtom, MissPolicy::kBook}) {
    const BeamSensor sensor = {.max_range_m = 10, .miss = miss};
    const BeamData data = simulate(kLaserTruth, sensor, 20000, .5, 8, 2, 100, 4);
    ASSERT_GE(std::count(data.expected_m.begin(), data.expected_m.end(), 10.0F), 5000);
    expect_same_in_any_unit(data, sensor);
  }
}

TEST(BeamFit, NanIsMaxByPolicyOnly) {
  BeamData with_nan = simulate(kLaserTruth, kLaser, 4000, .5, 8, 7), with_max = with_nan;
  for (std::size_t i = 0; i < 4000; i += 9) {
    with_nan.reading_m[i] = std::numeric_limits<float>::quiet_NaN();
    with_max.reading_m[i] = 10.0F;
  }
  BeamSensor nan_is_max = kLaser;
  nan_is_max.nan = NanPolicy::kMax;
  const BeamFit fit = fit_beam_model(with_nan, nan_is_max, {.compute = {.threads = 1}});
  const BeamFit written = fit_beam_model(with_max, kLaser, {.compute = {.threads = 1}});
  EXPECT_EQ(fit.model, written.model);
  EXPECT_EQ(fit.log_likelihood_by_iteration, written.log_likelihood_by_iteration);
  EXPECT_EQ(fit["w_max"].std_error, written["w_max"].std_error);
  EXPECT_GT(fit.model.w_max, .14);
  const BeamFit skipped = fit_beam_model(with_nan, kLaser, {.compute = {.threads = 1}});
  EXPECT_EQ(skipped.kinds[2], 445U);
  EXPECT_LT(skipped.model.w_max, .07);
}

TEST(BeamFit, BeamsThatExpectNothingMoveTheirHitsToTheAtom) {
  const BeamParameters truth = {.80, .08, .02, .10, .10, .40};
  BeamSensor sensor = {.max_range_m = 10, .miss = MissPolicy::kAtom};
  // Three rays in ten expect nothing.
  BeamData data = simulate(truth, sensor, 60000, .5, 8, 5);
  const BeamData missed = simulate(truth, sensor, 60000, .5, 8, 6, 100, 1);
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    if (i % 10 < 3) data.expected_m[i] = missed.expected_m[i], data.reading_m[i] = missed.reading_m[i];
  }
  const BeamFit atom = fit_beam_model(data, sensor, {.compute = {.threads = 1}});
  EXPECT_NEAR(atom.model.w_max, .02, 4 * atom["w_max"].std_error);
  EXPECT_NEAR(atom.model.w_hit, .80, 4 * atom["w_hit"].std_error);
  sensor.miss = MissPolicy::kBook;
  EXPECT_NEAR(fit_beam_model(data, sensor, {.compute = {.threads = 1}}).model.w_max, .26, .005);
}

TEST(BeamFit, FindsTheHitOffset) {
  BeamParameters truth = kLaserTruth;
  truth.hit_offset_m = 0.07;
  const BeamData data = simulate(truth, kLaser, 20000, .5, 8, 8);
  const BeamFit fit = fit_beam_model(data, kLaser, {.fit_hit_offset = true, .compute = {.threads = 1}});
  EXPECT_NEAR(fit.model.hit_offset_m, 0.07, 4 * fit["hit_offset_m"].std_error);
  EXPECT_LT(fit["hit_offset_m"].std_error, 0.002);
  EXPECT_NEAR(fit.model.sigma_hit_m, 0.10, 4 * fit["sigma_hit_m"].std_error);
  const BeamFit kept = fit_beam_model(data, kLaser, {.compute = {.threads = 1}});
  EXPECT_EQ(kept.model.hit_offset_m, 0);
  EXPECT_TRUE(std::isnan(kept["hit_offset_m"].std_error));
  EXPECT_LT(kept.log_likelihood, fit.log_likelihood);
}

TEST(BeamFit, ErrorsAreClusteredByStretch) {
  // Every pair nine times within its scan tells no more than once: clustered errors stay, naive ones shrink by 3.
  const BeamData once = simulate(kLaserTruth, kLaser, 8000, .5, 8, 9, 1);
  BeamData nine;
  for (std::size_t i = 0; i < once.reading_m.size(); ++i) {
    for (int k = 0; k < 9; ++k) {
      nine.reading_m.push_back(once.reading_m[i]);
      nine.expected_m.push_back(once.expected_m[i]);
      nine.scan.push_back(once.scan[i]);
    }
  }
  for (const std::size_t stretches : {0U, 500U}) {
    const BeamFit a = fit_beam_model(once, kLaser, {.stretches = stretches, .compute = {.threads = 1}}),
                  b = fit_beam_model(nine, kLaser, {.stretches = stretches, .compute = {.threads = 1}});
    for (const auto& f : BeamParameters::fields()) {
      if (f.name == "hit_offset_m") continue;
      // Clustered errors of `a` are a little below or above its naive errors by chance.
      EXPECT_NEAR(b[f.name].std_error / a[f.name].std_error, 1, stretches == 0 ? 0.03 : 0.15) << f.name;
      EXPECT_NEAR(b[f.name].naive_error / a[f.name].naive_error, 1.0 / 3, 0.01) << f.name;
    }
  }
}

bool has_flag(const BeamFit& fit, const std::string& part) {
  return std::ranges::any_of(texts_of(fit.findings),
                             [&](const std::string& flag) { return flag.find(part) != std::string::npos; });
}

/// The pairs that a fit calls unidentified, each as "a and b".
std::vector<std::string> unidentified(const BeamFit& fit) {
  std::vector<std::string> pairs;
  for (const std::string& flag : texts_of(fit.findings)) {
    const std::size_t end = flag.find(" are nearly unidentified");
    if (end != std::string::npos) pairs.push_back(flag.substr(0, end));
  }
  return pairs;
}

TEST(BeamFit, NamesThePairThatCannotBeToldApartWhicheverWeightIsLargest) {
  using Pairs = std::vector<std::string>;
  const BeamSensor sensor = {.max_range_m = 8};
  // Every surface near Z, and shorts spread evenly: shorts and random readings look the same. Max is another matter.
  const BeamParameters alike[] = {{.60, .20, .05, .15, .05, .1},
                                  {.20, .20, .05, .55, .05, .1},
                                  {.20, .50, .05, .25, .05, .1},
                                  {.10, .20, .55, .15, .05, .1}};
  for (const BeamParameters& truth : std::span(alike).first(repetitions(std::size(alike)))) {
    const BeamData data = simulate(truth, sensor, 20000, 7.84, 7.999, 1);
    EXPECT_EQ(unidentified(fit_beam_model(data, sensor, {.compute = {.threads = 1}})), Pairs{"w_short and w_rand"})
        << truth.w_short << ' ' << truth.w_rand;
  }
  // Weights sum to 1: where there are but two, or the others are tiny, these are correlated by -1 and yet well known.
  for (const BeamParameters& truth : {BeamParameters{.70, 0, .30, 0, .1, .4}, {.90, 0, .0995, .0005, .1, .4}}) {
    const BeamData data = simulate(truth, kLaser, 20000, .5, 8, 2);
    const FitOptions start = {.start = {.4, 0, .3, .3, .5, .4}, .compute = {.threads = 1}};
    EXPECT_EQ(unidentified(fit_beam_model(data, kLaser, start)), Pairs{});
  }
  EXPECT_EQ(unidentified(fit_beam_model(simulate(kLaserTruth, kLaser, 20000, .5, 8, 3), kLaser)), Pairs{});
}

// So flat that learning ends where the information is negative in one direction: no errors then, but the pair is named.
TEST(BeamFit, NamesThePairWhereThereAreNoErrors) {
  const BeamSensor sensor = {.max_range_m = 8};
  const BeamData data = simulate({.60, .20, .05, .15, .05, .02}, sensor, 20000, 7.84, 7.999, 2);
  const BeamFit fit = fit_beam_model(data, sensor, {.compute = {.threads = 1}});
  EXPECT_TRUE(has_flag(fit, "standard errors are not available")) << testing::PrintToString(texts_of(fit.findings));
  EXPECT_TRUE(has_flag(fit, "w_short and w_rand are nearly unidentified"))
      << testing::PrintToString(texts_of(fit.findings));
  for (const auto& f : BeamParameters::fields()) EXPECT_TRUE(std::isnan(fit[f.name].std_error)) << f.name;
}

TEST(BeamFit, FlagsVariantsThatEndAtNoMaximum) {
  const BeamData data = simulate(kLaserTruth, kLaser, 5000, .5, 8, 2);
  const auto flags = [&](FitOptions::Variant variant) {
    return texts_of(fit_beam_model(data, kLaser, {.variant = variant, .compute = {.threads = 1}}).findings);
  };
  using Flags = std::vector<std::string>;
  EXPECT_EQ(flags(FitOptions::Variant::kExact), Flags{});
  EXPECT_EQ(flags(FitOptions::Variant::kClosedForm),
            Flags{"learned by closed_form, which ends at no maximum of the likelihood: standard errors do not hold"});
  EXPECT_EQ(flags(FitOptions::Variant::kBook),
            Flags{"learned by book, which ends at no maximum of the likelihood: standard errors do not hold"});
}

TEST(BeamFit, FlagsBoundaries) {
  // Shorts that grow denser towards the surface push lambda to 0.
  BeamData late = simulate({.7, 0, .05, .25, .1, .4}, kLaser, 5000, 5, 8, 2);
  for (std::size_t i = 0; i < late.reading_m.size(); i += 5) {
    late.reading_m[i] = late.expected_m[i] * std::sqrt(static_cast<float>((i % 1000) + 1) / 1001.0F) - 0.5F;
    if (late.reading_m[i] < 0) late.reading_m[i] = 1;
  }
  const BeamFit zero = fit_beam_model(late, kLaser, {.compute = {.threads = 1}});
  EXPECT_EQ(zero.model.lambda_short_per_m, 0);
  EXPECT_TRUE(has_flag(zero, "lambda_short_per_m is at its boundary 0"));
  EXPECT_TRUE(std::isnan(zero["lambda_short_per_m"].std_error));
  EXPECT_EQ(zero["lambda_short_per_m"].status, Fit::Status::kAtLimit);
}

TEST(BeamFit, SigmaStopsAtItsFloor) {
  BeamData data = simulate(kLaserTruth, kLaser, 3000, .5, 8, 2);
  for (std::size_t i = 0; i < data.reading_m.size(); i += 2) data.reading_m[i] = data.expected_m[i];
  BeamData perfect = data;
  perfect.reading_m = perfect.expected_m;
  perfect.cell_m = 0.05;
  const BeamFit fit = fit_beam_model(perfect, kLaser, {.compute = {.threads = 1}});
  EXPECT_DOUBLE_EQ(fit.model.sigma_hit_m, 0.05 / std::sqrt(12.0));
  EXPECT_TRUE(std::isfinite(fit.log_likelihood));
}

TEST(BeamFit, SigmaStopsAtTheFloorOfTheStep) {
  BeamData perfect = simulate(kLaserTruth, kLaser, 3000, .5, 8, 2);
  perfect.reading_m = perfect.expected_m;
  perfect.cell_m = 0.05;
  BeamSensor stepped = kLaser;
  stepped.step_m = 0.08;
  const BeamFit fit = fit_beam_model(perfect, stepped, {.compute = {.threads = 1}});
  EXPECT_DOUBLE_EQ(fit.model.sigma_hit_m, 0.08 / std::sqrt(12.0));
  EXPECT_TRUE(has_flag(fit, "sigma_hit_m is at its floor, 0.02309 m"));
  perfect.cell_m = 0.0;
  // Neither: the least that a parameter may be, so that what is learned can be used.
  const BeamFit bare = fit_beam_model(perfect, kLaser, {.compute = {.threads = 1}});
  EXPECT_GE(bare.model.sigma_hit_m, 1e-6);
  EXPECT_NO_THROW(validate(bare.model));
}

// Learning takes readings as exact: rounding widens hits by D^2 / 12 (Sheppard).
TEST(BeamFit, RoundingWidensHitsAsSheppardSays) {
  BeamSensor stepped = kLaser;
  stepped.step_m = 0.15;
  const double variance = .01 + .15 * .15 / 12;
  const BeamFit fit =
      fit_beam_model(simulate(kLaserTruth, stepped, 60000, .5, 8, 2), stepped, {.compute = {.threads = 1}});
  const double sigma = fit.model.sigma_hit_m, error = 2 * sigma * fit["sigma_hit_m"].std_error;
  EXPECT_NEAR(sigma * sigma, variance, 3 * error);
  EXPECT_GT(sigma * sigma - .01, 10 * error);
}

TEST(BeamFit, NothingButMaxReadings) {
  BeamData data = simulate(kLaserTruth, kLaser, 400, .5, 8, 2);
  for (float& z : data.reading_m) z = std::numeric_limits<float>::infinity();
  const BeamFit fit = fit_beam_model(data, kLaser, {.compute = {.threads = 1}});
  EXPECT_EQ(fit.model.w_max, 1);
  EXPECT_EQ(fit.model.sigma_hit_m, 0.5);  // as it started
  EXPECT_EQ(fit.kinds[1], 400U);
  EXPECT_FALSE(fit.findings.empty());
}

TEST(BeamFit, OnePair) {
  const BeamData one = {{4.02F}, {4.0F}, {0}, 0.05};
  const BeamFit fit = fit_beam_model(one, kLaser, {.compute = {.threads = 1}});
  EXPECT_EQ(fit.readings, 1U);
  EXPECT_TRUE(std::isfinite(fit.log_likelihood));
}

TEST(BeamFit, ReportsWhichLimitEndedIt) {
  const BeamData data = simulate(kLaserTruth, kLaser, 2000, .5, 8, 2);
  EXPECT_TRUE(fit_beam_model(data, kLaser, {.compute = {.threads = 1}}).converged);
  std::size_t seen = 0;
  FitOptions few = {.max_iterations = 3, .compute = {.threads = 1}};
  few.on_iteration = [&](const FitOptions::Iteration& i) { EXPECT_EQ(i.iteration, seen++); };
  const BeamFit fit = fit_beam_model(data, kLaser, few);
  EXPECT_FALSE(fit.converged);
  EXPECT_EQ(seen, 3U);
  EXPECT_EQ(fit.log_likelihood_by_iteration.size(), 4U);
}

TEST(BeamFit, NamesWhatIsWrong) {
  const auto refusal = [](const BeamData& d, const FitOptions& o = {}) {
    return input_error([&] { fit_beam_model(d, kLaser, o); });
  };
  EXPECT_NE(refusal({}), "");
  EXPECT_NE(refusal({{1.0F}, {1.0F, 2.0F}, {0}}), "");
  EXPECT_EQ(refusal({{1.0F}, {NAN}, {0}}), "expected range 0 = nan is not at least 0");
  EXPECT_EQ(refusal({{NAN, -1.0F}, {1, 1}, {0, 0}}), "none of 2 readings carries evidence");
  EXPECT_NE(refusal({{1, 1}, {1, 1}, {4, 3}}), "");
  FitOptions wrong;
  wrong.start.w_hit = .5;
  EXPECT_NE(refusal({{1.0F}, {1.0F}, {0}}, wrong), "");
  FitOptions no_random;
  no_random.start = {1, 0, 0, 0, 1e-3, .4};
  EXPECT_NE(refusal({{9.0F, 4.0F}, {1.0F, 4.0F}, {0, 0}}, no_random), "");
}

/// Against the C library in extended precision, on a grid that is dense near 0 and on one over everything.
TEST(FallingExp, IsExactToTwoRoundings) {
  for (const auto& [step, last] : {std::pair{1e-5, -3.0}, {0.00713, -708.0}}) {
    for (double x = 0.0; x >= last; x -= step) {
      const long double exact = std::exp(static_cast<long double>(x));
      ASSERT_NEAR(static_cast<double>(math::falling_exp(x) / exact), 1.0, 4e-16) << x;
    }
  }
}

TEST(FallingExp, EndsInZero) {
  EXPECT_EQ(math::falling_exp(0.0), 1.0);
  EXPECT_EQ(math::falling_exp(-0.0), 1.0);
  for (const double x : {-709.0, -710.0, -1e4, -1e300, -double{INFINITY}}) EXPECT_EQ(math::falling_exp(x), 0.0) << x;
  EXPECT_LE(math::falling_exp(-708.5), 1e-307);
}

}  // namespace
}  // namespace fathom::test::fit_test
