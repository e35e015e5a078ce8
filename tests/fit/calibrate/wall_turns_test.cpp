// SPDX-License-Identifier: MIT
// Clouds of a lidar whose turns start anywhere: its rays, what they lost and its noise are found again.

#include "fit/calibrate/turn_room.hpp"
#include "fit/wall/wall_work.hpp"
#include "support/expect.hpp"

namespace fathom::test::wall_turns_test {
namespace {

const NoiseChain kTurnNoise = {DistanceNoise{0.0F, 0.01F, 0.004F}, Dropout{0.05F}};
constexpr double kHalfStepRad = 0.1 * kRadPerDeg;

/// Rays of each ring by azimuth.
using ByRing = std::map<std::uint16_t, std::vector<std::pair<double, bool>>>;

ByRing by_ring(const FiredTurn& turn) {
  ByRing rings;
  for (const Fired& fired : turn) rings[fired.ring].emplace_back(fired.azimuth_rad, fired.is_back);
  for (auto& [ring, rays] : rings) std::sort(rays.begin(), rays.end());
  return rings;
}

/// Whether the ray nearest to an azimuth, ahead, where azimuths do not begin again, did not come back.
bool is_lost_at(const std::vector<std::pair<double, bool>>& rays, double azimuth_rad) {
  auto above = std::lower_bound(rays.begin() + 1, rays.end() - 1, std::pair{azimuth_rad, false});
  const auto nearest = above->first - azimuth_rad < azimuth_rad - (above - 1)->first ? above : above - 1;
  return !nearest->second && std::abs(nearest->first - azimuth_rad) < kHalfStepRad;
}

/// A quarter of the columns of a VLP-16: where a law needs no more.
constexpr std::uint32_t kFewColumns = 452;

/// Clouds of turns with kFewColumns columns.
WallFrames few_columns(const std::vector<FiredTurn>& turns, std::optional<std::uint16_t> ring = {}) {
  const TemporaryFolder folder;
  return frames_of(turns, ring,
                   folder.write("sensor.yaml", fmt::format("preset: VLP-16\ncolumns: {}\n", kFewColumns)).string());
}

std::string refusal_of(const std::vector<FiredTurn>& turns, std::optional<std::uint16_t> ring,
                       const std::string& sensor = "VLP-16") {
  return message_of<InputError>([&] { static_cast<void>(frames_of(turns, ring, sensor)); });
}

bool has_flag(const WallFit& fit, const std::string& text) {
  return std::ranges::any_of(texts_of(fit.chain.findings),
                             [&](const std::string& flag) { return contains(flag, text); });
}

TEST(WallTurns, LostIsWhatWasFiredAndDidNotComeBack) {
  for (const std::string preset : {"VLP-16", "VLP-32C"}) {
    const std::vector<FiredTurn> turns = turns_in_room(stands(6), {Dropout{0.2F}}, {.seed = 3, .preset = preset});
    const WallFrames frames = frames_of(turns, {}, preset);
    ASSERT_TRUE(frames.turns && frames.turns->knows_losses);
    const WallMeasure measure = measure_wall(frames, {.wall = WallOptions::Choice::kAhead});
    const std::size_t rays = frames.sensor.rays();
    std::size_t lost = 0, wrong = 0;
    for (std::size_t f = 0; f < turns.size(); ++f) {
      ByRing fired = by_ring(turns[f]);
      for (std::size_t i = 0; i < rays; ++i) {
        if (measure.pixels[f * rays + i] != WallMeasure::Pixel::kLost) continue;
        const double azimuth = double{frames.turns->azimuth_rad[f * rays + i]};
        wrong += is_lost_at(fired[frames.sensor.lidar->ring[i]], azimuth) ? 0 : 1, ++lost;
      }
    }
    EXPECT_EQ(wrong, 0U) << preset << " of " << lost;
    EXPECT_NEAR(static_cast<double>(lost) / static_cast<double>(lost + measure.readings), 0.2, 0.01) << preset;
  }
}

TEST(WallTurns, ARayWithAPointGoesThroughIt) {
  const std::vector<FiredTurn> turns = turns_in_room(stands(2), kTurnNoise);
  const WallFrames frames = frames_of(turns);
  const std::size_t rays = frames.sensor.rays();
  for (std::size_t f = 0; f < turns.size(); ++f) {
    std::vector<std::array<double, 3>> expected, found;
    for (const Fired& fired : turns[f]) {
      if (fired.is_back) expected.push_back({static_cast<double>(fired.ring), fired.azimuth_rad, norm(fired.at_m)});
    }
    for (std::size_t i = 0; i < rays; ++i) {
      if (std::isnan(frames.measured_m[f * rays + i])) continue;
      found.push_back({static_cast<double>(frames.sensor.lidar->ring[i]),
                       double{frames.turns->azimuth_rad[f * rays + i]}, double{frames.measured_m[f * rays + i]}});
    }
    // Columns beside the start of the turn are of no use.
    EXPECT_GT(found.size(), 0.99 * static_cast<double>(expected.size()));
    std::sort(expected.begin(), expected.end());
    for (const auto& [ring, azimuth, range] : found) {
      const auto at =
          std::lower_bound(expected.begin(), expected.end(), std::array<double, 3>{ring, azimuth - 1e-6, 0.0});
      ASSERT_TRUE(at != expected.end() && (*at)[0] == ring && std::abs((*at)[1] - azimuth) < 2e-6) << azimuth;
      ASSERT_NEAR((*at)[2], range, 1e-5);
    }
  }
}

TEST(WallTurns, TheFieldRingChangesNothingWhateverItCountsFrom) {
  const std::vector<FiredTurn> turns = turns_in_room(stands(3), kTurnNoise);
  const WallFrames without = frames_of(turns);
  for (const int first : {0, 7}) {
    const WallFrames with = frames_of(turns, static_cast<std::uint16_t>(first));
    ASSERT_EQ(with.measured_m.size(), without.measured_m.size());
    for (std::size_t i = 0; i < with.measured_m.size(); ++i) {
      ASSERT_TRUE(with.measured_m[i] == without.measured_m[i] ||
                  (std::isnan(with.measured_m[i]) && std::isnan(without.measured_m[i])));
    }
    EXPECT_EQ(with.turns->azimuth_rad, without.turns->azimuth_rad);
    EXPECT_EQ(with.turns->cols, without.turns->cols);
  }
}

TEST(WallTurns, NoiseIsFoundAgain) {
  const std::vector<std::pair<std::string, double>> truth = {
      {"distance.stddev_m", 0.01F}, {"distance.stddev_per_m", 0.004F}, {"dropout.probability", 0.05F}};
  std::vector<double> square(truth.size(), 0.0);
  const std::uint64_t seeds = repetitions(2);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto ring = seed % 2 == 0 ? std::optional<std::uint16_t>(0) : std::nullopt;
    const WallFrames frames =
        few_columns(turns_in_room(stands(24), kTurnNoise, {.seed = seed, .columns = kFewColumns}), ring);
    const WallFit fit = fit_wall(frames, {.wall = WallOptions::Choice::kAhead, .most_returns = 10'000});
    EXPECT_TRUE(has_flag(fit, "the fit takes the directions of the points"));
    for (std::size_t k = 0; k < truth.size(); ++k) {
      const Fit::Parameter& p = fit.chain[truth[k].first];
      const double off = (p.value - truth[k].second) / p.std_error;
      EXPECT_LT(std::abs(off), 4.0) << truth[k].first << " " << p.value << " +- " << p.std_error;
      square[k] += off * off;
    }
    // The fit uses some rays of the walls, the measure all. Its share of losses is right to 4 deviations.
    const auto lost = static_cast<double>(fit.measure.lost), all = lost + static_cast<double>(fit.measure.readings);
    EXPECT_NEAR(lost / all, 0.05, 4.0 * std::sqrt(0.05 * 0.95 / all));
  }
  // The sum of squares of two standard normals is below 13.8 in 999 of 1000 cases.
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_LT(square[k], 13.8) << truth[k].first;
}

/// Velodyne's driver lets the rays of a VLP-16 start up to 11 mm off its centre.
TEST(WallTurns, PointsMayStartBesideTheSensor) {
  const std::vector<FiredTurn> turns =
      turns_in_room(stands(12), kTurnNoise, {.start_off_m = 0.011, .columns = kFewColumns});
  for (const auto ring : {std::optional<std::uint16_t>(0), std::optional<std::uint16_t>()}) {
    const WallFit fit =
        fit_wall(few_columns(turns, ring), {.wall = WallOptions::Choice::kAhead, .most_returns = 10'000});
    for (const auto& [name, truth] : {std::pair<std::string, double>{"distance.stddev_m", 0.01},
                                      {"distance.stddev_per_m", 0.004},
                                      {"dropout.probability", 0.05}}) {
      EXPECT_NEAR(fit.chain[name].value, truth, 4.0 * fit.chain[name].std_error) << name;
    }
  }
}

TEST(WallTurns, WithoutAGridLossesAreNotKnown) {
  std::vector<FiredTurn> turns;
  for (const Stand& place : stands(16)) {
    turns.push_back(scattered_in_room(place, static_cast<std::uint32_t>(turns.size()), kTurnNoise, kFewColumns));
  }
  const WallFrames frames = few_columns(turns, 0);
  ASSERT_TRUE(frames.turns);
  EXPECT_FALSE(frames.turns->knows_losses);
  const WallFit fit = fit_wall(frames, {.wall = WallOptions::Choice::kAhead, .most_returns = 10'000});
  EXPECT_EQ(fit.chain.parameters.size(), 2U);
  EXPECT_NEAR(fit.chain["distance.stddev_m"].value, 0.01, 4.0 * fit.chain["distance.stddev_m"].std_error);
  EXPECT_NEAR(fit.chain["distance.stddev_per_m"].value, 0.004, 4.0 * fit.chain["distance.stddev_per_m"].std_error);
  EXPECT_FALSE(fit.measure.knows_losses);
  EXPECT_EQ(fit.measure.lost, 0U);
  EXPECT_TRUE(fit.loss_laws.empty());
  EXPECT_TRUE(has_flag(fit, "azimuths lie on no regular grid"));
  EXPECT_FALSE(has_flag(fit, "no return was lost"));
  // The walls are the same: unknown losses do not end them.
  const WallMeasure again = measure_wall(simulate_wall(fit, {.seed = 6}), {}, &fit.measure);
  EXPECT_FALSE(again.knows_losses);
  EXPECT_NEAR(static_cast<double>(again.readings), static_cast<double>(fit.measure.readings),
              0.05 * static_cast<double>(fit.measure.readings));
  EXPECT_NEAR(again.deviation, fit.measure.deviation, 0.03 * fit.measure.deviation);
}

TEST(WallTurns, AFrameWithoutAGridIsLeftOutAmongOthers) {
  std::vector<FiredTurn> turns = turns_in_room(stands(6), kTurnNoise);
  turns[2] = scattered_in_room(stands(6)[2], 2, kTurnNoise);
  turns[4].clear();
  const WallMeasure measure = measure_wall(frames_of(turns, 0), {.wall = WallOptions::Choice::kAhead});
  EXPECT_EQ(measure.planes[2].why_not, "its azimuths lie on no regular grid");
  EXPECT_EQ(measure.planes[4].why_not, "has no reading within 20 degrees of straight ahead");
  for (const std::size_t f : {0U, 1U, 3U, 5U}) EXPECT_TRUE(measure.planes[f].is_found) << f;
  EXPECT_TRUE(measure.knows_losses);
  EXPECT_GT(measure.lost, 0U);
}

/// A packet that is lost takes whole columns, and tells nothing of returns.
TEST(WallTurns, ColumnsThatNothingCameBackFromAreNoLosses) {
  std::vector<FiredTurn> turns = turns_in_room(stands(8), {DistanceNoise{.stddev_m = 0.01F}});
  for (FiredTurn& turn : turns) {
    for (Fired& fired : turn) {
      const double degrees = fired.azimuth_rad / kRadPerDeg;
      if (degrees > -4.0 && degrees < -2.0) fired.is_back = false;
    }
  }
  const WallMeasure measure = measure_wall(frames_of(turns), {.wall = WallOptions::Choice::kAhead});
  // At the two ends a column may be cut in two.
  EXPECT_LE(measure.lost, 2U * 16U * 8U);
  EXPECT_LT(static_cast<double>(measure.lost), 0.004 * static_cast<double>(measure.readings));
}

/// Of four rings, one in 16 columns has nothing, and one in four a single point, by which alone it is known.
TEST(WallTurns, OfFewRingsTheShareOfLossesIsThatOfAllColumns) {
  const std::vector<Stand> places = stands(16);
  const std::vector<FiredTurn> turns = turns_in_room(places, {DistanceNoise{.stddev_m = 0.01F}, Dropout{0.5F}},
                                                     {.elevation_deg = std::vector{-3.0, -1.0, 1.0, 3.0}});
  const TemporaryFolder folder;
  const auto sensor =
      folder.write("sensor.yaml", "type: spinning_lidar\nelevation_deg: [-3, -1, 1, 3]\ncolumns: 1808\n");
  const WallMeasure measure =
      measure_wall(frames_of(turns, {}, sensor.string()),
                   {.border = WallOptions::BorderLosses::kOfWall, .wall = WallOptions::Choice::kAhead});
  const auto lost = static_cast<double>(measure.lost), all = lost + static_cast<double>(measure.readings);
  EXPECT_GT(all, 8000.0);
  EXPECT_NEAR(lost / all, 0.5, 4.0 * std::sqrt(0.25 / all));
}

TEST(WallTurns, SimulatedWithWhatWasLearnedMeasuresTheSame) {
  const WallFrames frames = few_columns(turns_in_room(stands(12), kTurnNoise, {.columns = kFewColumns}));
  const WallFit fit = fit_wall(frames, {.wall = WallOptions::Choice::kAhead, .most_returns = 10'000});
  const WallFrames simulated = simulate_wall(fit, {.seed = 6});
  EXPECT_EQ(simulated.turns, fit.turns);
  const WallMeasure again = measure_wall(simulated, {}, &fit.measure);
  EXPECT_NEAR(again.deviation, fit.measure.deviation, 0.03 * fit.measure.deviation);
  EXPECT_NEAR(static_cast<double>(again.readings), static_cast<double>(fit.measure.readings),
              0.02 * static_cast<double>(fit.measure.readings));
  EXPECT_NEAR(static_cast<double>(again.lost), static_cast<double>(fit.measure.lost),
              0.1 * static_cast<double>(fit.measure.lost));
  const WallFit once = fit_wall(frames, {.wall = WallOptions::Choice::kAhead, .still = true, .most_returns = 2000});
  EXPECT_TRUE(once.measure.in_time.empty());
  EXPECT_TRUE(has_flag(once, "the correlation in time is not known"));
}

TEST(WallTurns, ATapeGivesTheBias) {
  const std::vector<Stand> places = stands(8);
  NoiseChain chain = kTurnNoise;
  chain.emplace_back(GainBias{0.0F, 0.03F});
  WallFrames frames = few_columns(turns_in_room(places, chain, {.columns = kFewColumns}));
  for (const Stand& place : places) frames.tape_m.push_back(0.5 * kRoomM.x - place.at_m.x);
  const WallFit fit = fit_wall(frames, {.wall = WallOptions::Choice::kAhead, .most_returns = 2000});
  ASSERT_TRUE(fit.tape);
  EXPECT_NEAR(fit.tape->bias_m.value, 0.03, 4.0 * fit.tape->bias_m.std_error);
  EXPECT_LT(fit.tape->bias_m.std_error, 0.003);
}

TEST(WallTurns, CloudsOnTheRaysOfTheSensorAreAsTheyWere) {
  const std::vector<FiredTurn> turns =
      turns_in_room(stands(2), kTurnNoise, {.encoder_deg = 0.0, .step_m = 0.0, .is_nominal = true});
  const WallFrames frames = frames_of(turns);
  EXPECT_FALSE(frames.turns);
  EXPECT_TRUE(frames.left_out.empty());
  EXPECT_EQ(frames.sensor.cols, 1808U);
  const WallFrames direct =
      room_frames({stands(2)[0]}, kTurnNoise, 100'000, std::get<SpinningLidar>(find_preset("VLP-16").model));
  for (std::size_t i = 0; i < direct.measured_m.size(); ++i) {
    ASSERT_EQ(std::isnan(direct.measured_m[i]), std::isnan(frames.measured_m[i])) << i;
    if (std::isnan(direct.measured_m[i])) continue;
    ASSERT_NEAR(direct.measured_m[i], frames.measured_m[i], 1e-5);
  }
  // One cloud that is not makes all of them turns.
  const WallFrames both = frames_of({turns[0], turn_in_room(stands(2)[1], 1, kTurnNoise, {})});
  ASSERT_TRUE(both.turns);
  EXPECT_TRUE(both.turns->knows_losses);
  EXPECT_EQ(both.frames(), 2U);
}

TEST(WallTurns, RefusesOtherElevationsAndSeveralReturns) {
  const std::vector<FiredTurn> other = turns_in_room({stands(4)[2]}, {}, {.preset = "VLP-16-HiRes"});
  for (const auto ring : {std::optional<std::uint16_t>(0), std::optional<std::uint16_t>()}) {
    const std::string message = refusal_of(other, ring);
    for (const char* part : {"cloud_000.pcd: ", " points lie on no ring of the lidar: in the median they are ",
                             " degrees off", "elevation_deg"}) {
      EXPECT_TRUE(contains(message, part)) << part << " is not in: " << message;
    }
  }
  std::vector<FiredTurn> turns = turns_in_room({stands(4)[2]}, {});
  FiredTurn twice = turns[0];
  for (Fired& fired : twice) fired.at_m = 1.1 * fired.at_m;
  turns[0].insert(turns[0].end(), twice.begin(), twice.end());
  EXPECT_TRUE(contains(refusal_of(turns, 0), "several returns of a ray are not taken"));
  turns = turns_in_room({stands(4)[2]}, {});
  for (Fired& fired : turns[0])
    fired.ring = static_cast<std::uint16_t>(2 * fired.ring + (fired.azimuth_rad > 0.0 ? 1 : 0));
  EXPECT_TRUE(contains(refusal_of(turns, 0), "rings 0 and 1 lie both at -15.00 degrees"));
  WallFrames frames = frames_of(turns_in_room({stands(4)[2]}, {}));
  WallFrames::Turns cut = *frames.turns;
  cut.azimuth_rad.pop_back();
  frames.turns = std::make_shared<const WallFrames::Turns>(cut);
  EXPECT_TRUE(contains(message_of<InputError>([&] { validate(frames); }), "azimuths"));
  cut = *frames_of(turns_in_room({stands(4)[2]}, {})).turns;
  cut.cols[0] = 0;
  frames.turns = std::make_shared<const WallFrames::Turns>(cut);
  EXPECT_TRUE(contains(message_of<InputError>([&] { validate(frames); }), "turn 0 has 0 columns"));
}

}  // namespace
}  // namespace fathom::test::wall_turns_test
