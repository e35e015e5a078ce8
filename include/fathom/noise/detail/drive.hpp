// SPDX-License-Identifier: MIT
#pragma once
// The loops: applies a model's per-ray kernel to a block of rays. Written so that g++ and clang vectorise it: plain
// arrays, no branches, blends by bit masks. `Tag` keeps the copies for different instruction sets apart.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fathom/core/compute.hpp>
#include <fathom/core/random.hpp>
#include <fathom/noise/detail/philox_lanes.hpp>
#include <fathom/noise/detail/weather.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

inline constexpr std::uint32_t kQuadRays = 4;  ///< rays that share one Philox block

/// The rays of a block, sensor frame. Lane i belongs to quad quads[i / 4].
struct alignas(64) RayBlock {
  float ox[kBlockRays], oy[kBlockRays], oz[kBlockRays];  ///< origin, m; not read when from_sensor_origin
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];  ///< unit direction
  const std::uint32_t* quads = nullptr;                  ///< [count / 4], readable up to the next multiple of 8
  std::uint32_t count = 0;                               ///< a multiple of 16
  bool from_sensor_origin = true;
};

/// The surfaces that the returns of a block struck; see struct Surface. Lanes that no model needs are not written.
struct alignas(64) SurfaceBlock {
  float cos_emitter[kBlockRays], cos_left[kBlockRays], cos_right[kBlockRays];
  float left_to_emitter[kBlockRays], right_to_emitter[kBlockRays];
  float edge_rad[kBlockRays];
  float jump[kBlockRays], jump_rad[kBlockRays];
  float energy_gain[kBlockRays];
  float power[kBlockRays];
  std::uint32_t hidden[kBlockRays];
  Optics optics;
};

/// A limit of the range for each lane, [count]. Null: 0.
FATHOM_KERNEL void fill_limits(const float* limits, bool per_lane, std::uint32_t count, float* out) {
  if (limits != nullptr && per_lane) {
    __builtin_memcpy(out, limits, count * sizeof(float));
  } else {
    const float limit = limits == nullptr ? 0.0F : *limits;
    for (std::size_t i = 0; i < count; ++i) out[i] = limit;
  }
}

/// The returns of a block; see struct Return. Lane i belongs to quad quads[i / 4].
struct alignas(64) ReturnBlock {
  float x[kBlockRays], y[kBlockRays], z[kBlockRays];
  float range_m[kBlockRays], radius_m[kBlockRays];
  std::uint32_t reason[kBlockRays];       ///< a Reason per lane; models act where it is kHit
  const std::uint32_t* quads = nullptr;   ///< [count / 4], readable up to the next multiple of 8
  const SurfaceBlock* surface = nullptr;  ///< of the same lanes; null: struck head-on and seen by both cameras
  const float* max_range_m = nullptr;     ///< of the sensor, for stage kReading: one value, or one per lane
  bool max_range_per_lane = false;
  std::uint32_t count = 0;  ///< a multiple of 16
  // For models that read the power; see PoweredReading and Receiver.
  float intensity[kBlockRays];
  std::uint32_t from_medium[kBlockRays];  ///< 0 or 1
  float least_power = 0.0F;
  const float* min_range_m = nullptr;  ///< one value, or one per lane; null: 0
  bool min_range_per_lane = false;
  const float* table = nullptr;
  const RayBlock* placed = nullptr;  ///< Receiver::placed; null: the rays in the sensor frame

  /// Receivers of the lanes.
  struct Receivers {
    alignas(64) float low[kBlockRays], high[kBlockRays], drops[kBlockRays];
    float least_power;

    FATHOM_KERNEL explicit Receivers(const ReturnBlock& b) : least_power(b.least_power) {
      fill_limits(b.min_range_m, b.min_range_per_lane, b.count, low);
      fill_limits(b.max_range_m, b.max_range_per_lane, b.count, high);
      if (b.max_range_per_lane) {
        for (std::size_t i = 0; i < b.count; ++i) drops[i] = least_of_drops(least_power, high[i]);
      } else {  // divisions are slow
        const float same = least_of_drops(least_power, high[0]);
        fill_limits(&same, false, b.count, drops);
      }
    }
    /// `of_model`: the table of the block.
    [[nodiscard]] FATHOM_KERNEL Receiver at(std::size_t i, const float* of_model) const {
      return {low[i], high[i], least_power, drops[i], of_model};
    }
  };
};

