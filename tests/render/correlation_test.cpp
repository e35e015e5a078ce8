// SPDX-License-Identifier: MIT
// Correlated draws in frames: which bits they leave alone, on what they depend, and what they do to losses.

#include <fathom/noise/custom.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "render/any_sensors.hpp"
#include "sensor/noise/busy.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
const SimulatorOptions kOptions = {.seed = 7};

bool draws(const Noise& noise) { return noise.info().draws.normals + noise.info().draws.uniforms > 0; }

Sensor stereo_with(NoiseChain noise, std::uint32_t width = 61, std::uint32_t height = 37) {
  StereoCamera camera = make_stereo(width, height, 40.0, 0.2, CameraReference::kLeft);
  return make_sensor(camera, std::move(noise), {}, "stereo");
}

/// Each model that draws, alone on a sensor that it takes.
std::vector<Sensor> sensors_with_each_model(const Correlation& correlation) {
  std::vector<Sensor> sensors;
  for (const Noise& noise : busy_models()) {
    if (!draws(noise)) continue;
    ChainEntry entry(noise);
    entry.correlation = correlation;
    sensors.push_back(stereo_with({entry}));
  }
  return sensors;
}

/// The same chain of a stereo camera for everything below: a loss at edges, one by entity, one at last.
NoiseChain busy_chain(Correlation c) {
  c.across_px = 2.5F, c.down_px = 1;
  NoiseChain chain = {{EdgeLoss{.min_angle_rad = 0.2F, .low_probability = 0.2F, .high_probability = 0.9F}, c},
                      {AngularRay{.stddev_rad = 0.002F}, c},
                      {DistanceNoise{.stddev_m = 0.02F}, c},
                      {Dropout{.probability = 0.1F}, c},
                      DistanceNoise{.stddev_m = 0.01F}};
  chain[2].by_entity = {{EntityId{1}, DistanceNoise{.stddev_m = 0.2F}}};
  chain[2].correlation.shape = CorrelationShape::kExponential;
  return chain;
}

TEST(Correlation, OfZerosChangesNoBit) {
  const std::vector<Sensor> without = sensors_with_each_model({}),
                            zeros = sensors_with_each_model({.shape = CorrelationShape::kExponential}),
                            with = sensors_with_each_model({.across_px = 1});
  ASSERT_GT(without.size(), 5U);
  for (std::size_t i = 0; i < without.size(); ++i) {
    const Frame wanted = render_once(make_room_scene(), without[i]);
    EXPECT_EQ(channels_that_differ(wanted, render_once(make_room_scene(), zeros[i])), "");
    EXPECT_NE(channels_that_differ(wanted, render_once(make_room_scene(), with[i])), "")
        << without[i].noise[0].noise.slug();
  }
}

TEST(Correlation, ChangesNothingOfOtherModels) {
  // The second model draws the same numbers, whatever the first one's are like.
  const Frame clean = render_once(make_room_scene(), stereo_with({Dropout{}, DistanceNoise{.stddev_m = 0.1F}}));
  const Frame f = render_once(
      make_room_scene(),
      stereo_with({{Dropout{.probability = 0.5F}, Correlation{.across_px = 3}}, DistanceNoise{.stddev_m = 0.1F}}));
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.reason()[i] != Reason::kHit) continue;
    ASSERT_EQ(f.range_m()[i], clean.range_m()[i]);
  }
}

/// A way of 0.2 m and 0.3 rad in a second.
Trajectory slow_way() { return Trajectory({{0, {}}, {10, {{0, 2, 0}, from_roll_pitch_yaw(0, 0, 3)}}}); }

const Correlation kTimes[] = {{}, {.time_s = 0.37}, {.time_s = kInf}, {.motion_m = 0.03, .motion_rad = 0.07}};

TEST(Correlation, AFrameAloneIsThatOfARun) {
  for (const Correlation& c : kTimes) {
    Sensor sensor = stereo_with(busy_chain(c));
    sensor.parent_from_sensor = slow_way();
    Simulator run(make_room_scene(), {.seed = 3, .compute = {.threads = 1}});
    const SensorId id = run.add_sensor(sensor);
    Frame found(all_channels());
    for (const std::uint32_t index : {0U, 1U, 2U, 3U, 17U, 16U, 2U}) {
      run.render(id, index, found);
      const Frame wanted =
          render_once(make_room_scene(), sensor, all_channels(), {.seed = 3, .compute = {.threads = 1}}, index);
      EXPECT_EQ(channels_that_differ(wanted, found), "") << c.time_s << " s, frame " << index;
    }
  }
}

