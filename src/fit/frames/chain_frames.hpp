// SPDX-License-Identifier: MIT
#pragma once
// Readers of measured frames (fathom/fit/frames.hpp): frame by frame, of runs, and of clouds.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <fathom/fit/frames.hpp>
#include <fathom/noise/stereo_energy.hpp>

namespace fathom {

/// Adds frames one by one.
class ChainFrameReader {
 public:
  /// `frames`: how many will be added, for thinning. Throws InputError for a sensor that reports several returns of a
  /// ray, or what make_simulator() refuses.
  ChainFrameReader(const SceneSetup& setup, std::size_t frames, const ChainFrames::Options& options = {});
  ~ChainFrameReader();
  ChainFrameReader(ChainFrameReader&&) noexcept;
  ChainFrameReader& operator=(ChainFrameReader&&) noexcept;

  /// Rows and columns of its frames.
  [[nodiscard]] RayPattern::Shape shape() const;
  /// Frame `index` of the sensor: measured ranges [rows, cols], m; a reading is lost unless it is above 0 and finite.
  /// Frames ascend. Throws InputError for another number of values.
  void add_ranges(std::uint32_t index, std::span<const float> range_m);
  /// The same with the points in the sensor frame, [rows, cols, 3] m, for angular_hit. NaN: unknown.
  void add_points(std::uint32_t index, std::span<const float> range_m, std::span<const float> point_m);
  /// add_ranges() with distances to the image plane. Throws InputError for a sensor that is no camera, too.
  void add_depths(std::uint32_t index, std::span<const float> depth_m);
  /// add_ranges() of a planar laser that was here, at the height that it has in the scene. What else moves in the scene
  /// is where it is at the time of the frame. Throws InputError for a sensor without check_azimuths(), a rolling one,
  /// one that the scene tilts, and a pose that is not finite, too.
  void add_scan(std::uint32_t index, std::span<const float> range_m, const PlanarPose& world_from_sensor);
  /// Throws InputError unless the sensor has rays in one plane, from one point, at these azimuths, to 1e-3 rad.
  void check_azimuths(std::span<const double> azimuth_rad) const;
  /// The farthest that a ray of the sensor measures.
  [[nodiscard]] double max_range_m() const;
  [[nodiscard]] const ChainFrames& frames() const;
  /// What the scene has on the rays of the frame added last, [rows, cols], m; +inf: nothing.
  [[nodiscard]] std::span<const float> clean_range_m() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// As read_range_pairs() and read_energy_pairs() of a CSV.
RangePairs read_range_csv(const std::filesystem::path& file);
EnergyPairs read_energy_csv(const std::filesystem::path& file);

/// As read_measured_frames() of a run.
ChainFrames read_run_frames(const SceneSetup& setup, const std::filesystem::path& run,
                            const ChainFrames::Options& options = {});

/// What a frame of a sensor was measured as.
struct FrameFile {
  std::uint32_t frame = 0;
  std::filesystem::path file;
};

/// As read_measured_frames() of clouds, a file for each frame, which ascend: PCD, PLY, a serialised PointCloud2 or an
/// array [..., 3] of NumPy.
ChainFrames read_cloud_frames(const SceneSetup& setup, std::span<const FrameFile> files,
                              const ChainFrames::Options& options = {});

/// Throws InputError, naming the model, when something besides one `distance` for all moved the ranges of a sensor.
void check_distance_chain(const std::filesystem::path& run, const std::string& sensor);

/// Throws InputError, naming the model, unless one `stereo_energy` for all determines the reasons and energies of a
/// sensor; if `law` is given, in that form.
void check_energy_chain(const std::filesystem::path& run, const std::string& sensor,
                        std::optional<EnergyNormalization> law);

/// The effect of an energy law on a pixel that ended with this reason: 1 lost it, 0 kept it (edges, a matching window
/// or dropout may have taken it later). Empty if the law did not see the pixel, or the reason does not show it.
constexpr std::optional<std::uint8_t> lost_by_energy(Reason reason) {
  if (reason == Reason::kLowEnergy || reason == Reason::kRandomLoss) return std::uint8_t{1};
  if (reason == Reason::kHit || reason == Reason::kEdgeLoss || reason == Reason::kEdge || reason == Reason::kSpeckle ||
      reason == Reason::kDropout) {
    return std::uint8_t{0};
  }
  return std::nullopt;
}

}  // namespace fathom
