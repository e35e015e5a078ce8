// SPDX-License-Identifier: MIT
// The simulator as a whole: right geometry, one cloud in two frames, the same bits whatever the schedule.

#include <fathom/simulate/simulator.hpp>

#include "render/any_sensors.hpp"
#include "support/brute_caster.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

TEST(Simulator, AgreesWithTheBruteForceCaster) {
  const Pose pose{{0.5, -0.3, 0.2}, from_roll_pitch_yaw(0.1, -0.2, 0.7)};
  const Scene scene = make_room_scene();
  const BruteCaster brute(scene, 0.0);
  const RayPattern pattern = make_pattern(make_lidar(16, 90));
  const Frame frame =
      render_once(scene, make_sensor(make_lidar(16, 90), {}, pose), all_channels(), {.compute = {.threads = 1}});
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const Vec3 direction = {pattern.direction_x[i], pattern.direction_y[i], pattern.direction_z[i]};
    const BruteCaster::Hit hit = brute.cast(pose.translation_m, rotate(pose.rotation, direction));
    ASSERT_NEAR(frame.range_m()[i], hit.range_m, 2e-6 * hit.range_m);
    ASSERT_EQ(frame.clean_range_m()[i], frame.range_m()[i]);
    ASSERT_EQ(frame.entity_id()[i], hit.entity);
    const double cosine = -dot(hit.normal, rotate(pose.rotation, direction));
    ASSERT_NEAR(frame.incidence_rad()[i], std::acos(cosine), 2e-3);
    ASSERT_NEAR(frame.intensity()[i], cosine * (hit.entity == 1 ? 0.5 : 1.0), 1e-5);
    ASSERT_NEAR(frame.normal_world().x[i], hit.normal.x, 1e-5);
  }
}

TEST(Simulator, BothCloudsAreOneCloudInTwoFrames) {
  const Pose pose{{30, -7, 2}, from_roll_pitch_yaw(0.3, 0.2, -2)};
  NoiseChain noise = three_gaussians();
  noise.push_back(Dropout{.probability = 0.1F});
  const Frame frame = render_once(make_room_scene(pose), make_sensor(make_lidar(), noise, pose));
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const Vec3 in_sensor = {frame.hit_sensor_m().x[i], frame.hit_sensor_m().y[i], frame.hit_sensor_m().z[i]};
    const Vec3 in_world = {frame.hit_world_m().x[i], frame.hit_world_m().y[i], frame.hit_world_m().z[i]};
    ASSERT_EQ(std::isnan(in_sensor.x), frame.reason()[i] != Reason::kHit);
    ASSERT_EQ(std::isnan(in_world.x), frame.reason()[i] != Reason::kHit);
    ASSERT_EQ(std::isnan(frame.range_m()[i]), frame.reason()[i] != Reason::kHit);
    if (frame.reason()[i] != Reason::kHit) continue;
    ASSERT_LT(norm(pose * in_sensor - in_world), 1e-5);
    ASSERT_NEAR(norm(in_sensor), frame.range_m()[i], 1e-5);
  }
}

TEST(Simulator, GivesTheSameBitsForAnyNumberOfThreadsAndInstructionSet) {
  NoiseChain noise = three_gaussians();
  noise.push_back(UniformNoise{.low_m = -0.01F, .high_m = 0.01F});
  noise.push_back(Dropout{.probability = 0.2F});
  const Sensor sensor = make_sensor(make_lidar(16, 1003), noise);
  const auto frame_of = [&](const Compute& compute) {
    return render_once(make_room_scene(), sensor, all_channels(), {.seed = 3, .compute = compute}, 5);
  };
  const Frame one = frame_of({.threads = 1});
  for (const int threads : {1, 2, 7}) {
    EXPECT_EQ(channels_that_differ(one, frame_of({.threads = threads})), "") << threads << " threads";
  }
  for (const Isa isa : usable_isas()) {
    EXPECT_EQ(channels_that_differ(one, frame_of({.threads = 1, .isa = isa})), "") << to_string(isa);
  }
}

