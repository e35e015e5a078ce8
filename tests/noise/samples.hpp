// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <fathom/noise/noise.hpp>

#include "noise/blocks.hpp"

namespace fathom::test {

inline constexpr std::size_t kDraws = 1 << 20;

/// A million equal returns at (x, y, z) after the model, with the widest kernel of this computer.
inline Lanes sample(const Noise& noise, float x, float y, float z, const NoiseKey& key = {20240607, 2, 5}) {
  Lanes lanes = make_equal_lanes(kDraws, x, y, z);
  apply(noise, detect_isa(), key, lanes);
  return lanes;
}

/// f(lane) of every lane.
template <class F>
std::vector<double> values_of_lanes(const Lanes& lanes, F f) {
  std::vector<double> values(lanes.size());
  for (std::size_t i = 0; i < lanes.size(); ++i) values[i] = f(i);
  return values;
}

}  // namespace fathom::test
