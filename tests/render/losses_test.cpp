// SPDX-License-Identifier: MIT
// Losses in frames: at their limits, in their order, and of ranges that are no measurement.

#include <fathom/noise/loss_angle.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "render/stereo_scenes.hpp"

namespace fathom::test {

// Losses at the very edge of their thresholds and limits, rendered; of the kernels alone: tests/sensor/noise.

namespace {

// The array of energies is what decided, whatever the entries.
TEST(LossLimits, TheArrayOfEnergiesIsWhatDecided) {
  for (const auto energy : {EnergyAngle::kCosine, EnergyAngle::kHalfVector}) {
    const auto with_least = [&](float least) { return StereoEnergy{.min_energy = least, .pow = 2, .energy = energy}; };
    Sensor sensor = make_sensor(make_stereo(120, 90, 60, 0.8), {with_least(0.4F), with_least(0.2F)});
    sensor.noise[0].by_entity = {{EntityId{1}, with_least(0.7F)}, {EntityId{2}, with_least(0.1F)}};
    const Frame f = render_once(make_room_scene(), sensor);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const float least = f.entity_id()[i] == 1 ? 0.7F : f.entity_id()[i] == 2 ? 0.2F : 0.4F;
      if (f.energy()[i] > least) {
        ASSERT_NE(f.reason()[i], Reason::kLowEnergy) << i;
      } else {
        ASSERT_NE(f.reason()[i], Reason::kHit) << i;  // or lost by chance to the model before
      }
    }
    EXPECT_GT(count_of(f, Reason::kLowEnergy), 100U);
  }
}

TEST(LossLimits, OneChainReadsTheEnergyInOneWay) {
  const StereoEnergy cosine{.energy = EnergyAngle::kCosine}, half{.energy = EnergyAngle::kHalfVector};
  const auto refusal = [](const Sensor& sensor) {
    Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
    return input_error([&] { simulator.add_sensor(sensor); });
  };
  const std::string two =
      "sensor 'lidar': stereo_energy.energy differs from that of another one in the chain; the energy array has one "
      "reading";
  EXPECT_EQ(refusal(make_sensor(make_stereo(8, 8, 8, 0.1), {cosine, half})), two);
  EXPECT_EQ(refusal(make_sensor(make_stereo(8, 8, 8, 0.1), {half, LossAngle{}, cosine})), two);
  Sensor rows = make_sensor(make_stereo(8, 8, 8, 0.1), {half});
  rows.noise[0].by_entity = {{EntityId{1}, cosine}};
  EXPECT_EQ(refusal(rows),
            "sensor 'lidar': by_entity: stereo_energy.energy cannot differ by entity; the energy array has one "
            "reading");
  rows.noise[0].by_entity = {};
  rows.noise[0].by_ring = {{1, cosine}};
  EXPECT_EQ(refusal(rows),
            "sensor 'lidar': by_ring: stereo_energy.energy cannot differ by ring; the energy array has one "
            "reading");
}

/// Sensors whose rays start at one point.
std::vector<SensorModel> sensors_with_one_origin() {
  SpinningLidar lidar = test::make_lidar(16, 4000);
  Laser2d laser;
  laser.rays = 8000, laser.min_azimuth_rad = -1.5, laser.max_azimuth_rad = 1.5, laser.max_range_m = 1000;
  lidar.max_range_m = 1000;
  DepthCamera depth;
  depth.width = 400, depth.height = 40, depth.fx = 150, depth.max_range_m = 1000;
  PinholeCamera pinhole = PinholeCamera::from_fov(400, 40, 2.0);
  pinhole.max_range_m = 1000;
  Rosette rosette;
  rosette.points = 8000, rosette.field_of_view_rad = 2.5, rosette.prism1_hz = 100.3, rosette.prism2_hz = -37.7;
  rosette.points_per_s = 1e5, rosette.max_range_m = 1000;
  return {lidar, laser, depth, pinhole, rosette, make_stereo(400, 40, 150, 0.05)};
}

// The threshold from both sides: no ray farther from it than rounding is on the wrong one.
TEST(LossLimits, TheLossAngleIsExactOnEverySensor) {
  constexpr double kRounding = 2e-7;  // of the cosine
  for (const SensorModel& model : sensors_with_one_origin()) {
    for (const double limit_deg : {10.0, 45.0, 60.0, 85.0}) {
      const float limit = static_cast<float>(limit_deg * kDeg);
      const double least = std::cos(double{limit});
      const TiltedPlane plane{2.0, 0.9 * double{limit}};
      const Frame f = render_once(make_plane_scene(plane), make_sensor(model, {LossAngle{.max_incidence_rad = limit}}));
      const RayPattern pattern = make_pattern(model);
      std::size_t near_lost = 0, near_kept = 0;
      for (std::size_t i = 0; i < f.size(); ++i) {
        const double cosine = -dot(plane.normal(), direction_of(pattern, i));
        if (f.entity_id()[i] == index(kNoEntity) || std::abs(cosine - least) < kRounding) continue;
        ASSERT_EQ(f.reason()[i], cosine < least ? Reason::kLossAngle : Reason::kHit) << model.index() << " " << cosine;
        if (std::abs(cosine - least) < 1e-2) (cosine < least ? near_lost : near_kept) += 1;
      }
      EXPECT_GT(near_lost, 0U) << model.index() << " " << limit_deg;
      EXPECT_GT(near_kept, 0U) << model.index() << " " << limit_deg;
    }
  }
}

// The grid scanner's rays are parallel, so each plane meets them at one incidence.
TEST(LossLimits, TheLossAngleIsExactForParallelRays) {
  GridScanner grid;
  grid.size_x_m = 1.6, grid.size_y_m = 1.0, grid.start_height_m = 5;
  for (const double degrees : {20.0, 45.0, 60.0, 80.0}) {
    Scene scene;
    scene.add_entity({.name = "slope",
                      .mesh = scene.add_mesh(make_plane(50, 50)),
                      .parent_from_entity = Pose{{0, 0, 0}, from_roll_pitch_yaw(degrees * kDeg, 0, 0.4)}});
    const double rounding = 3e-7 / std::sin(degrees * kDeg);
    const auto lost = [&](double limit_rad) {
      const LossAngle model{.max_incidence_rad = static_cast<float>(limit_rad)};
      return count_of(render_once(scene, make_sensor(grid, {model}, Pose{{0, 0, 20}, {}})), Reason::kLossAngle);
    };
    EXPECT_EQ(lost(degrees * kDeg + rounding), 0U) << degrees;
    EXPECT_EQ(lost(degrees * kDeg - rounding), 17U * 11U) << degrees;
  }
}

// The order within a frame: ray noise, cast, range gate, angle loss, shadow, energy, edges, hit noise, range noise,
// range policy, dropout, whatever the order of the chain.

constexpr float kAngleLimit = 0.9F, kLeastEnergy = 0.75F;

// Models that leave nothing to chance: with min_energy above 0.5, X < 0 wherever E > min_energy.
NoiseChain certain_losses() {
  return {LossAngle{.max_incidence_rad = kAngleLimit}, StereoShadow{}, StereoEnergy{.min_energy = kLeastEnergy},
          Dropout{.probability = 1}};
}

TEST(Order, OfLossesIsFixedWhateverTheOrderOfTheChain) {
  const StereoCamera camera = make_stereo(120, 90, 60, 0.5);
  const Frame clean = render_once(make_room_scene(), make_sensor(camera));
  const Frame shadow = render_once(make_room_scene(), make_sensor(camera, {StereoShadow{}}));
  std::vector<Reason> expected(clean.size());
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const bool oblique = std::cos(clean.incidence_rad()[i]) < std::cos(kAngleLimit);
    expected[i] = oblique                              ? Reason::kLossAngle
                  : shadow.reason()[i] != Reason::kHit ? shadow.reason()[i]
                  : clean.energy()[i] <= kLeastEnergy  ? Reason::kLowEnergy
                                                       : Reason::kDropout;
  }
  for (const Reason r : {Reason::kLossAngle, Reason::kHiddenLeft, Reason::kLowEnergy, Reason::kDropout}) {
    EXPECT_GT(std::count(expected.begin(), expected.end(), r), 10) << to_string(r);
  }
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    NoiseChain chain;
    for (const std::size_t k : order) chain.push_back(certain_losses()[k]);
    const Frame f = render_once(make_room_scene(), make_sensor(camera, chain));
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), f.reason().begin()));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Order, TheRangeGateComesBeforeEveryLoss) {
  StereoCamera camera = make_stereo(120, 90, 60, 0.5);
  camera.min_range_m = 3, camera.max_range_m = 5;
  const Frame gate = render_once(make_room_scene(), make_sensor(camera));
  const Frame f = render_once(make_room_scene(), make_sensor(camera, certain_losses()));
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (gate.reason()[i] == Reason::kHit) continue;
    ASSERT_EQ(f.reason()[i], gate.reason()[i]);
  }
  EXPECT_GT(count_of(f, Reason::kBelowMinRange), 100U);
  EXPECT_GT(count_of(f, Reason::kAboveMaxRange), 100U);
}

