// SPDX-License-Identifier: MIT
#pragma once
// A frame, one ray a thread: the steps of BlockRenderer (render/render.cpp) in the same order, with the same bits. This
// source is compiled for devices, and for the processor, so that tests without a device can compare.

#include <cstdint>

#include <fathom/core/ids.hpp>
#include <fathom/noise/detail/weather.hpp>

#include "render/device/apply_noise.hpp"
#include "render/device/frame_data.hpp"
#include "render/device/pixels.hpp"
#include "sensor/returns.hpp"
#include "trace/tree/one_lane.hpp"

namespace fathom::device {

/// The hit of a ray, in the caster's coordinates.
struct Met {
  Point o;
  Triple d;
  float range_m;
  std::uint32_t entity, triangle;
  Triple n;
  float speed_m_s;  ///< of the surface along the ray, if asked for
};

class RayRenderer {
 public:
  FATHOM_KERNEL RayRenderer(const FrameData& f, std::uint32_t lane) : f_(f), lane_(lane) {
    const std::uint32_t quad = lane / 4;
    ray_ = f.rays.targets[quad].index + lane % 4;
    at_ = {f.rays.quad_keys[quad], lane % 4, numbers_of_ray(f, ray_), f.field_plane};
  }

  /// For a ray that is a line.
  FATHOM_KERNEL void run_line() {
    load();
    if (turned_ && wants_clean()) {
      cast(false);
      store_clean();
    }
    apply(f_.chain.ray);
    cast(wants_normal());
    run_return();
  }

  /// For a ray that widens.
  FATHOM_KERNEL void run_beam() {
    load();
    Returned returned[kMostReturns];
    if (turned_ && wants_clean()) {
      cast_samples(returned);
      for (return_ = 0; return_ < f_.samples.returns; ++return_) {
        met_ = returned[return_].met;
        store_clean();
      }
      return_ = 0;
    }
    apply(f_.chain.ray);
    cast_samples(returned);
    const Ray ray = s_.ray;
    for (return_ = 0; return_ < f_.samples.returns; ++return_) {
      s_.ray = ray, s_.surface = {};
      met_ = returned[return_].met, intensity_ = returned[return_].intensity, blank_ = returned[return_].blank;
      run_return();
    }
  }

  /// The second half, after the window.
  FATHOM_KERNEL void run_after_window() {
    load();
    load_matched();
    if (wants_angles() && s_.reason == kHitLane) find_angles();
    s_.surface.hidden = 0;
    run_noise();
  }

 private:
  /// The hit and the intensity of one return of a ray; see ReturnHits.
  struct Returned {
    Met met;
    float intensity;
    bool blank;
  };

  FATHOM_KERNEL void run_return() {
    if (!turned_) store_clean();
    s_.reason = blank_ ? kBlankLane : gate(met_.range_m, low_, s_.receiver.max_range_m);
    if (f_.chain.least_power > 0.0F && s_.reason == kHitLane) lose_weak();
    s_.hit = s_.from_sensor_origin ? return_from_origin(s_.ray.dx, s_.ray.dy, s_.ray.dz, met_.range_m)
                                   : return_along(s_.ray, met_.range_m);
    if (wants_angles()) find_angles();
    apply(f_.chain.angle_loss);
    if (f_.chain.needs_sight && s_.reason == kHitLane) find_hidden();
    apply(f_.chain.loss);
    if (f_.chain.edge_loss.count > 0) keep_for_edges();
    store_energy();
    if (f_.out.velocity != nullptr) store_velocity();
    if (f_.chain.has_window) {
      keep_for_window();
    } else {
      run_noise();
    }
  }

  /// A return that the sensor does not detect.
  FATHOM_KERNEL void lose_weak() {
    if (is_too_weak(surface_light(), met_.range_m, f_.chain.least_power)) s_.reason = kLowPowerLane;
  }

  /// The intensity of the surface before the falloff; 0 on a miss.
  [[nodiscard]] FATHOM_KERNEL float surface_light() const {
    if (met_.entity == tree::kNone) return 0.0F;
    if (f_.samples.directions != nullptr) return without_falloff(intensity_, met_.range_m, f_.falloff_m);
    return intensity_of(f_.surfaces, 0.0F, met_.entity, met_.d, met_.n, met_.range_m);
  }

