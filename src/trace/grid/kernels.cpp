// SPDX-License-Identifier: MIT
// Compiled once per instruction set, which FATHOM_ISA names. Rays walk in packets: two in parallel, because one would
// wait for memory, and with lanes that take the next ray when theirs ends, because the longest walk of a packet has
// three to four times the mean number of jumps.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "trace/grid/walk.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <fathom/core/export.hpp>

namespace fathom::FATHOM_ISA {

// The lanes of one register, as a compiler vector, and operations that the vector extension lacks. g++ 12 splits wider
// vectors into single lanes.
#if defined(__AVX512F__)
inline constexpr std::size_t kLanes = 16;
#elif defined(__AVX2__)
inline constexpr std::size_t kLanes = 8;
#else
inline constexpr std::size_t kLanes = 4;
#endif

using Floats = float __attribute__((vector_size(kLanes * 4)));
using Ints = std::int32_t __attribute__((vector_size(kLanes * 4)));

#if defined(__AVX2__)
/// table[offset[0]] to table[offset[7]].
FATHOM_KERNEL __m128i load_eight(const std::uint16_t* table, const std::int32_t* offset) {
  __m128i low = _mm_cvtsi32_si128(table[offset[0]]), high = _mm_cvtsi32_si128(table[offset[4]]);
  low = _mm_insert_epi16(low, table[offset[1]], 1), high = _mm_insert_epi16(high, table[offset[5]], 1);
  low = _mm_insert_epi16(low, table[offset[2]], 2), high = _mm_insert_epi16(high, table[offset[6]], 2);
  low = _mm_insert_epi16(low, table[offset[3]], 3), high = _mm_insert_epi16(high, table[offset[7]], 3);
  return _mm_unpacklo_epi64(low, high);
}
#endif

/// out[lane] = table[offset[lane]]. Gathers of AVX2 and AVX-512 are slower than single loads (Zen 4: 52 against 56, and
/// 74 against 79 million rays a second).
FATHOM_KERNEL void gather(const std::uint16_t* table, const Ints& offset, Ints& out) {
#if defined(__AVX2__)
  alignas(64) std::int32_t at[kLanes];
  __builtin_memcpy(at, &offset, sizeof at);
#if defined(__AVX512F__)
  const __m256i low = _mm256_castsi128_si256(load_eight(table, at));
  // The masked form, because g++ 12 warns about an uninitialised register in the plain one.
  out = reinterpret_cast<Ints>(
      _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_inserti128_si256(low, load_eight(table, at + 8), 1)));
#else
  out = reinterpret_cast<Ints>(_mm256_cvtepu16_epi32(load_eight(table, at)));
#endif
#else
  out = Ints{table[offset[0]], table[offset[1]], table[offset[2]], table[offset[3]]};
#endif
}

/// A bit for each true lane of a comparison.
FATHOM_KERNEL std::uint32_t lane_bits(const Ints& mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask));
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#elif defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#else
  const Ints each = (mask >> 31) & Ints{1, 2, 4, 8};
  return static_cast<std::uint32_t>(each[0] | each[1] | each[2] | each[3]);
#endif
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/// [lane_bits][lane]: the number of set bits below a lane.
inline constexpr auto kRankOfLane = [] {
  std::array<std::array<std::int32_t, kLanes>, 256> rank{};
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      rank[bits][lane] = std::popcount(bits & ((1U << lane) - 1U));
    }
  }
  return rank;
}();
#endif

/// Lanes of the comparison `mask`, whose bits are `bits`, take from[0], from[1], ... in order; others keep their
/// values. Reads kLanes values.
template <class V>
FATHOM_KERNEL void expand(V& to, const Ints& mask, std::uint32_t bits, const void* from) {
#if defined(__AVX512F__)
  static_cast<void>(mask);
  to = reinterpret_cast<V>(
      _mm512_mask_expand_epi32(reinterpret_cast<__m512i>(to), static_cast<__mmask16>(bits), _mm512_loadu_si512(from)));
#elif defined(__AVX2__)
  const auto rank = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kRankOfLane[bits].data()));
  const auto values = _mm256_loadu_si256(static_cast<const __m256i*>(from));
  to = mask ? reinterpret_cast<V>(_mm256_permutevar8x32_epi32(values, rank)) : to;
