// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fit/report/figures.hpp"
#include "io/picture/painter.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastInFill = 20;
constexpr std::uint32_t kBesideWall = 8, kLeastPictureRows = 64;
constexpr Rgb kOtherColor = {200, 200, 206};  // of pixels that are not looked at
constexpr const char *kModelColor = "#b3202c", *kSimulated = "simulated with what was learned";

/// An image whose pixel i has the colour f(i).
template <class F>
std::string picture_of(std::uint32_t cols, std::uint32_t rows, std::string_view title, F color) {
  Image image(cols, rows, kLostColor);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = color(i);
  return embedded_picture(image, title);
}

Rgb error_color(float error, double scale) { return signed_color(scale > 0.0 ? double{error} / scale : 0.0); }

std::vector<Report::Key> error_keys(double scale, std::string_view unit) {
  return {patch(css(kLowColor), fmt::format("-{:.2g}", scale)),
          patch(css(kHighColor), fmt::format("{:.2g} {}", scale, unit))};
}

/// From 1 at lag 0 to the last lag that is known, at most `last`.
void draw_correlation(Plot& plot, const std::vector<Estimate>& estimates, double last, const std::string& css_class) {
  if (estimates.empty()) return;
  std::vector<double> x = {0.0}, y = {1.0};
  for (const Estimate& e : estimates) {
    if (!std::isfinite(e.value) || static_cast<double>(x.size()) > last) break;
    x.push_back(static_cast<double>(x.size())), y.push_back(e.value);
  }
  plot.draw_line(x, y, css_class);
}

/// Measured or simulated.
struct WallSide {
  const WallMeasure& measure;
  const char* css_class;
  std::string word;
};

std::array<WallSide, 2> sides_of(const WallReport& report) {
  return {{{report.fit.measure, "hit-line", "Measured"}, {report.simulated, "model", "Simulated"}}};
}

/// The frame in the middle of the list, or the next one with a wall.
std::size_t shown_frame(const WallReport& report) {
  const std::vector<WallMeasure::Plane>& planes = report.fit.measure.planes;
  std::size_t frame = planes.size() / 2;
  while (!planes[frame].is_found) frame = (frame + 1) % planes.size();
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

/// All of an image; of a lidar, those about the measured wall, which is a small part of its turn.
Columns shown_columns(const WallReport& report) {
  const WallSensor& sensor = report.fit.sensor;
  const Columns all = {.first = 0, .last = sensor.cols - 1};
  if (!sensor.lidar) return all;
  const std::span<const float> residual = residual_of(report, report.fit.measure);
  std::uint32_t first = sensor.cols, last = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    if (std::isnan(residual[i])) continue;
    const auto col = static_cast<std::uint32_t>(i % sensor.cols);
    first = std::min(first, col), last = std::max(last, col);
  }
  if (first > last) return all;
  return {.first = first - std::min(first, kBesideWall), .last = std::min(sensor.cols - 1, last + kBesideWall)};
}

std::vector<Report::Figure> residual_pictures(const WallReport& report) {
  const WallSensor& sensor = report.fit.sensor;
  const double scale = residual_scale(residual_of(report, report.fit.measure));
  const bool px = in_disparity(report);
  std::vector<Report::Key> keys = error_keys(px ? scale : 1e3 * scale, px ? "px" : "mm");
  keys.push_back(patch(css(kLostColor), "lost")), keys.push_back(patch(css(kOtherColor), "other or not known"));
  const Columns columns = shown_columns(report);
  const std::uint32_t width = columns.last - columns.first + 1;
  // Few rings are drawn thick.
  const std::uint32_t thick = sensor.lidar ? std::max(1U, kLeastPictureRows / sensor.rows) : 1U;
  std::vector<Report::Figure> figures;
  for (const WallSide& side : sides_of(report)) {
    const std::span<const float> residual = residual_of(report, side.measure);
    const WallMeasure::Pixel* pixels = &side.measure.pixels[shown_frame(report) * sensor.rays()];
    const auto color = [&](std::size_t k) {
      const std::size_t i = k / width / thick * sensor.cols + columns.first + k % width;
      if (pixels[i] == WallMeasure::Pixel::kWall) return error_color(residual[i], scale);
      return pixels[i] == WallMeasure::Pixel::kLost ? kLostColor : kOtherColor;
    };
    figures.push_back({.picture = picture_of(width, sensor.rows * thick, side.word + ": errors of a frame", color),
                       .lead = side.word + ": ",
                       .keys = keys});
  }
  return figures;
}

