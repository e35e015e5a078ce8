// SPDX-License-Identifier: MIT
#include "render/sample_caster.hpp"

#include <algorithm>

#include "render/intensity_math.hpp"
#include "render/sample_math.hpp"
#include "sensor/choose_returns.hpp"

namespace fathom {

namespace {

/// Lanes of a ray's samples: four packets, the last filled up with copies of a sample. So no packet holds samples of
/// two rays, which may be far apart.
constexpr std::uint32_t kRayLanes = 64;
constexpr std::uint32_t kRaysAtOnce = kBlockRays / kRayLanes;
static_assert(kRayLanes >= kDivergingSamples && kRayLanes % kPacketRays == 0);

class SampleCaster {
 public:
  SampleCaster(const RenderJob& job, std::uint32_t begin, const RayBlock& rays)
      : job_(job), plan_(*job.samples), begin_(begin), rays_(rays), rolling_(!job.rolling_cast_from_sensor.empty()) {}

  void run(ReturnHits* hits) {
    for (std::uint32_t first = 0; first < rays_.count; first += kRaysAtOnce) {
      for (std::uint32_t k = 0; k < kRaysAtOnce; ++k) load(first + k, k * kRayLanes);
      cast();
      for (std::uint32_t k = 0; k < kRaysAtOnce; ++k) take(first + k, k * kRayLanes, hits);
    }
  }

 private:
  [[nodiscard]] bool has_origins() const { return rolling_ || !rays_.from_sensor_origin; }
  [[nodiscard]] const Rigid& pose_of(std::uint32_t i) const {
    return rolling_ ? job_.rolling_cast_from_sensor[job_.plan.time_index[begin_ + i]] : job_.cast_from_sensor;
  }

  /// The samples of ray i, from `lane` on.
  void load(std::uint32_t i, std::uint32_t lane) {
    const Rigid pose = pose_of(i);
    const Triple d = {rays_.dx[i], rays_.dy[i], rays_.dz[i]};
    const ConeAxes axes = cone_axes(d);
    for (std::uint32_t s = 0; s < kRayLanes; ++s) {
      const Triple sample = sample_along(axes, d, plan_.directions[std::min(s, kDivergingSamples - 1)]);
      const Triple turned_sample = turned(pose, sample.x, sample.y, sample.z);
      cast_.dx[lane + s] = turned_sample.x, cast_.dy[lane + s] = turned_sample.y, cast_.dz[lane + s] = turned_sample.z;
    }
    if (!has_origins()) return;
    const bool own = !rays_.from_sensor_origin;
    const Triple o = moved(pose, own ? rays_.ox[i] : 0.0F, own ? rays_.oy[i] : 0.0F, own ? rays_.oz[i] : 0.0F);
    std::fill_n(cast_.ox + lane, kRayLanes, o.x);
    std::fill_n(cast_.oy + lane, kRayLanes, o.y);
    std::fill_n(cast_.oz + lane, kRayLanes, o.z);
  }

  void cast() {
    CastRays rays{.dx = cast_.dx,
                  .dy = cast_.dy,
                  .dz = cast_.dz,
                  .count = kBlockRays,
                  .coherent = plan_.coherent,
                  .packet_sr = plan_.packet_sr,
                  .mask = job_.mask};
    if (has_origins()) {
      rays.ox = cast_.ox, rays.oy = cast_.oy, rays.oz = cast_.oz;
    } else {
      std::copy_n(job_.cast_from_sensor.t, 3, rays.origin);
    }
    job_.caster.cast(rays, {cast_.range_m, cast_.entity, cast_.triangle, cast_.nx, cast_.ny, cast_.nz});
  }

  /// The returns of ray i.
  void take(std::uint32_t i, std::uint32_t lane, ReturnHits* hits) {
    for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
      const std::uint32_t at = lane + s;
      met_.range_m[s] = cast_.range_m[at];
      if (!(met_.range_m[s] < math::kInfinity)) continue;
      met_.energy[s] = plan_.weights[s] * intensity_of(job_.surfaces, job_.falloff_m, cast_.entity[at],
                                                       {cast_.dx[at], cast_.dy[at], cast_.dz[at]},
                                                       {cast_.nx[at], cast_.ny[at], cast_.nz[at]}, cast_.range_m[at]);
    }
    join_hits(met_, plan_.weights.data(), plan_.separation_m, echoes_);
    const CastPlan& plan = job_.plan;
    const float low = plan.min_range_m[plan.min_range_m.size() > 1 ? begin_ + i : 0];
    const float high = plan.max_range_m[plan.max_range_m.size() > 1 ? begin_ + i : 0];
    std::uint32_t chosen[kMostReturns];
    const auto returns = static_cast<std::uint32_t>(plan_.choices.size());
    choose_by_simulator(echoes_, plan_.choices.data(), returns, plan_.coinciding, low, high, chosen);
    for (std::uint32_t k = 0; k < returns; ++k) store(return_of(echoes_, chosen[k]), i, lane, hits[k]);
  }

  void store(const ChosenReturn& r, std::uint32_t i, std::uint32_t lane, ReturnHits& out) const {
    const std::uint32_t at = lane + r.sample;
    out.range_m[i] = r.range_m;
    out.intensity[i] = r.energy;
    out.blank[i] = r.blank ? 1 : 0;
    out.entity[i] = r.met ? cast_.entity[at] : index(kNoEntity);
    out.triangle[i] = r.met ? cast_.triangle[at] : kNoTriangle;
    out.nx[i] = cast_.nx[at], out.ny[i] = cast_.ny[at], out.nz[i] = cast_.nz[at];
    out.dx[i] = cast_.dx[at], out.dy[i] = cast_.dy[at], out.dz[i] = cast_.dz[at];
  }

  const RenderJob& job_;
  const SamplePlan& plan_;
  std::uint32_t begin_;
  const RayBlock& rays_;
  bool rolling_;
  CastBlock cast_;
  SampleHits met_;
  Echoes echoes_;
};

}  // namespace

void cast_samples(const RenderJob& job, std::uint32_t begin, const RayBlock& rays, ReturnHits* hits) {
  SampleCaster(job, begin, rays).run(hits);
}

}  // namespace fathom