TEST(Order, EnergyComesBeforeEdges) {
  const EdgeLoss every{
      .min_angle_rad = 0, .max_angle_rad = 0, .low_probability = 1, .high_probability = 1, .law = EdgeLaw::kAngle};
  const Frame f = render_once(
      make_room_scene(), make_sensor(make_stereo(120, 90, 60, 0.5), {every, StereoEnergy{.min_energy = kLeastEnergy}}));
  for (std::size_t i = 0; i < f.size(); ++i) {
    ASSERT_EQ(f.reason()[i], f.energy()[i] <= kLeastEnergy ? Reason::kLowEnergy : Reason::kEdgeLoss);
  }
}

// Losses look at what was struck, not at where noise carries the point.
TEST(Order, HitAndRangeNoiseComeAfterTheLosses) {
  const StereoCamera camera = make_stereo(120, 90, 60, 0.5);
  NoiseChain losses = certain_losses();
  losses.pop_back();
  const Frame f = render_once(make_room_scene(), make_sensor(camera, losses));
  losses.insert(losses.begin(), {AngularHit{.mean_rad = 1}, DistanceNoise{.mean_m = -0.5F}, GainBias{.gain = 0.3F}});
  const Frame noisy = render_once(make_room_scene(), make_sensor(camera, losses));
  EXPECT_TRUE(std::equal(f.reason().begin(), f.reason().end(), noisy.reason().begin()));
}

