// SPDX-License-Identifier: MIT
#pragma once
// The samples of a ray that diverges, for the Simulator and for the C interface: fathom/sensor/returns.hpp.

#include <array>

#include <fathom/sensor/returns.hpp>

namespace fathom {

/// The direction of a sample in the frame of its ray: z along the ray, x across, y up. A unit vector.
struct SampleDirection {
  float x, y, z;
};

/// The centre first, then three cones of 19, the widest first; angles are full angles of the cone: the horizontal one
/// turns about y, the vertical one about x.
std::array<SampleDirection, kDivergingSamples> diverging_samples(double horizontal_rad, double vertical_rad);

/// The share of the ray's energy that each sample stands for, in the same order; the sum is 1.
std::array<float, kDivergingSamples> sample_weights(BeamProfile profile);

}  // namespace fathom
