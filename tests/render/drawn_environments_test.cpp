// SPDX-License-Identifier: MIT
// What is drawn of sensors and entities in a batch of environments is what the environment alone has, a simulator with
// these values, and a device: bit by bit.

#include "render/any_sensors.hpp"
#include "render/parameter_range.hpp"
#include "render/simulators.hpp"
#include "scene/poses.hpp"
#include "support/host_device.hpp"

namespace fathom::test {
namespace {

/// A range of a law around the middle of [low, high].
ParameterRange any_range(ParameterRange::Target target, std::string field, double low, double high) {
  ParameterRange range = {.field = std::move(field), .target = target};
  range.law = *rc::gen::element(ParameterRange::Law::kUniform, ParameterRange::Law::kNormal,
                                ParameterRange::Law::kTruncatedNormal);
  range.low = low, range.high = high;
  range.mean = any_between(low, high), range.stddev = (high - low) * any_between(0.1, 2.0);
  return range;
}

std::vector<ParameterRange> any_offsets(ParameterRange::Target target) {
  std::vector<ParameterRange> ranges;
  for (const std::string_view field : kPoseOffsetFields) {
    if (*rc::gen::inRange(0, 3) == 0) ranges.push_back(any_range(target, std::string(field), -0.4, 0.4));
  }
  return ranges;
}

std::vector<ParameterRange> any_ranges(const Sensor& sensor) {
  std::vector<ParameterRange> ranges = any_offsets(ParameterRange::Target::kSensor);
  const auto maybe = [&](const char* field, double low, double high) {
    if (*rc::gen::arbitrary<bool>()) ranges.push_back(any_range(ParameterRange::Target::kSensor, field, low, high));
  };
  if (std::holds_alternative<StereoCamera>(sensor.model)) {
    maybe("baseline_m", 0.05, 0.4);
    maybe("fx", 15, 30);
    maybe("fy", 10, 50);  // so that packets have other shapes
    maybe("cx", 2, 8);
    maybe("cy", 2, 8);
  } else if (std::holds_alternative<TofCamera>(sensor.model)) {
    maybe("fx", 15, 30);
    maybe("footprint_px", 0, 2);
  } else {
    maybe("start_azimuth_rad", -1, 1);
    maybe("rate_hz", 5, 20);
  }
  maybe("min_range_m", 0.0, 1.0);
  return ranges;
}

/// The material decides the reflectivity of its entities.
std::vector<ParameterRange> any_entity_ranges(const Scene& scene) {
  std::vector<ParameterRange> ranges;
  for (const std::uint32_t entity : {1U, 2U}) {
    std::vector<ParameterRange> of_one = any_offsets(ParameterRange::Target::kEntity);
    const bool is_free = scene.entities()[entity].material.empty();
    if (is_free && *rc::gen::arbitrary<bool>()) {
      of_one.push_back(any_range(ParameterRange::Target::kEntity, "reflectivity", 0.0, 1.0));
    }
    for (ParameterRange& range : of_one) {
      range.entity = EntityId{entity};
      ranges.push_back(range);
    }
  }
  return ranges;
}

/// A simulator with what the episode of that seed draws.
Frame simulated(Scene scene, Sensor sensor, const std::vector<ParameterRange>& ranges,
                const std::vector<ParameterRange>& entity_ranges, const SimulatorOptions& options, std::uint32_t index,
                bool on_device) {
  const EntityDraw drawn = draw_entities(scene.entities(), entity_ranges, options.seed);
  for (const auto& [entity, offset] : drawn.offset) {
    scene.set_motion(entity, moved(scene.entities()[fathom::index(entity)].parent_from_entity, offset));
  }
  draw_ranges(sensor, ranges, options.seed);
  SharedTrees trees(scene, options.compute, 0.0);
  if (on_device) trees.render_on(make_host_device);
  Simulator simulator = trees.make_simulator(scene, options);
  for (const auto& [entity, value] : drawn.reflectivity) SharedTrees::set_reflectivity(simulator, entity, value);
  Frame frame(all_channels());
  simulator.render(simulator.add_sensor(std::move(sensor)), index, frame);
  return frame;
}

RC_GTEST_PROP(DrawnEnvironments, EachIsWhatItIsAloneAndInASimulatorAndOnADevice, ()) {
  Scene scene = any_room();
  if (*rc::gen::arbitrary<bool>()) {
    scene.set_motion(EntityId{2},
                     Trajectory({{0, {{-2, -2, 0}, {}}}, {1, {{2, -2, 0}, from_roll_pitch_yaw(0, 0, 2)}}}));
  }
  Sensor sensor = any_sensor();
  sensor.rolling = false;
  const std::vector<ParameterRange> ranges = any_ranges(sensor), entity_ranges = any_entity_ranges(scene);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto index = static_cast<std::uint32_t>(*rc::gen::inRange(0, 5));
  constexpr std::uint32_t kFirst = 3, kCount = 5, kThis = 2;
  const auto batch_of = [&](std::uint32_t first, std::uint32_t count, int threads) {
    auto batch = std::make_unique<Environments>(
        scene, sensor,
        Environments::Options{.simulator = {.seed = seed, .compute = {.threads = threads}},
                              .count = count,
                              .first = first,
                              .ranges = ranges,
                              .entity_ranges = entity_ranges});
    batch->reset(kFirst + kThis, 4);
    return batch;
  };
  const auto all = batch_of(kFirst, kCount, 2), alone = batch_of(kFirst + kThis, 1, 1);
  Frame many(all_channels()), one(all_channels());
  all->render(index, many);
  alone->render(index, one);
  for (std::uint32_t k = 0; k < one.returns(); ++k) {
    RC_ASSERT(same_environment(many.of_return(k), kThis, one.of_return(k), 0, one.rays()));
  }
  const SimulatorOptions options = {.seed = episode_seed(seed, kFirst + kThis, 4), .compute = {.threads = 1}};
  for (const bool on_device : {false, true}) {
    const Frame plain = simulated(scene, sensor, ranges, entity_ranges, options, index, on_device);
    RC_ASSERT(channels_that_differ(one, plain) == std::string());
  }
  const auto values = all->drawn_values(SensorId{0});
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const double value = values[kThis * ranges.size() + k];
    RC_ASSERT(value >= ranges[k].low && value <= ranges[k].high);
    RC_ASSERT(all->drawn(kFirst + kThis)[k].value == value);
  }
}

// Whatever is drawn: the sensor is refused when it is added.
TEST(DrawnEnvironments, RangesThatDoNotFitTogetherAreRefused) {
  const auto add = [](double low_m, double high_m) {
    return input_error([&] {
      Environments batch(make_room_scene(), {.simulator = {.seed = 5, .compute = {.threads = 1}}, .count = 1});
      batch.add_sensor(
          make_sensor(make_stereo(20, 15, 18, 0.1), {}, {}, "cam"),
          {{.field = "max_range_m", .low = high_m, .high = high_m + 20, .target = ParameterRange::Target::kSensor},
           {.field = "position_x_m", .low = -1, .high = 1, .target = ParameterRange::Target::kSensor},
           {.field = "min_range_m", .low = 0, .high = low_m, .target = ParameterRange::Target::kSensor}});
    });
  };
  EXPECT_EQ(add(2, 3), "");
  EXPECT_EQ(add(4, 3),
            "sensor 'cam': ranges of stereo_camera.max_range_m, at 3, and min_range_m, at 4: stereo_camera.min_range_m "
            "= 4 is not below max_range_m = 3");
}

std::vector<ParameterRange> offset_ranges(ParameterRange::Target target, EntityId entity = kNoEntity) {
  std::vector<ParameterRange> ranges;
  for (const std::string_view field : kPoseOffsetFields) {
    ranges.push_back({.field = std::string(field), .low = -0.3, .high = 0.3, .entity = entity, .target = target});
  }
  return ranges;
}

/// The offset that a list of six drawn values is.
Pose offset_of(const std::vector<ParameterRange::Drawn>& drawn) {
  std::array<double, 6> parts = {};
  for (std::size_t i = 0; i < 6; ++i) parts[i] = drawn.at(i).value;
  return pose_offset(parts);
}

// A pose that is set is the nominal one.
TEST(DrawnEnvironments, TheOffsetStillAppliesToAPoseThatIsSet) {
  const Sensor camera = make_sensor(make_stereo(20, 15, 18, 0.1), {}, {}, "cam");
  const EntityId table{1};
  Environments batch(make_room_scene(), camera,
                     {.simulator = {.seed = 9, .compute = {.threads = 1}},
                      .count = 4,
                      .ranges = offset_ranges(ParameterRange::Target::kSensor),
                      .entity_ranges = offset_ranges(ParameterRange::Target::kEntity, table)});
  const Pose sensor_pose = {{0.5, 0.25, 0}, from_roll_pitch_yaw(0, 0.1, 0.3)};
  const Pose table_pose = {{2.5, 0.5, -1}, from_roll_pitch_yaw(0.2, 0, -0.3)};
  batch.set_sensor_pose(2, sensor_pose);
  batch.set_entity_pose(2, table, table_pose);
  Frame frame(all_channels());
  const auto compare = [&] {
    batch.render(0, frame);
    Scene scene = make_room_scene();
    scene.set_pose(table, table_pose * offset_of(batch.entity_drawn(2)));
    Sensor sensor = camera;
    sensor.parent_from_sensor = sensor_pose * offset_of(batch.drawn(2));
    const std::uint64_t seed = episode_seed(9, 2, batch.episodes()[2]);
    const Frame plain = render_once(scene, sensor, all_channels(), {.seed = seed, .compute = {.threads = 1}});
    EXPECT_TRUE(same_environment(frame, 2, plain, 0, plain.size()));
  };
  compare();
  const double before = batch.entity_drawn(2)[0].value;
  batch.reset(2, 1);
  EXPECT_NE(batch.entity_drawn(2)[0].value, before);
  compare();
}

// Sensors of a batch see the same entities, and each has its own draws.
TEST(DrawnEnvironments, SensorsShareTheEntities) {
  const Environments::Options options = {.simulator = {.seed = 2, .compute = {.threads = 2}},
                                         .count = 7,
                                         .entity_ranges = offset_ranges(ParameterRange::Target::kEntity, EntityId{2})};
  const std::vector<ParameterRange> ranges = {
      {.field = "fx", .low = 15, .high = 30, .target = ParameterRange::Target::kSensor},
      {.field = "fy", .low = 5, .high = 60, .target = ParameterRange::Target::kSensor}};
  const Sensor left = make_sensor(make_stereo(20, 15, 18, 0.1), {}, {}, "left"),
               right = make_sensor(make_stereo(20, 15, 18, 0.1), {}, {{0, 1, 0}, {}}, "right");
  Environments both(make_room_scene(), options);
  both.add_sensor(left, ranges);
  both.add_sensor(right, ranges);
  EXPECT_NE(both.drawn_values(SensorId{0})[0], both.drawn_values(SensorId{1})[0]);
  Environments alone(make_room_scene(), options);
  alone.add_sensor(right, ranges);
  Frame a(all_channels()), b(all_channels()), c(all_channels());
  both.render(1, std::array{&a, &b});
  alone.render(1, c);
  EXPECT_EQ(channels_that_differ(b, c), "");
}

TEST(DrawnEnvironments, APartOfTheEnvironmentsMayBeRenderedWithRaysThatVary) {
  Rosette rosette;
  rosette.points = 200, rosette.field_of_view_rad = 1, rosette.prism1_hz = 100, rosette.prism2_hz = -63;
  rosette.points_per_s = 20000;
  const std::vector<ParameterRange> ranges = {
      {.field = "prism1_hz", .low = 50, .high = 150, .target = ParameterRange::Target::kSensor}};
  const Environments::Options options = {
      .simulator = {.seed = 2, .compute = {.threads = 1}}, .count = 4, .ranges = ranges};
  Environments batch(make_room_scene(), make_sensor(rosette), options),
      other(make_room_scene(), make_sensor(rosette), options);
  Frame a(all_channels()), b(all_channels());
  batch.render(0, a);
  batch.render(3, a, std::array{2U});
  other.render(3, b);
  EXPECT_TRUE(same_environment(a, 2, b, 2, 200));
  EXPECT_FALSE(same_environment(a, 1, b, 1, 200));
  batch.render(3, a);
  EXPECT_EQ(channels_that_differ(a, b), "");
}

}  // namespace
}  // namespace fathom::test
