// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include <fathom/noise/detail/drive.hpp>

#include "render/frame_parts.hpp"
#include "render/light_paths.hpp"
#include "sensor/returns.hpp"
#include "trace/tile.hpp"

namespace fathom {

template <class T>
void BlockPlaces::scatter(const T* lane, T* all) const {
  if (is_run) {
    std::memcpy(all + first, lane, lanes() * sizeof(T));
    return;
  }
  for (std::uint32_t q = 0; q < quads; ++q) {
    const QuadTarget t = targets[q];
    if (t.filled == kQuadRays) {
      std::memcpy(all + t.index, lane + kQuadRays * q, kQuadRays * sizeof(T));
    } else {
      for (std::uint32_t k = 0; k < t.filled; ++k) all[t.index + k] = lane[kQuadRays * q + k];
    }
  }
}

template <class T>
void BlockPlaces::gather(const T* all, T* lane) const {
  if (is_run) {
    copy_run(all + first, lanes() * sizeof(T), lane);
    return;
  }
  for (std::uint32_t q = 0; q < quads; ++q) {
    const std::uint32_t begin = kQuadRays * q;
    if (targets[q].filled == kQuadRays) {
      std::memcpy(lane + begin, all + targets[q].index, kQuadRays * sizeof(T));
    } else {
      for (std::uint32_t k = begin; k < begin + kQuadRays; ++k) lane[k] = all[rays[k]];
    }
  }
}
template void BlockPlaces::gather(const float* all, float* lane) const;
template void BlockPlaces::gather(const std::uint8_t* all, std::uint8_t* lane) const;

namespace {

/// Of lanes whose values T can hold.
template <class T>
void scatter_narrow(const std::uint32_t* lanes, const BlockPlaces& places, T* out) {
  T narrow[kBlockRays];
  for (std::uint32_t i = 0; i < places.lanes(); ++i) narrow[i] = static_cast<T>(lanes[i]);
  places.scatter(narrow, out);
}

}  // namespace

BlockStore::BlockStore(const RenderJob& job, Frame& frame, std::uint32_t block)
    : job_(job), frame_(frame), writer_(frame), places_(job.plan, block), first_(job.first) {}

void BlockStore::values(Channel channel, const float* lanes, std::size_t plane) {
  float* out = writer_.floats(channel);
  if (out == nullptr) return;
  out += plane * frame_.size() + first_;
  float all[kBlockRays];
  float* const to = places_.is_run ? out + places_.first : all;
  for (std::uint32_t i = 0; i < places_.lanes(); ++i) to[i] = shown(lanes[i]);
  if (!places_.is_run) places_.scatter(all, out);
}

void BlockStore::points(Channel channel, const PlaneBlock& planes) {
  values(channel, planes.a, 0);
  values(channel, planes.b, 1);
  values(channel, planes.c, 2);
}

void BlockStore::reasons(const std::uint32_t* lanes) {
  if (Reason* out = writer_.reason()) scatter_narrow(lanes, places_, out + first_);
}

void BlockStore::entities(const std::uint32_t* lanes) {
  if (std::uint32_t* out = writer_.entity_id()) places_.scatter(lanes, out + first_);
}

void BlockStore::triangles(const std::uint32_t* lanes) {
  if (std::uint32_t* out = writer_.triangle_id()) places_.scatter(lanes, out + first_);
}

void BlockStore::labels(const std::uint32_t* lanes) {
  if (std::uint32_t* out = writer_.label()) places_.scatter(lanes, out + first_);
}

void BlockStore::paths(const std::uint32_t* lanes) {
  if (std::uint8_t* out = writer_.path()) scatter_narrow(lanes, places_, out + first_);
}

void BlockStore::edges(const CastBlock& cast, const std::uint32_t* reached) {
  EdgeScratch& edge = *job_.edge;
  keep(cast.range_m, edge.range_m);
  scatter_narrow(reached, places_, edge.reached.data());
  if (job_.chain.edge_differs_by_entity) keep(cast.entity, edge.entity);
}

template <class T>
void BlockStore::keep(const T* lanes, std::vector<T>& all) const {
  places_.scatter(lanes, all.data());
}
template void BlockStore::keep(const float* lanes, std::vector<float>& all) const;
template void BlockStore::keep(const std::uint32_t* lanes, std::vector<std::uint32_t>& all) const;

void BlockStore::keep_reasons(const std::uint32_t* lanes) const {
  scatter_narrow(lanes, places_, job_.edge->reason.data());
}

template <class T>
void BlockStore::fetch(const std::vector<T>& all, T* lanes) const {
  places_.gather(all.data(), lanes);
}
template void BlockStore::fetch(const std::vector<float>& all, float* lanes) const;
template void BlockStore::fetch(const std::vector<std::uint32_t>& all, std::uint32_t* lanes) const;

void BlockStore::fetch_reasons(std::uint32_t* lanes) const {
  Reason narrow[kBlockRays];
  places_.gather(job_.edge->reason.data(), narrow);
  for (std::uint32_t i = 0; i < places_.lanes(); ++i) lanes[i] = static_cast<std::uint32_t>(narrow[i]);
}

void store_pattern(const RenderJob& job, Frame& frame) {
  const RayPattern& pattern = job.pattern;
  FrameWriter writer(frame);
  for (std::uint32_t k = 0; k < job.returns(); ++k) {
    const std::size_t first = job.first + k * frame.rays();
    if (float* out = writer.floats(Channel::kTimeOffset)) {
      if (pattern.time_offset_s.empty()) {
        std::fill_n(out + first, std::size_t{pattern.rows} * pattern.cols, 0.0F);
      } else {
        std::copy(pattern.time_offset_s.begin(), pattern.time_offset_s.end(), out + first);
      }
    }
    if (std::uint16_t* out = writer.ring()) {
      for (std::uint32_t row = 0; row < pattern.rows && pattern.ring.empty(); ++row) {
        std::fill_n(out + first + std::size_t{row} * pattern.cols, pattern.cols, static_cast<std::uint16_t>(row));
      }
      std::copy(pattern.ring.begin(), pattern.ring.end(), out + first);
    }
  }
}

namespace {

/// Lanes of a ray's samples: four packets, the last filled up with copies of a sample, so that no packet holds samples
/// of two rays.
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
    if (sees_motion_) std::fill_n(times_s_ + lane, kRayLanes, time_of_lane(job_, begin_ + i));
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
                  .mask = job_.mask};
    if (has_origins()) {
      rays.ox = cast_.ox, rays.oy = cast_.oy, rays.oz = cast_.oz;
    } else {
      std::copy_n(job_.cast_from_sensor.t, 3, rays.origin);
    }
    if (sees_motion_) rays.times_s = times_s_;
    job_.caster.cast(rays, {cast_.range_m, cast_.entity, cast_.triangle, cast_.nx, cast_.ny, cast_.nz,
                            job_.speeds.empty() ? nullptr : cast_.speed_m_s});
  }

  /// Whether any sample from `lane` on met glass or a mirror.
  [[nodiscard]] bool any_optics(std::uint32_t lane) const {
    for (std::uint32_t at = lane; at < lane + kDivergingSamples; ++at) {
      if (meets_optics(job_, cast_.range_m[at], cast_.entity[at])) return true;
    }
    return false;
  }

  /// The returns of ray i.
  void take(std::uint32_t i, std::uint32_t lane, ReturnHits* hits) {
    if (!job_.optics().empty() && any_optics(lane)) return follow_samples(job_, begin_, i, cast_, lane, hits);
    for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
      const std::uint32_t at = lane + s;
      met_.range_m[s] = cast_.range_m[at];
      if (!(met_.range_m[s] < math::kInfinity)) continue;
      met_.energy[s] = plan_.weights[s] * intensity_of(job_.surfaces, job_.falloff_m, cast_.entity[at],
                                                       {cast_.dx[at], cast_.dy[at], cast_.dz[at]},
                                                       {cast_.nx[at], cast_.ny[at], cast_.nz[at]}, cast_.range_m[at]);
    }
    join_hits(met_, plan_.weights.data(), plan_.separation_m, echoes_);
    if (job_.chain.least_power > 0.0F) drop_weak_echoes(echoes_, job_.falloff_m, job_.chain.least_power);
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
    out.blank[i] = r.blank ? 1 : 0, out.path[i] = 0, out.lost[i] = 0, out.light[i] = 1.0F;
    out.entity[i] = r.met ? cast_.entity[at] : index(kNoEntity);
    out.triangle[i] = r.met ? cast_.triangle[at] : kNoTriangle;
    out.nx[i] = cast_.nx[at], out.ny[i] = cast_.ny[at], out.nz[i] = cast_.nz[at];
    out.dx[i] = cast_.dx[at], out.dy[i] = cast_.dy[at], out.dz[i] = cast_.dz[at];
    out.speed_m_s[i] = cast_.speed_m_s[at];
  }

  const RenderJob& job_;
  const SamplePlan& plan_;
  std::uint32_t begin_;
  const RayBlock& rays_;
  bool rolling_;
  bool sees_motion_ = sees_motion(job_);
  CastBlock cast_;
  float times_s_[kBlockRays];
  SampleHits met_;
  Echoes echoes_;
};

}  // namespace

