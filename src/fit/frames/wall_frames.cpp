// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/fit/frames.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/simulator.hpp>

#include "core/errors.hpp"
#include "core/text/yaml.hpp"
#include "fit/frames/cloud_frames.hpp"
#include "fit/wall/wall_work.hpp"
#include "run/scene_file.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr double kUsualCameraM = 10.0, kUsualLaserM = 30.0, kMargin = 1.5;

double reach_m(const WallSensor& sensor, double farthest_m) {
  if (sensor.max_range_m > 0.0) return sensor.max_range_m;
  return std::max(sensor.camera ? kUsualCameraM : kUsualLaserM, std::ceil(kMargin * farthest_m));
}

double farthest_of(std::span<const WallMeasure::Bin> by_range) { return by_range.empty() ? 0.0 : by_range.back().high; }

/// The rays of a lidar before a wall.
RayPattern wall_pattern(const WallSensor& sensor) {
  const WallSensor::Lidar& lidar = *sensor.lidar;
  RayPattern rays;
  rays.rows = sensor.rows, rays.cols = sensor.cols;
  rays.min_range_m = {static_cast<float>(lidar.min_range_m)};
  rays.max_range_m = {static_cast<float>(sensor.max_range_m)};
  for (const Vec3& d : lidar.direction) {
    rays.direction_x.push_back(static_cast<float>(d.x)), rays.direction_y.push_back(static_cast<float>(d.y));
    rays.direction_z.push_back(static_cast<float>(d.z));
  }
  for (const Vec3& o : lidar.origin_m) {
    rays.origin_x.push_back(static_cast<float>(o.x)), rays.origin_y.push_back(static_cast<float>(o.y));
    rays.origin_z.push_back(static_cast<float>(o.z));
  }
  rays.ring = lidar.ring;
  return rays;
}

DepthCamera depth_camera(const WallSensor& sensor, double farthest_m) {
  const WallSensor::Camera& c = *sensor.camera;
  DepthCamera camera;
  camera.width = sensor.cols, camera.height = sensor.rows;
  camera.fx = c.fx_px, camera.fy = c.fy_px;
  camera.principal_point_px = {{c.cx_px, c.cy_px}};
  camera.max_range_m = reach_m(sensor, farthest_m);
  return camera;
}

/// Whether azimuths fall, as for a laser that turns clockwise.
bool is_falling(const std::vector<double>& azimuth_rad) {
  return azimuth_rad.size() > 1 && azimuth_rad.back() < azimuth_rad.front();
}

void check_order(const std::vector<double>& azimuth_rad) {
  const bool falls = is_falling(azimuth_rad);
  for (std::size_t i = 1; i < azimuth_rad.size(); ++i) {
    if (falls ? azimuth_rad[i] < azimuth_rad[i - 1] : azimuth_rad[i] > azimuth_rad[i - 1]) continue;
    throw InputError(fmt::format("ray {} points at {} rad, after {} rad: azimuths neither rise nor fall throughout", i,
                                 azimuth_rad[i], azimuth_rad[i - 1]));
  }
}

/// The pose of the wall's mesh, a very large rectangle perpendicular to the normal.
Pose wall_pose(const WallMeasure::Plane& plane) {
  // The plane of the mesh faces +z: towards the sensor, against the normal.
  const Vec3 z = {0.0, 0.0, 1.0}, to = -1.0 * plane.normal, axis = cross(z, to);
  const double cosine = dot(z, to);
  const Quaternion turn =
      cosine < -1.0 + 1e-12 ? Quaternion{0.0, 1.0, 0.0, 0.0} : normalized({1.0 + cosine, axis.x, axis.y, axis.z});
  return {plane.distance_m * plane.normal, turn};
}