/// The mean product of the errors of two frames of a sensor, of deviation 0.1 m.
double shared_error(const Correlation& c, const Trajectory& way, std::uint32_t first, std::uint32_t second) {
  Sensor sensor = stereo_with({{DistanceNoise{.stddev_m = 0.1F}, c}}, 200, 150);
  sensor.parent_from_sensor = way;
  const Scene scene = make_room_scene();
  const Frame a = render_once(scene, sensor, all_channels(), kOptions, first);
  const Frame b = render_once(scene, sensor, all_channels(), kOptions, second);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (double{a.range_m()[i]} - double{a.clean_range_m()[i]}) *
           (double{b.range_m()[i]} - double{b.clean_range_m()[i]});
  }
  return sum / static_cast<double>(a.size()) / 0.01;
}

TEST(Correlation, FollowsTheMotionOfTheSensor) {
  const Correlation by_way = {.motion_m = 0.2}, by_angle = {.motion_rad = 0.3};
  const Correlation both = {.motion_m = 0.4, .motion_rad = 0.6};
  const Trajectory still = Pose{};
  for (const Correlation& c : {by_way, by_angle, both}) {  // a second from key frame to key frame
    EXPECT_NEAR(shared_error(c, still, 2, 700), 1.0, 0.03) << "a still sensor keeps its error";
    for (const std::uint32_t lag : {0U, 3U, 7U, 9U}) {
      EXPECT_NEAR(shared_error(c, slow_way(), 0, lag), std::cos(std::numbers::pi / 20 * lag), 0.03) << lag;
    }
    EXPECT_NEAR(shared_error(c, slow_way(), 5, 15), 0.5, 0.03) << "from one interval to the next";
    EXPECT_NEAR(shared_error(c, slow_way(), 0, 25), 0.0, 0.03);
  }
  const auto frame = [&](std::uint32_t index) {
    NoiseChain chain = busy_chain(both);
    chain.pop_back();  // the white one
    return render_once(make_room_scene(), stereo_with(chain), all_channels(), kOptions, index);
  };
  EXPECT_EQ(channels_that_differ(frame(4), frame(800)), "");
}

TEST(Correlation, FollowsTheMotionOfGivenFrames) {
  const Sensor sensor = stereo_with({{DistanceNoise{.stddev_m = 0.1F}, Correlation{.motion_m = 0.2}}});
  const std::vector<float> depth(61 * 37, 2.0F);
  const auto range = [&](SensorNoise& noise, std::uint32_t index, std::optional<double> way_m) {
    GivenFrame given = {.depth_m = depth};
    if (way_m) given.motion = GivenFrame::Motion{*way_m, 0.0};
    Frame frame(all_channels());
    noise.apply(index, given, frame);
    return std::vector<float>(frame.range_m().begin(), frame.range_m().end());
  };
  SensorNoise noise(sensor, {.seed = 7});
  const std::vector<float> first = range(noise, 0, 0.0), moved = range(noise, 41, 0.1);
  EXPECT_EQ(first, range(noise, 40, 0.0));
  EXPECT_NE(first, moved);
  SensorNoise alone(sensor, {.seed = 7});
  EXPECT_EQ(moved, range(alone, 41, 0.1)) << "a frame of a stream is the frame alone";
  EXPECT_NE(range(noise, 1, {}), range(noise, 2, {})) << "unknown motion: each frame has its own field";
  EXPECT_EQ(range(noise, 2, {}), range(alone, 2, {}));
  EXPECT_THROW(range(noise, 3, std::nan("")), InputError);
  EXPECT_THROW(range(noise, 3, -1.0), InputError);
}

