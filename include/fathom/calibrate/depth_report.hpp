// SPDX-License-Identifier: MIT
#pragma once
// Folders of depth images measured (fathom/calibrate/measure_depth.hpp), and the result as files: measure.json for
// programs and report.html for people. docs/output-formats.md describes them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/calibrate/measure_depth.hpp>
#include <fathom/report/form.hpp>

namespace fathom {

/// Depth along the optical axis, m, [rows, cols]; NaN: a hole.
struct DepthImage {
  std::uint32_t rows = 0, cols = 0;
  std::vector<float> depth_m;
  bool has_levels = false;  ///< whether the file holds whole levels
};

/// Reads a grey PNG of 16 bits, or an array of NumPy [rows, cols]. uint16 are levels, `levels_per_m` of them a metre
/// (in [kLeastLevelsPerM, kMostLevelsPerM] of fathom/files/pictures.hpp); 0 and 65535 are holes. Floats are metres;
/// holes are not above 0 or not finite. Throws InputError naming the file.
FATHOM_API DepthImage read_depth_image(const std::filesystem::path& file, double levels_per_m = 1000.0);

/// The depth images of a folder, in the order of their names, in which 10 comes after 9. `pattern`: of names, with * or
/// ?. Empty: depth*.npy if there are any, else depth*.png, else all of one of these kinds. Throws InputError for an
/// empty result.
FATHOM_API std::vector<std::filesystem::path> depth_images(const std::filesystem::path& folder,
                                                           const std::string& pattern = {});

/// Pixels are left out where a camera has nothing to measure: a sky, a window, the camera's own arm. The folder of a
/// simulated camera has files that show where nothing was within reach; of a real camera only its user knows.
struct DepthLeftOut {
  /// Those whose true depth is this or more, m in (0, DepthMeterOptions::kMostDepthM], or nothing at all: by
  /// clean_depth*.npy of the folder, one file for each depth image, in the order of their names.
  std::optional<double> beyond_m = {};
  /// Those that reason*.npy of the folder call miss or above_max_range. Noise may have carried some of them there.
  bool lost_beyond_reach = false;
  /// Those that are not 0 in a mask: grey PNG or an array of NumPy (uint8 or uint16), [rows, cols]. A file for all
  /// depth images, or a folder that holds one file, or one for each; empty: none.
  std::filesystem::path mask = {};
};

/// Throws InputError for a number outside its limits, so that NaN fails, and for both beyond_m and lost_beyond_reach.
FATHOM_API void validate(const DepthLeftOut& options);

struct DepthFolderOptions {
  std::string files = {};        ///< pattern of depth_images(), of a bag that of its topics
  double levels_per_m = 1000.0;  ///< of read_depth_image()
  DepthMeterOptions meter = {};
  DepthLeftOut left_out = {};
  std::function<void(std::size_t done, std::size_t all)> on_frame = {};
};

/// What was measured, with what a page shows of it.
struct DepthReport {
  std::string name;  ///< of the folder, for people
  DepthMeasure measure;
  DepthPicture picture;
  std::string left_out_by = {};  ///< how, for people; empty: nothing is left out
};

/// The first of the images that measure_depth_folder() measures. Throws InputError as it does.
FATHOM_API DepthImage first_depth_image(const std::filesystem::path& folder, const DepthFolderOptions& options = {});

/// The files that measure_depth_folder() reads: the depth images, or the files of a bag and its folder, then masks and
/// other files of DepthLeftOut. Throws InputError as it does.
FATHOM_API std::vector<std::filesystem::path> depth_folder_inputs(const std::filesystem::path& folder,
                                                                  const DepthFolderOptions& options);

/// Measures a folder, or a topic of a bag of ROS 2 (16UC1, mono16, 32FC1, compressedDepth), one image at a time. Throws
/// InputError as the functions above and DepthMeter do, naming the file; also where there are not as many files of
/// `left_out` as depth images.
FATHOM_API DepthReport measure_depth_folder(const std::filesystem::path& folder,
                                            const DepthFolderOptions& options = {});

/// Of one report, or of several, whose columns stand side by side and which measure.json has in "compared_with". Throws
/// InputError for no report.
FATHOM_API std::string report_text(std::span<const DepthReport> reports, ReportForm form);

/// Makes the folder and writes report.html and measure.json: see check_result_folder(). Throws InputError for no
/// report, too.
FATHOM_API void write_depth_report(const std::filesystem::path& folder, std::span<const DepthReport> reports,
                                   bool force = false);

}  // namespace fathom