  /// From hit noise on.
  FATHOM_KERNEL void run_noise() {
    const float light = f_.chain.reads_power ? surface_light() : 0.0F;
    s_.intensity = light, s_.from_medium = false;
    apply(f_.chain.on_return);
    if (f_.chain.reads_power) show_light(light);
    if (f_.chain.on_return.count > 0 && is_unmeasurable(s_.reason, s_.hit.range_m)) s_.reason = kNearLane;
    apply_policy();
    apply(f_.chain.dropout);
    store_return();
    store_surface();
  }

  /// Takes the intensity after the weather. A return from drops shows no surface.
  FATHOM_KERNEL void show_light(float before) {
    if (s_.from_medium && f_.chain.edge_loss.count > 0 && !f_.chain.has_window) f_.edges.reached[ray_] = 0;
    if (s_.from_medium) met_.range_m = s_.hit.range_m, met_.entity = tree::kNone, met_.triangle = kNoTriangle;
    if (f_.samples.directions != nullptr && s_.intensity == before) return;
    intensity_ = f_.falloff_m > 0.0F ? s_.intensity * falloff_at(met_.range_m, f_.falloff_m) : s_.intensity;
  }

  /// The origin of the ray in the world.
  [[nodiscard]] FATHOM_KERNEL Point origin() const {
    const Rigid& p = pose();
    const bool moves = f_.rolling_cast != nullptr || !s_.from_sensor_origin;
    const Triple o = moves ? moved(p, s_.ray.ox, s_.ray.oy, s_.ray.oz) : Triple{p.t[0], p.t[1], p.t[2]};
    return {o.x, o.y, o.z};
  }

  [[nodiscard]] FATHOM_KERNEL Met meet_sample(const ConeAxes& axes, std::uint32_t number) const {
    const Triple sample = sample_along(axes, {s_.ray.dx, s_.ray.dy, s_.ray.dz}, f_.samples.directions[number]);
    Met m;
    m.o = origin();
    m.d = fathom::turned(pose(), sample.x, sample.y, sample.z);
    meet(m, true);
    return m;
  }

  /// As SampleCaster (render/block.cpp), except that the samples of the returns are cast again: the hits of all samples
  /// would take more local memory than everything else here. Out of line, as trace() is.
  [[gnu::noinline]] FATHOM_HOST_DEVICE void cast_samples(Returned* out) const {
    const Samples& plan = f_.samples;
    const ConeAxes axes = cone_axes({s_.ray.dx, s_.ray.dy, s_.ray.dz});
    SampleHits hits;
    for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
      const Met m = meet_sample(axes, s);
      hits.range_m[s] = m.range_m, hits.energy[s] = 0.0F;
      if (m.entity == tree::kNone) continue;
      hits.energy[s] = plan.weights[s] * intensity_of(f_.surfaces, f_.falloff_m, m.entity, m.d, m.n, m.range_m);
    }
    Echoes echoes;
    join_hits(hits, plan.weights, plan.separation_m, echoes);
    if (f_.chain.least_power > 0.0F) drop_weak_echoes(echoes, f_.falloff_m, f_.chain.least_power);
    std::uint32_t chosen[kMostReturns];
    choose_by_simulator(echoes, plan.choices, plan.returns, plan.coinciding, low_, s_.receiver.max_range_m, chosen);
    for (std::uint32_t k = 0; k < plan.returns; ++k) {
      const ChosenReturn r = return_of(echoes, chosen[k]);
      out[k] = {meet_sample(axes, r.sample), r.energy, r.blank};
      out[k].met.range_m = r.range_m;
      if (!r.met) out[k].met.entity = tree::kNone, out[k].met.triangle = kNoTriangle;
    }
  }

  [[nodiscard]] FATHOM_KERNEL bool wants_clean() const {
    return f_.out.clean_range != nullptr || f_.out.clean_depth != nullptr || f_.out.clean_hit != nullptr;
  }
  [[nodiscard]] FATHOM_KERNEL bool wants_angles() const { return f_.chain.needs_surface || f_.out.energy != nullptr; }
  [[nodiscard]] FATHOM_KERNEL bool wants_normal() const {
    return f_.out.normal != nullptr || f_.out.incidence != nullptr || f_.out.intensity != nullptr || wants_angles() ||
           f_.chain.edge_reads.jumps || f_.chain.least_power > 0.0F || f_.chain.reads_power;
  }
  [[nodiscard]] FATHOM_KERNEL std::uint32_t ring() const {
    return f_.image.ring == nullptr ? ray_ / f_.rays.cols : f_.image.ring[ray_];
  }

