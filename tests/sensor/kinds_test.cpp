// SPDX-License-Identifier: MIT
// Access to parameters by name, as files and the command line use it.

#include <array>

#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/sensor.hpp>

#include "sensor/angles.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom::test {
namespace {

TEST(SensorFields, KindsComeInTheOrderOfTheVariantAndAreDocumented) {
  const char* slugs[] = {"spinning_lidar", "laser_2d",      "pinhole_camera", "rosette",     "ray_table",
                         "depth_camera",   "stereo_camera", "tof_camera",     "grid_scanner"};
  ASSERT_EQ(sensor_kinds().size(), std::size(slugs));
  for (std::size_t i = 0; i < std::size(slugs); ++i) {
    const SensorKindInfo& kind = sensor_kinds()[i];
    EXPECT_EQ(kind.slug, slugs[i]);
    EXPECT_EQ(make_sensor_model(kind.slug).index(), i);
    EXPECT_EQ(sensor_kind(make_sensor_model(kind.slug)), kind.slug);
    EXPECT_FALSE(kind.doc.empty());
    std::set<std::string_view> names;
    for (const FieldInfo& field : kind.fields) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      EXPECT_LT(field.low, field.high) << field.name;
      EXPECT_FALSE(field.doc.empty()) << field.name;
      EXPECT_EQ(field.default_value.empty(), field.required) << field.name;
      const bool is_angle = field.name.size() > 4 && field.name.substr(field.name.size() - 4) == "_rad";
      EXPECT_EQ(is_angle, field.unit == "rad") << field.name;
    }
  }
}

TEST(SensorFields, EveryFieldReadsBackWhatWasSetAndOnlyThat) {
  for (const SensorKindInfo& kind : sensor_kinds()) {
    for (const FieldInfo& field : kind.fields) {
      if (field.kind == FieldKind::kPose) continue;  // below
      SensorModel model = make_sensor_model(kind.slug);
      const std::size_t count = field.kind == FieldKind::kPair ? 2 : 1;
      const std::vector<double> high(count, field.high);
      const std::vector<double> too_low(count, field.low - 1), too_high(count, field.high + 1 + field.high / 4);
      set_sensor_field(model, field.name, high);
      EXPECT_EQ(get_sensor_field(model, field.name), high) << field.name;
      for (const FieldInfo& other : kind.fields) {
        if (other.name == field.name) continue;
        EXPECT_EQ(get_sensor_field(model, other.name), get_sensor_field(make_sensor_model(kind.slug), other.name));
      }
      const std::string low = input_error([&] { set_sensor_field(model, field.name, too_low); });
      EXPECT_TRUE(contains(low, std::string(kind.slug) + "." + std::string(field.name)));
      EXPECT_EQ(get_sensor_field(model, field.name), high) << "a refused value changes nothing";
      EXPECT_NE(input_error([&] { set_sensor_field(model, field.name, too_high); }), "");
    }
  }
}

TEST(SensorFields, ListsAndNumbersAreToldApart) {
  SensorModel model = make_sensor_model("spinning_lidar");
  const double elevations[] = {0.1, 0.0, -0.1};
  set_sensor_field(model, "elevation_rad", elevations);
  EXPECT_EQ(std::get<SpinningLidar>(model).elevation_rad, (std::vector<double>{0.1, 0.0, -0.1}));
  set_sensor_field(model, "firing_time_s", std::span<const double>{});
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "columns", elevations); }),
            "spinning_lidar.columns takes one number, not a list of 3");
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "elevation_rad", std::span<const double>{}); }),
            "spinning_lidar.elevation_rad is empty: it needs at least one value");
  const double late[] = {0.0, 11.0};
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "firing_time_s", late); }),
            "spinning_lidar.firing_time_s[1] = 11 is not in [0, 10] s");
}