/// Errors of one scan against azimuth.
std::vector<Report::Figure> residual_lines(const WallReport& report) {
  std::vector<double> degrees;
  for (const double azimuth : report.fit.sensor.azimuth_rad) degrees.push_back(azimuth * 180.0 / std::numbers::pi);
  double low = 1e9, high = -1e9, top_m = 1e-9;
  for (const WallSide& side : sides_of(report)) {
    const std::span<const float> residual = residual_of(report, side.measure);
    for (std::size_t i = 0; i < residual.size(); ++i) {
      if (std::isnan(residual[i])) continue;
      low = std::min(low, degrees[i]), high = std::max(high, degrees[i]);
      top_m = std::max(top_m, std::abs(double{residual[i]}));
    }
  }
  const LengthUnit unit = length_unit(top_m);
  const double top = 1.1 * unit.per_m * top_m;
  std::vector<Report::Figure> figures;
  for (const WallSide& side : sides_of(report)) {
    Plot plot(side.word + ": errors of a scan", {.low = low, .high = high, .label = "azimuth (degrees)"},
              {.low = -top, .high = top, .label = fmt::format("error ({})", unit.symbol)});
    const std::span<const float> residual = residual_of(report, side.measure);
    plot.draw_horizontal(0.0, "mark");
    std::vector<double> x, y;
    for (std::size_t i = 0; i <= residual.size(); ++i) {
      if (i < residual.size() && !std::isnan(residual[i])) {
        x.push_back(degrees[i]), y.push_back(unit.per_m * double{residual[i]});
        continue;
      }
      if (!x.empty()) plot.draw_line(x, y, side.css_class);
      x.clear(), y.clear();
    }
    figures.push_back({.picture = plot.svg(), .caption = side.word + ", one scan"});
  }
  return figures;
}

/// A value of bins, where it is not NaN.
template <class Value>
Report::Figure bins_figure(const WallReport& report, std::vector<WallMeasure::Bin> WallMeasure::*bins,
                           std::string_view title, const PlotAxis& x_axis, const PlotAxis& y_axis, Value value) {
  Plot plot(title, x_axis, y_axis);
  for (const WallSide& side : sides_of(report)) {
    std::vector<double> x, y;
    for (const WallMeasure::Bin& bin : side.measure.*bins) {
      if (std::isnan(value(bin))) continue;
      x.push_back(0.5 * (bin.low + bin.high)), y.push_back(value(bin));
    }
    if (!x.empty()) plot.draw_line(x, y, side.css_class);
  }
  return {.picture = plot.svg(), .keys = {stroke("var(--hit)", "measured"), stroke(kModelColor, kSimulated)}};
}

PlotAxis range_axis(const WallReport& report) {
  const std::vector<WallMeasure::Bin>& bins = report.fit.measure.by_range;
  return {.low = std::min(0.0, bins.front().low), .high = bins.back().high, .label = "range (m)"};
}

Report::Figure fill_figure(const WallReport& report, std::vector<WallMeasure::Bin> WallMeasure::*bins,
                           std::string_view title, const PlotAxis& x_axis) {
  const auto fill = [&](const WallMeasure::Bin& bin) {
    const bool is_known = report.fit.measure.knows_losses && bin.readings + bin.lost >= kLeastInFill;
    return is_known ? bin.fill() : std::nan("");
  };
  return bins_figure(report, bins, title, x_axis,
                     {.low = 0.0, .high = 1.05, .label = "share that came back", .last_tick = 1.0}, fill);
}

Report::Figure wall_range_figure(const WallReport& report) {
  const bool px = in_disparity(report);
  const auto value = [&](const WallMeasure::Bin& bin) { return px ? bin.deviation_px : bin.deviation_m; };
  double top = 0.0;
  for (const WallSide& side : sides_of(report)) {
    for (const WallMeasure::Bin& bin : side.measure.by_range) {
      if (!std::isnan(value(bin))) top = std::max(top, value(bin));
    }
  }
  const LengthUnit unit = px ? LengthUnit{.per_m = 1.0, .symbol = "px"} : length_unit(top);
  top = top > 0.0 ? unit.per_m * top : 1.0;
  const std::string label = fmt::format("deviation{} ({})", px ? " of disparity" : "", unit.symbol);
  return bins_figure(report, &WallMeasure::by_range, "Deviation of the error by range", range_axis(report),
                     {.low = 0.0, .high = 1.15 * top, .label = label},
                     [&](const WallMeasure::Bin& bin) { return unit.per_m * value(bin); });
}

