// SPDX-License-Identifier: MIT
// The noises as a user sees them, in frames: definitions of the models read off the clouds.

#include <fathom/noise/custom.hpp>
#include <fathom/scene/expected_ranges.hpp>

#include "render/stereo_scenes.hpp"
#include "sensor/noise/blind_zone.hpp"
#include "support/casters.hpp"

namespace fathom {
namespace {

using test::all_channels;
using test::make_lidar;
using test::make_room_scene;
using test::make_sensor;
using test::render_once;

/// One sphere around the sensor: every clean range is its radius.
Scene make_sphere_scene(const Pose& pose) {
  Scene scene;
  scene.add_entity({.name = "sphere", .mesh = scene.add_mesh(make_sphere(10, 1024)), .parent_from_entity = pose});
  return scene;
}

struct Moments {
  double mean = 0, stddev = 0;
};

template <class F>
Moments moments(std::size_t n, F value) {
  double sum = 0, square = 0;
  for (std::size_t i = 0; i < n; ++i) sum += value(i), square += value(i) * value(i);
  const double mean = sum / static_cast<double>(n);
  return {mean, std::sqrt(square / static_cast<double>(n) - mean * mean)};
}

TEST(AngularRayInFrames, PointsStayOnTheSurface) {
  const Frame f =
      render_once(make_room_scene(), make_sensor(make_lidar(), {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.05F}}));
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.entity_id()[i] != 0) continue;  // the walls of the room lie at |x| = 6, |y| = 4, |z| = 2
    const double to_wall =
        std::min({std::abs(std::abs(f.hit_world_m().x[i]) - 6.0), std::abs(std::abs(f.hit_world_m().y[i]) - 4.0),
                  std::abs(std::abs(f.hit_world_m().z[i]) - 2.0)});
    ASSERT_LT(to_wall, 1e-5);
  }
}

TEST(AngularRayInFrames, ReportedAzimuthIsThatOfTheTurnedRay) {
  const Frame clean = render_once(make_room_scene(), make_sensor(make_lidar(64, 1024)));
  const Frame noisy = render_once(
      make_room_scene(),
      make_sensor(make_lidar(64, 1024), {AngularRay{.axis = Axis::kZ, .mean_rad = 0.01F, .stddev_rad = 0.02F}}));
  const auto turned = [&](std::size_t i) {
    return std::remainder(double(noisy.azimuth_rad()[i]) - clean.azimuth_rad()[i], 2 * std::numbers::pi);
  };
  const Moments m = moments(clean.size(), turned);
  EXPECT_NEAR(m.mean, 0.01, 5 * 0.02 / 256);
  EXPECT_NEAR(m.stddev, 0.02, 5 * 0.02 / 362);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    ASSERT_NEAR(noisy.elevation_rad()[i], clean.elevation_rad()[i], 1e-6);
    ASSERT_NEAR(std::atan2(noisy.hit_sensor_m().y[i], noisy.hit_sensor_m().x[i]), noisy.azimuth_rad()[i], 1e-6);
  }
}

TEST(AngularHitInFrames, KeepsTheRangeAndLeavesTheSurface) {
  const Frame clean = render_once(make_room_scene(), make_sensor(make_lidar()));
  const Frame noisy =
      render_once(make_room_scene(), make_sensor(make_lidar(), {AngularHit{.axis = Axis::kX, .stddev_rad = 0.1F}}));
  std::size_t off_surface = 0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    ASSERT_EQ(noisy.range_m()[i], clean.range_m()[i]);
    ASSERT_EQ(noisy.azimuth_rad()[i], clean.azimuth_rad()[i]);
    const double radius = std::hypot(noisy.hit_sensor_m().x[i], noisy.hit_sensor_m().y[i], noisy.hit_sensor_m().z[i]);
    ASSERT_NEAR(radius, clean.range_m()[i], 2e-6 * radius);
    ASSERT_EQ(noisy.hit_sensor_m().x[i], clean.hit_sensor_m().x[i]);  // the axis of rotation
    off_surface += std::abs(noisy.hit_world_m().z[i] - clean.hit_world_m().z[i]) > 0.01;
  }
  EXPECT_GT(off_surface, clean.size() / 2);
}