TEST(SensorFields, PosesAreAPositionAndAQuaternion) {
  SensorModel model = make_sensor_model("stereo_camera");
  EXPECT_TRUE(get_sensor_field(model, "left_camera").empty());
  const double pose[] = {1, 2, 3, 0, 0.6, 0, 0.8};
  set_sensor_field(model, "left_camera", pose);
  EXPECT_EQ(std::get<StereoCamera>(model).left_camera->translation_m, (Vec3{1, 2, 3}));
  EXPECT_EQ(std::get<StereoCamera>(model).left_camera->rotation, (Quaternion{0.8, 0, 0.6, 0}));
  EXPECT_EQ(get_sensor_field(model, "left_camera"), (std::vector<double>{1, 2, 3, 0, 0.6, 0, 0.8}));
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "left_camera", std::array{3.0}); }),
            "stereo_camera.left_camera takes a position and a quaternion, not 1 numbers");
  const double far[] = {1, -200, 3, 0, 0, 0, 1}, longer[] = {1, 2, 3, 0, 0, 0, 2}, nan[] = {1, 2, 3, 0, 0, NAN, 1};
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "left_camera", far); }),
            "stereo_camera.left_camera[1] = -200 is not in [-100, 100] m");
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "left_camera", longer); }),
            "stereo_camera.left_camera has a quaternion of length 2, not 1");
  EXPECT_NE(input_error([&] { set_sensor_field(model, "left_camera", nan); }), "");
  EXPECT_EQ(std::get<StereoCamera>(model).left_camera->translation_m.y, 2.0) << "a refused value changes nothing";
  set_sensor_field(model, "left_camera", std::span<const double>{});
  EXPECT_FALSE(std::get<StereoCamera>(model).left_camera.has_value());
}

TEST(SensorFields, WholeNumbersAndFlags) {
  SensorModel model = make_sensor_model("spinning_lidar");
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "columns", std::array{1.5}); }),
            "spinning_lidar.columns = 1.5 is not a whole number");
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "clockwise", std::array{0.5}); }),
            "spinning_lidar.clockwise = 0.5 is not a whole number");
  set_sensor_field(model, "clockwise", std::array{0.0});
  EXPECT_FALSE(std::get<SpinningLidar>(model).clockwise);
  const double rings[] = {1.0, 2.5};
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "ring", rings); }),
            "spinning_lidar.ring[1] = 2.5 is not a whole number");
}

TEST(SensorFields, UnknownNamesComeWithTheNearestKnown) {
  SensorModel model = make_sensor_model("laser_2d");
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "ray", std::array{3.0}); }),
            "laser_2d has no field 'ray' (nearest known: 'rays')");
  EXPECT_EQ(input_error([&] { (void)get_sensor_field(model, "max_azimut_rad"); }),
            "laser_2d has no field 'max_azimut_rad' (nearest known: 'max_azimuth_rad')");
  EXPECT_EQ(input_error([] { (void)make_sensor_model("laser2d"); }),
            "there is no kind of sensor 'laser2d' (nearest known: 'laser_2d')");
}

TEST(SensorFields, AModelSetByNameIsTheModelWrittenInCpp) {
  SensorModel model = make_sensor_model("laser_2d");
  set_sensor_field(model, "rays", std::array{3.0});
  set_sensor_field(model, "min_azimuth_rad", std::array{-1.0});
  set_sensor_field(model, "max_azimuth_rad", std::array{1.0});
  set_sensor_field(model, "max_range_m", std::array{5.0});
  Laser2d laser;
  laser.rays = 3;
  laser.min_azimuth_rad = -1;
  laser.max_azimuth_rad = 1;
  laser.max_range_m = 5;
  EXPECT_EQ(make_pattern(model).direction_y, make_pattern(laser).direction_y);
  EXPECT_EQ(make_pattern(model).max_range_m, make_pattern(laser).max_range_m);
}

// What a sensor says of its rays without making them, against the rays.

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
  if (const RayPattern::Shape shape = pattern_shape(model); shape.rows != rays.rows || shape.cols != rays.cols)
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
  lidar.beam_origin_m = *rc::gen::element(0.0, 0.02);
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
    case 7:
      return any_camera<TofCamera>();
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
}  // namespace fathom::test
