// SPDX-License-Identifier: MIT
// A lidar in a room finds one wall among floor, ceiling, other walls and a shelf, and its noise is found again.

#include "fit/calibrate/wall_room.hpp"
#include "fit/wall/wall_work.hpp"
#include "support/expect.hpp"

namespace fathom::test::wall_lidar_test {
namespace {

/// Of each ray without noise, whether it meets the wall at x = 5 m.
std::vector<bool> meets_wall(const WallFrames& clean, const std::vector<Stand>& places) {
  const WallSensor::Lidar& lidar = *clean.sensor.lidar;
  std::vector<bool> meets;
  for (std::size_t k = 0; k < clean.measured_m.size(); ++k) {
    const std::size_t i = k % clean.sensor.rays();
    const Vec3 at = lidar.origin_m[i] + double{clean.measured_m[k]} * lidar.direction[i];
    const Vec3 p = places[k / clean.sensor.rays()].to_room(at);
    meets.push_back(std::abs(p.x - 0.5 * kRoomM.x) < 1e-4);
  }
  return meets;
}

TEST(WallLidar, FindsTheWallAheadAndNothingElseOfARoom) {
  const std::vector<Stand> places = stands(12);
  const std::vector<bool> meets = meets_wall(room_frames(places, {}, 1), places);
  const WallFrames frames = room_frames(places, {DistanceNoise{.stddev_m = 0.02F}, Dropout{0.05F}}, 1);
  const WallMeasure measure = measure_wall(frames, {.wall = WallOptions::Choice::kAhead});
  for (std::size_t f = 0; f < places.size(); ++f) {
    const WallMeasure::Plane& plane = measure.planes[f];
    ASSERT_TRUE(plane.is_found) << f << ": " << plane.why_not;
    EXPECT_NEAR(plane.distance_m, 5.0 - places[f].at_m.x, 5e-3);
    const Vec3 expected = {std::cos(places[f].yaw_rad), -std::sin(places[f].yaw_rad), 0.0};
    EXPECT_LT(norm(plane.normal - expected), 0.01);
    std::size_t of_wall = 0, taken = 0;
    for (std::size_t k = f * frames.sensor.rays(); k < (f + 1) * frames.sensor.rays(); ++k) {
      const WallMeasure::Pixel pixel = measure.pixels[k];
      const bool is_taken = pixel == WallMeasure::Pixel::kWall || pixel == WallMeasure::Pixel::kLost;
      of_wall += meets[k] ? 1 : 0, taken += is_taken ? 1 : 0;
      EXPECT_TRUE(!is_taken || meets[k]) << "ray " << k % frames.sensor.rays() << " of another surface in frame " << f;
    }
    EXPECT_GT(taken, of_wall / 3) << f;  // of 16 rings the outer two and those beside the floor are left out
    EXPECT_EQ(plane.on_wall + plane.lost, taken);
  }
}

TEST(WallLidar, TheLargestPlaneIsTheNearerWall) {
  // 1 m before the wall at y = 6, and 5 m before that ahead.
  const std::vector<Stand> places = {{{0.0, 5.0, 1.2}, 0.0}};
  const WallFrames frames = room_frames(places, {DistanceNoise{.stddev_m = 0.01F}}, 1);
  const WallMeasure largest = measure_wall(frames), ahead = measure_wall(frames, {.wall = WallOptions::Choice::kAhead});
  ASSERT_TRUE(largest.planes[0].is_found && ahead.planes[0].is_found);
  EXPECT_GT(largest.planes[0].normal.y, 0.99);
  EXPECT_NEAR(largest.planes[0].distance_m, 1.0, 0.01);
  EXPECT_GT(ahead.planes[0].normal.x, 0.99);
  EXPECT_NEAR(ahead.planes[0].distance_m, 5.0, 0.01);
}

TEST(WallLidar, NeverTakesTheFloor) {
  // Most readings of a lidar that looks down are of the floor.
  SpinningLidar down = lidar_model();
  for (double& elevation : down.elevation_rad) elevation -= 25.0 * kRadPerDeg;
  const WallFrames frames = room_frames(stands(6), {DistanceNoise{.stddev_m = 0.01F}}, 1, down);
  for (const WallMeasure::Plane& plane : measure_wall(frames).planes) {
    EXPECT_TRUE(!plane.is_found || std::abs(plane.normal.z) < 0.1) << plane.normal.z;
  }
}

TEST(WallLidar, NoiseIsFoundAgainAmongOtherSurfaces) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.01F, 0.004F}, Dropout{0.05F}};
  const std::vector<std::pair<std::string, double>> truth = {
      {"distance.stddev_m", 0.01F}, {"distance.stddev_per_m", 0.004F}, {"dropout.probability", 0.05F}};
  std::vector<double> square(truth.size(), 0.0);
  const std::uint64_t seeds = repetitions(2);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const WallFit fit = fit_wall(room_frames(stands(24), chain, seed, lidar_model(180)),
                                 {.wall = WallOptions::Choice::kAhead, .most_returns = 10'000});
    for (std::size_t k = 0; k < truth.size(); ++k) {
      const Fit::Parameter& p = fit.chain[truth[k].first];
      const double off = (p.value - truth[k].second) / p.std_error;
      EXPECT_LT(std::abs(off), 4.0) << truth[k].first << " " << p.value << " +- " << p.std_error;
      square[k] += off * off;
    }
  }
  // The sum of squares of two standard normals is below 13.8 in 999 of 1000 cases.
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_LT(square[k], 13.8) << truth[k].first;
}

