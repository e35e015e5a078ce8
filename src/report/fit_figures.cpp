// SPDX-License-Identifier: MIT
#include "report/fit_figures.hpp"

#include <algorithm>
#include <cmath>

#include "report/mixture_shares.hpp"
#include "report/plot.hpp"

namespace fathom {

namespace {

constexpr std::size_t kRangeBins = 72, kResidualBins = 81;

std::vector<double> sum(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> total = a;
  for (std::size_t i = 0; i < b.size(); ++i) total[i] += b[i];
  return total;
}

/// Where pictures over range end: just beyond nearly all readings that have one, at most Z.
double usual_range_m(const FitReport& report) {
  std::vector<float> readings;
  for (const float reading : report.shown.reading_m) {
    if (classify(reading, report.model.sensor) == ReadingKind::kRange) readings.push_back(reading);
  }
  const double far_m = readings.empty() ? report.model.sensor.max_range_m : 1.1 * quantile_of(readings, 0.99);
  return std::clamp(far_m, 1e-3 * report.model.sensor.max_range_m, report.model.sensor.max_range_m);
}

/// Two bars where nothing else is: readings without a return, and how many the model expects.
void draw_max_bar(Plot& plot, const MixtureShares& shares, double from_m, double to_m, double top) {
  const std::vector<double> edges = {from_m, to_m}, zero = {0.0};
  plot.fill_steps(edges, zero, std::vector<double>{shares.max_expected}, "max");
  plot.draw_line(std::vector<double>{from_m, from_m, to_m, to_m},
                 std::vector<double>{0.0, shares.max_readings, shares.max_readings, 0.0}, "data");
  const double above = std::max(shares.max_readings, shares.max_expected) + 0.02 * top;
  plot.write((from_m + to_m) / 2, std::min(above, 0.97 * top), "no return", "middle");
}

}  // namespace

std::string reading_figure(const FitReport& report, double width) {
  const double far_m = usual_range_m(report);
  const MixtureShares shares = shares_by_range(report, even_edges(0.0, far_m, kRangeBins));
  const std::vector<double> zero(shares.hit.size());
  const std::vector<double> with_shorts = sum(shares.rand, shares.shorts), all = sum(with_shorts, shares.hit);
  const double top = 1.12 * std::max({std::ranges::max(all), std::ranges::max(shares.readings), shares.max_expected,
                                      shares.max_readings});
  Plot plot("Histogram of the readings with the components of the model",
            {.low = 0.0, .high = 1.16 * far_m, .label = "reading (m)", .last_tick = far_m},
            {.low = 0.0, .high = top, .label = "share of readings"}, width);
  plot.fill_steps(shares.edges, zero, shares.rand, "rand");
  plot.fill_steps(shares.edges, shares.rand, with_shorts, "short");
  plot.fill_steps(shares.edges, with_shorts, all, "hit");
  plot.draw_steps(shares.edges, shares.readings, "data");
  draw_max_bar(plot, shares, 1.06 * far_m, 1.12 * far_m, top);
  return plot.svg();
}

std::string residual_figure(const FitReport& report) {
  const double reach_m = 10.0 * report.fit.parameters.sigma_hit_m;
  const MixtureShares shares = shares_by_residual(report, even_edges(-reach_m, reach_m, kResidualBins));
  const std::vector<double> all = sum(sum(shares.rand, shares.shorts), shares.hit);
  const PlotAxis y =
      decades_below(std::max(std::ranges::max(all), std::ranges::max(shares.readings)), "share of readings");
  Plot plot("Readings minus expected ranges near zero, with the components of the model",
            {.low = -reach_m, .high = reach_m, .label = "reading - expected range, offset included (m)"}, y);
  const std::vector<double> floor(all.size(), y.low);
  plot.fill_steps(shares.edges, floor, shares.readings, "bars");
  plot.draw_steps(shares.edges, shares.rand, "rand-line");
  plot.draw_steps(shares.edges, shares.shorts, "short-line");
  plot.draw_steps(shares.edges, shares.hit, "hit-line");
  plot.draw_steps(shares.edges, all, "model");
  return plot.svg();
}

std::string transform_figure(const FitReport& report) {
  std::vector<double> bars = report.judgement.pit_histogram;
  for (double& bar : bars) bar *= static_cast<double>(bars.size());
  Plot plot(
      "Histogram of the probability integral transform",
      {.low = 0.0, .high = 1.0, .label = "F(reading), the model's probability of less"},
      {.low = 0.0, .high = std::max(1.5, 1.1 * std::ranges::max(bars)), .label = "readings, 1: as the model says"});
  plot.fill_steps(even_edges(0.0, 1.0, bars.size()), std::vector<double>(bars.size()), bars, "pit");
  plot.draw_horizontal(1.0, "mark");
  return plot.svg();
}

std::string convergence_figure(const FitReport& report) {
  std::vector<double> x, y;
  const double rays = static_cast<double>(std::max<std::size_t>(1, report.fit.pairs));
  for (const double log_likelihood : report.fit.log_likelihood) {
    x.push_back(static_cast<double>(x.size() + 1));
    y.push_back(log_likelihood / rays);
  }
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  const double margin = std::max(0.06 * (*high - *low), 1e-9 * (1.0 + std::abs(*high)));
  Plot plot("Log-likelihood of every iteration",
            {.low = 1.0, .high = std::max(10.0, x.back()), .label = "iteration", .logarithmic = true},
            {.low = *low - margin, .high = *high + margin, .label = "log-likelihood per ray (nats)"});
  plot.draw_line(x, y, "model");
  return plot.svg();
}

}  // namespace fathom
