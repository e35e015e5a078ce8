// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <fathom/parts/tracer.hpp>

namespace fathom {

/// The direction of a sample in the frame of its beam.
struct SampleDirection {
  float x, y, z;
};

/// The centre first, then three cones of 19, the widest first; angles are full angles of the cone.
std::array<SampleDirection, kBeamSamples> beam_samples(double horizontal_rad, double vertical_rad);

}  // namespace fathom
