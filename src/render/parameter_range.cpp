// SPDX-License-Identifier: MIT
#include "render/parameter_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/core/distributions.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>
#include <fathom/sensor/kinds.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "render/chain.hpp"
#include "render/plan.hpp"
#include "scene/poses.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

/// "entity 3", "ring 5": the owner of a range.
std::string owner_text(const ParameterRange& range) {
  return range.entity != kNoEntity ? fmt::format("entity {}", index(range.entity))
                                   : fmt::format("ring {}", *range.ring);
}

template <class Chain>
auto& noise_of(Chain& chain, const ParameterRange& range) {
  if (range.entry >= chain.size()) {
    throw InputError(fmt::format("range of '{}': entry {} is not in [0, {})", range.field, range.entry, chain.size()));
  }
  auto& entry = chain[range.entry];
  if (range.entity == kNoEntity && !range.ring) return entry.noise;
  for (auto& other : entry.by_entity) {
    if (other.entity == range.entity) return other.noise;
  }
  for (auto& other : entry.by_ring) {
    if (range.entity == kNoEntity && other.ring == *range.ring) return other.noise;
  }
  throw InputError(
      fmt::format("range of '{}': entry {} has nothing for {}", range.field, range.entry, owner_text(range)));
}

/// The place in kPoseOffsetFields, or its size.
std::size_t offset_part(std::string_view field) {
  return static_cast<std::size_t>(std::find(kPoseOffsetFields.begin(), kPoseOffsetFields.end(), field) -
                                  kPoseOffsetFields.begin());
}
bool is_offset(std::string_view field) { return offset_part(field) < kPoseOffsetFields.size(); }

const std::vector<FieldInfo>& fields_of(const SensorModel& model) {
  const std::string_view slug = sensor_kind(model);
  const std::vector<SensorKindInfo>& kinds = sensor_kinds();
  return std::find_if(kinds.begin(), kinds.end(), [&](const SensorKindInfo& k) { return k.slug == slug; })->fields;
}

/// The field, or the pair that it is a part of; null if unknown.
const FieldInfo* find_sensor_field(const SensorModel& model, std::string_view name) {
  for (const FieldInfo& field : fields_of(model)) {
    const bool is_part = std::find(field.parts.begin(), field.parts.end(), name) != field.parts.end();
    if (field.name == name || is_part) return &field;
  }
  return nullptr;
}

/// Sets a number of the sensor's kind.
void set_number(SensorModel& model, std::string_view name, double value) {
  const FieldInfo* field = find_sensor_field(model, name);
  if (field == nullptr || field->parts.empty()) return set_sensor_field(model, name, {&value, 1});
  std::vector<double> pair = get_sensor_field(model, field->name);
  if (pair.empty()) {  // in the middle of the image
    const auto lens = lens_of(model);
    pair = lens ? std::vector<double>{lens->cx, lens->cy} : std::vector<double>{0.0, 0.0};
  }
  pair[name == field->parts[0] ? 0 : 1] = value;
  set_sensor_field(model, field->name, pair);
}

/// Throws InputError if the sensor with this model does not suit its rays, divergence or chain.
void check_fit(const Sensor& sensor, const NoiseChain& noise, const SensorModel& model) {
  const RayPattern::Shape now = pattern_shape(sensor.model), then = pattern_shape(model);
  if (now.rows != then.rows || now.cols != then.cols) {
    throw InputError(fmt::format("{} x {} rays would become {} x {}", now.rows, now.cols, then.rows, then.cols));
  }
  const SensorView view = make_view(model);
  check_divergence(sensor.divergence, view);
  const SensorTraits traits = make_traits(view, sensor.rolling, sensor.returns.size());
  const bool correlates =
      std::any_of(noise.begin(), noise.end(), [](const ChainEntry& e) { return !e.correlation.is_white(); });
  if (correlates && view.closes != make_view(sensor.model).closes) {
    throw InputError("this changes whether its scan closes, and correlated draws depend on that");
  }
  for (const ChainEntry& entry : noise) check_needs(noise, entry.noise, traits);
}

