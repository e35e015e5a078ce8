// SPDX-License-Identifier: MIT
#pragma once

namespace fathom {

/// Quantile of Student's t distribution, relative error below 1e-9, for p in (0, 1) and at least 1 degree of
/// freedom, which need not be whole.
double student_t_quantile(double p, double degrees);

}  // namespace fathom