TEST(DistanceInFrames, SigmaGrowsLinearlyWithRange) {
  const DistanceNoise noise{.mean_m = 0.05F, .stddev_m = 0.02F, .stddev_per_m = 0.01F};
  for (const double radius : {1.0, 10.0, 50.0}) {
    Scene scene;
    scene.add_entity({.name = "sphere", .mesh = scene.add_mesh(make_sphere(radius, 256))});
    const Frame f = render_once(scene, make_sensor(make_lidar(64, 1024), {noise}));
    const Moments m = moments(f.size(), [&](std::size_t i) { return double(f.range_m()[i]) - f.clean_range_m()[i]; });
    const double sigma = 0.02 + 0.01 * radius;
    EXPECT_NEAR(m.mean, 0.05, 5 * sigma / 256) << radius;
    EXPECT_NEAR(m.stddev, sigma, 5 * sigma / 362 + 1e-3 * sigma) << radius;
  }
}

// The same noise must come out wherever the sensor stands and however it is turned: what happens in the sensor frame
// depends on the sensor frame alone.
TEST(NoiseInFrames, StatisticsAndDrawsDoNotDependOnThePose) {
  const NoiseChain noise = {AngularHit{.axis = Axis::kY, .stddev_rad = 0.02F},
                            DistanceNoise{.stddev_m = 0.1F, .stddev_per_m = 0.01F}};
  const Pose far{{300, -200, 50}, from_roll_pitch_yaw(1.0, -0.5, 2.0)};
  const Frame here = render_once(make_sphere_scene({}), make_sensor(make_lidar(), noise));
  const Frame there = render_once(make_sphere_scene(far), make_sensor(make_lidar(), noise, far));
  for (std::size_t i = 0; i < here.size(); ++i) {
    ASSERT_NEAR(here.range_m()[i], there.range_m()[i], 1e-4);
    ASSERT_NEAR(here.hit_sensor_m().x[i], there.hit_sensor_m().x[i], 2e-4);
    ASSERT_NEAR(here.hit_sensor_m().y[i], there.hit_sensor_m().y[i], 2e-4);
    ASSERT_NEAR(here.hit_sensor_m().z[i], there.hit_sensor_m().z[i], 2e-4);
  }
}

TEST(NoiseInFrames, AllThreeActAtOnce) {
  const Frame clean = render_once(make_sphere_scene({}), make_sensor(make_lidar(64, 1024)));
  const Frame f = render_once(make_sphere_scene({}),
                              make_sensor(make_lidar(64, 1024), {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.01F},
                                                                 AngularHit{.axis = Axis::kZ, .stddev_rad = 0.02F},
                                                                 DistanceNoise{.stddev_m = 0.05F}}));
  const Moments range = moments(f.size(), [&](std::size_t i) { return double(f.range_m()[i]) - clean.range_m()[i]; });
  const Moments angle = moments(f.size(), [&](std::size_t i) {
    const double a = std::atan2(f.hit_sensor_m().y[i], f.hit_sensor_m().x[i]) - double(clean.azimuth_rad()[i]);
    return std::remainder(a, 2 * std::numbers::pi);
  });
  EXPECT_NEAR(range.stddev, 0.05, 5 * 0.05 / 362 + 1e-4);
  EXPECT_NEAR(angle.stddev, std::hypot(0.01, 0.02), 5 * 0.0224 / 362);
  EXPECT_NEAR(angle.mean, 0.0, 5 * 0.0224 / 256);
}

TEST(DropoutInFrames, LosesItsShareOfReturnsAndSaysSo) {
  const Frame f = render_once(make_room_scene(), make_sensor(make_lidar(64, 1024), {Dropout{.probability = 0.3F}}));
  const double lost = static_cast<double>(f.count_reasons()[static_cast<std::size_t>(Reason::kDropout)]);
  EXPECT_NEAR(lost / 65536, 0.3, 4 * std::sqrt(0.3 * 0.7 / 65536));
}

