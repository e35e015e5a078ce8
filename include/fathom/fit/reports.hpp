// SPDX-License-Identifier: MIT
#pragma once
// A chain of noise learned from a folder of measurements, and the result as files: noise.yaml for scene files, fit.json
// for programs, report.html for people. docs/output-formats.md describes them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/fit/beam.hpp>
#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/frames.hpp>
#include <fathom/fit/measure_depth.hpp>
#include <fathom/fit/wall.hpp>
#include <fathom/report/fit.hpp>

namespace fathom {

/// Options of another kind of measurement must keep their defaults.
struct MeasuredOptions {
  std::string files = {};  ///< of a folder of depth images or clouds: pattern of depth_images_or_clouds()
  std::optional<double> levels_per_m = {};  ///< of 16-bit images; nothing: 1000
  ScanLogOptions log = {};                  ///< of a scan log; without ray_time_s
  std::string scans = "all";                ///< of a log, as select_scans() takes them
  /// Of a log: readings of at least so much are lost. Nothing: the maximum range that CARMEN text says; a CSV says inf.
  std::optional<double> max_range_m = {};
  double step_m = 0.0;  ///< ranges of a log are multiples of it; 0: they are not rounded
  ChainFrames::Options frames = {};
};

/// Measured frames of a sensor beside its scene. A reading is lost unless it is above 0 and finite.
///
/// - The folder of a run of this scene, in which the sensor has npy output with the channel range, or depth. A return
///   that the channel reason calls lost is lost, too, and with hit_sensor points count. Seed, environment and episode
///   come from the run. Clean ranges of the run must equal the clean ranges of the scene.
/// - A folder of depth images (read_depth_image()). The number in the name of a file is that of its frame, and so its
///   time and pose in the scene: depth_000012.png is frame 12.
/// - A folder of clouds in the sensor frame, PCD or PLY, likewise. A point is of the ray that it lies on, to 1e-3 rad;
///   rays without a point are lost. Where the chain turns rays or points and the cloud has the rows and columns of the
///   sensor, a point is of the ray at its place, up to 0.35 rad beside it. For angular_hit points count. Refused are
///   clouds with more than one point in a hundred on no ray or two on one, and sensors that are rolling or whose rays
///   vary.
/// - A log of a planar laser (read_scan_log()), which the scene does not tilt and which is not rolling. Scan k is frame
///   k, at the pose that the log says and the height that the scene has.
///
/// Points are passed over, with a note, where the chain has no angular_hit or turns its points otherwise, too, and
/// where rays of the sensor start at different places. Throws InputError naming the file, also for an option that does
/// nothing to such a measurement.
FATHOM_API ChainFrames read_measured_frames(const SceneSetup& setup, const std::filesystem::path& measured,
                                            const MeasuredOptions& options = {});

struct ChainReport {
  std::string scene, measured;  ///< names for people
  ChainFrames frames;
  NoiseChain start;
  ChainFit fit;

  /// Of the fit and of the frames.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
  [[nodiscard]] FATHOM_API std::string text(ReportForm form, SettingNames names = {}) const;
  /// Makes the folder and writes noise.yaml, report.html and fit.json: see check_result_folder().
  FATHOM_API void write(const std::filesystem::path& folder, bool force = false) const;
};

// Pairs to calibrate the noise of distances from, out of the scans of a real laser, as bags and logs hold them
// (fathom/files/log_files.hpp).

struct LogPairs {
  struct Options {
    std::optional<double> max_range_m = {};  ///< of the laser; empty: from the log
    /// A reading farther than this from the expected range shows something else: a person, or a wall that is not in the
    /// map. At least five deviations of the noise; otherwise the learned deviation is too small.
    double gate_m = 0.3;
    Compute compute = {};
  };

  RangePairs pairs;        ///< readings without a return stay, as they are in the log; scans by their numbers there
  std::size_t others = 0;  ///< readings of something else, left out
};

/// Readings of all scans of a log, each with the range that the world expects on its ray. Rays for which it expects
/// less than the gate, or more than max_range less the gate, are left out: one side of their noise could not be seen.
/// Throws InputError when the log says no max_range and none is given, the gate is not in (0, max_range / 2), or no
/// pair is left.
FATHOM_API LogPairs range_pairs_of_log(const ScanLog& log, const World& world, const LogPairs::Options& options = {});

/// A calibration with its pairs and with notes on them.
struct DistanceReport {
  DistanceCalibration fit;
  std::optional<LogPairs> found = {};  ///< of a log
  double gate_m = 0.0;                 ///< of `found`
  std::vector<std::string> notes = {};