/// Walls before a sensor, one at a time.
class WallScene {
 public:
  WallScene(const WallSensor& sensor, std::span<const WallMeasure::Plane> planes, const NoiseChain& chain,
            const WallOptions& options)
      : sensor_(sensor), planes_(planes), simulator_(make_scene(planes), options_of(options)) {
    double farthest_m = 0.0;
    for (const WallMeasure::Plane& plane : planes) farthest_m = std::max(farthest_m, 4.0 * plane.distance_m);
    Sensor seeing;
    seeing.name = "sensor", seeing.model = wall_sensor_model(sensor, farthest_m), seeing.noise = chain;
    id_ = simulator_.add_sensor(std::move(seeing));
  }

  /// Measures plane k in frame f; changes nothing if it was not found.
  void see(std::size_t k, std::size_t f, std::span<float> values) {
    if (!planes_[k].is_found) return;
    simulator_.scene().set_pose(wall_, wall_pose(planes_[k]));
    simulator_.render(id_, static_cast<std::uint32_t>(f), frame_);
    take(frame_, values);
  }

 private:
  Scene make_scene(std::span<const WallMeasure::Plane> planes) {
    double farthest_m = 1.0;
    for (const WallMeasure::Plane& plane : planes) farthest_m = std::max(farthest_m, plane.distance_m);
    Scene scene;
    const double side_m = 100.0 * farthest_m;
    const MeshId mesh = scene.add_mesh(make_plane(side_m, side_m));
    wall_ = scene.add_entity({.name = "wall", .mesh = mesh});
    return scene;
  }

  static SimulatorOptions options_of(const WallOptions& options) {
    return {.seed = options.seed, .compute = {.threads = options.threads}, .rate_hz = options.rate_hz};
  }

  void take(const Frame& frame, std::span<float> values) const {
    const std::span<const float> seen = sensor_.camera ? frame.depth_m() : frame.range_m();
    const bool falls = !sensor_.azimuth_rad.empty() && is_falling(sensor_.azimuth_rad);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t from = falls ? values.size() - 1 - i : i;
      if (frame.reason()[from] == Reason::kHit) values[i] = seen[from];
    }
  }

  const WallSensor& sensor_;
  std::span<const WallMeasure::Plane> planes_;
  EntityId wall_ = kNoEntity;
  Simulator simulator_;
  SensorId id_ = {};
  Frame frame_{{Channel::kRange, Channel::kDepth, Channel::kReason}};
};

WallFrames nothing_seen(const WallSensor& sensor, std::size_t frames) {
  WallFrames out{.sensor = sensor, .measured_m = {}};
  out.measured_m.assign(frames * sensor.rays(), std::numeric_limits<float>::quiet_NaN());
  return out;
}

std::span<float> values_of(WallFrames& frames, std::size_t f) {
  return std::span(frames.measured_m).subspan(f * frames.sensor.rays(), frames.sensor.rays());
}

/// Each revolution of a lidar has different rays.
WallFrames simulate_turns(const WallSensor& sensor, const WallFit& fit, const WallOptions& options) {
  const std::span<const WallMeasure::Plane> planes = fit.measure.planes;
  WallFrames out = nothing_seen(sensor, planes.size());
  for (std::size_t f = 0; f < planes.size(); ++f) {
    WallSensor turned = sensor;
    turned.lidar->direction = turn_directions(*fit.turns, sensor.rays(), f);
    WallScene(turned, planes.subspan(f, 1), fit.chain.chain, options).see(0, f, values_of(out, f));
  }
  out.turns = fit.turns;
  return out;
}

bool is_measured(WallMeasure::Pixel pixel) {
  return pixel == WallMeasure::Pixel::kWall || pixel == WallMeasure::Pixel::kTail || pixel == WallMeasure::Pixel::kLost;
}

}  // namespace