#else
  static_cast<void>(mask);
  V values;
  __builtin_memcpy(&values, from, sizeof values);
  for (std::size_t lane = 0, k = 0; lane < kLanes; ++lane) {
    if ((bits >> lane & 1U) != 0) to[lane] = values[k++];
  }
#endif
}

namespace {

constexpr std::size_t kPackets = 2;
constexpr std::size_t kBlock = 512;
constexpr std::size_t kRoom = kBlock + kLanes;  // lanes read whole registers, also at the end of a block
// AVX2 and AVX-512 fill lanes after each jump, also if none has ended: a branch on values just read costs more. SSE2
// moves rays one by one, and waits until three of four have ended.
constexpr bool kFillsAlways = kLanes > 4;
constexpr int kIdleLanes = 3;

/// Rays of a block in grid coordinates, mirrored to run towards larger x and y, after their first jump. The rays of a
/// pose share one first rectangle for each quadrant.
struct alignas(64) Rays {
  float px[kRoom], py[kRoom];  ///< origin within its cell, [0, 1]
  float dx[kRoom], dy[kRoom];  ///< direction, >= 0
  float inverse_dx[kRoom], inverse_dy[kRoom];
  float margin[kRoom];              ///< bound of the rounding of origin and slope, cells
  std::int32_t base[kRoom];         ///< offset of the origin's cell
  std::int32_t i[kRoom], j[kRoom];  ///< cells from there on
  float t[kRoom];                   ///< distance along the ray, cells; then the result; NaN: walk again in double
};

struct Packet {
  Floats px, py, dx, dy, inverse_dx, inverse_dy, margin, t;
  Ints base, i, j, code, active;
  Ints id;  // of the rays, in their block
};

/// Writes the results of ended lanes. Later results replace the values of other lanes.
FATHOM_KERNEL void retire(const Packet& p, float t_max, Rays& rays) {
  const Floats missed = p.t == p.t ? Floats{} + t_max : p.t;
  const Floats t = ((p.code == kStopHit) & (p.t < t_max)) ? p.t : missed;
  for (std::size_t lane = 0; lane < kLanes; ++lane) rays.t[p.id[lane]] = t[lane];
}

/// Ended lanes take rays next, next + 1, ...; returns their number.
FATHOM_KERNEL std::size_t refill(Packet& p, std::uint32_t idle_bits, const Rays& rays, std::size_t next) {
  const Ints idle = ~p.active;
  expand(p.px, idle, idle_bits, rays.px + next), expand(p.py, idle, idle_bits, rays.py + next);
  expand(p.dx, idle, idle_bits, rays.dx + next), expand(p.dy, idle, idle_bits, rays.dy + next);
  expand(p.inverse_dx, idle, idle_bits, rays.inverse_dx + next);
  expand(p.inverse_dy, idle, idle_bits, rays.inverse_dy + next);
  expand(p.margin, idle, idle_bits, rays.margin + next);
  expand(p.base, idle, idle_bits, rays.base + next);
  expand(p.i, idle, idle_bits, rays.i + next), expand(p.j, idle, idle_bits, rays.j + next);
  expand(p.t, idle, idle_bits, rays.t + next);
  Ints ids;
  for (std::size_t lane = 0; lane < kLanes; ++lane) ids[lane] = static_cast<std::int32_t>(next + lane);
  expand(p.id, idle, idle_bits, &ids);
  return static_cast<std::size_t>(std::popcount(idle_bits));
}

/// Reads the cells of the rays: doubtful and ended ones become inactive.
FATHOM_KERNEL void look(Packet& p, const SkipField& field, float t_max) {
  gather(field.codes.data(), p.base + p.i + p.j * static_cast<std::int32_t>(field.stride), p.code);
  p.active = ((p.code & 0xff) != 0) & (p.t < t_max);
}

/// One jump of every ray, or with kOthersStay of the active ones.
template <bool kOthersStay>
FATHOM_KERNEL void jump(Packet& p) {
  const Ints across = p.code & 0xff, up = p.code >> 8;
  const Ints end_i = p.i + across, end_j = p.j + up;
  const Floats tx = (__builtin_convertvector(end_i, Floats) - p.px) * p.inverse_dx;
  const Floats ty = (__builtin_convertvector(end_j, Floats) - p.py) * p.inverse_dy;
  const Ints exit_x = tx < ty;
  Floats t = exit_x ? tx : ty;
  // The other coordinate of the exit is rounded down. It never decreases: otherwise a ray could alternate between two
  // cells at a corner forever. It exceeds the rectangle by at most one cell, near a corner, and there the ray is
  // doubtful.
  const Floats other = exit_x ? p.py + t * p.dy : p.px + t * p.dx;
  const Ints low = exit_x ? p.j : p.i;
  Ints cell = __builtin_convertvector(other, Ints);
  const Floats rest = other - __builtin_convertvector(cell, Floats);
  const Floats margin = 4e-7F * other + p.margin;
  const Ints doubt = (rest < margin) | (rest > 1.0F - margin);
  t = reinterpret_cast<Floats>(reinterpret_cast<Ints>(t) | doubt);  // NaN
  cell = cell < low ? low : cell;
  const Ints next_i = exit_x ? end_i : cell, next_j = exit_x ? cell : end_j;
  const Ints moves = kOthersStay ? p.active : ~Ints{};
  p.i = moves ? next_i : p.i;
  p.j = moves ? next_j : p.j;
  p.t = moves ? t : p.t;
}

/// kRoom - kBlock copies of a ray follow the last of `count`.
[[gnu::noinline]] void walk_block(const SkipField& field, Rays& rays, std::size_t count, float t_max) {
  constexpr std::uint32_t kAll = (1ULL << kLanes) - 1;
  Packet packets[kPackets] = {};
  std::size_t next = 0;
  for (Packet& p : packets) {
    p.id += static_cast<std::int32_t>(count);  // lanes without a ray write behind the results
    if (next < count) next = std::min(count, next + refill(p, kAll, rays, next));
  }
  while (next < count) {
#pragma GCC unroll 4
    for (Packet& p : packets) {
      look(p, field, t_max);
      const std::uint32_t idle = kAll & ~lane_bits(p.active);
      if (kFillsAlways || std::popcount(idle) >= kIdleLanes) {
        retire(p, t_max, rays);
        jump<!kFillsAlways>(p);
        next = std::min(count, next + refill(p, idle, rays, next));
      } else {
        jump<true>(p);
      }
    }
  }
  for (bool runs = true; runs;) {
    runs = false;
#pragma GCC unroll 4
    for (Packet& p : packets) {
      look(p, field, t_max);
      jump<true>(p);
      runs |= lane_bits(p.active) != 0;
    }
  }
  for (const Packet& p : packets) retire(p, t_max, rays);
}

/// Directions with a readable register behind the last one.
class PaddedFan {
 public:
  explicit PaddedFan(const FanView& fan) : fan_(fan), is_small_(fan.rays <= kBlock) {
    if (is_small_) copy(0, fan.rays);
  }
  /// At most kBlock rays, valid until the next call.
  FanView piece(std::size_t begin, std::size_t end) {
    if (is_small_) return {x_ + begin, y_ + begin, z_ + begin, end - begin};
    if (end + kLanes <= fan_.rays) return {fan_.x + begin, fan_.y + begin, fan_.z + begin, end - begin};
    copy(begin, end);
    return {x_, y_, z_, end - begin};
  }

