// SPDX-License-Identifier: MIT
#include "render/device/gather.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/frame_writer.hpp"
#include "noise/noise_access.hpp"

namespace fathom::device {

namespace {

template <std::size_t... I>
constexpr std::array<std::size_t, sizeof...(I)> sizes_of_models(std::index_sequence<I...> /*models*/) {
  return {sizeof(std::variant_alternative_t<I, RegisteredNoise>)...};
}
constexpr auto kSizes = sizes_of_models(std::make_index_sequence<std::variant_size_v<RegisteredNoise>>());

Model model_of(const Noise& noise) {
  const auto place = detail::NoiseAccess::place_in_list(noise);
  if (!place) {
    throw InputError(
        fmt::format("noise '{}' is a model of your own: a device has only the models of fathom", noise.slug()));
  }
  Model model = {static_cast<std::uint32_t>(*place), noise.is_identity(), {}};
  std::memcpy(model.bytes, detail::NoiseAccess::model(noise), kSizes[*place]);
  return model;
}

Entries entries_of(const EntryTable& table, Keeper& keeper) {
  return {keeper.keep(std::span(table.entry_by_id)), static_cast<std::uint32_t>(table.entry_by_id.size()),
          table.by_ring};
}

Policy policy_of(RangePolicy policy) {
  if (policy == RangePolicy::kKeep) return Policy::kKeep;
  return policy == RangePolicy::kClamp ? Policy::kClamp : Policy::kDrop;
}

/// Without reflectivities, which a job may have of its own.
SurfaceView surfaces_of(const SurfaceTable& table, Keeper& keeper) {
  return {nullptr, keeper.keep(table.laws()), keeper.keep(table.tables())};
}

/// `plan`: null for rays that are lines.
Samples samples_of(const SamplePlan* plan, Keeper& keeper) {
  if (plan == nullptr) return {nullptr, nullptr, nullptr, 1, CoincidingReturn::kNext, 0.0F};
  return {.directions = keeper.keep(std::span<const SampleDirection>(plan->directions)),
          .weights = keeper.keep(std::span<const float>(plan->weights)),
          .choices = keeper.keep(std::span<const ReturnChoice>(plan->choices)),
          .returns = static_cast<std::uint32_t>(plan->choices.size()),
          .coinciding = plan->coinciding,
          .separation_m = plan->separation_m};
}

/// The next of the lists, empty; they stay where they are until all are forgotten.
template <class T>
std::vector<T>& next_of(std::vector<std::vector<T>>& lists, std::size_t& used) {
  if (used == lists.size()) lists.emplace_back();
  lists[used].clear();
  return lists[used++];
}

bool is_known(const ActiveNoise& n) {
  const auto known = [](const Noise& noise) { return detail::NoiseAccess::place_in_list(noise).has_value(); };
  return known(n.noise) && std::all_of(n.others.begin(), n.others.end(), known);
}

}  // namespace

bool has_models(const StagedChain& chain) {
  for (const auto* list :
       {&chain.ray, &chain.angle_loss, &chain.loss, &chain.edge_loss, &chain.on_return, &chain.dropout}) {
    if (!std::all_of(list->begin(), list->end(), is_known)) return false;
  }
  return true;
}

Channels channels_of(std::size_t first, Frame& frame) {
  FrameWriter writer(frame);
  const auto at = [&](auto* array) { return array == nullptr ? array : array + first; };
  const auto floats = [&](Channel channel) { return at(writer.floats(channel)); };
  return {.range = floats(Channel::kRange),
          .clean_range = floats(Channel::kCleanRange),
          .hit_world = floats(Channel::kHitWorld),
          .hit_sensor = floats(Channel::kHitSensor),
          .normal = floats(Channel::kNormal),
          .incidence = floats(Channel::kIncidence),
          .azimuth = floats(Channel::kAzimuth),
          .elevation = floats(Channel::kElevation),
          .intensity = floats(Channel::kIntensity),
          .depth = floats(Channel::kDepth),
          .clean_depth = floats(Channel::kCleanDepth),
          .energy = floats(Channel::kEnergy),
          .clean_hit = floats(Channel::kCleanHit),
          .entity_id = at(writer.entity_id()),
          .triangle_id = at(writer.triangle_id()),
          .label = at(writer.label()),
          .reason = at(writer.reason()),
          .plane = frame.size(),
          .ray_return = frame.rays()};
}

void Gatherer::begin() {
  parts_.models_used = 0, parts_.steps_used = 0, parts_.tolerances_used = 0;
  last_chain_ = nullptr, last_surfaces_ = nullptr, last_reflectivity_ = nullptr, last_samples_ = nullptr;
}

Steps Gatherer::add(const StagedChain& chain, const std::vector<ActiveNoise>& list, Keeper& keeper) {
  std::vector<NoiseStep>& steps = next_of(parts_.steps, parts_.steps_used);
  for (const ActiveNoise& n : list) {
    std::vector<Model>& models = next_of(parts_.models, parts_.models_used);
    models.push_back(model_of(n.noise));
    for (const Noise& other : n.others) models.push_back(model_of(other));
    const bool is_white = n.correlated == ActiveNoise::kWhite;
    steps.push_back({keeper.keep(std::span<const Model>(models)), n.stream, !n.others.empty(),
                     entries_of(n.table, keeper),
                     is_white ? NoiseStep::kWhite : chain.correlated[n.correlated].first_number});
  }
  return {keeper.keep(std::span<const NoiseStep>(steps)), static_cast<std::uint32_t>(list.size())};
}

Chain Gatherer::gather(const StagedChain& chain, Keeper& keeper) {
  std::vector<Tolerance>& tolerances = next_of(parts_.tolerances, parts_.tolerances_used);
  for (const SightTolerance& t : chain.sight_tolerance) {
    tolerances.push_back({keeper.keep(std::span(t.of_entry)), entries_of(t.table, keeper)});
  }
  return {.ray = add(chain, chain.ray, keeper),
          .angle_loss = add(chain, chain.angle_loss, keeper),
          .loss = add(chain, chain.loss, keeper),
          .edge_loss = add(chain, chain.edge_loss, keeper),
          .on_return = add(chain, chain.on_return, keeper),
          .dropout = add(chain, chain.dropout, keeper),
          .tolerances = keeper.keep(std::span<const Tolerance>(tolerances)),
          .tolerance_count = static_cast<std::uint32_t>(tolerances.size()),
          .needs_surface = chain.needs_surface,
          .needs_sight = chain.needs_sight,
          .edge_reads = chain.edge_reads,
          .energy_angle = chain.energy_angle,
          .energy_gain = chain.energy_gain,
          .has_window = chain.window.has_value(),
          .window = chain.window.value_or(WindowRule{})};
}

FrameData Gatherer::gather(const RenderJob& job, Keeper& keeper) {
  const tree::World* world = job.caster.world();
  if (world == nullptr) throw InputError("a device casts with the caster 'tree' alone");
  FrameData data = {};
  data.world = *world;
  data.reach = job.caster.reach();
  data.mask = job.mask;
  data.cast_from_sensor = job.cast_from_sensor, data.world_from_sensor = job.world_from_sensor;
  data.rolling_cast = keeper.keep(job.rolling_cast_from_sensor);
  data.rolling_world = keeper.keep(job.rolling_world_from_sensor);
  data.rig = job.rig;
  data.chain = last_chain_ == &job.chain ? last_.chain : gather(job.chain, keeper);
  data.policy = policy_of(job.range_policy);
  const bool same_table = last_surfaces_ == &job.surface_table;
  data.surfaces = same_table ? last_.surfaces : surfaces_of(job.surface_table, keeper);
  const bool same_reflectivity = same_table && last_reflectivity_ == job.reflectivity.data();
  data.surfaces.reflectivity = same_reflectivity ? last_.surfaces.reflectivity : keeper.keep(job.reflectivity);
  data.labels = same_table ? last_.labels : keeper.keep(job.surface_table.labels());
  data.falloff_m = job.falloff_m;
  const bool same_samples = job.samples != nullptr && last_samples_ == job.samples;
  data.samples = same_samples ? last_.samples : samples_of(job.samples, keeper);
  data.seed = job.seed, data.frame_index = job.frame_index;
  last_ = data, last_chain_ = &job.chain;
  last_surfaces_ = &job.surface_table, last_reflectivity_ = job.reflectivity.data(), last_samples_ = job.samples;
  return data;
}

}  // namespace fathom::device
