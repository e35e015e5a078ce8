// SPDX-License-Identifier: MIT
// Rays that diverge, and several returns of each.

#include "render/any_sensors.hpp"
#include "support/brute_caster.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

constexpr Divergence kWide = {.horizontal_rad = 0.02F, .vertical_rad = 0.02F, .profile = BeamProfile::kUniform};
const ReturnChoices kDual = {ReturnChoice::kStrongest, ReturnChoice::kLast};

Sensor make_dual(Sensor sensor, const Divergence& divergence = kWide, ReturnChoices returns = kDual) {
  sensor.divergence = divergence;
  sensor.returns = std::move(returns);
  return sensor;
}

/// One ray along x.
RayPattern one_ray() {
  RayPattern ray;
  ray.rows = ray.cols = 1;
  ray.direction_x = {1}, ray.direction_y = ray.direction_z = {0};
  ray.min_range_m = {0.1F}, ray.max_range_m = {100};
  return ray;
}

/// A wall across x at each range, above the height `low_m`.
Scene make_walls(const std::vector<std::pair<double, double>>& range_and_low_m) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}));
  for (const auto& [range_m, low_m] : range_and_low_m) {
    scene.add_entity({.name = "wall " + std::to_string(scene.entities().size()),
                      .mesh = box,
                      .parent_from_entity = Pose{{range_m + 0.005, 0, low_m + 10}, {}},
                      .scale = {0.01, 40, 20}});
  }
  return scene;
}

TEST(Returns, WithoutDivergenceTheNameOfTheReturnChangesNoBit) {
  const Sensor plain = make_sensor(make_lidar(), three_gaussians());
  const Frame wanted = render_once(make_room_scene(), plain);
  for (const ReturnChoice choice : {ReturnChoice::kFirst, ReturnChoice::kLast, ReturnChoice::kStrongest}) {
    Sensor sensor = plain;
    sensor.returns = {choice};
    EXPECT_EQ(channels_that_differ(wanted, render_once(make_room_scene(), sensor)), "");
  }
}

TEST(Returns, HalfTheConeOnAnEdgeGivesTwoReturnsOfHalfTheEnergy) {
  for (const BeamProfile profile : {BeamProfile::kUniform, BeamProfile::kGaussian}) {
    const Divergence divergence = {.horizontal_rad = 0.02F, .vertical_rad = 0.02F, .profile = profile};
    const Scene scene = make_walls({{5, 1e-4}, {9, -10}});
    const Sensor sensor = make_dual(make_sensor(one_ray()), divergence, {ReturnChoice::kFirst, ReturnChoice::kLast});
    const Frame f = render_once(scene, sensor);
    ASSERT_EQ(f.returns(), 2U);
    ASSERT_EQ(f.size(), 2U);
    EXPECT_NEAR(f.range_m()[0], 5.0, 1e-3);
    EXPECT_NEAR(f.range_m()[1], 9.0, 1e-3);
    EXPECT_EQ(f.entity_id()[0], 0U);
    EXPECT_EQ(f.entity_id()[1], 1U);
    // The edge passes through a sample of each cone and the centre, which lie below: 9 of 19 samples lie above it.
    EXPECT_NEAR(f.intensity()[0], 0.5, 0.06);
    EXPECT_NEAR(f.intensity()[1], 0.5, 0.06);
    EXPECT_NEAR(f.intensity()[0] + f.intensity()[1], 1.0, 1e-3);
  }
}

TEST(Returns, ASlantedPlaneIsOneReturnWithinItsFootprint) {
  Scene scene;
  const MeshId plane = scene.add_mesh(make_plane(40, 40));
  scene.add_entity({.name = "floor", .mesh = plane, .parent_from_entity = Pose{{0, 0, -1}, {}}});
  RayPattern ray = one_ray();
  ray.direction_x = {0.8F}, ray.direction_z = {-0.6F};
  const Frame f = render_once(scene, make_dual(make_sensor(ray), {.horizontal_rad = 0.02F, .vertical_rad = 0.02F}));
  const double slant = std::asin(0.6);
  EXPECT_GT(f.range_m()[0], 1.0 / std::sin(slant + 0.01));
  EXPECT_LT(f.range_m()[0], 1.0 / std::sin(slant - 0.01));
  EXPECT_NEAR(f.intensity()[0], 0.6, 0.01);
  EXPECT_EQ(f.reason()[1], Reason::kNoFurtherReturn);
  EXPECT_TRUE(std::isnan(f.range_m()[1]));
  EXPECT_TRUE(std::isinf(f.clean_range_m()[1]));
  EXPECT_EQ(f.intensity()[1], 0.0F);
}

