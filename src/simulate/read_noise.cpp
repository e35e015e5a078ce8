#include "simulate/read_noise.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/noise.hpp>

#include "base/text.hpp"
#include "io/read_fields.hpp"
#include "sensor/chain.hpp"
#include "simulate/read_range.hpp"

namespace fathom {

namespace {

const NoiseInfo& find_model(const YamlReader& parameters) {
  const std::vector<NoiseInfo>& models = noise_models();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const NoiseInfo& m) { return m.slug == parameters.key(); });
  if (found != models.end()) return *found;
  std::vector<std::string_view> slugs;
  for (const NoiseInfo& model : models) slugs.push_back(model.slug);
  parameters.fail_key("is not a known noise model" + nearest_hint(parameters.key(), slugs));
}

/// The parameters of a model or of a row of it.
struct Parameters {
  std::vector<FieldValue> values;      ///< what stands twice counts as it stands last
  std::vector<ParameterRange> ranges;  ///< of the fields whose value is the middle of a range
};

/// A number that must fit others of its model cannot be drawn alone.
void check_drawn_alone(const YamlReader& where, const NoiseInfo& model, const ParameterRange& range) {
  const Noise usual = make_noise(model.slug, {});
  for (const double value : {range.low, range.high}) {
    try {
      static_cast<void>(usual.with(range.field, value));
    } catch (const InputError& error) {
      where.fail(fmt::format("cannot be a range, as others must fit it: {}", error.what()));
    }
  }
}

/// The parameters that a map gives, before those that it inherits.
void read_values(YamlReader& map, const NoiseInfo& model, Parameters& out) {
  for (const FieldInfo& field : model.fields) {
    const std::string name(field.name);
    const auto quantity = Quantity::find(map, field.name);
    if (!quantity) continue;
    std::erase_if(out.ranges, [&](const ParameterRange& range) { return range.field == name; });
    if (const auto range = read_range(*quantity, field)) {
      check_drawn_alone(quantity->reader(), model, *range);
      out.values.push_back({name, middle_of(*range)});
      out.ranges.push_back(*range);
    } else {
      out.values.push_back(field_value(field, read_value(*quantity, field).front()));
    }
  }
}

/// What a model needs of the sensor, complained about where the model stands.
void check_sensor(const YamlReader& where, const Noise& noise, const RayPattern& pattern, const Sensor& sensor) {
  const bool at_times = std::any_of(pattern.time_offset_s.begin(), pattern.time_offset_s.end(),
                                    [](float time_s) { return time_s != 0.0F; });
  where.located([&] { check_needs(sensor, noise, pattern.origin_x.empty(), sensor.rolling && at_times); });
}

/// A model being read into its slot of a sensor.
class ModelReader {
 public:
  ModelReader(YamlReader map, const Scene& scene, const RayPattern& pattern, SensorSetup& setup)
      : map_(std::move(map)),
        model_(find_model(map_)),
        scene_(scene),
        pattern_(pattern),
        setup_(setup),
        slot_(static_cast<std::uint32_t>(setup.sensor.noise.size())) {}

  void read() {
    read_values(map_, model_, defaults_);
    const auto entities = map_.find("entities"), channels = map_.find("channels");
    map_.finish();
    if (entities && channels) channels->fail("and entities are both given; a model has rows for one of them");
    setup_.sensor.noise.push_back(map_.located([&] { return make_noise(model_.slug, defaults_.values); }));
    check_sensor(map_, setup_.sensor.noise.back(), pattern_, setup_.sensor);
    for (ParameterRange range : defaults_.ranges) add(map_, std::move(range));
    if (entities) read_entities(*entities);
    if (channels) read_channels(*channels);
  }

 private:
  /// The parameters of a row: what it does not give is as in the model's own line, drawn values included.
  Parameters read_row(YamlReader& row) const {
    Parameters parameters = defaults_;
    for (ParameterRange& range : parameters.ranges) range.as_chain = true;
    read_values(row, model_, parameters);
    row.finish();
    return parameters;
  }

  void read_entities(YamlReader rows) {
    for (YamlReader& row : rows.entries()) {
      const std::string name = row.key();
      const EntityId entity = row.located([&] { return scene_.find_entity(name); });
      Parameters parameters = read_row(row);
      row.located([&] {
        setup_.sensor.entity_noise.push_back({slot_, entity, make_noise(model_.slug, parameters.values)});
      });
      for (ParameterRange& range : parameters.ranges) {
        range.entity = entity;
        add(row, std::move(range));
      }
    }
    rows.located([&] { check_tables(setup_.sensor, scene_.entities().size()); });
  }

  void read_channels(YamlReader rows) {
    for (YamlReader& row : rows.entries()) {
      const auto channel = static_cast<std::uint16_t>(row.key_number(0xffff));
      Parameters parameters = read_row(row);
      row.located([&] {
        setup_.sensor.channel_noise.push_back({slot_, channel, make_noise(model_.slug, parameters.values)});
      });
      for (ParameterRange& range : parameters.ranges) {
        range.channel = channel;
        add(row, std::move(range));
      }
    }
    rows.located([&] { check_tables(setup_.sensor, scene_.entities().size()); });
  }

  void add(const YamlReader& where, ParameterRange range) {
    range.slot = slot_;
    where.located([&] { check_range(setup_.sensor, range); });
    setup_.ranges.push_back(std::move(range));
  }

  YamlReader map_;
  const NoiseInfo& model_;
  const Scene& scene_;
  const RayPattern& pattern_;
  SensorSetup& setup_;
  std::uint32_t slot_;
  Parameters defaults_;
};

void append_preset(const YamlReader& word, const SensorPreset* preset, const RayPattern& pattern, Sensor& sensor) {
  if (word.text() != "preset") word.fail("is not 'preset' or a noise model with its parameters");
  if (preset == nullptr) word.fail("needs a sensor that is made from a preset");
  for (const Noise& noise : preset->noise) {
    check_sensor(word, noise, pattern, sensor);
    sensor.noise.push_back(noise);
  }
}

}  // namespace

void read_noise(const YamlReader& reader, const SensorPreset* preset, const Scene& scene, const RayPattern& pattern,
                SensorSetup& setup) {
  if (reader.is(YamlValue::Kind::kScalar)) return append_preset(reader, preset, pattern, setup.sensor);
  for (const YamlReader& item : reader.items()) {
    if (item.is(YamlValue::Kind::kScalar)) {
      append_preset(item, preset, pattern, setup.sensor);
    } else {
      ModelReader(item.only(), scene, pattern, setup).read();
    }
  }
}

}  // namespace fathom
