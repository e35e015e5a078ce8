// SPDX-License-Identifier: MIT
#pragma once
// Scans with poses, and pairs (reading, expected range), from files or from memory.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// Scans of one sensor, each at its `pose` in the map.
struct ScanLog {
  /// Pose of the sensor at a ray, in its frame at the first ray of the scan.
  struct RayOffset {
    float x_m = 0.0F, y_m = 0.0F, yaw_rad = 0.0F;
  };

  /// Lines of one kind in a log.
  struct Skipped {
    std::string name;  ///< as the log has it: "RLASER"
    std::size_t lines = 0;
  };

  static constexpr std::uint32_t kMostRays = 100'000;  ///< of a scan in CARMEN text

  std::vector<double> azimuth_rad;    ///< [rays], in the sensor frame
  std::vector<PlanarPose> pose;       ///< [scans]
  std::vector<float> range_m;         ///< [scans, rays], as the file has them; -inf: a ray that the scan lacks
  std::vector<RayOffset> ray_offset;  ///< [scans, rays], of a sensor that moved within scans; empty: it stood still
  bool has_own_rays = false;          ///< ray_offset also turns azimuth_rad to the rays of each scan, which differ
  double max_range_m = 0.0;           ///< how far the sensor measures; 0: the log does not say
  std::string laser;                  ///< whose readings these are, in logs with several: "FLASER"; empty if unknown
  std::vector<Skipped> skipped;       ///< readings of other lasers, in the order of the log
  std::vector<std::string> notes;     ///< other parts that were not read, a sentence each
  std::string name;                   ///< its file, for messages and reports; empty: made in memory
  [[nodiscard]] std::size_t rays() const { return azimuth_rad.size(); }
  [[nodiscard]] std::size_t scans() const { return pose.size(); }
  [[nodiscard]] std::span<const float> scan(std::size_t i) const { return {range_m.data() + i * rays(), rays()}; }
  /// Of scan i; empty where the sensor stood still.
  [[nodiscard]] std::span<const RayOffset> offsets(std::size_t i) const {
    return ray_offset.empty() ? std::span<const RayOffset>() : std::span(ray_offset).subspan(i * rays(), rays());
  }
  /// The text of a CSV file, which has no place for `ray_offset`; write_text_file() writes it. Simulated logs are of
  /// this form (docs/beam-cli.md).
  [[nodiscard]] FATHOM_API std::string csv() const;
};

/// Throws InputError when there are no scans or rays, sizes disagree, or a pose, azimuth or offset is not finite.
FATHOM_API void validate(const ScanLog& log);

/// What a log in text does not say.
struct ScanLogOptions {
  std::string laser;                         ///< of CARMEN: "RLASER"; empty: FLASER, or the only one
  std::optional<double> ray_angle_deg = {};  ///< between rays of FLASER, RLASER and LASERn
  double ray_time_s = 0.0;                   ///< from a ray to the next one; 0: the sensor stood still during a scan
  std::optional<PlanarPose> mount = {};      ///< of RAWLASERn and LASERn: pose of the laser on the robot; nothing: 0
};

/// Reads a log, plain or gzip: CARMEN text or CSV, as docs/beam-cli.md describes them. With options.ray_time_s the pose
/// at each ray (`ray_offset`) is interpolated. Scans outside the times of poses are left out, and a note counts them. A
/// line has at most 16 MiB. A gzip file inflates to at most 4 GiB and, above 256 MiB, to at most 200 times its size.
/// Throws InputError naming file and line for a line that is cut short or not understood, for a last line without end,
/// and for scans that differ in their maximum range; InputError naming the lasers where one has to be chosen;
/// SystemError without memory for the log.
FATHOM_API ScanLog read_scan_log(const std::filesystem::path& file, const ScanLogOptions& options = {});
/// Pairs to learn from. All arrays [pairs].
struct BeamData {
  std::vector<float> reading_m;
  std::vector<float> expected_m;    ///< z*; Z where the map says nothing
  std::vector<std::uint32_t> scan;  ///< of each pair; not decreasing
  double cell_m = 0.0;              ///< ExpectedRanges::cell_m; 0 if unknown
};

/// CSV with the columns `range_m` or `reading_m`, `expected_m` and, optional, `scan` (whole numbers, not decreasing;
/// without it every pair is a separate scan). Throws InputError naming file and line.
FATHOM_API BeamData read_beam_pairs(const std::filesystem::path& file);

}  // namespace fathom
