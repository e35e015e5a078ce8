#include <fathom/trace.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "trace/beam_samples.hpp"
#include "trace/motion.hpp"
#include "trace/returns.hpp"
#include "trace/surface.hpp"
#include "trace/trace_lanes.hpp"

namespace fathom {

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// What does not change from block to block.
struct Job {
  const RayCaster& caster;
  const Beams& beams;
  const TraceSettings& settings;
  const TraceArrays& out;
  const TraceKernels& lanes;
  Affine sensor_from_world;
  bool diverges;
  bool wants_sides;
  std::array<SampleDirection, kBeamSamples> samples;
};

/// What came back along one ray.
struct Echo {
  bool hit = false;
  float distance_m = 0.0F;
  std::uint32_t instance = kNoInstance, triangle = 0;
  Vec3 direction, point;  ///< of the ray as cast, and where it struck
};

Vec3 origin_of(const RayBlock& b, std::uint32_t i) { return {b.ox[i], b.oy[i], b.oz[i]}; }
Vec3 direction_of(const RayBlock& b, std::uint32_t i) { return {b.dx[i], b.dy[i], b.dz[i]}; }

/// Beam i of a block as a map.
Affine frame_of(const BeamBlock& b, std::uint32_t i) {
  const RayBlock &s = b.side, &r = b.ray;
  return {{{s.dx[i], s.ox[i], r.dx[i], r.ox[i]},
           {s.dy[i], s.oy[i], r.dy[i], r.oy[i]},
           {s.dz[i], s.oz[i], r.dz[i], r.oz[i]}}};
}

void put(RayBlock& b, std::uint32_t i, const Vec3& origin, const Vec3& direction) {
  b.ox[i] = static_cast<float>(origin.x), b.oy[i] = static_cast<float>(origin.y),
  b.oz[i] = static_cast<float>(origin.z);
  b.dx[i] = static_cast<float>(direction.x), b.dy[i] = static_cast<float>(direction.y);
  b.dz[i] = static_cast<float>(direction.z);
}

void put(float* planes, std::size_t at, const Vec3& v) {
  planes[3 * at] = static_cast<float>(v.x);
  planes[3 * at + 1] = static_cast<float>(v.y);
  planes[3 * at + 2] = static_cast<float>(v.z);
}

class BlockTracer {
 public:
  BlockTracer(const Job& job, std::uint32_t first) : job_(job) {
    block_.first = first;
    block_.count = std::min(kBlockRays, job.beams.count - first);
    block_.wants_sides = job.wants_sides;
  }

  void run() {
    job_.beams.source.load(block_);
    if (job_.out.azimuth_rad != nullptr || job_.out.elevation_rad != nullptr) store_angles();
    if (job_.settings.distort) {
      distort();
    } else {
      cast_ = &block_.ray;
    }
    transform_beams(job_.settings.world_from_sensor, job_.settings.isa, block_);
    limit();
    if (job_.out.beam != nullptr) store_beams();
    if (job_.diverges) {
      for (std::uint32_t i = 0; i < block_.count; i += kBundle) trace_bundles(i, std::min(kBundle, block_.count - i));
      return;
    }
    job_.caster.cast(lanes_of(*cast_, block_.count), hits_);
    trace_rays();
  }

 private:
  static constexpr std::uint32_t kBundle = kBlockRays / kBeamSamples;  ///< beams whose samples fit in one cast

  [[nodiscard]] std::uint32_t beam(std::uint32_t i) const { return block_.first + i; }
  [[nodiscard]] std::size_t place(std::uint32_t i, std::size_t k) const {
    return std::size_t{beam(i)} * job_.settings.returns.size() + k;
  }
  [[nodiscard]] const std::array<float, 2>& range_of(std::uint32_t i) const {
    static constexpr std::array<float, 2> kAny = {0.0F, std::numeric_limits<float>::max()};
    const auto& range = job_.beams.range_m;
    return range.empty() ? kAny : range[range.size() == 1 ? 0 : beam(i)];
  }
  [[nodiscard]] bool is_masked(std::uint32_t i) const {
    return !job_.beams.mask.empty() && job_.beams.mask[beam(i)] == 0;
  }

