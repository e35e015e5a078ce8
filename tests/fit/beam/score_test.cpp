// SPDX-License-Identifier: MIT
#include <fathom/fit/score.hpp>

#include <fathom/noise/beam_density.hpp>

#include "fit/beam/room.hpp"
#include "support/casters.hpp"

namespace fathom::test::score_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Every pose sees what its x coordinate says: a corridor whose end is x metres away, with a fixed pattern.
class Corridor final : public ExpectedRanges {
 public:
  void cast(std::span<const Pose> poses, const RayFan& rays, double max_range_m,
            std::span<float> range_m) const override {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      for (std::size_t k = 0; k < rays.size(); ++k) {
        const double z = poses[i].translation_m.x * (1.2 + rays.x[k]) / 2.2;
        range_m[i * rays.size() + k] = static_cast<float>(std::min(max_range_m, std::abs(z)));
      }
    }
  }
  [[nodiscard]] double floor_m() const override { return 0.025; }
};

/// The listing of Probabilistic Robotics, table 6.1 (q = q * p), as slow and obvious as in the book. It computes the
/// definitions with the C library, not with fathom's densities.
double listing(const BeamParameters& w, double limit, const std::vector<float>& z, const std::vector<float>& z_star) {
  double q = 1;
  for (std::size_t k = 0; k < z.size(); ++k) {
    double p = w.w_max;
    if (z[k] < limit) {
      const double s = w.sigma_hit_m, zs = std::max(0.025, double{z_star[k]}), l = w.lambda_short_per_m;
      const double eta = 0.5 * (std::erf((limit - zs) / s / std::sqrt(2)) + std::erf(zs / s / std::sqrt(2)));
      const double d = (z[k] - zs) / s;
      const double p_hit = std::exp(-0.5 * d * d) / (s * std::sqrt(2 * std::numbers::pi)) / eta;
      const double p_short = z[k] <= zs ? l * std::exp(-l * z[k]) / (1 - std::exp(-l * zs)) : 0;
      p = w.w_hit * p_hit + w.w_short * p_short + w.w_rand / limit;
    }
    q = q * p;
  }
  return q;
}

struct ScanCase {
  BeamParameters parameters = {.65, .2, .05, .1, .12, .35};
  BeamSensor sensor = {.max_range_m = 12, .miss = MissPolicy::kBook};
  Corridor corridor;
  RayFan fan;
  std::vector<float> readings;

  explicit ScanCase(std::size_t rays = 60) {
    std::vector<double> azimuth;
    for (std::size_t k = 0; k < rays; ++k)
      azimuth.push_back(-1.5 + 3.0 * static_cast<double>(k) / static_cast<double>(rays));
    fan = RayFan::planar(azimuth);
    std::vector<float> expected(rays);
    const std::vector<Pose> truth = {PlanarPose{7, 0, 0}.at_height()};
    corridor.cast(truth, fan, 12, expected);
    readings.resize(rays);
    sample_scan(parameters, sensor, beam_key(5, 1), expected, readings);
  }
  [[nodiscard]] ScanScorer scorer(const ScoreOptions& options = {}) const {
    return {parameters, sensor, corridor, fan, options};
  }
};

std::vector<Pose> poses_along(std::size_t count) {
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < count; ++i)
    poses.push_back(PlanarPose{13.0 * static_cast<double>(i) / static_cast<double>(count), 0, 0}.at_height());
  return poses;
}

std::vector<double> score(const ScanCase& s, const std::vector<Pose>& poses, const ScoreOptions& options = {}) {
  ScanScorer scorer = s.scorer(options);
  std::vector<double> out(poses.size());
  scorer.score(poses, s.readings, out);
  return out;
}

TEST(ScanScorer, EqualsTheListingsProduct) {
  const ScanCase s(24);
  const auto poses = poses_along(200);
  const auto exact = score(s, poses, {.exact = true});
  const auto fast = score(s, poses);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    std::vector<float> expected(24);
    s.corridor.cast(std::span(poses).subspan(i, 1), s.fan, 12, expected);
    const double q = listing(s.parameters, 12, s.readings, expected);
    ASSERT_GT(q, 1e-300);
    EXPECT_NEAR(exact[i], std::log(q), 1e-9 * std::abs(std::log(q)));
    EXPECT_NEAR(fast[i], std::log(q), 1e-4 * std::abs(std::log(q)) + 1e-3);
  }
}

