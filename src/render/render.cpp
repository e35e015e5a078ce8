// SPDX-License-Identifier: MIT
#include "render/render.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fathom/core/error.hpp>

#include "core/compute.hpp"
#include "core/errors.hpp"
#include "render/chain.hpp"
#include "render/draw_fields.hpp"
#include "render/frame_parts.hpp"
#include "render/given.hpp"
#include "render/light_paths.hpp"

namespace fathom {

namespace {

/// Whether normals are read after a window.
bool shows_normals(const RenderJob& job, ChannelSet channels) {
  return channels.contains(Channel::kNormal) || channels.contains(Channel::kIncidence) ||
         channels.contains(Channel::kIntensity) || job.chain.noise_needs_angles || job.chain.reads_power;
}
/// Whether entities are read after a window.
bool shows_entity(const RenderJob& job, ChannelSet channels) {
  return channels.contains(Channel::kEntityId) || channels.contains(Channel::kLabel) || shows_normals(job, channels) ||
         job.chain.differs_by_entity;
}
/// Whether any value of the surface that a window took is read after it.
bool shows_surface(const RenderJob& job, ChannelSet channels) {
  return channels.contains(Channel::kTriangleId) || shows_entity(job, channels);
}

/// The work on one block. Its arrays live on the stack of the thread that runs it: nothing is allocated.
class BlockRenderer {
 public:
  BlockRenderer(const RenderJob& job, Frame& frame, std::uint32_t block)
      : job_(job),
        frame_(frame),
        store_(job, frame, block),
        lanes_(lane_kernels(job.isa)),
        surface_lanes_(surface_kernels(job.isa)),
        begin_(job.plan.first_lanes[block]) {
    rays_.count = job.plan.first_lanes[block + 1] - begin_;
    rays_.quads = job.plan.quad_keys.data() + begin_ / kQuadRays;
    rays_.from_sensor_origin = job.plan.from_sensor_origin;
    returns_.count = rays_.count;
    returns_.quads = rays_.quads;
    const RangeLimits range = limits();
    returns_.max_range_m = range.max_m;
    returns_.max_range_per_lane = range.max_per_lane;
    draws_.rays = store_.places().is_run ? nullptr : store_.places().rays;
    draws_.first_ray = store_.places().first;
    if (wants(Channel::kPath)) std::fill_n(paths_.path, rays_.count, 0U);
  }

  void run() {
    load_rays();
    render_clean_range();
    for (const ActiveNoise& n : job_.chain.ray) apply(n);
    if (job_.samples == nullptr) {
      cast();
    } else {
      cast_samples(job_, begin_, rays_, hits_);
    }
    for (return_ = 0; return_ < job_.returns(); ++return_) run_return();
  }

  /// The second half of a block, after the window.
  void run_after_window() {
    is_after_window_ = true;
    load_rays();
    load_matched();
    has_hits_ = any_hit();
    if (needs_points()) lanes_.place_returns(rays_, returns_);
    returns_.surface = &surface_;
    surface_.optics = job_.rig.optics;
    if (job_.chain.noise_needs_angles && has_hits_) {
      find_angles();
      std::fill_n(surface_.hidden, rays_.count, 0U);
    }
    run_noise();
  }

 private:
  void run_return() {
    store_.begin_return(return_);
    if (job_.samples != nullptr) load_return();
    run_losses();
    if (job_.chain.window) {
      keep_for_window();
    } else {
      run_noise();
    }
  }

  /// From the range gate up to the losses.
  void run_losses() {
    if (job_.chain.ray.empty()) store_clean();
    lanes_.gate_returns(cast_, limits(), returns_);
    if (job_.samples != nullptr) mark_blanks();
    if (has_optics()) mark_specular();
    if (job_.chain.least_power > 0.0F) lose_weak();
    if (needs_points()) lanes_.place_returns(rays_, returns_);
    has_hits_ = any_hit();
    if (needs_angles() && (has_hits_ || wants(Channel::kEnergy))) find_angles();
    apply(job_.chain.angle_loss);
    if (job_.chain.needs_sight && has_hits_) find_hidden();
    apply(job_.chain.loss);
    if (!job_.chain.edge_loss.empty()) keep_for_edges();
    store_energy();
    store_velocity();
    store_.paths(paths_.path);
  }