  void limit() {
    const bool range_each = job_.beams.range_m.size() > 1, masked = !job_.beams.mask.empty();
    for (std::uint32_t i = 0; i < block_.count; ++i) {
      far_[i] = range_of(range_each ? i : 0)[1];
      active_[i] = masked && is_masked(i) ? 0 : -1;
    }
  }

  [[nodiscard]] RayLanes lanes_of(const RayBlock& b, std::uint32_t count) const {
    return {b.ox, b.oy, b.oz, b.dx, b.dy, b.dz, far_, active_, count};
  }

  /// The centres of the beams from where the sensor is at their times; the block itself stays in the sensor's frame.
  void distort() {
    double time_s = std::numeric_limits<double>::quiet_NaN();
    Affine step;
    for (std::uint32_t i = 0; i < block_.count; ++i) {
      const double t = time_of(i);
      if (t != time_s) step = world_step(t), time_s = t;
      put(distorted_, i, transform_point(step, origin_of(block_.ray, i)),
          transform_vector(step, direction_of(block_.ray, i)));
    }
    cast_ = &distorted_;
  }

  [[nodiscard]] double time_of(std::uint32_t i) const {
    return job_.beams.time_offset_s.empty() ? 0.0 : double{job_.beams.time_offset_s[beam(i)]};
  }
  /// world_from_sensor at a time.
  [[nodiscard]] Affine world_step(double time_s) const {
    return job_.settings.world_from_sensor * sensor_step(job_.settings.motion, time_s);
  }

  /// Beam i as it is cast, once the block is in the world.
  [[nodiscard]] Affine cast_frame(std::uint32_t i) const {
    const Affine frame = frame_of(block_, i);
    return job_.settings.distort ? world_step(time_of(i)) * job_.sensor_from_world * frame : frame;
  }

