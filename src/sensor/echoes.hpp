// SPDX-License-Identifier: MIT
#pragma once
// Joins the hits of a ray's samples to echoes, and chooses the returns among them; fathom/sensor/returns.hpp has the
// laws. For one ray, so that blocks of the processor and threads of a device share it.

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

/// The echoes of a ray, by growing range.
struct Echoes {
  std::uint32_t count = 0;
  float range_m[kDivergingSamples];
  float energy[kDivergingSamples];
  std::uint32_t sample[kDivergingSamples];  ///< the one with the most energy; of equal ones the first
};

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

/// `weights`: of the samples.
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

/// Of the echoes [begin, end) that `taken` leaves the one with the most energy, of equal ones the nearest.
FATHOM_KERNEL std::uint32_t strongest_echo(const Echoes& echoes, std::uint32_t begin, std::uint32_t end,
                                           std::uint64_t taken) {
  std::uint32_t best = kNoEcho;
  for (std::uint32_t e = begin; e < end; ++e) {
    if (((taken >> e) & 1U) != 0) continue;
    if (best == kNoEcho || echoes.energy[e] > echoes.energy[best]) best = e;
  }
  return best;
}

/// The echo of [begin, end), not empty, that has this name; kNoEcho: there is none.
FATHOM_KERNEL std::uint32_t named_echo(const Echoes& echoes, std::uint32_t begin, std::uint32_t end,
                                       ReturnChoice choice) {
  const bool several = end - begin > 1;
  switch (choice) {
    case ReturnChoice::kFirst:
      return begin;
    case ReturnChoice::kSecond:
      return several ? begin + 1 : kNoEcho;
    case ReturnChoice::kLast:
      return end - 1;
    case ReturnChoice::kStrongest:
      return strongest_echo(echoes, begin, end, 0);
    case ReturnChoice::kSecondStrongest:
      break;
  }
  return strongest_echo(echoes, begin, end, std::uint64_t{1} << strongest_echo(echoes, begin, end, 0));
}

/// The echo of [begin, end), not empty, for a return that is named `named` among those that `taken` has.
FATHOM_KERNEL std::uint32_t coinciding_echo(const Echoes& echoes, std::uint32_t begin, std::uint32_t end,
                                            std::uint32_t named, std::uint64_t taken, CoincidingReturn coinciding) {
  const bool is_next = coinciding == CoincidingReturn::kNext || coinciding == CoincidingReturn::kNextOrRepeat;
  const std::uint32_t left = is_next && named != kNoEcho ? strongest_echo(echoes, begin, end, taken) : kNoEcho;
  const bool repeats = coinciding == CoincidingReturn::kNextOrRepeat || coinciding == CoincidingReturn::kRepeat;
  if (left != kNoEcho || !repeats) return left;
  return named != kNoEcho ? named : begin;
}

/// chosen[k] := the echo that return k reports, or kNoEcho. Echoes outside [low, high] count only where none is inside.
FATHOM_KERNEL void choose_echoes(const Echoes& echoes, const ReturnChoice* choices, std::uint32_t returns,
                                 CoincidingReturn coinciding, float low, float high, std::uint32_t* chosen) {
  std::uint32_t begin = 0, end = echoes.count;
  while (begin < end && echoes.range_m[begin] < low) ++begin;
  while (begin < end && echoes.range_m[end - 1] > high) --end;
  if (begin == end) begin = 0, end = echoes.count;
  std::uint64_t taken = 0;
  for (std::uint32_t k = 0; k < returns; ++k) {
    chosen[k] = kNoEcho;
    if (begin == end) continue;
    const std::uint32_t named = named_echo(echoes, begin, end, choices[k]);
    const bool is_free = named != kNoEcho && ((taken >> named) & 1U) == 0;
    chosen[k] = is_free ? named : coinciding_echo(echoes, begin, end, named, taken, coinciding);
    if (chosen[k] != kNoEcho) taken |= std::uint64_t{1} << chosen[k];
  }
}

}  // namespace fathom
