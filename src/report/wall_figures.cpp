// SPDX-License-Identifier: MIT
#include "report/wall_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "picture/palette.hpp"
#include "report/plot.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastInFill = 20;
constexpr std::uint32_t kBesideWall = 8, kLeastPictureRows = 64;
constexpr Rgb kOtherColor = {200, 200, 206};

std::vector<Report::Key> wall_keys() {
  return {stroke("var(--hit)", "measured"), stroke("#b3202c", "simulated with what was learned")};
}

/// The frame with a wall in the middle of the list.
std::size_t shown_frame(const WallReport& report) {
  const std::vector<WallPlane>& planes = report.fit.measure.planes;
  for (std::size_t k = planes.size() / 2; k < planes.size(); ++k) {
    if (planes[k].is_found) return k;
  }
  std::size_t frame = 0;
  while (!planes[frame].is_found) ++frame;
  return frame;
}

std::span<const float> residual_of(const WallReport& report, const WallMeasure& measure) {
  const std::size_t rays = report.fit.sensor.rays();
  return std::span(measure.residual).subspan(shown_frame(report) * rays, rays);
}

/// Columns of a frame, the last included.
struct Columns {
  std::uint32_t first = 0, last = 0;
};

/// All of an image; of a lidar, those about what was measured of the wall, which is a small part of its turn.
Columns shown_columns(const WallReport& report) {
  const WallSensor& sensor = report.fit.sensor;
  Columns shown = {.first = 0, .last = sensor.cols - 1};
  if (!sensor.lidar) return shown;
  const std::span<const float> residual = residual_of(report, report.fit.measure);
  std::uint32_t first = sensor.cols, last = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    if (std::isnan(residual[i])) continue;
    const auto col = static_cast<std::uint32_t>(i % sensor.cols);
    first = std::min(first, col), last = std::max(last, col);
  }
  if (first > last) return shown;
  return {.first = first - std::min(first, kBesideWall), .last = std::min(sensor.cols - 1, last + kBesideWall)};
}

std::string residual_picture(const WallReport& report, const WallMeasure& measure, double scale,
                             std::string_view title) {
  const WallSensor& sensor = report.fit.sensor;
  const std::span<const float> residual = residual_of(report, measure);
  const std::size_t first = shown_frame(report) * sensor.rays();
  const Columns columns = shown_columns(report);
  // Few rings are drawn thick.
  const std::uint32_t thick = sensor.lidar ? std::max(1U, kLeastPictureRows / sensor.rows) : 1U;
  Image image(columns.last - columns.first + 1, sensor.rows * thick, kLostColor);
  for (std::size_t k = 0; k < image.pixels.size(); ++k) {
    const std::size_t i = k / image.width / thick * sensor.cols + columns.first + k % image.width;
    const WallPixel pixel = measure.pixels[first + i];
    if (pixel == WallPixel::kWall) {
      image.pixels[k] = signed_color(scale > 0.0 ? double{residual[i]} / scale : 0.0);
    } else if (pixel != WallPixel::kLost) {
      image.pixels[k] = kOtherColor;
    }
  }
  return embedded_picture(image, title);
}

std::vector<Report::Figure> residual_pictures(const WallReport& report) {
  const double scale = residual_scale(residual_of(report, report.fit.measure));
  const double shown_scale = in_disparity(report) ? scale : 1e3 * scale;
  const std::vector<Report::Key> keys = {
      patch(css(kLowColor), fmt::format("-{:.2g}", shown_scale)),
      patch(css(kHighColor), fmt::format("{:.2g} {}", shown_scale, in_disparity(report) ? "px" : "mm")),
      patch(css(kLostColor), "lost"), patch(css(kOtherColor), "other or not known")};
  const auto shown = [&](const WallMeasure& measure, const std::string& what) {
    return Report::Figure{.picture = residual_picture(report, measure, scale, what + ": errors of a frame"),
                          .lead = what + ": ",
                          .keys = keys};
  };
  return {shown(report.fit.measure, "Measured"), shown(report.simulated, "Simulated")};
}