/// A model that a user writes: every return a fixed step farther on odd draws. It is in no list of fathom's.
struct Ripple {
  float height_m = 0.0F;
  static constexpr std::string_view kSlug = "ripple";
  static constexpr std::string_view kDoc = "Adds a step to about half of the ranges.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.uniforms = 1};
  static constexpr auto fields() {
    return std::array<Field<Ripple>, 1>{{{"height_m", "m", &Ripple::height_m, 0, 1, "height of the step"}}};
  }
  [[nodiscard]] constexpr bool is_identity() const { return height_m == 0.0F; }
  FATHOM_KERNEL static Return apply(const Ripple& p, Return hit, const Draws<kDraws>& draws) {
    return move_radially(hit, draws.uniform[0] < 0.5F ? p.height_m : 0.0F);
  }
};

/// The same under another name.
struct SlashedRipple : Ripple {
  static constexpr std::string_view kSlug = "b/ripple";
};
struct DashedRipple : Ripple {
  static constexpr std::string_view kSlug = "b-ripple_2";
};

// make_stream("a", 0, "b/c") is make_stream("a/b", 0, "c"): a slug with a slash is no model, and does not compile.
TEST(Slugs, ASlashIsRefused) {
  static_assert(NoiseModel<Ripple> && NoiseModel<DashedRipple>);
  static_assert(!NoiseModel<SlashedRipple>);
  static_assert(!std::is_constructible_v<Noise, SlashedRipple>);
  for (const NoiseInfo& model : noise_models()) EXPECT_TRUE(is_slug(model.slug)) << model.slug;
  for (const char* text : {"", "a/b", "a.b", "a b", "\xc3\xa4"}) EXPECT_FALSE(is_slug(text)) << text;
}

TEST(UserNoise, ActsLikeABuiltInModel) {
  const Frame clean = render_once(make_room_scene(), make_sensor(make_lidar()));
  const Frame f = render_once(make_room_scene(), make_sensor(make_lidar(), {Ripple{.height_m = 0.25F}}));
  std::size_t moved = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const float step = f.range_m()[i] - clean.range_m()[i];
    ASSERT_TRUE(step == 0.0F || std::abs(step - 0.25F) < 1e-5F);
    moved += step != 0.0F;
  }
  EXPECT_NEAR(double(moved) / double(f.size()), 0.5, 4 * 0.5 / std::sqrt(double(f.size())));
  EXPECT_THROW(Noise(Ripple{.height_m = 2.0F}), InputError);
}

}  // namespace
}  // namespace fathom

