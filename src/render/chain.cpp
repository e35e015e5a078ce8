// SPDX-License-Identifier: MIT
#include "render/chain.hpp"

#include <algorithm>
#include <utility>

#include <fathom/math/random.hpp>

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

/// Gives the parts of entities that have an entry the same.
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
  chain.correlated.push_back({.correlation = correlation,
                              .kernel = make_field_kernel(correlation),
                              .draws = draws,
                              .stream = active.stream,
                              .first_number = count_correlated(chain),
                              .closes = closes});
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
      ActiveNoise active = make_active(chain[place], make_stream(sensor, place, noise.slug()), entities);
      if (noise.is_identity() && active.others.empty()) continue;
      if (stage == Stage::kImage) {
        staged.window = noise.window();
        continue;
      }
      add_correlated(chain[place].correlation, closes, active, staged);
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
  if (!staged.on_return.empty() || staged.window) staged.range_policy = policy;
  drop_zero_tolerance(staged);
  return staged;
}

std::uint32_t count_correlated(const StagedChain& chain) {
  if (chain.correlated.empty()) return 0;
  const CorrelatedDraws& last = chain.correlated.back();
  return last.first_number + static_cast<std::uint32_t>(last.draws.normals + last.draws.uniforms);
}

}  // namespace fathom