/// Philox words of a block, [quads].
struct alignas(64) WordBlock {
  std::uint32_t a[kBlockRays / 4 + 8], b[kBlockRays / 4 + 8], c[kBlockRays / 4 + 8], d[kBlockRays / 4 + 8];
};

inline constexpr int kMaxDraws = 4;

/// The correlated random numbers of one model for all rays of a frame (noise/correlation.hpp): arrays by place in the
/// frame, made before the frame is rendered.
struct DrawFields {
  const float* normal[kMaxDraws];
  const float* uniform[kMaxDraws];
};

/// Room for the random numbers of one model, for the lanes of a block.
struct alignas(64) DrawBuffer {
  float normal[kMaxDraws][kBlockRays];
  float uniform[kMaxDraws][kBlockRays];
  const DrawFields* fields = nullptr;   ///< the source of the numbers; null: the key
  const std::uint32_t* rays = nullptr;  ///< [count], with fields: the place of each lane's ray in the frame
  std::uint32_t first_ray = 0;          ///< place of the first ray; null `rays`: the others follow
};

/// One standard normal per lane: out[4 q + k] for ray k of quad quads[q].
template <class Tag>
[[gnu::noinline]] void fill_normals(NoiseKey key, std::uint32_t draw, const std::uint32_t* quads,
                                    std::uint32_t quad_count, float* __restrict out) {
  WordBlock words;
  keyed_blocks(key, draw, quads, quad_count, {words.a, words.b, words.c, words.d});
  for (std::size_t q = 0; q < quad_count; ++q) {
    const NormalPair first = normals_from_words(words.a[q], words.b[q]);
    const NormalPair second = normals_from_words(words.c[q], words.d[q]);
    out[4 * q + 0] = first.first;
    out[4 * q + 1] = first.second;
    out[4 * q + 2] = second.first;
    out[4 * q + 3] = second.second;
  }
}

/// One uniform number in [0, 1) per lane.
template <class Tag>
[[gnu::noinline]] void fill_uniforms(NoiseKey key, std::uint32_t draw, const std::uint32_t* quads,
                                     std::uint32_t quad_count, float* __restrict out) {
  WordBlock words;
  keyed_blocks(key, draw, quads, quad_count, {words.a, words.b, words.c, words.d});
  for (std::size_t q = 0; q < quad_count; ++q) {
    out[4 * q + 0] = uniform_from_word(words.a[q]);
    out[4 * q + 1] = uniform_from_word(words.b[q]);
    out[4 * q + 2] = uniform_from_word(words.c[q]);
    out[4 * q + 3] = uniform_from_word(words.d[q]);
  }
}

/// Copies values, and fetches as many behind them into the cache, for the next block. A block reads more arrays than
/// processors follow by themselves.
FATHOM_KERNEL void copy_run(const void* from, std::size_t bytes, void* to) {
  __builtin_memcpy(to, from, bytes);
  const std::uintptr_t next = reinterpret_cast<std::uintptr_t>(from) + bytes;  // a number: it may be behind the array
  for (std::size_t i = 0; i < bytes; i += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(next + i));  // NOLINT(performance-no-int-to-ptr)
  }
}

/// One number per lane out of a field.
template <class Tag>
[[gnu::noinline]] void take_field(const float* field, const DrawBuffer& draws, std::uint32_t count,
                                  float* __restrict out) {
  if (draws.rays == nullptr) {
    copy_run(field + draws.first_ray, count * sizeof(float), out);
  } else {
    for (std::uint32_t i = 0; i < count; ++i) out[i] = field[draws.rays[i]];
  }
}

template <NoiseModel M, class Tag>
[[gnu::noinline]] void take_fields(std::uint32_t count, DrawBuffer& draws) {
  for (int k = 0; k < M::kDraws.normals; ++k) {
    take_field<Tag>(draws.fields->normal[k], draws, count, draws.normal[k]);
  }
  for (int k = 0; k < M::kDraws.uniforms; ++k) {
    take_field<Tag>(draws.fields->uniform[k], draws, count, draws.uniform[k]);
  }
}

/// Draw numbers: normals take draws 0, 1, ..., uniforms the ones after.
template <NoiseModel M, class Tag>
void fill_draws(const NoiseKey& key, const std::uint32_t* quads, std::uint32_t count, DrawBuffer& draws) {
  static_assert(M::kDraws.normals <= kMaxDraws && M::kDraws.uniforms <= kMaxDraws);
  if (draws.fields != nullptr) return take_fields<M, Tag>(count, draws);
  for (int k = 0; k < M::kDraws.normals; ++k) {
    fill_normals<Tag>(key, static_cast<std::uint32_t>(k), quads, count / kQuadRays, draws.normal[k]);
  }
  for (int k = 0; k < M::kDraws.uniforms; ++k) {
    fill_uniforms<Tag>(key, static_cast<std::uint32_t>(M::kDraws.normals + k), quads, count / kQuadRays,
                       draws.uniform[k]);
  }
}