  [[nodiscard]] FATHOM_API std::string text(ReportForm form, SettingNames names = {}) const;
};

// Folders of depth images measured (fathom/fit/measure_depth.hpp), and the result as files: measure.json for
// programs and report.html for people. docs/output-formats.md describes them.

/// Depth along the optical axis, m, [rows, cols]; NaN: a hole.
struct DepthImage {
  std::uint32_t rows = 0, cols = 0;
  std::vector<float> depth_m;
  bool has_levels = false;   ///< whether the file holds whole levels
  bool big_endian = false;   ///< of a PFM file
  std::string channel = {};  ///< of an EXR file: Z, Y or R
};

/// Reads a grey PNG of 16 bits, a PFM of one channel, an EXR, or an array of NumPy [rows, cols]. uint16 are levels,
/// `levels_per_m` of them a metre (in [kLeastLevelsPerM, kMostLevelsPerM] of fathom/files/pictures.hpp); 0 and 65535
/// are holes. Floats are metres; holes are not above 0 or not finite. Files without these extensions are known by their
/// first bytes. Throws InputError naming the file.
FATHOM_API DepthImage read_depth_image(const std::filesystem::path& file, double levels_per_m = 1000.0);

/// The depth images of a folder, in the order of their names, in which 10 comes after 9. `pattern`: of names, with * or
/// ?. Empty: depth*.npy if there are any, else depth*.png, depth*.pfm or depth*.exr, else all of one of these kinds.
/// Without depth images and pattern all clouds of one kind: *.pcd, else *.ply, else *.bin. Throws InputError for an
/// empty result.
FATHOM_API std::vector<std::filesystem::path> depth_images_or_clouds(const std::filesystem::path& folder,
                                                                     const std::string& pattern = {});

/// One folder, or several, whose columns stand side by side and which measure.json has in "compared_with".
struct DepthReport {
  struct Options {
    /// Pixels are left out where a camera has nothing to measure: a sky, a window, the camera's own arm. The folder of
    /// a simulated camera has files that show where nothing was within reach; of a real camera only its user knows.
    struct LeftOut {
      /// Pixels whose true depth is this or more, m in (0, DepthMeasure::Options::kMostDepthM], or nothing at all: by
      /// clean_depth*.npy of the folder, one file for each depth image, in the order of their names.
      std::optional<double> beyond_m = {};
      /// Pixels that reason*.npy of the folder call miss or above_max_range. Noise may have carried some of them there.
      bool lost_beyond_reach = false;
      /// Pixels that are not 0 in a mask: grey PNG or an array of NumPy (uint8 or uint16), [rows, cols]. A file for all
      /// depth images, or a folder that holds one file, or one for each; empty: none.
      std::filesystem::path mask = {};
    };

    std::string files = {};        ///< pattern of depth_images_or_clouds(), of a bag that of its topics
    double levels_per_m = 1000.0;  ///< of read_depth_image()
    DepthMeasure::Options meter = {};
    LeftOut left_out = {};
    std::function<void(std::size_t done, std::size_t all)> on_frame = {};
  };

  /// A measurement, with the data of its page.
  struct Folder {
    std::string name;  ///< for people
    DepthMeasure measure;
    DepthMeter::Picture picture;
    std::string left_out_by = {};  ///< how, for people; empty if no pixel is left out
  };

  std::vector<Folder> folders;