 private:
  void copy(std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    std::copy_n(fan_.x + begin, count, x_), std::copy_n(fan_.y + begin, count, y_);
    std::copy_n(fan_.z + begin, count, z_);
    for (float* values : {x_, y_, z_}) std::fill_n(values + count, kLanes, values[count - 1]);
  }

  FanView fan_;
  bool is_small_;
  float x_[kRoom], y_[kRoom], z_[kRoom];
};

/// The start of the rays of a pose.
struct Start {
  float x, y;                           ///< within the pose's cell, [0, 1)
  std::int32_t base[2][2], code[2][2];  ///< the pose's cell and its rectangle in the plane mirrored [up][across]
  std::int32_t moves;                   ///< 0 if rays end at their start, else all bits
};

Start start_at(const SkipField& field, const GridPose& pose) {
  const auto fx = static_cast<float>(pose.x - pose.cell_x), fy = static_cast<float>(pose.y - pose.cell_y);
  // Keeps a rounded fraction below 1, because an axis-parallel ray would divide 0 by 0.
  Start start;
  start.x = std::min(fx, 1.0F - 0x1p-24F), start.y = std::min(fy, 1.0F - 0x1p-24F);
  for (int up = 0; up < 2; ++up) {
    for (int across = 0; across < 2; ++across) {
      const std::int32_t base = field.cell(pose.cell_x, pose.cell_y, across != 0, up != 0);
      start.base[up][across] = base, start.code[up][across] = field.codes[static_cast<std::size_t>(base)];
    }
  }
  start.moves = across_of(field.codes[static_cast<std::size_t>(start.base[0][0])]) != 0 ? -1 : 0;
  return start;
}

/// Sets rays of a pose at `at`, and up to a register more. Prefetches their cells, because many are in no cache.
[[gnu::noinline]] void set_up(const SkipField& field, const GridPose& pose, const FanView& fan, Rays& rays,
                              std::size_t at) {
  const Start start = start_at(field, pose);
  const float x = start.x, y = start.y;
  const std::int32_t base00 = start.base[0][0], base01 = start.base[0][1], base10 = start.base[1][0];
  const std::int32_t base11 = start.base[1][1], code00 = start.code[0][0], code01 = start.code[0][1];
  const std::int32_t code10 = start.code[1][0], code11 = start.code[1][1], moves = start.moves;
  const double r0 = pose.r[0], r1 = pose.r[1], r2 = pose.r[2], r3 = pose.r[3], r4 = pose.r[4], r5 = pose.r[5];
  const std::size_t count = (fan.rays + kLanes - 1) / kLanes * kLanes;
  const float* __restrict bx = fan.x;
  const float* __restrict by = fan.y;
  const float* __restrict bz = fan.z;
  Rays& __restrict out = rays;
  const auto stride = static_cast<std::int32_t>(field.stride);
  alignas(64) std::int32_t cells[kRoom];
  for (std::size_t k = 0; k < count; ++k) {
    const auto dx = static_cast<float>(r0 * bx[k] + r1 * by[k] + r2 * bz[k]);
    const auto dy = static_cast<float>(r3 * bx[k] + r4 * by[k] + r5 * bz[k]);
    const float ax = dx < 0.0F ? -dx : dx + 0.0F, ay = dy < 0.0F ? -dy : dy + 0.0F;
    const float inverse_x = 1.0F / ax, inverse_y = 1.0F / ay;
    // Rounding of the origin, 2^-25 cells, leans with the steeper slope; the rest grows with the distance (see jump).
    const float slope_x = ax * inverse_y, slope_y = ay * inverse_x;
    const float steep = 2e-7F + 4e-8F * (slope_x > slope_y ? slope_x : slope_y);
    const float margin = steep < 0.01F ? steep : 0.01F;
    const float px = dx < 0.0F ? 1.0F - x : x, py = dy < 0.0F ? 1.0F - y : y;
    const std::int32_t base = dy < 0.0F ? (dx < 0.0F ? base11 : base10) : (dx < 0.0F ? base01 : base00);
    const std::int32_t code = dy < 0.0F ? (dx < 0.0F ? code11 : code10) : (dx < 0.0F ? code01 : code00);
    // The first jump, as jump() has it.
    const std::int32_t across = code & 0xff, up = code >> 8;
    const float tx = (static_cast<float>(across) - px) * inverse_x, ty = (static_cast<float>(up) - py) * inverse_y;
    const bool exit_x = tx < ty;
    const float t = exit_x ? tx : ty, other = exit_x ? py + t * ay : px + t * ax;
    const auto beside = static_cast<std::int32_t>(other > 0.0F ? other : 0.0F);  // NaN of a ray straight up
    const float rest = other - static_cast<float>(beside), wide = 4e-7F * other + margin;
    const std::uint32_t doubt = (rest < wide) | (rest > 1.0F - wide) ? ~0U : 0U;
    const std::int32_t i = (exit_x ? across : beside) & moves, j = (exit_x ? beside : up) & moves;
    out.dx[at + k] = ax, out.dy[at + k] = ay;
    out.inverse_dx[at + k] = inverse_x, out.inverse_dy[at + k] = inverse_y;
    out.margin[at + k] = margin;
    out.px[at + k] = px, out.py[at + k] = py;
    out.base[at + k] = base, out.i[at + k] = i, out.j[at + k] = j;
    out.t[at + k] = moves != 0 ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(t) | doubt) : 0.0F;  // or NaN
    cells[k] = base + i + j * stride;
  }
  for (std::size_t k = 0; k < count; ++k) __builtin_prefetch(field.codes.data() + cells[k]);
}

