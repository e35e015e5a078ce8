// SPDX-License-Identifier: MIT
#include "render/chain.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/random.hpp>

#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr Stage kStages[] = {Stage::kRay,      Stage::kAngleLoss, Stage::kShadow,  Stage::kEnergyLoss, Stage::kEdgeLoss,
                             Stage::kHitPoint, Stage::kRange,     Stage::kReading, Stage::kDropout};

// The two lists of a ChainEntry in messages, and what their entries are for.
constexpr std::string_view kByEntity = "by_entity", kEntity = "entity", kByRing = "by_ring", kRing = "ring";

std::vector<ActiveNoise>& list_of(StagedChain& chain, Stage stage) {
  switch (stage) {
    case Stage::kRay:
      return chain.ray;
    case Stage::kAngleLoss:
      return chain.angle_loss;
    case Stage::kShadow:
    case Stage::kEnergyLoss:
      return chain.loss;
    case Stage::kEdgeLoss:
      return chain.edge_loss;
    case Stage::kHitPoint:
    case Stage::kRange:
    case Stage::kReading:
      return chain.on_return;
    case Stage::kDropout:
      break;
  }
  return chain.dropout;
}

/// Reads the settings of a model that the renderer itself needs.
void read_settings(const ActiveNoise& active, StagedChain& chain) {
  if (active.noise.info().needs.sight) {
    SightTolerance tolerance{{active.noise.sight_tolerance()}, active.table};
    for (const Noise& other : active.others) tolerance.of_entry.push_back(other.sight_tolerance());
    chain.sight_tolerance.push_back(std::move(tolerance));
  }
  if (const auto angle = active.noise.energy_angle()) chain.energy_angle = *angle;
}

/// With a model that tolerates nothing, nothing is tolerated.
void drop_zero_tolerance(StagedChain& chain) {
  const auto is_zero = [](const SightTolerance& t) {
    return std::all_of(t.of_entry.begin(), t.of_entry.end(), [](float v) { return v == 0.0F; });
  };
  const std::vector<SightTolerance>& all = chain.sight_tolerance;
  if (std::any_of(all.begin(), all.end(), is_zero)) chain.sight_tolerance.clear();
}

void add_other(ActiveNoise& active, std::uint32_t id, const Noise& noise) {
  std::vector<std::uint32_t>& entry_by_id = active.table.entry_by_id;
  if (entry_by_id.size() <= id) entry_by_id.resize(id + std::size_t{1}, 0);
  active.others.push_back(noise);
  entry_by_id[id] = static_cast<std::uint32_t>(active.others.size());
}

ActiveNoise make_active(const ChainEntry& entry, std::uint32_t stream) {
  ActiveNoise active{entry.noise, stream};
  for (const EntityEntry& other : entry.by_entity) add_other(active, index(other.entity), other.noise);
  active.table.by_ring = !entry.by_ring.empty();
  for (const RingEntry& other : entry.by_ring) add_other(active, other.ring, other.noise);
  return active;
}

FieldValue value_of(const Noise& noise, std::string_view field) {
  const std::vector<FieldValue> values = noise.values();
  return *std::find_if(values.begin(), values.end(), [&](const FieldValue& v) { return v.name == field; });
}

/// Calls differ(parameter) for what must be the same in the two, of which the second is of the first one's model.
template <class F>
void for_each_difference(const Noise& noise, const Noise& other, F differ) {
  for (const SameInChain& same : noise.same_in_chain()) {
    if (value_of(noise, same.field).value != value_of(other, same.field).value) differ(same);
  }
}

/// Checks that apply to the entries of both lists. `list`: its name in messages; `what`: an entity or a ring; `place`:
/// of the entry in the chain.
void check_other(std::string_view list, std::string_view what, std::size_t place, const Noise& base, const Noise& other,
                 const SensorTraits& sensor) {
  if (base.slug() != other.slug()) {
    throw InputError(fmt::format("{}: entry {} of the chain is {}, not {}", list, place, base.slug(), other.slug()));
  }
  if (base.stage() == Stage::kRay || base.stage() == Stage::kReading) {
    throw InputError(fmt::format("{}: {} cannot differ by {}", list, base.slug(), what));
  }
  other.check_on(sensor);
  for_each_difference(base, other, [&](const SameInChain& same) {
    throw InputError(
        fmt::format("{}: {}.{} cannot differ by {}; {}", list, base.slug(), same.field, what, same.reason));
  });
}

