// SPDX-License-Identifier: MIT
#pragma once
// A chain of noise learned from a folder of measurements, and the result as files: noise.yaml for scene files, fit.json
// for programs, report.html for people. docs/output-formats.md describes them.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/calibrate/chain_frames.hpp>
#include <fathom/report/form.hpp>

namespace fathom {

/// What is of another kind of measurement must stay as it is.
struct MeasuredOptions {
  std::string files = {};                   ///< of a folder of depth images or clouds: pattern of depth_images()
  std::optional<double> levels_per_m = {};  ///< of 16-bit images; nothing: 1000
  ScanLogOptions log = {};                  ///< of a scan log; without ray_time_s
  std::string scans = "all";                ///< of a log, as select_scans() takes them
  /// Of a log: readings of at least so much are lost. Nothing: the maximum range that CARMEN text says; a CSV says inf.
  std::optional<double> max_range_m = {};
  double step_m = 0.0;  ///< ranges of a log are multiples of it; 0: they are not rounded
  ChainFramesOptions frames = {};
};

/// Measured frames of a sensor beside its scene: of a run (read_run_frames()), of a folder of depth images, 16-bit PNG
/// or NPY (read_depth_image()), or of PCD or PLY (read_cloud_frames()), or of a log of a planar laser
/// (read_scan_log()). The number in the name of a file is that of its frame, and so its time and pose in the scene:
/// depth_000012.png is frame 12. Scan k of a log is frame k, at the pose that the log says
/// (ChainFrameReader::add_scan()); a reading that is not above 0 and finite is lost. Throws InputError naming the file,
/// also for an option that does nothing to such a measurement.
FATHOM_API ChainFrames read_measured_frames(const SceneSetup& setup, const std::filesystem::path& measured,
                                            const MeasuredOptions& options = {});

struct ChainReport {
  std::string scene, measured;  ///< names for people
  ChainFrames frames;
  NoiseChain start;
  ChainFit fit;

  /// Of the fit and of the frames.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
};

FATHOM_API std::string report_text(const ChainReport& report, ReportForm form, SettingNames names = {});

/// Makes the folder and writes noise.yaml, report.html and fit.json: see check_result_folder().
FATHOM_API void write_chain_report(const std::filesystem::path& folder, const ChainReport& report, bool force = false);

}  // namespace fathom
