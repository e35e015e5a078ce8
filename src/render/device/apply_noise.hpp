// SPDX-License-Identifier: MIT
#pragma once
// The noise of one ray, with the same draws as noise/detail/drive.hpp for a block.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include <fathom/core/random.hpp>
#include <fathom/noise/models.hpp>

#include "render/device/frame_data.hpp"
#include "render/ray_math.hpp"

namespace fathom::device {

/// A ray and its return so far.
struct RayState {
  Ray ray;
  Return hit;
  Surface surface;
  std::uint32_t reason;
  float intensity;   ///< as PoweredReading
  bool from_medium;  ///< the same
  Receiver receiver;
  const Rigid *places, *pose;  ///< FrameData::places, and of the sensor in the caster's coordinates
  bool from_sensor_origin;
};

/// The inputs of a ray's draws besides the model: its quad and its place among the four; or the numbers themselves, for
/// correlated draws.
struct DrawPlace {
  std::uint32_t quad, lane;
  const float* numbers;  ///< of the ray: the first of the model's numbers, others `plane` floats apart; null: keyed
  std::size_t plane;
};

template <NoiseModel M>
FATHOM_KERNEL DrawsOf<M> draws_of(const NoiseKey& key, const DrawPlace& at) {
  DrawsOf<M> draws = {};
  if (at.numbers != nullptr) {
    const float* next = at.numbers;
    for (int k = 0; k < M::kDraws.normals; ++k, next += at.plane) draws.normal[k] = *next;
    for (int k = 0; k < M::kDraws.uniforms; ++k, next += at.plane) draws.uniform[k] = *next;
    return draws;
  }
  for (int k = 0; k < M::kDraws.normals; ++k) {
    const PhiloxBlock b = keyed_block(key, at.quad, static_cast<std::uint32_t>(k));
    const bool second = at.lane >= 2;
    const NormalPair pair = normals_from_words(second ? b.word[2] : b.word[0], second ? b.word[3] : b.word[1]);
    draws.normal[k] = (at.lane & 1U) != 0 ? pair.second : pair.first;
  }
  for (int k = 0; k < M::kDraws.uniforms; ++k) {
    const PhiloxBlock b = keyed_block(key, at.quad, static_cast<std::uint32_t>(M::kDraws.normals + k));
    const std::uint32_t low = (at.lane & 1U) != 0 ? b.word[1] : b.word[0];
    const std::uint32_t high = (at.lane & 1U) != 0 ? b.word[3] : b.word[2];
    draws.uniform[k] = uniform_from_word(at.lane >= 2 ? high : low);
  }
  return draws;
}

template <class M>
concept ReadsSurfaceOfRay = requires(const M& p, const Return& in, const Surface& surface, const DrawsOf<M>& draws) {
  M::apply(p, in, surface, draws);
};

template <NoiseModel M>
FATHOM_KERNEL auto apply_to_return(const M& p, const RayState& s, const DrawsOf<M>& draws) {
  if constexpr (ReadsSurfaceOfRay<M>) {
    return M::apply(p, s.hit, s.surface, draws);
  } else {
    return M::apply(p, s.hit, draws);
  }
}

/// Applies one model. A model of returns acts on a valid return only.
template <NoiseModel M>
FATHOM_KERNEL void apply_model(const M& p, const NoiseKey& key, const DrawPlace& at, RayState& s) {
  if constexpr (M::kStage == Stage::kRay) {
    const Ray out = M::apply(p, s.ray, draws_of<M>(key, at));
    s.ray.dx = out.dx, s.ray.dy = out.dy, s.ray.dz = out.dz;
    if (!s.from_sensor_origin) s.ray.ox = out.ox, s.ray.oy = out.oy, s.ray.oz = out.oz;
  } else if constexpr (M::kStage == Stage::kReading) {
    if constexpr (ReadsPower<M>) {
      const PoweredReading in = {s.hit, static_cast<Reason>(s.reason), s.intensity, s.from_medium};
      const PoweredReading out = M::apply(p, s.ray, in, s.receiver, draws_of<M>(key, at));
      s.hit = out.hit, s.reason = static_cast<std::uint32_t>(out.reason);
      s.intensity = out.intensity, s.from_medium = out.from_medium;
    } else {
      const Reading in = {s.hit, static_cast<Reason>(s.reason)};
      const Reading out = M::apply(p, s.ray, in, s.receiver.max_range_m, draws_of<M>(key, at));
      s.hit = out.hit, s.reason = static_cast<std::uint32_t>(out.reason);
    }
  } else if constexpr (M::kStage != Stage::kImage) {
    if (s.reason != kHitLane) return;
    const auto out = apply_to_return(p, s, draws_of<M>(key, at));
    using Out = std::remove_cvref_t<decltype(out)>;
    if constexpr (std::is_same_v<Out, Reason>) {
      s.reason = static_cast<std::uint32_t>(out);
    } else if constexpr (std::is_same_v<Out, Reading>) {
      s.hit = out.hit, s.reason = static_cast<std::uint32_t>(out.reason);
    } else {
      s.hit = out;
    }
  }
}

template <std::size_t I>
FATHOM_KERNEL void apply_if(const Model& model, const NoiseKey& key, const DrawPlace& at, RayState& s) {
  using M = std::variant_alternative_t<I, RegisteredNoise>;
  static_assert(sizeof(M) <= Model::kMostBytes && alignof(M) <= 8 && std::is_trivially_copyable_v<M>);
  if (model.place_in_list != I) return;
  apply_model(*reinterpret_cast<const M*>(model.bytes), key, at, s);
}

template <std::size_t... I>
FATHOM_KERNEL void apply_any(const Model& model, const NoiseKey& key, const DrawPlace& at, RayState& s,
                             std::index_sequence<I...> /*models*/) {
  (apply_if<I>(model, key, at, s), ...);
}

/// The entry of a table that a ray takes, by the entity that it struck or by its ring.
FATHOM_KERNEL std::uint32_t entry_of(const Entries& e, std::uint32_t entity, std::uint32_t ring) {
  const std::uint32_t id = e.by_ring ? ring : entity;
  return id < e.ids ? e.entry_by_id[id] : 0;
}

/// The first of the correlated draws of a ray; null without correlation.
FATHOM_KERNEL const float* numbers_of_ray(const FrameData& f, std::uint32_t ray) {
  return f.fields == nullptr ? nullptr : f.fields + ray;
}

/// Applies steps of a chain; `at` has the first numbers of all models. Out of line: it has six calls, and each knows
/// all models.
[[gnu::noinline]] FATHOM_HOST_DEVICE inline void apply_steps(const Steps& steps, const NoiseKey& seed_and_frame,
                                                             const DrawPlace& at, std::uint32_t entity,
                                                             std::uint32_t ring, std::uint32_t ray_return,
                                                             RayState& s) {
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const NoiseStep& step = steps.first[i];
    const Model* model = step.models;
    if (step.has_others) {
      if (s.reason != kHitLane) continue;
      model += entry_of(step.entries, entity, ring);
      if (model->is_identity) continue;
    }
    const NoiseKey key = {seed_and_frame.seed, seed_and_frame.frame, stream_of_return(step.stream, ray_return)};
    DrawPlace place = at;
    s.receiver.table = step.table;
    if (step.frame != NoiseStep::kNoFrame) s.receiver.placed = placed_ray(s.places[step.frame], *s.pose, s.ray);
    place.numbers = step.first_number == NoiseStep::kWhite ? nullptr : at.numbers + step.first_number * at.plane;
    apply_any(*model, key, place, s, std::make_index_sequence<std::variant_size_v<RegisteredNoise>>());
  }
}

}  // namespace fathom::device
