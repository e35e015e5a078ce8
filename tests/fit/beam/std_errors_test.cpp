// SPDX-License-Identifier: MIT
// Standard errors against an oracle that only knows the density, and intervals against the truth they should hold.

#include <fathom/fit/fit.hpp>

#include "fit/beam/synthetic.hpp"
#include "fit/uncertainty.hpp"

namespace fathom::test::std_errors_test {
namespace {

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

/// Parameters that move freely: w_hit, w_short, w_rand (w_max is the rest), sigma, lambda, the offset, and the number
/// of an extended law of hits.
BeamParameters shifted(BeamParameters p, std::size_t k, double by) {
  if (k == 6) {
    p.tail.*member_of<double>(HitTail::field_of(p.tail.hit)) += by;
    return p;
  }
  constexpr std::array kMembers = {&BeamParameters::w_hit,
                                   &BeamParameters::w_short,
                                   &BeamParameters::w_rand,
                                   &BeamParameters::sigma_hit_m,
                                   &BeamParameters::lambda_short_per_m,
                                   &BeamParameters::hit_offset_m};
  p.*kMembers[k] += by;
  if (k < 3) p.w_max -= by;
  return p;
}

double log_likelihood(const BeamParameters& p, const BeamSensor& sensor, const BeamData& data, std::size_t i) {
  return BeamDensity(p, sensor, data.expected_m[i]).log_likelihood(data.reading_m[i]);
}

Rows inverse_of(Rows a) {
  const std::size_t n = a.size();
  Rows out(n, Vector(n));
  for (std::size_t i = 0; i < n; ++i) out[i][i] = 1;
  for (std::size_t c = 0; c < n; ++c) {  // no pivots: the matrix is positive
    const double pivot = a[c][c];
    for (std::size_t k = 0; k < n; ++k) a[c][k] /= pivot, out[c][k] /= pivot;
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = r == c ? 0 : a[r][c];
      for (std::size_t k = 0; k < n; ++k) a[r][k] -= factor * a[c][k], out[r][k] -= factor * out[c][k];
    }
  }
  return out;
}

struct Errors {
  Vector naive, clustered;  // of the free parameters
};

/// H and J by differences of log densities. A cluster is correlated with `lags` neighbours to either side. J is the
/// mean square of sums over windows of lags + 1 clusters, which is equivalent to Bartlett's weights.
Errors errors_by_differences(const BeamParameters& p, const BeamSensor& sensor, const BeamData& data,
                             std::size_t clusters, std::size_t lags, bool with_offset) {
  std::vector<std::size_t> free = {0, 1, 2, 3, 4};
  if (with_offset) free.push_back(5);
  if (p.tail.is_extended()) free.push_back(6);
  const std::size_t n = free.size();
  const double of_tail = p.tail.hit == HitLaw::kStudentT ? 1e-3 * p.tail.nu_hit : 1e-3 * p.sigma_hit_m;
  const double steps[7] = {1e-4,   1e-4, 1e-4, 1e-3 * p.sigma_hit_m, 1e-3 * p.lambda_short_per_m, 1e-3 * p.sigma_hit_m,
                           of_tail};
  Vector h;
  for (const std::size_t k : free) h.push_back(steps[k]);
  Rows information(n, Vector(n)), scores(clusters, Vector(n));
  const std::size_t scans = data.scan.back() + std::size_t{1};
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const double middle = log_likelihood(p, sensor, data, i);
    for (std::size_t a = 0; a < n; ++a) {
      const auto at = [&](double by_a, std::size_t b, double by_b) {
        return log_likelihood(shifted(shifted(p, free[a], by_a), free[b], by_b), sensor, data, i);
      };
      const double up = at(h[a], 0, 0), down = at(-h[a], 0, 0);
      scores[data.scan[i] * clusters / scans][a] += (up - down) / (2 * h[a]);
      information[a][a] -= (up - 2 * middle + down) / (h[a] * h[a]);
      for (std::size_t b = 0; b < a; ++b) {
        const double cross =
            (at(h[a], b, h[b]) - at(h[a], b, -h[b]) - at(-h[a], b, h[b]) + at(-h[a], b, -h[b])) / (4 * h[a] * h[b]);
        information[a][b] -= cross, information[b][a] -= cross;
      }
    }
  }
  const Rows inverse = inverse_of(information);
  Errors out;
  for (std::size_t k = 0; k < n; ++k) {
    double sum = 0;
    for (std::size_t end = 0; end < clusters + lags; ++end) {
      double moved = 0;
      for (std::size_t lag = 0; lag <= lags; ++lag) {
        if (end < lag || end - lag >= clusters) continue;
        for (std::size_t j = 0; j < n; ++j) moved += inverse[k][j] * scores[end - lag][j];
      }
      sum += moved * moved / static_cast<double>(lags + 1);
    }
    const auto g = static_cast<double>(clusters);
    out.naive.push_back(std::sqrt(inverse[k][k]));
    out.clustered.push_back(std::sqrt(sum * g / (g - 1 - static_cast<double>(lags))));
  }
  return out;
}

