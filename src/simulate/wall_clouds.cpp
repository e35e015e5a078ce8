// SPDX-License-Identifier: MIT
#include <fathom/calibrate/wall_clouds.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>

#include "base/with_prefix.hpp"
#include "sensor/sensor_view.hpp"
#include "simulate/cloud_points.hpp"
#include "simulate/cloud_ranges.hpp"
#include "simulate/ring_rows.hpp"
#include "simulate/scene_text.hpp"
#include "simulate/turn_clouds.hpp"
#include "simulate/wall_pattern.hpp"
#include "text/yaml_tree.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnySensor = "scene: {meshes: {}, entities: []}\nsensors: [{name: lidar, preset: VLP-16}]\n";

/// Whether the columns of the middle row go round.
bool is_full_turn(const WallSensor& sensor) {
  const std::vector<Vec3>& d = sensor.lidar->direction;
  const std::size_t first = sensor.rows / 2 * std::size_t{sensor.cols}, last = first + sensor.cols - 1;
  return sensor.cols > 2 && norm(d[first] - d[last]) < 1.5 * norm(d[first] - d[first + 1]);
}

/// Of a model, as lines of a scene file.
std::string entry_of(const SensorModel& model) {
  const std::string_view kind = sensor_kind(model);
  std::string text = fmt::format("type: {}\n", kind);
  for (const SensorKindInfo& info : sensor_kinds()) {
    if (info.slug != kind) continue;
    // Rays that a file has are not among the fields.
    if (info.rays_from_file) return {};
    for (const FieldInfo& field : info.fields) {
      const std::vector<double> values = get_sensor_field(model, field.name);
      if (values == field.default_numbers && !field.required) continue;
      text += fmt::format("{}: {}\n", field.name, field_text(field, values));
    }
  }
  return text;
}

WallSensor lidar_of(const SceneSetup& setup, const std::string& name) {
  const SensorSetup& entry = setup.sensors[find_sensor(setup, "")];
  const Sensor& sensor = entry.sensor;
  if (sensor.returns.size() != 1) {
    throw InputError(
        fmt::format("{}: sensor '{}' reports several returns of a ray, and a wall takes one", name, sensor.name));
  }
  const bool is_preset = !entry.preset.empty() && entry_of(sensor.model) == entry_of(find_preset(entry.preset).model);
  const std::string text = is_preset ? fmt::format("preset: {}\n", entry.preset) : entry_of(sensor.model);
  return with_prefix(name, [&] { return wall_lidar(sensor.model, text); });
}

}  // namespace

WallSensor wall_lidar(const SensorModel& model, std::string entry) {
  const PatternShape shape = pattern_shape(model);
  if (make_view(model).rays_vary) throw InputError("rays vary from frame to frame: points do not tell which they are");
  if (shape.rows < 2 || shape.cols < 2) {
    throw InputError(fmt::format("{} x {} rays: a lidar before a wall has two rows and two columns at least",
                                 shape.rows, shape.cols));
  }
  const RayPattern rays = make_pattern(model);
  WallSensor sensor{.rows = rays.rows, .cols = rays.cols};
  WallLidar lidar;
  lidar.entry = std::move(entry);
  lidar.min_range_m = double{*std::max_element(rays.min_range_m.begin(), rays.min_range_m.end())};
  sensor.max_range_m = double{*std::min_element(rays.max_range_m.begin(), rays.max_range_m.end())};
  for (std::size_t i = 0; i < sensor.rays(); ++i) {
    lidar.direction.push_back({double{rays.direction_x[i]}, double{rays.direction_y[i]}, double{rays.direction_z[i]}});
    if (!rays.origin_x.empty()) {
      lidar.origin_m.push_back({double{rays.origin_x[i]}, double{rays.origin_y[i]}, double{rays.origin_z[i]}});
    }
    lidar.ring.push_back(rays.ring.empty() ? static_cast<std::uint16_t>(i / rays.cols) : rays.ring[i]);
  }
  sensor.lidar = std::move(lidar);
  sensor.lidar->is_full_turn = is_full_turn(sensor);
  return sensor;
}

WallSensor find_wall_lidar(const std::string& preset_or_file) {
  std::error_code error;
  if (!fs::is_regular_file(preset_or_file, error)) {
    // A path that is missing looks like no preset.
    if (preset_or_file.find_first_of("/.") != std::string::npos) {
      throw InputError(fmt::format("{}: is not there", preset_or_file));
    }
    const SensorModel& model = find_preset(preset_or_file).model;
    return with_prefix(preset_or_file, [&] { return wall_lidar(model, fmt::format("preset: {}\n", preset_or_file)); });
  }
  const YamlValue root = parse_yaml(read_yaml_text(preset_or_file), preset_or_file);
  if (root.find("sensors") != nullptr) return lidar_of(read_scene_file(preset_or_file), preset_or_file);
  // Its name does not matter, and may be missing.
  return lidar_of(read_scene_text(kAnySensor, preset_or_file, {"sensors.0=@" + preset_or_file, "sensors.0.name=lidar"}),
                  preset_or_file);
}

WallFrames read_wall_clouds(std::span<const FrameFile> files, const WallSensor& lidar) {
  WallFrames frames{.sensor = lidar, .measured_m = {}};
  const RayFinder finder(wall_pattern(lidar));
  const PatternShape shape = {lidar.rows, lidar.cols};
  for (const FrameFile& one : files) {
    const CloudRanges ranges = find_ranges(read_cloud_points(one.file), finder, shape);
    if (!ranges.lies_on_rays()) {
      if (const auto rows = RingRows::of(lidar)) return read_turn_clouds(files, lidar, *rows);
    }
    check_ranges(ranges, one.file, "lidar");
    frames.measured_m.insert(frames.measured_m.end(), ranges.range_m.begin(), ranges.range_m.end());
    frames.names.push_back(one.file.string());
  }
  return frames;
}

}  // namespace fathom
