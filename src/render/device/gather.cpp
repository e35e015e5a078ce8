// SPDX-License-Identifier: MIT
#include "render/device/gather.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "frame/frame_writer.hpp"
#include "sensor/noise_access.hpp"

namespace fathom::device {

namespace {

/// Keeps [begin, end) of an array; null for an empty array.
template <class T>
const T* keep_part(const std::vector<T>& values, std::size_t begin, std::size_t end, Keeper& keeper) {
  if (values.empty()) return nullptr;
  return from_first(keeper.keep(std::span(values).subspan(begin, end - begin)), begin);
}

/// The lanes and rays of a tile.
Window window_of_tile(const CastPlan& plan, std::uint32_t tile) {
  Window w = {plan.first_lanes[tile], plan.first_lanes[tile + 1], plan.rows * plan.cols, 0};
  for (std::uint32_t quad = w.lane_begin / 4; quad < w.lane_end / 4; ++quad) {
    const QuadTarget& target = plan.targets[quad];
    if (target.filled == 0) continue;
    w.ray_begin = std::min(w.ray_begin, target.index), w.ray_end = std::max(w.ray_end, target.index + target.filled);
  }
  return w;
}

/// The smallest windows with disjoint ranges of rays.
std::vector<Window> bands_of(const CastPlan& plan) {
  std::vector<Window> tiles;
  for (std::uint32_t tile = 0; tile < plan.blocks(); ++tile) tiles.push_back(window_of_tile(plan, tile));
  std::vector<std::uint32_t> least(tiles.size() + 1, plan.rows * plan.cols);  // of the rays of all tiles from here on
  for (std::size_t i = tiles.size(); i-- > 0;) least[i] = std::min(least[i + 1], tiles[i].ray_begin);
  std::vector<Window> bands;
  bool open = false;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (!open) {
      bands.push_back(tiles[i]);
    } else {
      Window& band = bands.back();
      band.lane_end = tiles[i].lane_end, band.ray_end = std::max(band.ray_end, tiles[i].ray_end);
      band.ray_begin = std::min(band.ray_begin, tiles[i].ray_begin);
    }
    open = bands.back().ray_end > least[i + 1];
  }
  return bands;
}

}  // namespace

Window whole(const CastPlan& plan) { return {0, plan.lanes(), 0, plan.rows * plan.cols}; }

std::vector<Window> windows_of(const CastPlan& plan, std::uint32_t most_lanes) {
  std::vector<Window> windows;
  for (const Window& band : bands_of(plan)) {
    if (!windows.empty() && band.lane_end - windows.back().lane_begin <= most_lanes) {
      windows.back().lane_end = band.lane_end, windows.back().ray_end = band.ray_end;
    } else {
      windows.push_back(band);
    }
  }
  return windows;
}

Rays rays_of(const CastPlan& plan, const Window& window, Keeper& keeper) {
  const auto lanes = [&](const auto& values) { return keep_part(values, window.lane_begin, window.lane_end, keeper); };
  const auto quads = [&](const auto& values) {
    return keep_part(values, window.lane_begin / 4, window.lane_end / 4, keeper);
  };
  Rays rays = {};
  rays.dx = lanes(plan.dx), rays.dy = lanes(plan.dy), rays.dz = lanes(plan.dz);
  rays.ox = lanes(plan.ox), rays.oy = lanes(plan.oy), rays.oz = lanes(plan.oz);
  rays.min_per_lane = plan.min_range_m.size() > 1, rays.max_per_lane = plan.max_range_m.size() > 1;
  rays.min_range_m = rays.min_per_lane ? lanes(plan.min_range_m) : keeper.keep(std::span(plan.min_range_m));
  rays.max_range_m = rays.max_per_lane ? lanes(plan.max_range_m) : keeper.keep(std::span(plan.max_range_m));
  rays.quad_keys = quads(plan.quad_keys), rays.targets = quads(plan.targets);
  rays.time_index = lanes(plan.time_index), rays.times_s = keeper.keep(std::span(plan.times_s));
  rays.lanes = window.lane_end, rays.rows = plan.rows, rays.cols = plan.cols;
  return rays;
}

Image image_of(const RayPattern& pattern, const Window& window, Keeper& keeper) {
  const auto part = [&](const auto& values) { return keep_part(values, window.ray_begin, window.ray_end, keeper); };
  return {part(pattern.direction_x), part(pattern.direction_y), part(pattern.direction_z), part(pattern.ring)};
}

namespace {

struct Rows {
  std::uint32_t begin, end;
  Rows(const RenderJob& job, const Window& window)
      : begin(window.ray_begin / job.plan.cols), end((window.ray_end + job.plan.cols - 1) / job.plan.cols) {}
  [[nodiscard]] std::uint32_t count() const { return end - begin; }
};

std::uint32_t numbers_of(const CorrelatedDraws& draws) {
  return static_cast<std::uint32_t>(draws.draws.normals + draws.draws.uniforms);
}

/// A field without its memory.
FieldJob field_of(const RenderJob& job, const CorrelatedDraws& draws, std::uint32_t draw, const Rows& rows) {
  const LineKernel &across = draws.kernel.across, &down = draws.kernel.down;
  const Lattice lattice = {job.plan.cols, draws.closes};
  return {.kernel = nullptr,
          .seed = job.seed,
          .stream = draws.stream,
          .draw = draw,
          .time = key_time(draws.correlation, job.instant()),
          .row_begin = rows.begin,
          .row_end = rows.end,
          .cols = job.plan.cols,
          .lines = rows.count() + down.before + down.after,
          .quads = lattice.end_quad(across) - lattice.first_quad(across),
          .closes = draws.closes,
          .is_uniform = draw >= static_cast<std::uint32_t>(draws.draws.normals),
          .white = nullptr,
          .half = nullptr,
          .out = nullptr};
}

std::size_t white_floats(const FieldJob& field) { return 4 * std::size_t{field.white_threads()}; }

}  // namespace