Report::Figure wall_error_figure(const WallReport& report) {
  const std::vector<double>&measured = report.fit.measure.error_shares, &simulated = report.simulated.error_shares;
  const std::vector<double> edges =
      even_edges(-WallMeasure::kErrorSpan, WallMeasure::kErrorSpan, WallMeasure::kErrorBins);
  const double top = std::max(std::ranges::max(measured), std::ranges::max(simulated));
  Plot plot("Errors by their deviation", {.low = -5.0, .high = 5.0, .label = "error / its deviation"},
            {.low = 0.0, .high = 1.15 * top, .label = "share of the readings"});
  plot.fill_steps(edges, {}, measured, "bars");
  plot.draw_steps(edges, simulated, "model");
  return {.picture = plot.svg(), .keys = {patch("#d5dce3", "measured"), stroke(kModelColor, kSimulated)}};
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

Report::Figure wall_correlation_figure(const WallReport& report) {
  const WallMeasure& m = report.fit.measure;
  const double last = last_lag(m);
  const std::string label = fmt::format("apart ({}{})", step_word(report), m.in_time.empty() ? "" : ", frames");
  Plot plot("Correlation of the error", {.low = 0.0, .high = last, .label = label},
            {.low = -0.1, .high = 1.0, .label = "correlation"});
  plot.draw_horizontal(0.0, "mark");
  for (const WallMeasure* measure : {&m, &report.simulated}) {
    const std::string other = measure == &m ? "" : " simulated";
    draw_correlation(plot, measure->across, last, "hit-line" + other);
    draw_correlation(plot, measure->down, last, "short-line" + other);
    draw_correlation(plot, measure->in_time, last, "time-line" + other);
  }
  std::vector<Report::Key> keys = {stroke("var(--hit)", "across")};
  if (!m.down.empty()) keys.push_back(stroke("var(--short)", "down"));
  if (!m.in_time.empty()) keys.push_back(stroke("var(--max)", "in time"));
  return {.picture = plot.svg(), .keys = std::move(keys), .caption = "; dashed: simulated"};
}

constexpr Rgb kMeasured = {58, 62, 74}, kSmall = {240, 228, 66}, kMiddle = {230, 159, 0}, kLarge = {0, 114, 178};

Report::Figure depth_figure(const DepthReport::Folder& report) {
  const DepthMeter::Picture& p = report.picture;
  std::vector<float> measured;
  for (const float depth : p.depth_m) {
    if (!std::isnan(depth)) measured.push_back(depth);
  }
  const double scale_m = measured.empty() ? 1.0 : range_scale(0.0, measured).scale_m;
  const auto color = [&](std::size_t i) { return range_color(double{p.depth_m[i]} / scale_m); };
  return {.picture = picture_of(p.cols, p.rows, "Depth in colours", color),
          .lead = "Depth of the first frame: ",
          .keys = {patch(css(range_color(0.0)), "near"),
                   patch(css(range_color(1.0)), fmt::format("{:.6g} m and more", scale_m)),
                   patch(css(kLostColor), report.measure.left_out > 0 ? "holes and pixels left out" : "holes")}};
}

Report::Figure hole_figure(const DepthReport::Folder& report) {
  const DepthMeter::Picture& p = report.picture;
  const auto color = [&](std::size_t i) {
    const std::uint32_t size = p.blob_size[i];
    if (size == 0) return std::isnan(p.depth_m[i]) ? kOtherColor : kMeasured;
    return size <= 3 ? kSmall : size <= 50 ? kMiddle : kLarge;
  };
  Report::Figure shown{.picture = picture_of(p.cols, p.rows, "Holes by the size of their blobs", color),
                       .lead = "Its holes by the size of their blobs (4 neighbours): ",
                       .keys = {patch(css(kSmall), "1 to 3 px"), patch(css(kMiddle), "4 to 50"),
                                patch(css(kLarge), "above 50"), patch(css(kMeasured), "measured")}};
  if (report.measure.left_out > 0) shown.keys.push_back(patch(css(kOtherColor), "left out"));
  return shown;
}

Report::Figure depth_residual_figure(const DepthReport::Folder& report) {
  const DepthMeter::Picture& p = report.picture;
  const double scale = residual_scale(p.residual);
  const auto color = [&](std::size_t i) {
    return std::isnan(p.residual[i]) ? kLostColor : error_color(p.residual[i], scale);
  };
  Report::Figure shown{
      .picture = picture_of(p.cols, p.rows, "Residuals of the cubics", color),
      .lead = "What the cubic of each patch leaves: ",
      .keys = error_keys(scale, report.measure.focal_baseline_px_m ? "px of disparity" : "1/m of inverse depth")};
  shown.keys.push_back(patch(css(kLostColor), "no patch"));
  return shown;
}

/// Of the second report in other strokes.
std::string depth_correlation(std::span<const DepthReport::Folder> reports) {
  Plot plot("Correlation of the error against the distance of pixels",
            {.low = 0.0, .high = DepthMeasure::kLags, .label = "apart (px, frames)"},
            {.low = -0.2, .high = 1.0, .label = "correlation"});
  plot.draw_horizontal(0.0, "mark");
  for (const DepthReport::Folder& report : reports) {
    const DepthMeasure& m = report.measure;
    if (m.patches.used == 0) continue;
    const std::string other = &report == &reports[0] ? "" : " other";
    draw_correlation(plot, m.across, DepthMeasure::kLags, "hit-line" + other);
    draw_correlation(plot, m.down, DepthMeasure::kLags, "short-line" + other);
    draw_correlation(plot, m.in_time, DepthMeasure::kLags, "model" + other);
  }
  return plot.svg();
}

/// The share of hole pixels by the size of their blobs, in octaves.
std::string blob_figure(std::span<const DepthReport::Folder> reports) {
  std::size_t octaves = 7;  // to 127 px at least
  for (const DepthReport::Folder& report : reports) octaves = std::max(octaves, report.measure.blobs_by_size.size());
  std::vector<std::vector<double>> shares;
  double top = 0.1;
  for (const DepthReport::Folder& report : reports) {
    const DepthMeasure& m = report.measure;
    std::vector<double>& of_report = shares.emplace_back(octaves);
    for (std::size_t i = 0; i < m.blobs_by_size.size(); ++i) {
      of_report[i] = static_cast<double>(m.blobs_by_size[i].pixels) / static_cast<double>(m.holes);
      top = std::max(top, of_report[i]);
    }
  }
  std::vector<double> edges;
  for (std::size_t k = 0; k <= octaves; ++k) edges.push_back(std::ldexp(1.0, static_cast<int>(k)));
  Plot plot("Share of hole pixels by the size of their blobs",
            {.low = 1.0, .high = edges.back(), .label = "pixels of the blob", .logarithmic = true},
            {.low = 0.0, .high = 1.1 * top, .label = "share of hole pixels"});
  plot.fill_steps(edges, {}, shares[0], "pit");
  if (shares.size() > 1) plot.draw_steps(edges, shares[1], "model");
  return plot.svg();
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
          fill_figure(report, &WallMeasure::by_incidence, "Share of rays that came back, by incidence",
                      {.low = 0.0, .high = 90.0, .label = "incidence (degrees)"}),
          fill_figure(report, &WallMeasure::by_range, "Share of rays that came back, by range", range_axis(report))};
}

std::vector<Report::Figure> depth_pictures(const DepthReport::Folder& report) {
  return {depth_figure(report), hole_figure(report), depth_residual_figure(report)};
}

std::vector<Report::Figure> depth_curves(std::span<const DepthReport::Folder> reports) {
  const std::string beside = reports.size() > 1 ? "; dashed, and as a line: the second folder" : "";
  const std::span<const DepthReport::Folder> shown = reports.first(std::min<std::size_t>(2, reports.size()));
  return {{.picture = depth_correlation(shown),
           .keys = {stroke("var(--hit)", "across"), stroke("var(--short)", "down"),
                    stroke(kModelColor, "in time, of still frames")},
           .caption = beside},
          {.picture = blob_figure(shown),
           .caption = "Hole pixels by the size of the blob that they belong to, in octaves" + beside}};
}

}  // namespace fathom
