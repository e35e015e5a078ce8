#include <fathom/run_plan.hpp>

#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/output_list.hpp>
#include <fathom/sensor_fields.hpp>

#include "io/picture_size.hpp"
#include "io/point_layout.hpp"
#include "simulate/file_plan.hpp"
#include "simulate/scan_log_file.hpp"

namespace fathom {

namespace {

// Measured: what a triangle costs in the meshes and in Embree's trees, and a ray in the pattern and in the plan of its
// casting.
constexpr std::uint64_t kBytesPerTriangle = 150, kBytesPerRay = 60;
constexpr std::uint64_t kHeaderBytes = 1024;  // of a cloud or an array, at most
constexpr std::uint64_t kLogBytesPerReading = 12, kLogBytesPerScan = 80;

std::uint64_t channel_bytes(ChannelSet channels) {
  std::uint64_t bytes = 0;
  for (const ChannelInfo& channel : channel_list()) {
    if (channels.contains(channel.channel)) bytes += bytes_of(channel);
  }
  return bytes;
}

std::uint64_t picture_bytes(const SensorOutput& output, const SensorPlan& plan, bool by_angle) {
  constexpr std::uint32_t kGrey16 = 2, kRgb = 3;  // bytes per pixel
  switch (output.kind) {
    case OutputKind::kBirdsEyeView:
      return png_bytes_at_most(birds_eye_size(output.pixels, output.color, output.legend), kRgb);
    case OutputKind::kReasonPicture:
      return png_bytes_at_most(reason_picture_size(plan.rows, plan.cols, output.legend), kRgb);
    case OutputKind::kCameraSheet:
      return png_bytes_at_most(camera_sheet_size(plan.rows, plan.cols), kRgb);
    case OutputKind::kDepthPng:
      return png_bytes_at_most({plan.cols, plan.rows}, kGrey16);
    default:
      return png_bytes_at_most(by_angle ? angle_image_size(output.color, output.legend)
                                        : range_image_size(plan.rows, plan.cols, output.color, output.legend),
                               kRgb);
  }
}

/// Of one file of this output, at most.
std::uint64_t file_bytes(const SensorOutput& output, Channel channel, const SensorPlan& plan, ChannelSet present,
                         bool by_angle) {
  switch (output.kind) {
    case OutputKind::kPcd:
    case OutputKind::kPly:
    case OutputKind::kPointCloud2:
      return kHeaderBytes + plan.rays() * make_point_layout(output.cloud, present).step;
    case OutputKind::kNpy:
      return kHeaderBytes + plan.rays() * channel_bytes({channel});
    case OutputKind::kScanLog:
      return kLogBytesPerScan + kLogBytesPerReading * plan.rays();
    default:
      return picture_bytes(output, plan, by_angle);
  }
}

void plan_output(const SensorSetup& setup, const SensorOutput& output, std::uint32_t frames, ChannelSet present,
                 SensorPlan& plan) {
  if (output.kind == OutputKind::kScanLog) {
    const std::uint64_t header = kHeaderBytes + plan.rays() * 2 * kLogBytesPerReading;
    plan.outputs.push_back({plan.name + "/" + kScanLogName, 1,
                            header + frames * file_bytes(output, Channel::kRange, plan, present, false)});
    return;
  }
  const bool by_angle = is_seen_by_angle(setup.sensor.model);
  SensorSetup alone = setup;
  alone.outputs = {output};
  for (const PlannedFile& file : plan_files(alone)) {
    const Channel channel = channel_from_name(file.stem).value_or(Channel::kRange);
    plan.outputs.push_back(
        {plan.name + "/" + file.name(0), frames, frames * file_bytes(output, channel, plan, present, by_angle)});
  }
}

SensorPlan plan_sensor(const SensorSetup& setup, std::uint32_t frames, Simulator& simulator, SensorNames& names) {
  check_sensor_name(setup.sensor.name);
  names.add(setup.sensor.name);
  static_cast<void>(plan_files(setup));
  Sensor drawn = setup.sensor;
  static_cast<void>(draw_ranges(drawn, setup.ranges, simulator.options().seed));
  const SensorId id = simulator.add_sensor(std::move(drawn));
  if (wants_scan_log(setup)) check_scan_log(id, frames, simulator);
  SensorPlan plan;
  plan.name = setup.sensor.name;
  plan.kind = std::string(sensor_kind(setup.sensor.model));
  plan.preset = setup.preset;
  const RayPattern& pattern = simulator.pattern(id, 0);
  plan.rows = pattern.rows;
  plan.cols = pattern.cols;
  for (const SensorOutput& output : setup.outputs) plan_output(setup, output, frames, planned_channels(setup), plan);
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

RunPlan plan_run(const SceneSetup& setup, const RunOptions& options) {
  RunPlan plan;
  plan.frames = options.frames.value_or(setup.frames);
  if (plan.frames < 1 || plan.frames > kMaxFrames) {
    throw InputError(fmt::format("frames = {} is not in [1, {}]", plan.frames, kMaxFrames));
  }
  if (setup.sensors.empty()) throw InputError("the scene has no sensor");
  SimulatorOptions how;
  how.seed = episode_seed(options.seed.value_or(setup.seed), options.environment.value_or(setup.environment),
                          options.episode.value_or(setup.episode));
  how.rate_hz = setup.rate_hz;
  how.start_s = setup.start_s;
  Simulator simulator(setup.scene, how);
  SensorNames names;
  for (const SensorSetup& sensor : setup.sensors) {
    plan.sensors.push_back(plan_sensor(sensor, plan.frames, simulator, names));
    plan.memory_bytes += plan.sensors.back().rays() * (kBytesPerRay + channel_bytes(planned_channels(sensor)));
  }
  plan.entities = setup.scene.entities().size();
  plan.meshes = setup.scene.meshes().size();
  for (const Mesh& mesh : setup.scene.meshes()) plan.triangles += mesh.triangles.size();
  plan.memory_bytes += plan.triangles * kBytesPerTriangle;
  return plan;
}

}  // namespace fathom
