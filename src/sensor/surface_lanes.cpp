// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "sensor/surface_lanes.hpp"

#include <algorithm>

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
    const float slant =
        larger(larger(1.0F, coordinate / distance) * kSightResolution / kLoosestSight, size_of(cosine[i]));
    // slant >= resolution / loosest keeps the quotient at or below the loosest tolerance, and away from 0 / 0.
    const float tolerance = larger(1.0F, coordinate / distance) * kSightResolution / slant;
    out.dx[i] = x, out.dy[i] = y, out.dz[i] = z;
    out.clear[i] = math::select(returns.reason[i] == kHitLane, 1.0F - tolerance, 0.0F);
  }
}

void energy(const CastBlock& __restrict cast, const SurfaceBlock& __restrict surface, std::uint32_t count,
            EnergyAngle angle, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float e = return_energy(angle, surface_of_lane(surface, i, {}));
    out[i] = math::select(cast.entity[i] != kNoEntity, e, kNan);
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

/// Keeps, per lane, the neighbour with the largest range so far.
struct Steepest {
  float range_m = -1.0F, cosine = 1.0F, sine = 0.0F;
};

FATHOM_KERNEL Steepest steeper(const Steepest& best, const EdgeRow& row, std::size_t p, const EdgeRow& other,
                               std::size_t q, bool exists) {
  const float range = math::select(other.range_m[q] < kFar, other.range_m[q], kFar);
  const float cx = row.dy[p] * other.dz[q] - row.dz[p] * other.dy[q];
  const float cy = row.dz[p] * other.dx[q] - row.dx[p] * other.dz[q];
  const float cz = row.dx[p] * other.dy[q] - row.dy[p] * other.dx[q];
  const float cosine = row.dx[p] * other.dx[q] + row.dy[p] * other.dy[q] + row.dz[p] * other.dz[q];
  const bool more = exists & (range > best.range_m);
  return {math::select(more, range, best.range_m), math::select(more, cosine, best.cosine),
          math::select(more, math::sqrt(cx * cx + cy * cy + cz * cz), best.sine)};
}

void edge_angles(const EdgeRow& row, const EdgeRow* above, const EdgeRow* below, std::uint32_t cols,
                 std::uint32_t begin, std::uint32_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t p = begin + i;
    const bool has_left = p > 0, has_right = p + 1 < cols, has_up = above != nullptr, has_down = below != nullptr;
    const std::size_t left = has_left ? p - 1 : p, right = has_right ? p + 1 : p;
    const EdgeRow& up = above != nullptr ? *above : row;
    const EdgeRow& down = below != nullptr ? *below : row;
    Steepest best;
    best = steeper(best, row, p, row, left, has_left);
    best = steeper(best, row, p, row, right, has_right);
    best = steeper(best, row, p, up, left, has_up & has_left);
    best = steeper(best, row, p, up, p, has_up);
    best = steeper(best, row, p, up, right, has_up & has_right);
    best = steeper(best, row, p, down, left, has_down & has_left);
    best = steeper(best, row, p, down, p, has_down);
    best = steeper(best, row, p, down, right, has_down & has_right);
    // In the plane of the two rays: the way to Q is (r_q cos - r_p) along the ray and r_q sin across.
    out[i] = math::atan2(best.range_m * best.sine, row.range_m[p] - best.range_m * best.cosine);
  }
}

}  // namespace

const SurfaceKernels kSurfaceKernels = {angles_at_emitter, angles, sight, energy, depth, edge_angles};

}  // namespace fathom::FATHOM_ISA