TEST(Returns, ThatAnEarlierOneHasAlreadyAreReportedAsTheSensorChooses) {
  const auto range_of = [](CoincidingReturn coinciding, const std::vector<std::pair<double, double>>& walls) {
    Sensor sensor = make_dual(make_sensor(one_ray()), kWide, {ReturnChoice::kLast, ReturnChoice::kStrongest});
    sensor.coinciding = coinciding;
    const Frame f = render_once(make_walls(walls), sensor);
    EXPECT_NEAR(f.range_m()[0], 9.0, 1e-3);  // a wall behind a low one, which has less of the cone
    EXPECT_EQ(f.reason()[1], std::isnan(f.range_m()[1]) ? Reason::kNoFurtherReturn : Reason::kHit);
    return std::isnan(f.range_m()[1]) ? 0.0F : std::round(f.range_m()[1]);
  };
  const std::vector<std::pair<double, double>> two = {{5, 0.02}, {9, -10}}, one = {{9, -10}};
  EXPECT_EQ(range_of(CoincidingReturn::kNext, two), 5.0F);
  EXPECT_EQ(range_of(CoincidingReturn::kNext, one), 0.0F);
  EXPECT_EQ(range_of(CoincidingReturn::kNextOrRepeat, two), 5.0F);
  EXPECT_EQ(range_of(CoincidingReturn::kNextOrRepeat, one), 9.0F);
  EXPECT_EQ(range_of(CoincidingReturn::kRepeat, two), 9.0F);
  EXPECT_EQ(range_of(CoincidingReturn::kRepeat, one), 9.0F);
  EXPECT_EQ(range_of(CoincidingReturn::kBlank, two), 0.0F);
  EXPECT_EQ(range_of(CoincidingReturn::kBlank, one), 0.0F);
}

TEST(Returns, SurfacesNearerToEachOtherThanTheSeparationAreOne) {
  const Scene scene = make_walls({{5, 1e-4}, {5.5, -10}});
  Divergence divergence = kWide;
  divergence.separation_m = 0.6F;
  const Frame one = render_once(scene, make_dual(make_sensor(one_ray()), divergence));
  EXPECT_GT(one.range_m()[0], 5.1F);
  EXPECT_LT(one.range_m()[0], 5.4F);
  EXPECT_NEAR(one.range_m()[0],
              5.0 + 0.5 * (1.0 - render_once(scene, make_dual(make_sensor(one_ray()),
                                                              {.horizontal_rad = 0.02F,
                                                               .vertical_rad = 0.02F,
                                                               .profile = BeamProfile::kUniform,
                                                               .separation_m = 0.4F},
                                                              {ReturnChoice::kFirst, ReturnChoice::kLast}))
                                     .intensity()[0]),
              2e-3);
  EXPECT_EQ(one.reason()[1], Reason::kNoFurtherReturn);
  divergence.separation_m = 0.4F;
  const Frame two = render_once(scene, make_dual(make_sensor(one_ray()), divergence));
  EXPECT_NEAR(two.range_m()[0] + two.range_m()[1], 10.5, 1e-3);
}

TEST(Returns, WithNothingInTheWayAllAreMisses) {
  const Frame f = render_once(make_walls({}), make_dual(make_sensor(one_ray())));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(f.reason()[k], Reason::kMiss);
    EXPECT_EQ(f.entity_id()[k], index(kNoEntity));
  }
}

TEST(Returns, LimitsOfRangeHoldForEach) {
  RayPattern ray = one_ray();
  ray.max_range_m = {7};
  const Scene scene = make_walls({{5, 1e-4}, {9, -10}});
  const Frame f = render_once(scene, make_dual(make_sensor(ray)));
  EXPECT_NEAR(f.range_m()[0], 5.0, 1e-3);
  EXPECT_EQ(f.reason()[1], Reason::kNoFurtherReturn);
  ray.max_range_m = {4};
  const Frame none = render_once(scene, make_dual(make_sensor(ray)));
  EXPECT_EQ(none.reason()[0], Reason::kAboveMaxRange);
}