void cast_samples(const RenderJob& job, std::uint32_t begin, const RayBlock& rays, ReturnHits* hits) {
  SampleCaster(job, begin, rays).run(hits);
}

namespace {

/// The lines of a block that are still undecided, packed for one cast.
struct OpenLines {
  std::uint32_t lane[kBlockRays];
  float near[kBlockRays];  // share of the way that is decided
  std::uint32_t count = 0;

  void add(std::uint32_t i, float from) {
    lane[count] = i;
    near[count++] = from;
  }
};

/// The next surface that each open line meets.
struct NextHits {
  float way[kBlockRays];  // share of the whole, because directions reach from the camera to the point
  std::uint32_t entity[kBlockRays];
};

void cast_open(const Caster& caster, const SightLines& lines, const OpenLines& open, NextHits& next) {
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays], near[kBlockRays];
  const std::uint32_t padded = whole_packets(open.count);
  for (std::uint32_t k = 0; k < padded; ++k) {
    const std::uint32_t from = std::min(k, open.count - 1), i = open.lane[from];
    dx[k] = lines.dx[i], dy[k] = lines.dy[i], dz[k] = lines.dz[i], near[k] = open.near[from];
  }
  CastRays rays{.dx = dx, .dy = dy, .dz = dz, .near = near, .count = padded, .coherent = false, .mask = lines.mask};
  std::copy_n(lines.eye, 3, rays.origin);
  caster.cast(rays, {.range_m = next.way, .entity = next.entity});
}

