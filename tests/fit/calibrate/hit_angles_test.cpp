// SPDX-License-Identifier: MIT
// What angular_hit does is learned from points, alone and beside other models; from ranges it cannot be.

#include "fit/calibrate/turned_scenes.hpp"
#include "render/any_sensors.hpp"

namespace fathom::test::hit_angles_test {
namespace {

const NoiseChain kBeside = {AngularHit{Axis::kZ, 0.002F, 0.01F}, AngularHit{Axis::kY, -0.001F, 0.004F},
                            DistanceNoise{0, 0.02F, 0}, Dropout{0.05F}};

/// A slow turn of a direction, as the models make it.
Vec3 turned(const Vec3& d, Axis axis, double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  if (axis == Axis::kX) return {d.x, c * d.y - s * d.z, s * d.y + c * d.z};
  if (axis == Axis::kY) return {s * d.z + c * d.x, d.y, c * d.z - s * d.x};
  return {c * d.x - s * d.y, s * d.x + c * d.y, d.z};
}

RC_GTEST_PROP(HitAngles, AreThoseByWhichTheRayWasTurned, ()) {
  const double azimuth = any_between(-3.1, 3.1), elevation = any_between(-1.2, 1.2);
  const Vec3 d = {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                  std::sin(elevation)};
  const std::vector<Axis> all = {Axis::kX, Axis::kY, Axis::kZ};
  const auto first = static_cast<std::size_t>(*rc::gen::inRange(0, 3));
  const auto second = (first + static_cast<std::size_t>(*rc::gen::inRange(1, 3))) % 3;
  const bool both = *rc::gen::arbitrary<bool>();
  const double a = any_between(-0.1, 0.1), b = both ? any_between(-0.1, 0.1) : 0.0;
  std::vector<Axis> axes = {all[first]};
  Vec3 p = turned(d, all[first], a);
  if (both) axes.push_back(all[second]), p = turned(p, all[second], b);
  const std::optional<HitAngles> found = hit_angles(d, p, axes);
  // The third part of the ray tells the sign: where turns of 0.1 rad may cross it, so may the answer.
  const double third = std::vector{d.x, d.y, d.z}[3 - first - second];
  RC_PRE(!both || std::abs(third) > 0.25);
  if (!found) {  // along an axis
    const double parts[] = {d.x, d.y, d.z};
    RC_ASSERT(std::abs(parts[first]) > 0.99 || (both && std::abs(parts[second]) > 0.95));
    return;
  }
  RC_ASSERT(std::abs(found->first_rad - a) < 1e-9);
  RC_ASSERT(std::abs(found->second_rad - b) < 1e-9);
  RC_ASSERT(found->off_rad < 1e-12);
}

TEST(HitAngles, SayHowFarAPointLiesOffWhereTurnsLead) {
  const Vec3 d = {1, 0, 0}, p = turned(turned(d, Axis::kZ, 0.02), Axis::kY, 0.03);
  const std::vector<Axis> z = {Axis::kZ};
  const std::optional<HitAngles> found = hit_angles(d, p, z);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->first_rad, 0.02, 1e-4);
  EXPECT_NEAR(found->off_rad, 0.03, 1e-4);
  EXPECT_FALSE(hit_angles({0, 0, 1}, {0, 0.01, 1}, z));  // along the axis
}

/// Points that a sensor measures with one chain, beside its scene, where it may have another.
ChainFrames point_frames(const NoiseChain& truth, const NoiseChain& in_scene, std::uint64_t seed, std::uint32_t frames,
                         const ChainFrames::Options& options, bool with_points) {
  const auto setup_of = [](const NoiseChain& chain) { return turned_setup(make_posts(), make_fan(8, 96), chain); };
  ChainFrames::Options how = options;
  how.run.seed = seed;
  Simulator simulator = make_simulator(setup_of(truth), how.run);
  ChainFrameReader reader(setup_of(in_scene), frames, how);
  Frame frame({Channel::kRange, Channel::kHitSensor});
  for (std::uint32_t k = 0; k < frames; ++k) {
    simulator.render(SensorId{0}, k, frame);
    const Frame::Points hit = frame.hit_sensor_m();
    std::vector<float> point_m;
    for (std::size_t i = 0; i < frame.rays(); ++i) point_m.insert(point_m.end(), {hit.x[i], hit.y[i], hit.z[i]});
    if (with_points) {
      reader.add_points(k, frame.range_m(), point_m);
    } else {
      reader.add_ranges(k, frame.range_m());
    }
  }
  return reader.frames();
}

ChainFrames point_frames(const NoiseChain& truth, std::uint64_t seed, std::uint32_t frames = 20,
                         const ChainFrames::Options& options = {}, bool with_points = true) {
  return point_frames(truth, truth, seed, frames, options, with_points);
}

ChainFit learned(const NoiseChain& truth, const ChainReturns& returns, double wrong = 0.6) {
  const std::vector<ChainParameter> free = parameters_of(truth, {"angular_hit.*", "distance.stddev_m", "dropout.*"});
  return fit_chain(with_wrong_values(truth, free, wrong), free, returns, {.hold_out = 0});
}

TEST(HitLearning, AloneIsTheMeanAndTheSpreadOfTheAngles) {
  const NoiseChain truth = {AngularHit{Axis::kZ, 0.002F, 0.05F}};
  const ChainFrames frames = point_frames(truth, 3);
  const ChainReturns::HitTurns& turns = frames.returns.hits;
  ASSERT_EQ(turns.axes, std::vector<Axis>{Axis::kZ});
  ASSERT_EQ(turns.first_rad.size(), frames.returns.size());
  double sum = 0, squares = 0;
  for (const float a : turns.first_rad) sum += double{a};
  const auto n = static_cast<double>(turns.first_rad.size());
  for (const float a : turns.first_rad) squares += std::pow(double{a} - sum / n, 2);
  const std::vector<ChainParameter> free = chain_parameters(truth, "angular_hit.*");
  for (const NoiseChain& start : {with_wrong_values(truth, free, 0.3), NoiseChain{AngularHit{Axis::kZ}}}) {
    const ChainFit fit = fit_chain(start, free, frames.returns, {.hold_out = 0});
    EXPECT_NEAR(fit.parameters[0].value, sum / n, 1e-3 * fit.parameters[0].std_error);
    EXPECT_NEAR(fit.parameters[1].value, std::sqrt(squares / n), 1e-2 * fit.parameters[1].std_error);
    EXPECT_NEAR(fit.parameters[0].naive_error, 0.05 / std::sqrt(n), 0.05 * 0.05 / std::sqrt(n));
    EXPECT_NEAR(fit.parameters[1].naive_error, 0.05 / std::sqrt(2 * n), 0.05 * 0.05 / std::sqrt(2 * n));
    EXPECT_GT(fit.log_likelihood, fit.start_log_likelihood);
    EXPECT_TRUE(fit.findings.empty()) << fit.findings.front().text.text();
  }
}

TEST(HitLearning, IntervalsHoldTheTruthBesideOtherModels) {
  const std::size_t seeds = repetitions(2);
  std::size_t held = 0, intervals = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const ChainFit fit = learned(kBeside, point_frames(kBeside, seed).returns);
    const std::vector<double> truth = {0.002, 0.01, -0.001, 0.004, 0.02, 0.05};
    ASSERT_EQ(fit.parameters.size(), truth.size());
    for (std::size_t k = 0; k < truth.size(); ++k) {
      const Fit::Parameter& p = fit.parameters[k];
      ++intervals, held += p.low_95 <= truth[k] && truth[k] <= p.high_95 ? 1 : 0;
      EXPECT_LT(p.std_error, 0.1 * std::abs(truth[k])) << p.name;
    }
  }
  // All parameters of all seeds together: 8 of 12 are enough, and 7 are not.
  EXPECT_TRUE(are_enough_held(held, intervals)) << held << " of " << intervals;
}

