// SPDX-License-Identifier: MIT
// Access to parameters by name, as files and the command line use it.

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/sensor/kinds.hpp>

#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::input_error;

TEST(SensorFields, KindsComeInTheOrderOfTheVariantAndAreDocumented) {
  const char* slugs[] = {"spinning_lidar", "laser_2d",     "pinhole_camera", "rosette",
                         "ray_table",      "depth_camera", "stereo_camera",  "grid_scanner"};
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
      EXPECT_NE(low.find(std::string(kind.slug) + "." + std::string(field.name)), std::string::npos) << low;
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
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "left_camera", 3); }),
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
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "columns", 1.5); }),
            "spinning_lidar.columns = 1.5 is not a whole number");
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "clockwise", 0.5); }),
            "spinning_lidar.clockwise = 0.5 is not a whole number");
  set_sensor_field(model, "clockwise", 0);
  EXPECT_FALSE(std::get<SpinningLidar>(model).clockwise);
  const double rings[] = {1.0, 2.5};
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "ring", rings); }),
            "spinning_lidar.ring[1] = 2.5 is not a whole number");
}

TEST(SensorFields, UnknownNamesComeWithTheNearestKnown) {
  SensorModel model = make_sensor_model("laser_2d");
  EXPECT_EQ(input_error([&] { set_sensor_field(model, "beam", 3); }),
            "laser_2d has no field 'beam' (nearest known: 'beams')");
  EXPECT_EQ(input_error([&] { (void)get_sensor_field(model, "max_azimut_rad"); }),
            "laser_2d has no field 'max_azimut_rad' (nearest known: 'max_azimuth_rad')");
  EXPECT_EQ(input_error([] { (void)make_sensor_model("laser2d"); }),
            "there is no kind of sensor 'laser2d' (nearest known: 'laser_2d')");
}

TEST(SensorFields, AModelSetByNameIsTheModelWrittenInCpp) {
  SensorModel model = make_sensor_model("laser_2d");
  set_sensor_field(model, "beams", 3);
  set_sensor_field(model, "min_azimuth_rad", -1.0);
  set_sensor_field(model, "max_azimuth_rad", 1.0);
  set_sensor_field(model, "max_range_m", 5.0);
  Laser2d laser;
  laser.beams = 3;
  laser.min_azimuth_rad = -1;
  laser.max_azimuth_rad = 1;
  laser.max_range_m = 5;
  EXPECT_EQ(make_pattern(model).direction_y, make_pattern(laser).direction_y);
  EXPECT_EQ(make_pattern(model).max_range_m, make_pattern(laser).max_range_m);
}

}  // namespace
}  // namespace fathom