/// The resolution of a line of sight without the limit of sight_line(); `cosine`: of the angle to the normal.
float own_resolution(const SightLines& lines, std::uint32_t lane, float reach, float cosine) {
  const SightLine line = {lines.dx[lane], lines.dy[lane], lines.dz[lane], lines.clear[lane]};
  return own_resolution_of(lines.eye, line, reach, cosine);
}

/// Whether a line of sight passes an entity: a pane.
bool is_pane(const RenderJob& job, std::uint32_t entity) {
  if (job.optics().empty()) return false;
  const SurfaceOptics& surface = job.optics()[entity];
  return surface.is_clear() && surface.mirror == 0.0F && !surface.opaque;
}

/// Clears blocked[i] if all surfaces that line i meets on its clear share are panes, or belong to entity[i], the one
/// struck, and lie within the last tolerance[i] of the way. Casts the blocked lines only. Arrays are [lines.count].
void forgive_own_surfaces(const RenderJob& job, const SightLines& lines, const std::uint32_t* entity,
                          const float* tolerance, std::uint32_t* blocked) {
  OpenLines open;
  for (std::uint32_t i = 0; i < lines.count; ++i) {
    if (blocked[i] != 0 && (tolerance[i] > 0.0F || !job.optics().empty())) open.add(i, 0.0F);
  }
  NextHits next;
  for (int step = 0; step <= kOwnSurfaces && open.count > 0; ++step) {
    cast_open(job.caster, lines, open, next);
    OpenLines left;
    for (std::uint32_t k = 0; k < open.count; ++k) {
      const std::uint32_t i = open.lane[k];
      if (next.way[k] > lines.clear[i]) {
        blocked[i] = 0;
      } else if ((entity[i] == next.entity[k] && next.way[k] >= 1.0F - tolerance[i]) || is_pane(job, next.entity[k])) {
        // Continue behind the surface by the resolution of this line, so as not to meet it again.
        left.add(i, next.way[k] + (1.0F - lines.clear[i]));
      }
    }
    open = left;
  }
}