  /// From hit noise on.
  void run_noise() {
    if (job_.chain.reads_power) begin_light();
    apply(job_.chain.on_return);
    if (job_.chain.reads_power) hide_surfaces();
    if (!job_.chain.on_return.empty()) lanes_.lose_unmeasurable(returns_);
    if (job_.range_policy != RangePolicy::kKeep) lanes_.apply_policy(job_.range_policy, limits(), returns_);
    apply(job_.chain.dropout);
    store_returns();
    store_surface();
    if (wants(Channel::kAzimuth) || wants(Channel::kElevation)) {
      lanes_.angles(rays_, planes_);
      store_.values(Channel::kAzimuth, planes_.a);
      store_.values(Channel::kElevation, planes_.b);
    }
  }

  /// Takes the hits of return_ of each ray.
  void load_return() {
    const ReturnHits& hits = hits_[return_];
    const std::size_t bytes = rays_.count * sizeof(float);
    for (const auto& [to, from] :
         {std::pair(cast_.range_m, hits.range_m), std::pair(cast_.nx, hits.nx), std::pair(cast_.ny, hits.ny),
          std::pair(cast_.nz, hits.nz), std::pair(cast_.dx, hits.dx), std::pair(cast_.dy, hits.dy),
          std::pair(cast_.dz, hits.dz), std::pair(cast_.speed_m_s, hits.speed_m_s)}) {
      std::memcpy(to, from, bytes);
    }
    std::memcpy(cast_.entity, hits.entity, bytes);
    std::memcpy(cast_.triangle, hits.triangle, bytes);
    if (!has_optics()) return;
    std::memcpy(paths_.path, hits.path, bytes);
    std::memcpy(paths_.lost, hits.lost, bytes);
    std::memcpy(paths_.light, hits.light, bytes);
  }

  void find_hidden() {
    if (job_.given == nullptr) {
      fathom::find_hidden(job_, begin_, cast_, returns_, surface_);
      // Both cameras are assumed to see the mirror image.
      for (std::uint32_t i = 0; i < rays_.count && has_optics(); ++i) {
        if ((paths_.path[i] & kMirrored) != 0) surface_.hidden[i] = 0;
      }
      return;
    }
    if (!job_.chain.ray.empty()) {
      for (std::uint32_t i = 0; i < rays_.count; ++i) surface_.hidden[i] = job_.given->hidden[pixel_[i]];
      return;
    }
    std::uint8_t hidden[kBlockRays];
    store_.places().gather(job_.given->hidden, hidden);
    std::copy_n(hidden, rays_.count, surface_.hidden);
  }

  void mark_blanks() {
    const std::uint32_t* blank = hits_[return_].blank;
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      if (blank[i] != 0) returns_.reason[i] = static_cast<std::uint32_t>(Reason::kNoFurtherReturn);
    }
  }

  void mark_specular() {
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      if (paths_.lost[i] != 0) returns_.reason[i] = static_cast<std::uint32_t>(Reason::kSpecular);
    }
  }

  /// Returns that the sensor does not detect.
  void lose_weak() {
    find_light(planes_.a);
    lanes_.lose_weak(planes_.a, job_.chain.least_power, returns_);
  }

