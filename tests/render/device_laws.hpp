// SPDX-License-Identifier: MIT
#pragma once
// Laws of a device: its frames have the bits of the processor. tests/render/device applies them to a fake driver, and
// tests/gpu to a GPU.

#include <functional>
#include <thread>

#include <fathom/noise/models.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/simulator.hpp>

#include "render/any_sensors.hpp"
#include "render/test_scenes.hpp"

namespace fathom::test {

inline SimulatorOptions options_on(Device device, std::uint64_t seed = 7) {
  return {.seed = seed, .compute = {.threads = 1, .device = device}};
}

inline Frame frame_on(Device device, const Scene& scene, const Sensor& sensor, std::uint32_t index = 0) {
  return render_once(scene, sensor, all_channels(), options_on(device), index);
}

/// A sensor with losses, edge losses and noise.
inline Sensor any_stereo() {
  Sensor sensor = make_sensor(make_stereo(61, 37, 40.0, 0.2), {}, {}, "stereo");
  sensor.noise = {EdgeLoss{.min_angle_rad = 0.2F, .low_probability = 0.2F, .high_probability = 0.9F}, StereoShadow{},
                  DistanceNoise{.stddev_m = 0.02F}, Dropout{.probability = 0.1F}};
  return sensor;
}

/// The same with a matching window, and rays that noise turns.
inline Sensor any_with_window() {
  Sensor sensor = any_stereo();
  sensor.noise.insert(sensor.noise.begin(), AngularRay{.stddev_rad = 0.002F});
  sensor.noise.push_back(MatchingWindow{.radius_px = 2, .sure_share = 0.4F, .min_area_px = 9});
  return sensor;
}

/// A lidar whose rays widen, with three returns of each.
inline Sensor any_with_returns() {
  Sensor sensor = make_sensor(make_lidar(40, 90), three_gaussians());
  sensor.noise.emplace_back(Dropout{.probability = 0.1F});
  sensor.divergence = {.horizontal_rad = 0.05F, .vertical_rad = 0.03F, .separation_m = 0.2F};
  sensor.returns = {ReturnChoice::kStrongest, ReturnChoice::kLast, ReturnChoice::kSecond};
  sensor.falloff = {FalloffLaw::kInverseSquare, 2.0F};
  return sensor;
}

/// Called between frames.
using Between = std::function<void()>;

/// What moves, deforms, and has other rays in each frame.
inline void expect_frames_that_follow(
    Device device, const Between& between = [] {}) {
  Simulator here(make_room_scene(), options_on({})), there(make_room_scene(), options_on(device));
  const Rosette rosette = {
      .points = 500, .field_of_view_rad = 1.0, .prism1_hz = 121.0, .prism2_hz = -77.0, .points_per_s = 1e5};
  for (Simulator* s : {&here, &there}) {
    s->add_sensor(any_stereo());
    s->add_sensor(make_sensor(rosette, three_gaussians(), {}, "rosette"));
  }
  Frame wanted(all_channels()), found(all_channels());
  for (std::uint32_t k = 0; k < 4; ++k) {
    for (Simulator* s : {&here, &there}) {
      s->scene().set_pose(EntityId{1}, {{3.0 - k, 1, -1}, {}});
      auto vertices = make_sphere(0.5).vertices_m;
      for (auto& v : vertices) v[2] *= 1.5F;
      if (k == 2) s->scene().replace_vertices(MeshId{1}, vertices);
    }
    for (const SensorId id : {SensorId{0}, SensorId{1}}) {
      here.render(id, k, wanted), there.render(id, k, found);
      EXPECT_EQ(channels_that_differ(wanted, found), "") << "frame " << k;
    }
    between();
  }
}

/// Losses, windows with regions, several returns, correlated draws.
inline void expect_frames_of_every_kind(
    Device device, const Between& between = [] {}) {
  Sensor correlated = any_stereo();
  correlated.noise[2].correlation = {.across_px = 3, .down_px = 2, .time_s = 0.35};
  for (const Sensor& sensor : {any_stereo(), any_with_window(), any_with_returns(), correlated}) {
    Simulator here(make_room_scene(), options_on({})), there(make_room_scene(), options_on(device));
    const SensorId id = here.add_sensor(sensor);
    there.add_sensor(sensor);
    Frame wanted(all_channels()), found(all_channels());
    for (std::uint32_t k = 0; k < 2; ++k) {
      here.render(id, k, wanted), there.render(id, k, found);
      EXPECT_EQ(channels_that_differ(wanted, found), "") << sensor.name << ", frame " << k;
      between();
    }
  }
}

/// Simulators on separate threads, which go on after an interrupt.
inline void expect_frames_on_threads(Device device) {
  const Frame wanted = frame_on({}, make_room_scene(), any_stereo());
  std::vector<std::string> differ(3);
  std::vector<std::thread> threads;
  for (std::string& d : differ) {
    threads.emplace_back([&] {
      SimulatorOptions options = options_on(device);
      bool stops = true;
      options.should_stop = [&] { return stops; };
      Simulator simulator(make_room_scene(), options);
      const SensorId id = simulator.add_sensor(any_stereo());
      Frame frame(all_channels());
      EXPECT_THROW(simulator.render(id, 0, frame), Interrupted);
      stops = false;
      for (int k = 0; k < 3; ++k) simulator.render(id, 0, frame);
      d = channels_that_differ(wanted, frame);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(differ, std::vector<std::string>(3));
}

/// Environments on a device beside those on the processor, with two sensors.
class Pair {
 public:
  explicit Pair(
      Environments here, Environments there, Between between = [] {})
      : here_(std::move(here)), there_(std::move(there)), between_(std::move(between)) {}
  template <class F>
  void both(F f) {
    f(here_), f(there_);
  }
  [[nodiscard]] std::string difference(std::uint32_t index, const EnvironmentNumbers& which = {}) {
    between_();
    here_.render(index, std::array{&wanted_[0], &wanted_[1]}, which);
    there_.render(index, std::array{&found_[0], &found_[1]}, which);
    return channels_that_differ(wanted_[0], found_[0]) + channels_that_differ(wanted_[1], found_[1]);
  }

 private:
  Environments here_, there_;
  Between between_;
  std::array<Frame, 2> wanted_ = {Frame(all_channels()), Frame(all_channels())};
  std::array<Frame, 2> found_ = wanted_;
};

/// Environments with the rays of their sensor.
inline Pair make_pair_on(
    Device device, std::uint32_t count, const Between& between = [] {}) {
  const auto make = [&](Device on) {
    Environments made(make_room_scene(), {.simulator = options_on(on), .count = count});
    Sensor lidar = make_sensor(make_lidar(5, 33), three_gaussians());
    lidar.ignore = {EntityId{2}};
    made.add_sensor(any_stereo());
    made.add_sensor(lidar, {{.entry = 2, .field = "stddev_m", .low = 0.01, .high = 0.5}});
    return made;
  };
  return Pair(make({}), make(device), between);
}

/// Environments with their own rays and entities.
inline Pair make_drawn_pair_on(
    Device device, std::uint32_t count, const Between& between = [] {}) {
  const auto range_of = [](ParameterRange::Target target, const char* field, double low, double high) {
    return ParameterRange{.field = field, .low = low, .high = high, .entity = EntityId{1}, .target = target};
  };
  const auto make = [&](Device on) {
    Environments made(make_room_scene(),
                      {.simulator = options_on(on),
                       .count = count,
                       .entity_ranges = {range_of(ParameterRange::Target::kEntity, "reflectivity", 0, 1),
                                         range_of(ParameterRange::Target::kEntity, "position_y_m", -0.5, 0.5)}});
    made.add_sensor(any_stereo(), {range_of(ParameterRange::Target::kSensor, "fx", 15, 40),
                                   range_of(ParameterRange::Target::kSensor, "fy", 5, 90),  // packets of several shapes
                                   range_of(ParameterRange::Target::kSensor, "baseline_m", 0.05, 0.4),
                                   range_of(ParameterRange::Target::kSensor, "rotation_z_rad", -1, 1)});
    made.add_sensor(make_sensor(make_lidar(5, 33), three_gaussians()),
                    {range_of(ParameterRange::Target::kSensor, "rate_hz", 5, 20)});
    return made;
  };
  return Pair(make({}), make(device), between);
}

inline void expect_environments_that_move(Pair pair, std::uint32_t count) {
  EXPECT_EQ(pair.difference(0), "");
  for (std::uint32_t e = 0; e < count; ++e) {
    pair.both([&](Environments& all) { all.set_entity_pose(e, EntityId{1}, {{0.5 * (e % 20), -1, 0}, {}}); });
  }
  EXPECT_EQ(pair.difference(1), "");
  const std::vector<std::uint32_t> some = {7, 2, 3};
  pair.both([&](Environments& all) {
    all.set_noise(3, {DistanceNoise{.stddev_m = 0.5F}}, SensorId{0});
    all.set_sensor_pose(2, {{1, 0, 0.5}, {}}, SensorId{1});
    all.reset(std::span<const std::uint32_t>(some));
  });
  EXPECT_EQ(pair.difference(2, std::span<const std::uint32_t>(some)), "");
  EXPECT_EQ(pair.difference(3), "");
}

inline void expect_environments_that_draw(Pair pair) {
  EXPECT_EQ(pair.difference(0), "");
  EXPECT_EQ(pair.difference(1), "");
  const std::vector<std::uint32_t> some = {7, 2};
  pair.both([&](Environments& all) { all.reset(std::span<const std::uint32_t>(some)); });
  EXPECT_EQ(pair.difference(2), "");
}

}  // namespace fathom::test