/// Errors of one scan against azimuth.
std::vector<Report::Figure> residual_lines(const WallReport& report) {
  const std::vector<double>& azimuth = report.fit.sensor.azimuth_rad;
  double low = 1e9, high = -1e9, top_m = 1e-9;
  const auto take = [&](const WallMeasure& measure) {
    const std::span<const float> residual = residual_of(report, measure);
    for (std::size_t i = 0; i < residual.size(); ++i) {
      if (std::isnan(residual[i])) continue;
      const double degrees = azimuth[i] * 180.0 / std::numbers::pi;
      low = std::min(low, degrees), high = std::max(high, degrees);
      top_m = std::max(top_m, std::abs(double{residual[i]}));
    }
  };
  take(report.fit.measure), take(report.simulated);
  const LengthUnit unit = length_unit(top_m);
  const double top = 1.1 * unit.per_m * top_m;
  const auto draw = [&](const WallMeasure& measure, const char* css_class, const std::string& what) {
    Plot plot(what + ": errors of a scan", {.low = low, .high = high, .label = "azimuth (degrees)"},
              {.low = -top, .high = top, .label = fmt::format("error ({})", unit.symbol)});
    const std::span<const float> residual = residual_of(report, measure);
    plot.draw_horizontal(0.0, "mark");
    std::vector<double> x, y;
    for (std::size_t i = 0; i <= residual.size(); ++i) {
      if (i < residual.size() && !std::isnan(residual[i])) {
        x.push_back(azimuth[i] * 180.0 / std::numbers::pi), y.push_back(unit.per_m * double{residual[i]});
        continue;
      }
      if (!x.empty()) plot.draw_line(x, y, css_class);
      x.clear(), y.clear();
    }
    return Report::Figure{.picture = plot.svg(), .caption = what + ", one scan"};
  };
  return {draw(report.fit.measure, "hit-line", "Measured"), draw(report.simulated, "model", "Simulated")};
}

template <class Value>
void draw_bins(Plot& plot, const std::vector<WallBin>& bins, std::string_view css_class, Value value) {
  std::vector<double> x, y;
  for (const WallBin& bin : bins) {
    const double at = value(bin);
    if (std::isnan(at)) continue;
    x.push_back(0.5 * (bin.low + bin.high)), y.push_back(at);
  }
  plot.draw_line(x, y, css_class);
}

double fill_of(const WallBin& bin) { return bin.readings + bin.lost >= kLeastInFill ? bin.fill() : std::nan(""); }

std::string fill_figure(const WallReport& report, std::vector<WallBin> WallMeasure::*bins, std::string_view title,
                        const PlotAxis& x) {
  Plot plot(title, x, {.low = 0.0, .high = 1.05, .label = "share that came back", .last_tick = 1.0});
  if (report.fit.measure.knows_losses) {
    draw_bins(plot, report.fit.measure.*bins, "hit-line", fill_of);
    draw_bins(plot, report.simulated.*bins, "model", fill_of);
  }
  return plot.svg();
}

void draw_correlation(Plot& plot, const std::vector<Estimate>& estimates, double last, const std::string& css_class) {
  if (estimates.empty()) return;
  std::vector<double> x = {0.0}, y = {1.0};
  for (const Estimate& e : estimates) {
    if (!std::isfinite(e.value) || static_cast<double>(x.size()) > last) break;
    x.push_back(static_cast<double>(x.size())), y.push_back(e.value);
  }
  plot.draw_line(x, y, css_class);
}

/// The lag beyond which nothing is to be seen.
double last_lag(const WallMeasure& measure) {
  std::size_t last = 8;
  for (const std::vector<Estimate>* estimates : {&measure.across, &measure.down}) {
    for (std::size_t lag = 1; lag <= estimates->size(); ++lag) {
      if ((*estimates)[lag - 1].value > 0.05) last = std::max(last, lag + 2);
    }
  }
  return static_cast<double>(std::min(last, WallMeasure::kLags));
}

Report::Figure wall_error_figure(const WallReport& report) {
  const WallMeasure& m = report.fit.measure;
  std::vector<double> edges;
  for (std::size_t k = 0; k <= WallMeasure::kErrorBins; ++k) {
    edges.push_back(WallMeasure::kErrorSpan * (2.0 * static_cast<double>(k) / WallMeasure::kErrorBins - 1.0));
  }
  const double top =
      std::max(*std::max_element(m.error_shares.begin(), m.error_shares.end()),
               *std::max_element(report.simulated.error_shares.begin(), report.simulated.error_shares.end()));
  Plot plot("Errors by their deviation", {.low = -5.0, .high = 5.0, .label = "error / its deviation"},
            {.low = 0.0, .high = 1.15 * top, .label = "share of the readings"});
  plot.fill_steps(edges, std::vector<double>(WallMeasure::kErrorBins, 0.0), m.error_shares, "bars");
  plot.draw_steps(edges, report.simulated.error_shares, "model");
  return {.picture = plot.svg(),
          .keys = {patch("#d5dce3", "measured"), stroke("#b3202c", "simulated with what was learned")}};
}

