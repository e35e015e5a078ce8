// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/core/error.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/run.hpp>

#include "core/text.hpp"
#include "core/text/read_fields.hpp"
#include "render/parameter_range.hpp"
#include "run/prepare_run.hpp"
#include "run/read_scene.hpp"
#include "scene/poses.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

const SensorKindInfo& kind_info(std::string_view slug) {
  const std::vector<SensorKindInfo>& kinds = sensor_kinds();
  return *std::find_if(kinds.begin(), kinds.end(), [&](const SensorKindInfo& k) { return k.slug == slug; });
}

/// Sets every parameter in the map. Parameters without a default are required unless a preset has set them.
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

/// The way that the file chooses; null when it leaves the choice to the preset.
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

/// Resets values that the preset gives in another way than the file.
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

/// Refuses a number of a pair under the key that other kinds have for it: the hint for slips would not name the pair.
void refuse_parts(YamlReader& map, const SensorModel& model) {
  for (const FieldInfo& field : kind_info(sensor_kind(model)).fields) {
    for (const std::string_view key : field.parts) {
      if (map.value().find(key) == nullptr || has_field(model, key)) continue;
      map.at(key).fail(fmt::format("is not a key of a {}; give {}: [{}]", sensor_kind(model), field.name,
                                   fmt::join(field.parts, ", ")));
    }
  }
}

/// The rays from a file. Range limits in the file override the ones given here.
RayPattern read_rays(YamlReader& map, SceneFiles& files) {
  const YamlReader file = map.at("rays");
  const std::filesystem::path path = read_path(file, files);
  RayPattern limits;
  read_fields(map, limits);
  for (const FieldInfo& field : describe<RayPattern>()) {
    if (get_field(limits, field.name).size() == 1) continue;
    map.at(field.name).fail("is a list; ranges ray by ray belong in the file of rays");
  }
  RayPattern rays =
      file.located([&] { return read_ray_table(path, limits.min_range_m.front(), limits.max_range_m.front()); });
  rays.rays_per_frame = limits.rays_per_frame, rays.loop = limits.loop, rays.points_per_s = limits.points_per_s;
  return rays;
}

/// The parameters of a sensor. `preset`: null if the file gives a type. Leaves other keys of the map to map.finish().
/// Ranges are set to their middles and added to `ranges`.
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

/// Throws when fields of the model do not fit together. With a preset, the message names it, because the file shows
/// only some of these fields.
void check_model(const YamlReader& map, const SensorPreset* preset, const SensorModel& model) {
  map.located([&] {
    try {
      validate(model);
    } catch (const InputError& error) {
      if (preset == nullptr) throw;
      throw InputError(fmt::format("{} (the preset {} gives all other values)", error.what(), preset->name));
    }
  });
}

/// Replaces the detection of the preset.
void read_detection(YamlReader map, Detection& detection) {
  detection = {};
  read_fields(map, detection);
  if (!map.find("reach_10_m") && !map.find("reach_80_m")) {
    map.fail_key("gives no range: reach_10_m or reach_80_m" + map.slip_hint());
  }
  map.finish();
  map.located([&] { validate(detection); });
}

/// Whether the value says `none`, and no map.
bool is_none(const YamlReader& value) {
  constexpr std::array<std::string_view, 1> kNone = {"none"};
  return value.is(YamlValue::Kind::kScalar) && value.one_of(kNone) == 0;
}

template <FieldModel M>
void read_filter(YamlReader& map, std::optional<M>& filter) {
  auto found = map.find(M::kSlug);
  if (!found) return;
  filter = M{};
  read_fields(*found, *filter);
  found->finish();
}

/// Reads the keys `filters` and `aligned_to`, which replace the steps of the preset.
void read_image_steps(YamlReader& map, const SensorPreset* preset, Sensor& sensor) {
  if (preset != nullptr) sensor.filters = preset->filters, sensor.aligned_to = preset->aligned_to;
  if (auto filters = map.find(DepthFilters::kSlug)) {
    sensor.filters = {};
    if (!is_none(*filters)) {
      read_fields(*filters, sensor.filters);
      read_filter(*filters, sensor.filters.spatial);
      read_filter(*filters, sensor.filters.temporal);
      filters->finish();
      filters->located([&] { check_filters(sensor.filters, {}, sensor.model); });
    }
  }
  if (auto camera = map.find(AlignedCamera::kSlug)) {
    sensor.aligned_to.reset();
    if (!is_none(*camera)) {
      read_fields(*camera, sensor.aligned_to.emplace());
      camera->finish();
      camera->located([&] { check_filters({}, sensor.aligned_to, sensor.model); });
    }
  }
}

