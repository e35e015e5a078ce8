// SPDX-License-Identifier: MIT
#pragma once
// The figures of a measured depth camera: plots as SVG, pictures as PNG within HTML.

#include <span>
#include <string>

#include <fathom/calibrate/depth_report.hpp>

namespace fathom {

/// A picture within HTML, and what its colours mean.
struct ShownPicture {
  std::string html, caption;
};

ShownPicture depth_figure(const DepthReport& report);
ShownPicture hole_figure(const DepthReport& report);
ShownPicture residual_figure(const DepthReport& report);

/// Correlation against lag; of the second report in lighter strokes.
std::string correlation_figure(std::span<const DepthReport> reports);
/// The share of hole pixels by the size of their blobs, in octaves.
std::string blob_figure(std::span<const DepthReport> reports);

}  // namespace fathom