Report::Figure wall_range_figure(const WallReport& report) {
  const bool px = in_disparity(report);
  const auto value = [&](const WallBin& bin) { return px ? bin.deviation_px : bin.deviation_m; };
  const std::vector<WallBin>& bins = report.fit.measure.by_range;
  double top = 0.0;
  for (const std::vector<WallBin>* of : {&bins, &report.simulated.by_range}) {
    for (const WallBin& bin : *of) {
      if (!std::isnan(value(bin))) top = std::max(top, value(bin));
    }
  }
  const LengthUnit unit = px ? LengthUnit{.per_m = 1.0, .symbol = "px"} : length_unit(top);
  const auto deviation = [&](const WallBin& bin) { return unit.per_m * value(bin); };
  top = top > 0.0 ? unit.per_m * top : 1.0;
  Plot plot("Deviation of the error by range",
            {.low = std::min(0.0, bins.front().low), .high = bins.back().high, .label = "range (m)"},
            {.low = 0.0,
             .high = 1.15 * top,
             .label = fmt::format("deviation{} ({})", px ? " of disparity" : "", unit.symbol)});
  draw_bins(plot, bins, "hit-line", deviation);
  draw_bins(plot, report.simulated.by_range, "model", deviation);
  return {.picture = plot.svg(), .keys = wall_keys()};
}

Report::Figure wall_correlation_figure(const WallReport& report) {
  const WallMeasure &m = report.fit.measure, &s = report.simulated;
  const double last = last_lag(m);
  const std::string label = fmt::format("apart ({}{})", step_word(report), m.in_time.empty() ? "" : ", frames");
  Plot plot("Correlation of the error", {.low = 0.0, .high = last, .label = label},
            {.low = -0.1, .high = 1.0, .label = "correlation"});
  plot.draw_horizontal(0.0, "mark");
  draw_correlation(plot, m.across, last, "hit-line"), draw_correlation(plot, m.down, last, "short-line");
  draw_correlation(plot, m.in_time, last, "time-line");
  draw_correlation(plot, s.across, last, "hit-line simulated"),
      draw_correlation(plot, s.down, last, "short-line simulated");
  draw_correlation(plot, s.in_time, last, "time-line simulated");
  std::vector<Report::Key> keys = {stroke("var(--hit)", "across")};
  if (!m.down.empty()) keys.push_back(stroke("var(--short)", "down"));
  if (!m.in_time.empty()) keys.push_back(stroke("var(--max)", "in time"));
  return {.picture = plot.svg(), .keys = std::move(keys), .caption = "; dashed: simulated"};
}

Report::Figure wall_fill_by_incidence(const WallReport& report) {
  return {.picture = fill_figure(report, &WallMeasure::by_incidence, "Share of rays that came back, by incidence",
                                 {.low = 0.0, .high = 90.0, .label = "incidence (degrees)"}),
          .keys = wall_keys()};
}

Report::Figure wall_fill_by_range(const WallReport& report) {
  const std::vector<WallBin>& bins = report.fit.measure.by_range;
  return {
      .picture = fill_figure(report, &WallMeasure::by_range, "Share of rays that came back, by range",
                             {.low = std::min(0.0, bins.front().low), .high = bins.back().high, .label = "range (m)"}),
      .keys = wall_keys()};
}

}  // namespace

bool has_rows(const WallReport& report) { return report.fit.sensor.camera || report.fit.sensor.lidar; }

std::string step_word(const WallReport& report) { return report.fit.sensor.camera ? "px" : "rays"; }

bool in_disparity(const WallReport& report) {
  return report.fit.sensor.camera && report.fit.sensor.camera->baseline_m > 0.0;
}

std::vector<Report::Figure> wall_residuals(const WallReport& report) {
  return has_rows(report) ? residual_pictures(report) : residual_lines(report);
}

std::vector<Report::Figure> wall_curves(const WallReport& report) {
  return {wall_error_figure(report), wall_range_figure(report), wall_correlation_figure(report),
          wall_fill_by_incidence(report), wall_fill_by_range(report)};
}

}  // namespace fathom