TEST(ScanScorer, FastPathSumsToTheDoublePath) {
  for (const double sigma : {0.02, 0.12, 2.0, 40.0}) {
    for (const double lambda : {0.0, 0.35, 30.0}) {
      for (const MissPolicy miss : {MissPolicy::kBook, MissPolicy::kAtom}) {
        for (const double offset : {0.0, 0.3}) {
          ScanCase s;
          s.parameters.sigma_hit_m = sigma;
          s.parameters.lambda_short_per_m = lambda;
          s.parameters.hit_offset_m = offset;
          s.sensor.miss = miss;
          const auto poses = poses_along(500);
          const auto exact = score(s, poses, {.exact = true});
          double sum = 0;
          for (const double v : exact) sum += v;
          for (const Isa isa : usable_isas()) {
            double fast_sum = 0;
            for (const double v : score(s, poses, {.compute = {.isa = isa}})) fast_sum += v;
            EXPECT_NEAR(fast_sum, sum, 1e-4 * std::abs(sum)) << sigma << ' ' << lambda << ' ' << to_string(isa);
          }
        }
      }
    }
  }
}

TEST(ScanScorer, DoesNotUnderflowAsTheProductDoes) {
  const ScanCase s(4000);
  const auto out = score(s, poses_along(3));
  for (const double v : out) EXPECT_TRUE(std::isfinite(v));
  EXPECT_LT(out[0], -1000);
}

TEST(ScanScorer, SameBitsForAnyThreadsAndAnyInstructionSet) {
  const ScanCase s;
  const auto poses = poses_along(3000);
  const auto one = score(s, poses, {.compute = {.threads = 1}});
  EXPECT_EQ(one, score(s, poses, {.compute = {.threads = 2}}));
  EXPECT_EQ(one, score(s, poses, {.compute = {.threads = 7}}));
  for (const Isa isa : usable_isas()) EXPECT_EQ(one, score(s, poses, {.compute = {.isa = isa}}));
}

// Poses are sorted by place, in lots; a pose alone keeps its own score. More poses than a lot has, and all over the
// room.
TEST(ScanScorer, ScoresDoNotDependOnTheOrderOfPoses) {
  const ScanCase s;
  std::vector<Pose> poses = poses_in_room(9001);
  const std::vector<double> scores = score(s, poses);
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{4000}, std::size_t{8191}, std::size_t{8192}, poses.size() - 1}) {
    EXPECT_EQ(scores[i], score(s, {poses[i]}).front()) << i;
  }
  std::reverse(poses.begin(), poses.end());
  std::vector<double> reversed = score(s, poses);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(scores, reversed);
}

