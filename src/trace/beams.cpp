#include <fathom/beams.hpp>

#include <algorithm>

#include "trace/trace_lanes.hpp"

namespace fathom {

namespace {

/// Lanes with padding.
std::uint32_t padded(std::uint32_t count) { return (count + 15) / 16 * 16; }

void pad(float (&lanes)[kBlockRays], std::uint32_t count) {
  std::fill(lanes + count, lanes + padded(count), lanes[count - 1]);
}

void pad(RayBlock& b, std::uint32_t count) {
  for (auto* lanes : {&b.ox, &b.oy, &b.oz, &b.dx, &b.dy, &b.dz}) pad(*lanes, count);
}

struct Names {
  std::uint32_t quads[kBlockRays / kQuadRays + 8];
};

/// Quads of beams count through all beams.
void name_quads(const BeamBlock& block, Names& names, RayBlock& ray) {
  for (std::uint32_t q = 0; q < std::size(names.quads); ++q) names.quads[q] = block.first / kQuadRays + q;
  ray.quads = names.quads;
}

}  // namespace

Affine widen(const Matrix34& m) {
  Affine a;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) a.m[i][j] = double{m[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]};
  }
  return a;
}

void load_beams(std::span<const Matrix34> all, BeamBlock& block) {
  RayBlock &ray = block.ray, &side = block.side;
  const Matrix34* beam = all.data() + block.first;
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const Matrix34& m = beam[i];
    ray.dx[i] = m[0][2], ray.dy[i] = m[1][2], ray.dz[i] = m[2][2];
    ray.ox[i] = m[0][3], ray.oy[i] = m[1][3], ray.oz[i] = m[2][3];
  }
  pad(ray, block.count);
  ray.count = side.count = padded(block.count);
  ray.from_sensor_origin = side.from_sensor_origin = false;
  if (!block.wants_sides) return;
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const Matrix34& m = beam[i];
    side.dx[i] = m[0][0], side.dy[i] = m[1][0], side.dz[i] = m[2][0];
    side.ox[i] = m[0][1], side.oy[i] = m[1][1], side.oz[i] = m[2][1];
  }
  pad(side, block.count);
}

void transform_beams(const Affine& a, Isa isa, BeamBlock& block) {
  if (a == Affine{}) return;
  RayBlock &ray = block.ray, &side = block.side;
  const TraceKernels& lanes = trace_kernels(isa);
  lanes.transform(a, true, ray.count, ray.ox, ray.oy, ray.oz);
  lanes.transform(a, false, ray.count, ray.dx, ray.dy, ray.dz);
  if (!block.wants_sides) return;
  lanes.transform(a, false, side.count, side.ox, side.oy, side.oz);
  lanes.transform(a, false, side.count, side.dx, side.dy, side.dz);
}

void apply_noise(const Noise& noise, const NoiseKey& key, const Affine& sensor_from_world,
                 const Affine& world_from_sensor, Isa isa, BeamBlock& block) {
  if (noise.is_identity() || noise.stage() != Stage::kRay || block.count == 0) return;
  Names names;
  name_quads(block, names, block.ray);
  name_quads(block, names, block.side);
  ReturnBlock none;
  DrawBuffer draws;
  transform_beams(sensor_from_world, isa, block);
  noise.apply(isa, key, block.ray, none, draws);
  // The same key draws the same numbers, so the other two axes of each beam turn with it.
  if (block.wants_sides) noise.apply(isa, key, block.side, none, draws);
  transform_beams(world_from_sensor, isa, block);
  block.ray.quads = block.side.quads = nullptr;
}

}  // namespace fathom