  FATHOM_KERNEL void load() {
    const Rays& r = f_.rays;
    s_.from_sensor_origin = r.ox == nullptr;
    s_.ray = {0.0F, 0.0F, 0.0F, r.dx[lane_], r.dy[lane_], r.dz[lane_]};
    if (!s_.from_sensor_origin) s_.ray.ox = r.ox[lane_], s_.ray.oy = r.oy[lane_], s_.ray.oz = r.oz[lane_];
    low_ = r.min_range_m[r.min_per_lane ? lane_ : 0];
    s_.receiver.max_range_m = r.max_range_m[r.max_per_lane ? lane_ : 0];
    s_.places = f_.places, s_.pose = &pose();
    s_.receiver.min_range_m = low_;
    s_.receiver.least_power = f_.chain.least_power, s_.receiver.table = nullptr;
    s_.receiver.least_of_drops = least_of_drops(f_.chain.least_power, s_.receiver.max_range_m);
    s_.reason = kHitLane;
    s_.hit = {}, s_.surface = {};
    turned_ = f_.chain.ray.count > 0;
  }

  FATHOM_KERNEL void apply(const Steps& steps) {
    if (steps.count > 0) apply_steps(steps, {f_.seed, f_.frame_index, 0}, at_, met_.entity, ring(), return_, s_);
  }

  FATHOM_KERNEL void cast(bool with_normal) {
    met_.d = fathom::turned(pose(), s_.ray.dx, s_.ray.dy, s_.ray.dz);
    met_.o = origin();
    meet(met_, with_normal);
  }

  /// Casts the ray from m.o along m.d.
  FATHOM_KERNEL void meet(Met& m, bool with_normal) const {
    LaneHit hit = {kFarthest};
    const float* const time_s = time();
    trace<false>({m.o, {m.d.x, m.d.y, m.d.z}, 0.0F, f_.mask, time_s}, hit);
    m.entity = hit.instance, m.triangle = hit.triangle;
    m.range_m = hit.instance == tree::kNone ? math::kInfinity : hit.t;
    m.n = {0.0F, 0.0F, 0.0F}, m.speed_m_s = 0.0F;
    if (hit.instance == tree::kNone) return;
    const tree::Instance& met = f_.world.instances[hit.instance];
    const float o[3] = {m.o.x, m.o.y, m.o.z}, d[3] = {m.d.x, m.d.y, m.d.z};
    if (f_.out.velocity != nullptr) m.speed_m_s = speed_along(f_.world, met, time_s, o, d, hit.t);
    if (!with_normal) return;
    tree::MeshMap own;
    const Point n = world_normal(met, map_at(f_.world, met, time_s, own), hit.place, d);
    m.n = {n.x, n.y, n.z};
  }

  /// The time of the ray if entities move between the rays of the frame, else null.
  [[nodiscard]] FATHOM_KERNEL const float* time() const {
    const bool moves = f_.rolling_cast != nullptr && f_.world.key_count > 0;
    return moves ? f_.rays.times_s + f_.rays.time_index[lane_] : nullptr;
  }

  /// Out of line: it has four calls, and the walk is most of the code.
  template <bool kAny>
  [[gnu::noinline]] FATHOM_HOST_DEVICE void trace(const LaneRay& ray, LaneHit& hit) const {
    trace_lane<kAny>(f_.world, ray, hit);
  }

  FATHOM_KERNEL void put(float* out, float value) const {
    if (out != nullptr) out[place()] = shown(value);
  }
  FATHOM_KERNEL void put(float* out, const Triple& v) const {
    if (out == nullptr) return;
    const std::size_t at = place();
    out[at] = shown(v.x), out[at + f_.out.plane] = shown(v.y), out[at + 2 * f_.out.plane] = shown(v.z);
  }
  FATHOM_KERNEL void put(std::uint32_t* out, std::uint32_t value) const {
    if (out != nullptr) out[place()] = value;
  }
  /// In the arrays of the frame.
  [[nodiscard]] FATHOM_KERNEL std::size_t place() const { return ray_ + return_ * f_.out.ray_return; }