/// Throws InputError unless [low, high] is within the limits of the field and the law is valid on it. `owner`: of the
/// field.
void check_law(std::string_view owner, const FieldInfo& field, const ParameterRange& range) {
  check_in_range(owner, range.field, range.low, field.low, field.high, field.unit);
  check_in_range(owner, range.field, range.high, field.low, field.high, field.unit);
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("range of {}.{}: {}", owner, range.field, what));
  };
  if (range.low > range.high) fail("low is above high");
  if (range.law == ParameterRange::Law::kLogUniform && !(range.low > 0.0)) fail("a log-uniform law needs low above 0");
  const bool is_bell = std::isfinite(range.mean) && range.stddev >= 0.0 && std::isfinite(range.stddev);
  if (range.law == ParameterRange::Law::kNormal && !is_bell)
    fail("a normal law needs a finite mean and a stddev of 0 or more");
  if (range.law != ParameterRange::Law::kTruncatedNormal) return;
  if (!(is_bell && range.stddev > 0.0 && range.low < range.high)) {
    fail("a truncated normal law needs a finite mean, a stddev above 0 and low below high");
  }
  constexpr double kLeastMass = 1e-290;  // a normal number with all its digits
  if (!(IntervalNormal{range.mean, range.stddev, range.low, range.high}.mass() > kLeastMass)) {
    fail(fmt::format("[{}, {}] is too far from the mean {} for a stddev of {}", number_text(range.low),
                     number_text(range.high), number_text(range.mean), number_text(range.stddev)));
  }
}

/// "max_range_m, at 1": one of the ends of a range.
std::string at_end(const ParameterRange& range, double end) {
  const bool is_bell = range.law == ParameterRange::Law::kNormal || range.law == ParameterRange::Law::kTruncatedNormal;
  const std::string_view advice = is_bell ? " (narrower limits keep it from there)" : "";
  return fmt::format("{}, at {}{}", range.field, number_text(end), advice);
}

/// Whether it draws a number of the sensor's kind.
bool is_of_model(const ParameterRange& range) {
  return range.target == ParameterRange::Target::kSensor && !is_offset(range.field);
}

/// Whether the chain has other parameters for the model of a range.
bool is_shared(const NoiseChain& chain, const Noise& noise, const ParameterRange& range) {
  const ChainEntry& entry = chain[range.entry];
  const auto same_model = [&](const ChainEntry& other) { return other.noise.slug() == noise.slug(); };
  return !entry.by_entity.empty() || !entry.by_ring.empty() ||
         std::count_if(chain.begin(), chain.end(), same_model) > 1;
}

/// Murmur3's 64-bit finaliser.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33U)) * 0xff51afd7ed558ccdU;
  x = (x ^ (x >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return x ^ (x >> 33U);
}

/// In (0, 1), from 53 bits.
double uniform(const PhiloxBlock& block) {
  const std::uint64_t bits = (std::uint64_t{block.word[0]} << 21U) ^ (block.word[1] >> 11U);
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

/// The value of the law for u, uniform in (0, 1).
double value_of(const ParameterRange& range, double u) {
  double value = range.low + (range.high - range.low) * u;
  if (range.law == ParameterRange::Law::kLogUniform) {
    value = math::exp(math::log(range.low) + u * (math::log(range.high) - math::log(range.low)));
  } else if (range.law == ParameterRange::Law::kNormal) {
    const double tail = math::normal_quantile(u < 0.5 ? u : 1.0 - u);
    value = range.mean + range.stddev * (u < 0.5 ? tail : -tail);
  } else if (range.law == ParameterRange::Law::kTruncatedNormal) {
    value = IntervalNormal{range.mean, range.stddev, range.low, range.high}.quantile(u);
  }
  return std::clamp(value, range.low, range.high);
}

double draw_noise(NoiseChain& chain, std::string_view sensor, const ParameterRange& range, std::uint64_t seed) {
  Noise& noise = noise_of(chain, range);
  const NoiseKey key = {seed, 0, make_stream(sensor, range.entry, fmt::format("{}.{}", noise.slug(), range.field))};
  const bool of_chain = range.as_chain;
  const EntityId entity = of_chain ? kNoEntity : range.entity;
  const std::uint32_t ring = of_chain || !range.ring ? 0U : *range.ring + 1U;
  const double value = value_of(range, uniform(keyed_block(key, index(entity), ring)));
  noise = noise.with(range.field, value);
  return value;
}

/// For a field of a sensor or an entity. No slug has a colon, so models never share a stream with them.
double draw_field(std::string_view kind, std::string_view owner, const ParameterRange& range, std::uint64_t seed) {
  const NoiseKey key = {seed, 0, make_stream(owner, 0, fmt::format("{}:{}", kind, range.field))};
  return value_of(range, uniform(keyed_block(key, 0, 0)));
}

/// The entity whose draw is used: itself or its whole.
const Entity& drawn_for(std::span<const Entity> entities, const ParameterRange& range) {
  const Entity* entity = &entities[index(range.entity)];
  while (range.as_chain && entity->part_of_parent && entity->parent != kNoEntity) {
    entity = &entities[index(entity->parent)];
  }
  return *entity;
}

}  // namespace

FieldInfo pose_offset_field(std::string_view name) {
  const bool is_position = offset_part(name) < 3;
  const double most = is_position ? kMaxCoordinateM : std::numbers::pi;
  return {.name = name, .unit = is_position ? "m" : "rad", .low = -most, .high = most, .doc = "offset of a pose"};
}

FieldInfo reflectivity_field() {
  return {.name = "reflectivity", .unit = "1", .low = 0.0, .high = 1.0, .doc = "share of the light that comes back"};
}

void check_range(const NoiseChain& chain, const ParameterRange& range) {
  const Noise& noise = noise_of(chain, range);
  const std::vector<FieldInfo>& fields = noise.info().fields;
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == range.field; });
  if (field == fields.end() || field->kind != FieldKind::kNumber)
    static_cast<void>(noise.with(range.field, 0.0));  // throws
  check_law(noise.slug(), *field, range);
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("range of {}.{}: {}", noise.slug(), range.field, what));
  };
  for (const SameInChain& same : noise.same_in_chain()) {
    if (same.field == range.field && is_shared(chain, noise, range)) {
      fail(fmt::format("it must be the same in the whole chain; {}", same.reason));
    }
  }
  if (range.entity != kNoEntity && range.ring) fail("it is for an entity and a ring; one of them is enough");
}

