// SPDX-License-Identifier: MIT
#include "simulate/read_model.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/base/error.hpp>
#include <fathom/files/ray_tables.hpp>
#include <fathom/sensor/kinds.hpp>

#include "sensor/field_ways.hpp"
#include "sensor/sensor_view.hpp"
#include "text/read_fields.hpp"

namespace fathom {

namespace {

const SensorKindInfo& kind_info(std::string_view slug) {
  const std::vector<SensorKindInfo>& kinds = sensor_kinds();
  return *std::find_if(kinds.begin(), kinds.end(), [&](const SensorKindInfo& k) { return k.slug == slug; });
}

/// Sets every parameter that the map holds; those without a default must be there unless a preset gave them.
void read_model_fields(YamlReader& map, bool from_preset, SensorModel& model, std::vector<LocatedRange>& ranges) {
  const auto required = from_preset ? RequiredFields::kMayLack : RequiredFields::kMustBeThere;
  read_fields(
      map, kind_info(sensor_kind(model)).fields, required,
      [&](const FieldInfo& field, std::span<const double> values) { set_sensor_field(model, field.name, values); },
      [&](const Quantity& quantity, const FieldInfo& field) { return read_value_or_range(quantity, field, ranges); });
}

bool has_field(const SensorModel& model, std::string_view field) {
  const std::vector<FieldInfo>& fields = kind_info(sensor_kind(model)).fields;
  return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == field; });
}

bool has_all(const SensorModel& model, std::span<const FieldWay> ways) {
  return std::all_of(ways.begin(), ways.end(), [&](const FieldWay& way) { return has_field(model, way.field); });
}

bool is_set(const SensorModel& model, std::string_view field) {
  const std::vector<double> values = get_sensor_field(model, field);
  return std::any_of(values.begin(), values.end(), [](double value) { return value != 0.0; });
}

/// The way of these that the file chooses; null when it leaves the choice to the preset.
const FieldWay* chosen_way(YamlReader& map, std::span<const FieldWay> ways, const SensorModel& model) {
  const FieldWay* chosen = nullptr;
  std::string key;
  for (const FieldWay& way : ways) {
    const auto given = Quantity::find(map, way.field);
    if (!given || !is_set(model, way.field)) continue;
    if (chosen != nullptr) given->reader().fail(fmt::format("and {} are both given; one is enough", key));
    chosen = &way;
    key = given->reader().key();
  }
  return chosen;
}

/// Takes away what the preset says in other ways than the file.
void clear_other_ways(YamlReader& map, SensorModel& model) {
  const SensorModel usual = make_sensor_model(sensor_kind(model));
  const auto clear = [&](std::string_view field) {
    if (field.empty() || Quantity::find(map, field)) return;
    set_sensor_field(model, field, get_sensor_field(usual, field));
  };
  for (const std::span<const FieldWay> ways : kFieldWays) {
    if (!has_all(model, ways)) continue;
    const FieldWay* chosen = chosen_way(map, ways, model);
    for (const FieldWay& way : ways) {
      if (chosen == nullptr || &way == chosen) continue;
      clear(way.field);
      for (const std::string_view field : way.others) clear(field);
    }
  }
}

/// A number of a pair, given alone as kinds without the pair take it: the pair is not the nearest known key to it.
void refuse_parts(YamlReader& map, const SensorModel& model) {
  for (const FieldInfo& field : kind_info(sensor_kind(model)).fields) {
    for (const std::string_view key : field.parts) {
      if (map.value().find(key) == nullptr || has_field(model, key)) continue;
      map.at(key).fail(fmt::format("is not a key of a {}; give {}: [{}]", sensor_kind(model), field.name,
                                   fmt::join(field.parts, ", ")));
    }
  }
}

/// The rays from a file; a range limit in the file stands above the ones given here.
RayPattern read_rays(YamlReader& map, SceneFiles& files) {
  const YamlReader file = map.at("rays");
  const std::filesystem::path path = read_path(file, files);
  RayPattern limits;
  read_fields(map, limits);
  for (const FieldInfo& field : describe<RayPattern>()) {
    if (get_field(limits, field.name).size() == 1) continue;
    map.at(field.name).fail("is a list; ranges ray by ray stand in the file of rays");
  }
  return file.located([&] { return read_ray_table(path, limits.min_range_m.front(), limits.max_range_m.front()); });
}

}  // namespace

SensorModel read_model(YamlReader& map, const SensorPreset* preset, SceneFiles& files,
                       std::vector<LocatedRange>& ranges) {
  if (preset != nullptr) {
    SensorModel model = preset->model;
    read_model_fields(map, true, model, ranges);
    clear_other_ways(map, model);
    refuse_parts(map, model);
    return model;
  }
  const auto type = map.find("type");
  if (!type) map.fail("needs a 'preset' or a 'type'" + map.slip_hint());
  SensorModel model = type->located([&] { return make_sensor_model(type->text()); });
  if (kind_info(sensor_kind(model)).rays_from_file) return read_rays(map, files);
  read_model_fields(map, false, model, ranges);
  clear_other_ways(map, model);
  refuse_parts(map, model);
  return model;
}

void check_model(const YamlReader& map, const SensorPreset* preset, const SensorModel& model) {
  map.located([&] {
    try {
      validate(model);
    } catch (const InputError& error) {
      if (preset == nullptr) throw;
      throw InputError(fmt::format("{} (what is not given is as the preset {} has it)", error.what(), preset->name));
    }
  });
}

}  // namespace fathom