std::size_t field_floats(const RenderJob& job, const Window& window) {
  const Rows rows(job, window);
  std::size_t floats = 0;
  for (const CorrelatedDraws& draws : job.chain.correlated) {
    const FieldJob field = field_of(job, draws, 0, rows);
    floats += numbers_of(draws) * (field.threads() + white_floats(field) + field.half_threads());
  }
  return floats;
}

void add_fields(const RenderJob& job, const Window& window, float* memory, Keeper& keeper,
                std::vector<FieldJob>& fields, FrameData& data) {
  const Rows rows(job, window);
  data.field_plane = std::size_t{rows.count()} * job.plan.cols;
  data.fields = from_first(static_cast<const float*>(memory), std::size_t{rows.begin} * job.plan.cols);
  float* out = memory;
  float* next = memory + data.field_plane * count_correlated(job.chain);
  for (const CorrelatedDraws& draws : job.chain.correlated) {
    const FieldKernel* const kernel = keeper.keep(std::span(&draws.kernel, 1));
    for (std::uint32_t draw = 0; draw < numbers_of(draws); ++draw) {
      FieldJob field = field_of(job, draws, draw, rows);
      field.out = out, out += data.field_plane;
      field.white = next, next += white_floats(field);
      field.half = next, next += field.half_threads();
      field.kernel = kernel;
      fields.push_back(field);
    }
  }
}

namespace {

template <std::size_t... I>
constexpr std::array<std::size_t, sizeof...(I)> sizes_of_models(std::index_sequence<I...> /*models*/) {
  return {sizeof(std::variant_alternative_t<I, RegisteredNoise>)...};
}
constexpr auto kSizes = sizes_of_models(std::make_index_sequence<std::variant_size_v<RegisteredNoise>>());

Model model_of(const Noise& noise) {
  const auto place = detail::NoiseAccess::place_in_list(noise);
  if (!place) {
    throw InputError(fmt::format("noise '{}' is not a model of fathom: a device has no other models", noise.slug()));
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

/// Without reflectivities, which may differ between jobs.
SurfaceView surfaces_of(const SurfaceTable& table, Keeper& keeper) {
  return {nullptr, keeper.keep(table.laws()), keeper.keep(table.tables())};
}

/// `plan`: null if rays are lines.
Samples samples_of(const SamplePlan* plan, Keeper& keeper) {
  if (plan == nullptr) return {nullptr, nullptr, nullptr, 1, CoincidingReturn::kNext, 0.0F};
  return {.directions = keeper.keep(std::span<const SampleDirection>(plan->directions)),
          .weights = keeper.keep(std::span<const float>(plan->weights)),
          .choices = keeper.keep(std::span<const ReturnChoice>(plan->choices)),
          .returns = static_cast<std::uint32_t>(plan->choices.size()),
          .coinciding = plan->coinciding,
          .separation_m = plan->separation_m};
}

/// The next of the lists, empty. Lists keep their memory.
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
  for (const auto* list : {&chain.ray, &chain.angle_loss, &chain.loss, &chain.edge_loss, &chain.on_return,
                           &chain.dropout, &chain.velocity}) {
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
          .velocity = floats(Channel::kVelocity),
          .entity_id = at(writer.entity_id()),
          .triangle_id = at(writer.triangle_id()),
          .label = at(writer.label()),
          .reason = at(writer.reason()),
          .path = at(writer.path()),
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
                     is_white ? NoiseStep::kWhite : chain.correlated[n.correlated].first_number,
                     keeper.keep(detail::NoiseAccess::table(n.noise)), n.frame});
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
          .velocity = add(chain, chain.velocity, keeper),
          .tolerances = keeper.keep(std::span<const Tolerance>(tolerances)),
          .tolerance_count = static_cast<std::uint32_t>(tolerances.size()),
          .needs_surface = chain.needs_surface,
          .needs_sight = chain.needs_sight,
          .needs_power = chain.needs_power,
          .edge_reads = chain.edge_reads,
          .energy_angle = chain.energy_angle,
          .energy_gain = chain.energy_gain,
          .least_power = chain.least_power,
          .reads_power = chain.reads_power,
          .has_window = chain.window.has_value(),
          .window = chain.window.value_or(WindowRule{})};
}

FrameData Gatherer::gather(const RenderJob& job, Keeper& keeper) {
  FrameData data = {};
  data.world = *job.caster.world();
  data.reach = job.caster.reach();
  data.mask = job.mask;
  data.cast_from_sensor = job.cast_from_sensor, data.world_from_sensor = job.world_from_sensor;
  data.rolling_cast = keeper.keep(job.rolling_cast_from_sensor);
  data.rolling_world = keeper.keep(job.rolling_world_from_sensor);
  data.speeds = keeper.keep(job.speeds);
  data.places = keeper.keep(job.places);
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