/// The samples of a ray by the text of sensor/returns.hpp, in double precision.
std::vector<Vec3> plain_samples(const Vec3& d, const Divergence& divergence) {
  const Vec3 level = cross(Vec3{0, 0, 1}, d), across = (1.0 / norm(level)) * level, up = cross(d, across);
  std::vector<Vec3> samples = {d};
  for (int cone = 3; cone > 0; --cone) {
    for (int k = 0; k < 19; ++k) {
      const double phi = 2 * M_PI * (k + (cone == 2 ? 0.5 : 0.0)) / 19;
      const double x = 0.5 * divergence.horizontal_rad * cone / 3.0 * std::cos(phi);
      const double y = -0.5 * divergence.vertical_rad * cone / 3.0 * std::sin(phi);
      samples.push_back(std::sin(x) * across + std::cos(x) * std::sin(y) * up + std::cos(x) * std::cos(y) * d);
    }
  }
  return samples;
}

/// The echoes of a ray: means of ranges, and whether a rounding could change which there are.
struct PlainReturns {
  std::vector<double> nearest_m, farthest_m;
  std::vector<bool> met;  // [entities]
  bool is_close = false;
};
PlainReturns plain_returns(const BruteCaster& caster, const Vec3& origin, const Vec3& d, const Divergence& divergence,
                           std::size_t entities) {
  std::vector<double> ranges;
  PlainReturns out;
  out.met.resize(entities);
  for (const Vec3& sample : plain_samples(d, divergence)) {
    const BruteCaster::Hit hit = caster.cast(origin, sample);
    if (!std::isfinite(hit.range_m)) continue;
    ranges.push_back(hit.range_m);
    out.met[hit.entity] = true;
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const double gap = i == 0 ? 0.0 : ranges[i] - ranges[i - 1];
    out.is_close |= std::abs(gap - double{divergence.separation_m}) < 0.01;
    if (i == 0 || gap > double{divergence.separation_m})
      out.nearest_m.push_back(ranges[i]), out.farthest_m.push_back(0);
    out.farthest_m.back() = ranges[i];
  }
  return out;
}

TEST(Returns, AreTheSurfacesThatABruteForceConeMeets) {
  const Scene scene = make_room_scene();
  const BruteCaster brute(scene, 0.0);
  Divergence divergence = {.horizontal_rad = 0.06F, .vertical_rad = 0.03F, .separation_m = 0.3F};
  Sensor sensor = make_dual(make_sensor(make_lidar(12, 90)), divergence,
                            {ReturnChoice::kFirst, ReturnChoice::kSecond, ReturnChoice::kLast});
  const Frame f = render_once(scene, sensor);
  const RayPattern rays = make_pattern(sensor.model);
  std::size_t compared = 0, several = 0, odd = 0;
  for (std::size_t i = 0; i < f.rays(); ++i) {
    const Vec3 d = {rays.direction_x[i], rays.direction_y[i], rays.direction_z[i]};
    const PlainReturns wanted = plain_returns(brute, {}, d, divergence, scene.entities().size());
    if (wanted.is_close) continue;
    std::size_t found = 0;
    for (std::size_t k = 0; k < 3; ++k) found += f.reason()[i + k * f.rays()] == Reason::kHit ? 1 : 0;
    ++compared;
    if (found != std::min<std::size_t>(3, wanted.nearest_m.size())) {  // a sample that grazes an edge
      ++odd;
      continue;
    }
    several += found > 1 ? 1 : 0;
    const std::size_t echo_of[] = {0, 1, wanted.nearest_m.size() - 1};
    for (std::size_t k = 0; k < found; ++k) {
      const std::size_t at = i + k * f.rays(), e = found == 2 && k == 1 ? 1 : echo_of[k];
      EXPECT_GE(f.clean_range_m()[at], wanted.nearest_m[e] - 1e-4);
      EXPECT_LE(f.clean_range_m()[at], wanted.farthest_m[e] + 1e-4);
      EXPECT_TRUE(wanted.met[f.entity_id()[at]]);
      EXPECT_EQ(f.ring()[at], f.ring()[i]);
      EXPECT_EQ(f.azimuth_rad()[at], f.azimuth_rad()[i]);
    }
  }
  EXPECT_GT(compared, 800U);
  EXPECT_GT(several, 10U);
  EXPECT_LE(odd, 3U);
}

