// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/numbers.hpp"
#include "fit/report/figures.hpp"

namespace fathom {

double usual_range_m(const FitReport& report) {
  std::vector<float> readings;
  for (const float reading : report.shown.reading_m) {
    if (classify(reading, report.model.sensor) == ReadingKind::kRange) readings.push_back(reading);
  }
  const double far_m = readings.empty() ? report.model.sensor.max_range_m : 1.1 * quantile_of(readings, 0.99);
  return std::clamp(far_m, 1e-3 * report.model.sensor.max_range_m, report.model.sensor.max_range_m);
}

double usual_sigma_m(const FitReport& report) {
  const BeamParameters& p = report.fit.model;
  if (p.tail.hit != HitLaw::kGrows) return p.sigma_hit_m;
  std::vector<float> expected;
  for (const float value : report.shown.expected_m) {
    if (!reaches(value, report.model.sensor.max_range_m)) expected.push_back(value);
  }
  return p.sigma_hit_m + p.tail.sigma_hit_per_m * quantile_of(expected, 0.5);
}

namespace {

constexpr std::size_t kRangeBins = 72, kResidualBins = 81;
constexpr std::size_t kDensityBins = 60, kCurvePoints = 600;
constexpr double kResidualSigmas = 10.0;

/// Layers of the components, one on the other, from the floor up. [bins] each.
struct Layers {
  std::vector<double> rand, with_shorts, all, readings;

