// SPDX-License-Identifier: MIT
#pragma once
// Folders of depth images measured (fathom/calibrate/measure_depth.hpp), and the result as files: measure.json for
// programs and report.html for people. docs/output-formats.md describes them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/calibrate/measure_depth.hpp>

namespace fathom {

/// Depth along the optical axis, m, [rows, cols]; NaN: a hole.
struct DepthImage {
  std::uint32_t rows = 0, cols = 0;
  std::vector<float> depth_m;
  bool has_levels = false;  ///< whether the file holds whole levels
};

/// Reads a grey PNG of 16 bits, or an array of NumPy [rows, cols], as their content says: uint16 are levels,
/// `levels_per_m` of them a metre (in [kLeastLevelsPerM, kMostLevelsPerM] of fathom/files/depth.hpp), of which 0 and
/// 65535 are holes; floats are metres, of which those that are not above 0 and finite are holes. Throws InputError
/// naming the file.
FATHOM_API DepthImage read_depth_image(const std::filesystem::path& file, double levels_per_m = 1000.0);

/// The depth images of a folder, in the order of their names, in which 10 comes after 9. `pattern`: of names, with *
/// and
/// ?; empty: depth*.npy where there are any, else depth*.png, else all of one of these kinds. Throws InputError when
/// there is none.
FATHOM_API std::vector<std::filesystem::path> depth_images(const std::filesystem::path& folder,
                                                           const std::string& pattern = {});

struct DepthFolderOptions {
  std::string files = {};        ///< pattern of depth_images()
  double levels_per_m = 1000.0;  ///< of read_depth_image()
  DepthMeterOptions meter = {};
  std::function<void(std::size_t done, std::size_t all)> on_frame = {};
};

/// What was measured, with what a page shows of it.
struct DepthReport {
  std::string name;  ///< of the folder, for people
  DepthMeasure measure;
  DepthPicture picture;
};

/// Measures a folder, one image at a time. Throws InputError as the functions above and DepthMeter do, naming the file.
FATHOM_API DepthReport measure_depth_folder(const std::filesystem::path& folder,
                                            const DepthFolderOptions& options = {});

/// The numbers as people read them: the first row of cells is the head. Of several reports, columns stand side by side.
struct DepthTable {
  std::string title;
  std::vector<std::vector<std::string>> rows;
};
FATHOM_API std::vector<DepthTable> depth_tables(std::span<const DepthReport> reports);

/// measure.json of one report, or of several: the others are in "compared_with".
FATHOM_API std::string depth_json(std::span<const DepthReport> reports);

/// Writes it; the file appears whole or not at all. Throws InputError for no report, or SystemError.
FATHOM_API void write_depth_json(const std::filesystem::path& file, std::span<const DepthReport> reports);

/// The files that write_depth_report() writes into `folder`, in this order.
FATHOM_API std::vector<std::filesystem::path> depth_report_files(const std::filesystem::path& folder);
/// Throws InputError unless write_depth_report() may write into `folder`, as check_fit_folder() does for a fit.
FATHOM_API void check_depth_report_folder(const std::filesystem::path& folder, bool force);
/// Makes the folder and writes report.html and, last, measure.json. Each file appears whole or not at all. Throws
/// InputError, also for no report, or SystemError.
FATHOM_API void write_depth_report(const std::filesystem::path& folder, std::span<const DepthReport> reports,
                                   bool force = false);

}  // namespace fathom