TEST(Returns, AreTheSameForAnyThreadsAndInstructionSet) {
  const Sensor sensor = make_dual(make_sensor(make_lidar(9, 70), three_gaussians()));
  const Frame wanted = render_once(make_room_scene(), sensor, all_channels(), {.seed = 7, .compute = {.threads = 1}});
  for (const Isa isa : usable_isas()) {
    for (const int threads : {1, 3}) {
      const Frame found = render_once(make_room_scene(), sensor, all_channels(),
                                      {.seed = 7, .compute = {.threads = threads, .isa = isa}});
      EXPECT_EQ(channels_that_differ(wanted, found), "") << to_string(isa) << " " << threads;
    }
  }
}

TEST(Returns, TheFirstHasTheNoiseOfASensorWithOneAndOthersTheirOwn) {
  const NoiseChain noise = {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.002F}, DistanceNoise{.stddev_m = 0.02F},
                            Dropout{.probability = 0.1F}};
  const Sensor dual = make_dual(make_sensor(make_lidar(32, 720), noise));
  const Sensor single = make_dual(dual, kWide, {ReturnChoice::kStrongest});
  const Frame two = render_once(make_room_scene(), dual), one = render_once(make_room_scene(), single);
  EXPECT_EQ(channels_that_differ(two.of_return(0), one), "");
  const Frame second = two.of_return(1);
  // Models that turn the ray act once for both; noise of the range is drawn for each.
  std::size_t pairs = 0;
  double sum = 0.0, squares = 0.0, product = 0.0;
  const Frame clean_two = render_once(make_room_scene(), make_dual(make_sensor(make_lidar(32, 720), {noise[0]})));
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one.reason()[i] != Reason::kHit || second.reason()[i] != Reason::kHit) continue;
    const double a = one.range_m()[i] - clean_two.range_m()[i];
    const double b = second.range_m()[i] - clean_two.of_return(1).range_m()[i];
    ++pairs, sum += b, squares += b * b, product += a * b;
  }
  ASSERT_GT(pairs, 100U);
  const auto n = static_cast<double>(pairs);
  EXPECT_NEAR(sum / n, 0.0, 5 * 0.02 / std::sqrt(n));
  EXPECT_NEAR(squares / n / (0.02 * 0.02), 1.0, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(product / n / (0.02 * 0.02), 0.0, 5 / std::sqrt(n));
}

TEST(Returns, CleanValuesDoNotKnowOfNoise) {
  const Sensor noisy = make_dual(make_sensor(make_lidar(), three_gaussians())),
               clean = make_dual(make_sensor(make_lidar()));
  const Frame a = render_once(make_room_scene(), noisy), b = render_once(make_room_scene(), clean);
  EXPECT_TRUE(same_bits(a.clean_range_m(), b.clean_range_m()));
  EXPECT_TRUE(same_bits(a.clean_hit_sensor_m().y, b.clean_hit_sensor_m().y));
}

TEST(Returns, AnEnvironmentAloneEqualsItselfAmongOthers) {
  Sensor sensor = make_dual(make_sensor(make_lidar(4, 40), three_gaussians()));
  const auto render = [&](std::uint32_t first, std::uint32_t count) {
    Environments batch(make_room_scene(), sensor,
                       {.simulator = {.seed = 3, .compute = {.threads = 2}}, .count = count, .first = first});
    for (std::uint32_t e = first; e < first + count; ++e) {
      batch.set_entity_pose(e, EntityId{1}, {{2.0 + 0.1 * e, 0.5, -0.5}, {}});
    }
    Frame frame(all_channels());
    batch.render(1, frame);
    return frame;
  };
  const Frame all = render(0, 5), alone = render(3, 1);
  ASSERT_EQ(all.returns(), 2U);
  ASSERT_EQ(all.rows(), 20U);
  for (std::uint32_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(same_environment(all.of_return(k), 3, alone.of_return(k), 0, 160)) << k;
  }
}