TEST(Simulator, FramesSensorsAndSeedsAreIndependent) {
  const auto ranges = [](const char* name, std::uint64_t seed, std::uint32_t index) {
    const Frame f =
        render_once(make_room_scene(), make_sensor(make_lidar(), {DistanceNoise{.stddev_m = 0.1F}}, {}, name),
                    {Channel::kRange, Channel::kCleanRange}, {.seed = seed, .compute = {.threads = 1}}, index);
    std::vector<double> error;
    for (std::size_t i = 0; i < f.size(); ++i) error.push_back(f.range_m()[i] - f.clean_range_m()[i]);
    return error;
  };
  const std::vector<std::vector<double>> runs = {ranges("a", 1, 0), ranges("b", 1, 0), ranges("a", 2, 0),
                                                 ranges("a", 1, 1)};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double product = 0.0;
      for (std::size_t k = 0; k < runs[i].size(); ++k) product += runs[i][k] * runs[j][k];
      // The correlation of n independent pairs has deviation 1 / sqrt(n).
      EXPECT_LT(std::abs(product) / (0.01 * std::sqrt(double(runs[i].size()))), 4.0) << i << " with " << j;
    }
  }
  EXPECT_EQ(ranges("a", 1, 0), runs[0]);
}

TEST(Simulator, OrderOfRenderingDoesNotMatter) {
  const auto make = [] {
    auto simulator =
        std::make_unique<Simulator>(make_room_scene(), SimulatorOptions{.seed = 1, .compute = {.threads = 1}});
    simulator->add_sensor(make_sensor(make_lidar(), three_gaussians(), {}, "a"));
    simulator->add_sensor(make_sensor(make_lidar(8, 90), three_gaussians(), {{1, 1, 0}, {}}, "b"));
    return simulator;
  };
  Frame forward_a(all_channels()), backward_a(all_channels()), scratch(all_channels());
  auto forward = make(), backward = make();
  forward->render(SensorId{0}, 0, scratch);
  forward->render(SensorId{1}, 0, scratch);
  forward->render(SensorId{0}, 1, forward_a);
  backward->render(SensorId{0}, 1, backward_a);
  EXPECT_EQ(channels_that_differ(forward_a, backward_a), "");
}

TEST(Simulator, RangeGateSaysWhyAReturnIsMissing) {
  SpinningLidar lidar = make_lidar(4, 360);
  lidar.min_range_m = 4.2;
  lidar.max_range_m = 5.5;
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({12, 8, 4}));
  scene.add_entity({.name = "room", .mesh = box});
  const Frame frame = render_once(scene, make_sensor(lidar));
  const auto counts = frame.count_reasons();
  std::size_t below = 0, above = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const float clean = frame.clean_range_m()[i];
    below += clean<4.2F, above += clean> 5.5F;
    EXPECT_EQ(frame.entity_id()[i], 0U);
  }
  EXPECT_EQ(counts[static_cast<std::size_t>(Reason::kBelowMinRange)], below);
  EXPECT_EQ(counts[static_cast<std::size_t>(Reason::kAboveMaxRange)], above);
  EXPECT_GT(below, 0U);
  EXPECT_GT(above, 0U);
  EXPECT_EQ(counts[static_cast<std::size_t>(Reason::kHit)] + below + above, frame.size());
}

TEST(Simulator, NearHitsAreLostAndNotReportedAtTheMinimumRange) {
  SpinningLidar lidar = make_lidar(4, 36);
  lidar.min_range_m = 50.0;
  const Frame frame = render_once(make_room_scene(), make_sensor(lidar));
  for (std::size_t i = 0; i < frame.size(); ++i) EXPECT_TRUE(std::isnan(frame.range_m()[i]));
}

TEST(Simulator, MissesStayMissesUnderEveryNoise) {
  Scene scene;
  scene.add_entity({.name = "wall",
                    .mesh = scene.add_mesh(make_plane(2, 2)),
                    .parent_from_entity = Pose{{3, 0, 0}, from_roll_pitch_yaw(0, 1.5707963, 0)}});
  const Frame clean = render_once(scene, make_sensor(make_lidar()));
  const Frame noisy =
      render_once(scene, make_sensor(make_lidar(), {AngularHit{.stddev_rad = 0.1F}, DistanceNoise{.stddev_m = 1.0F},
                                                    UniformNoise{.low_m = 1, .high_m = 2}}));
  std::size_t misses = 0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if (clean.reason()[i] != Reason::kMiss) continue;
    ++misses;
    ASSERT_EQ(noisy.reason()[i], Reason::kMiss);
    ASSERT_TRUE(std::isnan(noisy.range_m()[i]));
    ASSERT_EQ(noisy.clean_range_m()[i], math::kInfinity);
    ASSERT_EQ(noisy.entity_id()[i], index(kNoEntity));
    ASSERT_EQ(noisy.intensity()[i], 0.0F);
  }
  EXPECT_GT(misses, clean.size() / 2);
}

