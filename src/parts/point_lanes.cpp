// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "parts/point_lanes.hpp"

namespace fathom::FATHOM_ISA {

namespace {

/// The linear part of a map in single precision: 16 lanes instead of 8. Displacements, and places relative to the
/// sensor, are rounded to single precision anyway.
struct Turn {
  float m[3][3];
};

FATHOM_KERNEL Turn turn_of(const Affine& a) {
  Turn t;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) t.m[r][c] = static_cast<float>(a.m[r][c]);
  }
  return t;
}

FATHOM_KERNEL float row(const Turn& t, int r, float x, float y, float z) {
  return t.m[r][0] * x + t.m[r][1] * y + t.m[r][2] * z;
}

/// a - b, where b may be far away and is given by two floats.
FATHOM_KERNEL float minus(float a, const float (&b)[2]) { return (a - b[0]) - b[1]; }

void load(const SensorPlace& place, const float* __restrict xyz, std::uint32_t count, PlaceLanes& __restrict before,
          ReturnBlock& __restrict b) {
  const Turn turn = turn_of(place.sensor_from_world);
  float origin[3][2];
  for (int r = 0; r < 3; ++r) {
    const double at = place.world_from_sensor.m[r][3];
    origin[r][0] = static_cast<float>(at);
    origin[r][1] = static_cast<float>(at - double{origin[r][0]});
  }
  for (std::size_t i = 0; i < count; ++i) {
    const float x = minus(xyz[3 * i], origin[0]), y = minus(xyz[3 * i + 1], origin[1]),
                z = minus(xyz[3 * i + 2], origin[2]);
    before.x[i] = row(turn, 0, x, y, z), before.y[i] = row(turn, 1, x, y, z), before.z[i] = row(turn, 2, x, y, z);
  }
  for (std::size_t i = count; i < b.count; ++i) before.x[i] = before.y[i] = before.z[i] = 0.0F;  // padding
  for (std::size_t i = 0; i < b.count; ++i) {
    const float x = before.x[i], y = before.y[i], z = before.z[i];
    b.x[i] = x, b.y[i] = y, b.z[i] = z;
    b.radius_m[i] = math::sqrt(x * x + y * y + z * z);
    b.range_m[i] = b.radius_m[i];
    b.reason[i] = static_cast<std::uint32_t>(Reason::kHit);
  }
}

/// Adds the displacement of a point to its old place: the rounding of far-away coordinates enters once.
void store(const SensorPlace& place, const float* __restrict xyz, const PlaceLanes& __restrict before,
           const ReturnBlock& __restrict b, std::uint32_t count, float* __restrict out) {
  const Turn turn = turn_of(place.world_from_sensor);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = b.x[i] - before.x[i], y = b.y[i] - before.y[i], z = b.z[i] - before.z[i];
    out[3 * i] = xyz[3 * i] + row(turn, 0, x, y, z);
    out[3 * i + 1] = xyz[3 * i + 1] + row(turn, 1, x, y, z);
    out[3 * i + 2] = xyz[3 * i + 2] + row(turn, 2, x, y, z);
  }
}

}  // namespace

const PointKernels kPointKernels = {load, store};

}  // namespace fathom::FATHOM_ISA
