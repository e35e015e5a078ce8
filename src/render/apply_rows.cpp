// SPDX-License-Identifier: MIT
#include "render/apply_rows.hpp"

#include <algorithm>

namespace fathom {

void apply_entries(const ActiveNoise& n, std::uint32_t* entry, Isa isa, const NoiseKey& key, RayBlock& rays,
                   ReturnBlock& returns, DrawBuffer& draws) {
  constexpr auto kHit = static_cast<std::uint32_t>(Reason::kHit);
  constexpr auto kMasked = static_cast<std::uint32_t>(Reason::kMasked);
  constexpr std::uint32_t kDone = ~0U;
  std::uint32_t after[kBlockRays];
  std::copy_n(returns.reason, returns.count, after);
  for (std::uint32_t i = 0; i < returns.count; ++i) {
    if (after[i] != kHit) entry[i] = kDone;
  }
  for (std::uint32_t first = 0; first < returns.count; ++first) {
    const std::uint32_t now = entry[first];
    if (now == kDone) continue;
    for (std::uint32_t i = 0; i < returns.count; ++i) returns.reason[i] = entry[i] == now ? kHit : kMasked;
    const Noise& noise = now == 0 ? n.noise : n.others[now - 1];
    if (!noise.is_identity()) noise.apply(isa, key, rays, returns, draws);
    for (std::uint32_t i = first; i < returns.count; ++i) {
      if (entry[i] != now) continue;
      after[i] = returns.reason[i];
      entry[i] = kDone;
    }
  }
  std::copy_n(after, returns.count, returns.reason);
}

}  // namespace fathom