void check_range(const Sensor& sensor, const ParameterRange& range) {
  if (range.target == ParameterRange::Target::kNoise) return check_range(sensor.noise, range);
  const auto place = [&] { return fmt::format("range of '{}'", range.field); };
  if (range.target == ParameterRange::Target::kEntity) {
    throw InputError(place() + ": it is of an entity, which all sensors see; give it beside them, as entity_ranges");
  }
  if (is_offset(range.field)) return check_law("sensor", pose_offset_field(range.field), range);
  const std::string_view kind = sensor_kind(sensor.model);
  const FieldInfo* field = find_sensor_field(sensor.model, range.field);
  if (field == nullptr) static_cast<void>(get_sensor_field(sensor.model, range.field));  // throws
  const bool is_part = !field->parts.empty() && field->name != range.field;
  if (field->kind != FieldKind::kNumber && !is_part) {
    throw InputError(fmt::format("range of {}.{}: only single numbers that keep the number of rays can be drawn", kind,
                                 range.field));
  }
  check_law(kind, *field, range);
  for (const double end : {range.low, range.high}) {
    with_prefix([&] { return fmt::format("range of {}.{}", kind, at_end(range, end)); },
                [&] {
                  SensorModel model = sensor.model;
                  set_number(model, range.field, end);
                  check_fit(sensor, sensor.noise, model);
                });
  }
}

void check_together(const Sensor& sensor, const ParameterRange& one, const ParameterRange& other) {
  if (!is_of_model(one) || !is_of_model(other)) return;
  for (const double end : {one.low, one.high}) {
    for (const double other_end : {other.low, other.high}) {
      const auto place = [&] {
        return fmt::format("ranges of {}.{}, and {}", sensor_kind(sensor.model), at_end(one, end),
                           at_end(other, other_end));
      };
      with_prefix(place, [&] {
        SensorModel model = sensor.model;
        set_number(model, one.field, end);
        set_number(model, other.field, other_end);
        check_fit(sensor, sensor.noise, model);
      });
    }
  }
}

void check_range(std::span<const Entity> entities, const ParameterRange& range) {
  if (range.target != ParameterRange::Target::kEntity) {
    throw InputError(fmt::format("range of '{}': it is not of an entity; give it to its sensor", range.field));
  }
  if (index(range.entity) >= entities.size()) {
    throw InputError(
        fmt::format("range of '{}': entity {} is not in [0, {})", range.field, index(range.entity), entities.size()));
  }
  const bool known = is_offset(range.field) || range.field == reflectivity_field().name;
  if (!known) {
    std::vector<std::string_view> names(kPoseOffsetFields.begin(), kPoseOffsetFields.end());
    names.push_back(reflectivity_field().name);
    throw InputError(
        fmt::format("range of '{}': an entity has no such number{}", range.field, nearest_hint(range.field, names)));
  }
  const Entity& entity = entities[index(range.entity)];
  if (!is_offset(range.field) && !entity.material.empty()) {
    throw InputError(fmt::format("range of entity '{}'.reflectivity: its material '{}' has the reflectivity",
                                 entity.name, entity.material));
  }
  check_law(fmt::format("entity '{}'", entity.name),
            is_offset(range.field) ? pose_offset_field(range.field) : reflectivity_field(), range);
}

