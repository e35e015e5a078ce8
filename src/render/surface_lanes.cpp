// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "render/surface_lanes.hpp"

#include <algorithm>
#include <cstddef>

namespace fathom::FATHOM_ISA {

namespace {

constexpr float kNan = __builtin_nanf("");
constexpr auto kHitLane = static_cast<std::uint32_t>(Reason::kHit);

FATHOM_KERNEL float size_of(float x) { return math::float_of(math::bits_of(x) & 0x7fffffffU); }
FATHOM_KERNEL float larger(float a, float b) { return math::select(a > b, a, b); }

void angles_at_emitter(const CastBlock& __restrict cast, std::uint32_t count, SurfaceBlock& __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float c = -(cast.dx[i] * cast.nx[i] + cast.dy[i] * cast.ny[i] + cast.dz[i] * cast.nz[i]);
    out.cos_emitter[i] = c, out.cos_left[i] = c, out.cos_right[i] = c;
    out.left_to_emitter[i] = 1.0F, out.right_to_emitter[i] = 1.0F;
  }
}

void angles(const CastBlock& __restrict cast, std::uint32_t count, const CameraOffset& left_camera,
            const CameraOffset& right_camera, SurfaceBlock& __restrict out) {
  const CameraOffset l = left_camera, r = right_camera;
  for (std::size_t i = 0; i < count; ++i) {
    const float dx = cast.dx[i], dy = cast.dy[i], dz = cast.dz[i], range = cast.range_m[i];
    const float nx = cast.nx[i], ny = cast.ny[i], nz = cast.nz[i];
    out.cos_emitter[i] = -(dx * nx + dy * ny + dz * nz);
    const float lx = l.x - dx * range, ly = l.y - dy * range, lz = l.z - dz * range;
    const float rx = r.x - dx * range, ry = r.y - dy * range, rz = r.z - dz * range;
    const float l_scale = 1.0F / math::sqrt(lx * lx + ly * ly + lz * lz);
    const float r_scale = 1.0F / math::sqrt(rx * rx + ry * ry + rz * rz);
    out.cos_left[i] = (lx * nx + ly * ny + lz * nz) * l_scale;
    out.cos_right[i] = (rx * nx + ry * ny + rz * nz) * r_scale;
    out.left_to_emitter[i] = -(lx * dx + ly * dy + lz * dz) * l_scale;
    out.right_to_emitter[i] = -(rx * dx + ry * dy + rz * dz) * r_scale;
  }
}

// The resolution of single precision along a line of sight: eight roundings of the largest coordinate (a hit is
// computed from the corners of its triangle, wherever these are), stretched by the slant of the surface.
// docs/depth-cameras.md tells how it was measured.
void sight(const CastBlock& __restrict cast, const ReturnBlock& __restrict returns, const CameraOffset& camera,
           const float* origin, float reach, const float* __restrict cosine, SightBlock& __restrict out) {
  const CameraOffset c = camera;
  const float ox = origin[0], oy = origin[1], oz = origin[2];
  const float eye = std::max({size_of(ox + c.x), size_of(oy + c.y), size_of(oz + c.z), reach});
  for (std::size_t i = 0; i < returns.count; ++i) {
    const float range = cast.range_m[i];
    const float px = cast.dx[i] * range, py = cast.dy[i] * range, pz = cast.dz[i] * range;
    const float x = px - c.x, y = py - c.y, z = pz - c.z;
    const float distance = math::sqrt(x * x + y * y + z * z);
    const float coordinate =
        larger(larger(larger(size_of(ox + px), size_of(oy + py)), larger(size_of(oz + pz), eye)), range);
    const float tolerance = sight_resolution(coordinate, distance, cosine[i], kLoosestSight);
    out.dx[i] = x, out.dy[i] = y, out.dz[i] = z;
    out.clear[i] = math::select(returns.reason[i] == kHitLane, 1.0F - tolerance, 0.0F);
  }
}

void energy(const CastBlock& __restrict cast, const SurfaceBlock& __restrict surface, std::uint32_t count,
            EnergyAngle angle, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float e = return_energy(angle, surface_of_lane(surface, i, {}));
    out[i] = math::select(cast.entity[i] != index(kNoEntity), e, kNan);
  }
}