  FATHOM_KERNEL void store_clean() const {
    put(f_.out.clean_range, met_.range_m);
    put(f_.out.clean_depth, depth_of(s_.ray.ox, s_.ray.dx, met_.range_m));
    put(f_.out.clean_hit, end_of(s_.ray, met_.range_m));
  }

  FATHOM_KERNEL void find_angles() {
    s_.surface.optics = f_.rig.optics;
    if (f_.rig.apart) {
      set_angles(met_.d, met_.n, met_.range_m, f_.rig.left, f_.rig.right, s_.surface);
    } else {
      set_angles_at_emitter(met_.d, met_.n, s_.surface);
    }
    if (f_.chain.needs_power) s_.surface.power = power_of(surface_light(), s_.hit.range_m);
    if (f_.chain.energy_gain == EnergyGain{}) return;
    const float reflectivity = met_.entity == tree::kNone ? 0.0F : f_.surfaces.reflectivity[met_.entity];
    s_.surface.energy_gain = energy_gain_of(f_.chain.energy_gain, reflectivity, met_.range_m);
  }

  FATHOM_KERNEL void find_hidden() {
    const bool left = is_hidden(f_.rig.left, s_.surface.cos_left);
    const bool right = is_hidden(f_.rig.right, s_.surface.cos_right);
    s_.surface.hidden = (left ? kHiddenFromLeft : 0U) | (right ? kHiddenFromRight : 0U);
  }

  FATHOM_KERNEL bool is_hidden(const CameraOffset& camera, float cosine) const {
    const float* t = f_.cast_from_sensor.t;
    if (camera.x == 0.0F && camera.y == 0.0F && camera.z == 0.0F) return false;  // the emitter's own view
    const SightLine line = sight_line(t, camera, eye_coordinate(t, camera, f_.reach), met_.d, met_.range_m, cosine);
    const float eye[3] = {t[0] + camera.x, t[1] + camera.y, t[2] + camera.z};
    if (!(line.clear > 0.0F)) return false;
    const LaneRay ray = {{eye[0], eye[1], eye[2]}, {line.dx, line.dy, line.dz}, 0.0F, f_.mask};
    LaneHit hit = {line.clear};
    trace<true>(ray, hit);
    if (hit.instance == tree::kNone) return false;
    float tolerance = tolerance_of();
    if (is_coarse(line.clear)) {
      const float own = own_resolution_of(eye, line, f_.reach, cosine);
      tolerance = tolerance < own ? own : tolerance;
    }
    return !(tolerance > 0.0F) || !is_own(ray, line.clear, tolerance);
  }

  /// Whether all surfaces that the line meets on its clear share belong to the entity struck and lie within the last
  /// `tolerance` of the way; see forgive_own_surfaces().
  FATHOM_KERNEL bool is_own(LaneRay ray, float clear, float tolerance) const {
    for (int step = 0; step <= kOwnSurfaces; ++step) {
      LaneHit next = {kFarthest};
      trace<false>(ray, next);
      if (next.instance == tree::kNone || next.t > clear) return true;
      if (next.instance != met_.entity || !(next.t >= 1.0F - tolerance)) return false;
      ray.near = next.t + (1.0F - clear);
    }
    return false;
  }

  FATHOM_KERNEL float tolerance_of() const {
    float least = f_.chain.tolerance_count == 0 ? 0.0F : 1.0F;
    for (std::uint32_t i = 0; i < f_.chain.tolerance_count; ++i) {
      const Tolerance& t = f_.chain.tolerances[i];
      const float own = t.of_entry[entry_of(t.entries, met_.entity, ring())];
      least = own < least ? own : least;
    }
    return least;
  }