TEST(HitLearning, RangesTellTheOthersAndSayThatPointsAreMissing) {
  const ChainFit of_points = learned(kBeside, point_frames(kBeside, 5).returns);
  const ChainFit of_ranges = learned(kBeside, point_frames(kBeside, 5, 20, {}, false).returns);
  for (std::size_t k = 0; k < 4; ++k) {
    const Fit::Parameter& p = of_ranges.parameters[k];
    EXPECT_EQ(p.status, Fit::Status::kUnidentified) << p.name;
    EXPECT_TRUE(std::isnan(p.std_error));
    EXPECT_EQ(p.value, p.start);
  }
  ASSERT_FALSE(of_ranges.findings.empty());
  EXPECT_TRUE(contains(of_ranges.findings.front().text.text(), "cannot be learned from ranges"))
      << of_ranges.findings.front().text.text();
  for (std::size_t k = 4; k < 6; ++k) {
    EXPECT_NEAR(of_ranges.parameters[k].value, of_points.parameters[k].value, 0.01 * of_points.parameters[k].std_error);
  }
}

TEST(HitLearning, SingleRingsHaveTheirOwn) {
  const ChainEntry by_ring(AngularHit{Axis::kZ, 0.0F, 0.01F},
                           std::vector<RingEntry>{{3, AngularHit{Axis::kZ, 0.02F, 0.01F}}});
  const ChainFrames frames = point_frames({by_ring}, 2);
  const std::vector<std::uint16_t> rings = frames.returns.rings();
  const NoiseChain start = {AngularHit{Axis::kZ, 0.0F, 0.02F}};
  const ChainFit fit =
      fit_chain(start, chain_parameters(start, "angular_hit.rings.*.mean_rad", rings), frames.returns, {.hold_out = 0});
  ASSERT_EQ(fit.parameters.size(), 8U);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(fit.parameters[k].value, k == 3 ? 0.02 : 0.0, 0.002) << k;
}

