// SPDX-License-Identifier: MIT
// Numbers of sensors and entities that are drawn per episode move what they should: closed forms.

#include <fathom/core/random.hpp>

#include "render/parameter_range.hpp"
#include "render/stereo_scenes.hpp"

namespace fathom::test {
namespace {

constexpr std::uint32_t kCount = 6;

ParameterRange of_sensor(std::string field, double low, double high) {
  return {.field = std::move(field), .low = low, .high = high, .target = ParameterRange::Target::kSensor};
}
ParameterRange of_entity(std::uint32_t entity, std::string field, double low, double high) {
  return {.field = std::move(field),
          .low = low,
          .high = high,
          .entity = EntityId{entity},
          .target = ParameterRange::Target::kEntity};
}

Environments::Options options_with(std::vector<ParameterRange> ranges, std::vector<ParameterRange> entity_ranges = {}) {
  return {.simulator = {.seed = 3, .compute = {.threads = 1}},
          .count = kCount,
          .ranges = std::move(ranges),
          .entity_ranges = std::move(entity_ranges)};
}

Frame rendered(Environments& batch) {
  Frame frame(all_channels());
  batch.render(0, frame);
  return frame;
}

// The ray through pixel (u, v) is (1, -(u - cx) / fx, -(v - cy) / fy), and a wall at x = 5 ends it at x = 5.
TEST(DrawnFields, FocalLengthAndPrincipalPointSteerTheRays) {
  constexpr std::uint32_t kWidth = 23, kHeight = 17;
  Environments batch(make_plane_scene({5.0, 0.0}), make_sensor(make_stereo(kWidth, kHeight, 20, 0.1)),
                     options_with({of_sensor("fx", 15, 40), of_sensor("cx", 5, 15), of_sensor("cy", 3, 12)}));
  const Frame frame = rendered(batch);
  std::set<double> seen;
  for (std::uint32_t e = 0; e < kCount; ++e) {
    const auto drawn = batch.drawn(e);
    ASSERT_EQ(drawn.size(), 3U);
    EXPECT_EQ(drawn[1].field, "cx");
    EXPECT_EQ(drawn[1].target, ParameterRange::Target::kSensor);
    const double fx = drawn[0].value, cx = drawn[1].value, cy = drawn[2].value;
    seen.insert({fx, cx, cy});
    for (std::uint32_t v = 0; v < kHeight; ++v) {
      for (std::uint32_t u = 0; u < kWidth; ++u) {
        const std::size_t i = (std::size_t{e} * kHeight + v) * kWidth + u;
        const double right = (u - cx) / fx, down = (v - cy) / fx;  // fy is not given: square pixels
        ASSERT_NEAR(frame.hit_sensor_m().y[i], -5 * right, 1e-4);
        ASSERT_NEAR(frame.hit_sensor_m().z[i], -5 * down, 1e-4);
        ASSERT_NEAR(frame.depth_m()[i], 5, 1e-5);
        ASSERT_NEAR(frame.range_m()[i], 5 * std::sqrt(1 + right * right + down * down), 1e-4);
      }
    }
  }
  EXPECT_EQ(seen.size(), 3 * kCount) << "each environment draws for itself";
}

TEST(DrawnFields, WithoutAPrincipalPointTheOtherStaysInTheMiddle) {
  Sensor sensor = make_sensor(make_stereo(23, 17, 20, 0.1));
  draw_ranges(sensor, std::vector{of_sensor("cx", 3, 3)}, 1);
  const auto point = std::get<StereoCamera>(sensor.model).principal_point_px;
  ASSERT_TRUE(point);
  EXPECT_EQ((*point)[0], 3);
  EXPECT_EQ((*point)[1], 8);
}

// Beside a post the right camera does not see baseline * fx * (1 / near - 1 / far) pixels of the wall.
TEST(DrawnFields, TheBaselineMovesTheCamerasAndNoRay) {
  const StereoCamera camera = make_stereo(257, 1, 400, 0.1, CameraReference::kLeft);
  Environments batch(make_post_scene(2, 4, 0.2), make_sensor(camera, {StereoShadow{}}),
                     options_with({of_sensor("baseline_m", 0.02, 0.3)}));
  const Frame frame = rendered(batch);
  for (std::uint32_t e = 0; e < kCount; ++e) {
    const double width = batch.drawn(e)[0].value * 400 * (1.0 / 2 - 1.0 / 4);
    std::uint32_t hidden = 0;
    for (std::size_t u = 0; u < 257; ++u) {
      hidden += frame.reason()[257 * e + u] == Reason::kHit ? 0 : 1;
      ASSERT_EQ(frame.clean_range_m()[257 * e + u], frame.clean_range_m()[u]);
    }
    EXPECT_NEAR(hidden, width, 1.0) << e;
  }
}

TEST(DrawnFields, ATurnedSensorSeesTheWallAtTheAngleThatWasDrawn) {
  PinholeCamera camera;
  camera.fx = camera.fy = 10, camera.width = camera.height = 1;  // one ray, along x
  Environments batch(make_plane_scene({5.0, 0.0}), make_sensor(camera),
                     options_with({of_sensor("rotation_z_rad", -1, 1), of_sensor("position_x_m", -0.5, 0.5)}));
  const Frame frame = rendered(batch);
  for (std::uint32_t e = 0; e < kCount; ++e) {
    const double angle = batch.drawn(e)[0].value, forward = batch.drawn(e)[1].value;
    EXPECT_NEAR(frame.incidence_rad()[e], std::abs(angle), 1e-4);
    EXPECT_NEAR(frame.range_m()[e], (5 - forward) / std::cos(angle), 1e-4) << "it moved along its nominal axes";
  }
}

TEST(DrawnFields, IntensityIsTheDrawnReflectivityTimesTheCosine) {
  Environments batch(make_plane_scene({5.0, 0.3}), make_sensor(make_stereo(9, 7, 20, 0.1)),
                     options_with({}, {of_entity(0, "reflectivity", 0.1, 0.9)}));
  const Frame frame = rendered(batch);
  const Frame white = render_once(make_plane_scene({5.0, 0.3}), make_sensor(make_stereo(9, 7, 20, 0.1)));
  for (std::uint32_t e = 0; e < kCount; ++e) {
    const auto drawn = batch.entity_drawn(e);
    ASSERT_EQ(drawn.size(), 1U);
    EXPECT_EQ(drawn[0].entity, EntityId{0});
    EXPECT_EQ(drawn[0].value, batch.entity_drawn_values()[e]);
    for (std::size_t i = 0; i < 63; ++i) {
      ASSERT_EQ(frame.intensity()[63 * e + i], white.intensity()[i] * static_cast<float>(drawn[0].value));
    }
  }
}

TEST(DrawnFields, AnEntityStandsWhereItWasDrawn) {
  PinholeCamera camera;
  camera.fx = camera.fy = 10, camera.width = camera.height = 1;
  // The plane's own z axis points towards the camera, along -x of the world.
  Environments batch(make_plane_scene({5.0, 0.0}), make_sensor(camera),
                     options_with({}, {of_entity(0, "position_z_m", -1, 1)}));
  const Frame frame = rendered(batch);
  for (std::uint32_t e = 0; e < kCount; ++e) {
    EXPECT_NEAR(frame.range_m()[e], 5 - batch.entity_drawn_values()[e], 1e-5);
  }
}

TEST(DrawnFields, LimitsOfRangeMayBeDrawn) {
  Environments batch(make_plane_scene({5.0, 0.0}), make_sensor(make_stereo(1, 1, 20, 0.1)),
                     options_with({of_sensor("max_range_m", 4, 6)}));
  const Frame frame = rendered(batch);
  for (std::uint32_t e = 0; e < kCount; ++e) {
    EXPECT_EQ(frame.reason()[e] == Reason::kHit, batch.drawn(e)[0].value > 5.0) << e;
  }
}

/// In (0, 1), as the page on draws says: 53 bits of a block.
double uniform_of(const NoiseKey& key, std::uint32_t c0, std::uint32_t c1) {
  const PhiloxBlock block = keyed_block(key, c0, c1);
  return (static_cast<double>((std::uint64_t{block.word[0]} << 21U) ^ (block.word[1] >> 11U)) + 0.5) * 0x1p-53;
}

// Draws of noise stay the same with ranges of other targets beside them.
TEST(DrawnFields, DrawsOfNoiseKeepTheirStreams) {
  Sensor sensor = make_sensor(make_stereo(4, 3, 20, 0.1), {StereoShadow{}, DistanceNoise{}}, {}, "cam");
  const ParameterRange noise = {.entry = 1, .field = "stddev_m", .low = 1, .high = 3};
  const double u = uniform_of({77, 0, make_stream("cam", 1, "distance.stddev_m")}, index(kNoEntity), 0);
  Sensor alone = sensor, beside = sensor;
  EXPECT_EQ(draw_ranges(alone, std::vector{noise}, 77)[0].value, 1 + 2 * u);
  const auto both = draw_ranges(beside, std::vector{of_sensor("baseline_m", 0.1, 0.2), noise}, 77);
  EXPECT_EQ(both[1].value, 1 + 2 * u);
  EXPECT_NE((both[0].value - 0.1) / 0.1, u);
}

TEST(DrawnFields, PartsTakeTheDrawOfTheWhole) {
  Scene scene = make_plane_scene({5.0, 0.0});
  scene.add_entity({.name = "part", .mesh = MeshId{0}, .parent = EntityId{0}, .part_of_parent = true});
  std::vector<ParameterRange> ranges = {of_entity(0, "reflectivity", 0, 1), of_entity(1, "reflectivity", 0, 1),
                                        of_entity(1, "reflectivity", 0, 1)};
  ranges[2].as_chain = true;
  const EntityDraw drawn = draw_entities(scene.entities(), ranges, 5);
  EXPECT_EQ(drawn.values[0], drawn.values[2]);
  EXPECT_NE(drawn.values[0], drawn.values[1]);
}

void refused(const Sensor& sensor, const ParameterRange& range, const std::string& text) {
  EXPECT_TRUE(contains(input_error([&] {
                         Environments(make_plane_scene({5, 0}), sensor, options_with({range}));
                       }),
                       text));
}

TEST(DrawnFieldRefusals, OfSensors) {
  const Sensor camera = make_sensor(make_stereo(4, 3, 20, 0.1), {StereoShadow{}}, {}, "cam");
  refused(camera, of_sensor("baseline_m", 0.1, 101), "stereo_camera.baseline_m = 101 is not in [0, 100] m");
  refused(camera, of_sensor("baseline_m", NAN, 0.1), "stereo_camera.baseline_m = nan is not in");
  refused(camera, of_sensor("baseline_m", 0.2, 0.1), "low is above high");
  refused(camera, of_sensor("baseline_m", 0, 0.1), "at 0");  // StereoShadow needs two cameras apart
  refused(camera, of_sensor("width", 4, 8), "only single numbers that keep the number of rays");
  refused(camera, of_sensor("reference", 0, 1), "only single numbers");
  refused(camera, of_sensor("principal_point_px", 0, 1), "only single numbers");
  refused(camera, of_sensor("horizontal_fov_rad", 1, 2), "exactly one way");
  refused(camera, of_sensor("base_line_m", 0.1, 0.2), "baseline_m");
  refused(camera, of_sensor("rotation_x_rad", 0, 4), "sensor.rotation_x_rad = 4 is not in");
  refused(camera, of_sensor("min_range_m", 0, 2000), "at 2000");
  refused(camera, of_entity(0, "reflectivity", 0, 1), "it is of an entity");
  Rosette rosette;
  rosette.points = 10, rosette.field_of_view_rad = 1, rosette.prism1_hz = 10, rosette.prism2_hz = 3;
  rosette.points_per_s = 100;
  refused(make_sensor(rosette), of_sensor("focal_length_mm", 1, 2), "focal_length_mm");
  GridScanner grid;
  grid.size_x_m = 1, grid.size_y_m = 1, grid.resolution_m = 0.1;
  refused(make_sensor(grid), of_sensor("size_x_m", 1, 2), "11 x 11 rays would become 11 x 21");
  ParameterRange focal = of_sensor("fx", 0, 1e7);  // the limits of the field
  focal.law = ParameterRange::Law::kNormal, focal.mean = 20, focal.stddev = 1;
  refused(camera, focal, "range of stereo_camera.fx, at 0 (narrower limits keep it from there): ");
  ParameterRange range = of_sensor("baseline_m", 0, 0.1);
  range.law = ParameterRange::Law::kLogUniform;
  refused(make_sensor(make_stereo(4, 3, 20, 0.1)), range, "a log-uniform law needs low above 0");
}

/// Fields of draws are continuous where a scan closes; the sensor as given decides whether it closes.
TEST(DrawnFieldRefusals, OfScansThatCloseUnderCorrelatedDraws) {
  Laser2d laser;
  laser.rays = 8, laser.min_azimuth_rad = -2.5, laser.max_azimuth_rad = 2.5;
  const ParameterRange to_the_turn = of_sensor("max_azimuth_rad", 2.4, 2.0 * std::numbers::pi * 7 / 8 - 2.5);
  refused(make_sensor(laser, {ChainEntry(DistanceNoise{.stddev_m = 0.1F}, Correlation{.across_px = 0.3F})}),
          to_the_turn, "this changes whether its scan closes");
  EXPECT_NO_THROW(Environments(make_plane_scene({5, 0}), make_sensor(laser, {DistanceNoise{.stddev_m = 0.1F}}),
                               options_with({to_the_turn})));
}

TEST(DrawnFieldRefusals, OfATruncatedNormalLaw) {
  const Sensor camera = make_sensor(make_stereo(4, 3, 20, 0.1));
  ParameterRange range = of_sensor("baseline_m", 0.04, 0.06);
  range.law = ParameterRange::Law::kTruncatedNormal, range.mean = 0.05, range.stddev = 0.001;
  EXPECT_NO_THROW(Environments(make_plane_scene({5, 0}), camera, options_with({range})));
  for (const double wrong : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    range.stddev = wrong;
    refused(camera, range, "a stddev above 0");
  }
  range.stddev = 0.001, range.mean = NAN;
  refused(camera, range, "a finite mean");
  range.mean = 0.3;
  refused(camera, range, "[0.04, 0.06] is too far from the mean 0.3 for a stddev of 0.001");
  range.mean = 0.05, range.high = range.low;
  refused(camera, range, "low below high");
}

TEST(DrawnFieldRefusals, OfEntities) {
  const auto entity_refused = [](const ParameterRange& range, const std::string& text) {
    EXPECT_TRUE(contains(input_error([&] {
                           Environments(make_plane_scene({5, 0}), options_with({}, {range}));
                         }),
                         text));
  };
  entity_refused(of_entity(7, "reflectivity", 0, 1), "entity 7 is not in [0, 1)");
  entity_refused(of_entity(0, "reflectivity", 0, 1.5), "entity 'plane'.reflectivity = 1.5 is not in [0, 1]");
  entity_refused(of_entity(0, "reflectivty", 0, 1), "nearest known: 'reflectivity'");
  entity_refused(of_entity(0, "position_x_m", NAN, 1), "position_x_m = nan is not in");
  entity_refused(of_sensor("baseline_m", 0, 1), "it is not of an entity");
  Scene scene = make_plane_scene({5, 0});
  scene.add_material({.name = "matt", .reflectivity = 0.3F});
  Entity sign = {.name = "sign", .mesh = MeshId{0}};
  sign.material = "matt";
  scene.add_entity(sign);
  EXPECT_TRUE(
      contains(input_error([&] { Environments(scene, options_with({}, {of_entity(1, "reflectivity", 0, 1)})); }),
               "range of entity 'sign'.reflectivity: its material 'matt' has the reflectivity"));
}

TEST(DrawnFieldRefusals, ADrawThatDoesNotFitChangesNothing) {
  const Sensor sensor = make_sensor(make_stereo(4, 3, 20, 0.1));
  // Clipped, every other baseline is 0, which fits the sensor, but not a chain that an environment gets later.
  ParameterRange range = of_sensor("baseline_m", 0, 1);
  range.law = ParameterRange::Law::kNormal, range.mean = 0, range.stddev = 0.1;
  const auto baseline_of = [&](std::uint64_t seed) {
    Sensor drawn = sensor;
    return draw_ranges(drawn, std::array{range}, seed)[0].value;
  };
  std::uint64_t seed = 0;
  while (baseline_of(seed) == 0) ++seed;
  std::uint32_t episode = 1;
  while (baseline_of(episode_seed(seed, 0, episode)) > 0) ++episode;
  Environments batch(make_plane_scene({5, 0}), sensor,
                     {.simulator = {.seed = seed, .compute = {.threads = 1}}, .count = 1, .ranges = {range}});
  batch.set_noise(0, {StereoShadow{}});
  Frame before(all_channels()), after(all_channels());
  batch.render(0, before);
  EXPECT_TRUE(contains(input_error([&] { batch.reset(0, episode); }),
                       "sensor 'lidar', as drawn: stereo_shadow needs two cameras apart"));
  EXPECT_EQ(batch.episodes()[0], 0U);
  batch.render(0, after);
  EXPECT_TRUE(same_bits(before.range_m(), after.range_m()));
}

}  // namespace
}  // namespace fathom::test