  /// The velocity of the surface that the ray met. Models act on it as on a range.
  FATHOM_KERNEL void store_velocity() {
    const bool met = met_.entity != tree::kNone;
    const std::uint32_t number = f_.rolling_cast != nullptr ? f_.rays.time_index[lane_] : 0;
    const Triple from = s_.from_sensor_origin ? Triple{0.0F, 0.0F, 0.0F} : Triple{s_.ray.ox, s_.ray.oy, s_.ray.oz};
    const float velocity = met_.speed_m_s - origin_speed(f_.speeds[number], pose(), from, met_.d);
    const Return kept = s_.hit;
    const std::uint32_t reason = s_.reason;
    s_.hit.range_m = velocity, s_.reason = met ? kHitLane : kMissLane;
    apply(f_.chain.velocity);
    put(f_.out.velocity, math::select(met, s_.hit.range_m, kNoNumber));
    s_.hit = kept, s_.reason = reason;
  }

  FATHOM_KERNEL void keep_for_edges() const {
    f_.edges.range_m[ray_] = met_.range_m;
    f_.edges.reached[ray_] = s_.reason == kHitLane ? 1 : 0;
    if (f_.edges.entity != nullptr) f_.edges.entity[ray_] = met_.entity;
    if (!f_.chain.edge_reads.jumps) return;
    const Triple n = turned_back(pose(), met_.n.x, met_.n.y, met_.n.z);
    f_.edges.nx[ray_] = n.x, f_.edges.ny[ray_] = n.y, f_.edges.nz[ray_] = n.z;
  }

  [[nodiscard]] FATHOM_KERNEL const Rigid& pose() const {
    return f_.rolling_cast != nullptr ? f_.rolling_cast[f_.rays.time_index[lane_]] : f_.cast_from_sensor;
  }
  [[nodiscard]] FATHOM_KERNEL float disparity_scale() const { return f_.rig.optics.fx_px * f_.rig.optics.baseline_m; }

  FATHOM_KERNEL void keep_for_window() const {
    const Windowed& w = f_.windowed;
    w.reason[ray_] = static_cast<Reason>(s_.reason);
    w.disparity_px[ray_] = disparity_of(s_.reason == kHitLane, s_.hit.x, disparity_scale());
    w.range_m[ray_] = met_.range_m;
    w.entity[ray_] = met_.entity, w.triangle[ray_] = met_.triangle;
    w.nx[ray_] = met_.n.x, w.ny[ray_] = met_.n.y, w.nz[ray_] = met_.n.z;
    w.dx[ray_] = met_.d.x, w.dy[ray_] = met_.d.y, w.dz[ray_] = met_.d.z;
  }

  /// Loads the return after the window, along the pixel's own ray without noise; and the surface that it took, as the
  /// ray of its pixel struck it.
  FATHOM_KERNEL void load_matched() {
    const Windowed& w = f_.windowed;
    s_.reason = static_cast<std::uint32_t>(w.reason[ray_]);
    const std::uint32_t taken = w.taken[ray_];
    const bool valid = s_.reason == kHitLane;
    const float range = valid ? range_of_disparity(w.matched_px[ray_], s_.ray.dx, disparity_scale()) : w.range_m[ray_];
    s_.hit = return_from_origin(s_.ray.dx, s_.ray.dy, s_.ray.dz, range);
    met_.entity = w.entity[taken], met_.triangle = w.triangle[taken], met_.range_m = w.range_m[taken];
    met_.n = {w.nx[taken], w.ny[taken], w.nz[taken]};
    met_.d = {w.dx[taken], w.dy[taken], w.dz[taken]};
  }

  FATHOM_KERNEL void apply_policy() {
    if (f_.policy == Policy::kKeep || s_.reason != kHitLane) return;
    const std::uint32_t gated = gate(s_.hit.range_m, low_, s_.receiver.max_range_m);
    if (gated == kHitLane) return;
    if (f_.policy == Policy::kDrop) {
      s_.reason = gated;
    } else {
      s_.hit = clamp_to(s_.hit, gated == kNearLane ? low_ : s_.receiver.max_range_m);
    }
  }