template <NoiseModel M>
FATHOM_KERNEL Draws<M::kDraws> draws_of_lane(const DrawBuffer& buffer, std::size_t i) {
  Draws<M::kDraws> draws;
  for (int k = 0; k < M::kDraws.normals; ++k) draws.normal[k] = buffer.normal[k][i];
  for (int k = 0; k < M::kDraws.uniforms; ++k) draws.uniform[k] = buffer.uniform[k][i];
  return draws;
}

/// Applies a model of stage kRay to every ray of a block.
template <NoiseModel M, class Tag>
[[gnu::noinline]] void drive_rays(const M& model, const NoiseKey& key, RayBlock& __restrict b,
                                  DrawBuffer& __restrict draws) {
  fill_draws<M, Tag>(key, b.quads, b.count, draws);
  const M p = model;
  if (b.from_sensor_origin) {
    for (std::size_t i = 0; i < b.count; ++i) {
      const Ray ray = M::apply(p, {0.0F, 0.0F, 0.0F, b.dx[i], b.dy[i], b.dz[i]}, draws_of_lane<M>(draws, i));
      b.dx[i] = ray.dx, b.dy[i] = ray.dy, b.dz[i] = ray.dz;
    }
    return;
  }
  for (std::size_t i = 0; i < b.count; ++i) {
    const Ray ray = M::apply(p, {b.ox[i], b.oy[i], b.oz[i], b.dx[i], b.dy[i], b.dz[i]}, draws_of_lane<M>(draws, i));
    b.ox[i] = ray.ox, b.oy[i] = ray.oy, b.oz[i] = ray.oz;
    b.dx[i] = ray.dx, b.dy[i] = ray.dy, b.dz[i] = ray.dz;
  }
}

template <class M>
concept ReadsSurface = requires(const M& p, const Return& in, const Surface& surface, const DrawsOf<M>& draws) {
  M::apply(p, in, surface, draws);
};

FATHOM_KERNEL Surface surface_of_lane(const SurfaceBlock& b, std::size_t i, const Optics& optics) {
  return {b.cos_emitter[i], b.cos_left[i], b.cos_right[i], b.left_to_emitter[i], b.right_to_emitter[i], b.edge_rad[i],
          b.hidden[i],      optics,        b.jump[i],      b.jump_rad[i],        b.energy_gain[i],      b.power[i]};
}

FATHOM_KERNEL Return return_of_lane(const ReturnBlock& b, std::size_t i) {
  return {b.x[i], b.y[i], b.z[i], b.range_m[i], b.radius_m[i]};
}

/// Calls f(lane, the model's result) for each lane of a block.
template <NoiseModel M, class F>
FATHOM_KERNEL void for_each_return(const M& model, const ReturnBlock& b, const DrawBuffer& draws, F f) {
  const M p = model;
  if constexpr (!ReadsSurface<M>) {
    for (std::size_t i = 0; i < b.count; ++i) f(i, M::apply(p, return_of_lane(b, i), draws_of_lane<M>(draws, i)));
  } else if (b.surface != nullptr) {
    const SurfaceBlock& __restrict s = *b.surface;
    const Optics optics = s.optics;
    for (std::size_t i = 0; i < b.count; ++i) {
      f(i, M::apply(p, return_of_lane(b, i), surface_of_lane(s, i, optics), draws_of_lane<M>(draws, i)));
    }
  } else {
    for (std::size_t i = 0; i < b.count; ++i) {
      f(i, M::apply(p, return_of_lane(b, i), Surface{}, draws_of_lane<M>(draws, i)));
    }
  }
}

FATHOM_KERNEL void put_return(ReturnBlock& b, std::size_t i, bool valid, const Return& out) {
  b.x[i] = math::select(valid, out.x, b.x[i]);
  b.y[i] = math::select(valid, out.y, b.y[i]);
  b.z[i] = math::select(valid, out.z, b.z[i]);
  b.range_m[i] = math::select(valid, out.range_m, b.range_m[i]);
  b.radius_m[i] = math::select(valid, out.radius_m, b.radius_m[i]);
}