  /// The intensities of the surfaces before the falloff; 0 on a miss.
  void find_light(float* out) const {
    if (job_.samples == nullptr) return find_intensities(0.0F, out);
    const float* energy = hits_[return_].intensity;
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      const bool met = cast_.entity[i] != index(kNoEntity);
      out[i] = met ? without_falloff(energy[i], cast_.range_m[i], job_.falloff_m) : 0.0F;
    }
  }

  /// Gives models of weather the light of the surfaces.
  void begin_light() {
    find_light(returns_.intensity);
    std::fill_n(returns_.from_medium, rays_.count, 0U);
    returns_.least_power = job_.chain.least_power;
    const RangeLimits range = limits();
    returns_.min_range_m = range.min_m, returns_.min_range_per_lane = range.min_per_lane;
  }

  /// A return from drops shows no surface.
  void hide_surfaces() {
    if (!job_.chain.edge_loss.empty() && !job_.chain.window) {
      for (std::uint32_t i = 0; i < rays_.count; ++i) reached_[i] &= 1U - returns_.from_medium[i];
      store_.edges(cast_, reached_);  // drops have no edges
    }
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      if (returns_.from_medium[i] == 0) continue;
      cast_.range_m[i] = returns_.range_m[i];
      cast_.entity[i] = index(kNoEntity), cast_.triangle[i] = kNoTriangle;
    }
  }

  void find_powers() {
    find_light(planes_.a);
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      surface_.power[i] = power_of(planes_.a[i], returns_.range_m[i]);
    }
  }

  [[nodiscard]] bool any_hit() const {
    const std::uint32_t* const end = returns_.reason + returns_.count;
    return std::find(returns_.reason, end, kHitLane) != end;
  }
  [[nodiscard]] bool wants(Channel c) const { return frame_.channels().contains(c); }
  [[nodiscard]] bool wants_normals() const { return reads_normals(job_.chain, frame_.channels()); }
  [[nodiscard]] bool needs_angles() const { return job_.chain.needs_surface || wants(Channel::kEnergy); }
  [[nodiscard]] bool shows_normals() const { return fathom::shows_normals(job_, frame_.channels()); }
  [[nodiscard]] bool shows_entity() const { return fathom::shows_entity(job_, frame_.channels()); }
  [[nodiscard]] bool needs_entity() const {
    return wants(Channel::kEntityId) || wants(Channel::kLabel) || wants_normals() || job_.chain.differs_by_entity;
  }
  [[nodiscard]] bool needs_points() const {
    return wants(Channel::kHitSensor) || wants(Channel::kHitWorld) || wants(Channel::kDepth) ||
           !job_.chain.angle_loss.empty() || !job_.chain.loss.empty() || !job_.chain.on_return.empty() ||
           !job_.chain.dropout.empty() || job_.range_policy == RangePolicy::kClamp || job_.chain.window ||
           (wants(Channel::kVelocity) && !job_.chain.velocity.empty());
  }
  /// Whether paths_ has the values of rays that are lines.
  [[nodiscard]] bool follows_lines() const { return has_optics() && job_.samples == nullptr && !is_after_window_; }
  [[nodiscard]] bool has_optics() const { return !job_.optics().empty(); }
  [[nodiscard]] bool rolling() const { return !job_.rolling_cast_from_sensor.empty(); }

  [[nodiscard]] RangeLimits limits() const {
    const auto &low = job_.plan.min_range_m, &high = job_.plan.max_range_m;
    const bool low_each = low.size() > 1, high_each = high.size() > 1;
    return {low.data() + (low_each ? begin_ : 0), high.data() + (high_each ? begin_ : 0), low_each, high_each};
  }

  void load_rays() {
    const std::size_t bytes = rays_.count * sizeof(float);
    copy_run(job_.plan.dx.data() + begin_, bytes, rays_.dx);
    copy_run(job_.plan.dy.data() + begin_, bytes, rays_.dy);
    copy_run(job_.plan.dz.data() + begin_, bytes, rays_.dz);
    if (rays_.from_sensor_origin) return;
    copy_run(job_.plan.ox.data() + begin_, bytes, rays_.ox);
    copy_run(job_.plan.oy.data() + begin_, bytes, rays_.oy);
    copy_run(job_.plan.oz.data() + begin_, bytes, rays_.oz);
  }

  /// With ray noise, the clean range needs a separate cast, along the rays without noise.
  void render_clean_range() {
    const bool wanted = wants(Channel::kCleanRange) || wants(Channel::kCleanDepth) || wants(Channel::kCleanHit);
    if (job_.chain.ray.empty() || !wanted) return;
    if (job_.given != nullptr) {
      store_.places().gather(job_.given->surface.range_m, cast_.range_m);
      return store_clean();
    }
    if (job_.samples == nullptr) {
      cast_surfaces({.range_m = cast_.range_m});
      return store_clean();
    }
    cast_samples(job_, begin_, rays_, hits_);
    for (return_ = 0; return_ < job_.returns(); ++return_) {
      store_.begin_return(return_);
      load_return();
      store_clean();
    }
    return_ = 0;
  }

  void store_clean() {
    store_.values(Channel::kCleanRange, cast_.range_m);
    if (wants(Channel::kCleanDepth)) {
      surface_lanes_.depth(rays_, cast_.range_m, planes_.a);
      store_.values(Channel::kCleanDepth, planes_.a);
    }
    if (wants(Channel::kCleanHit)) {
      lanes_.ends(rays_, cast_.range_m, planes_);
      store_.points(Channel::kCleanHit, planes_);
    }
  }

  void find_angles() {
    returns_.surface = &surface_;
    surface_.optics = job_.rig.optics;
    if (!reads_angles(job_.chain, frame_.channels())) {
      for (float* cosine : {surface_.cos_emitter, surface_.cos_left, surface_.cos_right, surface_.left_to_emitter,
                            surface_.right_to_emitter}) {
        std::fill_n(cosine, rays_.count, 1.0F);
      }
    } else if (job_.rig.apart) {
      surface_lanes_.angles(cast_, rays_.count, job_.rig.left, job_.rig.right, surface_);
    } else {
      surface_lanes_.angles_at_emitter(cast_, rays_.count, surface_);
    }
    find_energy_gains();
    if (job_.chain.needs_power) find_powers();
  }

  void find_energy_gains() {
    std::fill_n(surface_.energy_gain, rays_.count, 1.0F);
    if (!(job_.chain.energy_gain == EnergyGain{})) {
      float reflectivity[kBlockRays];
      find_reflectivity(reflectivity);
      surface_lanes_.energy_gains(job_.chain.energy_gain, reflectivity, cast_.range_m, rays_.count,
                                  surface_.energy_gain);
    }
    if (!has_optics() || is_after_window_) return;
    for (std::uint32_t i = 0; i < rays_.count; ++i) surface_.energy_gain[i] *= paths_.light[i];
  }

  /// 0 on a miss.
  void find_reflectivity(float* out) const {
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      const std::uint32_t entity = cast_.entity[i];
      out[i] = entity == index(kNoEntity) ? 0.0F : reflectivity_of(i);
    }
  }
  [[nodiscard]] float reflectivity_of(std::uint32_t lane) const {
    if (job_.given == nullptr) return job_.surfaces.reflectivity[cast_.entity[lane]];
    return job_.given->reflectivity == nullptr ? 1.0F : job_.given->reflectivity[pixel_[lane]];
  }

  void keep_for_edges() {
    for (std::uint32_t i = 0; i < rays_.count; ++i) reached_[i] = returns_.reason[i] == kHitLane ? 1 : 0;
    store_.edges(cast_, reached_);
    if (!job_.chain.edge_reads.jumps) return;
    if (rolling()) {
      surface_lanes_.sensor_normals_rolling(job_.rolling_cast_from_sensor.data(), job_.plan.time_index.data() + begin_,
                                            cast_, rays_.count, planes_);
    } else {
      surface_lanes_.sensor_normals(job_.cast_from_sensor, cast_, rays_.count, planes_);
    }
    EdgeScratch& edge = *job_.edge;
    store_.keep(planes_.a, edge.edge_nx), store_.keep(planes_.b, edge.edge_ny), store_.keep(planes_.c, edge.edge_nz);
  }

  [[nodiscard]] float disparity_scale() const { return job_.rig.optics.fx_px * job_.rig.optics.baseline_m; }

  void keep_for_window() {
    EdgeScratch& scratch = *job_.edge;
    store_.keep_reasons(returns_.reason);
    window_kernels(job_.isa).disparities(returns_, disparity_scale(), planes_.a);
    store_.keep(planes_.a, scratch.disparity_px);
    store_.keep(cast_.range_m, scratch.range_m);
    if (shows_entity()) store_.keep(cast_.entity, scratch.entity);
    if (wants(Channel::kTriangleId)) store_.keep(cast_.triangle, scratch.triangle);
    if (job_.given != nullptr && shows_surface(job_, frame_.channels())) store_.keep(pixel_, scratch.pixel);
    if (shows_normals()) {
      store_.keep(cast_.nx, scratch.nx), store_.keep(cast_.ny, scratch.ny), store_.keep(cast_.nz, scratch.nz);
      store_.keep(cast_.dx, scratch.dx), store_.keep(cast_.dy, scratch.dy), store_.keep(cast_.dz, scratch.dz);
    }
  }

  /// Loads the returns after the window, along the pixels' own rays without noise; and the surfaces that it took, as
  /// the rays of their pixels struck them: along the pixel's own ray such a surface might show its back.
  void load_matched() {
    const EdgeScratch& scratch = *job_.edge;
    const std::uint32_t count = rays_.count;
    store_.fetch_reasons(returns_.reason);
    store_.fetch(scratch.range_m, returns_.range_m);
    store_.fetch(scratch.matched_px, planes_.a);
    window_kernels(job_.isa).ranges(rays_, returns_.reason, planes_.a, disparity_scale(), returns_.range_m);
    if (!shows_surface(job_, frame_.channels())) return;
    std::uint32_t taken[kBlockRays];
    store_.fetch(scratch.taken, taken);
    if (job_.given != nullptr) BlockStore::load(scratch.pixel, taken, count, pixel_room_);
    pixel_ = pixel_room_;
    if (shows_entity()) BlockStore::load(scratch.entity, taken, count, cast_.entity);
    if (wants(Channel::kTriangleId)) BlockStore::load(scratch.triangle, taken, count, cast_.triangle);
    if (!shows_normals()) return;
    for (const auto& [kept, lanes] :
         {std::pair(&scratch.range_m, cast_.range_m), std::pair(&scratch.nx, cast_.nx),
          std::pair(&scratch.ny, cast_.ny), std::pair(&scratch.nz, cast_.nz), std::pair(&scratch.dx, cast_.dx),
          std::pair(&scratch.dy, cast_.dy), std::pair(&scratch.dz, cast_.dz)}) {
      BlockStore::load(*kept, taken, count, lanes);
    }
  }

  void cast() {
    if (job_.given != nullptr) {
      if (job_.given->normal.x != nullptr) turn_rays();
      pixel_ = take_given(job_, store_.places(), rays_, needs_entity(), cast_, pixel_room_);
      if (wants(Channel::kTriangleId)) std::fill_n(cast_.triangle, rays_.count, kNoTriangle);
      return;
    }
    CastHits hits{.range_m = cast_.range_m};
    if (needs_entity()) hits.entity = cast_.entity;
    if (wants(Channel::kTriangleId)) hits.triangle = cast_.triangle;
    if (wants_normals()) hits.nx = cast_.nx, hits.ny = cast_.ny, hits.nz = cast_.nz;
    if (wants(Channel::kVelocity)) hits.speed_m_s = cast_.speed_m_s;
    cast_surfaces(hits);
  }

  /// Casts, and follows light through glass and mirrors.
  void cast_surfaces(CastHits hits) {
    if (!has_optics()) return cast_world(hits);
    hits.entity = cast_.entity, hits.nx = cast_.nx, hits.ny = cast_.ny, hits.nz = cast_.nz;
    if (!job_.speeds.empty()) hits.speed_m_s = cast_.speed_m_s;
    cast_world(hits);
    follow_light(job_, begin_, rays_.count, hits.triangle != nullptr, cast_, paths_);
  }

  void cast_world(const CastHits& hits) {
    CastRays rays{.dx = cast_.dx,
                  .dy = cast_.dy,
                  .dz = cast_.dz,
                  .count = rays_.count,
                  .coherent = job_.plan.coherent,
                  .mask = job_.mask};
    turn_rays();
    if (!rolling()) std::copy_n(job_.cast_from_sensor.t, 3, rays.origin);
    if (rolling() || !rays_.from_sensor_origin) rays.ox = cast_.ox, rays.oy = cast_.oy, rays.oz = cast_.oz;
    float times_s[kBlockRays];
    if (sees_motion(job_)) {
      for (std::uint32_t i = 0; i < rays_.count; ++i) times_s[i] = time_of_lane(job_, begin_ + i);
      rays.times_s = times_s;
    }
    job_.caster.cast(rays, hits);
  }

  /// Into the caster's coordinates.
  void turn_rays() {
    if (rolling()) {
      lanes_.to_world_rolling(job_.rolling_cast_from_sensor.data(), job_.plan.time_index.data() + begin_, rays_, cast_);
    } else {
      lanes_.to_world(job_.cast_from_sensor, rays_, cast_);
    }
  }

  /// Models act on returns, so a block without returns (sky, or a gap between objects) skips them. Only models of
  /// readings act on rays that met nothing.
  void apply(const std::vector<ActiveNoise>& models) {
    for (const ActiveNoise& n : models) {
      const bool makes_readings = n.noise.stage() == Stage::kReading;
      if (has_hits_ || makes_readings) apply(n);
      has_hits_ = has_hits_ || makes_readings;
    }
  }

  void apply(const ActiveNoise& n) {
    const NoiseKey key = {job_.seed, job_.frame_index, stream_of_return(n.stream, return_)};
    draws_.fields = fields_of(job_, n);
    returns_.placed = n.frame == ActiveNoise::kNoFrame ? nullptr : &place_rays(job_.places[n.frame]);
    if (n.others.empty()) return n.noise.apply(job_.isa, key, rays_, returns_, draws_);
    std::uint32_t entry[kBlockRays];
    for (std::uint32_t i = 0; i < rays_.count; ++i) entry[i] = entry_of_lane(job_, n.table, begin_, cast_, i);
    apply_entries(n, entry, job_.isa, key, rays_, returns_, draws_);
  }

  const RayBlock& place_rays(const Rigid& place) {
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      const std::uint32_t time = rolling() ? job_.plan.time_index[begin_ + i] : 0;
      const Rigid& pose = rolling() ? job_.rolling_cast_from_sensor[time] : job_.cast_from_sensor;
      const Ray ray = placed_ray(place, pose, ray_of_lane(rays_, i));
      placed_.ox[i] = ray.ox, placed_.oy[i] = ray.oy, placed_.oz[i] = ray.oz;
      placed_.dx[i] = ray.dx, placed_.dy[i] = ray.dy, placed_.dz[i] = ray.dz;
    }
    placed_.from_sensor_origin = false;
    return placed_;
  }

  void store_returns() {
    store_.reasons(returns_.reason);
    if (wants(Channel::kRange)) {
      lanes_.mask_lost(returns_, returns_.range_m, planes_.a);
      store_.values(Channel::kRange, planes_.a);
    }
    if (wants(Channel::kDepth)) {
      lanes_.mask_lost(returns_, returns_.x, planes_.a);
      store_.values(Channel::kDepth, planes_.a);
    }
    if (wants(Channel::kHitSensor)) {
      lanes_.mask_lost(returns_, returns_.x, planes_.a);
      lanes_.mask_lost(returns_, returns_.y, planes_.b);
      lanes_.mask_lost(returns_, returns_.z, planes_.c);
      store_.points(Channel::kHitSensor, planes_);
    }
    if (wants(Channel::kHitWorld)) {
      if (rolling()) {
        lanes_.points_to_world_rolling(job_.rolling_world_from_sensor.data(), job_.plan.time_index.data() + begin_,
                                       returns_, planes_);
      } else {
        lanes_.points_to_world(job_.world_from_sensor, returns_, planes_);
      }
      store_.points(Channel::kHitWorld, planes_);
    }
  }

  /// The energy that decided, of the surface that the ray met.
  void store_energy() {
    if (!wants(Channel::kEnergy)) return;
    surface_lanes_.energy(cast_, surface_, rays_.count, job_.chain.energy_angle, planes_.a);
    store_.values(Channel::kEnergy, planes_.a);
  }

  /// The velocity of the surface that the ray met.
  void store_velocity() {
    if (!wants(Channel::kVelocity)) return;
    std::fill_n(planes_.a, rays_.count, kNoNumber);
    if (job_.given == nullptr) find_velocities();
    store_.values(Channel::kVelocity, planes_.a);
  }

  void find_velocities() {
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      const Ray ray = ray_of_lane(rays_, i);
      const Triple origin = {ray.ox, ray.oy, ray.oz};
      const std::uint32_t time = rolling() ? job_.plan.time_index[begin_ + i] : 0;
      const Rigid& pose = rolling() ? job_.rolling_cast_from_sensor[time] : job_.cast_from_sensor;
      const Triple d = {cast_.dx[i], cast_.dy[i], cast_.dz[i]};
      if (!(cast_.range_m[i] < math::kInfinity)) continue;
      planes_.a[i] = cast_.speed_m_s[i] - origin_speed(job_.speeds[time], pose, origin, d);
    }
    if (!job_.chain.velocity.empty()) add_velocity_noise();
  }

  /// Models act on the velocities as on ranges.
  void add_velocity_noise() {
    const ReturnBlock kept = returns_;
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      returns_.reason[i] = cast_.range_m[i] < math::kInfinity ? kHitLane : kMissLane;
      returns_.range_m[i] = planes_.a[i];
    }
    for (const ActiveNoise& n : job_.chain.velocity) apply(n);
    std::copy_n(returns_.range_m, rays_.count, planes_.a);
    returns_ = kept;
  }

  /// The surface that the ray met, or that a window took, even where the return was lost.
  void store_surface() {
    store_.entities(cast_.entity);
    store_.triangles(cast_.triangle);
    if (wants(Channel::kLabel)) {
      std::uint32_t label[kBlockRays];
      for (std::uint32_t i = 0; i < rays_.count; ++i) {
        const std::uint32_t entity = cast_.entity[i];
        const bool none = entity == index(kNoEntity) || job_.given != nullptr;
        label[i] = none ? 0 : job_.surface_table.labels()[entity];
      }
      store_.labels(label);
    }
    if (wants(Channel::kNormal)) {
      lanes_.normals(cast_, rays_.count, planes_);
      store_.points(Channel::kNormal, planes_);
    }
    if (wants(Channel::kIncidence) || wants(Channel::kIntensity)) {
      lanes_.incidence(cast_, rays_.count, planes_);
      store_.values(Channel::kIncidence, planes_.a);
      if (wants(Channel::kIntensity)) store_intensity();
    }
  }

  void store_intensity() {
    if (job_.chain.reads_power) return store_light();
    if (job_.samples != nullptr) return store_.values(Channel::kIntensity, hits_[return_].intensity);
    find_intensities(job_.falloff_m, planes_.b);
    store_.values(Channel::kIntensity, planes_.b);
  }

  /// The intensities after the weather.
  void store_light() {
    const bool diverges = job_.samples != nullptr;
    if (diverges) find_light(planes_.a);
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      const float light = returns_.intensity[i];
      planes_.b[i] = job_.falloff_m > 0.0F ? light * falloff_at(cast_.range_m[i], job_.falloff_m) : light;
      // Light that nothing dimmed keeps the bits of its energy.
      if (diverges && light == planes_.a[i]) planes_.b[i] = hits_[return_].intensity[i];
    }
    store_.values(Channel::kIntensity, planes_.b);
  }

  /// Of the surfaces that the rays met, 0 on a miss.
  void find_intensities(float falloff_m, float* out) const {
    float reflectivity[kBlockRays];
    const bool is_given = job_.given != nullptr;
    if (is_given) find_reflectivity(reflectivity);
    if (is_given && job_.given->reflectivity_has_incidence) {
      for (std::uint32_t i = 0; i < rays_.count; ++i) {
        const float value = reflectivity[i];  // measured: with the sensor's falloff
        const bool met = cast_.entity[i] != index(kNoEntity);
        out[i] = falloff_m > 0.0F || !met ? value : without_falloff(value, cast_.range_m[i], job_.falloff_m);
      }
      return;
    }
    const SurfaceView given = {reflectivity, nullptr, nullptr};  // of lanes
    for (std::uint32_t i = 0; i < rays_.count; ++i) {
      if (follows_lines() && paths_.followed[i] != 0) {
        out[i] = falloff_m > 0.0F ? paths_.intensity[i] * falloff_at(cast_.range_m[i], falloff_m) : paths_.intensity[i];
        continue;
      }
      const std::uint32_t entity = cast_.entity[i];
      out[i] = entity == index(kNoEntity) ? 0.0F
                                          : intensity_of(is_given ? given : job_.surfaces, falloff_m,
                                                         is_given ? i : entity, {cast_.dx[i], cast_.dy[i], cast_.dz[i]},
                                                         {cast_.nx[i], cast_.ny[i], cast_.nz[i]}, cast_.range_m[i]);
    }
  }

  const RenderJob& job_;
  const Frame& frame_;
  BlockStore store_;
  const LaneKernels& lanes_;
  const SurfaceKernels& surface_lanes_;
  std::uint32_t begin_;       // first lane
  bool has_hits_ = false;     // whether a lane may hold a return
  std::uint32_t return_ = 0;  // at work
  RayBlock rays_;
  RayBlock placed_;
  ReturnBlock returns_;
  CastBlock cast_;
  PlaneBlock planes_;
  DrawBuffer draws_;
  SurfaceBlock surface_;
  LanePaths paths_;
  bool is_after_window_ = false;
  ReturnHits hits_[kMostReturns];      // of diverging rays only
  std::uint32_t reached_[kBlockRays];  // of edge losses
  std::uint32_t pixel_room_[kBlockRays];
  const std::uint32_t* pixel_ = nullptr;  // of a given image: whose surface each ray met
};