namespace fathom::test {

// Models of stage `reading` within a frame, and a sensor's rays as a fan that the beam model scores.

namespace {

std::uint64_t count_of(const Frame& frame, Reason reason) {
  return frame.count_reasons()[static_cast<std::size_t>(reason)];
}

constexpr BeamMixture kMixture = {.w_hit = 0.5F, .w_short = 0.2F, .w_max = 0.1F, .w_rand = 0.2F, .sigma_hit_m = 0.05F};

TEST(Readings, StandInTheFrameAsReturnsOrTheirAbsence) {
  SpinningLidar lidar = make_lidar();
  lidar.max_range_m = 4.5;  // the room's far walls are beyond
  const Frame frame = render_once(make_room_scene(), make_sensor(lidar, {Noise(kMixture)}));
  const auto [x, y, z] = frame.hit_sensor_m();
  std::size_t returned = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const bool beyond = frame.clean_range_m()[i] > 4.5F;
    const float range = frame.range_m()[i];
    if (frame.reason()[i] != Reason::kHit) {
      ASSERT_TRUE(std::isnan(range));
      ASSERT_EQ(frame.reason()[i], beyond ? Reason::kAboveMaxRange : Reason::kDropout);
      continue;
    }
    ASSERT_TRUE(range >= 0 && range < 4.5F) << range;
    const double e = frame.elevation_rad()[i], a = frame.azimuth_rad()[i];
    ASSERT_NEAR(x[i], range * std::cos(e) * std::cos(a), 1e-4);
    ASSERT_NEAR(y[i], range * std::cos(e) * std::sin(a), 1e-4);
    ASSERT_NEAR(z[i], range * std::sin(e), 1e-4);
    returned += beyond;
  }
  EXPECT_GT(count_of(frame, Reason::kDropout), 0U);
  EXPECT_GT(returned, 0U) << "rays that met nothing may still report something";
}

TEST(Readings, MaximumRangesMayDifferFromRayToRay) {
  RayPattern pattern = make_pattern(make_lidar());
  pattern.max_range_m.resize(pattern.direction_x.size());
  for (std::size_t i = 0; i < pattern.max_range_m.size(); ++i) pattern.max_range_m[i] = i % 2 == 0 ? 3.0F : 20.0F;
  const BeamMixture random = {.w_hit = 0, .w_short = 0, .w_max = 0, .w_rand = 1};
  for (const Isa isa : usable_isas()) {
    const Frame frame = render_once(make_room_scene(), make_sensor(pattern, {Noise(random)}), all_channels(),
                                    {.seed = 7, .compute = {.threads = 1, .isa = isa}});
    float most[2] = {};
    for (std::size_t i = 0; i < frame.size(); ++i) most[i % 2] = std::max(most[i % 2], frame.range_m()[i]);
    EXPECT_TRUE(most[0] > 2.9F && most[0] < 3.0F) << most[0];
    EXPECT_TRUE(most[1] > 19.9F && most[1] < 20.0F) << most[1];
  }
}

TEST(Readings, TheRangePolicyDecidesOnWhatIsTooNear) {
  SpinningLidar lidar = make_lidar();
  lidar.min_range_m = 0.5;
  Sensor sensor = make_sensor(lidar, {Noise(kMixture)});
  const Frame kept = render_once(make_room_scene(), sensor);
  sensor.range_policy = RangePolicy::kDrop;
  const Frame dropped = render_once(make_room_scene(), sensor);
  std::size_t near = 0;
  for (const float range : kept.range_m()) near += range < 0.5F;
  EXPECT_GT(near, 0U);
  EXPECT_EQ(count_of(dropped, Reason::kBelowMinRange), near);
}

TEST(Readings, CannotDifferByEntity) {
  Sensor sensor = make_sensor(make_lidar(), {Noise(kMixture)});
  sensor.noise[0].by_entity = {{EntityId{1}, Noise(BeamMixture{})}};
  EXPECT_EQ(input_error([&] { (void)render_once(make_room_scene(), sensor); }),
            "sensor 'lidar': by_entity: beam_mixture cannot differ by entity");
}

TEST(SensorAsRayFan, ALidarsFrameIsWhatItsRaysExpect) {
  const Pose pose = {{0.5, -0.3, 0.2}, from_roll_pitch_yaw(0.1, -0.2, 1)};
  const SpinningLidar lidar = make_lidar();
  const Frame frame = render_once(make_room_scene(), make_sensor(lidar, {}, pose));
  std::vector<float> expected(frame.size());
  make_scene_ranges(make_room_scene())->cast(std::vector<Pose>{pose}, RayFan::of(make_pattern(lidar)), 100, expected);
  for (std::size_t i = 0; i < frame.size(); ++i) ASSERT_NEAR(expected[i], frame.clean_range_m()[i], 1e-4);
  SpinningLidar apart = lidar;
  apart.vertical_offset_m.assign(16, 0.01);
  EXPECT_EQ(input_error([&] { (void)RayFan::of(make_pattern(apart)); }),
            "the rays of a fan start at the sensor origin, but these have separate origins");
}

// A model that the library does not know acts, and is checked, like a registered one.

std::string refusal(const SensorModel& model, NoiseChain chain) {
  Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
  return input_error([&] { simulator.add_sensor(make_sensor(model, std::move(chain))); });
}

TEST(OwnModel, SaysItselfWhichSensorItNeeds) {
  EXPECT_EQ(refusal(make_lidar(4, 8), {BlindZone{.depth_m = 1}}), "sensor 'lidar': blind_zone is that of a camera");
  EXPECT_EQ(refusal(PinholeCamera::from_fov(8, 8, 1), {BlindZone{.depth_m = 1}}), "");
  EXPECT_EQ(refusal(make_lidar(4, 8), {{DistanceNoise{}, std::vector<RingEntry>{{0, BlindZone{}}}}}),
            "sensor 'lidar': by_ring: entry 0 of the chain is distance, not blind_zone");
}

TEST(OwnModel, SaysItselfWhatAChainHasOnce) {
  const SensorModel camera = PinholeCamera::from_fov(8, 8, 1);
  const BlindZone near{.depth_m = 1}, rare{.depth_m = 1, .share = 0.5F}, far{.depth_m = 2};
  EXPECT_EQ(refusal(camera, {near, rare}), "");
  EXPECT_EQ(refusal(camera, {near, Dropout{}, far}),
            "sensor 'lidar': blind_zone.depth_m differs from that of another one in the chain; a camera has one blind "
            "zone");
  EXPECT_EQ(refusal(camera, {{near, std::vector<EntityEntry>{{EntityId{0}, rare}}}}), "");
  EXPECT_EQ(refusal(camera, {{near, std::vector<EntityEntry>{{EntityId{0}, far}}}}),
            "sensor 'lidar': by_entity: blind_zone.depth_m cannot differ by entity; a camera has one blind zone");
  EXPECT_EQ(refusal(camera, {{near, std::vector<RingEntry>{{0, far}}}}),
            "sensor 'lidar': by_ring: blind_zone.depth_m cannot differ by ring; a camera has one blind zone");
}

TEST(OwnModel, SaysItselfWhatNoEpisodeDraws) {
  const BlindZone zone{.depth_m = 1};
  const auto refused = [&](NoiseChain chain, std::string field) {
    return input_error([&] {
      Environments(make_room_scene(), make_sensor(PinholeCamera::from_fov(8, 8, 1), std::move(chain)),
                   {.simulator = {.compute = {.threads = 1}},
                    .ranges = {{.entry = 0, .field = std::move(field), .low = 0.5, .high = 1}}});
    });
  };
  const std::string wanted =
      "range of blind_zone.depth_m: it must be the same in the whole chain; a camera has one blind zone";
  EXPECT_EQ(refused({zone, zone}, "depth_m"), wanted);
  EXPECT_EQ(refused({{zone, std::vector<EntityEntry>{{EntityId{0}, zone}}}}, "depth_m"), wanted);
  EXPECT_EQ(refused({zone}, "depth_m"), "") << "nothing else in the chain could differ";
  EXPECT_EQ(refused({zone, zone}, "share"), "");
}

TEST(OwnModel, ActsByEntityAndByRing) {
  const auto lost = [](const Frame& f, std::size_t i) { return f.reason()[i] == Reason::kBelowMinRange; };
  const BlindZone off{.depth_m = 10, .share = 0}, on{.depth_m = 10};
  const SensorModel camera = PinholeCamera::from_fov(40, 30, 1.5);
  const Frame by_entity =
      render_once(make_room_scene(), make_sensor(camera, {{off, std::vector<EntityEntry>{{EntityId{1}, on}}}}));
  const Frame by_ring = render_once(make_room_scene(), make_sensor(camera, {{off, std::vector<RingEntry>{{7, on}}}}));
  std::size_t of_entity = 0, of_ring = 0;
  for (std::size_t i = 0; i < by_entity.size(); ++i) {
    ASSERT_EQ(lost(by_entity, i), by_entity.entity_id()[i] == 1) << i;
    ASSERT_EQ(lost(by_ring, i), i / 40 == 7) << i;
    of_entity += lost(by_entity, i), of_ring += lost(by_ring, i);
  }
  EXPECT_GT(of_entity, 10U);
  EXPECT_EQ(of_ring, 40U);
}

}  // namespace
}  // namespace fathom::test