/// Applies a model of stage kHitPoint or kRange to the valid returns of a block; other lanes keep every bit. A model
/// whose kernel gives a Reading may lose them.
template <NoiseModel M, class Tag>
[[gnu::noinline]] void drive_returns(const M& model, const NoiseKey& key, ReturnBlock& __restrict b,
                                     DrawBuffer& __restrict draws) {
  fill_draws<M, Tag>(key, b.quads, b.count, draws);
  for_each_return(
      model, b, draws, [&b](std::size_t i, const auto& out) __attribute__((always_inline)) {
        const bool valid = b.reason[i] == static_cast<std::uint32_t>(Reason::kHit);
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(out)>, Reading>) {
          put_return(b, i, valid, out.hit);
          b.reason[i] = valid ? static_cast<std::uint32_t>(out.reason) : b.reason[i];
        } else {
          put_return(b, i, valid, out);
        }
      });
}

/// Applies a model of stage kAngleLoss, kShadow, kEnergyLoss, kEdgeLoss or kDropout: valid returns may get the reason
/// of their loss.
template <NoiseModel M, class Tag>
[[gnu::noinline]] void drive_losses(const M& model, const NoiseKey& key, ReturnBlock& __restrict b,
                                    DrawBuffer& __restrict draws) {
  fill_draws<M, Tag>(key, b.quads, b.count, draws);
  for_each_return(
      model, b, draws, [&b](std::size_t i, Reason out) __attribute__((always_inline)) {
        const bool valid = b.reason[i] == static_cast<std::uint32_t>(Reason::kHit);
        b.reason[i] = valid ? static_cast<std::uint32_t>(out) : b.reason[i];
      });
}

FATHOM_KERNEL Ray ray_of_lane(const RayBlock& b, std::size_t i) {
  const bool shared = b.from_sensor_origin;
  return {math::select(shared, 0.0F, b.ox[i]),
          math::select(shared, 0.0F, b.oy[i]),
          math::select(shared, 0.0F, b.oz[i]),
          b.dx[i],
          b.dy[i],
          b.dz[i]};
}

FATHOM_KERNEL void put_reading(ReturnBlock& b, std::size_t i, const Return& hit, Reason reason) {
  b.x[i] = hit.x, b.y[i] = hit.y, b.z[i] = hit.z;
  b.range_m[i] = hit.range_m, b.radius_m[i] = hit.radius_m;
  b.reason[i] = static_cast<std::uint32_t>(reason);
}

template <class M>
concept ReadsPlace = requires {
  requires M::kNeeds.place;
};
/// Whether a model has apply_in() for variants of its parameters.
template <class M>
concept HasVariants = requires(const M& p) {
  p.variant();
};

FATHOM_KERNEL PoweredReading powered_of_lane(const ReturnBlock& b, std::size_t i) {
  return {return_of_lane(b, i), static_cast<Reason>(b.reason[i]), b.intensity[i], b.from_medium[i] != 0};
}
FATHOM_KERNEL void put_powered(ReturnBlock& b, std::size_t i, const PoweredReading& out) {
  put_reading(b, i, out.hit, out.reason);
  b.intensity[i] = out.intensity, b.from_medium[i] = out.from_medium ? 1 : 0;
}

template <class M>
concept IsDropsAlone = requires {
  requires M::kDropsAlone;
};

inline constexpr std::size_t kGroupLanes = 16;  ///< a whole number of vectors of each instruction set

