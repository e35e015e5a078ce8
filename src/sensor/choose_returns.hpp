// SPDX-License-Identifier: MIT
#pragma once
// Which echoes of a ray its returns report, by two laws: the Simulator's, which fathom/sensor/returns.hpp has, and that
// of Robotec GPU Lidar, which the C interface follows. For one ray, as echoes.hpp.

#include <cstdint>

#include <fathom/math/f32.hpp>
#include <fathom/sensor/returns.hpp>

#include "sensor/echoes.hpp"

namespace fathom {

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

/// The Simulator's law: chosen[k] := the echo that return k reports, or kNoEcho. `echoes`: by growing range
/// (join_hits). Those outside [low, high] count only where none is inside.
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

/// Robotec's law: chosen[c] := the echo that a return of the name c reports, or kNoEcho where there is none at all.
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

/// What a return reports that has this echo, or kNoEcho.
struct ChosenReturn {
  bool met;              ///< whether it has an echo
  bool blank;            ///< it has none, though others of the ray may
  std::uint32_t sample;  ///< whose surface it shows; without an echo the centre of the ray
  float range_m;         ///< +inf without an echo
  float energy;          ///< 0 without an echo
};
FATHOM_KERNEL ChosenReturn return_of(const Echoes& echoes, std::uint32_t echo) {
  if (echo == kNoEcho) return {false, echoes.count > 0, 0, math::kInfinity, 0.0F};
  return {true, false, echoes.sample[echo], echoes.range_m[echo], echoes.energy[echo]};
}

}  // namespace fathom