/// A task of 1024 rays: large enough to hide the cost of a task, small enough to share out a frame of 16 rings.
constexpr std::size_t kBlocksPerTask = 1024 / kBlockRays;

/// Calls f(job, number of the block within the job) for all blocks of all jobs.
template <class F>
void for_each_block(std::span<const RenderJob> jobs, Executor& executor, F f) {
  // Plans with equal numbers of rays may have different numbers of blocks.
  std::size_t blocks = 0;
  for (const RenderJob& job : jobs) blocks = std::max<std::size_t>(blocks, job.plan.blocks());
  const std::function<bool()>& should_stop = jobs.front().should_stop;
  executor.parallel_for(jobs.size() * blocks, kBlocksPerTask, [&](std::size_t begin, std::size_t end) {
    stop_if_asked(should_stop);
    for (std::size_t i = begin; i < end; ++i) {
      const RenderJob& job = jobs[i / blocks];
      if (i % blocks < job.plan.blocks()) f(job, static_cast<std::uint32_t>(i % blocks));
    }
  });
}

}  // namespace

namespace {

void check_memory(const Frame& frame) {
  if (frame.memory() == Frame::Memory::kHost) return;
  throw InputError("the frame is in the memory of a GPU: the processor cannot render it");
}

void render_chain(std::span<const RenderJob> jobs, Executor& executor, Frame& frame) {
  const bool on_device = std::all_of(jobs.begin(), jobs.end(), [](const RenderJob& j) { return j.device != nullptr; });
  if (on_device) return jobs.front().device->render(jobs, frame);
  check_memory(frame);
  make_fields(jobs, executor);
  for (const RenderJob& job : jobs) job.edge->fit(job.chain, job.plan.rows, job.plan.cols);
  for_each_block(jobs, executor, [&](const RenderJob& job, std::uint32_t block) {
    if (block == 0) store_pattern(job, frame);
    BlockRenderer(job, frame, block).run();
  });
  for (const RenderJob& job : jobs) {
    if (!job.chain.edge_loss.empty()) lose_edges(job, executor, frame);
  }
  if (std::none_of(jobs.begin(), jobs.end(), [](const RenderJob& j) { return j.chain.window.has_value(); })) return;
  const bool shows_surfaces =
      std::any_of(jobs.begin(), jobs.end(), [&](const RenderJob& j) { return shows_surface(j, frame.channels()); });
  match_images(jobs, shows_surfaces, executor);
  for_each_block(jobs, executor, [&](const RenderJob& job, std::uint32_t block) {
    if (job.chain.window) BlockRenderer(job, frame, block).run_after_window();
  });
}

}  // namespace

void render(std::span<const RenderJob> jobs, Executor& executor, Frame& frame) {
  if (jobs.empty()) return;
  if (jobs.front().filters.memory == nullptr) return render_chain(jobs, executor, frame);
  check_memory(frame);
  render_chain(jobs, executor, raw_frame(jobs.front(), frame));
  filter_images(jobs, executor, frame);
}

}  // namespace fathom
