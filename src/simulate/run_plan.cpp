// SPDX-License-Identifier: MIT
#include <fathom/simulate/run_plan.hpp>

#include <cstddef>
#include <string>

#include <fathom/frame/channel_list.hpp>
#include <fathom/sensor/kinds.hpp>

#include "simulate/prepare_run.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

// Measured with the caster that takes more, Embree: what a triangle costs in the meshes and in their trees, and a ray
// in the pattern and in the plan of its casting.
constexpr std::uint64_t kBytesPerTriangle = 150, kBytesPerPlannedRay = 60;

std::uint64_t channel_bytes(ChannelSet channels) {
  std::uint64_t bytes = 0;
  for (const ChannelInfo& channel : channel_list()) {
    if (channels.contains(channel.channel)) bytes += channel.bytes();
  }
  return bytes;
}

SensorPlan plan_sensor(const SensorSetup& setup, const RunSensor& sensor, const RayPattern& pattern) {
  SensorPlan plan;
  plan.name = setup.sensor.name;
  plan.kind = std::string(sensor_kind(setup.sensor.model));
  plan.preset = setup.preset;
  plan.rows = pattern.rows;
  plan.cols = pattern.cols;
  plan.frames = sensor.frames;
  plan.returns = static_cast<std::uint32_t>(setup.sensor.returns.size());
  const FrameShape shape = {plan.rows, plan.cols, sensor.channels, plan.returns};
  for (const OutputFile& file : sensor.files) {
    plan.outputs.push_back({plan.name + "/" + file.name(0), file.is_log() ? 1 : std::uint64_t{sensor.frames},
                            file.bytes_at_most(shape, sensor.frames)});
  }
  return plan;
}

}  // namespace

std::uint64_t RunPlan::files() const {
  std::uint64_t count = 1;
  for (const SensorPlan& sensor : sensors) {
    for (const PlannedOutput& output : sensor.outputs) count += output.files;
  }
  return count;
}

std::uint64_t RunPlan::bytes_at_most() const {
  std::uint64_t bytes = 0;
  for (const SensorPlan& sensor : sensors) {
    for (const PlannedOutput& output : sensor.outputs) bytes += output.bytes_at_most;
  }
  return bytes;
}

namespace {

RunPlan plan_within_memory(const SceneSetup& setup, const RunOptions& options) {
  RunOptions what;  // without how
  what.frames = options.frames;
  what.seed = options.seed;
  what.environment = options.environment;
  what.episode = options.episode;
  PreparedRun run = prepare_run(setup, what);
  RunPlan plan;
  plan.frames = run.frames;
  for (std::size_t i = 0; i < run.sensors.size(); ++i) {
    const RunSensor& sensor = run.sensors[i];
    const RayPattern& pattern = run.simulator.pattern(sensor.id, 0);
    plan.sensors.push_back(plan_sensor(setup.sensors[i], sensor, pattern));
    plan.memory_bytes += plan.sensors.back().rays() *
                         (kBytesPerPlannedRay + plan.sensors.back().returns * channel_bytes(sensor.channels));
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

RunPlan plan_run(const SceneSetup& setup, const RunOptions& options) {
  return within_memory(
      setup.file, [&] { return plan_within_memory(setup, options); }, "the run does not fit into memory");
}

}  // namespace fathom