TEST(Correlation, ThreadsAndInstructionsChangeNoBit) {
  for (const double time_s : {0.0, 0.37}) {
    const Sensor sensor = stereo_with(busy_chain({.time_s = time_s}), 200, 150);
    const Frame wanted = render_once(make_room_scene(), sensor, all_channels(),
                                     {.seed = 3, .compute = {.threads = 1, .isa = Isa::kBase}}, 5);
    for (const Isa isa : usable_isas()) {
      for (const int threads : {1, 2, 5}) {
        const Frame found = render_once(make_room_scene(), sensor, all_channels(),
                                        {.seed = 3, .compute = {.threads = threads, .isa = isa}}, 5);
        EXPECT_EQ(channels_that_differ(wanted, found), "") << to_string(isa) << ", threads: " << threads;
      }
    }
  }
}

TEST(Correlation, AnEnvironmentAloneIsThatOfABatch) {
  for (const Correlation& c : kTimes) {
    Sensor sensor = stereo_with(busy_chain(c), 24, 16);
    sensor.parent_from_sensor = slow_way();
    const std::vector<ParameterRange> ranges = {{.entry = 3, .field = "probability", .low = 0.1, .high = 0.6},
                                                {.entry = 4, .field = "stddev_m", .low = 0.1, .high = 0.2}};
    const auto make = [&](std::uint32_t count, std::uint32_t first, int threads) {
      return Environments(make_room_scene(), sensor,
                          {.simulator = {.seed = 5, .compute = {.threads = threads}},
                           .count = count,
                           .first = first,
                           .ranges = ranges});
    };
    for (const int threads : {1, 3}) {
      Environments batch = make(19, 0, threads);
      Frame all(all_channels()), one(all_channels());
      for (const std::uint32_t index : {0U, 4U, 5U}) {
        batch.render(index, all);
        for (const std::uint32_t e : {0U, 1U, 13U, 18U}) {
          make(1, e, 1).render(index, one);
          EXPECT_TRUE(same_environment(all, e, one, 0, std::size_t{24} * 16)) << e << ", frame " << index;
        }
        EXPECT_FALSE(same_environment(all, 0, all, 1, std::size_t{24} * 16));
      }
    }
  }
}

TEST(Correlation, EntriesOfEntitiesAndRingsTakeTheSameDraws) {
  const DistanceNoise noise{.stddev_m = 0.05F}, twice{.stddev_m = 0.1F};
  const Correlation c{.across_px = 3, .down_px = 2};
  ChainEntry all(twice, c), by_entity(noise, c), by_ring(noise, c);
  by_entity.by_entity = {{EntityId{0}, twice}, {EntityId{1}, twice}, {EntityId{2}, twice}};
  for (std::uint16_t ring = 0; ring < 16; ring += 2) by_ring.by_ring.push_back({ring, twice});
  const auto frame = [](const ChainEntry& entry) {
    return render_once(make_room_scene(), make_sensor(make_lidar(), {entry}));
  };
  const Frame wanted = frame(all), half = frame({noise, c}), rings = frame(by_ring);
  EXPECT_EQ(channels_that_differ(wanted, frame(by_entity)), "");
  for (std::size_t i = 0; i < rings.size(); ++i) {
    ASSERT_EQ(rings.range_m()[i], (rings.ring()[i] % 2 == 0 ? wanted : half).range_m()[i]);
  }
}

/// Errors of deviation 0.1 m of neighbours `across` columns apart, multiplied; wrapping around.
double product_of_neighbours(const Frame& f, std::uint32_t across, std::uint32_t first, std::uint32_t count) {
  double sum = 0;
  const auto error = [&](std::size_t i) { return double{f.range_m()[i]} - double{f.clean_range_m()[i]}; };
  for (std::size_t v = 0; v < f.rows(); ++v) {
    for (std::uint32_t u = first; u < first + count; ++u) {
      sum += error(v * f.cols() + u) * error(v * f.cols() + (u + across) % f.cols());
    }
  }
  constexpr double kStddevM = 0.1;
  return sum / f.rows() / count / (kStddevM * kStddevM);
}