TEST(Order, TheRangePolicyComesBetweenRangeNoiseAndDropout) {
  StereoCamera camera = make_stereo(64, 48, 60, 0.1);
  camera.max_range_m = 5;
  Sensor sensor = make_sensor(camera, {Dropout{.probability = 1}, DistanceNoise{.mean_m = 4}});
  sensor.range_policy = RangePolicy::kDrop;
  EXPECT_EQ(count_of(render_once(make_plane_scene({2.0, 0.0}), sensor), Reason::kAboveMaxRange), 64U * 48U);
  sensor.range_policy = RangePolicy::kClamp;
  EXPECT_EQ(count_of(render_once(make_plane_scene({2.0, 0.0}), sensor), Reason::kDropout), 64U * 48U);
}

// Ray noise turns the ray, and the surface that it then meets decides its losses.
TEST(Order, RayNoiseComesBeforeTheCast) {
  const double turn = 30 * kDeg;
  const Sensor sensor = make_sensor(
      make_stereo(9, 9, 3000, 0.1),
      {LossAngle{.max_incidence_rad = 0.2F}, AngularRay{.axis = Axis::kZ, .mean_rad = static_cast<float>(turn)}});
  EXPECT_EQ(count_of(render_once(make_plane_scene({2.0, turn}), sensor), Reason::kHit), 81U);
  EXPECT_EQ(count_of(render_once(make_plane_scene({2.0, 0.0}), sensor), Reason::kLossAngle), 81U);
}

// A range at or below 0 is no measurement, whatever carried it there and whatever the range policy.

constexpr RangePolicy kPolicies[] = {RangePolicy::kKeep, RangePolicy::kClamp, RangePolicy::kDrop};

Sensor with_policy(NoiseChain noise, RangePolicy policy) {
  Sensor sensor = make_sensor(make_lidar(), std::move(noise));
  sensor.range_policy = policy;
  return sensor;
}

/// Every hit was measured, and every other ray of the closed room was lost as too near, leaving no number behind.
void expect_no_unmeasurable_hit(const Frame& f, const std::string& what) {
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.reason()[i] == Reason::kHit) {
      ASSERT_GT(f.range_m()[i], 0.0F) << what;
      continue;
    }
    ASSERT_EQ(f.reason()[i], Reason::kBelowMinRange) << what;
    ASSERT_TRUE(std::isnan(f.range_m()[i]) && std::isnan(f.depth_m()[i])) << what;
    ASSERT_TRUE(std::isnan(f.hit_world_m().x[i]) && std::isnan(f.hit_sensor_m().y[i])) << what;
  }
}

