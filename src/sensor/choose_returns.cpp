// SPDX-License-Identifier: MIT
#include "sensor/choose_returns.hpp"

namespace fathom {

Chosen choose_returns(std::span<const Sample> samples) {
  Sample first = samples[0], second = first, last = first, strongest = first, second_strongest = first;
  for (const Sample& s : samples) {
    if (s.distance_m < first.distance_m) {
      second = first;
      first = s;
    } else if (s.distance_m > first.distance_m && s.distance_m < second.distance_m) {
      second = s;
    }
    if (s.distance_m > last.distance_m) last = s;
    if (s.intensity > strongest.intensity) {
      second_strongest = strongest;
      strongest = s;
    } else if (s.intensity < strongest.intensity && s.intensity > second_strongest.intensity) {
      second_strongest = s;
    }
  }
  return {{first.lane, second.lane, last.lane, strongest.lane, second_strongest.lane}};
}

}  // namespace fathom