TEST(Correlation, OfALidarFollowsRingsAndClosesWithTheTurn) {
  // Rings that the frame sorts: rows are the frame's, in any order of casting.
  SpinningLidar lidar = make_lidar(128, 200);
  const Correlation c{.across_px = 4};
  const auto frame = [&] {
    return render_once(make_room_scene(), make_sensor(lidar, {{DistanceNoise{.stddev_m = 0.1F}, c}}));
  };
  const Frame turn = frame();
  EXPECT_NEAR(product_of_neighbours(turn, 1, 0, 199), std::exp(-1.0 / 64), 0.1);
  EXPECT_NEAR(product_of_neighbours(turn, 1, 199, 1), std::exp(-1.0 / 64), 0.6);
  EXPECT_NEAR(product_of_neighbours(turn, 100, 0, 200), 0, 0.1);
  lidar.span_rad = 3;
  EXPECT_NEAR(product_of_neighbours(frame(), 1, 199, 1), 0, 0.5);
}

TEST(Correlation, LosesItsShareOfTheAreaInBlobs) {
  constexpr float kShare = 0.2F;
  const auto counts = [&](const Correlation& c) {
    Simulator simulator(make_room_scene(), kOptions);
    const SensorId id = simulator.add_sensor(stereo_with({{Dropout{.probability = kShare}, c}}, 200, 150));
    Frame f({Channel::kReason});
    std::array<double, 2> lost = {};  // pixels, and those whose right neighbour is lost as well
    for (std::uint32_t k = 0; k < 40; ++k) {
      simulator.render(id, k, f);
      for (std::size_t i = 0; i + 1 < f.size(); ++i) {
        if (f.reason()[i] != Reason::kDropout) continue;
        ++lost[0], lost[1] += f.reason()[i + 1] == Reason::kDropout ? 1 : 0;
      }
    }
    return std::array{lost[0] / (40.0 * 200 * 150), lost[1] / lost[0]};
  };
  const auto white = counts({}), blobs = counts({.across_px = 3, .down_px = 3});
  EXPECT_NEAR(white[0], double{kShare}, 0.002);
  EXPECT_NEAR(white[1], double{kShare}, 0.005);
  EXPECT_NEAR(blobs[0], double{kShare}, 0.012);  // 40 frames of about 270 areas of correlation
  EXPECT_GT(blobs[1], 0.75);
}

/// By angles alone each pixel of a plane may be at an edge.
TEST(Correlation, ReachesTheLossAtEdges) {
  const EdgeLoss loss{
      .min_angle_rad = 0.01F, .low_probability = 0.5F, .high_probability = 0.5F, .law = EdgeLaw::kAngle};
  const auto agreement = [&](const Correlation& c) {
    Simulator simulator(make_plane_scene({3, 0.4}), kOptions);
    const SensorId id = simulator.add_sensor(stereo_with({{loss, c}}, 120, 90));
    Frame f({Channel::kReason});
    double same = 0, count = 0;
    for (std::uint32_t k = 0; k < 10; ++k) {
      simulator.render(id, k, f);
      for (std::size_t v = 1; v + 1 < f.rows(); ++v) {
        for (std::size_t u = 1; u + 2 < f.cols(); ++u) {
          same += f.reason()[v * 120 + u] == f.reason()[v * 120 + u + 1] ? 1 : 0, ++count;
        }
      }
    }
    return same / count;
  };
  EXPECT_NEAR(agreement({}), 0.5, 0.02);
  // P(both or neither) of two normals of correlation r is 1/2 + asin(r) / pi.
  EXPECT_NEAR(agreement({.across_px = 2}), 0.5 + std::asin(std::exp(-1.0 / 16)) / std::numbers::pi, 0.02);
}

/// A model of the user's own that draws both kinds of numbers.
struct Shift {
  float scale_m = 0.0F;
  static constexpr std::string_view kSlug = "shift";
  static constexpr std::string_view kDoc = "Moves by a normal and a uniform.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.normals = 1, .uniforms = 1};
  static constexpr auto fields() {
    return std::array<Field<Shift>, 1>{{{"scale_m", "m", &Shift::scale_m, 0, 10, "size"}}};
  }
  [[nodiscard]] constexpr bool is_identity() const { return scale_m == 0.0F; }
  FATHOM_KERNEL static Return apply(const Shift& p, Return hit, const Draws<kDraws>& d) {
    return move_radially(hit, p.scale_m * (d.uniform[0] < 0.5F ? d.normal[0] : 0.0F));
  }
};