/// Appends copies of the last ray, because whole registers are read.
void fill_up(Rays& rays, std::size_t count) {
  const auto repeat = [count](auto* values) { std::fill_n(values + count, kLanes, values[count - 1]); };
  for (float* values : {rays.px, rays.py, rays.dx, rays.dy, rays.inverse_dx, rays.inverse_dy, rays.margin, rays.t})
    repeat(values);
  for (std::int32_t* values : {rays.base, rays.i, rays.j}) repeat(values);
}

double walk_again(const SkipField& field, const GridPose& pose, const FanView& fan, std::size_t k, double t_max) {
  const double dx = pose.r[0] * fan.x[k] + pose.r[1] * fan.y[k] + pose.r[2] * fan.z[k];
  const double dy = pose.r[3] * fan.x[k] + pose.r[4] * fan.y[k] + pose.r[5] * fan.z[k];
  return walk_rectangles(field, pose, dx, dy, t_max);
}

/// Converts to ranges in metres; returns whether a ray needs another walk.
[[gnu::noinline]] bool take_ranges(const float* __restrict t, std::size_t count, float scale, float max_range_m,
                                   float* __restrict range_m) {
  int doubts = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const float range = t[at] * scale;
    doubts |= static_cast<int>(range != range);
    range_m[at] = range < max_range_m ? range : max_range_m;
  }
  return doubts != 0;
}

