// SPDX-License-Identifier: MIT
#include "render/chain.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/random.hpp>

#include "render/field_math.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr Stage kStages[] = {Stage::kRay,   Stage::kAngleLoss, Stage::kShadow, Stage::kEnergyLoss, Stage::kEdgeLoss,
                             Stage::kImage, Stage::kHitPoint,  Stage::kRange,  Stage::kReading,    Stage::kDropout};

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
    case Stage::kImage:
    case Stage::kDropout:
      break;
  }
  return chain.dropout;
}

void add_edge_reads(const Noise& noise, EdgeReads& reads) {
  const EdgeReads own = noise.edge_reads();
  reads.angles |= own.angles, reads.jumps |= own.jumps;
}

/// Reads the settings of a model that the renderer itself needs.
void read_settings(const ActiveNoise& active, StagedChain& chain) {
  if (active.noise.info().needs.sight) {
    SightTolerance tolerance{{active.noise.sight_tolerance()}, active.table};
    for (const Noise& other : active.others) tolerance.of_entry.push_back(other.sight_tolerance());
    chain.sight_tolerance.push_back(std::move(tolerance));
  }
  const Stage stage = active.noise.stage();
  const SurfaceNeeds needs = active.noise.info().needs;
  chain.noise_needs_angles |= stage > Stage::kImage && (needs.angles || needs.sight);
  if (stage == Stage::kEdgeLoss) {
    add_edge_reads(active.noise, chain.edge_reads);
    for (const Noise& other : active.others) add_edge_reads(other, chain.edge_reads);
  }
  if (const auto angle = active.noise.energy_angle()) chain.energy_angle = *angle;
  if (const auto gain = active.noise.energy_gain()) chain.energy_gain = *gain;
}

/// A model with zero tolerance decides for all.
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

/// Gives the parts of entities with an entry that entry.
void extend_to_parts(std::span<const Entity> entities, EntryTable& table) {
  const std::vector<std::uint32_t> own = table.entry_by_id;
  for (std::uint32_t i = 0; i < entities.size(); ++i) {
    std::uint32_t up = i;
    while ((up >= own.size() || own[up] == 0) && entities[up].part_of_parent && entities[up].parent != kNoEntity) {
      up = index(entities[up].parent);
    }
    if (up == i || up >= own.size() || own[up] == 0) continue;
    if (table.entry_by_id.size() <= i) table.entry_by_id.resize(i + std::size_t{1}, 0);
    table.entry_by_id[i] = own[up];
  }
}

void add_correlated(const Correlation& correlation, bool closes, ActiveNoise& active, StagedChain& chain) {
  const DrawCount draws = active.noise.info().draws;
  if (correlation.is_white() || draws.normals + draws.uniforms == 0) return;
  active.correlated = static_cast<std::uint32_t>(chain.correlated.size());
  chain.needs_motion |= correlation.has_motion();
  chain.correlated.push_back({.correlation = correlation,
                              .kernel = make_field_kernel(correlation),
                              .draws = draws,
                              .stream = active.stream,
                              .first_number = count_correlated(chain),
                              .closes = closes});
}

/// Adds a model to its list, with its correlated draws.
void add_active(ActiveNoise active, const Correlation& correlation, bool closes, StagedChain& staged) {
  staged.reads_power |= active.noise.info().needs.power;
  add_correlated(correlation, closes, active, staged);
  read_settings(active, staged);
  list_of(staged, active.noise.stage()).push_back(std::move(active));
}

/// Adds a model that acts in the world, and its entries, which act in the frames of their entities with other draws.
void add_placed(const ChainEntry& entry, std::uint32_t stream, bool closes, StagedChain& staged) {
  const auto add = [&](const Noise& noise, EntityId frame, std::uint32_t number) {
    if (noise.is_identity()) return;
    ActiveNoise active{noise, stream ^ (number * 0x85ebca6bU)};
    if (noise.is_placed()) {
      active.frame = static_cast<std::uint32_t>(staged.frames.size());
      staged.frames.push_back(frame);
    }
    add_active(std::move(active), entry.correlation, closes, staged);
  };
  add(entry.noise, kNoEntity, 0);
  std::uint32_t number = 0;
  for (const EntityEntry& other : entry.by_entity) add(other.noise, other.entity, ++number);
}

