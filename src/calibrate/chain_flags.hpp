// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Says in ChainFit::flags what a reader of its parameters and errors has to know. `knows_points`: whether the returns
/// tell where points lie beside their rays.
void add_flags(ChainFit& fit, std::span<const FreeNumber> numbers, bool knows_points);

/// Says where the learned angle leaves the nodes, or is too small for them to show it.
void add_angle_flags(const TurnedRays& rays, ChainFit& fit);

}  // namespace fathom