TEST(ScanScorer, ASecondCallEqualsTheFirst) {
  const ScanCase s;
  ScanScorer scorer = s.scorer();
  const auto poses = poses_along(50);
  std::vector<double> first(50), second(50);
  const std::size_t bytes = scorer.bytes();
  scorer.score(poses, s.readings, first);
  scorer.score(poses, s.readings, second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(scorer.bytes(), bytes);
}

TEST(ScanScorer, SubSamplingWithFewerRaysThanTheStepEnds) {
  const ScanCase s(5);
  const auto poses = poses_along(20);
  ScanScorer scorer = s.scorer({.ray_step = 30});
  EXPECT_EQ(scorer.kept_rays(), 1U);
  std::vector<double> out(20);
  scorer.score(poses, s.readings, out);
  for (const double v : out) EXPECT_TRUE(std::isfinite(v));
}

TEST(ScanScorer, SubSamplingKeepsEveryStepThRay) {
  ScanCase s(60);
  const auto poses = poses_along(20);
  const auto coarse = score(s, poses, {.ray_step = 6});
  ScanCase few = s;
  few.fan = s.fan.every(6);
  few.readings.clear();
  for (std::size_t k = 0; k < 60; k += 6) few.readings.push_back(s.readings[k]);
  EXPECT_EQ(coarse, score(few, poses));
}

TEST(ScanScorer, PowerAlphaScalesTheLogarithm) {
  const ScanCase s;
  const auto poses = poses_along(20);
  const auto plain = score(s, poses), damped = score(s, poses, {.alpha = 0.25});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_DOUBLE_EQ(damped[i], 0.25 * plain[i]);
}

TEST(ScanScorer, NoReturnIsNotImpossible) {
  ScanCase s(3);
  s.readings = {kInf, 81.91F, std::numeric_limits<float>::quiet_NaN()};
  for (const bool exact : {false, true}) {
    for (const double v : score(s, poses_along(5), {.exact = exact})) EXPECT_NEAR(v, 2 * std::log(.05), 1e-6);
  }
}

TEST(ScanScorer, ReadingsBelowTheMinimumRangeHaveNoSay) {
  ScanCase s(2);
  s.sensor.min_range_m = 0.3;
  s.readings = {0.1F, -1.0F};
  for (const double v : score(s, poses_along(5))) EXPECT_EQ(v, 0);
}

TEST(ScanScorer, QuantisedReadingsUseProbabilities) {
  ScanCase s(12);
  s.sensor.step_m = 0.25;
  sample_scan(s.parameters, s.sensor, beam_key(5, 1), std::vector<float>(12, 5.0F), s.readings);
  s.readings[3] = 12, s.readings[4] = kInf, s.readings[5] = 11.75F;
  const auto poses = poses_along(30);
  for (const bool exact : {false, true}) {
    const auto scores = score(s, poses, {.exact = exact});
    for (std::size_t i = 0; i < poses.size(); ++i) {
      std::vector<float> expected(12);
      s.corridor.cast(std::span(poses).subspan(i, 1), s.fan, 12, expected);
      double sum = 0;
      for (std::size_t k = 0; k < 12; ++k) {
        const double z = s.readings[k];
        const BeamDensity density(s.parameters, {.max_range_m = 12, .miss = MissPolicy::kBook},
                                  expected[k]);  // of exact readings
        const double p = z < 12 ? density.cdf(z + .125) - density.cdf(z - .125) : 1 - density.cdf(11.875);
        sum += std::log(p);
      }
      EXPECT_NEAR(scores[i], sum, 1e-9 * std::abs(sum));
    }
  }
}

TEST(ScanScorer, NanIsMaxByPolicyOnly) {
  ScanCase with_nan, with_max;
  for (std::size_t k = 0; k < 60; k += 7) {
    with_nan.readings[k] = std::numeric_limits<float>::quiet_NaN(), with_max.readings[k] = 12;
  }
  const auto poses = poses_along(40);
  for (const bool exact : {false, true}) {
    const auto written = score(with_max, poses, {.exact = exact});
    with_nan.sensor.nan = NanPolicy::kMax;
    EXPECT_EQ(score(with_nan, poses, {.exact = exact}), written);
    with_nan.sensor.nan = NanPolicy::kSkip;  // nine rays of log(w_max) less
    const auto skipped = score(with_nan, poses, {.exact = exact});
    for (std::size_t i = 0; i < poses.size(); ++i) EXPECT_NEAR(skipped[i] + 9 * std::log(.05), written[i], 1e-4);
  }
}

/// Any sensor: rays of several elevations against a scene, whose floor and ceiling tilted rays meet.
TEST(ScanScorer, ScoresAThreeDimensionalFanAgainstAScene) {
  const auto ranges = make_scene_ranges(room_scene(), {.pose_from_sensor = {{0, 0, 0.2}, {}}});
  const RayFan fan = upright_fan(8, 45);
  const BeamParameters p = {.65, .2, .05, .1, .12, .35};
  const BeamSensor sensor = {.max_range_m = 5, .expected_floor_m = ranges->floor_m()};
  std::vector<Pose> poses = poses_in_room(40);
  for (std::size_t i = 0; i < poses.size(); i += 2) {  // not level
    const double a = 0.01 * static_cast<double>(i);
    poses[i].rotation = from_roll_pitch_yaw(a, -a / 2, 3 * a);
  }
  std::vector<float> expected(40 * fan.size()), readings(fan.size());
  ranges->cast(poses, fan, 5, expected);
  EXPECT_GT(std::count(expected.begin(), expected.end(), 5.0F), 100);
  sample_scan(p, sensor, beam_key(5, 1), std::span(expected).subspan(10 * fan.size(), fan.size()), readings);
  for (const std::size_t step : {1, 7}) {
    std::vector<double> fast(40), exact(40);
    ScanScorer(p, sensor, *ranges, fan, {.ray_step = step, .compute = {.threads = 2}}).score(poses, readings, fast);
    ScanScorer(p, sensor, *ranges, fan, {.ray_step = step, .compute = {.threads = 1}, .exact = true})
        .score(poses, readings, exact);
    for (std::size_t i = 0; i < 40; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < fan.size(); k += step) {
        sum += BeamDensity(p, sensor, expected[i * fan.size() + k]).log_likelihood(readings[k]);
      }
      EXPECT_NEAR(exact[i], sum, 1e-9 * std::abs(sum)) << i;
      EXPECT_NEAR(fast[i], sum, 1e-4 * std::abs(sum)) << i;
    }
    EXPECT_EQ(std::max_element(fast.begin(), fast.end()) - fast.begin(), 10);  // the pose that it was made from
  }
}