TEST(Simulator, CleanArraysDoNotChangeWhenNoiseIsOn) {
  const Frame clean = render_once(make_room_scene(), make_sensor(make_lidar()));
  NoiseChain noise = three_gaussians();
  noise.push_back(Dropout{.probability = 0.5F});
  const Frame noisy = render_once(make_room_scene(), make_sensor(make_lidar(), noise));
  EXPECT_TRUE(same_bits(clean.clean_range_m(), noisy.clean_range_m()));
  const Frame no_ray_noise = render_once(make_room_scene(), make_sensor(make_lidar(), {noise[1], noise[2], noise[3]}));
  EXPECT_TRUE(same_bits(clean.entity_id(), no_ray_noise.entity_id()));
  EXPECT_TRUE(same_bits(clean.incidence_rad(), no_ray_noise.incidence_rad()));
  EXPECT_TRUE(same_bits(clean.azimuth_rad(), no_ray_noise.azimuth_rad()));
}

TEST(Simulator, IdentityNoiseChangesNoBit) {
  const Frame clean = render_once(make_room_scene(), make_sensor(make_lidar()));
  const Frame same =
      render_once(make_room_scene(),
                  make_sensor(make_lidar(), {AngularRay{}, AngularHit{}, DistanceNoise{}, UniformNoise{}, Dropout{}}));
  EXPECT_EQ(channels_that_differ(clean, same), "");
}

TEST(Simulator, OnlyChannelsAskedForAreThere) {
  const Frame frame = render_once(make_room_scene(), make_sensor(make_lidar()), {Channel::kRange});
  EXPECT_EQ(frame.range_m().size(), frame.size());
  EXPECT_THROW(static_cast<void>(frame.reason()), InputError);
  EXPECT_THROW(static_cast<void>(frame.hit_world_m()), InputError);
}

TEST(Simulator, RangeDoesNotDependOnTheOtherChannelsAskedFor) {
  const Sensor sensor = make_sensor(make_lidar(), three_gaussians());
  const Frame few = render_once(make_room_scene(), sensor, {Channel::kRange});
  const Frame all = render_once(make_room_scene(), sensor, all_channels());
  EXPECT_TRUE(same_bits(few.range_m(), all.range_m()));
}

TEST(Simulator, RangePolicyDecidesWhatNoiseCarriedOutside) {
  SpinningLidar lidar = make_lidar();
  lidar.min_range_m = 1.0;
  lidar.max_range_m = 5.0;
  Sensor sensor = make_sensor(lidar, {DistanceNoise{.stddev_m = 2.0F}});
  const Frame keep = render_once(make_room_scene(), sensor);
  sensor.range_policy = RangePolicy::kClamp;
  const Frame clamp = render_once(make_room_scene(), sensor);
  sensor.range_policy = RangePolicy::kDrop;
  const Frame drop = render_once(make_room_scene(), sensor);
  std::size_t outside = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep.reason()[i] != Reason::kHit) continue;
    const float range = keep.range_m()[i];
    const bool low = range<1.0F, high = range> 5.0F;
    outside += low || high;
    ASSERT_EQ(clamp.range_m()[i], low ? 1.0F : high ? 5.0F : range);
    ASSERT_EQ(drop.reason()[i], low ? Reason::kBelowMinRange : high ? Reason::kAboveMaxRange : Reason::kHit);
    const Vec3 p = {clamp.hit_sensor_m().x[i], clamp.hit_sensor_m().y[i], clamp.hit_sensor_m().z[i]};
    ASSERT_NEAR(norm(p), clamp.range_m()[i], 1e-5);
  }
  EXPECT_GT(outside, 100U);
}

TEST(Simulator, MovingEntityIsWhereItsKeysSay) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}));
  scene.add_entity({.name = "cart",
                    .mesh = box,
                    .parent_from_entity = Trajectory({{0.0, {{3, 0, 0}, {}}}, {1.0, {{13, 0, 0}, {}}}})});
  Simulator simulator(std::move(scene), {.compute = {.threads = 1}, .rate_hz = 10.0});
  Laser2d laser;
  laser.rays = 1;
  laser.max_range_m = 100;
  const SensorId id = simulator.add_sensor(make_sensor(laser));
  Frame frame({Channel::kRange});
  for (const std::uint32_t index : {0U, 5U, 10U, 3U}) {
    simulator.render(id, index, frame);
    EXPECT_NEAR(frame.range_m()[0], 2.5 + index, 1e-5);
  }
}