/// Reads the keys `divergence`, `returns`, `coinciding`, `falloff`, `detection` and `light_paths` of a sensor whose
/// model was checked.
void read_returns(YamlReader& map, Sensor& sensor) {
  if (auto divergence = map.find("divergence")) {
    read_fields(*divergence, sensor.divergence);
    divergence->finish();
    divergence->located([&] { check_divergence(sensor.divergence, make_view(sensor.model)); });
    if (!sensor.divergence.diverges()) divergence->fail_key("has no angle above 0: horizontal_rad or vertical_rad");
  }
  if (const auto returns = map.find("returns")) {
    sensor.returns.clear();
    const bool is_one = returns->is(YamlValue::Kind::kScalar);
    for (const YamlReader& word : is_one ? std::vector<YamlReader>{*returns} : returns->items()) {
      sensor.returns.push_back(static_cast<ReturnChoice>(word.one_of(kChoiceWords<ReturnChoice>)));
    }
    returns->located([&] { validate(sensor.divergence, sensor.returns); });
  }
  if (const auto coinciding = map.find("coinciding")) {
    if (sensor.returns.size() < 2) coinciding->fail("needs several returns: one alone coincides with no other");
    sensor.coinciding = static_cast<CoincidingReturn>(coinciding->one_of(kChoiceWords<CoincidingReturn>));
  }
  if (auto falloff = map.find("falloff")) {
    if (!falloff->find("law")) {
      falloff->fail_key(
          fmt::format("has no law: {}{}", fmt::join(kChoiceWords<FalloffLaw>, " or "), falloff->slip_hint()));
    }
    read_fields(*falloff, sensor.falloff);
    falloff->finish();
  }
  if (const auto detection = map.find("detection")) read_detection(*detection, sensor.detection);
  if (auto paths = map.find("light_paths")) {
    read_fields(*paths, sensor.light_paths);
    paths->finish();
  }
}

template <OutputKind M>
Output read_options(YamlReader map) {
  M model;
  read_fields(map, model);
  if constexpr (requires { model.mismatch(); }) {
    // Reports the option at its place.
    if (const auto mismatch = model.mismatch()) map.at(mismatch->field).fail(mismatch->what);
  }
  map.finish();
  return map.located([&] { return Output(model); });
}

template <OutputKind M>
Output usual_options() {
  return M{};
}

/// A kind of the list.
struct KindReader {
  std::string_view slug;
  Output (*read)(YamlReader map);
  Output (*usual)();
};

template <class... Kinds>
constexpr std::array<KindReader, sizeof...(Kinds)> readers_of(const std::variant<Kinds...>* /*list*/) {
  return {{{Kinds::kSlug, &read_options<Kinds>, &usual_options<Kinds>}...}};
}
constexpr auto kKindReaders = readers_of(static_cast<const RegisteredOutput*>(nullptr));

Output read_output(const YamlReader& item) {
  std::array<std::string_view, kKindReaders.size()> slugs;
  for (std::size_t i = 0; i < slugs.size(); ++i) slugs[i] = kKindReaders[i].slug;
  if (item.is(YamlValue::Kind::kScalar)) return kKindReaders[item.one_of(slugs)].usual();
  const YamlReader options = item.only();
  for (const KindReader& kind : kKindReaders) {
    if (options.key() == kind.slug) return kind.read(options);
  }
  options.fail_key("is not a known kind of file" + nearest_hint(options.key(), slugs));
}

/// The outputs of a sensor whose scene file lists none: a PCD cloud and a range image.
std::vector<Output> default_outputs() { return {PcdOutput{}, RangeImageOutput{}}; }

/// A list of bare words (pcd, npy, depth_png, ...) and of `word: {options}`.
std::vector<Output> read_outputs(const YamlReader& list) {
  std::vector<Output> outputs;
  for (const YamlReader& item : list.items()) outputs.push_back(read_output(item));
  return outputs;
}

constexpr double kMostUsualRateHz = 1e4;  // of frames: rangefinders with a single ray reach it

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
  throw InputError(fmt::format("the sensor's place and its parents' places add up to {} m, more than {} m",
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
  for (LocatedRange& range : read_pose_offset(map, ParameterRange::Target::kSensor)) ranges.push_back(std::move(range));
  if (const auto parent = map.find("parent")) {
    const std::string& name = parent->text();
    parent->located([&] {
      const PlacedRobot::Mount mount = find_parent(scene, bare_links, name);
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
  if (preset != nullptr) sensor.detection = preset->detection;
  read_returns(map, sensor);
  read_image_steps(map, preset, sensor);
  if (const auto noise = map.find("noise")) {
    read_noise(*noise, preset, scene, setup, files.notes);
  } else if (preset != nullptr) {
    read_preset_noise(map, *preset, setup);
  }
  if (const auto noise = map.find("velocity_noise")) read_velocity_noise(*noise, scene, setup, files.notes);
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
