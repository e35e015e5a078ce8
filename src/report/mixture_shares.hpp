// SPDX-License-Identifier: MIT
#pragma once
// How readings, and the components of a fitted model, share out over bins.

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/beam/model.hpp>
#include <fathom/beam/report.hpp>

namespace fathom {

/// Fractions of all readings that carry evidence. Arrays [bins].
struct MixtureShares {
  std::vector<double> edges;                      ///< [bins + 1]
  std::vector<double> readings;                   ///< as they are
  std::vector<double> hit, shorts, rand;          ///< as the model expects them
  double max_readings = 0.0, max_expected = 0.0;  ///< without a return
  std::size_t pairs = 0;
};

std::vector<double> even_edges(double low, double high, std::size_t bins);

/// Over the readings themselves.
MixtureShares shares_by_range(const FitReport& report, std::vector<double> edges);
/// Over readings minus the centre of the hits; pairs whose map expects nothing within Z are left out.
MixtureShares shares_by_residual(const FitReport& report, std::vector<double> edges);

/// The value below which a fraction q of the values lies; 0 without values. Reorders them.
double quantile_of(std::vector<float>& values, double q);

}  // namespace fathom
