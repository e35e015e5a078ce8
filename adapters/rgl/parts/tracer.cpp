// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "parts/ray_layout.hpp"
#include "parts/surface.hpp"
#include "parts/trace_job.hpp"
#include "parts/tracer.hpp"
#include "sensor/returns.hpp"

namespace fathom {

namespace {

/// Casts the samples of diverging rays and groups their hits into returns. `frame_of_lane` gives world_from_ray of the
/// cast ray.
class DivergingRays {
 public:
  DivergingRays(const TraceJob& job, const BlockRays& rays) : job_(job), rays_(rays), surface_(job) {}

  /// Casts all rays of the block and fills their places in the arrays.
  template <class FrameOfLane>
  void run(FrameOfLane frame_of_lane) {
    const std::uint32_t count = rays_.block.tiles.count;
    for (std::uint32_t begin = 0; begin < count; begin += kBundle) {
      const std::uint32_t end = begin + kBundle < count ? begin + kBundle : count;
      for (std::uint32_t i = begin; i < end; ++i) load_samples(i, (i - begin) * kDivergingSamples, frame_of_lane(i));
      cast_samples((end - begin) * kDivergingSamples);
      for (std::uint32_t i = begin; i < end; ++i) reduce(i, (i - begin) * kDivergingSamples);
    }
  }

 private:
  static constexpr std::uint32_t kBundle = kBlockRays / kDivergingSamples;  ///< rays whose samples fit in one cast

  void load_samples(std::uint32_t i, std::uint32_t lane, const Affine& world_from_ray);
  void cast_samples(std::uint32_t count);
  void reduce(std::uint32_t i, std::uint32_t first_lane) const;
  void store(std::uint32_t i, std::size_t at, const RayEnd& end) const;
  [[nodiscard]] Vec3 point_on_centre(std::uint32_t i, float distance_m) const;

  const TraceJob& job_;
  const BlockRays& rays_;
  SurfaceArrays surface_;
  RayBlock samples_;
  HitLanes hits_;
  float far_[kBlockRays];
  std::int32_t active_[kBlockRays];
};

void DivergingRays::load_samples(std::uint32_t i, std::uint32_t lane, const Affine& world_from_ray) {
  for (const SampleDirection& s : job_.samples) {
    put(samples_, lane, origin_of(rays_.centre, i), transform_vector(world_from_ray, {s.x, s.y, s.z}));
    far_[lane] = rays_.max_m[i], active_[lane] = rays_.active[i];
    ++lane;
  }
}

void DivergingRays::cast_samples(std::uint32_t count) {
  job_.caster.cast({samples_.ox, samples_.oy, samples_.oz, samples_.dx, samples_.dy, samples_.dz, far_, active_, count},
                   hits_);
}

void DivergingRays::reduce(std::uint32_t i, std::uint32_t first_lane) const {
  RayEnd ends[kDivergingSamples];
  Echoes echoes;
  for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
    ends[s] = ray_end(job_.settings, samples_, hits_, first_lane + s, rays_.min_m[i]);
    if (ends[s].hit) add_echo(echoes, ends[s].distance_m, surface_.intensity_of(ends[s]), s);
  }
  std::uint32_t chosen[kMostReturns];
  choose_by_robotec(echoes, chosen);
  const std::size_t first = std::size_t{rays_.block.tiles.ray_of(i)} * job_.returns();
  for (std::size_t k = 0; k < job_.returns(); ++k) {
    const std::uint32_t echo = chosen[static_cast<std::size_t>(job_.settings.returns[k])];
    store(i, first + k, ends[return_of(echoes, echo).sample]);  // without an echo the centre gives the distance
  }
}

void DivergingRays::store(std::uint32_t i, std::size_t at, const RayEnd& end) const {
  const TraceArrays& out = job_.out;
  if (out.xyz != nullptr) put(out.xyz, at, point_on_centre(i, end.distance_m));
  if (out.distance_m != nullptr) out.distance_m[at] = end.distance_m;
  if (out.is_hit != nullptr) out.is_hit[at] = end.hit ? 1 : 0;
  if (out.id != nullptr) out.id[at] = end.hit ? job_.instance(end.instance).id : 0;
  if (out.laser_retro != nullptr) out.laser_retro[at] = end.hit ? job_.instance(end.instance).laser_retro : 0.0F;
  surface_.store(at, end);
}

/// A return is on the undistorted centre of its ray. If the distance is infinite, each coordinate whose direction is
/// not 0 is infinite, too.
Vec3 DivergingRays::point_on_centre(std::uint32_t i, float distance_m) const {
  const Vec3 o = origin_of(rays_.block.ray, i), d = direction_of(rays_.block.ray, i);
  const double scale = double{distance_m} / norm(d);
  const auto along = [scale](double part) {
    const double v = scale * part;
    return std::isnan(v) ? 0.0 : v;
  };
  return o + Vec3{along(d.x), along(d.y), along(d.z)};
}

/// Traces a block of rays. Its arrays are on the stack of its thread: nothing is allocated.
class BlockTracer {
 public:
  BlockTracer(const TraceJob& job, const RayTiles& tiles);

