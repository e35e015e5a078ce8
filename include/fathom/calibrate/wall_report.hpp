// SPDX-License-Identifier: MIT
#pragma once
// Frames of a wall out of files, and what was learned from them as files: noise.yaml and sensor.yaml for scene files,
// fit.json for programs, report.html for people. docs/output-formats.md describes them.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/calibrate/depth_report.hpp>
#include <fathom/calibrate/wall.hpp>
#include <fathom/calibrate/wall_clouds.hpp>
#include <fathom/calibrate/wall_frames.hpp>
#include <fathom/report/form.hpp>

namespace fathom {

/// A distance by tape and the frames that it is of.
struct WallDistance {
  std::string frames;       ///< name of an image, with or without its extension, with * and ?; or FIRST:END of numbers
  double distance_m = 0.0;  ///< perpendicular, from the sensor's origin
  std::string where = {};   ///< in messages: where this was written
};

/// "near_*=0.5,far_*=2" as typed, or a file with a line `NAME,METRES` for each; `#` begins a comment. Throws InputError
/// naming the place, for what is not understood and distances that are not in [0.001, 1e6] m.
FATHOM_API std::vector<WallDistance> wall_distances(const std::string& text_or_file);

struct WallImagesOptions {
  std::string files = {};                   ///< pattern of depth_images()
  std::optional<double> levels_per_m = {};  ///< of 16-bit images; nothing: 1000
  WallCamera camera = {};
  double max_range_m = 0.0;         ///< of the camera; 0: not known
  std::filesystem::path mask = {};  ///< DepthLeftOut::mask
  std::vector<WallDistance> distances = {};
};

/// The depth images of a folder as frames of a wall. All are in memory. Throws InputError naming the file, also for
/// images of several sizes, levels_per_m of images that have metres, and distances of frames that are not there or have
/// two.
FATHOM_API WallFrames read_wall_images(const std::filesystem::path& folder, const WallImagesOptions& options);
/// The images that it reads, and the masks.
FATHOM_API std::vector<std::filesystem::path> wall_image_inputs(const std::filesystem::path& folder,
                                                                const WallImagesOptions& options);

struct WallCloudsOptions {
  std::string files = {};  ///< as of WallImagesOptions
  WallSensor lidar = {};
  /// Rays from the first azimuth to the second, rad, count; nothing: all do.
  std::optional<std::array<double, 2>> sector_rad = {};
  std::vector<WallDistance> distances = {};
};

/// The clouds of a folder by their names, PCD and PLY: those that the pattern names, or all where there is none and no
/// image. Empty where there are images.
FATHOM_API std::vector<std::filesystem::path> wall_cloud_files(const std::filesystem::path& folder,
                                                               const std::string& pattern);
/// These as frames of a wall, as the other read_wall_clouds() reads them. Throws InputError for a folder without
/// clouds, a sector without rays, and as read_wall_images() does for distances.
FATHOM_API WallFrames read_wall_clouds(const std::filesystem::path& folder, const WallCloudsOptions& options);

struct WallScansOptions {
  std::string scans = "all";               ///< as select_scans() takes them
  double step_m = 0.0;                     ///< ranges are multiples of it; 0: not rounded
  std::optional<double> max_range_m = {};  ///< nothing: what the log says
  /// Rays from the first azimuth to the second, rad, count; nothing: all do.
  std::optional<std::array<double, 2>> sector_rad = {};
  std::vector<WallDistance> distances = {};
};

/// The chosen scans of a log as frames of a wall, named by their numbers. Throws InputError as validate(ScanLog) and
/// select_scans() do, and for a sector without rays.
FATHOM_API WallFrames wall_frames_of_log(const ScanLog& log, const WallScansOptions& options = {});

/// A fit, with the same walls under its chain.
struct WallReport {
  std::string name;  ///< of folder or log, for people
  WallFit fit;
  std::vector<std::string> names = {};  ///< of the frames, [frames]; empty: their numbers
  WallMeasure simulated = {};           ///< of the same walls
  std::vector<std::string> notes = {};  ///< besides the fit's

  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;  ///< notes, then findings of the fit
};

/// Learns, simulates the same walls with what was learned, and measures these as the others were.
FATHOM_API WallReport make_wall_report(const WallFrames& frames, const WallOptions& options, const std::string& name);

FATHOM_API std::string report_text(const WallReport& report, ReportForm form, SettingNames names = {});
/// sensor.yaml: the sensor as an entry of the list `sensors:`.
FATHOM_API std::string wall_sensor_file(const WallReport& report);

/// Makes the folder and writes noise.yaml, sensor.yaml, report.html and fit.json: see check_result_folder().
FATHOM_API void write_wall_report(const std::filesystem::path& folder, const WallReport& report, bool force = false);

}  // namespace fathom
