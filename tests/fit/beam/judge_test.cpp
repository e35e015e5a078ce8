// SPDX-License-Identifier: MIT

#include <fathom/fit/fit.hpp>

#include "fit/beam/em.hpp"
#include "fit/beam/synthetic.hpp"

namespace fathom::test::judge_test {
namespace {

const BeamParameters kTruth = {.70, .15, .05, .10, .10, .40};
const BeamSensor kLaser = {.max_range_m = 10};
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(BeamJudgement, TheTruthIsUniformAndBeatsOthers) {
  const BeamData data = simulate(kTruth, kLaser, 50000, .5, 8, 77);
  const BeamJudgement truth = judge_beam_model(kTruth, kLaser, data);
  BeamParameters off = kTruth;
  off.sigma_hit_m = 0.2;
  const BeamJudgement other = judge_beam_model(off, kLaser, data);
  EXPECT_GT(truth.nats_per_ray, other.nats_per_ray);
  EXPECT_LT(truth.ks_distance, 0.01);
  EXPECT_GT(other.ks_distance, 0.05);
  double sum = 0;
  for (const double part : truth.pit_histogram) sum += part;
  EXPECT_NEAR(sum, 1, 1e-9);
}

// The density is that of readings per metre, with a step as without: coarse readings tell a little less.
TEST(BeamJudgement, FiguresWithAndWithoutAStepCompare) {
  const BeamData exact = simulate(kTruth, kLaser, 50000, .5, 8, 77);
  const BeamJudgement without = judge_beam_model(kTruth, kLaser, exact);
  for (const double step : {0.01, 0.1, 0.4}) {
    SCOPED_TRACE(step);
    BeamSensor stepped = kLaser;
    stepped.step_m = step;
    const BeamData rounded = simulate(kTruth, stepped, 50000, .5, 8, 77);
    const BeamJudgement with = judge_beam_model(kTruth, stepped, rounded);
    double sum = 0;
    for (std::size_t i = 0; i < rounded.reading_m.size(); ++i) {
      const double z = rounded.reading_m[i];
      sum += BeamDensity(kTruth, stepped, rounded.expected_m[i]).log_likelihood(z) - (z < 10 ? std::log(step) : 0.0);
    }
    EXPECT_NEAR(with.log_likelihood, sum, 1e-9 * std::abs(sum));
    EXPECT_LT(with.nats_per_ray, without.nats_per_ray);
    // To second order a cell blurs hits by D^2 / 12; per ray that costs w_hit D^2 / (24 sigma^2).
    if (step <= 0.1) {
      EXPECT_NEAR(without.nats_per_ray - with.nats_per_ray, .7 * step * step / .24, 0.003);
    }
  }
}

// Many readings share a cell that holds most of the hits; spread over its jump they are uniform all the same.
TEST(BeamJudgement, TheTruthIsUniformWithAStepToo) {
  for (const double step : {0.01, 0.1, 0.4}) {
    SCOPED_TRACE(step);
    BeamSensor stepped = kLaser;
    stepped.step_m = step;
    const BeamData data = simulate(kTruth, stepped, 50000, .5, 8, 77);
    EXPECT_LT(judge_beam_model(kTruth, stepped, data).ks_distance, 0.01);
    BeamParameters off = kTruth;
    off.w_hit = .5, off.w_rand = .3;
    EXPECT_GT(judge_beam_model(off, stepped, data).ks_distance, 0.05);
  }
}

TEST(BeamJudgement, SaysWhichReadingsAreImpossible) {
  const BeamData data = {{10.0F, 4.0F, 10.0F, 5.0F}, {4.0F, 4.0F, 10.0F, 4.0F}, {0, 0, 1, 1}};
  const BeamJudgement judgement = judge_beam_model({0, 0, 1, 0, .1, .4}, kLaser, data);
  EXPECT_EQ(judgement.impossible, 2U);
  EXPECT_EQ(judgement.nats_per_ray, -kInf);
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].text.text(),
            "2 of 4 readings judged by are impossible under the parameters: nats per ray are -inf");
  EXPECT_EQ(judge_beam_model(kTruth, kLaser, data).impossible, 0U);
  EXPECT_TRUE(judge_beam_model(kTruth, kLaser, data).findings.empty());
}

TEST(BeamJudgement, NanIsMaxByPolicyOnly) {
  BeamData with_nan = simulate(kTruth, kLaser, 2000, .5, 8, 7), with_max = with_nan;
  for (std::size_t i = 0; i < 2000; i += 9) {
    with_nan.reading_m[i] = std::numeric_limits<float>::quiet_NaN();
    with_max.reading_m[i] = 10.0F;
  }
  BeamSensor nan_is_max = kLaser;
  nan_is_max.nan = NanPolicy::kMax;
  const BeamJudgement as_max = judge_beam_model(kTruth, nan_is_max, with_nan);
  const BeamJudgement written = judge_beam_model(kTruth, kLaser, with_max);
  EXPECT_EQ(as_max.pairs, 2000U);
  EXPECT_EQ(as_max.log_likelihood, written.log_likelihood);
  EXPECT_EQ(as_max.pit_histogram, written.pit_histogram);
  EXPECT_EQ(judge_beam_model(kTruth, kLaser, with_nan).pairs, 2000U - 223);
}

TEST(BeamJudgement, NamesWhatIsWrong) {
  const auto refusal = [](const BeamData& data) {
    return input_error([&] { judge_beam_model(kTruth, kLaser, data); });
  };
  EXPECT_EQ(refusal({{1.0F, 2.0F}, {1.0F}, {0}}), "2 readings given for 1 expected ranges");
  EXPECT_EQ(refusal({{1.0F}, {-1.0F}, {0}}), "expected range 0 = -1 is not at least 0");
  EXPECT_EQ(refusal({{-1.0F}, {1.0F}, {0}}), "no reading carries evidence");
}

TEST(KsDistanceTest, DistanceOfASampleDrawnByHand) {
  std::vector<double> middle = {0.5}, spread = {0.75, 0.25};
  EXPECT_DOUBLE_EQ(ks_distance_uniform(middle), 0.5);
  EXPECT_DOUBLE_EQ(ks_distance_uniform(spread), 0.25);
  std::vector<double> none;
  EXPECT_EQ(ks_distance_uniform(none), 0.0);
}

}  // namespace
}  // namespace fathom::test::judge_test
