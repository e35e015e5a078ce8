// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it. Rays walk in packets: two side by side, because one alone
// would wait for its gathers, and with lanes that take the next ray when theirs has ended, because the longest walk of
// a packet has three to four times the jumps of the mean one.

#include "grid/kernels.hpp"

#include <algorithm>
#include <bit>

#include "grid/lanes.hpp"

namespace fathom::FATHOM_ISA {

namespace {

constexpr std::size_t kPackets = 2;
constexpr std::size_t kBlock = 512;
constexpr std::size_t kRoom = kBlock + kLanes;  // lanes read whole registers, also at the end of a block
constexpr int kIdleLanes = kLanes / 2;          // as many must have ended before they take new rays

/// Rays of a block in grid coordinates, mirrored so that they run towards larger x and y.
struct alignas(64) Rays {
  float px[kRoom], py[kRoom];  ///< origin within its cell, [0, 1]
  float dx[kRoom], dy[kRoom];  ///< direction, >= 0
  float inverse_dx[kRoom], inverse_dy[kRoom];
  float margin[kRoom];        ///< what rounding of the origin and the slope may amount to, cells
  std::int32_t base[kRoom];   ///< offset of the origin's cell
  float t[kRoom];             ///< result, cells
  std::int32_t doubt[kRoom];  ///< not 0: walk again in double
};

struct Packet {
  Floats px, py, dx, dy, inverse_dx, inverse_dy, margin, t;
  Ints base, i, j, code, active, doubt;
  Ints id;  // of the rays, in their block
};

/// Writes the results of the lanes that have ended, `idle` by bits.
FATHOM_KERNEL void retire(const Packet& p, std::uint32_t idle, float t_max, Rays& rays) {
  const Floats missed = Floats{} + t_max;
  const Floats t = ((p.code == kStopHit) & (p.t < t_max)) ? p.t : missed;
  for (; idle != 0; idle &= idle - 1) {
    const int lane = std::countr_zero(idle);
    rays.t[p.id[lane]] = t[lane];
    rays.doubt[p.id[lane]] = p.doubt[lane];
  }
}

/// Lanes that have ended take rays next, next + 1, ...; returns how many.
FATHOM_KERNEL std::size_t refill(Packet& p, std::uint32_t idle_bits, const Rays& rays, std::size_t next) {
  const Ints idle = ~p.active;
  expand(p.px, idle, idle_bits, rays.px + next), expand(p.py, idle, idle_bits, rays.py + next);
  expand(p.dx, idle, idle_bits, rays.dx + next), expand(p.dy, idle, idle_bits, rays.dy + next);
  expand(p.inverse_dx, idle, idle_bits, rays.inverse_dx + next);
  expand(p.inverse_dy, idle, idle_bits, rays.inverse_dy + next);
  expand(p.margin, idle, idle_bits, rays.margin + next);
  expand(p.base, idle, idle_bits, rays.base + next);
  Ints ids;
  for (std::size_t lane = 0; lane < kLanes; ++lane) ids[lane] = static_cast<std::int32_t>(next + lane);
  expand(p.id, idle, idle_bits, &ids);
  p.t = idle ? Floats{} : p.t;
  p.i &= p.active, p.j &= p.active, p.doubt &= p.active;
  p.active = ~Ints{};
  return static_cast<std::size_t>(std::popcount(idle_bits));
}

/// One jump of every ray that still runs.
FATHOM_KERNEL void jump(Packet& p, const SkipField& field, float t_max) {
  gather(field.codes.data(), p.base + p.i + p.j * static_cast<std::int32_t>(field.stride), p.code);
  const Ints across = p.code & 0xff, up = p.code >> 8;
  p.active = (across != 0) & (p.t < t_max);
  const Ints end_i = p.i + across, end_j = p.j + up;
  const Floats tx = (__builtin_convertvector(end_i, Floats) - p.px) * p.inverse_dx;
  const Floats ty = (__builtin_convertvector(end_j, Floats) - p.py) * p.inverse_dy;
  const Ints exit_x = tx < ty;
  const Floats t = exit_x ? tx : ty;
  // Where the ray leaves through a side of the rectangle, the other coordinate is rounded down. It never falls, or two
  // cells at a corner might hand the ray to and fro for ever. Beyond the rectangle it is by one cell at most, near a
  // corner, where the ray is in doubt.
  const Floats other = exit_x ? p.py + t * p.dy : p.px + t * p.dx;
  const Ints low = exit_x ? p.j : p.i;
  Ints cell = __builtin_convertvector(other, Ints);
  const Floats rest = other - __builtin_convertvector(cell, Floats);
  const Floats margin = 4e-7F * other + p.margin;
  p.doubt |= p.active & ((rest < margin) | (rest > 1.0F - margin));
  cell = cell < low ? low : cell;
  const Ints next_i = exit_x ? end_i : cell, next_j = exit_x ? cell : end_j;
  p.i = p.active ? next_i : p.i;
  p.j = p.active ? next_j : p.j;
  p.t = p.active ? t : p.t;
}

/// kRoom - kBlock copies of some ray follow the last of `count`.
[[gnu::noinline]] void walk_block(const SkipField& field, Rays& rays, std::size_t count, float t_max) {
  constexpr std::uint32_t kAll = (1ULL << kLanes) - 1;
  Packet packets[kPackets] = {};
  std::size_t next = 0;
  for (Packet& p : packets) {
    p.id += static_cast<std::int32_t>(count);  // what has no ray writes behind the results
    if (next < count) next += refill(p, kAll, rays, next);
  }
  for (bool runs = true; runs;) {
    runs = false;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kPackets; ++k) {
      Packet& p = packets[k];
      jump(p, field, t_max);
      const std::uint32_t idle = kAll & ~lane_bits(p.active);
      runs |= idle != kAll;
      if (std::popcount(idle) < kIdleLanes || next >= count) continue;
      retire(p, idle, t_max, rays);
      next += refill(p, idle, rays, next);
      runs = true;
    }
  }
  for (const Packet& p : packets) retire(p, kAll, t_max, rays);
}

/// Appends rays [begin, end) of a pose at `at`.
[[gnu::noinline]] void set_up(const SkipField& field, const GridPose& pose, const FanView& fan, std::size_t begin,
                              std::size_t end, Rays& rays, std::size_t at) {
  const auto fx = static_cast<float>(pose.x - pose.cell_x), fy = static_cast<float>(pose.y - pose.cell_y);
  // Rounding may carry the fraction to 1, which an axis-parallel ray must not see: it would divide 0 by 0.
  const float safe_fx = std::min(fx, 1.0F - 0x1p-24F), safe_fy = std::min(fy, 1.0F - 0x1p-24F);
  const std::int32_t ahead = field.cell(pose.cell_x, pose.cell_y), left = field.cell(pose.cell_x, pose.cell_y, true);
  const std::int32_t down = field.cell(pose.cell_x, pose.cell_y, false, true) - ahead;
  const double r0 = pose.r[0], r1 = pose.r[1], r2 = pose.r[2], r3 = pose.r[3], r4 = pose.r[4], r5 = pose.r[5];
  const std::size_t count = end - begin;
  const float* __restrict bx = fan.x + begin;
  const float* __restrict by = fan.y + begin;
  const float* __restrict bz = fan.z + begin;
  Rays& __restrict out = rays;
  for (std::size_t k = 0; k < count; ++k) {
    const auto dx = static_cast<float>(r0 * bx[k] + r1 * by[k] + r2 * bz[k]);
    const auto dy = static_cast<float>(r3 * bx[k] + r4 * by[k] + r5 * bz[k]);
    const float ax = dx < 0.0F ? -dx : dx + 0.0F, ay = dy < 0.0F ? -dy : dy + 0.0F;
    const float inverse_x = 1.0F / ax, inverse_y = 1.0F / ay;
    // Rounding of the origin, 2^-25 cells, leans with the steeper slope; the rest grows with the distance (see jump).
    const float slope_x = ax * inverse_y, slope_y = ay * inverse_x;
    const float margin = 2e-7F + 4e-8F * (slope_x > slope_y ? slope_x : slope_y);
    out.dx[at + k] = ax, out.dy[at + k] = ay;
    out.inverse_dx[at + k] = inverse_x, out.inverse_dy[at + k] = inverse_y;
    out.margin[at + k] = margin < 0.01F ? margin : 0.01F;
    out.px[at + k] = dx < 0.0F ? 1.0F - safe_fx : safe_fx;
    out.py[at + k] = dy < 0.0F ? 1.0F - safe_fy : safe_fy;
    out.base[at + k] = (dx < 0.0F ? left : ahead) + (dy < 0.0F ? down : 0);  // mirrored across and up on their own
  }
}

/// Whole registers are read, so copies of the last ray follow it.
void fill_up(Rays& rays, std::size_t count) {
  const auto repeat = [count](auto* values) { std::fill_n(values + count, kLanes, values[count - 1]); };
  for (float* values : {rays.px, rays.py, rays.dx, rays.dy, rays.inverse_dx, rays.inverse_dy, rays.margin})
    repeat(values);
  repeat(rays.base);
}

double walk_again(const SkipField& field, const GridPose& pose, const FanView& fan, std::size_t k, double t_max) {
  const double dx = pose.r[0] * fan.x[k] + pose.r[1] * fan.y[k] + pose.r[2] * fan.z[k];
  const double dy = pose.r[3] * fan.x[k] + pose.r[4] * fan.y[k] + pose.r[5] * fan.z[k];
  return walk_rectangles(field, pose, dx, dy, t_max);
}

void cast(const SkipField& field, const GridPose* poses, std::size_t pose_count, const FanView& fan,
          double resolution_m, float max_range_m, float* range_m) {
  Rays rays;
  const std::size_t total = pose_count * fan.rays;
  const double t_max = max_range_m / resolution_m;
  const auto scale = static_cast<float>(resolution_m);
  for (std::size_t first = 0; first < total; first += kBlock) {
    const std::size_t count = std::min(kBlock, total - first);
    for (std::size_t at = 0; at < count;) {
      const std::size_t k = (first + at) % fan.rays;
      const std::size_t end = std::min(fan.rays, k + count - at);
      set_up(field, poses[(first + at) / fan.rays], fan, k, end, rays, at);
      at += end - k;
    }
    fill_up(rays, count);
    walk_block(field, rays, count, static_cast<float>(t_max));
    for (std::size_t at = 0; at < count; ++at) {
      range_m[first + at] = std::min(rays.t[at] * scale, max_range_m);
    }
    for (std::size_t at = 0; at < count; ++at) {
      if (rays.doubt[at] == 0) continue;
      const double t = walk_again(field, poses[(first + at) / fan.rays], fan, (first + at) % fan.rays, t_max);
      range_m[first + at] = std::min(static_cast<float>(t * resolution_m), max_range_m);
    }
  }
}

}  // namespace

const GridKernel kGridKernel = &cast;

}  // namespace fathom::FATHOM_ISA
