// SPDX-License-Identifier: MIT
#pragma once
// Sizes and offsets of the structs that a frame sends to a device, as numbers. The processor's compiler fills the
// structs and the device's compiler reads them, so both must get the same numbers: tests/render/ptx_test.cpp compares.

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "render/device/frame_data.hpp"
#include "render/field_math.hpp"
#include "trace/tree/sorted_tree.hpp"

namespace fathom::device {

using tree::Box, tree::Instance, tree::Leaf, tree::MeshMap, tree::MotionKey, tree::MovedInstance, tree::Node,
    tree::Refit, tree::SortedTree, tree::World;

#define FATHOM_AT(type, field) offsetof(type, field)

template <class... Ts>
struct SizesOf {
  static constexpr std::uint32_t kCount = 2 * sizeof...(Ts);
  static constexpr void write(std::uint32_t* to) { ((*to++ = sizeof(Ts), *to++ = alignof(Ts)), ...); }
};
template <class Variant>
struct SizesOfAll;
template <class... Ts>
struct SizesOfAll<std::variant<Ts...>> : SizesOf<Ts...> {};

using SentStructs =
    SizesOf<Node, Leaf, Box, MeshMap, MotionKey, Instance, World, MovedInstance, SortedTree, Refit, FieldKernel,
            LineKernel, KeyTime, FieldJob, Model, Entries, NoiseStep, Steps, Tolerance, Chain, Rays, Image, Samples,
            Channels, Edges, Windowed, FrameData, Rigid, RigView, Optics, SurfaceView, SurfaceLaw, LawEntry, RigidSpeed,
            QuadTarget, SampleDirection, WindowRule, EdgeReads, EnergyGain>;
using SentModels = SizesOfAll<RegisteredNoise>;

template <class... Ts>
constexpr std::array<std::uint32_t, sizeof...(Ts)> places(Ts... at) {
  return {static_cast<std::uint32_t>(at)...};
}
inline constexpr auto kSentPlaces = places(
    FATHOM_AT(Node, hi), FATHOM_AT(Node, child), FATHOM_AT(Leaf, id), FATHOM_AT(Instance, leaves),
    FATHOM_AT(Instance, bounds), FATHOM_AT(Instance, typical_area), FATHOM_AT(Instance, map),
    FATHOM_AT(Instance, w_from_m), FATHOM_AT(Instance, mesh), FATHOM_AT(Instance, first_key), FATHOM_AT(MeshMap, at),
    FATHOM_AT(MeshMap, m_from_w), FATHOM_AT(MotionKey, per_s), FATHOM_AT(MotionKey, inverse), FATHOM_AT(MotionKey, at),
    FATHOM_AT(MotionKey, velocity), FATHOM_AT(MotionKey, turn_rate), FATHOM_AT(Instance, mask),
    FATHOM_AT(Instance, one_sided), FATHOM_AT(World, instances), FATHOM_AT(World, boxes), FATHOM_AT(World, keys),
    FATHOM_AT(World, bounds), FATHOM_AT(World, slack), FATHOM_AT(World, instance_count), FATHOM_AT(MovedInstance, box),
    FATHOM_AT(MovedInstance, to), FATHOM_AT(SortedTree, bounds), FATHOM_AT(SortedTree, count),
    FATHOM_AT(SortedTree, keys), FATHOM_AT(SortedTree, nodes), FATHOM_AT(Refit, triangles), FATHOM_AT(Refit, order),
    FATHOM_AT(Refit, nodes), FATHOM_AT(Refit, leaves), FATHOM_AT(FieldKernel, down), FATHOM_AT(LineKernel, count),
    FATHOM_AT(LineKernel, before), FATHOM_AT(LineKernel, after), FATHOM_AT(LineKernel, gain),
    FATHOM_AT(LineKernel, is_exponential), FATHOM_AT(FieldJob, seed), FATHOM_AT(FieldJob, stream),
    FATHOM_AT(FieldJob, draw), FATHOM_AT(FieldJob, time), FATHOM_AT(FieldJob, row_begin), FATHOM_AT(FieldJob, cols),
    FATHOM_AT(FieldJob, lines), FATHOM_AT(FieldJob, quads), FATHOM_AT(FieldJob, closes),
    FATHOM_AT(FieldJob, is_uniform), FATHOM_AT(FieldJob, white), FATHOM_AT(FieldJob, half), FATHOM_AT(FieldJob, out),
    FATHOM_AT(Model, is_identity), FATHOM_AT(Model, bytes), FATHOM_AT(Entries, ids), FATHOM_AT(Entries, by_ring),
    FATHOM_AT(NoiseStep, stream), FATHOM_AT(NoiseStep, has_others), FATHOM_AT(NoiseStep, entries),
    FATHOM_AT(NoiseStep, first_number), FATHOM_AT(NoiseStep, table), FATHOM_AT(NoiseStep, frame),
    FATHOM_AT(Steps, count), FATHOM_AT(Tolerance, entries), FATHOM_AT(Chain, edge_loss), FATHOM_AT(Chain, dropout),
    FATHOM_AT(Chain, velocity), FATHOM_AT(Chain, tolerances), FATHOM_AT(Chain, tolerance_count),
    FATHOM_AT(Chain, needs_surface), FATHOM_AT(Chain, needs_sight), FATHOM_AT(Chain, needs_power),
    FATHOM_AT(Chain, edge_reads), FATHOM_AT(Chain, energy_angle), FATHOM_AT(Chain, energy_gain),
    FATHOM_AT(Chain, least_power), FATHOM_AT(Chain, reads_power), FATHOM_AT(Chain, has_window),
    FATHOM_AT(Chain, window), FATHOM_AT(Rays, ox), FATHOM_AT(Rays, min_range_m), FATHOM_AT(Rays, min_per_lane),
    FATHOM_AT(Rays, max_per_lane), FATHOM_AT(Rays, quad_keys), FATHOM_AT(Rays, targets), FATHOM_AT(Rays, time_index),
    FATHOM_AT(Rays, times_s), FATHOM_AT(Rays, lanes), FATHOM_AT(Image, ring), FATHOM_AT(Samples, choices),
    FATHOM_AT(Samples, returns), FATHOM_AT(Samples, coinciding), FATHOM_AT(Samples, separation_m),
    FATHOM_AT(Channels, depth), FATHOM_AT(Channels, velocity), FATHOM_AT(Channels, entity_id),
    FATHOM_AT(Channels, reason), FATHOM_AT(Channels, path), FATHOM_AT(Channels, plane), FATHOM_AT(Edges, entity),
    FATHOM_AT(Edges, nx), FATHOM_AT(Windowed, taken), FATHOM_AT(Windowed, region), FATHOM_AT(Windowed, nx),
    FATHOM_AT(FrameData, reach), FATHOM_AT(FrameData, mask), FATHOM_AT(FrameData, rays), FATHOM_AT(FrameData, image),
    FATHOM_AT(FrameData, cast_from_sensor), FATHOM_AT(FrameData, world_from_sensor), FATHOM_AT(FrameData, rolling_cast),
    FATHOM_AT(FrameData, speeds), FATHOM_AT(FrameData, places), FATHOM_AT(FrameData, rig), FATHOM_AT(FrameData, chain),
    FATHOM_AT(FrameData, policy), FATHOM_AT(FrameData, samples), FATHOM_AT(FrameData, surfaces),
    FATHOM_AT(FrameData, falloff_m), FATHOM_AT(FrameData, labels), FATHOM_AT(FrameData, seed),
    FATHOM_AT(FrameData, frame_index), FATHOM_AT(FrameData, out), FATHOM_AT(FrameData, edges),
    FATHOM_AT(FrameData, fields), FATHOM_AT(FrameData, field_plane), FATHOM_AT(FrameData, windowed));

#undef FATHOM_AT

/// Size and alignment of each struct and of each registered model, then the places of fields.
struct LayoutTable {
  static constexpr std::size_t kSizes = SentStructs::kCount + SentModels::kCount;
  std::uint32_t numbers[kSizes + kSentPlaces.size()];
};

constexpr LayoutTable layout_table() {
  LayoutTable table = {};
  SentStructs::write(table.numbers);
  SentModels::write(table.numbers + SentStructs::kCount);
  std::size_t at = LayoutTable::kSizes;
  for (const std::uint32_t place : kSentPlaces) table.numbers[at++] = place;
  return table;
}

inline constexpr LayoutTable kLayout = layout_table();

}  // namespace fathom::device
