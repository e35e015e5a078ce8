// Compiled once per instruction set, FATHOM_ISA naming it. Packets of rays walk side by side, because one
// alone would wait for its gathers.

#include "cast/grid2d/grid_kernels.hpp"

#include <algorithm>

#include "cast/grid2d/lanes.hpp"

namespace fathom::FATHOM_ISA {

namespace {

constexpr std::size_t kPackets = 2;
constexpr std::size_t kBlock = 1024;
static_assert(kBlock % (kLanes * kPackets) == 0);

/// Rays of a block in grid coordinates, mirrored so that they run towards larger x and y.
struct alignas(64) Rays {
  float px[kBlock], py[kBlock];                 ///< origin within its cell, [0, 1]
  float dx[kBlock], dy[kBlock];                 ///< direction, >= 0
  std::int32_t base[kBlock];                    ///< offset of the origin's cell, plane included
  std::int32_t flip_x[kBlock], flip_y[kBlock];  ///< all bits set where mirrored
  float t[kBlock];                              ///< result, cells
  std::int32_t doubt[kBlock];                   ///< not 0: walk again in double
};

struct Packet {
  Floats px, py, dx, dy, inverse_dx, inverse_dy, margin, t;
  Ints base, flip_x, flip_y, i, j, code, active, doubt;
};

template <class V>
FATHOM_KERNEL void load(V& to, const void* from) {
  __builtin_memcpy(&to, from, sizeof to);
}

FATHOM_KERNEL void start(Packet& p, const Rays& rays, std::size_t first) {
  load(p.px, rays.px + first), load(p.py, rays.py + first);
  load(p.dx, rays.dx + first), load(p.dy, rays.dy + first);
  load(p.base, rays.base + first), load(p.flip_x, rays.flip_x + first), load(p.flip_y, rays.flip_y + first);
  p.inverse_dx = 1.0F / p.dx;
  p.inverse_dy = 1.0F / p.dy;
  // Rounding of the origin, 2^-25 cells, leans with the steeper slope; the rest grows with the distance (see jump).
  const Floats slope_x = p.dx * p.inverse_dy, slope_y = p.dy * p.inverse_dx;
  p.margin = 2e-7F + 4e-8F * (slope_x > slope_y ? slope_x : slope_y);
  p.margin = p.margin < 0.01F ? p.margin : Floats{} + 0.01F;
  p.t = Floats{};
  p.i = p.j = p.doubt = Ints{};
  p.active = ~Ints{};
}

/// One jump of every ray that still runs.
FATHOM_KERNEL void jump(Packet& p, const SkipField& field, float t_max) {
  Ints word;
  const Ints offset =
      p.base + ((p.i ^ p.flip_x) - p.flip_x) + ((p.j ^ p.flip_y) - p.flip_y) * static_cast<std::int32_t>(field.stride);
  gather_words(field.bytes.data(), offset, word);
  p.code = word & 0xff;
  const Ints side = word & kSideMask;
  p.active = (side != 0) & (p.t < t_max);
  const Ints end_i = p.i + side, end_j = p.j + side;
  const Floats tx = (__builtin_convertvector(end_i, Floats) - p.px) * p.inverse_dx;
  const Floats ty = (__builtin_convertvector(end_j, Floats) - p.py) * p.inverse_dy;
  const Ints exit_x = tx < ty;
  const Floats t = exit_x ? tx : ty;
  // Where the ray leaves through a side of the square, the other coordinate is rounded down, within the square.
  const Floats across = exit_x ? p.py + t * p.dy : p.px + t * p.dx;
  Ints cell = __builtin_convertvector(across, Ints);
  const Ints low = exit_x ? p.j : p.i;
  const Ints last = low + side - 1;
  const Floats rest = across - __builtin_convertvector(cell, Floats);
  const Floats margin = 4e-7F * across + p.margin;
  p.doubt |= p.active & ((rest < margin) | (rest > 1.0F - margin));
  cell = cell > last ? last : cell;
  cell = cell < low ? low : cell;
  const Ints next_i = exit_x ? end_i : cell, next_j = exit_x ? cell : end_j;
  p.i = p.active ? next_i : p.i;
  p.j = p.active ? next_j : p.j;
  p.t = p.active ? t : p.t;
}

FATHOM_KERNEL void finish(const Packet& p, Rays& rays, std::size_t first, float t_max) {
  const Floats missed = Floats{} + t_max;
  const Floats t = ((p.code == kStopHit) & (p.t < t_max)) ? p.t : missed;
  __builtin_memcpy(rays.t + first, &t, sizeof t);
  __builtin_memcpy(rays.doubt + first, &p.doubt, sizeof p.doubt);
}

[[gnu::noinline]] void walk_block(const SkipField& field, Rays& rays, std::size_t count, float t_max) {
  for (std::size_t first = 0; first < count; first += kLanes * kPackets) {
    Packet packets[kPackets];
    for (std::size_t p = 0; p < kPackets; ++p) start(packets[p], rays, first + p * kLanes);
    Ints active;
    do {
      active = Ints{};
#pragma GCC unroll 4
      for (std::size_t p = 0; p < kPackets; ++p) {
        jump(packets[p], field, t_max);
        active |= packets[p].active;
      }
    } while (any(active));
    for (std::size_t p = 0; p < kPackets; ++p) finish(packets[p], rays, first + p * kLanes, t_max);
  }
}

/// Appends beams [begin, end) of a pose at `at`.
[[gnu::noinline]] void set_up(const SkipField& field, const GridPose& pose, const FanView& fan, std::size_t begin,
                              std::size_t end, Rays& rays, std::size_t at) {
  const auto fx = static_cast<float>(pose.x - pose.cell_x), fy = static_cast<float>(pose.y - pose.cell_y);
  // Rounding may carry the fraction to 1, which an axis-parallel ray must not see: it would divide 0 by 0.
  const float safe_fx = std::min(fx, 1.0F - 0x1p-24F), safe_fy = std::min(fy, 1.0F - 0x1p-24F);
  const std::int32_t cell = field.cell(pose.cell_x, pose.cell_y);
  const auto plane = static_cast<std::int32_t>(field.plane_bytes);
  const double r0 = pose.r[0], r1 = pose.r[1], r2 = pose.r[2], r3 = pose.r[3], r4 = pose.r[4], r5 = pose.r[5];
  const std::size_t count = end - begin;
  const float* __restrict bx = fan.x + begin;
  const float* __restrict by = fan.y + begin;
  const float* __restrict bz = fan.z + begin;
  Rays& __restrict out = rays;
  for (std::size_t k = 0; k < count; ++k) {
    const auto dx = static_cast<float>(r0 * bx[k] + r1 * by[k] + r2 * bz[k]);
    const auto dy = static_cast<float>(r3 * bx[k] + r4 * by[k] + r5 * bz[k]);
    const std::int32_t flip_x = -static_cast<std::int32_t>(dx < 0.0F), flip_y = -static_cast<std::int32_t>(dy < 0.0F);
    out.dx[at + k] = dx < 0.0F ? -dx : dx + 0.0F;
    out.dy[at + k] = dy < 0.0F ? -dy : dy + 0.0F;
    out.px[at + k] = dx < 0.0F ? 1.0F - safe_fx : safe_fx;
    out.py[at + k] = dy < 0.0F ? 1.0F - safe_fy : safe_fy;
    out.flip_x[at + k] = flip_x;
    out.flip_y[at + k] = flip_y;
    out.base[at + k] = cell + (flip_x & plane) + (flip_y & (2 * plane));
  }
}

double walk_again(const SkipField& field, const GridPose& pose, const FanView& fan, std::size_t k, double t_max) {
  const double dx = pose.r[0] * fan.x[k] + pose.r[1] * fan.y[k] + pose.r[2] * fan.z[k];
  const double dy = pose.r[3] * fan.x[k] + pose.r[4] * fan.y[k] + pose.r[5] * fan.z[k];
  return walk_squares(field, pose, dx, dy, t_max);
}

void cast(const SkipField& field, const GridPose* poses, std::size_t pose_count, const FanView& fan,
          double resolution_m, float max_range_m, float* range_m) {
  Rays rays;
  const std::size_t total = pose_count * fan.beams;
  const double t_max = max_range_m / resolution_m;
  const auto scale = static_cast<float>(resolution_m);
  for (std::size_t first = 0; first < total; first += kBlock) {
    const std::size_t count = std::min(kBlock, total - first);
    const std::size_t padded = (count + kLanes * kPackets - 1) / (kLanes * kPackets) * kLanes * kPackets;
    for (std::size_t at = 0; at < count;) {
      const std::size_t k = (first + at) % fan.beams;
      const std::size_t end = std::min(fan.beams, k + count - at);
      set_up(field, poses[(first + at) / fan.beams], fan, k, end, rays, at);
      at += end - k;
    }
    for (std::size_t at = count; at < padded; ++at) {  // lanes left over run with the last ray
      rays.px[at] = rays.px[count - 1], rays.py[at] = rays.py[count - 1];
      rays.dx[at] = rays.dx[count - 1], rays.dy[at] = rays.dy[count - 1];
      rays.base[at] = rays.base[count - 1];
      rays.flip_x[at] = rays.flip_x[count - 1], rays.flip_y[at] = rays.flip_y[count - 1];
    }
    walk_block(field, rays, padded, static_cast<float>(t_max));
    for (std::size_t at = 0; at < count; ++at) {
      range_m[first + at] = std::min(rays.t[at] * scale, max_range_m);
    }
    for (std::size_t at = 0; at < count; ++at) {
      if (rays.doubt[at] == 0) continue;
      const double t = walk_again(field, poses[(first + at) / fan.beams], fan, (first + at) % fan.beams, t_max);
      range_m[first + at] = std::min(static_cast<float>(t * resolution_m), max_range_m);
    }
  }
}

}  // namespace

const GridKernel kGridKernel = &cast;

}  // namespace fathom::FATHOM_ISA
