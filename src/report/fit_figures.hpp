// SPDX-License-Identifier: MIT
#pragma once
// The figures of a fit, as SVG.

#include <string>

#include <fathom/beam/report.hpp>

namespace fathom {

/// Where pictures over range end: just beyond nearly all readings that have one, at most Z.
double usual_range_m(const FitReport& report);

/// The deviation of hits, or the scale of student_t; where it grows, at the median of the expected ranges.
double usual_sigma_m(const FitReport& report);

/// Readings by range, the share of each component under the fitted model stacked behind them; readings beyond
/// the axis and those without a return stand apart. `width` in CSS pixels.
std::string reading_figure(const FitReport& report, double width);
/// Readings minus where hits are expected, near zero, on a logarithmic scale; those farther off in a bar at either end.
std::string residual_figure(const FitReport& report);
/// Density of readings for an expected range near the given quantile of the expected ranges, and readings there. The
/// caption says, as HTML, what lies off the axis.
struct DensityFigure {
  std::string svg, caption;
};
DensityFigure density_figure(const FitReport& report, double quantile);
/// Histogram of the probability integral transform, 1 where the model is right.
std::string transform_figure(const FitReport& report);
/// Log-likelihood per ray over the iterations.
std::string convergence_figure(const FitReport& report);

}  // namespace fathom
