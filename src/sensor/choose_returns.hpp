// SPDX-License-Identifier: MIT
#pragma once
// Which hits of a ray's samples are its returns: two laws over the same samples. The C interface does as Robotec GPU
// Lidar does, where each hit is a return; the Simulator joins hits to echoes first (sensor/echoes.hpp).

#include <cstdint>
#include <span>

#include <fathom/sensor/returns.hpp>

namespace fathom {

/// One sample of a ray that hit something.
struct Sample {
  float distance_m, intensity;
  std::uint32_t lane;
};

/// Lanes of the five choices among the samples of a ray.
struct Chosen {
  std::uint32_t lane[kMostReturns];  ///< [ReturnChoice]
};

/// `samples`: at least one, in the order in which they were cast. A second return exists only if a later sample
/// displaces the first one, or lies strictly between first and second; otherwise it is the first return.
Chosen choose_returns(std::span<const Sample> samples);

}  // namespace fathom