TEST(ScanScorer, WithoutRandomReadingsTheDoublePathIsTaken) {
  ScanCase s(12);
  s.parameters = {1, 0, 0, 0, .01, .4};
  s.readings.assign(12, 3.0F);
  const auto fast = score(s, poses_along(30)), exact = score(s, poses_along(30), {.exact = true});
  EXPECT_EQ(fast, exact);
  EXPECT_LT(exact[29], -1e5);
}

TEST(ScanScorer, TrueExpectedRangesGiveTheSameScores) {
  const ScanCase s;
  const auto poses = poses_along(100);
  std::vector<float> expected(100 * 60);
  s.corridor.cast(poses, s.fan, 12, expected);
  ScanScorer scorer = s.scorer();
  std::vector<double> out(100);
  scorer.score_expected(expected, s.readings, out);
  EXPECT_EQ(out, score(s, poses));
}

/// A caster that says nothing sensible of poses beyond x = 5.
class Broken final : public ExpectedRanges {
 public:
  void cast(std::span<const Pose> poses, const RayFan& rays, double, std::span<float> range_m) const override {
    for (std::size_t i = 0; i < poses.size() * rays.size(); ++i) {
      range_m[i] = poses[i / rays.size()].translation_m.x > 5 ? std::numeric_limits<float>::quiet_NaN() : 3.0F;
    }
  }
  [[nodiscard]] double floor_m() const override { return 0.025; }
};

TEST(ScanScorer, WorksOnAfterABadRange) {
  const ScanCase s;
  const Broken broken;
  ScanScorer scorer(s.parameters, s.sensor, broken, s.fan, {.compute = {.threads = 2}, .exact = true});
  std::vector<Pose> poses(300, PlanarPose{1, 0, 0}.at_height());
  std::vector<double> first(300), out(300);
  scorer.score(poses, s.readings, first);
  poses.back() = PlanarPose{6, 0, 0}.at_height();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(input_error([&] { scorer.score(poses, s.readings, out); }), "beam.expected_m = nan is not at least 0");
  }
  poses.back() = poses.front();
  scorer.score(poses, s.readings, out);
  EXPECT_EQ(out, first);
}

TEST(ScanScorer, NamesWhatIsWrong) {
  const ScanCase s;
  auto poses = poses_along(4);
  std::vector<double> out(4), few(3);
  ScanScorer scorer = s.scorer();
  poses[2].translation_m.y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(input_error([&] { scorer.score(poses, s.readings, out); }), "pose 2 is not finite");
  poses[2].translation_m.y = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(input_error([&] { scorer.score(poses, s.readings, out); }), "pose 2 is not finite");
  poses[2].translation_m.y = 0;
  EXPECT_EQ(input_error([&] { scorer.score(poses, s.readings, few); }), "room for 3 scores given for 4 poses");
  EXPECT_EQ(input_error([&] { scorer.score(poses, std::vector<float>(7), out); }),
            "a scan of 7 readings given for 60 rays");
  EXPECT_NE(input_error([&] { static_cast<void>(s.scorer({.ray_step = 0})); }), "");
  EXPECT_EQ(input_error([&] { static_cast<void>(s.scorer({.ray_step = 1'000'001})); }),
            "score.ray_step = 1000001 is not in [1, 1000000]");
  EXPECT_NE(input_error([&] { static_cast<void>(s.scorer({.alpha = 0})); }), "");
  EXPECT_NE(input_error([&] { static_cast<void>(s.scorer({.alpha = 1.5})); }), "");
  ScanCase wrong;
  wrong.parameters.w_hit = .75;
  EXPECT_NE(input_error([&] { static_cast<void>(wrong.scorer()); }), "");
}

}  // namespace
}  // namespace fathom::test::score_test
