// SPDX-License-Identifier: MIT
#pragma once
// The rays of a tile at their own times, before an instance that moves.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "trace/tree/layout.hpp"
#include "trace/tree/tile_frame.hpp"
#include "trace/tree/triangle.hpp"

namespace fathom::FATHOM_ISA {

/// The inverse of a column-major matrix.
inline void invert(const double (&m)[9], double (&out)[9]) {
  const double c[3] = {m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6]};
  const double scale = 1.0 / (m[0] * c[0] + m[1] * c[1] + m[2] * c[2]);
  const double adjoint[9] = {c[0], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                             c[1], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                             c[2], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
  for (int i = 0; i < 9; ++i) out[i] = scale * adjoint[i];
}

/// The sum of the squares of the entries of w a - 1, of column-major matrices.
inline double change2(const double (&w)[9], const double (&a)[9]) {
  double sum = 0.0;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      const double e = w[r] * a[3 * c] + w[3 + r] * a[3 * c + 1] + w[6 + r] * a[3 * c + 2] - (r == c ? 1.0 : 0.0);
      sum += e * e;
    }
  }
  return sum;
}

FATHOM_KERNEL void set_origin(const tree::MeshMap& map, const TileRays& rays, unsigned i, TileFrame& frame) {
  const Point p = origin_in(map, double{rays.ox[i]}, double{rays.oy[i]}, double{rays.oz[i]});
  frame.ox[i] = p.x, frame.oy[i] = p.y, frame.oz[i] = p.z;
}

/// The different times of the rays of a tile, and the maps of an instance at these. Rays of more times than kMost find
/// their maps one by one.
class TileTimes {
 public:
  static constexpr unsigned kMost = 32;  ///< twice as many as the columns of a tile

  /// Puts rays into the frame of a moving instance at their times.
  void enter(const tree::World& world, const tree::Instance& instance, const TileRays& rays, Groups groups,
             TileFrame& frame) {
    if (count_ == 0) find_times(rays);
    if (!is_shared()) {
      return for_lanes(groups, [&](unsigned i, unsigned) {
        tree::MeshMap own;
        enter_ray(map_at(world, instance, rays.times_s + i, own), rays, i, frame);
      });
    }
    for (unsigned k = 0; k < count_; ++k) set_map(map_at(world, instance, time_s_ + k, map_[k]), k);
    for_groups(groups, [&](unsigned g) { enter_group(rays, g * FGroup::kLanes, frame); });
  }

  /// Sets the planes of the pyramid at the first time, wide enough for the others. The maps A and A_0 of two times
  /// differ by A d = A_0 (d + E d). A change of a direction by a share e of its length changes its tangents, up to t,
  /// by at most 2 e s (1 + t), s = sqrt(1 + 2 t^2), while e s is below a half.
  void set_sides(const Pyramid& pyramid, TileFrame& frame) const {
    frame.has_sides = false;
    if (!pyramid.narrow || !is_shared()) return;
    double w[9], most2 = 0.0;
    invert(map_[0].inverse, w);
    for (unsigned k = 1; k < count_; ++k) most2 = std::max(most2, change2(w, map_[k].inverse));
    Pyramid wide = pyramid;
    const float t = std::max(std::max(-wide.side_lo, wide.side_hi), std::max(-wide.up_lo, wide.up_hi));
    const float share = static_cast<float>(std::sqrt(most2)) * std::sqrt(1.0F + 2.0F * t * t);
    if (!(share < 0.5F)) return;
    const float more = 2.0F * share * (1.0F + t);
    wide.side_lo -= more, wide.side_hi += more, wide.up_lo -= more, wide.up_hi += more;
    float w_from_m[9];
    for (int i = 0; i < 9; ++i) w_from_m[i] = static_cast<float>(w[i]);
    FATHOM_ISA::set_sides(wide, w_from_m, frame);
  }

 private:
  [[nodiscard]] bool is_shared() const { return count_ <= kMost; }

  void find_times(const TileRays& rays) {
    unsigned k = 0;
    for (unsigned i = 0; i < rays.groups * FGroup::kLanes; ++i) {
      k = k + 1 < count_ ? k + 1 : 0;  // neighbours in a row come one after the other
      if (k >= count_ || time_s_[k] != rays.times_s[i]) k = place_of(rays, i);
      if (k == kMost) return;
      of_ray_[i] = k;
      one_origin_ = one_origin_ && ox_[k] == rays.ox[i] && oy_[k] == rays.oy[i] && oz_[k] == rays.oz[i];
    }
  }

  /// The place of the time of ray i; kMost if there is no place.
  unsigned place_of(const TileRays& rays, unsigned i) {
    unsigned k = 0;
    while (k < count_ && time_s_[k] != rays.times_s[i]) ++k;
    if (k < count_ || count_++ == kMost) return k;
    time_s_[k] = rays.times_s[i], ox_[k] = rays.ox[i], oy_[k] = rays.oy[i], oz_[k] = rays.oz[i];
    return k;
  }

  void set_map(const tree::MeshMap& map, unsigned k) {
    for (int a = 0; a < 9; ++a) turn_[a][k] = map.m_from_w[a];
    const Point o = origin_in(map, double{ox_[k]}, double{oy_[k]}, double{oz_[k]});
    origin_[0][k] = o.x, origin_[1][k] = o.y, origin_[2][k] = o.z;
  }

  /// As enter_ray() for each ray of a group.
  void enter_group(const TileRays& rays, unsigned first, TileFrame& frame) const {
    for (unsigned i = first; i < first + FGroup::kLanes; ++i) {
      const std::uint32_t k = of_ray_[i];
      const float x = rays.dx[i], y = rays.dy[i], z = rays.dz[i];
      frame.dx[i] = turn_[0][k] * x + turn_[3][k] * y + turn_[6][k] * z;
      frame.dy[i] = turn_[1][k] * x + turn_[4][k] * y + turn_[7][k] * z;
      frame.dz[i] = turn_[2][k] * x + turn_[5][k] * y + turn_[8][k] * z;
      frame.ox[i] = origin_[0][k], frame.oy[i] = origin_[1][k], frame.oz[i] = origin_[2][k];
    }
    for (unsigned i = first; i < first + FGroup::kLanes && !one_origin_; ++i)
      set_origin(map_[of_ray_[i]], rays, i, frame);
  }

  FATHOM_KERNEL static void enter_ray(const tree::MeshMap& map, const TileRays& rays, unsigned i, TileFrame& frame) {
    const float* m = map.m_from_w;
    const float x = rays.dx[i], y = rays.dy[i], z = rays.dz[i];
    frame.dx[i] = m[0] * x + m[3] * y + m[6] * z;
    frame.dy[i] = m[1] * x + m[4] * y + m[7] * z;
    frame.dz[i] = m[2] * x + m[5] * y + m[8] * z;
    set_origin(map, rays, i, frame);
  }

  unsigned count_ = 0;      // 0: not counted yet; above kMost: too many
  bool one_origin_ = true;  // whether all rays of a time have one origin
  std::uint32_t of_ray_[kTileRays];
  float time_s_[kMost], ox_[kMost], oy_[kMost], oz_[kMost];  // of a ray of each time
  tree::MeshMap map_[kMost];
  float turn_[9][kMost], origin_[3][kMost];  // MeshMap::m_from_w, and origins in the frame of the mesh
};

}  // namespace fathom::FATHOM_ISA