ActiveNoise make_active(const ChainEntry& entry, std::uint32_t stream, std::span<const Entity> entities) {
  ActiveNoise active{entry.noise, stream};
  for (const EntityEntry& other : entry.by_entity) add_other(active, index(other.entity), other.noise);
  if (!entry.by_entity.empty()) extend_to_parts(entities, active.table);
  active.table.by_ring = !entry.by_ring.empty();
  for (const RingEntry& other : entry.by_ring) add_other(active, other.ring, other.noise);
  return active;
}

}  // namespace

StagedChain stage_chain(std::string_view sensor, const NoiseChain& chain, RangePolicy policy,
                        std::span<const Entity> entities, bool closes) {
  StagedChain staged;
  for (const Stage stage : kStages) {
    for (std::uint32_t place = 0; place < chain.size(); ++place) {
      const Noise& noise = chain[place].noise;
      if (noise.stage() != stage) continue;
      const std::uint32_t stream = make_stream(sensor, place, noise.slug());
      if (noise.info().needs.place) {
        add_placed(chain[place], stream, closes, staged);
        continue;
      }
      ActiveNoise active = make_active(chain[place], stream, entities);
      if (noise.is_identity() && active.others.empty()) continue;
      if (stage == Stage::kImage) {
        staged.window = noise.window();
        continue;
      }
      const SurfaceNeeds needs = noise.info().needs;
      staged.needs_surface |= needs.angles || needs.sight || needs.camera || needs.baseline;
      staged.needs_angles |= needs.angles;
      staged.needs_power |= needs.surface_power;
      staged.needs_sight |= needs.sight;
      const bool by_entity = !chain[place].by_entity.empty();
      staged.differs_by_entity |= by_entity;
      staged.edge_differs_by_entity |= by_entity && stage == Stage::kEdgeLoss;
      add_active(std::move(active), chain[place].correlation, closes, staged);
    }
  }
  if (!staged.on_return.empty() || staged.window) staged.range_policy = policy;
  drop_zero_tolerance(staged);
  return staged;
}

void stage_velocity(std::string_view sensor, const NoiseChain& chain, std::span<const Entity> entities, bool closes,
                    StagedChain& staged) {
  constexpr std::uint32_t kFirstPlace = 1U << 16U;  // apart from the streams of the other chain
  for (std::uint32_t place = 0; place < chain.size(); ++place) {
    const Noise& noise = chain[place].noise;
    ActiveNoise active = make_active(chain[place], make_stream(sensor, kFirstPlace + place, noise.slug()), entities);
    if (noise.is_identity() && active.others.empty()) continue;
    add_correlated(chain[place].correlation, closes, active, staged);
    staged.differs_by_entity |= !chain[place].by_entity.empty();
    staged.velocity.push_back(std::move(active));
  }
}

std::uint32_t count_correlated(const StagedChain& chain) {
  if (chain.correlated.empty()) return 0;
  const CorrelatedDraws& last = chain.correlated.back();
  return last.first_number + static_cast<std::uint32_t>(last.draws.normals + last.draws.uniforms);
}

void apply_entries(const ActiveNoise& n, std::uint32_t* entry, Isa isa, const NoiseKey& key, RayBlock& rays,
                   ReturnBlock& returns, DrawBuffer& draws) {
  constexpr auto kHit = static_cast<std::uint32_t>(Reason::kHit);
  constexpr auto kMasked = static_cast<std::uint32_t>(Reason::kMasked);
  constexpr std::uint32_t kDone = ~0U;
  std::uint32_t after[kBlockRays];
  std::copy_n(returns.reason, returns.count, after);
  for (std::uint32_t i = 0; i < returns.count; ++i) {
    if (after[i] != kHit) entry[i] = kDone;
  }
  for (std::uint32_t first = 0; first < returns.count; ++first) {
    const std::uint32_t now = entry[first];
    if (now == kDone) continue;
    for (std::uint32_t i = 0; i < returns.count; ++i) returns.reason[i] = entry[i] == now ? kHit : kMasked;
    const Noise& noise = now == 0 ? n.noise : n.others[now - 1];
    if (!noise.is_identity()) noise.apply(isa, key, rays, returns, draws);
    for (std::uint32_t i = first; i < returns.count; ++i) {
      if (entry[i] != now) continue;
      after[i] = returns.reason[i];
      entry[i] = kDone;
    }
  }
  std::copy_n(after, returns.count, returns.reason);
}

