// SPDX-License-Identifier: MIT
#pragma once
// Comparing the parts of frames that belong to single environments.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fathom/frame/frame.hpp>

namespace fathom::test {

/// Whether environment `e` of `a` and `f` of `b` hold the same bits in every array.
inline bool same_environment(const Frame& a, std::uint32_t e, const Frame& b, std::uint32_t f, std::size_t rays) {
  const auto same = [&](auto x, auto y) {
    const auto p = x.subspan(e * rays, rays), q = y.subspan(f * rays, rays);
    return std::memcmp(p.data(), q.data(), p.size_bytes()) == 0;
  };
  const PointSpan u = a.hit_world_m(), v = b.hit_world_m();
  return same(a.range_m(), b.range_m()) && same(a.depth_m(), b.depth_m()) &&
         same(a.clean_range_m(), b.clean_range_m()) && same(a.energy(), b.energy()) && same(a.reason(), b.reason()) &&
         same(a.entity_id(), b.entity_id()) && same(a.time_offset_s(), b.time_offset_s()) && same(a.ring(), b.ring()) &&
         same(u.x, v.x) && same(u.z, v.z);
}

}  // namespace fathom::test
