// SPDX-License-Identifier: MIT
#include "render/device/gather.hpp"

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

Entries entries_of(const EntryTable& table) {
  return {table.entry_by_id.data(), static_cast<std::uint32_t>(table.entry_by_id.size()), table.by_ring};
}

const float* or_null(const std::vector<float>& values) { return values.empty() ? nullptr : values.data(); }

Rays rays_of(const CastPlan& plan) {
  Rays rays = {};
  rays.dx = plan.dx.data(), rays.dy = plan.dy.data(), rays.dz = plan.dz.data();
  rays.ox = or_null(plan.ox), rays.oy = or_null(plan.oy), rays.oz = or_null(plan.oz);
  rays.min_range_m = plan.min_range_m.data(), rays.max_range_m = plan.max_range_m.data();
  rays.min_per_lane = plan.min_range_m.size() > 1, rays.max_per_lane = plan.max_range_m.size() > 1;
  rays.quad_keys = plan.quad_keys.data(), rays.targets = plan.targets.data();
  rays.time_index = plan.time_index.empty() ? nullptr : plan.time_index.data();
  rays.lanes = plan.lanes(), rays.rows = plan.rows, rays.cols = plan.cols;
  return rays;
}

Channels channels_of(const RenderJob& job, Frame& frame) {
  FrameWriter writer(frame);
  const auto at = [&](auto* array) { return array == nullptr ? array : array + job.first; };
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
          .plane = frame.size()};
}

Policy policy_of(RangePolicy policy) {
  if (policy == RangePolicy::kKeep) return Policy::kKeep;
  return policy == RangePolicy::kClamp ? Policy::kClamp : Policy::kDrop;
}

}  // namespace

Steps Gatherer::add(const std::vector<ActiveNoise>& list) {
  const Steps steps = {steps_.data() + steps_used_, static_cast<std::uint32_t>(list.size())};
  for (const ActiveNoise& n : list) {
    steps_[steps_used_++] = {models_.data() + models_used_, n.stream, !n.others.empty(), entries_of(n.table)};
    models_[models_used_++] = model_of(n.noise);
    for (const Noise& other : n.others) models_[models_used_++] = model_of(other);
  }
  return steps;
}

Chain Gatherer::gather(const StagedChain& chain) {
  std::size_t steps = 0, models = 0;
  for (const auto* list :
       {&chain.ray, &chain.angle_loss, &chain.loss, &chain.edge_loss, &chain.on_return, &chain.dropout}) {
    steps += list->size();
    for (const ActiveNoise& n : *list) models += 1 + n.others.size();
  }
  steps_.resize(steps), models_.resize(models);
  steps_used_ = 0, models_used_ = 0;
  tolerances_.clear();
  for (const SightTolerance& t : chain.sight_tolerance) {
    tolerances_.push_back({t.of_entry.data(), entries_of(t.table)});
  }
  return {.ray = add(chain.ray),
          .angle_loss = add(chain.angle_loss),
          .loss = add(chain.loss),
          .edge_loss = add(chain.edge_loss),
          .on_return = add(chain.on_return),
          .dropout = add(chain.dropout),
          .tolerances = tolerances_.data(),
          .tolerance_count = static_cast<std::uint32_t>(tolerances_.size()),
          .needs_surface = chain.needs_surface,
          .needs_sight = chain.needs_sight,
          .energy_angle = chain.energy_angle};
}

FrameData Gatherer::gather(const RenderJob& job, Frame& frame) {
  const tree::World* world = job.caster.world();
  if (world == nullptr) throw InputError("a device casts with the caster 'tree' alone");
  const RayPattern& pattern = job.pattern;
  const bool rolling = !job.rolling_cast_from_sensor.empty();
  EdgeScratch& edge = *job.edge;
  return {.world = *world,
          .reach = job.caster.reach(),
          .mask = job.mask,
          .rays = rays_of(job.plan),
          .image = {pattern.direction_x.data(), pattern.direction_y.data(), pattern.direction_z.data(),
                    pattern.ring.empty() ? nullptr : pattern.ring.data()},
          .cast_from_sensor = job.cast_from_sensor,
          .world_from_sensor = job.world_from_sensor,
          .rolling_cast = rolling ? job.rolling_cast_from_sensor.data() : nullptr,
          .rolling_world = rolling ? job.rolling_world_from_sensor.data() : nullptr,
          .rig = job.rig,
          .chain = gather(job.chain),
          .policy = policy_of(job.range_policy),
          .reflectivity = job.reflectivity.data(),
          .labels = job.labels.data(),
          .seed = job.seed,
          .frame_index = job.frame_index,
          .out = channels_of(job, frame),
          .edges = {edge.range_m.data(), edge.reached.data(), edge.entity.empty() ? nullptr : edge.entity.data()}};
}

}  // namespace fathom::device