/// Lines of sight from the cameras to the valid returns of a block.
class HiddenFinder {
 public:
  HiddenFinder(const RenderJob& job, std::uint32_t begin, const CastBlock& cast, const ReturnBlock& returns,
               SurfaceBlock& surface)
      : job_(job), begin_(begin), cast_(cast), returns_(returns), surface_(surface) {}

  void run(const CameraOffset& camera, const float* cosine, std::uint32_t bit) {
    const float* t = job_.cast_from_sensor.t;
    if (camera.x == 0.0F && camera.y == 0.0F && camera.z == 0.0F) return;  // the emitter struck the point: it sees it
    surface_kernels(job_.isa).sight(cast_, returns_, camera, t, job_.caster.reach(), cosine, sight_);
    const SightLines lines{.eye = {t[0] + camera.x, t[1] + camera.y, t[2] + camera.z},
                           .dx = sight_.dx,
                           .dy = sight_.dy,
                           .dz = sight_.dz,
                           .clear = sight_.clear,
                           .count = returns_.count,
                           .mask = job_.mask};
    job_.caster.find_blocked(lines, sight_.blocked);
    std::uint32_t any = 0, coarse = 0;
    for (std::uint32_t i = 0; i < returns_.count; ++i) {
      any |= sight_.blocked[i];
      coarse |= sight_.blocked[i] & (is_coarse(sight_.clear[i]) ? 1U : 0U);
    }
    const bool may_forgive = !job_.chain.sight_tolerance.empty() || !job_.optics().empty();
    if (coarse != 0 || (any != 0 && may_forgive)) forgive(lines, cosine);
    for (std::uint32_t i = 0; i < returns_.count; ++i) surface_.hidden[i] |= bit * sight_.blocked[i];
  }

 private:
  /// A blocking surface may be a part of the entity itself, just before the point. It does not count within the user's
  /// tolerance, or if single precision cannot separate the two.
  void forgive(const SightLines& lines, const float* cosine) {
    float tolerance[kBlockRays] = {};
    for (std::uint32_t i = 0; i < returns_.count; ++i) {
      if (sight_.blocked[i] == 0) continue;
      tolerance[i] = tolerance_of(i);
      if (!is_coarse(lines.clear[i])) continue;
      tolerance[i] = std::max(tolerance[i], own_resolution(lines, i, job_.caster.reach(), cosine[i]));
    }
    forgive_own_surfaces(job_, lines, cast_.entity, tolerance, sight_.blocked);
  }

  [[nodiscard]] float tolerance_of(std::uint32_t lane) const {
    return smallest_tolerance(job_.chain,
                              [&](const EntryTable& table) { return entry_of_lane(job_, table, begin_, cast_, lane); });
  }

  const RenderJob& job_;
  std::uint32_t begin_;
  const CastBlock& cast_;
  const ReturnBlock& returns_;
  SurfaceBlock& surface_;
  SightBlock sight_;
};

}  // namespace

void find_hidden(const RenderJob& job, std::uint32_t begin, const CastBlock& cast, const ReturnBlock& returns,
                 SurfaceBlock& surface) {
  std::fill_n(surface.hidden, returns.count, 0U);
  HiddenFinder finder(job, begin, cast, returns, surface);
  finder.run(job.rig.left, surface.cos_left, kHiddenFromLeft);
  finder.run(job.rig.right, surface.cos_right, kHiddenFromRight);
}

}  // namespace fathom
