// SPDX-License-Identifier: MIT
#include "run/prepare_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/kinds.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/files.hpp"
#include "render/parameter_range.hpp"
#include "render/simulators.hpp"
#include "run/sensor_topics.hpp"
#include "scene/poses.hpp"

namespace fathom {

namespace {

/// Finds mistakes of kinds of output that users write.
void check_file(const OutputFile& file, std::string_view slug) {
  if (!is_word(file.stem) || !is_word(file.extension)) {
    throw InputError(
        fmt::format("{}: '{}' cannot name a file: letters, digits, _ and - are allowed", slug, file.name(0)));
  }
  if (static_cast<bool>(file.write) == file.is_log() || !file.bytes_at_most) {
    throw InputError(fmt::format("{}: {} must have bytes_at_most and either write or begin_log", slug, file.name(0)));
  }
}

/// The channels that the files of a sensor and the counts of the summary need.
ChannelSet planned_channels(const SensorSetup& setup) {
  ChannelSet channels = {Channel::kReason};
  for (const Output& output : setup.outputs) channels = channels | output.needs(setup.sensor);
  return channels;
}

}  // namespace

std::vector<OutputFile> plan_files(const SensorSetup& setup) {
  std::vector<OutputFile> files;
  std::set<std::string> names;
  for (const Output& output : setup.outputs) {
    for (OutputFile& file : output.files(setup.sensor)) {
      check_file(file, output.info().slug);
      if (!names.insert(file.name(0)).second) {
        throw InputError(fmt::format("two outputs of '{}' write the same file {}", setup.sensor.name, file.name(0)));
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

void check_sensor_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  if (name.size() > kLongest || !is_word(name)) {
    throw InputError(
        fmt::format("'{}' cannot name a folder: 1 to {} letters, digits, _ and - are allowed", name, kLongest));
  }
}

void SensorNames::add(const std::string& name) {
  const auto [place, fresh] = by_lower_case_.emplace(lower_case(name), name);
  if (fresh) return;
  if (place->second == name) throw InputError(fmt::format("the name '{}' is there twice", name));
  throw InputError(
      fmt::format("the name '{}' differs from '{}' in case only; their folders would be one where file "
                  "names have no case",
                  name, place->second));
}

namespace {

RunEpisode episode_of(const SceneSetup& setup, const RunOptions& options) {
  return {options.seed.value_or(setup.seed), options.environment.value_or(setup.environment),
          options.episode.value_or(setup.episode)};
}

/// A simulator with the scene and without sensors.
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

/// Sets the parameters of entities that the simulator's seed draws.
std::vector<ParameterRange::Drawn> set_drawn_entities(const SceneSetup& setup, Simulator& simulator) {
  const std::vector<Entity>& entities = setup.scene.entities();
  const EntityDraw drawn = draw_entities(entities, setup.entity_ranges, simulator.options().seed);
  for (const auto& [entity, value] : drawn.reflectivity) SharedTrees::set_reflectivity(simulator, entity, value);
  for (const auto& [entity, offset] : drawn.offset) {
    simulator.scene().set_motion(entity, moved(entities[index(entity)].parent_from_entity, offset));
  }
  return named_values(setup.entity_ranges, drawn.values);
}

/// The number of frames that a sensor makes while the scene makes `frames`.
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

void check_frames(std::uint32_t frames) {
  if (frames >= 1 && frames <= kMaxFrames) return;
  throw InputError(fmt::format("frames = {} is not in [1, {}]", frames, kMaxFrames));
}

PreparedRun prepare_run(const SceneSetup& setup, const RunOptions& options, const SharedTrees* trees) {
  const std::uint32_t frames = options.frames.value_or(setup.frames);
  check_frames(frames);
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
    if (sensor_setup.ranges.empty()) continue;  // the same in all episodes
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

FrameSchedule::FrameSchedule(const Simulator& simulator, std::uint32_t sensors, std::uint32_t scene_frames)
    : simulator_(simulator) {
  constexpr std::uint64_t kMostFrames = std::numeric_limits<std::uint32_t>::max();
  streams_.push_back({event_of({}, 0), scene_frames});
  for (std::uint32_t i = 0; i < sensors; ++i) {
    const Timing& timing = simulator.sensor(SensorId{i}).timing;
    const std::uint64_t frames = count_frames(timing, clock_of(simulator.options()), scene_frames);
    streams_.push_back({{}, std::min(frames, kMostFrames)});
    if (frames > 0) streams_.back().next = event_of(SensorId{i}, 0);
  }
}

FrameEvent FrameSchedule::event_of(std::optional<SensorId> sensor, std::uint32_t index) const {
  if (!sensor) return {simulator_.stamp_s(index), index, {}, {}};
  const FrameTime time = simulator_.frame_time(*sensor, index);
  // A dropped frame keeps its place among the others.
  const double place_s =
      time.is_dropped() ? time.stamp_s + simulator_.sensor(*sensor).timing.latency_s : time.delivered_s;
  return {place_s, index, sensor, time};
}

void FrameSchedule::advance(Stream& stream) {
  const std::uint64_t index = std::uint64_t{stream.next->index} + 1;
  stream.next = index < stream.count ? std::optional(event_of(stream.next->sensor, static_cast<std::uint32_t>(index)))
                                     : std::nullopt;
}

FrameSchedule::Stream* FrameSchedule::earliest() {
  Stream* found = nullptr;
  for (Stream& stream : streams_) {
    if (stream.next && (found == nullptr || stream.next->time_s < found->next->time_s)) found = &stream;
  }
  return found;
}

std::optional<FrameEvent> FrameSchedule::next() {
  Stream* const stream = earliest();
  if (stream == nullptr) return std::nullopt;
  std::optional<FrameEvent> event = stream->next;
  advance(*stream);
  return event;
}

const std::vector<FrameEvent>& FrameSchedule::next_together() {
  together_.clear();
  for (Stream* stream = earliest(); stream != nullptr; stream = earliest()) {
    if (!together_.empty() && stream->next->time_s != together_.front().time_s) break;
    together_.push_back(*next());
  }
  return together_;
}

std::optional<FrameTime> last_delivered(const Simulator& simulator, SensorId sensor, double time_s) {
  const Timing& timing = simulator.sensor(sensor).timing;
  const SceneClock clock = clock_of(simulator.options());
  const double rate_hz = timing.rate_hz.value_or(clock.rate_hz);
  const double frames = (time_s - clock.start_s - timing.phase_s - timing.latency_s) * rate_hz;
  // Jitter and rounding move a frame by little more than half a period.
  const double first = std::min(std::floor(frames) + 2.0, double{std::numeric_limits<std::uint32_t>::max()});
  for (double k = first; k >= 0.0; --k) {
    const FrameTime time = simulator.frame_time(sensor, static_cast<std::uint32_t>(k));
    if (time.delivered_s <= time_s) return time;  // NaN fails
  }
  return std::nullopt;
}

namespace {

// Upper limits: a triangle in the meshes and their trees, a ray in the pattern and the plan of its casting, and a pixel
// in the memory of filters.
constexpr std::uint64_t kBytesPerTriangle = 150, kBytesPerPlannedRay = 60, kBytesPerFilteredRay = 40;

std::uint64_t channel_bytes(ChannelSet channels) {
  std::uint64_t bytes = 0;
  for (const ChannelInfo& channel : channel_list()) {
    if (channels.contains(channel.channel)) bytes += channel.bytes();
  }
  return bytes;
}

RunPlan::Sensor plan_sensor(const SensorSetup& setup, const RunSensor& sensor) {
  const RayPattern::Shape image = image_shape(setup.sensor);
  RunPlan::Sensor plan;
  plan.name = setup.sensor.name;
  plan.kind = std::string(sensor_kind(setup.sensor.model));
  plan.preset = setup.preset;
  plan.rows = image.rows;
  plan.cols = image.cols;
  plan.frames = sensor.frames;
  plan.returns = static_cast<std::uint32_t>(setup.sensor.returns.size());
  const OutputFile::Shape shape = {plan.rows, plan.cols, sensor.channels, plan.returns};
  for (const OutputFile& file : sensor.files) {
    plan.outputs.push_back({plan.name + "/" + file.name(0), file.is_log() ? 1 : std::uint64_t{sensor.frames},
                            file.bytes_at_most(shape, sensor.frames)});
  }
  return plan;
}

/// For the rays, the frame, and the frame before filters and alignment.
std::uint64_t memory_of(const Sensor& sensor, ChannelSet channels, const RunPlan::Sensor& plan) {
  const RayPattern::Shape shape = pattern_shape(sensor.model);
  const std::uint64_t rays = std::uint64_t{shape.rows} * shape.cols, pixel_bytes = channel_bytes(channels);
  const std::uint64_t bytes = rays * kBytesPerPlannedRay + plan.rays() * plan.returns * pixel_bytes;
  const bool is_filtered = sensor.filters.any() || sensor.aligned_to;
  return is_filtered ? bytes + rays * (kBytesPerFilteredRay + pixel_bytes) : bytes;
}

RunPlan plan_within_memory(const SceneSetup& setup, const RunOptions& options) {
  RunOptions what;  // without folder and `compute`
  what.frames = options.frames;
  what.seed = options.seed;
  what.environment = options.environment;
  what.episode = options.episode;
  PreparedRun run = prepare_run(setup, what);
  RunPlan plan;
  plan.frames = run.frames;
  for (std::size_t i = 0; i < run.sensors.size(); ++i) {
    const RunSensor& sensor = run.sensors[i];
    plan.sensors.push_back(plan_sensor(setup.sensors[i], sensor));
    plan.memory_bytes += memory_of(setup.sensors[i].sensor, sensor.channels, plan.sensors.back());
  }
  plan.ranges = setup.entity_ranges.size();
  for (const SensorSetup& sensor : setup.sensors) plan.ranges += sensor.ranges.size();
  plan.entities = setup.scene.entities().size();
  plan.meshes = setup.scene.meshes().size();
  for (const Mesh& mesh : setup.scene.meshes()) plan.triangles += mesh.triangles.size();
  plan.memory_bytes += plan.triangles * kBytesPerTriangle;
  return plan;
}

}  // namespace

std::uint64_t RunPlan::files() const {
  std::uint64_t count = 1;
  for (const RunPlan::Sensor& sensor : sensors) {
    for (const RunPlan::Sensor::Output& output : sensor.outputs) count += output.files;
  }
  return count;
}

std::uint64_t RunPlan::bytes_at_most() const {
  std::uint64_t bytes = 0;
  for (const RunPlan::Sensor& sensor : sensors) {
    for (const RunPlan::Sensor::Output& output : sensor.outputs) bytes += output.bytes_at_most;
  }
  return bytes;
}

RunPlan plan_run(const SceneSetup& setup, const RunOptions& options) {
  return within_memory(
      setup.file, [&] { return plan_within_memory(setup, options); }, "the run does not fit into memory");
}

}  // namespace fathom
