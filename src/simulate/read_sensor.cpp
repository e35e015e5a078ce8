// SPDX-License-Identifier: MIT
#include "simulate/read_sensor.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "render/parameter_range.hpp"
#include "scene/world_poses.hpp"
#include "simulate/file_plan.hpp"
#include "simulate/read_model.hpp"
#include "simulate/read_noise.hpp"
#include "simulate/read_outputs.hpp"
#include "simulate/read_pose.hpp"
#include "simulate/read_range.hpp"
#include "simulate/read_returns.hpp"
#include "text/read_fields.hpp"

namespace fathom {

namespace {

constexpr double kMostUsualRateHz = 1e4;  // of frames: rangefinders of a single ray make as many

const SensorPreset* read_preset(YamlReader& map) {
  const auto name = map.find("preset");
  if (!name) return nullptr;
  if (const auto type = map.find("type")) type->fail("and a preset are both given; the preset has a type");
  const std::string& text = name->text();
  return name->located([&] { return &find_preset(text); });
}

/// The name becomes a folder and a part of --set paths.
std::string read_name(const YamlReader& reader) {
  const std::string& name = reader.text();
  reader.located([&] { check_sensor_name(name); });
  return name;
}

/// As check_far_places() does for entities.
void check_reach(const Sensor& sensor, std::span<const double> entity_farthest_m) {
  if (sensor.parent == kNoEntity) return;
  const double farthest = farthest_m(sensor.parent_from_sensor) + entity_farthest_m[index(sensor.parent)];
  if (farthest <= kMaxCoordinateM) return;
  throw InputError(fmt::format("the sensor's place and those of its parents add up to {} m, more than {} m",
                               number_text(farthest), limit_text(kMaxCoordinateM)));
}

/// Names of entities and of groups.
void read_ignored(const YamlReader& list, const Scene& scene, Sensor& sensor) {
  std::map<std::string_view, EntityId> entities;
  std::set<std::string_view> groups;
  for (const Entity& entity : scene.entities()) {
    entities.emplace(entity.name, static_cast<EntityId>(entities.size()));
    groups.insert(entity.groups.begin(), entity.groups.end());
  }
  for (const YamlReader& name : list.items()) {
    const auto entity = entities.find(name.text());
    const bool is_entity = entity != entities.end(), is_group = groups.contains(name.text());
    if (is_entity && is_group) name.fail("is the name of an entity and of a group; rename one of them");
    if (is_entity) {
      sensor.ignore.push_back(entity->second);
    } else if (is_group) {
      sensor.ignore_groups.push_back(name.text());
    } else {
      std::vector<std::string_view> known(groups.begin(), groups.end());
      for (const Entity& other : scene.entities()) known.emplace_back(other.name);
      name.fail("is neither an entity nor a group" + nearest_hint(name.text(), known));
    }
  }
}

Timing read_timing(YamlReader map, const SceneClock& clock, std::vector<std::string>& notes) {
  Timing timing;
  read_fields(map, timing);
  map.finish();
  map.located([&] { check_timing(timing, clock); });
  const auto rate = map.find("rate_hz");
  if (rate && *timing.rate_hz > kMostUsualRateHz) {
    notes.push_back(rate->line(fmt::format("is above {} Hz, faster than range sensors make frames: is it meant so?",
                                           number_text(kMostUsualRateHz))));
  }
  return timing;
}

}  // namespace

SensorSetup read_sensor(YamlReader map, const SceneClock& clock, const Scene& scene, const BareLinks& bare_links,
                        std::span<const double> entity_farthest_m, SceneFiles& files) {
  SensorSetup setup;
  setup.place = to_string(map.value().mark);
  Sensor& sensor = setup.sensor;
  sensor.name = read_name(map.at("name"));
  const SensorPreset* preset = read_preset(map);
  if (preset != nullptr) setup.preset = preset->name;
  std::vector<LocatedRange> ranges;
  sensor.model = read_model(map, preset, files, ranges);
  sensor.parent_from_sensor = read_trajectory_or_pose(map, files);
  for (LocatedRange& range : read_pose_offset(map, RangeTarget::kSensor)) ranges.push_back(std::move(range));
  if (const auto parent = map.find("parent")) {
    const std::string& name = parent->text();
    parent->located([&] {
      const LinkMount mount = find_parent(scene, bare_links, name);
      sensor.parent = mount.parent;
      sensor.parent_from_sensor = carried(mount.parent_from_link, sensor.parent_from_sensor);
      check_reach(sensor, entity_farthest_m);
    });
  }
  if (const auto see = map.find("see_parent")) {
    if (!map.find("parent")) see->fail("needs a parent");
    sensor.see_parent = see->boolean();
  }
  if (const auto ignored = map.find("ignore")) read_ignored(*ignored, scene, sensor);
  if (const auto rolling = map.find("rolling")) sensor.rolling = rolling->boolean();
  if (const auto timing = map.find("timing")) {
    sensor.timing = read_timing(*timing, clock, files.notes);
    setup.timing_place = timing->place();
  }
  check_model(map, preset, sensor.model);
  read_returns(map, sensor);
  if (const auto noise = map.find("noise")) {
    read_noise(*noise, preset, scene, setup, files.notes);
  } else if (preset != nullptr) {
    read_preset_noise(map, *preset, setup);
  }
  for (const LocatedRange& one : ranges) {
    one.where.located([&] {
      check_range(sensor, one.range);
      for (const ParameterRange& before : setup.ranges) check_together(sensor, before, one.range);
    });
    setup.ranges.push_back(one.range);
  }
  if (const auto policy = map.find("range_policy")) {
    sensor.range_policy = static_cast<RangePolicy>(policy->one_of(kRangePolicyNames));
  }
  const auto outputs = map.find("outputs");
  setup.outputs = outputs ? read_outputs(*outputs) : default_outputs();
  map.finish();
  if (outputs) outputs->located([&] { static_cast<void>(plan_files(setup)); });
  return setup;
}

}  // namespace fathom
