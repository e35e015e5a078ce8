// SPDX-License-Identifier: MIT
#include "report/depth_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "picture/image.hpp"
#include "picture/painter.hpp"
#include "picture/palette.hpp"
#include "report/embedded_picture.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"

namespace fathom {

namespace {

constexpr Rgb kMeasured = {58, 62, 74}, kSmall = {240, 228, 66}, kMiddle = {230, 159, 0}, kLarge = {0, 114, 178},
              kLeftOut = {200, 200, 206};

/// An image of the size of a frame, whose pixel i has the colour f(i).
template <class F>
std::string picture(const DepthPicture& p, std::string_view title, F color) {
  Image image(p.cols, p.rows, kLostColor);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = color(i);
  return embedded_picture(image, title);
}

std::vector<double> numbers_of(const std::vector<Estimate>& estimates) {
  std::vector<double> values;
  values.reserve(estimates.size());
  for (const Estimate& e : estimates) values.push_back(std::isfinite(e.value) ? e.value : 0.0);
  return values;
}

}  // namespace

ShownPicture depth_figure(const DepthReport& report) {
  const DepthPicture& p = report.picture;
  std::vector<float> measured;
  for (const float depth : p.depth_m) {
    if (!std::isnan(depth)) measured.push_back(depth);
  }
  const double scale_m = measured.empty() ? 1.0 : range_scale(0.0, measured).scale_m;
  const auto color = [&](std::size_t i) { return range_color(double{p.depth_m[i]} / scale_m); };
  return {picture(p, "Depth in colours", color),
          fmt::format("Depth of the first frame: {}near, {}{:.6g} m and more, {}holes{}",
                      patch(css(range_color(0.0)), ""), patch(css(range_color(1.0)), ""), scale_m,
                      patch(css(kLostColor), ""), report.measure.left_out > 0 ? " and what is left out" : "")};
}

ShownPicture hole_figure(const DepthReport& report) {
  const DepthPicture& p = report.picture;
  const auto color = [&](std::size_t i) {
    const std::uint32_t size = p.blob_size[i];
    if (size == 0 && std::isnan(p.depth_m[i])) return kLeftOut;
    return size == 0 ? kMeasured : size <= 3 ? kSmall : size <= 50 ? kMiddle : kLarge;
  };
  return {picture(p, "Holes by the size of their blobs", color),
          "Its holes by the size of their blobs (4 neighbours): " + patch(css(kSmall), "1 to 3 px") +
              patch(css(kMiddle), "4 to 50") + patch(css(kLarge), "above 50") + patch(css(kMeasured), "measured") +
              (report.measure.left_out > 0 ? patch(css(kLeftOut), "left out") : "")};
}

ShownPicture residual_figure(const DepthReport& report) {
  const DepthPicture& p = report.picture;
  const double scale = residual_scale(p.residual);
  const auto color = [&](std::size_t i) {
    if (std::isnan(p.residual[i])) return kLostColor;
    return signed_color(scale > 0.0 ? double{p.residual[i]} / scale : 0.0);
  };
  const std::string_view unit = report.measure.focal_baseline_px_m ? "px of disparity" : "1/m of inverse depth";
  return {
      picture(p, "Residuals of the cubics", color),
      fmt::format("What the cubic of each patch leaves: {}-{:.2g} {}{:.2g} {}, {}no patch", patch(css(kLowColor), ""),
                  scale, patch(css(kHighColor), ""), scale, unit, patch(css(kLostColor), ""))};
}

std::string correlation_figure(std::span<const DepthReport> reports) {
  Plot plot("Correlation of the error against the distance of pixels",
            {.low = 0.0, .high = DepthMeasure::kLags, .label = "apart (px, frames)"},
            {.low = -0.2, .high = 1.0, .label = "correlation"});
  plot.draw_horizontal(0.0, "mark");
  for (std::size_t k = 0; k < std::min<std::size_t>(2, reports.size()); ++k) {
    const DepthMeasure& m = reports[k].measure;
    const char* other = k == 0 ? "" : " other";
    const auto draw = [&](const std::vector<Estimate>& estimates, std::string_view css_class) {
      if (estimates.empty() || m.patches.used == 0) return;
      std::vector<double> x = {0.0}, y = {1.0};
      for (const double value : numbers_of(estimates)) {
        x.push_back(static_cast<double>(x.size()));
        y.push_back(value);
      }
      plot.draw_line(x, y, fmt::format("{}{}", css_class, other));
    };
    draw(m.across, "hit-line"), draw(m.down, "short-line"), draw(m.in_time, "model");
  }
  return plot.svg();
}

std::string blob_figure(std::span<const DepthReport> reports) {
  std::size_t octaves = 7;  // to 127 px at least
  double top = 0.1;
  for (const DepthReport& report : reports) {
    octaves = std::max(octaves, report.measure.blobs_by_size.size());
    for (const DepthMeasure::Blobs& blobs : report.measure.blobs_by_size) {
      top = std::max(top, static_cast<double>(blobs.pixels) / static_cast<double>(report.measure.holes));
    }
  }
  std::vector<double> edges;
  for (std::size_t k = 0; k <= octaves; ++k) edges.push_back(std::ldexp(1.0, static_cast<int>(k)));
  Plot plot("Share of hole pixels by the size of their blobs",
            {.low = 1.0, .high = edges.back(), .label = "pixels of the blob", .logarithmic = true},
            {.low = 0.0, .high = 1.1 * top, .label = "share of hole pixels"});
  for (std::size_t k = 0; k < std::min<std::size_t>(2, reports.size()); ++k) {
    const DepthMeasure& m = reports[k].measure;
    std::vector<double> shares(octaves);
    for (std::size_t i = 0; i < m.blobs_by_size.size(); ++i) {
      shares[i] = static_cast<double>(m.blobs_by_size[i].pixels) / static_cast<double>(m.holes);
    }
    if (k == 0) plot.fill_steps(edges, std::vector<double>(octaves), shares, "pit");
    if (k == 1) plot.draw_steps(edges, shares, "model");
  }
  return plot.svg();
}

}  // namespace fathom