  /// Throws InputError without folders, as write() does.
  [[nodiscard]] FATHOM_API std::string text(ReportForm form, SettingNames names = {}) const;
  /// Makes the folder and writes report.html and measure.json: see check_result_folder().
  FATHOM_API void write(const std::filesystem::path& folder, bool force = false) const;
};

/// The first of the images that measure_depth_folder() measures. Throws InputError as it does.
FATHOM_API DepthImage first_depth_image(const std::filesystem::path& folder, const DepthReport::Options& options = {});

/// The files that measure_depth_folder() reads: the depth images, or the files of a bag and its folder, then masks and
/// other files of DepthReport::Options::LeftOut. Throws InputError as it does.
FATHOM_API std::vector<std::filesystem::path> depth_folder_inputs(const std::filesystem::path& folder,
                                                                  const DepthReport::Options& options);

/// Measures a folder, or a topic of a bag of ROS 2 (16UC1, mono16, 32FC1, compressedDepth), one image at a time. Throws
/// InputError as the functions above and DepthMeter do, naming the file; also where there are not as many files of
/// `left_out` as depth images.
FATHOM_API DepthReport::Folder measure_depth_folder(const std::filesystem::path& folder,
                                                    const DepthReport::Options& options = {});

// Frames of a wall out of files, and what was learned from them as files: noise.yaml and sensor.yaml for scene files,
// fit.json for programs, report.html for people. docs/output-formats.md describes them.

/// A distance by tape and the frames that it is of.
struct WallDistance {
  std::string frames;       ///< name of an image, with or without its extension, with * and ?; or FIRST:END of numbers
  double distance_m = 0.0;  ///< perpendicular, from the sensor's origin
  std::string where = {};   ///< in messages: where this was written
};

/// "near_*=0.5,far_*=2" as typed, or a file with a line `NAME,METRES` for each; `#` begins a comment. Throws InputError
/// naming the place, for words that are not understood and distances outside [0.001, 1e6] m.
FATHOM_API std::vector<WallDistance> wall_distances(const std::string& text_or_file);

/// How frames of a wall are read; what is for another source has no effect.
struct WallInput {
  std::string files = {};                   ///< of images: pattern of depth images; of clouds that of their names
  std::optional<double> levels_per_m = {};  ///< of 16-bit images; nothing: 1000
  WallSensor sensor = {};                   ///< of images: its camera; of clouds: its rays
  std::optional<double> max_range_m = {};   ///< of images and logs; nothing: not known, or what the log says
  std::filesystem::path mask = {};          ///< of images: DepthReport::Options::LeftOut::mask
  /// Of clouds and logs: rays from the first azimuth to the second, rad, count; nothing: all do.
  std::optional<std::array<double, 2>> sector_rad = {};
  std::string scans = "all";  ///< of logs, as select_scans() takes them
  double step_m = 0.0;        ///< of logs: ranges are multiples of it; 0: not rounded
  std::vector<WallDistance> distances = {};
};

/// The depth images of a folder as frames of a wall. All are in memory. Throws InputError naming the file, also for
/// images of several sizes, levels_per_m of images that have metres, and distances of frames that are not there or have
/// two.
FATHOM_API WallFrames read_wall_images(const std::filesystem::path& folder, const WallInput& options);
/// The images that it reads, and the masks.
FATHOM_API std::vector<std::filesystem::path> wall_image_inputs(const std::filesystem::path& folder,
                                                                const WallInput& options);

/// The clouds of a folder by their names, PCD and PLY. Without a pattern all of them, or empty if there are
/// images.
FATHOM_API std::vector<std::filesystem::path> wall_cloud_files(const std::filesystem::path& folder,
                                                               const std::string& pattern);
/// These as frames of a wall. A point is of the ray that it lies on, and rays without a point are lost. Where more than
/// one point in a hundred of a cloud lies on no ray, revolutions start anywhere, and frames have WallFrames::Turns: a
/// point is of the ring that its elevation is nearest to (where the file has a field `ring`: most elevations of its
/// ring), its ray goes through it, and a ring without a point in a column that others have points in is lost. Throws
/// InputError naming the file when more than one point in a hundred lies on no ring, to 0.2 degrees and what 30 mm
/// beside the start of the ray are, and for several returns of a ray; also for a folder without clouds, a sector
/// without rays, and as read_wall_images() does for distances.
FATHOM_API WallFrames read_wall_clouds(const std::filesystem::path& folder, const WallInput& options);

/// The chosen scans of a log as frames of a wall, named by their numbers. Throws InputError as validate(ScanLog) and
/// select_scans() do, and for a sector without rays.
FATHOM_API WallFrames wall_frames_of_log(const ScanLog& log, const WallInput& options = {});

/// A fit, with the same walls under its chain.
struct WallReport {
  std::string name;  ///< of folder or log, for people
  WallFit fit;
  std::vector<std::string> names = {};  ///< of the frames, [frames]; empty: their numbers
  WallMeasure simulated = {};           ///< of the same walls
  std::vector<std::string> notes = {};  ///< besides the fit's

  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;  ///< notes, then findings of the fit
  [[nodiscard]] FATHOM_API std::string text(ReportForm form, SettingNames names = {}) const;
  /// sensor.yaml: the sensor as an entry of the list `sensors:`.
  [[nodiscard]] FATHOM_API std::string sensor_yaml() const;
  /// Makes the folder and writes noise.yaml, sensor.yaml, report.html and fit.json: see check_result_folder().
  FATHOM_API void write(const std::filesystem::path& folder, bool force = false) const;
};

/// Learns, simulates the same walls with the result, and measures these in the same way.
FATHOM_API WallReport make_wall_report(const WallFrames& frames, const WallOptions& options, const std::string& name);

}  // namespace fathom