void depth(const RayBlock& __restrict rays, const float* __restrict range_m, float* __restrict out) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const float start = rays.from_sensor_origin ? 0.0F : rays.ox[i];
    out[i] = math::select(range_m[i] < math::kInfinity, start + rays.dx[i] * range_m[i], math::kInfinity);
  }
}

/// A miss, as a hit so far away that only directions count.
constexpr float kFar = 1e18F;

/// Where the neighbours of a pixel are: `side` holds those of its own row, and columns count from the pixel's own.
/// A neighbour outside the image is replaced by another one, which changes no maximum.
struct Neighbourhood {
  EdgeRow side, above, below;
  std::ptrdiff_t left, middle, right;
};

/// Of the neighbours seen so far the one with the largest range.
struct Farthest {
  float range_m, dx, dy, dz;
};

FATHOM_KERNEL Farthest farther(const Farthest& best, const EdgeRow& row, std::ptrdiff_t q) {
  const float range = math::select(row.range_m[q] < kFar, row.range_m[q], kFar);
  const bool more = range > best.range_m;
  return {math::select(more, range, best.range_m), math::select(more, row.dx[q], best.dx),
          math::select(more, row.dy[q], best.dy), math::select(more, row.dz[q], best.dz)};
}

[[gnu::noinline]] void edge_angles_between(const EdgeRow& image_row, const Neighbourhood& around, std::ptrdiff_t begin,
                                           std::ptrdiff_t end, float* __restrict out) {
  const EdgeRow row = image_row;
  const Neighbourhood n = around;
  for (std::ptrdiff_t p = begin; p < end; ++p) {
    const float dx = row.dx[p], dy = row.dy[p], dz = row.dz[p];
    Farthest best = {-1.0F, dx, dy, dz};
    best = farther(farther(best, n.side, p + n.left), n.side, p + n.right);
    best = farther(farther(farther(best, n.above, p + n.left), n.above, p + n.middle), n.above, p + n.right);
    best = farther(farther(farther(best, n.below, p + n.left), n.below, p + n.middle), n.below, p + n.right);
    // In the plane of the two rays: the way to Q is (r_q cos - r_p) along the ray and r_q sin across.
    const float cx = dy * best.dz - dz * best.dy, cy = dz * best.dx - dx * best.dz, cz = dx * best.dy - dy * best.dx;
    const float cosine = dx * best.dx + dy * best.dy + dz * best.dz;
    const float sine = math::sqrt(cx * cx + cy * cy + cz * cz);
    out[p - begin] = math::atan2(best.range_m * sine, row.range_m[p] - best.range_m * cosine);
  }
}

void edge_angles(const EdgeRow& row, const EdgeRow* above, const EdgeRow* below, std::uint32_t cols,
                 std::uint32_t begin, std::uint32_t count, float* __restrict out) {
  const EdgeRow* other = above != nullptr ? above : below;
  if (cols == 1 && other == nullptr) {
    *out = 0.0F;  // a pixel without neighbours
    return;
  }
  const EdgeRow spare = other != nullptr ? *other : row;
  const std::ptrdiff_t last = std::ptrdiff_t{cols} - 1, first = begin, end = first + count;
  for (std::ptrdiff_t p = first; p < end;) {
    const std::ptrdiff_t left = p > 0 ? -1 : cols > 1 ? 1 : 0, right = p < last ? 1 : left;
    const std::ptrdiff_t stop = p > 0 && p < last ? std::min(end, last) : p + 1;  // the inside of a row at once
    const std::ptrdiff_t middle = other != nullptr ? 0 : left;
    const Neighbourhood around = {cols > 1 ? row : *other,
                                  above != nullptr ? *above : spare,
                                  below != nullptr ? *below : spare,
                                  left,
                                  middle,
                                  right};
    edge_angles_between(row, around, p, stop, out + (p - first));
    p = stop;
  }
}

}  // namespace

const SurfaceKernels kSurfaceKernels = {angles_at_emitter, angles, sight, energy, depth, edge_angles};

}  // namespace fathom::FATHOM_ISA
