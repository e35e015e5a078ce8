#include "simulate/chain_json.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "io/text_lines.hpp"

namespace fathom {

namespace {

using Json = nlohmann::ordered_json;

/// 0.02 for 0.02F, which is 0.0199999996 in double precision.
double shortest(double single) { return *parse_number<double>(fmt::format("{}", static_cast<float>(single))); }

Json parameters_json(const Noise& noise) {
  Json parameters = Json::object();
  const std::vector<FieldInfo>& fields = noise.info().fields;
  for (const FieldValue& field : noise.values()) {
    if (const auto* number = std::get_if<double>(&field.value)) {
      parameters[field.name] = shortest(*number);
      continue;
    }
    const auto info = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == field.name; });
    parameters[field.name] = std::string(info->choices[std::get<Choice>(field.value).index]);
  }
  return parameters;
}

}  // namespace

Json chain_json(const Sensor& sensor, const Scene& scene) {
  Json chain = Json::array();
  for (const auto& [noise, by_entity, by_ring] : sensor.noise) {
    Json entry = {{"model", std::string(noise.slug())},
                  {"stage", std::string(to_string(noise.stage()))},
                  {"parameters", parameters_json(noise)}};
    for (const EntityEntry& other : by_entity) {
      entry["entities"][scene.entities()[other.entity].name] = parameters_json(other.noise);
    }
    for (const RingEntry& other : by_ring) entry["rings"][std::to_string(other.ring)] = parameters_json(other.noise);
    chain.push_back(std::move(entry));
  }
  return chain;
}

}  // namespace fathom