SensorModel wall_sensor_model(const WallSensor& sensor, double farthest_m) {
  if (sensor.lidar) {
    WallSensor reaching = sensor;
    reaching.max_range_m = reach_m(sensor, farthest_m);
    return wall_pattern(reaching);
  }
  if (!sensor.camera) {
    check_order(sensor.azimuth_rad);
    Laser2d laser;
    laser.rays = sensor.cols;
    laser.min_azimuth_rad = std::min(sensor.azimuth_rad.front(), sensor.azimuth_rad.back());
    laser.max_azimuth_rad = std::max(sensor.azimuth_rad.front(), sensor.azimuth_rad.back());
    laser.clockwise = is_falling(sensor.azimuth_rad);
    laser.max_range_m = reach_m(sensor, farthest_m);
    return laser;
  }
  const DepthCamera camera = depth_camera(sensor, farthest_m);
  if (!(sensor.camera->baseline_m > 0.0)) return camera;
  StereoCamera stereo;
  static_cast<DepthCamera&>(stereo) = camera;
  stereo.baseline_m = sensor.camera->baseline_m, stereo.reference = CameraReference::kLeft;
  return stereo;
}

std::string wall_sensor_yaml(const WallSensor& sensor, double farthest_m, const NoiseChain& chain,
                             const std::string& name) {
  if (sensor.lidar) {
    if (sensor.lidar->entry.empty()) throw InputError("the entry of the lidar for scene files is unknown");
    return fmt::format("name: {}\n{}noise:\n{}", name, sensor.lidar->entry, chain_yaml(chain, 2));
  }
  const SensorModel model = wall_sensor_model(sensor, farthest_m);
  std::string text = fmt::format("name: {}\ntype: {}\n", name, sensor_kind(model));
  if (sensor.camera) {
    const WallSensor::Camera& c = *sensor.camera;
    text += fmt::format("width: {}\nheight: {}\nfx: {:.9g}\nfy: {:.9g}\nprincipal_point_px: [{:.9g}, {:.9g}]\n",
                        sensor.cols, sensor.rows, c.fx_px, c.fy_px, c.cx_px, c.cy_px);
    if (c.baseline_m > 0.0) text += fmt::format("baseline_m: {:.9g}\nreference: left\n", c.baseline_m);
  } else {
    const auto& laser = std::get<Laser2d>(model);
    text += fmt::format("rays: {}\nmin_azimuth_rad: {:.12g}\nmax_azimuth_rad: {:.12g}\n", laser.rays,
                        laser.min_azimuth_rad, laser.max_azimuth_rad);
    if (laser.clockwise) text += "clockwise: true\n";
  }
  text += fmt::format("max_range_m: {:.9g}\n", reach_m(sensor, farthest_m));
  return text + "noise:\n" + chain_yaml(chain, 2);
}

WallFrames simulate_wall(const WallSensor& sensor, std::span<const WallMeasure::Plane> planes, const NoiseChain& chain,
                         const WallOptions& options) {
  WallFrames out = nothing_seen(sensor, planes.size());
  WallScene scene(sensor, planes, chain, options);
  for (std::size_t f = 0; f < planes.size(); ++f) scene.see(f, f, values_of(out, f));
  return out;
}

WallFrames simulate_wall(const WallFit& fit, const WallOptions& options) {
  WallSensor sensor = fit.sensor;
  if (!(sensor.max_range_m > 0.0)) sensor.max_range_m = reach_m(sensor, farthest_of(fit.measure.by_range));
  WallFrames frames = fit.turns ? simulate_turns(sensor, fit, options)
                                : simulate_wall(sensor, fit.measure.planes, fit.chain.chain, options);
  frames.sensor = fit.sensor;
  frames.half_step_m = fit.returns.half_step_m;
  const double step_m = 2.0 * frames.half_step_m;
  frames.left_out.reserve(fit.measure.pixels.size());
  for (std::size_t i = 0; i < fit.measure.pixels.size(); ++i) {
    const WallMeasure::Pixel pixel = fit.measure.pixels[i];
    // If losses are unknown, an unknown pixel may be no ray at all. It does not mark the end of a wall.
    const bool may_be_none = !fit.measure.knows_losses && pixel == WallMeasure::Pixel::kNotKnown;
    if (may_be_none) frames.measured_m[i] = std::numeric_limits<float>::quiet_NaN();
    frames.left_out.push_back(is_measured(pixel) || may_be_none ? 0 : 1);
  }
  if (!(step_m > 0.0)) return frames;
  for (float& value : frames.measured_m) {
    if (std::isnan(value)) continue;
    const double rounded = std::round(double{value} / step_m) * step_m;
    value = rounded > 0.0 ? static_cast<float>(rounded) : std::numeric_limits<float>::quiet_NaN();
  }
  return frames;
}

