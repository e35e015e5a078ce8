// SPDX-License-Identifier: MIT
#include "simulate/prepare_run.hpp"

#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"
#include "render/parameter_range.hpp"
#include "render/simulator_options.hpp"
#include "scene/pose_offset.hpp"
#include "simulate/bag/sensor_topics.hpp"
#include "simulate/file_plan.hpp"

namespace fathom {

namespace {

RunEpisode episode_of(const SceneSetup& setup, const RunOptions& options) {
  return {options.seed.value_or(setup.seed), options.environment.value_or(setup.environment),
          options.episode.value_or(setup.episode)};
}

/// With the scene, and still without its sensors.
Simulator empty_simulator(const SceneSetup& setup, const RunOptions& options, const SharedTrees* trees) {
  const RunEpisode episode = episode_of(setup, options);
  SimulatorOptions how;
  how.seed = episode_seed(episode.seed, episode.environment, episode.episode);
  how.compute = options.compute;
  if (how.compute.device == Device{}) how.compute.device = setup.device;
  if (options.device) how.compute.device = *options.device;
  how.rate_hz = setup.rate_hz;
  how.start_s = setup.start_s;
  how.should_stop = options.should_stop;
  return trees == nullptr ? Simulator(setup.scene, how) : trees->make_simulator(setup.scene, how);
}

/// Gives the simulator's entities what its seed draws for them.
std::vector<DrawnParameter> set_drawn_entities(const SceneSetup& setup, Simulator& simulator) {
  const std::vector<Entity>& entities = setup.scene.entities();
  const EntityDraw drawn = draw_entities(entities, setup.entity_ranges, simulator.options().seed);
  for (const auto& [entity, value] : drawn.reflectivity) SharedTrees::set_reflectivity(simulator, entity, value);
  for (const auto& [entity, offset] : drawn.offset) {
    simulator.scene().set_motion(entity, moved(entities[index(entity)].parent_from_entity, offset));
  }
  return named_values(setup.entity_ranges, drawn.values);
}

/// How many frames a sensor makes while the scene makes `frames`.
std::uint32_t frames_of(const Simulator& simulator, const SensorSetup& setup, std::uint32_t frames) {
  const Timing& timing = setup.sensor.timing;
  const std::uint64_t count = count_frames(timing, clock_of(simulator.options()), frames);
  if (count >= 1 && count <= kMaxFrames) return static_cast<std::uint32_t>(count);
  const std::string place = place_of_timing(setup), run_s = number_text(frames / simulator.options().rate_hz);
  if (count == 0) {
    throw InputError(fmt::format("{}.phase_s = {} is not below the {} s of the run: the sensor would make no frame",
                                 place, number_text(timing.phase_s), run_s));
  }
  throw InputError(fmt::format("{}: the sensor would make {} frames in the {} s of the run, not 1 to {}", place, count,
                               run_s, kMaxFrames));
}

/// Adds the sensors of a scene file to its simulator, one after the other.
class SensorAdder {
 public:
  explicit SensorAdder(Simulator& simulator) : simulator_(simulator) {}

  /// The sensor with the parameters of the episode.
  RunSensor add(const SensorSetup& setup) {
    check_sensor_name(setup.sensor.name);
    names_.add(setup.sensor.name);
    RunSensor sensor;
    with_prefix(setup.place, [&] {
      Sensor drawn = setup.sensor;
      sensor.drawn = draw_ranges(drawn, setup.ranges, simulator_.options().seed);
      sensor.id = simulator_.add_sensor(std::move(drawn));
    });
    return sensor;
  }

 private:
  Simulator& simulator_;
  SensorNames names_;
};

}  // namespace

std::string place_of_timing(const SensorSetup& setup) {
  return setup.timing_place.empty() ? fmt::format("sensor '{}': timing", setup.sensor.name) : setup.timing_place;
}

PreparedRun prepare_run(const SceneSetup& setup, const RunOptions& options, const SharedTrees* trees) {
  const std::uint32_t frames = options.frames.value_or(setup.frames);
  if (frames < 1 || frames > kMaxFrames) {
    throw InputError(fmt::format("frames = {} is not in [1, {}]", frames, kMaxFrames));
  }
  if (setup.sensors.empty()) throw InputError("the scene has no sensor");
  PreparedRun run{frames, episode_of(setup, options), empty_simulator(setup, options, trees), {}, {}};
  for (const ParameterRange& range : setup.entity_ranges) check_range(setup.scene.entities(), range);
  run.drawn = set_drawn_entities(setup, run.simulator);
  SensorAdder adder(run.simulator);
  for (const SensorSetup& sensor_setup : setup.sensors) {
    RunSensor& sensor = run.sensors.emplace_back(adder.add(sensor_setup));
    sensor.files = plan_files(sensor_setup);
    sensor.channels = planned_channels(sensor_setup);
    if (!options.bag.empty()) sensor.channels = sensor.channels | SensorTopics::channels(sensor_setup);
    sensor.frames = frames_of(run.simulator, sensor_setup, frames);
    with_prefix(sensor_setup.place, [&] {
      for (const Output& output : sensor_setup.outputs) output.check_run(run.simulator, sensor.id, sensor.frames);
    });
  }
  return run;
}

void begin_episode(PreparedRun& run, const SceneSetup& setup, std::uint32_t environment, std::uint32_t episode) {
  run.episode.environment = environment;
  run.episode.episode = episode;
  const std::uint64_t seed = episode_seed(run.episode.seed, environment, episode);
  SharedTrees::set_seed(run.simulator, seed);
  run.drawn = set_drawn_entities(setup, run.simulator);
  for (std::size_t i = 0; i < run.sensors.size(); ++i) {
    const SensorSetup& sensor_setup = setup.sensors[i];
    if (sensor_setup.ranges.empty()) continue;  // it is the same in all episodes
    Sensor drawn = sensor_setup.sensor;
    run.sensors[i].drawn = draw_ranges(drawn, sensor_setup.ranges, seed);
    if (draws_model(sensor_setup.ranges) || draws_pose(sensor_setup.ranges)) {
      SharedTrees::set_sensor(run.simulator, run.sensors[i].id, std::move(drawn));
    } else {
      run.simulator.set_noise(run.sensors[i].id, std::move(drawn.noise));
    }
  }
}

Simulator make_simulator(const SceneSetup& setup, const RunOptions& options) {
  Simulator simulator = empty_simulator(setup, options, nullptr);
  for (const ParameterRange& range : setup.entity_ranges) check_range(setup.scene.entities(), range);
  static_cast<void>(set_drawn_entities(setup, simulator));
  SensorAdder adder(simulator);
  for (const SensorSetup& sensor : setup.sensors) static_cast<void>(adder.add(sensor));
  return simulator;
}

}  // namespace fathom