  FATHOM_KERNEL void store_return() const {
    const bool valid = s_.reason == kHitLane;
    if (f_.out.reason != nullptr) f_.out.reason[place()] = static_cast<Reason>(s_.reason);
    put(f_.out.range, math::select(valid, s_.hit.range_m, kNoNumber));
    put(f_.out.depth, math::select(valid, s_.hit.x, kNoNumber));
    put(f_.out.hit_sensor, where(valid, {s_.hit.x, s_.hit.y, s_.hit.z}));
    if (f_.out.hit_world == nullptr) return;
    const bool rolling = f_.rolling_world != nullptr;
    const Rigid& p = rolling ? f_.rolling_world[f_.rays.time_index[lane_]] : f_.world_from_sensor;
    put(f_.out.hit_world, where(valid, moved(p, s_.hit.x, s_.hit.y, s_.hit.z)));
  }

  FATHOM_KERNEL static Triple where(bool valid, const Triple& v) {
    return {math::select(valid, v.x, kNoNumber), math::select(valid, v.y, kNoNumber),
            math::select(valid, v.z, kNoNumber)};
  }

  /// The energy that decided, of the surface that the ray met.
  FATHOM_KERNEL void store_energy() const {
    if (f_.out.energy == nullptr) return;
    const float e = return_energy(f_.chain.energy_angle, s_.surface) * s_.surface.energy_gain;
    put(f_.out.energy, math::select(met_.entity != tree::kNone, e, kNoNumber));
  }

  /// The surface that the ray met, or that a window took, even where the return was lost.
  FATHOM_KERNEL void store_surface() const {
    const bool met = met_.entity != tree::kNone;
    put(f_.out.entity_id, met_.entity);
    put(f_.out.triangle_id, met_.triangle);
    if (f_.out.label != nullptr) f_.out.label[place()] = met ? f_.labels[met_.entity] : 0;
    if (f_.out.path != nullptr) f_.out.path[place()] = 0;  // scenes with glass are the processor's
    put(f_.out.normal, where(met, met_.n));
    if (f_.out.incidence != nullptr || f_.out.intensity != nullptr) {
      const Incidence found = incidence_of(met_.d, met_.n);
      put(f_.out.incidence, math::select(met, found.angle, kNoNumber));
      if (f_.out.intensity != nullptr) put(f_.out.intensity, intensity(met));
    }
    if (f_.out.azimuth == nullptr && f_.out.elevation == nullptr) return;
    const RayAngles angles = angles_of(s_.ray.dx, s_.ray.dy, s_.ray.dz);
    put(f_.out.azimuth, angles.azimuth);
    put(f_.out.elevation, angles.elevation);
  }

  [[nodiscard]] FATHOM_KERNEL float intensity(bool met) const {
    if (f_.samples.directions != nullptr || f_.chain.reads_power) return intensity_;
    return met ? intensity_of(f_.surfaces, f_.falloff_m, met_.entity, met_.d, met_.n, met_.range_m) : 0.0F;
  }

  static constexpr auto kBlankLane = static_cast<std::uint32_t>(Reason::kNoFurtherReturn);
  static constexpr float kFarthest = 0x1.fffffep127F;  // the largest float

  const FrameData& f_;
  std::uint32_t lane_;
  DrawPlace at_;
  std::uint32_t ray_;         // place in the frame
  std::uint32_t return_ = 0;  // at work
  bool turned_ = false;       // by noise
  bool blank_ = false;        // there is no such return
  float intensity_ = 0.0F;    // of a ray that diverges
  float low_ = 0.0F;
  RayState s_;
  Met met_ = {};
};

/// Whether a lane of the plan has a ray.
FATHOM_KERNEL bool has_ray(const FrameData& f, std::uint32_t lane) {
  return lane < f.rays.lanes && lane % 4 < f.rays.targets[lane / 4].filled;
}

/// One ray of a frame, by its lane in the plan.
FATHOM_KERNEL void render_ray(const FrameData& f, std::uint32_t lane) {
  if (f.samples.directions == nullptr && has_ray(f, lane)) RayRenderer(f, lane).run_line();
}

/// The same for a ray that widens, apart because its samples need much local memory.
FATHOM_KERNEL void render_beam(const FrameData& f, std::uint32_t lane) {
  if (f.samples.directions != nullptr && has_ray(f, lane)) RayRenderer(f, lane).run_beam();
}

/// The second half of it, once the window is done with the image.
FATHOM_KERNEL void finish_ray(const FrameData& f, std::uint32_t lane) {
  if (f.chain.has_window && has_ray(f, lane)) RayRenderer(f, lane).run_after_window();
}

}  // namespace fathom::device
