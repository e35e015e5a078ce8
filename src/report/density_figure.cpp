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

/// The readings of the pairs in the neighbourhood, each moved as if its expected range were the centre.
struct ReadingsNear {
  std::vector<double> per_m;             // [bins]
  double beyond = 0.0, no_return = 0.0;  // shares of them: beyond the last bin, and without a return
};

ReadingsNear readings_near(const FitReport& report, const Neighbourhood& where, const std::vector<double>& edges) {
  ReadingsNear near;
  near.per_m.resize(edges.size() - 1);
  double pairs = 0.0;
  const double width_m = edges[1] - edges[0];
  for (std::size_t i = 0; i < report.shown.reading_m.size(); ++i) {
    const double expected_m = report.shown.expected_m[i], reading_m = report.shown.reading_m[i];
    const ReadingKind kind = classify(reading_m, report.model.sensor);
    if (!(std::abs(expected_m - where.center_m) <= where.half_width_m) || kind == ReadingKind::kNone) continue;
    pairs += 1.0;
    const double bin = std::floor((reading_m + where.center_m - expected_m - edges[0]) / width_m);
    if (kind == ReadingKind::kMax) {
      near.no_return += 1.0;
    } else if (bin >= static_cast<double>(near.per_m.size())) {
      near.beyond += 1.0;
    } else if (bin >= 0.0) {
      near.per_m[static_cast<std::size_t>(bin)] += 1.0;
    }
  }
  for (double& bin : near.per_m) bin /= std::max(1.0, pairs) * width_m;
  near.beyond /= std::max(1.0, pairs), near.no_return /= std::max(1.0, pairs);
  return near;
}

std::string surface_text(double center_m, double offset_m) {
  if (offset_m == 0.0) return fmt::format("z* = {:.3g} m", center_m);
  return fmt::format("z* = {:.3g} m, surface {:+.3g} m", center_m, offset_m);
}

}  // namespace

DensityFigure density_figure(const FitReport& report, double quantile) {
  const Neighbourhood where = neighbourhood_of(report, quantile);
  const BeamDensity density(report.fit.parameters, report.model.sensor, where.center_m);
  const double sigma_m = density.hit().scale();
  const double far_m = std::min(report.model.sensor.max_range_m, 1.35 * where.center_m + 4.0 * sigma_m);
  std::vector<double> x = even_edges(0.0, far_m, kCurvePoints), y;
  // The peak may be narrower than the points are apart.
  for (const double d : even_edges(-4.0, 4.0, 80))
    x.push_back(std::clamp(density.expected_m() + d * sigma_m, 0.0, far_m));
  std::sort(x.begin(), x.end());
  for (const double z : x)
    y.push_back(density.density(std::min(z, std::nexttoward(report.model.sensor.max_range_m, 0.0))));
  const std::vector<double> edges = even_edges(0.0, far_m, kDensityBins);
  const ReadingsNear near = readings_near(report, where, edges);
  const PlotAxis axis = decades_below(std::max(std::ranges::max(y), std::ranges::max(near.per_m)), "density (1/m)");
  Plot plot(fmt::format("Density of readings where {:.3g} m are expected", where.center_m),
            {.low = 0.0, .high = far_m, .label = "reading (m)"}, axis, 350, 260);
  plot.fill_steps(edges, std::vector<double>(near.per_m.size(), axis.low), near.per_m, "bars");
  plot.draw_vertical(density.expected_m(), "mark");
  plot.draw_line(x, y, "model");
  plot.write(0.02 * far_m, axis.high * 0.45, surface_text(where.center_m, report.fit.parameters.hit_offset_m));
  const double limit_m = report.model.sensor.max_range_m;
  const double beyond = far_m < limit_m ? density.cdf(std::nexttoward(limit_m, 0.0)) - density.cdf(far_m) : 0.0;
  return {plot.svg(),
          fmt::format("Beyond the axis: {:.1f} % of the readings, {:.1f} % by the model. No return: {:.1f} "
                      "%, {:.1f} %.",
                      100.0 * near.beyond, 100.0 * beyond, 100.0 * near.no_return, 100.0 * density.w_max())};
}

}  // namespace fathom
