// SPDX-License-Identifier: MIT
#pragma once
// The echoes of a ray, made of what its samples met: the Simulator joins hits to echoes, as fathom/sensor/returns.hpp
// says; to Robotec's law, which the C interface follows, each hit is one. choose_returns.hpp chooses among them. For
// one ray, so that blocks of the processor and threads of a device share it.

#include <cstdint>

#include <fathom/math/f32.hpp>
#include <fathom/sensor/returns.hpp>

namespace fathom {

inline constexpr std::uint32_t kNoEcho = ~0U;

/// What the samples of a ray met.
struct SampleHits {
  float range_m[kDivergingSamples];  ///< +inf: nothing
  float energy[kDivergingSamples];   ///< not read where nothing was met
};

/// The echoes of a ray.
struct Echoes {
  std::uint32_t count = 0;
  float range_m[kDivergingSamples];
  float energy[kDivergingSamples];
  std::uint32_t sample[kDivergingSamples];  ///< the one with the most energy; of equal ones the first
};

/// Puts an echo behind the others.
FATHOM_KERNEL void add_echo(Echoes& echoes, float range_m, float energy, std::uint32_t sample) {
  const std::uint32_t e = echoes.count++;
  echoes.range_m[e] = range_m, echoes.energy[e] = energy, echoes.sample[e] = sample;
}

/// Numbers the echoes that hits belong to, from the nearest on; returns how many there are.
FATHOM_KERNEL std::uint32_t number_echoes(const SampleHits& hits, float separation_m,
                                          std::uint32_t (&echo_of)[kDivergingSamples]) {
  std::uint32_t order[kDivergingSamples], met = 0;
  float nearest = math::kInfinity, farthest = 0.0F;
  for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
    const float range = hits.range_m[s];
    echo_of[s] = range < math::kInfinity ? 0 : kNoEcho;
    if (!(range < math::kInfinity)) continue;
    order[met++] = s;
    nearest = range < nearest ? range : nearest;
    farthest = range > farthest ? range : farthest;
  }
  if (met == 0) return 0;
  if (!(farthest - nearest > separation_m)) return 1;  // no gap can be above it
  for (std::uint32_t i = 1; i < met; ++i) {
    const std::uint32_t s = order[i];
    std::uint32_t at = i;
    for (; at > 0 && hits.range_m[order[at - 1]] > hits.range_m[s]; --at) order[at] = order[at - 1];
    order[at] = s;
  }
  std::uint32_t echo = 0;
  for (std::uint32_t i = 1; i < met; ++i) {
    if (hits.range_m[order[i]] - hits.range_m[order[i - 1]] > separation_m) ++echo;
    echo_of[order[i]] = echo;
  }
  return echo + 1;
}

/// Hits with no gap above `separation_m` between them become one echo; echoes by growing range. `weights`: of the
/// samples.
FATHOM_KERNEL void join_hits(const SampleHits& hits, const float* weights, float separation_m, Echoes& out) {
  std::uint32_t echo_of[kDivergingSamples];
  out.count = number_echoes(hits, separation_m, echo_of);
  for (std::uint32_t e = 0; e < out.count; ++e) {
    float nearest = math::kInfinity, energy = 0.0F, most = -1.0F;
    for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
      if (echo_of[s] != e) continue;
      nearest = hits.range_m[s] < nearest ? hits.range_m[s] : nearest;
      energy += hits.energy[s];
      if (hits.energy[s] > most) most = hits.energy[s], out.sample[e] = s;
    }
    // From the nearest hit on, so that hits of one range give that range.
    float behind = 0.0F, share = 0.0F;
    for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
      if (echo_of[s] != e) continue;
      const float part = energy > 0.0F ? hits.energy[s] : weights[s];
      behind += part * (hits.range_m[s] - nearest);
      share += part;
    }
    out.range_m[e] = nearest + behind / share;
    out.energy[e] = energy;
  }
}

}  // namespace fathom
