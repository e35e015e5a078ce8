// SPDX-License-Identifier: MIT
#include "parts/block_tracer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fathom/math/trigonometry.hpp>

#include "parts/diverging_rays.hpp"
#include "parts/motion.hpp"
#include "parts/ray_tiles.hpp"

namespace fathom {

namespace {

struct RayAngles {
  float azimuth_rad, elevation_rad;
};
/// The angles that tracer.hpp defines.
RayAngles ray_angles(const Affine& sensor_from_ray) {
  const auto& m = sensor_from_ray.m;
  const double elevation = math::asin(std::clamp(m[1][2], -1.0, 1.0));
  const double azimuth = std::abs(m[2][1]) >= 1.0 ? 0.0 : math::atan2(-m[2][0], m[2][2]);
  return {static_cast<float>(azimuth), static_cast<float>(elevation)};
}

}  // namespace

BlockTracer::BlockTracer(const TraceJob& job, const RayTiles& tiles) : job_(job) {
  block_.tiles = tiles;
  block_.wants_sides = job.wants_sides;
}

void BlockTracer::run() {
  job_.rays.source.load(block_);
  if (job_.out.azimuth_rad != nullptr || job_.out.elevation_rad != nullptr) store_angles();
  if (job_.settings.distort) distort();
  transform_rays(job_.settings.world_from_sensor, job_.settings.isa, block_);
  limit();
  if (job_.out.world_from_ray != nullptr) store_frames();
  if (!job_.diverges) return trace_rays();
  const BlockRays cast = {block_, job_.settings.distort ? distorted_ : block_.ray, min_m_, max_m_, active_};
  DivergingRays(job_, cast).run([this](std::uint32_t lane) { return cast_frame(lane); });
}

/// The centres of the rays from where the sensor is at their times; the block itself stays in the sensor's frame.
void BlockTracer::distort() {
  double time_s = std::numeric_limits<double>::quiet_NaN();
  Affine step;
  for (std::uint32_t i = 0; i < block_.tiles.count; ++i) {
    const double t = time_of(i);
    if (t != time_s) step = world_step(t), time_s = t;
    put(distorted_, i, transform_point(step, origin_of(block_.ray, i)),
        transform_vector(step, direction_of(block_.ray, i)));
  }
}

double BlockTracer::time_of(std::uint32_t lane) const {
  const auto& times = job_.rays.time_offset_s;
  return times.empty() ? 0.0 : double{times[block_.tiles.ray_of(lane)]};
}

Affine BlockTracer::world_step(double time_s) const {
  return job_.settings.world_from_sensor * step_after(job_.settings.motion, time_s);
}

Affine BlockTracer::cast_frame(std::uint32_t lane) const {
  const Affine frame = frame_of(block_, lane);
  return job_.settings.distort ? world_step(time_of(lane)) * job_.sensor_from_world * frame : frame;
}

/// How far each ray reaches, and whether it is cast at all.
void BlockTracer::limit() {
  const auto& range = job_.rays.range_m;
  const std::uint32_t count = block_.tiles.count;
  if (range.size() > 1) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto [low, high] = range[block_.tiles.ray_of(i)];
      min_m_[i] = low, max_m_[i] = high;
    }
  } else {
    std::fill_n(min_m_, count, range.empty() ? 0.0F : range[0][0]);
    std::fill_n(max_m_, count, range.empty() ? std::numeric_limits<float>::max() : range[0][1]);
  }
  std::fill_n(active_, count, -1);
  const auto& mask = job_.rays.mask;
  for (std::uint32_t i = 0; i < count && !mask.empty(); ++i) active_[i] = mask[block_.tiles.ray_of(i)] != 0 ? -1 : 0;
}

void BlockTracer::store_frames() const {
  for (std::uint32_t i = 0; i < block_.tiles.count; ++i) {
    const Affine frame = frame_of(block_, i);
    Matrix34 narrow;
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 4; ++c) narrow[r][c] = static_cast<float>(frame.m[r][c]);
    }
    std::fill_n(job_.out.world_from_ray + block_.tiles.ray_of(i) * job_.returns(), job_.returns(), narrow);
  }
}

void BlockTracer::store_angles() const {
  float azimuth_rad[kBlockRays], elevation_rad[kBlockRays];
  for (std::uint32_t i = 0; i < block_.tiles.count; ++i) {
    const RayAngles angles = ray_angles(frame_of(block_, i));
    azimuth_rad[i] = angles.azimuth_rad, elevation_rad[i] = angles.elevation_rad;
  }
  if (job_.out.azimuth_rad != nullptr) store(azimuth_rad, job_.out.azimuth_rad);
  if (job_.out.elevation_rad != nullptr) store(elevation_rad, job_.out.elevation_rad);
}

template <class T>
void BlockTracer::store_of_instances(const std::vector<T>& values, T* out) {
  T lanes[kBlockRays];
  const T* of = values.data();
  const auto miss = static_cast<std::uint32_t>(values.size() - 1);
  for (std::uint32_t i = 0; i < block_.tiles.count; ++i) lanes[i] = of[hit_[i] != 0 ? hits_.instance[i] : miss];
  store(lanes, out);
}

template <std::size_t Parts, class T>
void BlockTracer::store(const T* lanes, T* out) const {
  if (job_.returns() == 1) return store_lanes<Parts>(lanes, block_.tiles, out);
  for_each_place(
      [&](std::uint32_t lane, std::size_t at) { std::copy_n(lanes + Parts * lane, Parts, out + Parts * at); });
}

template <class F>
void BlockTracer::for_each_place(F f) const {
  for (std::uint32_t lane = 0; lane < block_.tiles.count; ++lane) {
    const std::size_t first = block_.tiles.ray_of(lane) * job_.returns();
    for (std::size_t k = 0; k < job_.returns(); ++k) f(lane, first + k);
  }
}

/// Rays that do not diverge: the cheap arrays by loops, the others point by point.
void BlockTracer::trace_rays() {
  const RayBlock& r = job_.settings.distort ? distorted_ : block_.ray;
  const std::uint32_t count = block_.tiles.count;
  job_.caster.cast({r.ox, r.oy, r.oz, r.dx, r.dy, r.dz, max_m_, active_, count}, hits_);
  const TraceArrays& out = job_.out;
  job_.lanes.gate({min_m_, job_.settings.near_miss_m, job_.settings.far_miss_m}, hits_, count, distance_m_, hit_);
  if (out.xyz != nullptr) {
    // Without distortion the rays are cast where the sensor reports them.
    job_.lanes.points(block_.ray, distance_m_, job_.settings.distort ? nullptr : hits_.t, hit_, count, xyz_);
    store<3>(xyz_, out.xyz);
  }
  if (out.distance_m != nullptr) store(distance_m_, out.distance_m);
  if (out.is_hit != nullptr) store(hit_, out.is_hit);
  if (out.id != nullptr) store_of_instances(job_.ids, out.id);
  if (out.laser_retro != nullptr) store_of_instances(job_.laser_retros, out.laser_retro);
  const SurfaceArrays surface(job_);
  if (!surface.wanted()) return;
  for_each_place([&](std::uint32_t lane, std::size_t at) {
    surface.store(at, ray_end(job_.settings, r, hits_, lane, min_m_[lane]));
  });
}

}  // namespace fathom