namespace {

constexpr std::string_view kAnySensor = "scene: {meshes: {}, entities: []}\nsensors: [{name: lidar, preset: VLP-16}]\n";

/// Whether the columns of the middle row form a full circle.
bool is_full_turn(const WallSensor& sensor) {
  const std::vector<Vec3>& d = sensor.lidar->direction;
  const std::size_t first = sensor.rows / 2 * std::size_t{sensor.cols}, last = first + sensor.cols - 1;
  return sensor.cols > 2 && norm(d[first] - d[last]) < 1.5 * norm(d[first] - d[first + 1]);
}

/// A model as lines of a scene file; empty for rays from a file.
std::string entry_of(const SensorModel& model) {
  const std::string_view kind = sensor_kind(model);
  std::string text = fmt::format("type: {}\n", kind);
  for (const SensorKindInfo& info : sensor_kinds()) {
    if (info.slug != kind) continue;
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
  const RayPattern::Shape shape = pattern_shape(model);
  if (make_view(model).rays_vary) throw InputError("rays vary from frame to frame: points do not tell which they are");
  if (shape.rows < 2 || shape.cols < 2) {
    throw InputError(fmt::format("{} x {} rays: a lidar before a wall has two rows and two columns at least",
                                 shape.rows, shape.cols));
  }
  const RayPattern rays = make_pattern(model);
  WallSensor sensor{.rows = rays.rows, .cols = rays.cols};
  WallSensor::Lidar lidar;
  lidar.entry = std::move(entry);
  lidar.min_range_m = double{std::ranges::max(rays.min_range_m)};
  sensor.max_range_m = double{std::ranges::min(rays.max_range_m)};
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
  if (!std::filesystem::is_regular_file(preset_or_file, error)) {
    // A missing path does not look like a preset.
    if (preset_or_file.find_first_of("/.") != std::string::npos) {
      throw InputError(fmt::format("{}: is not there", preset_or_file));
    }
    const SensorModel& model = find_preset(preset_or_file).model;
    return with_prefix(preset_or_file, [&] { return wall_lidar(model, fmt::format("preset: {}\n", preset_or_file)); });
  }
  const YamlValue root = parse_yaml(read_yaml_text(preset_or_file), preset_or_file);
  if (root.find("sensors") != nullptr) return lidar_of(read_scene_file(preset_or_file), preset_or_file);
  // The sensor needs no name.
  return lidar_of(read_scene_text(kAnySensor, preset_or_file, {"sensors.0=@" + preset_or_file, "sensors.0.name=lidar"}),
                  preset_or_file);
}

WallFrames read_wall_clouds(std::span<const FrameFile> files, const WallSensor& lidar) {
  WallFrames frames{.sensor = lidar, .measured_m = {}};
  const RayFinder finder(wall_pattern(lidar));
  const RayPattern::Shape shape = {lidar.rows, lidar.cols};
  for (const FrameFile& one : files) {
    const CloudRanges ranges = find_ranges(read_cloud_points(one.file), finder, shape);
    if (!ranges.lies_on_rays()) {
      if (const auto rows = RingRows::of(lidar)) return read_revolution_clouds(files, lidar, *rows);
    }
    check_ranges(ranges, one.file, "lidar");
    frames.measured_m.insert(frames.measured_m.end(), ranges.range_m.begin(), ranges.range_m.end());
    frames.names.push_back(one.file.string());
  }
  return frames;
}

}  // namespace fathom
