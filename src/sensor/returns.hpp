// SPDX-License-Identifier: MIT
#pragma once
// Rays that widen (fathom/sensor/returns.hpp), for one ray, so that blocks of the processor, threads of a device and
// the C interface share it: the samples of a ray, the echoes that their hits make, and the choice of the returns. The
// Simulator joins hits to echoes; by Robotec's law, which the C interface follows, each hit is an echo.

#include <array>
#include <cstdint>

#include <fathom/core/f32.hpp>
#include <fathom/sensor/returns.hpp>

namespace fathom {

/// `reference_m`: above 0.
FATHOM_KERNEL float falloff_at(float range_m, float reference_m) {
  const float ratio = reference_m / range_m;
  return math::select(range_m > reference_m, ratio * ratio, 1.0F);
}
/// An intensity without its falloff; `reference_m`: of the falloff, 0 without.
FATHOM_KERNEL float without_falloff(float intensity, float range_m, float reference_m) {
  return reference_m > 0.0F ? intensity / falloff_at(range_m, reference_m) : intensity;
}

/// The direction of a sample in the frame of its ray: z along the ray, x across, y up. A unit vector.
struct SampleDirection {
  float x, y, z;
};

/// The centre first, then three cones of 19, the widest first; angles are full angles of the cone: the horizontal one
/// turns about y, the vertical one about x. `middle_turn`: how far the middle cone is turned, in steps of its samples.
/// At half a step each half of the three cones has 0.497 to 0.503 of their energy, if no sample lies on the edge
/// between them; at 0, Robotec's law, 0.474 to 0.526.
std::array<SampleDirection, kDivergingSamples> diverging_samples(double horizontal_rad, double vertical_rad,
                                                                 double middle_turn);

/// The share of the ray's energy of each sample, in the same order; the sum is 1.
std::array<float, kDivergingSamples> sample_weights(BeamProfile profile);

inline constexpr std::uint32_t kNoEcho = ~0U;

/// Up to N hits of a ray.
template <std::uint32_t N>
struct RayHits {
  float range_m[N];  ///< +inf on a miss
  float energy[N];   ///< not read on a miss
};
/// What the samples of a ray met.
using SampleHits = RayHits<kDivergingSamples>;

/// The echoes of a ray.
struct Echoes {
  std::uint32_t count = 0;
  float range_m[kDivergingSamples];
  float energy[kDivergingSamples];
  std::uint32_t sample[kDivergingSamples];  ///< the hit with the most energy; the first of equal ones
};

/// Puts an echo behind the others.
FATHOM_KERNEL void add_echo(Echoes& echoes, float range_m, float energy, std::uint32_t sample) {
  const std::uint32_t e = echoes.count++;
  echoes.range_m[e] = range_m, echoes.energy[e] = energy, echoes.sample[e] = sample;
}

/// Numbers the echoes that the first `count` hits belong to, from the nearest on; returns the number of echoes. The
/// last echo that Echoes has room for takes all hits behind it.
template <std::uint32_t N>
FATHOM_KERNEL std::uint32_t number_echoes(const RayHits<N>& hits, std::uint32_t count, float separation_m,
                                          std::uint32_t (&echo_of)[N]) {
  std::uint32_t order[N], met = 0;
  float nearest = math::kInfinity, farthest = 0.0F;
  for (std::uint32_t s = 0; s < count; ++s) {
    const float range = hits.range_m[s];
    echo_of[s] = range < math::kInfinity ? 0 : kNoEcho;
    if (!(range < math::kInfinity)) continue;
    order[met++] = s;
    nearest = range < nearest ? range : nearest;
    farthest = range > farthest ? range : farthest;
  }
  if (met == 0) return 0;
  if (!(farthest - nearest > separation_m)) return 1;  // no gap can be larger
  for (std::uint32_t i = 1; i < met; ++i) {
    const std::uint32_t s = order[i];
    std::uint32_t at = i;
    for (; at > 0 && hits.range_m[order[at - 1]] > hits.range_m[s]; --at) order[at] = order[at - 1];
    order[at] = s;
  }
  std::uint32_t echo = 0;
  for (std::uint32_t i = 1; i < met; ++i) {
    const bool is_next = hits.range_m[order[i]] - hits.range_m[order[i - 1]] > separation_m;
    if (is_next && echo + 1 < kDivergingSamples) ++echo;
    echo_of[order[i]] = echo;
  }
  return echo + 1;
}

/// Hits with no gap above `separation_m` between them become one echo; echoes by growing range. `weights`: of the
/// hits.
template <std::uint32_t N>
FATHOM_KERNEL void join_hits(const RayHits<N>& hits, const float* weights, float separation_m, Echoes& out,
                             std::uint32_t count = N) {
  std::uint32_t echo_of[N];
  out.count = number_echoes(hits, count, separation_m, echo_of);
  for (std::uint32_t e = 0; e < out.count; ++e) {
    float nearest = math::kInfinity, energy = 0.0F, most = -1.0F;
    for (std::uint32_t s = 0; s < count; ++s) {
      if (echo_of[s] != e) continue;
      nearest = hits.range_m[s] < nearest ? hits.range_m[s] : nearest;
      energy += hits.energy[s];
      if (hits.energy[s] > most) most = hits.energy[s], out.sample[e] = s;
    }
    // From the nearest hit on, so that hits of one range give that range.
    float behind = 0.0F, share = 0.0F;
    for (std::uint32_t s = 0; s < count; ++s) {
      if (echo_of[s] != e) continue;
      const float part = energy > 0.0F ? hits.energy[s] : weights[s];
      behind += part * (hits.range_m[s] - nearest);
      share += part;
    }
    out.range_m[e] = nearest + behind / share;
    out.energy[e] = energy;
  }
}

/// Removes echoes that a sensor does not detect, unless it detects none. `falloff_m`: reference of the falloff that the
/// energies have, 0 without.
FATHOM_KERNEL void drop_weak_echoes(Echoes& echoes, float falloff_m, float least_power) {
  std::uint32_t kept = 0;
  for (std::uint32_t e = 0; e < echoes.count; ++e) {
    const float range = echoes.range_m[e];
    if (is_too_weak(without_falloff(echoes.energy[e], range, falloff_m), range, least_power)) continue;
    echoes.range_m[kept] = range, echoes.energy[kept] = echoes.energy[e], echoes.sample[kept] = echoes.sample[e];
    ++kept;
  }
  if (kept > 0) echoes.count = kept;
}

/// The echo of [begin, end) with the most energy that is not in `taken`, the nearest of equal ones; kNoEcho if all are.
FATHOM_KERNEL std::uint32_t strongest_echo(const Echoes& echoes, std::uint32_t begin, std::uint32_t end,
                                           std::uint64_t taken) {
  std::uint32_t best = kNoEcho;
  for (std::uint32_t e = begin; e < end; ++e) {
    if (((taken >> e) & 1U) != 0) continue;
    if (best == kNoEcho || echoes.energy[e] > echoes.energy[best]) best = e;
  }
  return best;
}

/// The echo of [begin, end), not empty, that has this name; kNoEcho if no echo has it.
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

/// The echo of [begin, end), not empty, for a return whose echo `named` is in `taken` or is kNoEcho.
FATHOM_KERNEL std::uint32_t coinciding_echo(const Echoes& echoes, std::uint32_t begin, std::uint32_t end,
                                            std::uint32_t named, std::uint64_t taken, CoincidingReturn coinciding) {
  const bool is_next = coinciding == CoincidingReturn::kNext || coinciding == CoincidingReturn::kNextOrRepeat;
  const std::uint32_t left = is_next && named != kNoEcho ? strongest_echo(echoes, begin, end, taken) : kNoEcho;
  const bool repeats = coinciding == CoincidingReturn::kNextOrRepeat || coinciding == CoincidingReturn::kRepeat;
  if (left != kNoEcho || !repeats) return left;
  return named != kNoEcho ? named : begin;
}

/// The Simulator's law: chosen[k] := the echo that return k reports, or kNoEcho. `echoes`: by growing range
/// (join_hits). Echoes outside [low, high] count only if none is inside.
FATHOM_KERNEL void choose_by_simulator(const Echoes& echoes, const ReturnChoice* choices, std::uint32_t returns,
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

/// Robotec's law: chosen[c] := the echo that a return of the name c reports, or kNoEcho without any echo.
/// `echoes`: one for each hit, in the order of the samples. A second return is another echo only if a later one
/// displaces the first, or lies strictly between first and second; otherwise it is the first return. So the order of
/// the samples counts, and several returns may report one echo.
FATHOM_KERNEL void choose_by_robotec(const Echoes& echoes, std::uint32_t (&chosen)[kMostReturns]) {
  const float *range = echoes.range_m, *energy = echoes.energy;
  std::uint32_t first = 0, second = 0, last = 0, strongest = 0, second_strongest = 0;
  for (std::uint32_t e = 0; e < echoes.count; ++e) {
    if (range[e] < range[first]) {
      second = first;
      first = e;
    } else if (range[e] > range[first] && range[e] < range[second]) {
      second = e;
    }
    if (range[e] > range[last]) last = e;
    if (energy[e] > energy[strongest]) {
      second_strongest = strongest;
      strongest = e;
    } else if (energy[e] < energy[strongest] && energy[e] > energy[second_strongest]) {
      second_strongest = e;
    }
  }
  const std::uint32_t named[kMostReturns] = {first, second, last, strongest, second_strongest};
  for (std::uint32_t c = 0; c < kMostReturns; ++c) chosen[c] = echoes.count > 0 ? named[c] : kNoEcho;
}

/// The report of a return with an echo, or with kNoEcho.
struct ChosenReturn {
  bool met;              ///< whether it has an echo
  bool blank;            ///< it has no echo, but other returns of the ray have one
  std::uint32_t sample;  ///< the sample whose surface it shows; without an echo the centre of the ray
  float range_m;         ///< +inf without an echo
  float energy;          ///< 0 without an echo
};
FATHOM_KERNEL ChosenReturn return_of(const Echoes& echoes, std::uint32_t echo) {
  if (echo == kNoEcho) return {false, echoes.count > 0, 0, math::kInfinity, 0.0F};
  return {true, false, echoes.sample[echo], echoes.range_m[echo], echoes.energy[echo]};
}

}  // namespace fathom