Vector free_errors(const BeamParameters& e) {
  Vector errors = {e.w_hit, e.w_short, e.w_rand, e.sigma_hit_m, e.lambda_short_per_m};
  if (!std::isnan(e.hit_offset_m)) errors.push_back(e.hit_offset_m);
  if (e.tail.is_extended()) errors.push_back(e.tail.*member_of<double>(HitTail::field_of(e.tail.hit)));
  return errors;
}

/// `once`, with every scan's hits moved together, so errors within a scan are correlated.
BeamData moved_by_scan(BeamData data, double by_m) {
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    if (data.reading_m[i] < 9) data.reading_m[i] += static_cast<float>(by_m * std::sin(1.0 + 7.0 * data.scan[i]));
  }
  return data;
}

void expect_errors(const BeamSensor& sensor, const BeamData& data, std::size_t stretches, std::size_t clusters,
                   std::size_t lags, bool with_offset, HitLaw law = HitLaw::kGaussian) {
  FitOptions options = {.fit_hit_offset = with_offset, .tolerance = 1e-13, .stretches = stretches};
  options.start.tail.hit = law;
  options.compute.threads = 1;
  const BeamFit fit = fit_beam_model(data, sensor, options);
  ASSERT_EQ(fit.blocks, clusters);
  const Errors oracle = errors_by_differences(fit.model, sensor, data, clusters, lags, with_offset);
  const Vector naive = free_errors(numbers_of(fit, &Fit::Parameter::naive_error)),
               clustered = free_errors(numbers_of(fit, &Fit::Parameter::std_error));
  for (std::size_t k = 0; k < oracle.naive.size(); ++k) {
    EXPECT_NEAR(naive[k] / oracle.naive[k], 1, 2e-3) << k;
    EXPECT_NEAR(clustered[k] / std::max(oracle.naive[k], oracle.clustered[k]), 1, 2e-3) << k;
  }
}

TEST(StdErrors, AreThoseOfTheDensityWithHeavierTails) {
  const BeamSensor laser = {.max_range_m = 10}, near = {.max_range_m = 5};
  BeamParameters student = {.70, .12, .05, .13, .05, 8.0, 0.0, {HitLaw::kStudentT, 1.5, 0}};
  BeamParameters grows = {.70, .12, .05, .13, .05, 8.0, 0.0, {HitLaw::kGrows, 4, .02}};
  expect_errors(laser, moved_by_scan(simulate(student, laser, 6000, 2, 8, 3), 0.02), 12, 12, 0, true, student.tail.hit);
  expect_errors(laser, moved_by_scan(simulate(grows, laser, 6000, 2, 8, 3), 0.02), 12, 12, 0, true, grows.tail.hit);
  // So wide that both ends cut hits.
  student.sigma_hit_m = grows.sigma_hit_m = .4, student.tail.nu_hit = 3;
  expect_errors(near, simulate(student, near, 6000, 1, 4.5, 3), 30, 30, 1, false, student.tail.hit);
  expect_errors(near, simulate(grows, near, 6000, 1, 4.5, 3), 30, 30, 1, false, grows.tail.hit);
}

