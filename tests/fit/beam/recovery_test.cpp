// SPDX-License-Identifier: MIT
// Parameters learned back from simulated data, over many seeds.

#include <fathom/fit/fit.hpp>

#include "fit/beam/synthetic.hpp"

namespace fathom::test::recovery_test {
namespace {

struct Estimates {
  BeamParameters mean{0, 0, 0, 0, 0, 0, 0}, deviation{0, 0, 0, 0, 0, 0, 0}, reported{0, 0, 0, 0, 0, 0, 0};
};

/// Mean and standard deviation of the estimates over seeds, and the mean error that the fits report.
Estimates recover(const BeamParameters& truth, const BeamSensor& sensor, double low, double high,
                  FitOptions::Variant variant, std::size_t seeds, std::size_t first = 0) {
  Estimates out;
  std::vector<BeamParameters> fits;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const BeamData data = simulate(truth, sensor, 20000, low, high, first + seed);
    const BeamFit fit = fit_beam_model(data, sensor, {.variant = variant, .compute = {.threads = 1}});
    fits.push_back(fit.model);
    for (const auto& f : BeamParameters::fields()) {
      out.mean.*member_of<double>(f) += fit.model.*member_of<double>(f) / static_cast<double>(seeds);
      out.reported.*member_of<double>(f) += fit[f.name].std_error / static_cast<double>(seeds);
    }
  }
  for (const auto& f : BeamParameters::fields()) {
    for (const BeamParameters& p : fits) {
      const double d = p.*member_of<double>(f) - out.mean.*member_of<double>(f);
      out.deviation.*member_of<double>(f) += d * d / static_cast<double>(seeds - 1);
    }
    out.deviation.*member_of<double>(f) = std::sqrt(out.deviation.*member_of<double>(f));
  }
  return out;
}

/// Two standard errors of the difference of two means over `seeds` runs each.
void expect_close(const char* name, double got, double published, double deviation, std::size_t seeds) {
  EXPECT_NEAR(got, published, 2 * deviation * std::sqrt(2.0 / static_cast<double>(seeds))) << name;
}

// The specification made these values with another program: 20 000 rays, means over 40 seeds.
TEST(BeamFit, RecoversTheLaserTable) {
  const std::size_t seeds = repetitions(40);
  const Estimates e = recover(kLaserTruth, kLaser, .5, 8, FitOptions::Variant::kExact, seeds);
  expect_close("w_hit", e.mean.w_hit, .7005, e.deviation.w_hit, seeds);
  expect_close("w_short", e.mean.w_short, .1498, e.deviation.w_short, seeds);
  expect_close("w_max", e.mean.w_max, .0497, e.deviation.w_max, seeds);
  expect_close("w_rand", e.mean.w_rand, .0999, e.deviation.w_rand, seeds);
  expect_close("sigma", e.mean.sigma_hit_m, .1000, e.deviation.sigma_hit_m, seeds);
  expect_close("lambda", e.mean.lambda_short_per_m, .395, e.deviation.lambda_short_per_m, seeds);
  if (kSanitized) return;  // eight times fewer seeds say nothing about spreads
  EXPECT_NEAR(e.deviation.lambda_short_per_m, .019, .005);
  // Pairs are independent here, so what a fit reports is what estimates scatter by (40 seeds know that to 11 %).
  for (const auto& f : BeamParameters::fields()) {
    if (f.name == "hit_offset_m") continue;
    EXPECT_NEAR(e.reported.*member_of<double>(f) / e.deviation.*member_of<double>(f), 1, 0.33) << f.name;
  }
}

TEST(BeamFit, RecoversTheSonarTable) {
  const std::size_t seeds = repetitions(40);
  const Estimates e = recover(kSonarTruth, kSonar, .3, 4.9, FitOptions::Variant::kExact, seeds);
  expect_close("sigma", e.mean.sigma_hit_m, .9999, e.deviation.sigma_hit_m, seeds);
  expect_close("lambda", e.mean.lambda_short_per_m, .393, e.deviation.lambda_short_per_m, seeds);
  expect_close("w_hit", e.mean.w_hit, .70, e.deviation.w_hit, seeds);
}

// The published means are samples themselves: with 40 seeds each, two of fourteen values (which are far from
// independent: weights sum to 1, and both settings share their draws) lie outside two standard errors for one choice of
// seeds in seven. What decides about the estimator is its mean over many more seeds, against the truth.
TEST(BeamFit, IsUnbiasedOverManySeeds) {
  const std::size_t seeds = repetitions(50);
  for (const bool sonar : {false, true}) {
    const BeamParameters& truth = sonar ? kSonarTruth : kLaserTruth;
    const Estimates e = sonar ? recover(truth, kSonar, .3, 4.9, FitOptions::Variant::kExact, seeds, 5000)
                              : recover(truth, kLaser, .5, 8, FitOptions::Variant::kExact, seeds, 5000);
    for (const auto& f : BeamParameters::fields()) {
      if (f.name == "hit_offset_m") continue;
      const double std_error = e.deviation.*member_of<double>(f) / std::sqrt(static_cast<double>(seeds));
      EXPECT_NEAR(e.mean.*member_of<double>(f), truth.*member_of<double>(f), 3.5 * std_error)
          << f.name << (sonar ? ", sonar" : ", laser");
    }
  }
}

/// How often too large lambda comes out, in eight runs, and how well their mean is known.
struct Bias {
  double times, std_error;
};
Bias lambda_bias(const Estimates& e) {
  return {e.mean.lambda_short_per_m / .40, e.deviation.lambda_short_per_m / .40 / std::sqrt(8.0)};
}

// The specification gives the bias of the closed forms as x2.4 and x5.6 in these settings, to a digit (and as x7.2 in
// one that it does not describe).
TEST(BeamFit, TheBooksFormsAreBiasedAsStated) {
  const Estimates laser = recover(kLaserTruth, kLaser, .5, 8, FitOptions::Variant::kClosedForm, 8);
  const Estimates sonar = recover(kSonarTruth, kSonar, .3, 4.9, FitOptions::Variant::kClosedForm, 8);
  const Bias laser_bias = lambda_bias(laser), sonar_bias = lambda_bias(sonar);
  EXPECT_NEAR(laser_bias.times, 2.4, .05 + 3 * laser_bias.std_error);
  EXPECT_LT(laser_bias.std_error, .02);
  EXPECT_NEAR(sonar_bias.times, 5.6, .05 + 3 * sonar_bias.std_error);
  EXPECT_LT(sonar_bias.std_error, .07);
  // Sigma: the cut hits of a sonar are narrower than what they are cut from; a laser's are not cut.
  EXPECT_NEAR(sonar.mean.sigma_hit_m, .733, 3 * sonar.deviation.sigma_hit_m / std::sqrt(8.0));
  EXPECT_NEAR(laser.mean.sigma_hit_m, .1005, 3 * laser.deviation.sigma_hit_m / std::sqrt(8.0));
}

TEST(BeamFit, TheBooksResponsibilitiesAreBiasedFurther) {
  // Without the weights hits lose to all that is rarer: another fixed point, 25 standard errors from the truth.
  const Estimates laser = recover(kLaserTruth, kLaser, .5, 8, FitOptions::Variant::kBook, 8);
  const auto error = [&](double BeamParameters::*p) { return laser.deviation.*p / std::sqrt(8.0); };
  EXPECT_NEAR(lambda_bias(laser).times, 2.2, .05 + 3 * lambda_bias(laser).std_error);
  EXPECT_NEAR(laser.mean.w_hit, .655, 3 * error(&BeamParameters::w_hit));
  EXPECT_NEAR(laser.mean.w_rand, .1575, 3 * error(&BeamParameters::w_rand));
  EXPECT_NEAR(laser.mean.sigma_hit_m, .0940, 3 * error(&BeamParameters::sigma_hit_m));
  EXPECT_LT(error(&BeamParameters::w_hit), .003);
  const Estimates sonar = recover(kSonarTruth, kSonar, .3, 4.9, FitOptions::Variant::kBook, 8);
  EXPECT_NEAR(lambda_bias(sonar).times, 2.8, .05 + 3 * lambda_bias(sonar).std_error);
  EXPECT_NEAR(sonar.mean.w_hit, .416, 3 * sonar.deviation.w_hit / std::sqrt(8.0));
}

}  // namespace
}  // namespace fathom::test::recovery_test