namespace {

// The two lists of a ChainEntry in messages, and the things that their entries are for.
constexpr std::string_view kByEntity = "by_entity", kEntity = "entity", kByRing = "by_ring", kRing = "ring";

FieldValue value_of(const Noise& noise, std::string_view field) {
  const std::vector<FieldValue> values = noise.values();
  return *std::find_if(values.begin(), values.end(), [&](const FieldValue& v) { return v.name == field; });
}

/// Calls differ(parameter) for each parameter that must be the same but differs. Both are of one model.
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
  if (list == kByEntity ? !may_name_entities(base.info()) : !may_differ(base.info())) {
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
    if (other.noise.info().needs.place && !other.noise.is_placed()) {
      throw InputError(
          fmt::format("{}: {} of entity {} has no region", kByEntity, other.noise.slug(), index(other.entity)));
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

/// A model of readings, neighbours or pixels needs one return of each ray.
void check_one_return(const Noise& noise, const SensorTraits& sensor) {
  const SurfaceNeeds needs = noise.info().needs;
  const bool is_of_one = noise.stage() == Stage::kReading || noise.stage() == Stage::kImage || needs.neighbours ||
                         needs.camera || needs.baseline;
  if (sensor.returns == 1 || !is_of_one) return;
  throw InputError(fmt::format("{} takes one return of each ray; this sensor has {}", noise.slug(), sensor.returns));
}

}  // namespace

bool may_differ(const NoiseInfo& model) {
  return model.stage != Stage::kRay && model.stage != Stage::kReading && model.stage != Stage::kImage;
}

bool may_name_entities(const NoiseInfo& model) { return may_differ(model) || model.needs.place; }

bool may_correlate(const NoiseInfo& model) { return model.draws.normals + model.draws.uniforms > 0; }

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
  check_one_return(noise, sensor);
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

void check_correlation(const ChainEntry& entry, const SensorTraits& sensor) {
  const Correlation& c = entry.correlation;
  validate(c);
  if (c.is_white()) return;
  const NoiseInfo& info = entry.noise.info();
  if (!may_correlate(info)) {
    throw InputError(fmt::format("correlation: {} draws no random numbers", info.slug));
  }
  if (sensor.returns > 1) {
    throw InputError(fmt::format("correlation: it takes one return of each ray; this sensor has {}", sensor.returns));
  }
  if (!sensor.in_rows) {
    throw InputError("correlation: it needs a sensor whose rays lie in rows and columns, the same ones in every frame");
  }
  constexpr std::uint64_t kMostDraws = std::uint64_t{1} << 30U;
  const std::uint64_t rows = sensor.rows + 2 * std::uint64_t{kFieldMargin},
                      cols = sensor.cols + 2 * std::uint64_t{kFieldMargin};
  if (rows * cols > kMostDraws) {
    throw InputError(fmt::format("correlation: {} x {} rays and {} more on each side are above {}", sensor.rows,
                                 sensor.cols, kFieldMargin, kMostDraws));
  }
  const LineKernel across = make_line_kernel(c.shape, double{c.across_px});
  if (sensor.closes && across.before + across.after >= sensor.cols) {
    throw InputError(fmt::format("correlation.across_px = {:g} is summed over {} columns; a turn of the sensor has {}",
                                 c.across_px, across.before + across.after + 1, sensor.cols));
  }
}

void check_velocity_model(const Noise& noise) {
  const SurfaceNeeds needs = noise.info().needs;
  const bool reads = needs.angles || needs.sight || needs.neighbours || needs.camera || needs.baseline;
  if (noise.stage() != Stage::kRange || reads) {
    throw InputError(
        fmt::format("{} does not act on a velocity; models of stage range without a camera do", noise.slug()));
  }
  for (const LearnedField& learned : noise.learned()) {
    if (learned.role != LearnedRole::kGrowth || noise.number(learned.field) == 0.0) continue;
    throw InputError(fmt::format("{}.{} does not act on a velocity, which has a sign", noise.slug(), learned.field));
  }
}

void check_chain(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model, std::size_t entities) {
  const auto is_image = [](const ChainEntry& entry) { return entry.noise.stage() == Stage::kImage; };
  const auto first = std::find_if(chain.begin(), chain.end(), is_image);
  if (std::count_if(chain.begin(), chain.end(), is_image) > 1) {
    throw InputError(
        fmt::format("a chain has one model of stage image: {} is there with another", first->noise.slug()));
  }
  for (const ChainEntry& entry : chain) check_correlation(entry, sensor);
  for (const ChainEntry& entry : chain) check_needs(chain, entry.noise, sensor);
  check_entries(chain, sensor, model, entities);
}

}  // namespace fathom
