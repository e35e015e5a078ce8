// SPDX-License-Identifier: MIT
#include "simulate/chain_json.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace fathom {

namespace {

using Json = nlohmann::ordered_json;

Json parameters_json(const Noise& noise) {
  Json parameters = Json::object();
  const std::vector<FieldValue> values = noise.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double number = values[i].number();
    parameters[values[i].name] = Json::parse(field_json(noise.info().fields[i], {&number, 1}));
  }
  return parameters;
}

Json correlation_json(const Correlation& correlation) {
  Json json = Json::object();
  for (const FieldInfo& field : describe<Correlation>()) {
    const std::vector<double> values = get_field(correlation, field.name);
    json[std::string(field.name)] = std::isinf(values[0]) ? Json("inf") : Json::parse(field_json(field, values));
  }
  return json;
}

}  // namespace

Json chain_json(const Sensor& sensor, const Scene& scene) {
  Json chain = Json::array();
  for (const auto& [noise, by_entity, by_ring, correlation] : sensor.noise) {
    Json entry = {{"model", std::string(noise.slug())},
                  {"stage", std::string(to_string(noise.stage()))},
                  {"parameters", parameters_json(noise)}};
    for (const EntityEntry& other : by_entity) {
      entry["entities"][scene.entities()[index(other.entity)].name] = parameters_json(other.noise);
    }
    for (const RingEntry& other : by_ring) entry["rings"][std::to_string(other.ring)] = parameters_json(other.noise);
    if (!correlation.is_white()) entry["correlation"] = correlation_json(correlation);
    chain.push_back(std::move(entry));
  }
  return chain;
}

nlohmann::ordered_json drawn_json(std::span<const DrawnParameter> values, const Sensor& sensor, const Scene& scene) {
  auto list = nlohmann::ordered_json::array();
  for (const DrawnParameter& drawn : values) {
    nlohmann::ordered_json entry;
    if (drawn.target == RangeTarget::kNoise) {
      entry["entry"] = drawn.entry;
      entry["model"] = std::string(sensor.noise[drawn.entry].noise.slug());
    }
    if (drawn.entity != kNoEntity) entry["entity"] = scene.entities()[index(drawn.entity)].name;
    if (drawn.ring) entry["ring"] = *drawn.ring;
    entry["parameter"] = drawn.field;
    entry["value"] = drawn.value;
    list.push_back(entry);
  }
  return list;
}

nlohmann::ordered_json drawn_json(std::span<const DrawnParameter> values, const Scene& scene) {
  auto list = nlohmann::ordered_json::array();
  for (const DrawnParameter& drawn : values) {
    list.push_back(
        {{"entity", scene.entities()[index(drawn.entity)].name}, {"parameter", drawn.field}, {"value", drawn.value}});
  }
  return list;
}

}  // namespace fathom
