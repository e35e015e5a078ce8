// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <fathom/beam/likelihood_field.hpp>

namespace fathom {

/// Fills what FieldFit says of errors, at fit.model, and adds flags of boundaries and few clusters. A parameter on a
/// boundary has none. `count`: [levels], how many readings end at each. `floor_m`: of sigma.
void add_field_errors(const FieldData& data, const DistanceField& field, std::span<const double> count, double floor_m,
                      const FieldFitOptions& options, FieldFit& fit);

}  // namespace fathom
