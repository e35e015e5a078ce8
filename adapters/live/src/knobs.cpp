// SPDX-License-Identifier: MIT
#include "live/knobs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"

namespace fathom {

namespace {

using KnobJson = nlohmann::ordered_json;

/// "stereo_energy" as a heading: "Stereo energy".
std::string title_of(std::string_view slug) {
  std::string title(slug);
  std::replace(title.begin(), title.end(), '_', ' ');
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

std::string_view kind_of(const FieldInfo& field) {
  if (field.kind == FieldKind::kFlag) return "flag";
  if (field.kind == FieldKind::kChoice) return "choice";
  return field.is_whole ? "whole" : "number";
}

ParameterValue value_of(const FieldInfo& field, const FieldValue& value) {
  if (field.kind == FieldKind::kFlag) return value.number() != 0.0;
  if (field.kind == FieldKind::kChoice) return std::string(field.choices[static_cast<std::size_t>(value.number())]);
  if (!field.is_single) return value.number();
  // The shortest digits that give the same float: 0.02, not 0.019999999552965164. Clamped, because a limit may round to
  // a float beyond it.
  return std::clamp(std::stod(fmt::format("{}", static_cast<float>(value.number()))), field.low, field.high);
}

/// A value as field.hpp takes it. Throws InputError for a value of another kind.
double number_of(const FieldInfo& field, const Parameter& parameter) {
  if (field.kind == FieldKind::kFlag) {
    if (const auto* const flag = std::get_if<bool>(&parameter.value)) return *flag ? 1.0 : 0.0;
    throw InputError(fmt::format("{}: is not true or false", parameter.name));
  }
  if (field.kind == FieldKind::kChoice) {
    const auto* const word = std::get_if<std::string>(&parameter.value);
    const auto found =
        word == nullptr ? field.choices.end() : std::find(field.choices.begin(), field.choices.end(), *word);
    if (found != field.choices.end()) return static_cast<double>(found - field.choices.begin());
    throw InputError(fmt::format("{}: is none of {}", parameter.name, fmt::join(field.choices, ", ")));
  }
  if (const auto* const number = std::get_if<double>(&parameter.value)) return *number;
  throw InputError(fmt::format("{}: is not a number", parameter.name));
}

/// The same model with one value changed, which may be a flag or a word.
Noise changed_noise(const Noise& noise, const FieldInfo& field, double number) {
  if (field.kind == FieldKind::kNumber) return noise.with(field.name, number);
  std::vector<FieldValue> values = noise.values();
  for (FieldValue& value : values) {
    if (value.name == field.name) value = field_value(field, number);
  }
  return make_noise(noise.slug(), values);
}

/// The values of a correlation that are knobs: times have no upper limit.
const std::vector<FieldInfo>& correlation_fields() {
  static const std::vector<FieldInfo> fields = [] {
    std::vector<FieldInfo> all = describe<Correlation>();
    std::erase_if(all, [](const FieldInfo& field) { return std::isinf(field.high); });
    return all;
  }();
  return fields;
}

}  // namespace

void Knobs::add(const Sensor& sensor, const Scene& scene) {
  Knob knob{.name = {}, .sensor_name = sensor.name, .part = {}, .sensor = chains_.size(), .entry = 0, .field = 0};
  for (std::size_t i = 0; i < sensor.noise.size(); ++i) {
    const ChainEntry& entry = sensor.noise[i];
    const std::string prefix = fmt::format("sensors.{}.noise.{}.", sensor.name, i);
    knob.entry = i, knob.of = Of::kAll, knob.part.clear();
    add_noise(entry.noise, knob, prefix);
    knob.of = Of::kCorrelation, knob.part = "correlation";
    for (knob.field = 0; !entry.correlation.is_white() && knob.field < correlation_fields().size(); ++knob.field) {
      add(knob, fmt::format("{}{}.{}", prefix, Correlation::kSlug, correlation_fields()[knob.field].name));
    }
    knob.of = Of::kEntity;
    for (std::size_t e = 0; e < entry.by_entity.size(); ++e) {
      const std::string& name = scene.entities()[index(entry.by_entity[e].entity)].name;
      knob.position = e, knob.part = "on " + name;
      add_noise(entry.by_entity[e].noise, knob, fmt::format("{}entities.{}.", prefix, name));
    }
    knob.of = Of::kRing;
    for (std::size_t r = 0; r < entry.by_ring.size(); ++r) {
      knob.position = r, knob.part = fmt::format("of ring {}", entry.by_ring[r].ring);
      add_noise(entry.by_ring[r].noise, knob, fmt::format("{}rings.{}.", prefix, entry.by_ring[r].ring));
    }
  }
  chains_.push_back(sensor.noise);
}

void Knobs::add_noise(const Noise& noise, const Knob& usual, const std::string& prefix) {
  for (std::size_t f = 0; f < noise.info().fields.size(); ++f) {
    Knob knob = usual;
    knob.field = f;
    add(std::move(knob), prefix + std::string(noise.info().fields[f].name));
  }
}

void Knobs::add(Knob knob, std::string name) {
  knob.name = std::move(name);
  by_name_.emplace(knob.name, knobs_.size());
  knobs_.push_back(std::move(knob));
}

const FieldInfo& Knobs::field_of(const Knob& knob) const {
  return knob.of == Of::kCorrelation ? correlation_fields()[knob.field] : noise_of(knob).info().fields[knob.field];
}

FieldValue Knobs::value_at(const Knob& knob) const {
  if (knob.of != Of::kCorrelation) return noise_of(knob).values()[knob.field];
  const FieldInfo& field = field_of(knob);
  return field_value(field, get_field(chains_[knob.sensor][knob.entry].correlation, field.name).front());
}

Noise& Knobs::noise_of(NoiseChain& chain, const Knob& knob) {
  ChainEntry& entry = chain[knob.entry];
  if (knob.of == Of::kEntity) return entry.by_entity[knob.position].noise;
  return knob.of == Of::kRing ? entry.by_ring[knob.position].noise : entry.noise;
}

const Noise& Knobs::noise_of(const Knob& knob) const {
  return noise_of(const_cast<NoiseChain&>(chains_[knob.sensor]), knob);
}

const Knobs::Knob& Knobs::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) throw InputError(fmt::format("{}: there is no such parameter", one_line(name)));
  return knobs_[found->second];
}

