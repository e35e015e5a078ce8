// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <fathom/beam/fit.hpp>

#include "base/executor.hpp"
#include "beam/evidence.hpp"
#include "beam/maximise.hpp"

namespace fathom {

/// Fills what BeamFit says of errors and adds flags for few clusters and near-unidentified pairs, at fit.parameters.
/// Parameters on a boundary (a weight of 0, sigma at its floor, lambda 0) and those not learned get NaN. `scans`: of
/// all parts. Costs about three iterations, one pass over the data.
void add_std_errors(std::span<const Evidence> parts, const BeamSensor& sensor, const Maximum& last,
                    const FitOptions& options, double scans, Executor& executor, BeamFit& fit);

}  // namespace fathom
