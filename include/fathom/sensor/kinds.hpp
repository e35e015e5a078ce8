// SPDX-License-Identifier: MIT
#pragma once
// The parameters of each kind of sensor by name: what files, the command line and the reference page use. All of it
// comes from the tables of the kinds (field.hpp).

#include <span>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/sensor/model.hpp>

namespace fathom {

struct SensorKindInfo {
  std::string_view slug;  ///< "spinning_lidar", "laser_2d", ...
  std::string_view doc;
  std::vector<FieldInfo> fields;
  bool rays_from_file = false;  ///< scene files name a file of rays, and the fields are for rays without their own
};

/// All kinds, in the order of SensorModel's alternatives.
FATHOM_API const std::vector<SensorKindInfo>& sensor_kinds();

/// The slug of a model's kind.
FATHOM_API std::string_view sensor_kind(const SensorModel& model);

/// A model of that kind with its defaults. Required fields remain to be set. Throws InputError for an unknown kind,
/// naming the nearest.
FATHOM_API SensorModel make_sensor_model(std::string_view kind);

/// Sets one parameter. Throws InputError for an unknown field (naming the nearest), a value outside its limits, a
/// fraction where a whole number is needed, or a list where a number is needed. make_pattern checks the rules that
/// concern several fields (lengths of lists, min < max).
FATHOM_API void set_sensor_field(SensorModel& model, std::string_view field, double value);
FATHOM_API void set_sensor_field(SensorModel& model, std::string_view field, std::span<const double> values);

/// The values of a parameter: one, or as many as its list holds. Throws InputError for an unknown field.
FATHOM_API std::vector<double> get_sensor_field(const SensorModel& model, std::string_view field);

}  // namespace fathom