bool changes_rays(const SensorModel& model, const ParameterRange& range) {
  if (!is_of_model(range)) return false;
  SensorModel low = model, high = model;
  set_number(low, range.field, range.low);
  set_number(high, range.field, range.high);
  return !same_rays(make_pattern(low), make_pattern(high));
}

bool draws_model(std::span<const ParameterRange> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), is_of_model);
}

bool draws_pose(std::span<const ParameterRange> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [](const ParameterRange& r) {
    return r.target != ParameterRange::Target::kNoise && is_offset(r.field);
  });
}

std::uint64_t episode_seed(std::uint64_t seed, std::uint32_t environment, std::uint32_t episode) {
  if (environment == 0 && episode == 0) return seed;
  return mix(seed ^ mix((std::uint64_t{environment} << 32U | episode) + 0x9E3779B97F4A7C15U));
}

SensorDraw draw_sensor(const Sensor& sensor, NoiseChain noise, std::span<const ParameterRange> ranges,
                       std::uint64_t episode_seed) {
  SensorDraw drawn{{}, std::move(noise)};
  if (draws_model(ranges)) drawn.model = sensor.model;
  std::array<double, kPoseOffsetFields.size()> offset = {};
  for (const ParameterRange& range : ranges) {
    if (range.target == ParameterRange::Target::kNoise) {
      drawn.values.push_back(draw_noise(drawn.noise, sensor.name, range, episode_seed));
      continue;
    }
    const double value = draw_field("sensor", sensor.name, range, episode_seed);
    drawn.values.push_back(value);
    if (is_offset(range.field)) {
      offset[offset_part(range.field)] = value;
    } else {
      set_number(*drawn.model, range.field, value);
    }
  }
  if (draws_pose(ranges)) drawn.offset = pose_offset(offset);
  if (!drawn.model) return drawn;
  with_prefix([&] { return fmt::format("sensor '{}', as drawn", sensor.name); },
              [&] { check_fit(sensor, drawn.noise, *drawn.model); });
  return drawn;
}

std::vector<ParameterRange::Drawn> draw_ranges(Sensor& sensor, std::span<const ParameterRange> ranges,
                                               std::uint64_t episode_seed) {
  for (const ParameterRange& range : ranges) check_range(sensor, range);
  SensorDraw drawn = draw_sensor(sensor, sensor.noise, ranges, episode_seed);
  sensor.noise = std::move(drawn.noise);
  if (drawn.model) sensor.model = *std::move(drawn.model);
  if (drawn.offset) sensor.parent_from_sensor = moved(sensor.parent_from_sensor, *drawn.offset);
  return named_values(ranges, drawn.values);
}

EntityDraw draw_entities(std::span<const Entity> entities, std::span<const ParameterRange> ranges,
                         std::uint64_t episode_seed) {
  EntityDraw drawn;
  std::vector<std::pair<EntityId, std::array<double, kPoseOffsetFields.size()>>> offsets;
  for (const ParameterRange& range : ranges) {
    const double value = draw_field("entity", drawn_for(entities, range).name, range, episode_seed);
    drawn.values.push_back(value);
    if (!is_offset(range.field)) {
      drawn.reflectivity.emplace_back(range.entity, static_cast<float>(value));
      continue;
    }
    auto found = std::find_if(offsets.begin(), offsets.end(), [&](const auto& o) { return o.first == range.entity; });
    if (found == offsets.end()) found = offsets.insert(offsets.end(), {range.entity, {}});
    found->second[offset_part(range.field)] = value;
  }
  for (const auto& [entity, parts] : offsets) drawn.offset.emplace_back(entity, pose_offset(parts));
  return drawn;
}

std::vector<ParameterRange::Drawn> named_values(std::span<const ParameterRange> ranges,
                                                std::span<const double> values) {
  std::vector<ParameterRange::Drawn> named;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ParameterRange& r = ranges[i];
    named.push_back({r.entry, r.field, r.entity, r.ring, values[i], r.target});
  }
  return named;
}

}  // namespace fathom