std::size_t Knobs::sensor_of(std::string_view name) const { return find(name).sensor; }

NoiseChain Knobs::with(const Parameter& parameter) const {
  const Knob& knob = find(parameter.name);
  NoiseChain chain = chains_[knob.sensor];
  const FieldInfo& field = field_of(knob);
  const double number = number_of(field, parameter);
  if (knob.of == Of::kCorrelation) {
    set_field(chain[knob.entry].correlation, field.name, number);
  } else {
    Noise& noise = noise_of(chain, knob);
    noise = changed_noise(noise, field, number);
  }
  return chain;
}

std::vector<Parameter> Knobs::parameters() const {
  std::vector<Parameter> all;
  for (const Knob& knob : knobs_) {
    all.push_back({knob.name, value_of(field_of(knob), value_at(knob))});
  }
  return all;
}

nlohmann::ordered_json Knobs::json() const {
  KnobJson list = KnobJson::array();
  for (const Knob& knob : knobs_) {
    if (knob.of == Of::kRing) continue;
    const Noise& noise = noise_of(knob);
    const FieldInfo& field = field_of(knob);
    const std::string part = knob.part.empty() ? "" : " " + knob.part;
    KnobJson entry = {{"name", knob.name},
                      {"sensor", knob.sensor_name},
                      {"model", noise.slug()},
                      {"title", title_of(noise.slug()) + part},
                      {"field", field.name},
                      {"about", field.doc},
                      {"unit", field.kind == FieldKind::kChoice || field.unit == "1" ? std::string_view() : field.unit},
                      {"kind", kind_of(field)},
                      {"low", field.low},
                      {"high", field.high},
                      {"choices", field.choices}};
    std::visit(
        [&](const auto& value) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) entry["value"] = value;
        },
        value_of(field, value_at(knob)));
    list.push_back(std::move(entry));
  }
  return {{"knobs", list}};
}

}  // namespace fathom