[[noreturn]] void throw_twice(std::string_view list, std::string_view what, std::size_t place, std::uint32_t id) {
  throw InputError(fmt::format("{}: entry {} of the chain has two for {} {}", list, place, what, id));
}

void check_by_entity(const NoiseChain& chain, std::size_t place, const SensorTraits& sensor, std::size_t entities) {
  std::set<EntityId> seen;
  for (const EntityEntry& other : chain[place].by_entity) {
    check_other(kByEntity, kEntity, place, chain[place].noise, other.noise, sensor);
    if (index(other.entity) >= entities) {
      throw InputError(fmt::format("{}: entity {} is not in [0, {})", kByEntity, index(other.entity), entities));
    }
    if (!seen.insert(other.entity).second) throw_twice(kByEntity, kEntity, place, index(other.entity));
  }
}

void check_by_ring(const NoiseChain& chain, std::size_t place, const SensorTraits& sensor, const SensorModel& model) {
  const ChainEntry& entry = chain[place];
  if (entry.by_ring.empty()) return;
  const std::set<std::uint32_t> rings = rings_of(model);
  std::set<std::uint32_t> seen;
  for (const RingEntry& other : entry.by_ring) {
    check_other(kByRing, kRing, place, entry.noise, other.noise, sensor);
    if (!rings.contains(other.ring)) {
      throw InputError(fmt::format("{}: no ray has the ring {}; there are {}, from {} to {}", kByRing, other.ring,
                                   rings.size(), *rings.begin(), *rings.rbegin()));
    }
    if (!seen.insert(other.ring).second) throw_twice(kByRing, kRing, place, other.ring);
  }
  if (!entry.by_entity.empty()) {
    throw InputError(
        fmt::format("entry {} of the chain differs by entity and by ring; a model takes one of them", place));
  }
}

}  // namespace

StagedChain stage_chain(std::string_view sensor, const NoiseChain& chain, RangePolicy policy) {
  StagedChain staged;
  for (const Stage stage : kStages) {
    for (std::uint32_t place = 0; place < chain.size(); ++place) {
      const Noise& noise = chain[place].noise;
      if (noise.stage() != stage) continue;
      ActiveNoise active = make_active(chain[place], make_stream(sensor, place, noise.slug()));
      if (noise.is_identity() && active.others.empty()) continue;
      const SurfaceNeeds needs = noise.info().needs;
      staged.needs_surface |= needs.angles || needs.sight || needs.camera || needs.baseline;
      staged.needs_sight |= needs.sight;
      const bool by_entity = !chain[place].by_entity.empty();
      staged.differs_by_entity |= by_entity;
      staged.edge_differs_by_entity |= by_entity && stage == Stage::kEdgeLoss;
      read_settings(active, staged);
      list_of(staged, stage).push_back(std::move(active));
    }
  }
  if (!staged.on_return.empty()) staged.range_policy = policy;
  drop_zero_tolerance(staged);
  return staged;
}

void check_needs(const NoiseChain& chain, const Noise& noise, const SensorTraits& sensor) {
  const SurfaceNeeds needs = noise.info().needs;
  if ((needs.sight || needs.baseline) && !(sensor.optics.baseline_m > 0.0F)) {
    throw InputError(fmt::format("{} needs two cameras apart: {}", noise.slug(), with_two_cameras()));
  }
  if (needs.camera && !(sensor.optics.fx_px > 0.0F)) {
    throw InputError(fmt::format("{} needs a camera: it reads columns and focal length", noise.slug()));
  }
  if (needs.neighbours && !sensor.one_origin) {
    throw InputError(fmt::format("{} needs rays that start at one point", noise.slug()));
  }
  if (needs.sight && sensor.rolling) {
    throw InputError(fmt::format("{} needs all rays at one time; this sensor is rolling", noise.slug()));
  }
  noise.check_on(sensor);
  for (const ChainEntry& other : chain) {
    if (other.noise.slug() != noise.slug()) continue;
    for_each_difference(noise, other.noise, [&](const SameInChain& same) {
      throw InputError(fmt::format("{}.{} differs from that of another one in the chain; {}", noise.slug(), same.field,
                                   same.reason));
    });
  }
}

void check_entries(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model,
                   std::size_t entities) {
  for (std::size_t place = 0; place < chain.size(); ++place) {
    check_by_entity(chain, place, sensor, entities);
    check_by_ring(chain, place, sensor, model);
  }
}

void check_chain(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model, std::size_t entities) {
  for (const ChainEntry& entry : chain) check_needs(chain, entry.noise, sensor);
  check_entries(chain, sensor, model, entities);
}

}  // namespace fathom
