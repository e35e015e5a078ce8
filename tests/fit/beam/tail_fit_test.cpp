// SPDX-License-Identifier: MIT
// Learning where hits are of extended laws: it climbs, ends at a maximum, and finds what made the readings.

#include "fit/beam/synthetic.hpp"
#include "support/casters.hpp"

namespace fathom::test::tail_fit_test {
namespace {

const BeamParameters kStudent = {.70, .12, .05, .13, .04, .40, 0.0, {HitLaw::kStudentT, 1.5, 0}};
const BeamParameters kGrowing = {.70, .12, .05, .13, .03, .40, 0.0, {HitLaw::kGrows, 4, .02}};
const BeamParameters kWideStudent = {.70, .12, .05, .13, .6, .40, 0.0, {HitLaw::kStudentT, 3, 0}};
const BeamParameters kWideGrowing = {.70, .12, .05, .13, .4, .40, 0.0, {HitLaw::kGrows, 4, .1}};

FitOptions options_for(HitLaw law, bool offset = false) {
  FitOptions options;
  options.start.tail.hit = law;
  options.fit_hit_offset = offset;
  return options;
}

double tail_number(const BeamParameters& p) { return p.tail.*member_of<double>(HitTail::field_of(p.tail.hit)); }

/// What differs from the truth, in standard errors.
std::vector<double> deviations(const BeamFit& fit, const BeamParameters& truth) {
  std::vector<double> found;
  for (const auto& field : BeamParameters::fields()) {
    const auto member = member_of<double>(field);
    if (std::isnan(fit[field.name].std_error)) continue;
    found.push_back((fit.model.*member - truth.*member) / fit[field.name].std_error);
  }
  found.push_back((tail_number(fit.model) - tail_number(truth)) /
                  tail_number(numbers_of(fit, &Fit::Parameter::std_error)));
  return found;
}

TEST(TailFit, FindsWhatMadeTheReadings) {
  for (const BeamParameters& truth : {kStudent, kGrowing, kWideStudent, kWideGrowing}) {
    const BeamSensor sensor = truth.sigma_hit_m < 0.1 ? kLaser : kSonar;
    const double high = truth.sigma_hit_m < 0.1 ? 8 : 4.9;
    double squares = 0, count = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const BeamFit fit =
          fit_beam_model(simulate(truth, sensor, 20'000, .3, high, seed), sensor, options_for(truth.tail.hit));
      EXPECT_TRUE(fit.converged);
      const std::vector<double> all = deviations(fit, truth);
      EXPECT_EQ(all.size(), 7U);
      for (const double d : all) {
        EXPECT_LT(std::abs(d), 4) << tail_number(truth) << ' ' << seed;
        squares += d * d, count += 1;
      }
    }
    // Deviations have the size that standard errors say, not half or twice of it.
    EXPECT_GT(squares / count, 0.4) << tail_number(truth);
    EXPECT_LT(squares / count, 2.0) << tail_number(truth);
  }
}

TEST(TailFit, FindsTheOffsetToo) {
  for (BeamParameters truth : {kStudent, kGrowing}) {
    truth.hit_offset_m = .05;
    const BeamFit fit =
        fit_beam_model(simulate(truth, kLaser, 20'000, .5, 8, 5), kLaser, options_for(truth.tail.hit, true));
    const std::vector<double> all = deviations(fit, truth);
    EXPECT_EQ(all.size(), 8U);
    for (const double d : all) EXPECT_LT(std::abs(d), 3);
  }
}

TEST(TailFit, TheLikelihoodNeverFalls) {
  for (const BeamParameters& truth : {kStudent, kGrowing, kWideStudent, kLaserTruth, kSonarTruth}) {
    const BeamSensor sensor = truth.sigma_hit_m < 0.2 ? kLaser : kSonar;
    const BeamData data = simulate(truth, sensor, 5000, .3, sensor.max_range_m, 2, 100, 9);
    for (const HitLaw law : {HitLaw::kStudentT, HitLaw::kGrows}) {
      for (const double sigma : {0.01, 0.5, 4.0}) {
        for (const double nu : {0.5, 3.0, 500.0}) {
          FitOptions options = options_for(law, true);
          options.start.sigma_hit_m = sigma;
          options.start.tail.nu_hit = nu, options.start.tail.sigma_hit_per_m = 0.01 * nu / 500;
          const std::vector<double> all = fit_beam_model(data, sensor, options).log_likelihood_by_iteration;
          for (std::size_t i = 1; i < all.size(); ++i) {
            ASSERT_GE(all[i], all[i - 1] - 1e-10 * std::abs(all[i - 1])) << i << ' ' << sigma << ' ' << nu;
          }
        }
      }
    }
  }
}

/// The slow path agrees on the likelihood, and has no higher one nearby.
TEST(TailFit, EndsAtAMaximumOfTheDensity) {
  for (const BeamParameters& truth : {kStudent, kGrowing, kWideStudent, kWideGrowing}) {
    const BeamSensor sensor = truth.sigma_hit_m < 0.1 ? kLaser : kSonar;
    const BeamData data = simulate(truth, sensor, 4000, .1, sensor.max_range_m, 3, 100, 11);
    FitOptions options = options_for(truth.tail.hit);
    options.tolerance = 1e-14;
    const BeamFit fit = fit_beam_model(data, sensor, options);
    const auto likelihood = [&](const BeamParameters& p) { return judge_beam_model(p, sensor, data).log_likelihood; };
    const double best = likelihood(fit.model);
    EXPECT_NEAR(fit.log_likelihood, best, 1e-8 * std::abs(best));
    const auto expect_peak = [&](const char* name, auto member, double error) {
      BeamParameters low = fit.model, high = fit.model;
      low.*member -= .05 * error, high.*member += .05 * error;
      const double below = likelihood(low), above = likelihood(high);
      EXPECT_LT(below, best) << name;
      EXPECT_LT(above, best) << name;
      // The vertex of the parabola through the three is where learning ended: within a thousandth of an error.
      EXPECT_LT(std::abs(above - below) / (2 * best - below - above), .04) << name;
    };
    expect_peak("sigma", &BeamParameters::sigma_hit_m, fit["sigma_hit_m"].naive_error);
    const auto tail_peak = member_of<double>(HitTail::field_of(truth.tail.hit));
    const double error = tail_number(numbers_of(fit, &Fit::Parameter::naive_error));
    BeamParameters low = fit.model, high = fit.model;
    low.tail.*tail_peak -= .05 * error, high.tail.*tail_peak += .05 * error;
    const double below = likelihood(low), above = likelihood(high);
    EXPECT_LT(below, best);
    EXPECT_LT(above, best);
    EXPECT_LT(std::abs(above - below) / (2 * best - below - above), .04);
  }
}

/// Tables of what lies beyond the ends of [0, Z], for scales from far below Z to twice Z, and surfaces at both ends.
TEST(TailFit, TheLikelihoodOfTheStartIsThatOfTheDensity) {
  for (const double sigma : {1e-3, 0.02, 0.6, 3.0, 10.0}) {
    for (const double nu : {0.5, 0.9, 2.0, 30.0, 1e4}) {
      const BeamParameters start = {.70, .12, .05, .13, sigma, .40, 0.03, {HitLaw::kStudentT, nu, 0}};
      const BeamData data = simulate(start, kSonar, 3000, 0.0, kSonar.max_range_m, 5, 100, 11);
      FitOptions options = options_for(HitLaw::kStudentT);
      options.start = start;
      options.max_iterations = 1;
      const double exact = judge_beam_model(start, kSonar, data).log_likelihood;
      EXPECT_NEAR(fit_beam_model(data, kSonar, options).start_log_likelihood, exact, 1e-9 * std::abs(exact))
          << sigma << ' ' << nu;
    }
  }
}

TEST(TailFit, ThreadsInstructionSetsAndPartsChangeNoBit) {
  for (const BeamParameters& truth : {kStudent, kGrowing}) {
    const BeamData data = simulate(truth, kLaser, 30'000, .5, 10, 4, 100, 7);
    const auto fit = [&](const Compute& compute) {
      FitOptions options = options_for(truth.tail.hit, true);
      options.compute = compute;
      return fit_beam_model(data, kLaser, options);
    };
    const BeamFit one = fit({.threads = 1});
    const auto expect_same = [&](const BeamFit& other) {
      EXPECT_EQ(one.model, other.model);
      EXPECT_EQ(one.log_likelihood_by_iteration, other.log_likelihood_by_iteration);
      EXPECT_EQ(tail_number(numbers_of(one, &Fit::Parameter::std_error)),
                tail_number(numbers_of(other, &Fit::Parameter::std_error)));
      EXPECT_EQ(one["sigma_hit_m"].std_error, other["sigma_hit_m"].std_error);
    };
    expect_same(fit({.threads = 3}));
    for (const Isa isa : usable_isas()) expect_same(fit({.isa = isa}));
  }
}

TEST(TailFit, OfGaussianReadingsIsTheGaussian) {
  const BeamData data = simulate(kLaserTruth, kLaser, 20'000, .5, 8, 6);
  const BeamFit book = fit_beam_model(data, kLaser, {});
  for (const HitLaw law : {HitLaw::kStudentT, HitLaw::kGrows}) {
    const BeamFit fit = fit_beam_model(data, kLaser, options_for(law));
    // The book's model is a limit of both: they fit no worse, and hardly better.
    EXPECT_GT(fit.log_likelihood, book.log_likelihood - 1.0);
    EXPECT_LT(fit.log_likelihood, book.log_likelihood + 6.0);
    EXPECT_NEAR(fit.model.sigma_hit_m, book.model.sigma_hit_m, .03 * book.model.sigma_hit_m);
  }
}

TEST(TailFit, HeavyTailsGainMoreThanTheGaussianCan) {
  const BeamData data = simulate(kStudent, kLaser, 20'000, .5, 8, 7);
  const BeamData other = simulate(kStudent, kLaser, 20'000, .5, 8, 8);
  const auto nats = [&](HitLaw law) {
    return judge_beam_model(fit_beam_model(data, kLaser, options_for(law)).model, kLaser, other).nats_per_ray;
  };
  EXPECT_GT(nats(HitLaw::kStudentT), nats(HitLaw::kGaussian) + .05);
}

TEST(TailFit, SaysWhereALawIsAtTheEndOfItsLimits) {
  BeamParameters falling = kLaserTruth;  // the deviation falls with the range, which sigma' >= 0 cannot
  BeamData data = simulate(falling, kLaser, 10'000, .5, 4, 6);
  falling.sigma_hit_m = .02;
  const BeamData far = simulate(falling, kLaser, 10'000, 4, 8, 7);
  data.reading_m.insert(data.reading_m.end(), far.reading_m.begin(), far.reading_m.end());
  data.expected_m.insert(data.expected_m.end(), far.expected_m.begin(), far.expected_m.end());
  for (const std::uint32_t scan : far.scan) data.scan.push_back(100 + scan);
  const BeamFit fit = fit_beam_model(data, kLaser, options_for(HitLaw::kGrows));
  EXPECT_EQ(fit.model.tail.sigma_hit_per_m, 0);
  EXPECT_TRUE(std::isnan(fit["sigma_hit_per_m"].std_error));
  EXPECT_EQ(std::ranges::count(texts_of(fit.findings), "sigma_hit_per_m is at its boundary 0: hits are gaussian"), 1);
}

TEST(TailFit, RefusesTheBooksVariantsOfLearning) {
  FitOptions options = options_for(HitLaw::kStudentT);
  options.variant = FitOptions::Variant::kBook;
  const BeamData data = simulate(kStudent, kLaser, 100, .5, 8, 7);
  EXPECT_EQ(input_error([&] { fit_beam_model(data, kLaser, options); }),
            "fit.variant = book is of gaussian hits, as the book has them, and hit is student_t");
}

}  // namespace
}  // namespace fathom::test::tail_fit_test

// Scores of poses where hits are of extended laws: the fast tables against the densities, whichever instruction set.

namespace fathom::test::tail_score_test {
namespace {

struct Scan {
  std::vector<float> expected, readings;  // [poses, rays] and [rays]
};

constexpr std::size_t kPoses = 200, kRays = 37;

/// Ranges that each pose expects anywhere in [0, Z], and none; readings drawn from the model of the first pose.
Scan scan_of(const BeamParameters& p, const BeamSensor& sensor) {
  Scan s;
  for (std::size_t i = 0; i < kPoses * kRays; ++i) {
    const double place = std::fmod(0.618034 * static_cast<double>(i), 1.1);
    s.expected.push_back(static_cast<float>(std::min(1.0, place * place) * sensor.max_range_m));
  }
  s.readings.resize(kRays);
  sample_scan(p, sensor, beam_key(3, 1), std::span(s.expected).first(kRays), s.readings);
  return s;
}

class Nowhere final : public ExpectedRanges {
 public:
  void cast(std::span<const Pose>, const RayFan&, double, std::span<float>) const override {}
  [[nodiscard]] double floor_m() const override { return 0.025; }
};

std::vector<double> score(const BeamParameters& p, const BeamSensor& sensor, const Scan& s,
                          const ScoreOptions& options) {
  const Nowhere nowhere;
  ScanScorer scorer(p, sensor, nowhere, RayFan::planar(std::vector<double>(kRays)), options);
  std::vector<double> out(kPoses);
  scorer.score_expected(s.expected, s.readings, out);
  return out;
}

std::vector<HitTail> tails() {
  return {{HitLaw::kStudentT, .5, 0},  {HitLaw::kStudentT, 1.3, 0}, {HitLaw::kStudentT, 5, 0},
          {HitLaw::kStudentT, 1e4, 0}, {HitLaw::kGrows, 4, 0},      {HitLaw::kGrows, 4, .003},
          {HitLaw::kGrows, 4, .2}};
}

TEST(TailScores, TablesEqualDensitiesWithEachInstructionSet) {
  for (const HitTail& tail : tails()) {
    for (const double sigma : {0.01, 0.12, 6.0}) {
      for (const MissPolicy miss : {MissPolicy::kBook, MissPolicy::kAtom}) {
        const BeamParameters p = {.6, .2, .05, .15, sigma, .35, .07, tail};
        const BeamSensor sensor = {.max_range_m = 30, .miss = miss};
        const Scan s = scan_of(p, sensor);
        std::vector<double> oracle(kPoses);
        for (std::size_t i = 0; i < s.expected.size(); ++i) {
          oracle[i / kRays] += BeamDensity(p, sensor, s.expected[i]).log_likelihood(s.readings[i % kRays]);
        }
        const std::vector<double> exact = score(p, sensor, s, {.exact = true});
        for (const Isa isa : usable_isas()) {
          const std::vector<double> fast = score(p, sensor, s, {.compute = {.isa = isa}});
          for (std::size_t i = 0; i < kPoses; ++i) {
            EXPECT_NEAR(exact[i], oracle[i], 1e-9 * std::abs(oracle[i]));
            EXPECT_NEAR(fast[i], oracle[i], 2e-5 * std::abs(oracle[i]) + 1e-5 * kRays)
                << kChoiceWords<HitLaw>[static_cast<std::size_t>(tail.hit)] << ' ' << tail.nu_hit << ' ' << sigma;
          }
        }
      }
    }
  }
}

TEST(TailScores, SameBitsForAnyThreadsAndAnyInstructionSet) {
  for (const HitTail& tail : tails()) {
    const BeamParameters p = {.6, .2, .05, .15, .04, .35, .07, tail};
    const BeamSensor sensor = {.max_range_m = 30};
    const Scan s = scan_of(p, sensor);
    const std::vector<double> one = score(p, sensor, s, {.compute = {.threads = 1}});
    EXPECT_EQ(one, score(p, sensor, s, {.compute = {.threads = 3}}));
    for (const Isa isa : usable_isas()) EXPECT_EQ(one, score(p, sensor, s, {.compute = {.isa = isa}}));
  }
}

TEST(TailScores, WhatTablesCannotHoldIsWorkedOutExactly) {
  const BeamParameters wide = {.6, .2, .05, .15, 1000, .35, 0, {HitLaw::kStudentT, 2, 0}};
  const BeamSensor sensor = {.max_range_m = 30};
  const Scan s = scan_of(wide, sensor);
  EXPECT_EQ(score(wide, sensor, s, {}), score(wide, sensor, s, {.exact = true}));
}

}  // namespace
}  // namespace fathom::test::tail_score_test