  void store_beams() {
    for (std::uint32_t i = 0; i < block_.count; ++i) {
      const Affine frame = cast_frame(i);
      Matrix34 narrow;
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 4; ++c) narrow[r][c] = static_cast<float>(frame.m[r][c]);
      }
      for (std::size_t k = 0; k < job_.settings.returns.size(); ++k) job_.out.beam[place(i, k)] = narrow;
    }
  }

  void store_angles() {
    for (std::uint32_t i = 0; i < block_.count; ++i) {
      const BeamAngles angles = beam_angles(frame_of(block_, i));
      for (std::size_t k = 0; k < job_.settings.returns.size(); ++k) {
        if (job_.out.azimuth_rad != nullptr) job_.out.azimuth_rad[place(i, k)] = angles.azimuth_rad;
        if (job_.out.elevation_rad != nullptr) job_.out.elevation_rad[place(i, k)] = angles.elevation_rad;
      }
    }
  }

  /// What came back along the ray in `lane` of the last cast, for beam i.
  [[nodiscard]] Echo echo_of(std::uint32_t i, std::uint32_t lane) const {
    Echo echo;
    if (hits_.instance[lane] == kNoInstance) {
      echo.distance_m = job_.settings.far_miss_m;
      return echo;
    }
    const RayBlock& r = job_.diverges ? samples_ : *cast_;
    echo.direction = {r.dx[lane], r.dy[lane], r.dz[lane]};
    echo.distance_m = hits_.distance_m[lane];
    if (echo.distance_m < range_of(i)[0]) {
      echo.distance_m = job_.settings.near_miss_m;
      return echo;
    }
    echo.hit = true;
    echo.instance = hits_.instance[lane], echo.triangle = hits_.triangle[lane];
    echo.point = Vec3{r.ox[lane], r.oy[lane], r.oz[lane]} + hits_.t[lane] * echo.direction;
    return echo;
  }

  /// One ray a beam: the cheap arrays by loops, the others point by point.
  void trace_rays() {
    const TraceArrays& out = job_.out;
    find_distances();
    if (out.xyz != nullptr) {
      const bool once = job_.settings.returns.size() == 1;
      job_.lanes.points(block_.ray, distance_m_, block_.count, once ? out.xyz + 3 * std::size_t{block_.first} : xyz_);
      if (!once) spread<3>(xyz_, out.xyz);
    }
    if (out.distance_m != nullptr) spread<1>(distance_m_, out.distance_m);
    if (out.is_hit != nullptr) spread<1>(hit_, out.is_hit);
    const auto& instances = job_.caster.instances();
    if (out.id != nullptr) {
      for_each_place([&](auto i, auto at) { out.id[at] = hit_[i] != 0 ? instances[hits_.instance[i]].id : 0; });
    }
    if (out.laser_retro != nullptr) {
      for_each_place([&](auto i, auto at) {
        out.laser_retro[at] = hit_[i] != 0 ? instances[hits_.instance[i]].laser_retro : 0.0F;
      });
    }
    if (!wants_surface()) return;
    for_each_place([&](auto i, auto at) { store_surface(at, echo_of(i, i)); });
  }

  void find_distances() {
    const bool range_each = job_.beams.range_m.size() > 1;
    const float far = job_.settings.far_miss_m, near = job_.settings.near_miss_m;
    for (std::uint32_t i = 0; i < block_.count; ++i) {
      const float low = range_of(range_each ? i : 0)[0];
      const bool met = hits_.instance[i] != kNoInstance;
      const bool counts = hits_.distance_m[i] >= low;
      hit_[i] = met && counts ? 1 : 0;
      distance_m_[i] = !met ? far : counts ? hits_.distance_m[i] : near;
    }
  }

  /// Copies values of the block's beams, `Parts` each, to all their returns.
  template <std::size_t Parts, class T>
  void spread(const T* values, T* out) const {
    if (job_.settings.returns.size() == 1) {
      std::copy_n(values, Parts * block_.count, out + Parts * block_.first);
    } else {
      for_each_place([&](auto i, auto at) { std::copy_n(values + Parts * i, Parts, out + Parts * at); });
    }
  }

  /// Calls f(beam in the block, place in the arrays).
  template <class F>
  void for_each_place(F f) const {
    const std::size_t returns = job_.settings.returns.size();
    std::size_t at = std::size_t{block_.first} * returns;
    for (std::uint32_t i = 0; i < block_.count; ++i) {
      for (std::size_t k = 0; k < returns; ++k) f(i, at++);
    }
  }

  [[nodiscard]] bool wants_surface() const {
    const TraceArrays& out = job_.out;
    return out.intensity != nullptr || out.normal != nullptr || out.incidence_rad != nullptr || wants_velocity();
  }
  [[nodiscard]] bool wants_velocity() const {
    const TraceArrays& out = job_.out;
    return out.absolute_velocity_mps != nullptr || out.relative_velocity_mps != nullptr ||
           out.radial_speed_mps != nullptr;
  }

  void trace_bundles(std::uint32_t begin, std::uint32_t count) {
    const std::uint32_t lanes = count * kBeamSamples;
    for (std::uint32_t b = 0; b < count; ++b) load_samples(begin + b, b * kBeamSamples);
    job_.caster.cast({samples_.ox, samples_.oy, samples_.oz, samples_.dx, samples_.dy, samples_.dz, sample_far_,
                      sample_active_, lanes},
                     hits_);
    for (std::uint32_t b = 0; b < count; ++b) reduce(begin + b, b * kBeamSamples);
  }

  void load_samples(std::uint32_t i, std::uint32_t lane) {
    const Affine frame = cast_frame(i);
    for (const SampleDirection& s : job_.samples) {
      put(samples_, lane, origin_of(*cast_, i), transform_vector(frame, {s.x, s.y, s.z}));
      sample_far_[lane] = far_[i], sample_active_[lane] = active_[i];
      ++lane;
    }
  }

  void reduce(std::uint32_t i, std::uint32_t first_lane) {
    Echo echoes[kBeamSamples];
    Sample samples[kBeamSamples];
    std::uint32_t hits = 0;
    for (std::uint32_t s = 0; s < kBeamSamples; ++s) {
      echoes[s] = echo_of(i, first_lane + s);
      if (echoes[s].hit) samples[hits++] = {echoes[s].distance_m, intensity_of(echoes[s]), s};
    }
    if (hits == 0) return store_all(i, echoes[0]);
    const Chosen chosen = choose_returns({samples, hits});
    for (std::size_t k = 0; k < job_.settings.returns.size(); ++k) {
      store(i, place(i, k), echoes[chosen.lane[static_cast<std::size_t>(job_.settings.returns[k])]]);
    }
  }

  void store_all(std::uint32_t i, const Echo& echo) {
    for (std::size_t k = 0; k < job_.settings.returns.size(); ++k) store(i, place(i, k), echo);
  }

  void store(std::uint32_t i, std::size_t at, const Echo& echo) {
    const TraceArrays& out = job_.out;
    if (out.xyz != nullptr) put(out.xyz, at, point_on_centre(i, echo.distance_m));
    if (out.distance_m != nullptr) out.distance_m[at] = echo.distance_m;
    if (out.is_hit != nullptr) out.is_hit[at] = echo.hit ? 1 : 0;
    if (out.id != nullptr) out.id[at] = echo.hit ? instance_of(echo).id : 0;
    if (out.laser_retro != nullptr) out.laser_retro[at] = echo.hit ? instance_of(echo).laser_retro : 0.0F;
    store_surface(at, echo);
  }

  /// What needs the triangle that was struck.
  void store_surface(std::size_t at, const Echo& echo) {
    const TraceArrays& out = job_.out;
    if (out.intensity != nullptr) out.intensity[at] = intensity_of(echo);
    if (out.normal != nullptr || out.incidence_rad != nullptr) store_normal(at, echo);
    if (wants_velocity()) store_velocity(at, echo);
  }

  [[nodiscard]] const CastInstance& instance_of(const Echo& echo) const {
    return job_.caster.instances()[echo.instance];
  }

  /// Returns lie on the centre of the beam as the sensor believes it to be. Where a distance is infinite, so are the
  /// coordinates in which the beam goes anywhere.
  [[nodiscard]] Vec3 point_on_centre(std::uint32_t i, float distance_m) const {
    const Vec3 o = origin_of(block_.ray, i), d = direction_of(block_.ray, i);
    const double scale = double{distance_m} / norm(d);
    const auto along = [scale](double part) {
      const double v = scale * part;
      return std::isnan(v) ? 0.0 : v;
    };
    return o + Vec3{along(d.x), along(d.y), along(d.z)};
  }

  [[nodiscard]] Vec3 normal_of(const Echo& echo) const {
    const WorldTriangle s = triangle_in_world(instance_of(echo), echo.triangle);
    const Vec3 n = cross(s.ab, s.ac);
    const double length = norm(n);
    return length > 0.0 ? (1.0 / length) * n : n;
  }

  [[nodiscard]] float intensity_of(const Echo& echo) const {
    if (!echo.hit) return 0.0F;
    const CastInstance& instance = instance_of(echo);
    const CastMesh& shared = *instance.mesh;
    float base = job_.settings.default_intensity;
    if (instance.texture != nullptr && !shared.uv.empty()) {
      const Shares shares = shares_at(triangle_in_world(instance, echo.triangle), echo.point);
      const auto uv = [&](std::size_t part) {
        return at_shares(shared.mesh, echo.triangle, shares,
                         [&](std::uint32_t i) { return double{shared.uv[i][part]}; });
      };
      base = instance.texture->at(uv(0), uv(1));
    }
    if (base == 0.0F) return 0.0F;
    return static_cast<float>(base * std::abs(dot(normal_of(echo), echo.direction)));
  }

  void store_normal(std::size_t at, const Echo& echo) {
    const Vec3 n = echo.hit ? normal_of(echo) : Vec3{kNan, kNan, kNan};
    if (job_.out.normal != nullptr) put(job_.out.normal, at, n);
    if (job_.out.incidence_rad == nullptr) return;
    job_.out.incidence_rad[at] =
        echo.hit ? static_cast<float>(std::acos(std::min(1.0, std::abs(dot(n, echo.direction))))) : kNan;
  }

  void store_velocity(std::size_t at, const Echo& echo) {
    Velocities v = {{kNan, kNan, kNan}, {kNan, kNan, kNan}, 0.0};
    if (echo.hit) {
      v = velocities_at(instance_of(echo), echo.triangle, echo.point, job_.sensor_from_world, job_.settings.motion,
                        job_.settings.step_s);
    }
    if (job_.out.absolute_velocity_mps != nullptr) put(job_.out.absolute_velocity_mps, at, v.absolute_mps);
    if (job_.out.relative_velocity_mps != nullptr) put(job_.out.relative_velocity_mps, at, v.relative_mps);
    if (job_.out.radial_speed_mps != nullptr) job_.out.radial_speed_mps[at] = static_cast<float>(v.radial_mps);
  }

  const Job& job_;
  BeamBlock block_;
  RayBlock distorted_, samples_;
  const RayBlock* cast_ = nullptr;  ///< the centres as they are cast, world
  HitLanes hits_;
  float far_[kBlockRays], sample_far_[kBlockRays];
  std::int32_t active_[kBlockRays], sample_active_[kBlockRays];
  float distance_m_[kBlockRays], xyz_[3 * kBlockRays];
  std::int32_t hit_[kBlockRays];
};