// Readings that straddle surfaces jump with the offset, so that differences see what derivatives do not: shorts end far
// in front of them here.
TEST(StdErrors, AreThoseOfTheDensity) {
  const BeamSensor laser = {.max_range_m = 10};
  const BeamData data = moved_by_scan(simulate(kLaserTruth, laser, 6000, .5, 8, 3), 0.05);
  expect_errors(laser, data, 12, 12, 0, false);
  expect_errors(laser, data, 0, 60, 0, false);
  expect_errors(laser, data, 30, 30, 1, false);
  expect_errors(laser, data, 100, 60, 2, false);
  const BeamParameters steep = {.75, .10, .05, .10, .10, 8, .03};
  expect_errors(laser, moved_by_scan(simulate(steep, laser, 6000, 3, 8, 4), 0.05), 12, 12, 0, true);
}

// Hits are cut at both ends, and some rays miss the map.
TEST(StdErrors, AreThoseOfTheDensityWhereHitsAreCut) {
  BeamSensor sonar = {.max_range_m = 5};
  for (const MissPolicy miss : {MissPolicy::kBook, MissPolicy::kAtom}) {
    sonar.miss = miss;
    expect_errors(sonar, simulate(kSonarTruth, sonar, 6000, .3, 4.9, 5, 100, 9), 15, 15, 0, false);
  }
  const BeamParameters steep = {.75, .10, .05, .10, .6, 8, .03};
  sonar.miss = MissPolicy::kBook;
  expect_errors(sonar, simulate(steep, sonar, 6000, 1.5, 4.5, 6, 100, 9), 15, 15, 0, true);
}

TEST(StdErrors, AreNeverBelowTheNaiveOnes) {
  const BeamSensor laser = {.max_range_m = 10};
  const BeamFit fit = fit_beam_model(simulate(kLaserTruth, laser, 4000, .5, 8, 3), laser, {.compute = {.threads = 1}});
  std::size_t equal = 0;
  for (const auto& field : BeamParameters::fields()) {
    if (field.name == "hit_offset_m") continue;
    EXPECT_GE(fit[field.name].std_error, fit[field.name].naive_error) << field.name;
    equal += fit[field.name].std_error == fit[field.name].naive_error ? 1 : 0;
  }
  EXPECT_GT(equal, 0U);  // independent readings: about half of the clustered errors are below by chance
}

TEST(StdErrors, SayThatTheyRestOnFewClusters) {
  const BeamSensor laser = {.max_range_m = 10};
  const auto flags = [&](std::size_t rays, std::size_t stretches) {
    const BeamData data = simulate(kLaserTruth, laser, rays, .5, 8, 3);
    return texts_of(fit_beam_model(data, laser, {.stretches = stretches, .compute = {.threads = 1}}).findings);
  };
  using Flags = std::vector<std::string>;
  EXPECT_EQ(flags(4000, 40), Flags{});
  EXPECT_EQ(flags(4000, 0), Flags{});
  EXPECT_EQ(flags(4000, 20), Flags{});
  EXPECT_EQ(flags(4000, 19),
            Flags{"standard errors rest on 19 stretches only: they are rough, take 20 stretches or more"});
  EXPECT_EQ(flags(1500, 40), Flags{"standard errors rest on 15 stretches only: they are rough, learn from at least 20 "
                                   "scans"});
  EXPECT_EQ(flags(1500, 0),
            Flags{"standard errors rest on 15 scans only: they are rough, learn from at least 20 scans"});
  EXPECT_EQ(flags(100, 0),
            Flags{"standard errors need at least two clusters: the rays of one cluster have correlated errors"});
}

TEST(StdErrors, IntervalsAreOfStudentsT) {
  const BeamSensor laser = {.max_range_m = 10};
  const BeamFit fit =
      fit_beam_model(simulate(kLaserTruth, laser, 4000, .5, 8, 3), laser, {.stretches = 20, .compute = {.threads = 1}});
  const double t = student_t_quantile(.975, 12);  // 20 stretches, whose neighbours count half
  EXPECT_DOUBLE_EQ(fit["w_hit"].low_95, fit.model.w_hit - t * fit["w_hit"].std_error);
  EXPECT_DOUBLE_EQ(fit["sigma_hit_m"].high_95, fit.model.sigma_hit_m + t * fit["sigma_hit_m"].std_error);
  EXPECT_TRUE(std::isnan(fit["hit_offset_m"].low_95) && std::isnan(fit["hit_offset_m"].high_95));
  EXPECT_GE(fit["w_max"].low_95, 0);
}

}  // namespace
}  // namespace fathom::test::std_errors_test