TEST(WallLidar, LossesByIncidenceAreFoundAgain) {
  const NoiseChain chain = {
      StereoEnergy{.min_energy = 0.1F, .pow = 5.0F, .normalization = EnergyNormalization::kThreshold},
      DistanceNoise{.stddev_m = 0.01F}, Dropout{0.02F}};
  const WallFit fit =
      fit_wall(room_frames(stands(30), chain, 3), {.wall = WallOptions::Choice::kAhead, .most_returns = 15'000});
  const auto law = std::find_if(fit.loss_laws.begin(), fit.loss_laws.end(),
                                [](const WallFit::Law& tried) { return tried.is_chosen; });
  ASSERT_NE(law, fit.loss_laws.end());
  EXPECT_EQ(law->name, "stereo_energy + dropout");
  EXPECT_NEAR(fit.chain["stereo_energy.pow"].value, 5.0, 4.0 * fit.chain["stereo_energy.pow"].std_error);
  EXPECT_NEAR(fit.chain["dropout.probability"].value, 0.02, 4.0 * fit.chain["dropout.probability"].std_error);
}

TEST(WallLidar, RingsHaveBiasesAndDeviationsOfTheirOwn) {
  std::vector<RingEntry> noise, bias;
  const auto deviation_of = [](std::uint16_t ring) { return ring % 3 == 0 ? 0.02F : 0.01F; };
  const auto bias_of = [](std::uint16_t ring) { return ring % 2 == 0 ? 0.004F : -0.004F; };
  for (std::uint16_t ring = 0; ring < 16; ++ring) {
    noise.push_back({ring, DistanceNoise{.stddev_m = deviation_of(ring)}});
    bias.push_back({ring, GainBias{0.0F, bias_of(ring)}});
  }
  const NoiseChain chain = {ChainEntry(DistanceNoise{.stddev_m = 0.01F}, noise), ChainEntry(GainBias{}, bias)};
  const WallFrames frames = room_frames(stands(24), chain, 4);
  const WallFit fit = fit_wall(frames, {.wall = WallOptions::Choice::kAhead, .rings = true, .most_returns = 20'000});
  for (std::uint16_t ring = 5; ring < 14; ++ring) {
    const Fit::Parameter& b = fit.chain["gain_bias.rings." + std::to_string(ring) + ".bias_m"];
    // Rings that alternate are nearly, but not quite, free of what planes take.
    EXPECT_NEAR(b.value, bias_of(ring), 4.0 * b.std_error + 0.0015) << ring;
    EXPECT_GT(b.value * bias_of(ring), 0.0) << ring;
  }
  // The fit distinguishes the deviations of rings at 3 m.
  for (std::uint16_t ring = 5; ring < 14; ++ring) {
    const std::string of = "distance.rings." + std::to_string(ring);
    const double at_3_m = fit.chain[of + ".stddev_m"].value + 3.0 * fit.chain[of + ".stddev_per_m"].value;
    EXPECT_NEAR(at_3_m, deviation_of(ring), 0.15 * deviation_of(ring)) << ring;
  }
  EXPECT_THROW(
      static_cast<void>(fit_wall(simulate_wall(laser_sensor(), walls(4, 1.0, 2.0, 10.0), {}), {.rings = true})),
      InputError);
}

std::string flag_with(const WallFit& fit, const std::string& words) {
  for (const std::string& flag : texts_of(fit.chain.findings)) {
    if (flag.find(words) != std::string::npos) return flag;
  }
  return "";
}

/// An error that grows with the range, of one ring in all frames, is its gain, and no correlation along the ring.
TEST(WallLidar, ARingWithAGainIsNoCorrelation) {
  const NoiseChain chain = {DistanceNoise{.stddev_m = 0.01F}, ChainEntry(GainBias{}, {{8, GainBias{0.01F, 0.0F}}})};
  const WallFrames frames = room_frames(stands(24), chain, 4, lidar_model(240));
  for (const bool rings : {true, false}) {
    const WallFit fit = fit_wall(frames, {.wall = WallOptions::Choice::kAhead, .rings = rings, .most_returns = 10'000});
    EXPECT_LT(fit.correlation.across_px.value, 0.5) << "a white sensor";
    EXPECT_LT(fit.correlation.down_px.value, 0.5);
    for (const Estimate& e : fit.measure.across) EXPECT_LT(std::abs(e.value), 0.02 + 4.0 * e.std_error);
    EXPECT_NE(flag_with(fit, "ring 8 is off in all frames, by up to 0.0"), "")
        << testing::PrintToString(texts_of(fit.chain.findings));
    EXPECT_EQ(flag_with(fit, "learn each ring").empty(), rings);
    if (!rings) continue;
    const Fit::Parameter &gain = fit.chain["gain_bias.rings.8.gain"], &bias = fit.chain["gain_bias.rings.8.bias_m"];
    EXPECT_NEAR(gain.value, 0.01, 4.0 * gain.std_error);
    EXPECT_LT(gain.std_error, 0.001);
    EXPECT_NEAR(bias.value, 0.0, 4.0 * bias.std_error);
    EXPECT_NE(flag_with(fit, "errors that grow with the range are learned as gains, too: ring 8"), "");
    EXPECT_EQ(fit.chain.chain.front().noise.slug(), "distance") << "no heavy tails";
    // No flag names rings with the same errors as all others.
    for (const std::uint16_t ring : {6, 7, 9, 10}) {
      const Fit::Parameter& b = fit.chain["gain_bias.rings." + std::to_string(ring) + ".bias_m"];
      EXPECT_NEAR(b.value, 0.0, 4.0 * b.std_error + 0.0005) << ring;
    }
  }
}

/// What is random along a ring is no error of the ring.
TEST(WallLidar, ACorrelationAlongRingsStaysOne) {
  const NoiseChain chain = {ChainEntry(DistanceNoise{.stddev_m = 0.01F}, Correlation{.across_px = 4.0F})};
  const WallFit fit =
      fit_wall(room_frames(stands(24), chain, 4), {.wall = WallOptions::Choice::kAhead, .most_returns = 5000});
  EXPECT_NEAR(fit.correlation.across_px.value, 4.0, 0.5);
  EXPECT_EQ(flag_with(fit, "off in all frames"), "");
}

/// A wall that is found among others is the one that is found where it is alone, to grazing rays.
TEST(WallLidar, OfALaserTheWallReachesAsFarAsAlone) {
  const WallFrames frames = simulate_wall(laser_sensor(), walls(30, 0.9, 3.2, 15.0),
                                          {DistanceNoise{0.0F, 0.01F, 0.002F}, Dropout{0.02F}}, {.seed = 7});
  const WallFit alone = fit_wall(frames), found = fit_wall(frames, {.wall = WallOptions::Choice::kAhead});
  EXPECT_NEAR(static_cast<double>(found.measure.readings), static_cast<double>(alone.measure.readings),
              0.05 * static_cast<double>(alone.measure.readings));
  for (const std::string name : {"distance.stddev_m", "distance.stddev_per_m"}) {
    const Fit::Parameter &a = found.chain[name], &b = alone.chain[name];
    EXPECT_NEAR(a.value, b.value, a.std_error) << name;
  }
}

TEST(WallLidar, ColumnsThatGoRoundMakeNoEnd) {
  // The first column looks at the wall.
  SpinningLidar turned = lidar_model();
  const std::vector<Stand> places = stands(4);
  std::vector<std::size_t> on_wall;
  for (const double start_rad : {0.0, 3.0}) {
    turned.start_azimuth_rad = start_rad;
    const WallMeasure measure = measure_wall(room_frames(places, {DistanceNoise{.stddev_m = 0.01F}}, 2, turned),
                                             {.wall = WallOptions::Choice::kAhead});
    on_wall.push_back(measure.readings);
  }
  EXPECT_NEAR(static_cast<double>(on_wall[0]), static_cast<double>(on_wall[1]), 0.02 * on_wall[1]);
}

TEST(WallLidar, SimulatedWithWhatWasLearnedMeasuresTheSame) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.01F, 0.004F}, Dropout{0.05F}};
  const WallFit fit =
      fit_wall(room_frames(stands(20), chain, 5), {.wall = WallOptions::Choice::kAhead, .most_returns = 10'000});
  const WallMeasure again = measure_wall(simulate_wall(fit, {.seed = 6}), {}, &fit.measure);
  EXPECT_NEAR(again.deviation, fit.measure.deviation, 0.03 * fit.measure.deviation);
  EXPECT_NEAR(static_cast<double>(again.readings), static_cast<double>(fit.measure.readings),
              0.02 * static_cast<double>(fit.measure.readings));
}

TEST(WallLidar, SensorOfAFileHasTheSameRays) {
  const TemporaryFolder folder;
  const WallSensor preset = find_wall_lidar("VLP-16");
  EXPECT_EQ(preset.lidar->entry, "preset: VLP-16\n");
  EXPECT_TRUE(preset.lidar->is_full_turn);
  const NoiseChain chain = {DistanceNoise{.stddev_m = 0.01F}};
  for (const std::string& entry :
       {preset.lidar->entry, std::string("type: spinning_lidar\nelevation_rad: [0.2, -0.1]\ncolumns: 90\n")}) {
    const auto file = folder.write("sensor.yaml", entry + "outputs: [pcd]\n");
    const WallSensor read = find_wall_lidar(file.string());
    folder.write("sensor.yaml", wall_sensor_yaml(read, 0.0, chain, "lidar"));
    const WallSensor again = find_wall_lidar(file.string());
    EXPECT_EQ(again.lidar->entry, read.lidar->entry);
    EXPECT_EQ(again.max_range_m, read.max_range_m);
    ASSERT_EQ(again.rays(), read.rays());
    for (std::size_t i = 0; i < read.rays(); ++i) ASSERT_EQ(again.lidar->direction[i], read.lidar->direction[i]);
  }
}

TEST(WallLidar, RefusesSensorsWithoutRowsOrWithRaysThatVary) {
  const auto refusal = [](const std::string& sensor) {
    return message_of<InputError>([&] { static_cast<void>(find_wall_lidar(sensor)); });
  };
  EXPECT_TRUE(contains(refusal("UTM-30LX"), "UTM-30LX: 1 x 1081 rays"));
  EXPECT_TRUE(contains(refusal("Mid-40"), "Mid-40: rays vary"));
  EXPECT_TRUE(contains(refusal("VLP-61"), "VLP-16"));
  EXPECT_TRUE(contains(refusal("no/such.yaml"), "is not there"));
  WallFrames frames = room_frames(stands(1), {}, 1);
  frames.sensor.lidar->ring.pop_back();
  EXPECT_TRUE(contains(message_of<InputError>([&] { validate(frames); }), "5759 rings"));
}

}  // namespace
}  // namespace fathom::test::wall_lidar_test