void check_size(std::size_t size, std::uint32_t beams, bool one_for_all, const char* what) {
  if (size == 0 || size == beams || (one_for_all && size == 1)) return;
  throw InputError(fmt::format("{} {} for {} beams", size, what, beams));
}

}  // namespace

BeamAngles beam_angles(const Affine& sensor_from_beam) {
  const auto& m = sensor_from_beam.m;
  const double elevation = std::asin(std::clamp(m[1][2], -1.0, 1.0));
  const double azimuth = std::abs(m[2][1]) >= 1.0 ? 0.0 : std::atan2(-m[2][0], m[2][2]);
  return {static_cast<float>(azimuth), static_cast<float>(elevation)};
}

void trace(const RayCaster& caster, const Beams& beams, const TraceSettings& settings, Executor& executor,
           const TraceArrays& out) {
  check_size(beams.range_m.size(), beams.count, true, "ranges");
  check_size(beams.time_offset_s.size(), beams.count, false, "time offsets");
  check_size(beams.mask.size(), beams.count, false, "values of a mask");
  if (settings.returns.empty()) throw InputError("at least one return is needed");
  const std::optional<Affine> sensor_from_world = inverse(settings.world_from_sensor);
  if (!sensor_from_world) throw InputError("world_from_sensor flattens space or is not finite");
  Job job{caster,
          beams,
          settings,
          out,
          trace_kernels(settings.isa),
          *sensor_from_world,
          settings.divergence_h_rad > 0.0F || settings.divergence_v_rad > 0.0F,
          false,
          {}};
  job.wants_sides = job.diverges || out.azimuth_rad != nullptr || out.elevation_rad != nullptr || out.beam != nullptr;
  if (job.diverges) job.samples = beam_samples(settings.divergence_h_rad, settings.divergence_v_rad);
  const std::size_t blocks = (beams.count + kBlockRays - 1) / kBlockRays;
  // A few blocks a task hide its cost; samples of diverging beams are work enough by themselves.
  executor.parallel_for(blocks, job.diverges ? 1 : 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) BlockTracer(job, static_cast<std::uint32_t>(b * kBlockRays)).run();
  });
}

}  // namespace fathom
