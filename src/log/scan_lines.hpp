// SPDX-License-Identifier: MIT
#pragma once
// What the lines of a log in text mean, for each of its kinds.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <fathom/beam/scan.hpp>

#include "log/pose_track.hpp"
#include "text/log_line.hpp"

namespace fathom {

/// Takes the lines of a log from the first one on.
class ScanLines {
 public:
  ScanLines() = default;
  ScanLines(const ScanLines&) = delete;
  ScanLines& operator=(const ScanLines&) = delete;
  virtual ~ScanLines() = default;

  /// Appends the scan of a line to `log`, if there is one and its pose is known. It may be the first scan.
  virtual void take(const LogLine& line, std::string_view content, ScanLog& log) = 0;
  /// Adds to the track what a line says of where the laser was; for lines in their order, in place of take().
  virtual void follow(const LogLine& line, std::string_view content, PoseTrack& track) = 0;
  /// Whether a last line without an end may be half of one that is read.
  [[nodiscard]] virtual bool may_be_cut(std::string_view content) const = 0;
  /// Gives `log` what was passed over in all lines.
  virtual void finish(ScanLog& log) const = 0;
};

/// Which laser of a log of CARMEN is read. Throws InputError where that has to be chosen.
std::string choose_carmen_laser(const std::filesystem::path& file, const ScanLogOptions& options);
/// Whether its lines lack poses.
bool is_raw_carmen_laser(std::string_view laser);
/// Whether its lines do not say where rays point.
bool is_old_carmen_laser(std::string_view laser);

/// The rays of the scans of a laser of CARMEN.
struct CarmenRays {
  std::size_t rays = 0;  ///< of the first scan with most rays, as the next two
  double start_rad = 0.0, step_rad = 0.0;
  bool vary = false;  ///< whether any scan has other rays
};
/// Reads the rays of all scans of a laser. Lines that are not understood are passed over.
CarmenRays carmen_rays(const std::filesystem::path& file, const std::string& laser);

/// `track`: of the laser, where scans are placed by it; null: where their lines say. It must outlive the lines.
std::unique_ptr<ScanLines> make_carmen_lines(const std::string& laser, const ScanLogOptions& options,
                                             const CarmenRays& rays, const PoseTrack* track);
std::unique_ptr<ScanLines> make_csv_lines(const ScanLogOptions& options, const PoseTrack* track);

/// Whether a line that is neither blank nor a comment, the first such line, is of a log in CSV.
bool begins_csv_log(std::string_view content);

}  // namespace fathom