TEST(UnmeasurableRange, IsLostUnderEveryPolicy) {
  const std::vector<Noise> noises = {DistanceNoise{.mean_m = -4, .stddev_m = 1}, UniformNoise{.low_m = -8, .high_m = 1},
                                     GainBias{.bias_m = -4}};
  for (const Noise& noise : noises) {
    for (const RangePolicy policy : kPolicies) {
      const Frame f = render_once(make_room_scene(), with_policy({noise}, policy));
      const auto reasons = f.count_reasons();
      EXPECT_GT(reasons[static_cast<std::size_t>(Reason::kHit)], 100U) << noise.slug();
      EXPECT_GT(reasons[static_cast<std::size_t>(Reason::kBelowMinRange)], 100U) << noise.slug();
      expect_no_unmeasurable_hit(f, std::string(noise.slug()));
    }
  }
}

// Models after it cannot bring such a return back; the others keep every bit.
TEST(UnmeasurableRange, ChangesNoBitOfWhatWasMeasured) {
  const NoiseChain noise = {DistanceNoise{.mean_m = -4, .stddev_m = 1},
                            AngularHit{.axis = Axis::kZ, .stddev_rad = 0.1F}};
  const Frame kept = render_once(make_room_scene(), with_policy(noise, RangePolicy::kKeep));
  const Frame clamped = render_once(make_room_scene(), with_policy(noise, RangePolicy::kClamp));
  const Frame dropped = render_once(make_room_scene(), with_policy(noise, RangePolicy::kDrop));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ASSERT_EQ(kept.reason()[i], clamped.reason()[i]);
    ASSERT_EQ(kept.reason()[i], dropped.reason()[i]);
    if (kept.reason()[i] != Reason::kHit) continue;
    ASSERT_EQ(kept.range_m()[i], clamped.range_m()[i]);
  }
}

TEST(UnmeasurableRange, IsLostInEnvironmentsToo) {
  Environments environments(make_room_scene(),
                            with_policy({DistanceNoise{.mean_m = -4, .stddev_m = 1}}, RangePolicy::kKeep),
                            {.simulator = {.seed = 7, .compute = {.threads = 1}}, .count = 3});
  Frame f(all_channels());
  environments.render(0, f);
  EXPECT_GT(f.count_reasons()[static_cast<std::size_t>(Reason::kBelowMinRange)], 100U);
  expect_no_unmeasurable_hit(f, "environments");
}

RC_GTEST_PROP(UnmeasurableRange, IsNeverAHit, ()) {
  const auto any = [](double limit) { return static_cast<float>(limit * *rc::gen::inRange(-1000, 1001) * 1e-3); };
  const auto any_noise = [&]() -> Noise {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return DistanceNoise{.mean_m = any(10), .stddev_m = std::abs(any(10)), .stddev_per_m = std::abs(any(1))};
      case 1:
        return UniformNoise{.low_m = any(10), .high_m = any(10)};
      case 2:
        return GainBias{.gain = any(0.5), .bias_m = any(10)};
      case 3:
        return AngularHit{.axis = Axis::kX, .stddev_rad = std::abs(any(3))};
      default:
        return BeamMixture{.w_hit = 0.5F, .w_short = 0.5F, .w_max = 0, .w_rand = 0, .hit_offset_m = any(20)};
    }
  };
  NoiseChain noise;
  for (int k = *rc::gen::inRange(1, 4); k > 0; --k) noise.push_back(any_noise());
  const RangePolicy policy = kPolicies[*rc::gen::inRange(0, 3)];
  Sensor sensor = make_sensor(make_lidar(4, 64), noise);
  sensor.range_policy = policy;
  const Frame f = render_once(make_room_scene(), sensor);
  for (std::size_t i = 0; i < f.size(); ++i) {
    RC_ASSERT((f.reason()[i] == Reason::kHit) == (f.range_m()[i] > 0.0F));
    RC_ASSERT(f.reason()[i] == Reason::kHit || std::isnan(f.range_m()[i]));
  }
}

}  // namespace
}  // namespace fathom::test
