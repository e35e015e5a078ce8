// SPDX-License-Identifier: MIT
#include "chain.hpp"

#include <array>
#include <string_view>

#include <fathom/core/error.hpp>
#include <fathom/sensor/kinds.hpp>

#include "beam_values.hpp"

namespace fathom::python {

namespace {

/// The words of ParameterRange::Target in dicts.
constexpr std::array<std::string_view, 3> kTargets = {"noise", "sensor", "entity"};

template <class T>
T at(const py::dict& dict, const char* key) {
  return py::cast<T>(dict[key]);
}

/// A name by which something of a model's entry is called in Python: none, an entity's id, or a ring.
py::object optional_id(EntityId entity) {
  return entity == kNoEntity ? py::object(py::none()) : py::object(py::int_(index(entity)));
}

ParameterRange range_of(const py::dict& d) {
  ParameterRange range;
  range.entry = at<std::uint32_t>(d, "entry");
  range.field = at<std::string>(d, "field");
  range.law = static_cast<ParameterRange::Law>(
      position_of(at<std::string>(d, "law"), kChoiceWords<ParameterRange::Law>, "law"));
  range.low = at<double>(d, "low"), range.high = at<double>(d, "high");
  range.mean = at<double>(d, "mean"), range.stddev = at<double>(d, "stddev");
  if (!d["entity"].is_none()) range.entity = static_cast<EntityId>(at<std::uint32_t>(d, "entity"));
  if (!d["ring"].is_none()) range.ring = at<std::uint16_t>(d, "ring");
  range.as_chain = at<bool>(d, "as_chain");
  range.target = static_cast<ParameterRange::Target>(position_of(at<std::string>(d, "target"), kTargets, "target"));
  return range;
}

py::dict range_dict(const ParameterRange& range) {
  py::dict d;
  d["entry"] = range.entry, d["field"] = range.field;
  d["law"] = kChoiceWords<ParameterRange::Law>.at(static_cast<std::size_t>(range.law));
  d["low"] = range.low, d["high"] = range.high, d["mean"] = range.mean, d["stddev"] = range.stddev;
  d["entity"] = optional_id(range.entity);
  d["ring"] = range.ring ? py::object(py::int_(*range.ring)) : py::object(py::none());
  d["as_chain"] = range.as_chain;
  d["target"] = kTargets.at(static_cast<std::size_t>(range.target));
  return d;
}

}  // namespace

std::vector<ParameterRange> ranges_of(const py::list& dicts) {
  std::vector<ParameterRange> ranges;
  for (const py::handle range : dicts) ranges.push_back(range_of(py::cast<py::dict>(range)));
  return ranges;
}

py::list ranges_list(const std::vector<ParameterRange>& ranges) {
  py::list list;
  for (const ParameterRange& range : ranges) list.append(range_dict(range));
  return list;
}

NoiseChain chain_of(const py::iterable& entries) {
  NoiseChain chain;
  for (const py::handle item : entries) {
    const auto entry = py::cast<py::tuple>(item);
    const auto slug = py::cast<std::string>(entry[0]);
    ChainEntry& made = chain.emplace_back(noise_of(slug, entry[1]));
    made.correlation = correlation_of(entry[4]);
    for (const py::handle other : entry[2]) {
      const auto pair = py::cast<py::tuple>(other);
      made.by_entity.push_back({static_cast<EntityId>(py::cast<std::uint32_t>(pair[0])), noise_of(slug, pair[1])});
    }
    for (const py::handle other : entry[3]) {
      const auto pair = py::cast<py::tuple>(other);
      made.by_ring.push_back({static_cast<std::uint16_t>(whole(pair[0], "ring", 0, 0xffff)), noise_of(slug, pair[1])});
    }
  }
  return chain;
}

py::list chain_list(const NoiseChain& chain) {
  py::list list;
  for (const ChainEntry& entry : chain) {
    py::list entities, rings;
    for (const EntityEntry& e : entry.by_entity) entities.append(py::make_tuple(index(e.entity), noise_dict(e.noise)));
    for (const RingEntry& r : entry.by_ring) rings.append(py::make_tuple(r.ring, noise_dict(r.noise)));
    list.append(py::make_tuple(entry.noise.slug(), noise_dict(entry.noise), entities, rings,
                               correlation_dict(entry.correlation)));
  }
  return list;
}

namespace {

/// Calls f; puts the sensor's name before an InputError of it.
template <class F>
void named(const std::string& sensor, F f) {
  try {
    f();
  } catch (const InputError& error) {
    throw InputError("sensor '" + sensor + "': " + error.what());
  }
}

DepthFilters filters_of(py::dict values) {
  py::dict own;
  DepthFilters filters;
  for (const auto& [key, value] : values) {
    const auto name = py::cast<std::string>(key);
    if (name == DepthFilters::Spatial::kSlug) {
      filters.spatial = model_of<DepthFilters::Spatial>(py::cast<py::dict>(value));
    } else if (name == DepthFilters::Temporal::kSlug) {
      filters.temporal = model_of<DepthFilters::Temporal>(py::cast<py::dict>(value));
    } else {
      own[key] = value;
    }
  }
  filters.hole_filling = model_of<DepthFilters>(own).hole_filling;
  return filters;
}

/// Divergence and returns.
void set_returns(const py::dict& spec, Sensor& sensor) {
  sensor.divergence = model_of<Divergence>(at<py::dict>(spec, "divergence"));
  sensor.falloff = model_of<Falloff>(at<py::dict>(spec, "falloff"));
  sensor.detection = model_of<Detection>(at<py::dict>(spec, "detection"));
  sensor.light_paths = model_of<LightPaths>(at<py::dict>(spec, "light_paths"));
  sensor.filters = filters_of(at<py::dict>(spec, "filters"));
  if (!spec["aligned_to"].is_none()) sensor.aligned_to = model_of<AlignedCamera>(at<py::dict>(spec, "aligned_to"));
  sensor.returns.clear();
  for (const py::handle word : spec["returns"]) {
    const auto place = position_of(py::cast<std::string>(word), kChoiceWords<ReturnChoice>, "returns");
    sensor.returns.push_back(static_cast<ReturnChoice>(place));
  }
  sensor.coinciding = static_cast<CoincidingReturn>(
      position_of(at<std::string>(spec, "coinciding"), kChoiceWords<CoincidingReturn>, "coinciding"));
}

}  // namespace

py::dict filters_dict(const DepthFilters& filters) {
  py::dict d = fields_dict(filters);
  if (filters.spatial) d["spatial"] = fields_dict(*filters.spatial);
  if (filters.temporal) d["temporal"] = fields_dict(*filters.temporal);
  return d;
}

py::object aligned_dict(const std::optional<AlignedCamera>& camera) {
  return camera ? py::object(fields_dict(*camera)) : py::object(py::none());
}

SensorSetup sensor_of(const py::dict& spec) {
  SensorSetup setup;
  Sensor& sensor = setup.sensor;
  sensor.name = at<std::string>(spec, "name");
  sensor.model = at<SensorModel>(spec, "model");
  sensor.parent_from_sensor = trajectory_of(spec["pose"], "pose");
  if (!spec["parent"].is_none()) sensor.parent = static_cast<EntityId>(whole32(spec["parent"], "parent"));
  sensor.rolling = at<bool>(spec, "rolling");
  sensor.noise = chain_of(spec["noise"]);
  sensor.velocity_noise = chain_of(spec["velocity_noise"]);
  if (!spec["range_policy"].is_none()) {
    const auto word = at<std::string>(spec, "range_policy");
    sensor.range_policy = static_cast<RangePolicy>(position_of(word, kRangePolicyNames, "range_policy"));
  }
  sensor.see_parent = at<bool>(spec, "see_parent");
  for (const py::handle entity : spec["ignore"]) {
    sensor.ignore.push_back(static_cast<EntityId>(whole32(entity, "ignore")));
  }
  sensor.ignore_groups = at<std::vector<std::string>>(spec, "ignore_groups");
  named(sensor.name, [&] {
    set_returns(spec, sensor);
    sensor.timing = model_of<Timing>(at<py::dict>(spec, "timing"));
  });
  setup.ranges = ranges_of(spec["ranges"]);
  setup.preset = at<std::string>(spec, "preset");
  return setup;
}

py::dict sensor_dict(const SensorSetup& setup) {
  const Sensor& sensor = setup.sensor;
  py::dict d;
  d["name"] = sensor.name;
  d["model"] = py::cast(sensor.model);
  d["pose"] = py::cast(sensor.parent_from_sensor);
  d["parent"] = optional_id(sensor.parent);
  d["rolling"] = sensor.rolling;
  d["noise"] = chain_list(sensor.noise);
  d["velocity_noise"] = chain_list(sensor.velocity_noise);
  d["range_policy"] =
      sensor.range_policy ? py::object(py::str(std::string(to_string(*sensor.range_policy)))) : py::object(py::none());
  d["see_parent"] = sensor.see_parent;
  py::list ignored;
  for (const EntityId entity : sensor.ignore) ignored.append(index(entity));
  d["ignore"] = ignored, d["ignore_groups"] = sensor.ignore_groups;
  d["divergence"] = fields_dict(sensor.divergence), d["falloff"] = fields_dict(sensor.falloff);
  d["detection"] = fields_dict(sensor.detection), d["light_paths"] = fields_dict(sensor.light_paths);
  d["filters"] = filters_dict(sensor.filters), d["aligned_to"] = aligned_dict(sensor.aligned_to);
  py::list returns;
  for (const ReturnChoice choice : sensor.returns) {
    returns.append(kChoiceWords<ReturnChoice>[static_cast<std::size_t>(choice)]);
  }
  d["returns"] = returns;
  d["coinciding"] = kChoiceWords<CoincidingReturn>[static_cast<std::size_t>(sensor.coinciding)];
  d["ranges"] = ranges_list(setup.ranges);
  d["timing"] = model_dict(sensor.timing);
  d["preset"] = setup.preset;
  return d;
}

py::list drawn_list(const Scene& scene, const NoiseChain& chain, const std::vector<ParameterRange::Drawn>& drawn) {
  py::list list;
  for (const ParameterRange::Drawn& one : drawn) {
    py::dict d;
    d["entry"] = one.entry;
    const bool is_noise = one.target == ParameterRange::Target::kNoise;
    d["model"] = is_noise ? py::object(py::str(std::string(chain.at(one.entry).noise.slug()))) : py::object(py::none());
    d["field"] = one.field;
    d["entity"] = one.entity == kNoEntity ? py::object(py::none())
                                          : py::object(py::str(scene.entities().at(index(one.entity)).name));
    d["ring"] = one.ring ? py::object(py::int_(*one.ring)) : py::object(py::none());
    d["value"] = one.value;
    list.append(d);
  }
  return list;
}

}  // namespace fathom::python
