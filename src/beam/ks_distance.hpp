// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace fathom {

/// Kolmogorov-Smirnov distance of a sample from the uniform distribution on [0, 1]. Sorts `u` in place. 0 when empty.
double ks_distance_uniform(std::span<double> u);

}  // namespace fathom
