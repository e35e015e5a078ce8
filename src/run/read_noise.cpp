// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/noise/noise.hpp>

#include "core/text.hpp"
#include "core/text/read_fields.hpp"
#include "render/chain.hpp"
#include "render/parameter_range.hpp"
#include "run/read_scene.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

std::vector<std::string_view> model_slugs() {
  std::vector<std::string_view> slugs;
  for (const NoiseInfo& model : noise_models()) slugs.push_back(model.slug);
  return slugs;
}

const NoiseInfo& find_model(const YamlReader& parameters) {
  const std::vector<NoiseInfo>& models = noise_models();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const NoiseInfo& m) { return m.slug == parameters.key(); });
  if (found != models.end()) return *found;
  parameters.fail_key("is not a known noise model" + nearest_hint(parameters.key(), model_slugs()));
}

/// Whether a word means infinity, in YAML or plainly.
bool is_infinity(std::string_view word) { return word == "inf" || word == ".inf" || word == "+.inf"; }

/// The parameters of a model, for all returns or for an entity or a ring.
struct Parameters {
  std::vector<FieldValue> values;      ///< of two values of one name the last one counts
  std::vector<ParameterRange> ranges;  ///< of the fields whose value is the middle of a range
};

/// A parameter in the file, and its place.
struct Given {
  std::string_view field;
  YamlReader where;
};

/// A number that must fit other parameters of its model cannot be drawn separately.
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

/// Reads the parameters of a map into `out`, which holds inherited ones.
std::vector<Given> read_values(YamlReader& map, const NoiseInfo& model, Parameters& out) {
  std::vector<Given> given;
  for (const FieldInfo& field : model.fields) {
    refuse_former(map, field.former, field.name);
    const std::string name(field.name);
    const auto quantity = Quantity::find(map, field.name);
    if (!quantity) continue;
    given.push_back({field.name, quantity->reader()});
    std::erase_if(out.ranges, [&](const ParameterRange& range) { return range.field == name; });
    if (const auto range = read_range(*quantity, field)) {
      check_drawn_alone(quantity->reader(), model, *range);
      out.values.push_back({name, middle_of(*range)});
      out.ranges.push_back(*range);
    } else {
      out.values.push_back(field_value(field, read_value(*quantity, field).front()));
    }
  }
  return given;
}

std::string without_effect(const YamlReader& where, std::string_view why) {
  return where.line(fmt::format("has no effect: {}", why));
}

/// A model being read into a chain of a sensor.
class ModelReader {
 public:
  ModelReader(YamlReader map, const Scene& scene, const SensorTraits& traits, SensorSetup& setup, NoiseChain& chain,
              std::vector<std::string>& notes)
      : map_(std::move(map)),
        model_(find_model(map_)),
        scene_(scene),
        traits_(traits),
        setup_(setup),
        notes_(notes),
        chain_(chain) {}

  void read() {
    const std::vector<Given> given = read_values(map_, model_, defaults_);
    refuse_former(map_, {"channels", "a scan line is a ring, and a channel is an array of a frame"}, "rings");
    const auto entities = map_.find("entities"), rings = map_.find("rings");
    const auto correlation = map_.find(Correlation::kSlug);
    std::vector<std::string_view> refused;
    if (!may_name_entities(model_)) refused.push_back("entities");
    if (!may_differ(model_)) refused.push_back("rings");
    if (!may_correlate(model_)) refused.push_back(Correlation::kSlug);
    map_.finish(refused);
    if (entities && rings) rings->fail("and entities are both given; a model takes one of them");
    chain_.emplace_back(map_.located([&] { return make_noise(model_.slug, defaults_.values); }));
    map_.located([&] {
      if (is_of_velocity()) check_velocity_model(chain_.back().noise);
      check_needs(chain_, chain_.back().noise, traits_);
    });
    if (correlation) read_correlation(*correlation);
    for (ParameterRange range : defaults_.ranges) add(map_, std::move(range));
    if (entities) read_entities(*entities);
    if (rings) read_rings(*rings);
    note_idle(given);
  }

 private:
  /// Adds a note for each parameter that has no effect, also not for entities and rings with other parameters.
  void note_idle(const std::vector<Given>& given) {
    const ChainEntry& entry = chain_.back();
    for (const Given& one : given) {
      const auto is_idle = [&](const auto& other) { return !other.noise.idle(one.field).empty(); };
      const bool everywhere = std::all_of(entry.by_entity.begin(), entry.by_entity.end(), is_idle) &&
                              std::all_of(entry.by_ring.begin(), entry.by_ring.end(), is_idle);
      const std::string_view why = entry.noise.idle(one.field);
      if (everywhere && !why.empty()) notes_.push_back(without_effect(one.where, why));
    }
  }

  /// The parameters for an entity or a ring. Missing ones are inherited from the model, drawn values included.
  Parameters read_other(YamlReader& map) const {
    Parameters parameters = defaults_;
    for (ParameterRange& range : parameters.ranges) range.as_chain = true;
    read_values(map, model_, parameters);
    map.finish();
    return parameters;
  }

