// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "base/executor.hpp"
#include "beam/em.hpp"
#include "beam/evidence.hpp"
#include "beam/maximise.hpp"

namespace fathom {

/// Fills fit.std_error and fit.naive_std_error and adds flags for near-unidentified pairs, at fit.parameters.
/// Parameters on a boundary (a weight of 0, sigma at its floor, lambda 0) and those not learned get NaN.
void add_std_errors(std::span<const Evidence> parts, const BeamSensor& sensor, const Maximum& last, bool offset_fitted,
                    Em& em, Executor& executor, Ranks* ranks, BeamFit& fit);

}  // namespace fathom
