#include "simulate/chain_json.hpp"

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

}  // namespace

Json chain_json(const Sensor& sensor, const Scene& scene) {
  Json chain = Json::array();
  for (std::uint32_t slot = 0; slot < sensor.noise.size(); ++slot) {
    const Noise& noise = sensor.noise[slot];
    Json entry = {{"model", std::string(noise.slug())},
                  {"stage", std::string(to_string(noise.stage()))},
                  {"parameters", parameters_json(noise)}};
    for (const EntityNoise& row : sensor.entity_noise) {
      if (row.slot == slot) entry["entities"][scene.entities()[row.entity].name] = parameters_json(row.noise);
    }
    for (const ChannelNoise& row : sensor.channel_noise) {
      if (row.slot == slot) entry["channels"][std::to_string(row.channel)] = parameters_json(row.noise);
    }
    chain.push_back(std::move(entry));
  }
  return chain;
}

}  // namespace fathom