TEST(Returns, AreRefusedWhereTheyMakeNoSense) {
  const auto message = [](Sensor sensor) {
    return input_error([&] { render_once(make_room_scene(), std::move(sensor)); });
  };
  EXPECT_EQ(message(make_dual(make_sensor(make_lidar()), {})),
            "sensor 'lidar': 2 returns of each ray need a divergence: a ray that does not widen has one");
  EXPECT_EQ(
      message(make_dual(make_sensor(make_stereo(8, 6, 20.0, 0.2)), kWide, {ReturnChoice::kFirst})),
      "sensor 'lidar': a divergence is of rays that a sensor sends out; two cameras see points, each from its place");
  EXPECT_EQ(message(make_dual(make_sensor(make_lidar(), {EdgeLoss{.high_probability = 0.5F}}))),
            "sensor 'lidar': edge_loss takes one return of each ray; this sensor has 2");
  EXPECT_EQ(message(make_dual(make_sensor(make_lidar(), {EdgeLoss{.high_probability = 0.5F}}), kWide,
                              {ReturnChoice::kStrongest})),
            "");
  const BeamMixture mixture = {.w_hit = 1, .w_short = 0, .w_max = 0, .w_rand = 0, .sigma_hit_m = 0.1F};
  EXPECT_EQ(message(make_dual(make_sensor(make_lidar(), {mixture}))),
            "sensor 'lidar': beam_mixture takes one return of each ray; this sensor has 2");
}

TEST(Returns, HaveNoCorrelatedDraws) {
  Sensor sensor = make_dual(make_sensor(make_lidar()));
  sensor.noise = {DistanceNoise{.stddev_m = 0.02F}};
  sensor.noise[0].correlation.across_px = 2.0F;
  const std::string refused = "correlation: it takes one return of each ray; this sensor has 2";
  EXPECT_EQ(input_error([&] { render_once(make_room_scene(), sensor); }), "sensor 'lidar': " + refused);
  // One return of rays that diverge has them.
  EXPECT_NO_THROW(render_once(make_room_scene(), make_dual(sensor, kWide, {ReturnChoice::kStrongest})));
}

TEST(Returns, HaveTheTimesOfTheirFrame) {
  Sensor sensor = make_dual(make_sensor(make_lidar(2, 20)));
  sensor.timing = {.latency_s = 0.05, .freeze = 0.5};
  Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame({Channel::kRange});
  std::uint32_t frozen = 0;
  for (std::uint32_t k = 0; k < 40; ++k) {
    simulator.render(id, k, frame);
    const FrameTime time = simulator.frame_time(id, k);
    const Frame second = frame.of_return(1);
    EXPECT_EQ(frame.returns(), 2U);
    EXPECT_EQ(second.index(), k);
    EXPECT_EQ(second.content_index(), time.content);
    EXPECT_EQ(second.stamp_s(), time.stamp_s);
    EXPECT_EQ(second.delivered_s(), time.delivered_s);
    frozen += time.is_frozen() ? 1U : 0U;
  }
  EXPECT_GT(frozen, 0U);
}

TEST(Returns, BuffersOfTheCallersHoldAll) {
  const Sensor sensor = make_dual(make_sensor(make_lidar(2, 20)));
  Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(sensor);
  std::vector<float> range(80), points(240);
  const std::array<Frame::Buffer, 2> buffers = {
      {{Channel::kRange, range.data(), 320}, {Channel::kHitWorld, points.data(), 960}}};
  Frame frame(2, 20, buffers, Frame::Memory::kHost, {}, 2);
  simulator.render(id, 0, frame);
  const Frame own = render_once(make_room_scene(), sensor, all_channels(), {.compute = {.threads = 1}});
  EXPECT_TRUE(same_bits(frame.range_m(), own.range_m()));
  EXPECT_TRUE(same_bits(frame.hit_world_m().z, own.hit_world_m().z));
  Frame one(4, 20, buffers);
  EXPECT_THROW(simulator.render(id, 0, one), InputError);
  EXPECT_THROW(Frame(2, 20, buffers, Frame::Memory::kHost, {}, 3), InputError);
  EXPECT_THROW(static_cast<void>(own.of_return(2)), InputError);
}

}  // namespace
}  // namespace fathom::test
