// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "points/point_lanes.hpp"

namespace fathom::FATHOM_ISA {

namespace {

void load(const Affine& affine, const float* __restrict xyz, std::uint32_t count, PlaceLanes& __restrict before,
          ReturnBlock& __restrict b) {
  const Affine a = affine;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = xyz[3 * i], y = xyz[3 * i + 1], z = xyz[3 * i + 2];
    before.x[i] = static_cast<float>(a.m[0][0] * x + a.m[0][1] * y + a.m[0][2] * z + a.m[0][3]);
    before.y[i] = static_cast<float>(a.m[1][0] * x + a.m[1][1] * y + a.m[1][2] * z + a.m[1][3]);
    before.z[i] = static_cast<float>(a.m[2][0] * x + a.m[2][1] * y + a.m[2][2] * z + a.m[2][3]);
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

/// Adds what the model moved a point by, so that nothing is lost to the rounding of far-away coordinates.
void store(const Affine& affine, const float* __restrict xyz, const PlaceLanes& __restrict before,
           const ReturnBlock& __restrict b, std::uint32_t count, float* __restrict out) {
  const Affine a = affine;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = double{b.x[i]} - before.x[i], y = double{b.y[i]} - before.y[i], z = double{b.z[i]} - before.z[i];
    out[3 * i] = static_cast<float>(xyz[3 * i] + (a.m[0][0] * x + a.m[0][1] * y + a.m[0][2] * z));
    out[3 * i + 1] = static_cast<float>(xyz[3 * i + 1] + (a.m[1][0] * x + a.m[1][1] * y + a.m[1][2] * z));
    out[3 * i + 2] = static_cast<float>(xyz[3 * i + 2] + (a.m[2][0] * x + a.m[2][1] * y + a.m[2][2] * z));
  }
}

}  // namespace

const PointKernels kPointKernels = {load, store};

}  // namespace fathom::FATHOM_ISA