void cast(const SkipField& field, const GridPose* poses, std::size_t pose_count, const FanView& fan,
          double resolution_m, float max_range_m, float* range_m) {
  Rays rays;
  PaddedFan padded(fan);
  const std::size_t total = pose_count * fan.rays, most = fan.rays <= kBlock ? kBlock / fan.rays * fan.rays : kBlock;
  const double t_max = max_range_m / resolution_m;
  const auto scale = static_cast<float>(resolution_m);
  for (std::size_t first = 0; first < total; first += most) {
    const std::size_t count = std::min(most, total - first);
    for (std::size_t at = 0; at < count;) {
      const std::size_t k = (first + at) % fan.rays;
      const std::size_t end = std::min(fan.rays, k + count - at);
      set_up(field, poses[(first + at) / fan.rays], padded.piece(k, end), rays, at);
      at += end - k;
    }
    fill_up(rays, count);
    walk_block(field, rays, count, static_cast<float>(t_max));
    if (!take_ranges(rays.t, count, scale, max_range_m, range_m + first)) continue;
    for (std::size_t at = 0; at < count; ++at) {
      if (!std::isnan(rays.t[at])) continue;
      const double t = walk_again(field, poses[(first + at) / fan.rays], fan, (first + at) % fan.rays, t_max);
      range_m[first + at] = std::min(static_cast<float>(t * resolution_m), max_range_m);
    }
  }
}

}  // namespace

const GridKernel kGridKernel = &cast;

}  // namespace fathom::FATHOM_ISA