  explicit Layers(std::span<const MixtureBin> bins) {
    for (const MixtureBin& bin : bins) {
      rand.push_back(bin.rand);
      with_shorts.push_back(bin.rand + bin.shorts);
      all.push_back(bin.expected());
      readings.push_back(bin.readings);
    }
  }
  [[nodiscard]] double top() const { return std::max(std::ranges::max(all), std::ranges::max(readings)); }
};

/// The outline of one bar.
void draw_outline(Plot& plot, double from, double to, double top, std::string_view css_class) {
  plot.draw_line(std::vector<double>{from, from, to, to}, std::vector<double>{0.0, top, top, 0.0}, css_class);
}

/// A separate bar with its name above it: the model's share is filled, the share of readings is an outline.
struct LoneBar {
  double from_m, to_m, top;  ///< top: of the axis
  void name(Plot& plot, std::string_view text, double expected, double readings) const {
    const double above = std::max(readings, expected) + 0.02 * top;
    plot.write((from_m + to_m) / 2, std::min(above, 0.97 * top), text, "middle");
  }
};

void fill_layers(Plot& plot, const std::vector<double>& edges, const Layers& layers, const std::string& more_class) {
  plot.fill_steps(edges, {}, layers.rand, "rand" + more_class);
  plot.fill_steps(edges, layers.rand, layers.with_shorts, "short" + more_class);
  plot.fill_steps(edges, layers.with_shorts, layers.all, "hit" + more_class);
}

void draw_beyond_bar(Plot& plot, const MixtureBin& beyond, const LoneBar& bar) {
  fill_layers(plot, {bar.from_m, bar.to_m}, Layers({&beyond, 1}), " beyond");
  draw_outline(plot, bar.from_m, bar.to_m, beyond.readings, "data beyond");
  bar.name(plot, "beyond", beyond.expected(), beyond.readings);
}

void draw_max_bar(Plot& plot, const MixtureShares& shares, const LoneBar& bar) {
  plot.fill_steps(std::vector<double>{bar.from_m, bar.to_m}, {}, std::vector<double>{shares.max_expected}, "max");
  draw_outline(plot, bar.from_m, bar.to_m, shares.max_readings, "data");
  bar.name(plot, "no return", shares.max_expected, shares.max_readings);
}

/// Shares about the expected surface as steps: readings filled, the model and its components as lines.
void draw_residuals(Plot& plot, const std::vector<double>& edges, std::span<const MixtureBin> bins,
                    const std::string& more_class) {
  const Layers layers(bins);
  std::vector<double> shorts, hit;
  for (const MixtureBin& bin : bins) shorts.push_back(bin.shorts), hit.push_back(bin.hit);
  plot.fill_steps(edges, {}, layers.readings, "bars" + more_class);
  plot.draw_steps(edges, layers.rand, "rand-line" + more_class);
  plot.draw_steps(edges, shorts, "short-line" + more_class);
  plot.draw_steps(edges, hit, "hit-line" + more_class);
  plot.draw_steps(edges, layers.all, "model" + more_class);
}

/// The share of each component under the fitted model is stacked behind the readings. Readings beyond the axis, and
/// lost ones, have separate bars.
std::string reading_figure(const FitReport& report) {
  const double far_m = usual_range_m(report);
  const bool has_beyond = far_m < report.model.sensor.max_range_m;
  const MixtureShares shares = shares_by_range(report, even_edges(0.0, far_m, kRangeBins));
  const Layers layers(shares.bins);
  const double top = 1.12 * std::max({layers.top(), shares.max_expected, shares.max_readings, shares.beyond.expected(),
                                      shares.beyond.readings});
  // Each lone bar has a slot that is wide enough for its name.
  const double inner_px = Plot::kWidth - Plot::kMargins, slot_px = 60.0, bar_px = 26.0;
  const double m_per_px = far_m / (inner_px - (has_beyond ? 2 : 1) * slot_px);
  Plot plot("Histogram of the readings with the components of the model",
            {.low = 0.0, .high = inner_px * m_per_px, .label = "reading (m)", .last_tick = far_m},
            {.low = 0.0, .high = top, .label = "share of readings"});
  fill_layers(plot, shares.edges, layers, "");
  plot.draw_steps(shares.edges, layers.readings, "data");
  const auto slot = [&](double n) {
    const double middle_m = far_m + (n + 0.5) * slot_px * m_per_px;
    return LoneBar{middle_m - bar_px / 2 * m_per_px, middle_m + bar_px / 2 * m_per_px, top};
  };
  if (has_beyond) draw_beyond_bar(plot, shares.beyond, slot(0));
  draw_max_bar(plot, shares, slot(has_beyond ? 1 : 0));
  return plot.svg();
}

/// Near zero, on a logarithmic scale; readings farther off are in a bar at either end.
std::string residual_figure(const FitReport& report) {
  const double reach_m = kResidualSigmas * usual_sigma_m(report);
  const MixtureShares shares = shares_by_residual(report, even_edges(-reach_m, reach_m, kResidualBins));
  const double ends =
      std::max({shares.below.expected(), shares.below.readings, shares.beyond.expected(), shares.beyond.readings});
  const PlotAxis y = decades_below(std::max(Layers(shares.bins).top(), ends), "share of readings");
  const double end_m = 1.17 * reach_m, bar_from_m = 1.05 * reach_m, bar_to_m = 1.13 * reach_m;
  Plot plot("Readings minus expected ranges near zero, with the components of the model",
            {.low = -end_m,
             .high = end_m,
             .label = "reading - expected range, offset included (m)",
             .last_tick = reach_m,
             .first_tick = -reach_m},
            y);
  draw_residuals(plot, shares.edges, shares.bins, "");
  draw_residuals(plot, {-bar_to_m, -bar_from_m}, {&shares.below, 1}, " nearer");
  draw_residuals(plot, {bar_from_m, bar_to_m}, {&shares.beyond, 1}, " beyond");
  plot.write(-end_m, 0.6 * y.high, "nearer");
  plot.write(end_m, 0.6 * y.high, "beyond", "end");
  return plot.svg();
}

std::string transform_figure(const FitReport& report) {
  std::vector<double> bars = report.judgement.pit_histogram;
  for (double& bar : bars) bar *= static_cast<double>(bars.size());
  Plot plot(
      "Histogram of the probability integral transform",
      {.low = 0.0, .high = 1.0, .label = "F(reading), the model's probability of less"},
      {.low = 0.0, .high = std::max(1.5, 1.1 * std::ranges::max(bars)), .label = "readings, 1: as the model says"});
  plot.fill_steps(even_edges(0.0, 1.0, bars.size()), {}, bars, "pit");
  plot.draw_horizontal(1.0, "mark");
  return plot.svg();
}

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
  return {center_m, std::max(0.5 * (far_m - near_m), 0.25 * report.fit.model.sigma_hit_m)};
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

Report::Figure density_figure(const FitReport& report, double quantile) {
  const Neighbourhood where = neighbourhood_of(report, quantile);
  const BeamDensity density(report.fit.model, report.model.sensor, where.center_m);
  const double sigma_m = density.hit().scale();
  const double far_m = std::min(report.model.sensor.max_range_m, 1.35 * where.center_m + 4.0 * sigma_m);
  std::vector<double> x = even_edges(0.0, far_m, kCurvePoints), y;
  // The peak may be narrower than the points are apart.
  for (const double d : even_edges(-4.0, 4.0, 80))
    x.push_back(std::clamp(density.expected_m() + d * sigma_m, 0.0, far_m));
  std::ranges::sort(x);
  for (const double z : x)
    y.push_back(density.density(std::min(z, std::nexttoward(report.model.sensor.max_range_m, 0.0))));
  const std::vector<double> edges = even_edges(0.0, far_m, kDensityBins);
  const ReadingsNear near = readings_near(report, where, edges);
  const PlotAxis axis = decades_below(std::max(std::ranges::max(y), std::ranges::max(near.per_m)), "density (1/m)");
  Plot plot(fmt::format("Density of readings where {:.3g} m are expected", where.center_m),
            {.low = 0.0, .high = far_m, .label = "reading (m)"}, axis, 350, 260);
  plot.fill_steps(edges, {}, near.per_m, "bars");
  plot.draw_vertical(density.expected_m(), "mark");
  plot.draw_line(x, y, "model");
  plot.write(0.02 * far_m, axis.high * 0.45, surface_text(where.center_m, report.fit.model.hit_offset_m));
  const double limit_m = report.model.sensor.max_range_m;
  const double beyond = far_m < limit_m ? density.cdf(std::nexttoward(limit_m, 0.0)) - density.cdf(far_m) : 0.0;
  return {.picture = plot.svg(),
          .caption = fmt::format(
              "Beyond the axis: {:.1f} % of the readings, {:.1f} % by the model. No return: {:.1f} %, {:.1f} %.",
              100.0 * near.beyond, 100.0 * beyond, 100.0 * near.no_return, 100.0 * density.w_max())};
}

std::vector<Report::Figure> reading_figures(const FitReport& report) {
  return {{.picture = reading_figure(report),
           .keys = {patch("var(--hit)", "hit"), patch("var(--short)", "short"), patch("var(--rand)", "random"),
                    patch("var(--max)", "no return"), stroke("var(--ink)", "readings")},
           .caption = ". Components as the model expects them on these rays, stacked; the line is what was read."},
          {.picture = residual_figure(report),
           .keys = {stroke("#b3202c", "model"), stroke("var(--hit)", "hit"), stroke("var(--short)", "short"),
                    stroke("#7d8a97", "random"), patch("#d5dce3", "readings")},
           .caption = ". How the readings lie about the surface that the map expects."},
          {.picture = transform_figure(report),
           .caption = fmt::format("Probability integral transform: level where the model describes every reading. "
                                  "Largest distance of its cdf from the diagonal: {:.3f}.",
                                  report.judgement.ks_distance)}};
}

std::vector<Report::Figure> density_figures(const FitReport& report) {
  std::vector<Report::Figure> figures = {{.picture = "",
                                          .keys = {stroke("#b3202c", "density of the model"),
                                                   patch("#d5dce3", "readings of rays that expect nearly that range")},
                                          .caption = ". The dashed line is the surface, its offset included."}};
  for (const double quantile : {0.2, 0.5, 0.8}) figures.push_back(density_figure(report, quantile));
  return figures;
}

std::string convergence_figure(const FitReport& report) {
  std::vector<double> x, y;
  const double rays = static_cast<double>(std::max<std::size_t>(1, report.fit.readings));
  for (const double log_likelihood : report.fit.log_likelihood_by_iteration) {
    x.push_back(static_cast<double>(x.size() + 1));
    y.push_back(log_likelihood / rays);
  }
  const auto [low, high] = std::ranges::minmax_element(y);
  const double margin = std::max(0.06 * (*high - *low), 1e-9 * (1.0 + std::abs(*high)));
  Plot plot("Log-likelihood of every iteration",
            {.low = 1.0, .high = std::max(10.0, x.back()), .label = "iteration", .logarithmic = true},
            {.low = *low - margin, .high = *high + margin, .label = "log-likelihood per ray (nats)"});
  plot.draw_line(x, y, "model");
  return plot.svg();
}

}  // namespace fathom
