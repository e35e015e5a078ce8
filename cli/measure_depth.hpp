// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/calibrate/depth_report.hpp>

namespace fathom_cli {

/// What turns depth into disparity; at most one is given.
struct DepthOptics {
  std::string preset;                                ///< of a stereo camera
  std::optional<double> focal_baseline_px_m;         ///< fx times baseline
  std::optional<std::array<double, 5>> camera_px_m;  ///< fx, fy, cx, cy in px, baseline in m
};

/// A folder and how its images are read.
struct DepthFolder {
  std::filesystem::path folder;
  std::string files;  ///< pattern of names; empty: the usual ones
  double levels_per_m = 1000.0;
  DepthOptics optics;
  fathom::DepthLeftOut left_out;
};

/// `fathom measure depth DIR ...`
struct MeasureDepthOptions {
  DepthFolder first, other;  ///< other.folder is empty where nothing is compared
  std::vector<double> band_edges_m = {0.5, 1.0, 2.0, 4.0, 8.0};
  bool still = false;
  std::filesystem::path json, out;
  int threads = 0;
  bool force = false, quiet = false;
};

/// Measures, writes what is to be written and prints the tables. Throws fathom::Error.
void measure_depth(const MeasureDepthOptions& options);

}  // namespace fathom_cli