/// Applies see_through_drops() to every lane: first what needs one number, then the drops of those few lanes that may
/// show one.
template <NoiseModel M, class Tag>
[[gnu::noinline]] void drive_drops(const NoiseKey& key, const RayBlock& rays, ReturnBlock& __restrict b,
                                   DrawBuffer& __restrict draws) {
  const bool is_white = draws.fields == nullptr;
  if (!is_white) take_fields<M, Tag>(b.count, draws);
  if (is_white) fill_uniforms<Tag>(key, 0, b.quads, b.count / kQuadRays, draws.uniform[0]);
  const ReturnBlock::Receivers receivers(b);
  const float* __restrict table = b.table;
  alignas(64) float bar[kBlockRays];
  alignas(64) std::uint32_t shows[kBlockRays];
  for (std::size_t i = 0; i < b.count; ++i) {
    const Receiver receiver = receivers.at(i, table);
    const PoweredReading in = powered_of_lane(b, i);
    const float transmitted = drops_transmit(in, receiver), power = dimmed_power(in, transmitted);
    const PoweredReading dimmed = dim_surface(in, transmitted, power, receiver);
    b.reason[i] = static_cast<std::uint32_t>(dimmed.reason), b.intensity[i] = dimmed.intensity;
    bar[i] = bar_of_drops(in, power, receiver), shows[i] = may_show_drop(table, bar[i], draws.uniform[0][i]) ? 1 : 0;
  }
  std::int32_t lane[kBlockRays], place[kBlockRays];  // signed ones make faster gathers
  std::uint32_t quad[kBlockRays / kQuadRays + 8], quads = 0;
  std::size_t lanes = 0;
  for (std::uint32_t q = 0; q < b.count / kQuadRays; ++q) {
    const std::uint32_t first = kQuadRays * q;
    if ((shows[first] | shows[first + 1] | shows[first + 2] | shows[first + 3]) == 0) continue;
    for (std::uint32_t k = 0; k < kQuadRays; ++k) {
      lane[lanes] = static_cast<std::int32_t>(first + k),
      place[lanes] = static_cast<std::int32_t>(kQuadRays * quads + k);
      lanes += shows[first + k];
    }
    quad[quads++] = b.quads[q];
  }
  if (lanes == 0) return;
  alignas(64) float made[kBlockRays];
  if (is_white) fill_uniforms<Tag>(key, 1, quad, quads, made);
  const float* second = is_white ? made : draws.uniform[1];
  const std::int32_t* at_second = is_white ? place : lane;
  for (std::size_t k = lanes; k % kGroupLanes != 0; ++k) lane[k] = lane[0], place[k] = place[0];
  const std::size_t padded = (lanes + kGroupLanes - 1) / kGroupLanes * kGroupLanes;
  DropTable::Strongest<kBlockRays> drops;
  alignas(64) float least[kBlockRays], nearest_m[kBlockRays];
  for (std::size_t k = 0; k < padded; ++k) {
    const std::int32_t i = lane[k];
    drops.surface_m[k] = b.range_m[i] < receivers.high[i] ? b.range_m[i] : receivers.high[i];
    drops.u1[k] = draws.uniform[0][i], drops.u2[k] = second[at_second[k]];
    least[k] = bar[i], nearest_m[k] = receivers.low[i];
  }
  drops.draw(table, padded);
  for (std::size_t k = 0; k < padded; ++k) {
    shows[k] = is_reported({drops.power[k], drops.range_m[k]}, least[k], nearest_m[k]) ? 1 : 0;
  }
  std::size_t reported = 0;
  for (std::size_t k = 0; k < lanes; ++k) {
    lane[reported] = lane[k], drops.power[reported] = drops.power[k], drops.range_m[reported] = drops.range_m[k];
    reported += shows[k];
  }
  for (std::size_t k = 0; k < reported; ++k) {
    const std::int32_t i = lane[k];
    put_powered(b, i, reading_of(ray_of_lane(rays, i), {drops.power[k], drops.range_m[k]}));
  }
}

/// Applies a model of stage kReading to every lane, with or without a return. The model leaves other lanes unchanged.
template <NoiseModel M, class Tag>
[[gnu::noinline]] void drive_readings(const M& model, const NoiseKey& key, const RayBlock& __restrict rays,
                                      ReturnBlock& __restrict b, DrawBuffer& __restrict draws) {
  fill_draws<M, Tag>(key, b.quads, b.count, draws);
  const M p = model;
  const ReturnBlock::Receivers receivers(b);
  const float* __restrict table = b.table;
  const RayBlock& __restrict placed = b.placed == nullptr ? rays : *b.placed;
  const std::size_t count = b.count;
  for (std::size_t i = 0; i < count; ++i) {
    const Ray ray = ray_of_lane(rays, i);
    if constexpr (ReadsPower<M>) {
      Receiver receiver = receivers.at(i, table);
      if constexpr (ReadsPlace<M>) receiver.placed = ray_of_lane(placed, i);
      put_powered(b, i, M::apply(p, ray, powered_of_lane(b, i), receiver, draws_of_lane<M>(draws, i)));
    } else {
      const Reading in = {return_of_lane(b, i), static_cast<Reason>(b.reason[i])};
      const Reading out = M::apply(p, ray, in, receivers.high[i], draws_of_lane<M>(draws, i));
      put_reading(b, i, out.hit, out.reason);
    }
  }
}

