// SPDX-License-Identifier: MIT
#pragma once
// How a surface lies to emitter, cameras and neighbouring pixels, and the intensity of a return (sensor/returns.hpp):
// the arithmetic for one ray, as ray_math.hpp.

#include <cstddef>
#include <cstdint>

#include <fathom/core/f32.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/noise/model.hpp>

#include "render/ray_math.hpp"

namespace fathom {

/// A camera of a rig: offset from the sensor's origin along the axes of the caster's coordinates.
struct CameraOffset {
  float x = 0, y = 0, z = 0;
};

/// The cameras of a sensor, ready for a frame.
struct RigView {
  bool apart = false;  ///< two cameras; else everything is seen from the emitter
  CameraOffset left, right;
  Optics optics;
};

/// Share of its way that a line of sight need not be clear: the resolution of single precision, for a surface seen
/// head-on and coordinates no larger than the distance; and the limit of this share for slanted or distant surfaces.
inline constexpr float kSightResolution = 8.0F * 0x1p-24F, kLoosestSight = 1e-3F;

/// A line of sight may pass this many surfaces of the entity itself; a point behind more stays blocked.
inline constexpr int kOwnSurfaces = 16;

FATHOM_KERNEL float size_of(float x) { return math::float_of(math::bits_of(x) & 0x7fffffffU); }
FATHOM_KERNEL float larger(float a, float b) { return math::select(a > b, a, b); }

/// That share for coordinates up to `coordinate` and the cosine of the angle to the normal, at most `loosest`. The
/// limit acts on the cosine, so that the quotient is never 0 / 0.
FATHOM_KERNEL float sight_resolution(float coordinate, float distance, float cosine, float loosest) {
  const float ratio = coordinate / distance, head_on = math::select(ratio > 1.0F, ratio, 1.0F) * kSightResolution;
  const float size = size_of(cosine), least = head_on / loosest;
  return head_on / math::select(least > size, least, size);
}

/// A line from a camera to a hit point; `clear`: the share of it that must be clear.
struct SightLine {
  float dx, dy, dz, clear;
};

/// Whether sight_line() reached its limit, so that a surface may seem to hide itself; with a margin for rounding.
constexpr bool is_coarse(float clear) { return clear < 1.0F - 0.99F * kLoosestSight; }

/// The largest coordinate of a camera at origin + c and of anything in the scene (`reach`).
FATHOM_KERNEL float eye_coordinate(const float* origin, const CameraOffset& c, float reach) {
  return larger(larger(larger(size_of(origin[0] + c.x), size_of(origin[1] + c.y)), size_of(origin[2] + c.z)), reach);
}

/// A line of sight with the resolution of single precision: eight roundings of the largest coordinate (a hit is
/// computed from the corners of its triangle), stretched by the slant of the surface; measured in
/// docs/depth-cameras.md. To the hit at `range` along d from `origin`; `eye`: eye_coordinate(); `cosine`: of the
/// camera.
FATHOM_KERNEL SightLine sight_line(const float* origin, const CameraOffset& c, float eye, const Triple& d, float range,
                                   float cosine) {
  const float px = d.x * range, py = d.y * range, pz = d.z * range;
  const float x = px - c.x, y = py - c.y, z = pz - c.z;
  const float distance = math::sqrt(x * x + y * y + z * z);
  const float coordinate = larger(
      larger(larger(size_of(origin[0] + px), size_of(origin[1] + py)), larger(size_of(origin[2] + pz), eye)), range);
  return {x, y, z, 1.0F - sight_resolution(coordinate, distance, cosine, kLoosestSight)};
}

/// The resolution of such a line without the limit of sight_line(), at most 0.1.
FATHOM_KERNEL float own_resolution_of(const float* eye, const SightLine& line, float reach, float cosine) {
  constexpr float kMost = 0.1F;
  const float way[3] = {line.dx, line.dy, line.dz};
  float coordinate = reach, square = 0.0F;
  for (int k = 0; k < 3; ++k) {
    coordinate = larger(larger(size_of(eye[k]), size_of(eye[k] + way[k])), coordinate);
    square += way[k] * way[k];
  }
  return sight_resolution(coordinate, math::sqrt(square), cosine, kMost);
}

/// Fills the cosines of a surface that the ray along d met at `range` with normal n; seen only from the emitter.
FATHOM_KERNEL void set_angles_at_emitter(const Triple& d, const Triple& n, Surface& out) {
  const float c = -(d.x * n.x + d.y * n.y + d.z * n.z);
  out.cos_emitter = c, out.cos_left = c, out.cos_right = c;
  out.left_to_emitter = 1.0F, out.right_to_emitter = 1.0F;
}
/// The same with two cameras.
FATHOM_KERNEL void set_angles(const Triple& d, const Triple& n, float range, const CameraOffset& l,
                              const CameraOffset& r, Surface& out) {
  out.cos_emitter = -(d.x * n.x + d.y * n.y + d.z * n.z);
  const float lx = l.x - d.x * range, ly = l.y - d.y * range, lz = l.z - d.z * range;
  const float rx = r.x - d.x * range, ry = r.y - d.y * range, rz = r.z - d.z * range;
  const float l_scale = 1.0F / math::sqrt(lx * lx + ly * ly + lz * lz);
  const float r_scale = 1.0F / math::sqrt(rx * rx + ry * ry + rz * rz);
  out.cos_left = (lx * n.x + ly * n.y + lz * n.z) * l_scale;
  out.cos_right = (rx * n.x + ry * n.y + rz * n.z) * r_scale;
  out.left_to_emitter = -(lx * d.x + ly * d.y + lz * d.z) * l_scale;
  out.right_to_emitter = -(rx * d.x + ry * d.y + rz * d.z) * r_scale;
}

/// Pixels of one row of an image, for the angles of edges. Arrays start at the first pixel of the row and reach over
/// `cols`; range +inf is a miss.
struct EdgeRow {
  const float *dx, *dy, *dz, *range_m;
};

/// Normals of the surfaces that these pixels show, in the frame of their directions.
struct EdgeNormals {
  const float *nx, *ny, *nz;
};

/// A miss, as a hit so far away that only directions count.
inline constexpr float kFarEdge = 1e18F;

/// Places of the neighbours of a pixel: `side` is the pixel's own row, and columns count from the pixel. A neighbour
/// outside the image is replaced by another one, which changes no maximum.
struct Neighbourhood {
  EdgeRow side, above, below;
  std::ptrdiff_t left, middle, right;
};

/// Of pixel p of a row; `above`, `below`: null outside the image. The image has at least two pixels.
FATHOM_KERNEL Neighbourhood neighbourhood_of(const EdgeRow& row, const EdgeRow* above, const EdgeRow* below,
                                             std::uint32_t cols, std::ptrdiff_t p) {
  const EdgeRow* other = above != nullptr ? above : below;
  const EdgeRow spare = other != nullptr ? *other : row;
  const std::ptrdiff_t left = p > 0 ? -1 : cols > 1 ? 1 : 0, right = p < std::ptrdiff_t{cols} - 1 ? 1 : left;
  return {cols > 1 ? row : spare,
          above != nullptr ? *above : spare,
          below != nullptr ? *below : spare,
          left,
          other != nullptr ? 0 : left,
          right};
}

/// The neighbour with the largest range so far.
struct Farthest {
  float range_m, dx, dy, dz;
};

FATHOM_KERNEL Farthest farther(const Farthest& best, const EdgeRow& row, std::ptrdiff_t q) {
  const float range = math::select(row.range_m[q] < kFarEdge, row.range_m[q], kFarEdge);
  const bool more = range > best.range_m;
  return {math::select(more, range, best.range_m), math::select(more, row.dx[q], best.dx),
          math::select(more, row.dy[q], best.dy), math::select(more, row.dz[q], best.dz)};
}

/// The angle at the hit at `range` along d between the ways to the camera and to the hit at `best`.
FATHOM_KERNEL float angle_to(const Triple& d, float range, const Farthest& best) {
  // In the plane of the two rays: the way to Q is (r_q cos - r_p) along the ray and r_q sin across.
  const float cx = d.y * best.dz - d.z * best.dy, cy = d.z * best.dx - d.x * best.dz,
              cz = d.x * best.dy - d.y * best.dx;
  const float cosine = d.x * best.dx + d.y * best.dy + d.z * best.dz;
  const float sine = math::sqrt(cx * cx + cy * cy + cz * cz);
  return math::atan2(best.range_m * sine, range - best.range_m * cosine);
}

/// The angle at the edge of a step (Surface::edge_rad), of pixel p of a row.
FATHOM_KERNEL float edge_angle(const EdgeRow& row, const Neighbourhood& n, std::ptrdiff_t p) {
  const float dx = row.dx[p], dy = row.dy[p], dz = row.dz[p];
  Farthest best = {-1.0F, dx, dy, dz};
  best = farther(farther(best, n.side, p + n.left), n.side, p + n.right);
  best = farther(farther(farther(best, n.above, p + n.left), n.above, p + n.middle), n.above, p + n.right);
  best = farther(farther(farther(best, n.below, p + n.left), n.below, p + n.middle), n.below, p + n.right);
  return angle_to({dx, dy, dz}, row.range_m[p], best);
}

/// Surface::jump and jump_rad.
struct Jump {
  float excess, angle_rad;
};

/// The neighbour so far with the largest ratio of its range to the range of the tangent plane.
struct Behind {
  float ratio;
  Farthest at;
};

/// `n`: the normal of the tangent plane; `distance`: of the plane, as n . x.
FATHOM_KERNEL Behind more_behind(const Behind& best, const Triple& n, float distance, const EdgeRow& row,
                                 std::ptrdiff_t q) {
  const float range = math::select(row.range_m[q] < kFarEdge, row.range_m[q], kFarEdge);
  const float ratio = range * (n.x * row.dx[q] + n.y * row.dy[q] + n.z * row.dz[q]) / distance;
  const bool more = ratio > best.ratio;
  return {math::select(more, ratio, best.ratio),
          {math::select(more, range, best.at.range_m), math::select(more, row.dx[q], best.at.dx),
           math::select(more, row.dy[q], best.at.dy), math::select(more, row.dz[q], best.at.dz)}};
}

/// The jump behind the tangent plane of pixel p of a row. A ray that never meets the plane is no jump.
FATHOM_KERNEL Jump edge_jump(const EdgeRow& row, const EdgeNormals& normals, const Neighbourhood& n, std::ptrdiff_t p) {
  const Triple d = {row.dx[p], row.dy[p], row.dz[p]}, up = {normals.nx[p], normals.ny[p], normals.nz[p]};
  const float distance = row.range_m[p] * (up.x * d.x + up.y * d.y + up.z * d.z);
  const auto next = [&](const Behind& best, const EdgeRow& other, std::ptrdiff_t q) __attribute__((always_inline)) {
    return more_behind(best, up, distance, other, p + q);
  };
  Behind best = {0.0F, {0.0F, d.x, d.y, d.z}};
  best = next(next(best, n.side, n.left), n.side, n.right);
  best = next(next(next(best, n.above, n.left), n.above, n.middle), n.above, n.right);
  best = next(next(next(best, n.below, n.left), n.below, n.middle), n.below, n.right);
  return {best.ratio - 1.0F, angle_to(d, row.range_m[p], best.at)};
}

/// The inverse rotation of `p`, for instance of a normal into the sensor frame.
FATHOM_KERNEL Triple turned_back(const Rigid& p, float x, float y, float z) {
  return {p.r[0] * x + p.r[3] * y + p.r[6] * z, p.r[1] * x + p.r[4] * y + p.r[7] * z,
          p.r[2] * x + p.r[5] * y + p.r[8] * z};
}

/// How the surface of an entity sends light back.
struct SurfaceLaw {
  enum class Kind : std::uint32_t { kCosine, kTable, kRetro };
  Kind kind = Kind::kCosine;
  std::uint32_t first = 0, count = 0;  ///< entries of the tables
  float gain = 0.0F, width_rad = 1.0F;
};

/// An entry of a table.
struct LawEntry {
  float angle_rad, value;
};

/// The surfaces of a scene.
struct SurfaceView {
  const float* reflectivity;  ///< [entities]
  const SurfaceLaw* laws;     ///< [entities]; null: the cosine for all
  const LawEntry* tables;     ///< the tables of all laws, one after the other
};

/// Linear between the entries, and constant outside them; `count`: at least 2.
FATHOM_KERNEL float table_value(const LawEntry* table, std::uint32_t count, float angle) {
  if (!(angle > table[0].angle_rad)) return table[0].value;
  for (std::uint32_t i = 1; i < count; ++i) {
    const LawEntry a = table[i - 1], b = table[i];
    if (angle < b.angle_rad) {
      return a.value + (b.value - a.value) * ((angle - a.angle_rad) / (b.angle_rad - a.angle_rad));
    }
  }
  return table[count - 1].value;
}

/// The law of a surface struck along d; n: its normal, turned against d.
FATHOM_KERNEL float law_value(const SurfaceLaw& law, const LawEntry* tables, const Triple& d, const Triple& n) {
  const Incidence found = incidence_of(d, n);
  if (law.kind == SurfaceLaw::Kind::kTable) return table_value(tables + law.first, law.count, found.angle);
  if (law.kind == SurfaceLaw::Kind::kCosine) return found.cosine;
  const double ratio = double{found.angle} / double{law.width_rad};
  return found.cosine + law.gain * static_cast<float>(math::exp(-ratio * ratio));
}

/// Intensity of the surface of `entity`, which the ray along d met at this range. `reference_m`: of the sensor's
/// falloff, 0 without.
FATHOM_KERNEL float intensity_of(const SurfaceView& surfaces, float reference_m, std::uint32_t entity, const Triple& d,
                                 const Triple& n, float range_m) {
  const float back = surfaces.laws == nullptr ? -(d.x * n.x + d.y * n.y + d.z * n.z)
                                              : law_value(surfaces.laws[entity], surfaces.tables, d, n);
  const float intensity = back * surfaces.reflectivity[entity];
  return reference_m > 0.0F ? intensity * falloff_at(range_m, reference_m) : intensity;
}

}  // namespace fathom