  /// Loads the rays, casts them and fills their places in the arrays.
  void run();

 private:
  void distort();
  void limit();
  void store_angles() const;
  void store_frames() const;
  void trace_rays();
  /// Stores for each ray the value of its instance. `values`: [instances + 1], the last for a miss.
  template <class T>
  void store_of_instances(const std::vector<T>& values, T* out);
  /// Copies the values of lanes, `Parts` each, to all returns of their rays.
  template <std::size_t Parts = 1, class T>
  void store(const T* lanes, T* out) const;
  /// Calls f(lane, place in the arrays).
  template <class F>
  void for_each_place(F f) const;

  /// The time of the ray in a lane, s.
  [[nodiscard]] double time_of(std::uint32_t lane) const;
  /// world_from_sensor at a time.
  [[nodiscard]] Affine world_step(double time_s) const;
  /// world_from_ray of the cast ray in a lane. Call it after the block was moved to the world.
  [[nodiscard]] Affine cast_frame(std::uint32_t lane) const;

  const TraceJob& job_;
  PosedRayBlock block_;
  RayBlock distorted_;
  HitLanes hits_;
  float min_m_[kBlockRays], max_m_[kBlockRays];
  std::int32_t active_[kBlockRays];
  float distance_m_[kBlockRays], xyz_[3 * kBlockRays];
  std::int32_t hit_[kBlockRays];
};

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

/// Moves the centres of the rays to the sensor's poses at their times. The block itself stays in the sensor's frame.
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

/// Sets the limits of each ray, and whether it is cast.
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

/// Traces rays that do not diverge: cheap arrays by loops, others point by point.
void BlockTracer::trace_rays() {
  const RayBlock& r = job_.settings.distort ? distorted_ : block_.ray;
  const std::uint32_t count = block_.tiles.count;
  job_.caster.cast({r.ox, r.oy, r.oz, r.dx, r.dy, r.dz, max_m_, active_, count}, hits_);
  const TraceArrays& out = job_.out;
  job_.lanes.gate({min_m_, job_.settings.near_miss_m, job_.settings.far_miss_m}, hits_, count, distance_m_, hit_);
  if (out.xyz != nullptr) {
    // Without distortion the cast rays are the reported ones.
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

void check_size(std::size_t size, std::uint32_t rays, bool one_for_all, const char* what) {
  if (size == 0 || size == rays || (one_for_all && size == 1)) return;
  throw InputError(fmt::format("{} {} for {} rays", size, what, rays));
}

TraceJob make_job(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings,
                  const TraceArrays& out) {
  check_size(rays.range_m.size(), rays.count, true, "ranges");
  check_size(rays.time_offset_s.size(), rays.count, false, "time offsets");
  check_size(rays.mask.size(), rays.count, false, "values of a mask");
  if (settings.returns.empty()) throw InputError("at least one return is needed");
  const std::optional<Affine> sensor_from_world = inverse(settings.world_from_sensor);
  if (!sensor_from_world) throw InputError("world_from_sensor flattens space or is not finite");
  TraceJob job{.caster = caster,
               .rays = rays,
               .settings = settings,
               .out = out,
               .lanes = trace_kernels(settings.isa),
               .sensor_from_world = *sensor_from_world,
               .samples = {},
               .ids = {},
               .laser_retros = {}};
  job.diverges = settings.divergence_h_rad > 0.0F || settings.divergence_v_rad > 0.0F;
  job.wants_sides =
      job.diverges || out.azimuth_rad != nullptr || out.elevation_rad != nullptr || out.world_from_ray != nullptr;
  if (job.diverges) job.samples = diverging_samples(settings.divergence_h_rad, settings.divergence_v_rad, 0.0);
  for (const CastInstance& instance : caster.instances()) {
    if (out.id != nullptr) job.ids.push_back(instance.id);
    if (out.laser_retro != nullptr) job.laser_retros.push_back(instance.laser_retro);
  }
  job.ids.push_back(0), job.laser_retros.push_back(0.0F);
  return job;
}

}  // namespace

class Tracer::Impl {
 public:
  Impl(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings, const TraceArrays& out)
      : job(make_job(caster, rays, settings, out)), layout(rays.count, rays.grid) {}

  const TraceJob job;
  const RayLayout layout;
};

Tracer::Tracer(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings, const TraceArrays& out)
    : impl_(std::make_unique<Impl>(caster, rays, settings, out)) {}
Tracer::~Tracer() = default;
Tracer::Tracer(Tracer&&) noexcept = default;
Tracer& Tracer::operator=(Tracer&&) noexcept = default;

std::size_t Tracer::strips() const { return impl_->layout.strips(); }
RayStrip Tracer::strip(std::size_t number) const { return impl_->layout.strip(number); }
void Tracer::trace_strip(std::size_t number) const {
  impl_->layout.for_each_block(number, [this](const RayTiles& tiles) { BlockTracer(impl_->job, tiles).run(); });
}

}  // namespace fathom
