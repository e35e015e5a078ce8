// SPDX-License-Identifier: MIT
// What a sensor says of its rays without making them, against the rays.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/sensor.hpp>

#include "sensor/angles.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {
namespace {

using test::kDeg;

std::set<std::uint32_t> rings_in(const RayPattern& rays) {
  std::set<std::uint32_t> rings(rays.ring.begin(), rays.ring.end());
  for (std::uint32_t row = 0; row < rays.rows && rays.ring.empty(); ++row) rings.insert(row);
  return rings;
}

bool same_directions(const RayPattern& a, const RayPattern& b) {
  return a.direction_x == b.direction_x && a.direction_y == b.direction_y && a.direction_z == b.direction_z;
}

/// The first thing that is not as the rays are.
std::optional<std::string> difference(const SensorModel& model) {
  const SensorView view = make_view(model);
  const RayPattern rays = make_pattern(model), later = make_pattern(model, 1);
  if (const PatternShape shape = pattern_shape(model); shape.rows != rays.rows || shape.cols != rays.cols)
    return "shape";
  if (view.one_origin != rays.origin_x.empty()) return "one_origin";
  if (view.timed != !rays.time_offset_s.empty()) return "timed";
  if (view.rays_vary == same_directions(rays, later)) return "rays_vary";
  const float farthest_m = *std::max_element(rays.max_range_m.begin(), rays.max_range_m.end());
  if (static_cast<float>(view.farthest_m) != farthest_m) return "farthest_m";
  if (rings_of(model) != rings_in(rays)) return "rings";
  const std::vector<std::int32_t> shifts = column_shifts(model);
  if (!shifts.empty() && shifts.size() != rays.rows) return "shifts";
  return std::nullopt;
}

/// `count` whole numbers of a thousandth, or nothing at all.
std::vector<double> some_or_none(std::size_t count) {
  if (*rc::gen::arbitrary<bool>()) return {};
  return *rc::gen::container<std::vector<double>>(
      count, rc::gen::map(rc::gen::inRange(-1000, 1001), [](int value) { return 1e-3 * value; }));
}

SpinningLidar any_spinning() {
  SpinningLidar lidar;
  const auto rings = *rc::gen::inRange<std::size_t>(1, 20);
  lidar.elevation_rad = even_elevations(static_cast<std::uint32_t>(rings), -0.5, 0.3);
  lidar.azimuth_offset_rad = some_or_none(rings);
  lidar.vertical_offset_m = some_or_none(rings);
  if (*rc::gen::arbitrary<bool>()) {
    lidar.ring = *rc::gen::container<std::vector<std::uint16_t>>(rings, rc::gen::arbitrary<std::uint16_t>());
  }
  lidar.columns = *rc::gen::inRange(1U, 50U);
  lidar.span_rad = *rc::gen::inRange(1, 361) * kDeg;
  return lidar;
}

Laser2d any_laser() {
  Laser2d laser;
  laser.rays = *rc::gen::inRange(2U, 100U);
  laser.min_azimuth_rad = -1, laser.max_azimuth_rad = 1;
  return laser;
}

template <class Camera>
Camera any_camera() {
  Camera camera;
  camera.width = *rc::gen::inRange(1U, 20U), camera.height = *rc::gen::inRange(1U, 20U);
  camera.fx = 10, camera.fy = 12;
  return camera;
}

/// No frame of these holds whole turns of the first prism.
Rosette any_rosette() {
  Rosette rosette;
  rosette.points = *rc::gen::inRange(1U, 200U);
  rosette.field_of_view_rad = 0.6, rosette.points_per_s = 1000;
  rosette.prism1_hz = 77.3, rosette.prism2_hz = *rc::gen::inRange(-100, 100);
  return rosette;
}

GridScanner any_grid() {
  GridScanner grid;
  grid.size_x_m = 0.1 * *rc::gen::inRange(0, 20), grid.size_y_m = 0.1 * *rc::gen::inRange(0, 20);
  grid.resolution_m = 0.1;
  return grid;
}

/// The rays of another kind as a table, some of its arrays left out.
RayPattern any_table() {
  RayPattern rays = make_pattern(any_spinning());
  if (*rc::gen::arbitrary<bool>()) rays.time_offset_s.clear();
  if (*rc::gen::arbitrary<bool>()) rays.ring.clear();
  return rays;
}

/// `kind`: the place among the alternatives of SensorModel.
SensorModel any_model(std::size_t kind) {
  switch (kind) {
    case 0:
      return any_spinning();
    case 1:
      return any_laser();
    case 2:
      return any_camera<PinholeCamera>();
    case 3:
      return any_rosette();
    case 4:
      return any_table();
    case 5:
      return any_camera<DepthCamera>();
    case 6:
      return any_camera<StereoCamera>();
    default:
      return any_grid();
  }
}

RC_GTEST_PROP(SensorView, IsThatOfTheRays, ()) {
  for (std::size_t kind = 0; kind < std::variant_size_v<SensorModel>; ++kind) {
    const SensorModel model = any_model(kind);
    RC_ASSERT(model.index() == kind);
    if (const auto differs = difference(model)) RC_FAIL(std::string(sensor_kind(model)) + ": " + *differs);
  }
}

TEST(SensorView, OfEveryPresetIsThatOfItsRays) {
  for (const SensorPreset& preset : sensor_presets()) {
    EXPECT_EQ(difference(preset.model).value_or(""), "") << preset.name;
  }
}

}  // namespace
}  // namespace fathom
