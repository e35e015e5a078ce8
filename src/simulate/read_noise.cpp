#include "simulate/read_noise.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fathom/noise.hpp>

#include "base/text.hpp"
#include "simulate/quantity.hpp"

namespace fathom {

namespace {

const NoiseInfo& find_model(const YamlReader& parameters) {
  const std::vector<NoiseInfo>& models = noise_models();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const NoiseInfo& m) { return m.slug == parameters.key(); });
  if (found != models.end()) return *found;
  std::vector<std::string_view> slugs;
  for (const NoiseInfo& model : models) slugs.push_back(model.slug);
  parameters.fail("is not for a known noise model" + nearest_hint(parameters.key(), slugs));
}

/// The parameters that a map gives, after those of `values`; what stands twice counts as it stands last.
void read_values(YamlReader& parameters, const NoiseInfo& model, std::vector<FieldValue>& values) {
  for (const FieldInfo& field : model.fields) {
    if (!field.choices.empty()) {
      const auto word = parameters.find(field.name);
      if (word)
        values.push_back({std::string(field.name), Choice(static_cast<std::uint32_t>(word->one_of(field.choices)))});
    } else if (const auto quantity = Quantity::find(parameters, field.name)) {
      values.push_back({std::string(field.name), quantity->number({field.low, field.high, field.unit})});
    }
  }
}

/// One row per entity; what a row does not give is as in the default row.
void read_rows(YamlReader rows, const NoiseInfo& model, const std::vector<FieldValue>& defaults, const Scene& scene,
               Sensor& sensor) {
  for (YamlReader& row : rows.entries()) {
    const std::string name = row.key();
    const EntityId entity = row.located([&] { return scene.find_entity(name); });
    std::vector<FieldValue> values = defaults;
    read_values(row, model, values);
    row.finish();
    const auto slot = static_cast<std::uint32_t>(sensor.noise.size());
    row.located([&] { sensor.entity_noise.push_back({slot, entity, make_noise(model.slug, values)}); });
  }
}

void read_model(YamlReader parameters, const Scene& scene, Sensor& sensor) {
  const NoiseInfo& model = find_model(parameters);
  std::vector<FieldValue> values;
  read_values(parameters, model, values);
  if (const auto rows = parameters.find("entities")) read_rows(*rows, model, values, scene, sensor);
  parameters.finish();
  parameters.located([&] { sensor.noise.push_back(make_noise(model.slug, values)); });
}

void append_preset(const YamlReader& word, const SensorPreset* preset, std::vector<Noise>& chain) {
  if (word.text() != "preset") word.fail("is not 'preset' or a noise model with its parameters");
  if (preset == nullptr) word.fail("needs a sensor that is made from a preset");
  chain.insert(chain.end(), preset->noise.begin(), preset->noise.end());
}

}  // namespace

void read_noise(const YamlReader& reader, const SensorPreset* preset, const Scene& scene, Sensor& sensor) {
  if (reader.is(YamlValue::Kind::kScalar)) return append_preset(reader, preset, sensor.noise);
  for (const YamlReader& item : reader.items()) {
    if (item.is(YamlValue::Kind::kScalar)) {
      append_preset(item, preset, sensor.noise);
    } else {
      read_model(item.only(), scene, sensor);
    }
  }
}

}  // namespace fathom