  void read_correlation(YamlReader map) {
    Correlation& correlation = chain_.back().correlation;
    const auto time = map.find("time_s");
    const bool is_fixed = time && time->is(YamlValue::Kind::kScalar) && is_infinity(time->text());
    if (is_fixed) {
      correlation.time_s = std::numeric_limits<double>::infinity();
    }
    std::vector<FieldInfo> fields = describe<Correlation>();
    if (is_fixed) std::erase_if(fields, [](const FieldInfo& field) { return field.name == "time_s"; });
    read_fields(map, fields, RequiredFields::kMayLack, [&](const FieldInfo& field, std::span<const double> values) {
      set_field(correlation, field.name, values);
    });
    map.finish();
    map.located([&] { check_correlation(chain_.back(), traits_); });
    for (const FieldInfo& field : fields) {
      const auto given = map.find(field.name);
      const std::string_view why = given ? correlation.idle(field.name) : std::string_view();
      if (!why.empty()) notes_.push_back(without_effect(*given, why));
    }
  }

  void read_entities(YamlReader map) {
    for (YamlReader& item : map.entries()) {
      const std::string name = item.key();
      const EntityId entity = item.located([&] { return scene_.find_entity(name); });
      Parameters parameters = read_other(item);
      item.located([&] { chain_.back().by_entity.push_back({entity, make_noise(model_.slug, parameters.values)}); });
      for (ParameterRange& range : parameters.ranges) {
        range.entity = entity;
        add(item, std::move(range));
      }
    }
    check(map);
  }

  void read_rings(YamlReader map) {
    for (YamlReader& item : map.entries()) {
      const auto ring = static_cast<std::uint16_t>(item.key_number(0xffff));
      Parameters parameters = read_other(item);
      item.located([&] { chain_.back().by_ring.push_back({ring, make_noise(model_.slug, parameters.values)}); });
      for (ParameterRange& range : parameters.ranges) {
        range.ring = ring;
        add(item, std::move(range));
      }
    }
    check(map);
  }

  void check(const YamlReader& where) const {
    where.located([&] { check_entries(chain_, traits_, setup_.sensor.model, scene_.entities().size()); });
  }

  [[nodiscard]] bool is_of_velocity() const { return &chain_ == &setup_.sensor.velocity_noise; }

  void add(const YamlReader& where, ParameterRange range) {
    if (is_of_velocity()) where.fail("has a range; only models in noise take ranges");
    range.entry = static_cast<std::uint32_t>(chain_.size() - 1);
    where.located([&] { check_range(chain_, range); });
    setup_.ranges.push_back(std::move(range));
  }

  YamlReader map_;
  const NoiseInfo& model_;
  const Scene& scene_;
  const SensorTraits& traits_;
  SensorSetup& setup_;
  std::vector<std::string>& notes_;
  NoiseChain& chain_;
  Parameters defaults_;
};

void append_chain(const SensorPreset& preset, const SensorTraits& traits, NoiseChain& chain) {
  for (const ChainEntry& entry : preset.noise) {
    check_needs(chain, entry.noise, traits);
    check_correlation(entry, traits);
    chain.push_back(entry);
  }
}

SensorTraits traits_of(const Sensor& sensor) {
  return make_traits(make_view(sensor.model), sensor.rolling, sensor.returns.size());
}

void append_preset(const YamlReader& word, const SensorPreset* preset, const SensorTraits& traits, NoiseChain& chain) {
  if (word.text() != "preset") {
    std::vector<std::string_view> known = model_slugs();
    if (std::find(known.begin(), known.end(), word.text()) != known.end()) {
      word.fail(fmt::format("needs its parameters, as in '- {}: {{key: value}}'", word.text()));
    }
    known.emplace_back("preset");
    word.fail("is not 'preset' or a noise model with its parameters" + nearest_hint(word.text(), known));
  }
  if (preset == nullptr) word.fail("needs a sensor that is made from a preset");
  word.located([&] { append_chain(*preset, traits, chain); });
}

}  // namespace

void read_preset_noise(const YamlReader& map, const SensorPreset& preset, SensorSetup& setup) {
  map.located([&] {
    try {
      append_chain(preset, traits_of(setup.sensor), setup.sensor.noise);
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("{} (the noise of the preset {}; 'noise: []' is a sensor without)", error.what(), preset.name));
    }
  });
}

void read_noise(const YamlReader& reader, const SensorPreset* preset, const Scene& scene, SensorSetup& setup,
                std::vector<std::string>& notes) {
  const SensorTraits traits = traits_of(setup.sensor);
  NoiseChain& chain = setup.sensor.noise;
  if (reader.is(YamlValue::Kind::kScalar)) return append_preset(reader, preset, traits, chain);
  for (const YamlReader& item : reader.items()) {
    if (item.is(YamlValue::Kind::kScalar)) {
      append_preset(item, preset, traits, chain);
    } else {
      ModelReader(item.only(), scene, traits, setup, chain, notes).read();
    }
  }
}

void read_velocity_noise(const YamlReader& reader, const Scene& scene, SensorSetup& setup,
                         std::vector<std::string>& notes) {
  const SensorTraits traits = traits_of(setup.sensor);
  for (const YamlReader& item : reader.items()) {
    ModelReader(item.only(), scene, traits, setup, setup.sensor.velocity_noise, notes).read();
  }
}

}  // namespace fathom