TEST(Correlation, WorksForAModelOfTheUsersOwn) {
  const auto frame = [](const Correlation& c) {
    return render_once(make_room_scene(), make_sensor(make_lidar(128, 200), {{Shift{.scale_m = 0.1F}, c}}));
  };
  const Frame white = frame({}), smooth = frame({.across_px = 4});
  EXPECT_NEAR(product_of_neighbours(white, 0, 0, 200), 0.5, 0.05);
  EXPECT_NEAR(product_of_neighbours(smooth, 0, 0, 200), 0.5, 0.1);
  EXPECT_NEAR(product_of_neighbours(white, 1, 0, 200), 0.0, 0.05);
  EXPECT_GT(product_of_neighbours(smooth, 1, 0, 200), 0.35);
}

TEST(Correlation, FollowsTheClockOfTheSensor) {
  // Two rates that meet at the same instant have the same draws there; a fixed pattern has them always.
  const auto frame = [](double time_s, double rate_hz, std::uint32_t index) {
    const Sensor sensor = stereo_with({{DistanceNoise{.stddev_m = 0.1F}, Correlation{.down_px = 1, .time_s = time_s}}});
    return render_once(make_room_scene(), sensor, all_channels(), {.seed = 3, .rate_hz = rate_hz}, index);
  };
  EXPECT_EQ(channels_that_differ(frame(0.3, 10, 4), frame(0.3, 20, 8)), "");
  EXPECT_NE(channels_that_differ(frame(0.3, 10, 4), frame(0.3, 10, 8)), "");
  EXPECT_EQ(channels_that_differ(frame(kInf, 10, 4), frame(kInf, 10, 800)), "");
  EXPECT_NE(channels_that_differ(frame(0, 10, 4), frame(0, 10, 5)), "");
}

TEST(Correlation, RefusesWhatMakesNoSense) {
  const auto refusal = [](const SensorModel& model, const Noise& noise, const Correlation& c) {
    Simulator simulator(make_room_scene(), kOptions);
    return input_error([&] { simulator.add_sensor(make_sensor(model, {{noise, c}})); });
  };
  const SpinningLidar lidar = make_lidar(4, 36);
  const Noise distance = DistanceNoise{};
  EXPECT_EQ(refusal(lidar, distance, {.across_px = 65}),
            "sensor 'lidar': correlation.across_px = 65 is not in [0, 64] px");
  EXPECT_EQ(refusal(lidar, distance, {.down_px = -1}), "sensor 'lidar': correlation.down_px = -1 is not in [0, 64] px");
  EXPECT_EQ(refusal(lidar, distance, {.across_px = static_cast<float>(kNan)}),
            "sensor 'lidar': correlation.across_px = nan is not in [0, 64] px");
  EXPECT_EQ(refusal(lidar, distance, {.time_s = kNan}),
            "sensor 'lidar': correlation.time_s = nan is not in [0, inf] s");
  EXPECT_EQ(refusal(lidar, distance, {.time_s = 1e-9}),
            "sensor 'lidar': correlation.time_s = 1e-09 is neither 0 nor at least 1e-06 s");
  EXPECT_NE(refusal(lidar, distance, {.shape = static_cast<CorrelationShape>(7)}), "");
  EXPECT_EQ(refusal(lidar, GainBias{.gain = 0.1F}, {.across_px = 1}),
            "sensor 'lidar': correlation: gain_bias draws no random numbers");
  EXPECT_EQ(refusal(small_rosette(), distance, {.time_s = 1}),
            "sensor 'lidar': correlation: it needs a sensor whose rays lie in rows and columns, the same ones in every "
            "frame");
  EXPECT_EQ(refusal(lidar, distance, {.across_px = 6}),
            "sensor 'lidar': correlation.across_px = 6 is summed over 37 columns; a turn of the sensor has 36");
  EXPECT_EQ(refusal(lidar, distance, {.across_px = 5}), "");
  EXPECT_EQ(refusal(lidar, distance, {.across_px = 5, .shape = CorrelationShape::kExponential}),
            "sensor 'lidar': correlation.across_px = 5 is summed over 64 columns; a turn of the sensor has 36");
  EXPECT_EQ(refusal(PinholeCamera::from_fov(36, 8, 1), distance, {.across_px = 64, .down_px = 64, .time_s = kInf}), "");
}

}  // namespace
}  // namespace fathom::test