TEST(HitLearning, TheTrueDeviationScoresBestAndThreadsChangeNoBit) {
  const ChainFrames frames = point_frames(kBeside, 7);
  const std::vector<FrameScore> scores = score_frames(kBeside, frames.returns);
  NoiseChain wide = kBeside;
  wide[0].noise = wide[0].noise.with("stddev_rad", 0.012);
  const MeanScore gain = score_difference(scores, score_frames(wide, frames.returns, 3));
  // Of a normal: log 1.2 + (1 / 1.2^2 - 1) / 2 for each return that came back.
  EXPECT_NEAR(gain.nats, 0.95 * (std::log(1.2) + 0.5 * (1 / 1.44 - 1)), 4 * gain.std_error);
  const std::vector<FrameScore> again = score_frames(kBeside, frames.returns, 2);
  for (std::size_t k = 0; k < scores.size(); ++k) EXPECT_EQ(scores[k].nats, again[k].nats);
}

TEST(HitLearning, PointsThatDoNotTellAreNamed) {
  const AngularHit z{Axis::kZ, 0.0F, 0.01F};
  const auto note_of = [](const NoiseChain& chain, const ChainFrames::Options& options = {}) {
    const ChainFrames frames = point_frames(chain, 1, 2, options);
    EXPECT_FALSE(frames.returns.hits.is_known());
    EXPECT_EQ(frames.notes.size(), 1U);
    return frames.notes.empty() ? std::string() : frames.notes.front().text.text();
  };
  EXPECT_TRUE(contains(note_of({AngularRay{Axis::kZ, 0, 0.001F}, z}), "angular_ray turns the points, too"));
  EXPECT_TRUE(contains(note_of({z, z}), "only the sum of two turns about one axis"));
  EXPECT_TRUE(contains(note_of({z, AngularHit{Axis::kY}, AngularHit{Axis::kX}}), "about three axes"));
  EXPECT_TRUE(contains(note_of({z}, {.other_chain = {AngularHit{Axis::kY}}}), "the two chains turn points"));
  EXPECT_TRUE(point_frames({DistanceNoise{0, 0.01F, 0}}, 1, 2).findings().empty());
  // Where points are turned about y, too, a chain that knows z only says how many.
  const ChainFrames other = point_frames({z, AngularHit{Axis::kY, 0.0F, 0.01F}}, {z}, 1, 1, {}, true);
  EXPECT_GT(other.askew, 500U);
  EXPECT_TRUE(contains(other.findings().front().text.text(),
                       "points lie more than 0.001 rad from where angular_hit can turn them"))
      << other.askew;
}

TEST(HitLearning, RefusesInOneLine) {
  ChainReturns returns = point_frames({AngularHit{Axis::kZ, 0, 0.01F}}, 1, 2).returns;
  const auto said = [&](const NoiseChain& chain) {
    return input_error([&] { static_cast<void>(score_frames(chain, returns)); });
  };
  EXPECT_TRUE(contains(said({AngularHit{Axis::kY, 0, 0.01F}}), "turns about other axes"));
  returns.hits.first_rad[3] = 4.0F;
  EXPECT_TRUE(contains(said({AngularHit{Axis::kZ, 0, 0.01F}}), "return 3: an angle of 4 rad is not in (-pi, pi]"));
  returns.hits.first_rad.pop_back();
  EXPECT_TRUE(contains(said({AngularHit{Axis::kZ, 0, 0.01F}}), "angles of points about 1 axes"));
  ChainFrameReader reader(turned_setup(make_posts(), make_fan(8, 96), {AngularHit{}}), 1);
  const std::vector<float> ranges(8 * 96, 1.0F), few(30, 1.0F);
  EXPECT_TRUE(contains(input_error([&] { reader.add_points(0, ranges, few); }), "30 values given for 768 points"));
}

}  // namespace
}  // namespace fathom::test::hit_angles_test