/// The same of a variant of a model, from the first to the last group of lanes where rays meet it.
template <int kVariant, NoiseModel M, class Tag>
[[gnu::noinline]] void drive_variant(const M& model, const NoiseKey& key, const RayBlock& __restrict rays,
                                     ReturnBlock& __restrict b, DrawBuffer& __restrict draws) {
  const M p = model;
  const ReturnBlock::Receivers receivers(b);
  const float* __restrict table = b.table;
  const RayBlock& __restrict placed = b.placed == nullptr ? rays : *b.placed;
  const std::size_t count = b.count;
  alignas(64) float begin[kBlockRays], end[kBlockRays], part[kBlockRays], entry[kBlockRays][4];
  alignas(64) std::int32_t at[kBlockRays];
  for (std::size_t i = 0; i < count; ++i) {
    Receiver receiver = receivers.at(i, table);
    if constexpr (kVariant > 0) receiver.placed = ray_of_lane(placed, i);
    const auto air = p.template air_before<kVariant>(powered_of_lane(b, i), receiver);
    const TablePlace place = p.template place_of_peak<kVariant>(air);
    begin[i] = air.begin_m, end[i] = air.end_m, at[i] = place.at, part[i] = place.part;
  }
  const auto meets = [&](std::size_t i) { return end[i] > begin[i]; };
  std::size_t first = 0, last = count;
  while (first < last && !meets(first)) ++first;
  while (first < last && !meets(last - 1)) --last;
  if (first == last) return;
  first -= first % kGroupLanes, last += (count - last) % kGroupLanes;
  fill_draws<M, Tag>(key, b.quads, b.count, draws);
  for (std::size_t i = first; i < last; ++i) __builtin_memcpy(entry[i], table + 2 * at[i], sizeof entry[i]);
  for (std::size_t i = first; i < last; ++i) {
    Receiver receiver = receivers.at(i, table);
    if constexpr (kVariant > 0) receiver.placed = ray_of_lane(placed, i);
    put_powered(
        b, i,
        M::template apply_in<kVariant>(p, ray_of_lane(rays, i), powered_of_lane(b, i), receiver, {begin[i], end[i]},
                                       M::peak_between(entry[i], part[i]), draws_of_lane<M>(draws, i)));
  }
}

/// A BlockKernel; that of stage kImage does nothing, because a block is no image.
template <NoiseModel M, class Tag>
void block_kernel(const void* model, const NoiseKey& key, RayBlock& rays, ReturnBlock& returns, DrawBuffer& draws) {
  const M& m = *static_cast<const M*>(model);
  if constexpr (M::kStage == Stage::kRay) {
    drive_rays<M, Tag>(m, key, rays, draws);
  } else if constexpr (M::kStage == Stage::kHitPoint || M::kStage == Stage::kRange) {
    drive_returns<M, Tag>(m, key, returns, draws);
  } else if constexpr (IsDropsAlone<M>) {
    drive_drops<M, Tag>(key, rays, returns, draws);
  } else if constexpr (HasVariants<M>) {
    static_assert(M::kVariants == 3);
    if (m.variant() == 0) return drive_variant<0, M, Tag>(m, key, rays, returns, draws);
    if (m.variant() == 1) return drive_variant<1, M, Tag>(m, key, rays, returns, draws);
    drive_variant<2, M, Tag>(m, key, rays, returns, draws);
  } else if constexpr (M::kStage == Stage::kReading) {
    drive_readings<M, Tag>(m, key, rays, returns, draws);
  } else if constexpr (M::kStage == Stage::kImage) {
    static_assert(
        requires { m.window(); }, "a noise model of stage kImage has window()");
  } else {
    drive_losses<M, Tag>(m, key, returns, draws);
  }
}

template <class M>
concept HasLossProbability = requires(const M& p, const Return& hit, const Surface& surface) {
  M::loss_probability(p, hit, surface);
};

/// A LossKernel.
template <NoiseModel M, class Tag>
[[gnu::noinline]] void find_losses(const void* model, const ReturnBlock& b, double* __restrict probability) {
  const M p = *static_cast<const M*>(model);
  const SurfaceBlock& __restrict s = *b.surface;
  const Optics optics = s.optics;
  for (std::size_t i = 0; i < b.count; ++i) {
    probability[i] = M::loss_probability(p, return_of_lane(b, i), surface_of_lane(s, i, optics));
  }
}

template <NoiseModel M, class Tag>
constexpr ModelKernels kernels_of() {
  if constexpr (HasLossProbability<M>) return {&block_kernel<M, Tag>, &find_losses<M, Tag>};
  return {&block_kernel<M, Tag>, nullptr};
}

}  // namespace fathom