TEST(Simulator, SensorRidesOnItsEntityAndItsParent) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({0.1, 0.1, 0.1}));
  const EntityId base = scene.add_entity({.name = "base", .mesh = box, .parent_from_entity = Pose{{0, 0, -5}, {}}});
  const EntityId mast =
      scene.add_entity({.name = "mast", .mesh = box, .parent_from_entity = Pose{{0, 0, 1}, {}}, .parent = base});
  scene.add_entity({.name = "wall", .mesh = box, .parent_from_entity = Pose{{4, 0, -3}, {}}, .scale = {1, 100, 100}});
  Simulator simulator(std::move(scene), {.compute = {.threads = 1}});
  Laser2d laser;
  laser.rays = 1;
  laser.max_range_m = 100;
  Sensor sensor = make_sensor(laser, {}, {{0.5, 0, 1}, {}});
  sensor.parent = mast;
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame({Channel::kRange, Channel::kHitWorld});
  simulator.render(id, 0, frame);
  EXPECT_NEAR(frame.range_m()[0], 3.45, 1e-5);
  EXPECT_NEAR(frame.hit_world_m().z[0], -3.0, 1e-5);
  simulator.scene().set_pose(base, {{1, 0, -5}, {}});
  simulator.render(id, 0, frame);
  EXPECT_NEAR(frame.range_m()[0], 2.45, 1e-5);
  EXPECT_NEAR(simulator.world_from_sensor(id, 0).translation_m.x, 1.5, 1e-12);
}

TEST(Simulator, FarFromTheOriginRangesStayRight) {
  for (const double away : {300.0, 3e3, 1e5, 1e7}) {
    const Pose at{{away, -away, 0}, from_roll_pitch_yaw(0, 0, 1)};
    const Frame here = render_once(make_room_scene(), make_sensor(make_lidar()));
    const Frame there = render_once(make_room_scene(at), make_sensor(make_lidar(), {}, at));
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (here.entity_id()[i] != there.entity_id()[i]) continue;  // a silhouette may fall to either side
      ASSERT_NEAR(here.range_m()[i], there.range_m()[i], 3e-4 / std::cos(here.incidence_rad()[i])) << away;
    }
  }
}

TEST(Simulator, BadSensorsAndOptionsAreRefusedByName) {
  const auto add = [](Sensor s) {
    Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
    simulator.add_sensor(std::move(s));
  };
  EXPECT_EQ(input_error([&] { add(make_sensor(make_lidar(), {}, {}, "")); }), "a sensor needs a name");
  Sensor lost = make_sensor(make_lidar());
  lost.parent = EntityId{3};
  EXPECT_EQ(input_error([&] { add(lost); }), "sensor 'lidar': entity 3 is not in [0, 3)");
  EXPECT_TRUE(contains(input_error([&] { add(make_sensor(make_lidar(16, 0))); }), "columns = 0"));
  EXPECT_EQ(input_error([] { Simulator(Scene(), {.compute = {.threads = -1}}); }), "threads = -1 is not in [0, 1024]");
  EXPECT_EQ(input_error([] { Simulator(Scene(), {.rate_hz = std::nan("")}); }), "rate_hz = nan is not in (0, 1e6] Hz");
  EXPECT_EQ(input_error([] { Simulator(Scene(), {.start_s = std::nan("")}); }), "start_s is not finite");
  EXPECT_EQ(input_error([] {
              Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
              simulator.add_sensor(make_sensor(make_lidar()));
              simulator.add_sensor(make_sensor(make_lidar()));
            }),
            "sensor 'lidar': the name is taken");
}

TEST(Simulator, AnEmptySceneGivesOnlyMisses) {
  const Frame frame = render_once(Scene(), make_sensor(make_lidar(), three_gaussians()));
  EXPECT_EQ(frame.count_reasons()[static_cast<std::size_t>(Reason::kMiss)], frame.size());
}

RC_GTEST_PROP(Simulator, AnyShapeOfPatternComesBackWhole, ()) {
  RayPattern pattern;
  pattern.rows = *rc::gen::inRange(1, 40);
  pattern.cols = *rc::gen::inRange(1, 70);
  pattern.min_range_m = {0.0F};
  pattern.max_range_m = {100.0F};
  const std::size_t n = std::size_t{pattern.rows} * pattern.cols;
  for (std::size_t i = 0; i < n; ++i) {
    const double azimuth = 0.01 * static_cast<double>(i);
    pattern.direction_x.push_back(static_cast<float>(std::cos(azimuth)));
    pattern.direction_y.push_back(static_cast<float>(std::sin(azimuth)));
    pattern.direction_z.push_back(0.0F);
  }
  const Frame frame = render_once(make_room_scene(), make_sensor(pattern));
  RC_ASSERT(frame.size() == n);
  for (std::size_t i = 0; i < n; ++i) {
    RC_ASSERT(frame.reason()[i] == Reason::kHit);
    const float expected = std::atan2(pattern.direction_y[i], pattern.direction_x[i]);
    RC_ASSERT(std::abs(frame.azimuth_rad()[i] - expected) < 1e-6F);
  }
}

}  // namespace
}  // namespace fathom::test
