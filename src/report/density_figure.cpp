// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "report/fit_figures.hpp"
#include "report/mixture_shares.hpp"
#include "report/plot.hpp"

namespace fathom {

namespace {

constexpr std::size_t kDensityBins = 60, kCurvePoints = 600;

/// Expected range (below Z) at a quantile of all, and how far around it readings are taken for the picture.
struct Neighbourhood {
  double center_m = 0.0, half_width_m = 0.0;
};

Neighbourhood neighbourhood_of(const FitReport& report, double quantile) {
  std::vector<float> expected;
  for (const float value : report.shown.expected_m) {
    if (!reaches(value, report.model.sensor.max_range_m)) expected.push_back(value);
  }
  if (expected.empty()) return {report.model.sensor.max_range_m, 0.0};
  const double center_m = quantile_of(expected, quantile);
  const double near_m = quantile_of(expected, std::max(0.0, quantile - 0.02));
  const double far_m = quantile_of(expected, std::min(1.0, quantile + 0.02));
  return {center_m, std::max(0.5 * (far_m - near_m), 0.25 * report.fit.parameters.sigma_hit_m)};
}

/// Readings per metre of the pairs in the neighbourhood, each moved as if its expected range were the centre. [bins]
std::vector<double> readings_near(const FitReport& report, const Neighbourhood& where,
                                  const std::vector<double>& edges) {
  std::vector<double> bins(edges.size() - 1);
  double pairs = 0.0;
  const double width_m = edges[1] - edges[0];
  for (std::size_t i = 0; i < report.shown.reading_m.size(); ++i) {
    const double expected_m = report.shown.expected_m[i], reading_m = report.shown.reading_m[i];
    const ReadingKind kind = classify(reading_m, report.model.sensor);
    if (!(std::abs(expected_m - where.center_m) <= where.half_width_m) || kind == ReadingKind::kNone) continue;
    pairs += 1.0;
    if (kind == ReadingKind::kMax) continue;
    const double bin = std::floor((reading_m + where.center_m - expected_m - edges[0]) / width_m);
    if (bin >= 0.0 && bin < static_cast<double>(bins.size())) bins[static_cast<std::size_t>(bin)] += 1.0;
  }
  for (double& bin : bins) bin /= std::max(1.0, pairs) * width_m;
  return bins;
}

}  // namespace

std::string density_figure(const FitReport& report, double quantile) {
  const Neighbourhood where = neighbourhood_of(report, quantile);
  const double sigma_m = report.fit.parameters.sigma_hit_m;
  const double far_m = std::min(report.model.sensor.max_range_m, 1.35 * where.center_m + 4.0 * sigma_m);
  const BeamDensity density(report.fit.parameters, report.model.sensor, where.center_m);
  std::vector<double> x = even_edges(0.0, far_m, kCurvePoints), y;
  // The peak may be narrower than the points are apart.
  for (const double d : even_edges(-4.0, 4.0, 80))
    x.push_back(std::clamp(density.expected_m() + d * sigma_m, 0.0, far_m));
  std::sort(x.begin(), x.end());
  for (const double z : x)
    y.push_back(density.density(std::min(z, std::nexttoward(report.model.sensor.max_range_m, 0.0))));
  const std::vector<double> edges = even_edges(0.0, far_m, kDensityBins);
  const std::vector<double> bars = readings_near(report, where, edges);
  const PlotAxis axis = decades_below(std::max(std::ranges::max(y), std::ranges::max(bars)), "density (1/m)");
  Plot plot(fmt::format("Density of readings where {:.3g} m are expected", where.center_m),
            {.low = 0.0, .high = far_m, .label = "reading (m)"}, axis, 350, 260);
  plot.fill_steps(edges, std::vector<double>(bars.size(), axis.low), bars, "bars");
  plot.draw_vertical(where.center_m, "mark");
  plot.draw_line(x, y, "model");
  plot.write(0.02 * far_m, axis.high * 0.45, fmt::format("z* = {:.3g} m", where.center_m));
  return plot.svg();
}

}  // namespace fathom
