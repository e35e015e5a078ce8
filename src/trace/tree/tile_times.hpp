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

FATHOM_KERNEL void set_origin(const tree::MeshMap& map, const TileRays& rays, unsigned i, TileFrame& frame) {
  const Point p = origin_in(map, double{rays.ox[i]}, double{rays.oy[i]}, double{rays.oz[i]});
  frame.ox[i] = p.x, frame.oy[i] = p.y, frame.oz[i] = p.z;
}

/// The maps of an instance at the times of the rays of a tile. Groups whose rays have equal times and origins, such as
/// rows of a scan, share maps. Loops over the rays of a group become vectors.
class TileTimes {
  using F = FGroup;

 public:
  /// Puts rays into the frame of a moving instance at their times.
  void enter(const tree::World& world, const tree::Instance& instance, const TileRays& rays, Groups groups,
             TileFrame& frame) {
    if (!is_compared_) compare(rays);
    mapped_ = 0;
    for_groups(groups, [&](unsigned g) {
      if ((mapped_ >> like_[g] & 1U) == 0) set_maps(world, instance, rays, like_[g] * F::kLanes);
      mapped_ |= Groups{1} << like_[g];
      const V3<F> d = load3(rays.dx, rays.dy, rays.dz, g);
      const auto map = [&](int a) { return F::load(map_[a] + like_[g] * F::kLanes); };
      const auto turned = [&](int a) { return map(a) * d.x + map(a + 3) * d.y + map(a + 6) * d.z; };
      store3({turned(0), turned(1), turned(2)}, frame.dx, frame.dy, frame.dz, g);
      store3({map(9), map(10), map(11)}, frame.ox, frame.oy, frame.oz, g);
    });
  }

  /// Sets the planes of the pyramid at the first time, wide enough for the others. The maps A and A_0 of two times
  /// differ by A d = A_0 (d + E d). A change of a direction by a share e of its length changes its tangents, up to t,
  /// by at most 2 e s (1 + t), s = sqrt(1 + 2 t^2), while e s is below a half.
  void set_sides(const Pyramid& pyramid, TileFrame& frame) const {
    frame.has_sides = false;
    if (!pyramid.narrow) return;
    double a0[9], w[9];
    for (int i = 0; i < 9; ++i) a0[i] = numbers_[i][static_cast<unsigned>(std::countr_zero(mapped_)) * F::kLanes];
    invert(a0, w);
    Pyramid wide = pyramid;
    const float t = std::max(std::max(-wide.side_lo, wide.side_hi), std::max(-wide.up_lo, wide.up_hi));
    const float share = static_cast<float>(std::sqrt(most_change2(w))) * std::sqrt(1.0F + 2.0F * t * t);
    if (!(share < 0.5F)) return;
    const float more = 2.0F * share * (1.0F + t);
    wide.side_lo -= more, wide.side_hi += more, wide.up_lo -= more, wide.up_hi += more;
    float w_from_m[9];
    for (int i = 0; i < 9; ++i) w_from_m[i] = static_cast<float>(w[i]);
    FATHOM_ISA::set_sides(wide, w_from_m, frame);
  }

 private:
  void compare(const TileRays& rays) {
    const auto are_equal = [](const float* values, unsigned g, unsigned h) {
      constexpr unsigned kAll = (1U << F::kLanes) - 1U;
      return bits(eq(F::load(values + g * F::kLanes), F::load(values + h * F::kLanes))) == kAll;
    };
    for (unsigned g = 0; g < rays.groups; ++g) {
      const auto is_like = [&](unsigned h) {
        return like_[h] == h && are_equal(rays.times_s, g, h) && are_equal(rays.ox, g, h) && are_equal(rays.oy, g, h) &&
               are_equal(rays.oz, g, h);
      };
      like_[g] = 0;
      for (unsigned h = 0; h < g && !is_like(h);) like_[g] = ++h;
    }
    is_compared_ = true;
  }

  /// Sets the maps of the rays of a group, as map_at() and origin_in() have them.
  void set_maps(const tree::World& world, const tree::Instance& instance, const TileRays& rays, unsigned first) {
    KeyPlace place[F::kLanes];
    KeyPlace at = find_keys(world, instance, rays.times_s[first]);
    bool same_keys = true;
    double share[F::kLanes];
    for (unsigned k = 0; k < F::kLanes; ++k) {
      const float time_s = rays.times_s[first + k];
      const bool is_between = at.from->time_s <= double{time_s} && double{time_s} < at.to->time_s;
      if (!is_between) at = find_keys(world, instance, time_s);
      place[k] = at, share[k] = (double{time_s} - at.from->time_s) * at.from->per_s;
      same_keys = same_keys && at.from == place[0].from;
    }
    if (same_keys) {
      mix([&](unsigned) { return place[0]; }, share, first);
    } else {
      mix([&](unsigned k) { return place[k]; }, share, first);
    }
    for (unsigned k = first; k < first + F::kLanes; ++k) {
      const auto m = [&](int i) { return numbers_[i][k]; };
      for (int i = 0; i < 9; ++i) map_[i][k] = static_cast<float>(m(i));
      const double x = double{rays.ox[k]} - m(9), y = double{rays.oy[k]} - m(10), z = double{rays.oz[k]} - m(11);
      for (int a = 0; a < 3; ++a) map_[9 + a][k] = static_cast<float>(m(a) * x + m(a + 3) * y + m(a + 6) * z);
    }
  }

  /// keys(k): the keys around the time of ray k of the group.
  template <class Keys>
  FATHOM_KERNEL void mix(Keys keys, const double* share, unsigned first) {
    const auto number = [](const tree::MotionKey& key, int i) { return i < 9 ? key.inverse[i] : key.at[i - 9]; };
    for (int i = 0; i < 12; ++i) {
      for (unsigned k = 0; k < F::kLanes; ++k) {
        const double from = number(*keys(k).from, i), to = number(*keys(k).to, i);
        numbers_[i][first + k] = from + share[k] * (to - from);
      }
    }
  }

  /// The largest sum over all maps of the squares of the entries of w A - 1, of column-major matrices.
  [[nodiscard]] double most_change2(const double (&w)[9]) const {
    double most = 0.0;
    for_groups(mapped_, [&](unsigned g) {
      double sum[F::kLanes] = {};
      for (int i = 0; i < 9; ++i) {
        const int r = i % 3, c = i / 3;
        for (unsigned k = 0; k < F::kLanes; ++k) {
          const auto a = [&](int row) { return numbers_[3 * c + row][g * F::kLanes + k]; };
          const double e = w[r] * a(0) + w[3 + r] * a(1) + w[6 + r] * a(2) - (r == c ? 1.0 : 0.0);
          sum[k] += e * e;
        }
      }
      most = std::max(most, *std::max_element(sum, sum + F::kLanes));
    });
    return most;
  }

  bool is_compared_ = false;
  unsigned like_[kGroups];                     // the first group with equal times and origins
  Groups mapped_ = 0;                          // the groups in like_ that have maps of the last instance
  alignas(64) double numbers_[12][kTileRays];  // MeshMap::inverse, MeshMap::at
  alignas(64) float map_[12][kTileRays];       // MeshMap::m_from_w, and the origin in the frame of the mesh
};

}  // namespace fathom::FATHOM_ISA
