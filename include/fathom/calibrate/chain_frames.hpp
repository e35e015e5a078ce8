// SPDX-License-Identifier: MIT
#pragma once
// Measured frames of a sensor beside its scene: what learning and scoring of chains (fathom/calibrate/chain.hpp) take.
// The scene is cast again at the time of each frame, so the same measurements give the same returns, whether they come
// from a run of the simulator, from a camera or from the log of a planar laser.
//
// Left out are rays on which the scene has nothing within the sensor's limits, those that a camera does not see
// (stereo_shadow) and those that a matching window loses or shows another surface of: no model of the chain has a
// density for them; of readings of a beam_mixture where the scene has nothing, nothing is said. Where a chain turns
// rays, the scene is cast once more for each of a grid of angles (TurnedRays): once for all frames where neither the
// scene nor the sensor moves.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/error.hpp>
#include <fathom/base/export.hpp>
#include <fathom/calibrate/chain.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

struct ChainFramesOptions {
  std::string sensor = {};             ///< of the scene; empty: the only one
  std::size_t most_returns = 300'000;  ///< more are thinned out at random, alike in all frames; at least 1000
  double half_step_m = 0.0;            ///< measured values are multiples of twice as much; 0: not rounded
  /// Of a chain that turns rays (angular_ray): rays are cast up to four times this angle to each side. 0: one and a
  /// half times the deviation of the chain, or a milliradian if that is 0.
  double angle_scale_rad = 0.0;
  NoiseChain other_chain = {};  ///< another one under which the frames will be scored; rays are turned for both
  RunOptions run = {};          ///< seed, environment, episode and compute count
};

struct ChainFrames {
  ChainReturns returns;
  std::string sensor;      ///< its name
  std::size_t frames = 0;  ///< read
  std::size_t hidden = 0;  ///< rays left out for cameras and windows
  /// Readings where the scene has nothing within the limits, left out; 0 where the chain has a beam_mixture.
  std::size_t unexpected = 0;
  /// Times what the sensor measures: readings from there on are no ranges that noise or rounding carried beyond it.
  static constexpr double kBeyond = 1.01;
  /// Readings farther than the sensor measures, by more than that, which count as lost: those of another device, or its
  /// code for no return. Only of a log where the sensor keeps what noise carries there (range_policy: keep).
  std::size_t beyond = 0;
  /// Points that no turn about the axis of angular_hit brings their rays to, to 1e-3 rad; they are taken.
  std::size_t askew = 0;
  bool has_mixture = false;    ///< whether the sensor's chain draws readings beside the surface (beam_mixture)
  std::vector<Finding> notes;  ///< on what was read

  /// The notes, what was left out that should not be, and whether the scene is another place.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
};

/// Which of the sensors of a scene is meant: its place. Throws InputError naming the sensors when there is none of that
/// name, or several and no name.
FATHOM_API std::size_t find_sensor(const SceneSetup& setup, const std::string& name);

/// The rings of the sensor's rays, ascending.
FATHOM_API std::vector<std::uint16_t> rings_of(const Sensor& sensor);

/// Whether a YAML file holds a list, as the noise.yaml of a fit does, and no scene. Throws InputError for what is not
/// YAML.
FATHOM_API bool is_noise_list(const std::filesystem::path& file);

/// Adds frames one by one.
class FATHOM_API ChainFrameReader {
 public:
  /// `frames`: how many will be added, for thinning. Throws InputError for a sensor that reports several returns of a
  /// ray, or what make_simulator() refuses.
  ChainFrameReader(const SceneSetup& setup, std::size_t frames, const ChainFramesOptions& options = {});
  ~ChainFrameReader();
  ChainFrameReader(ChainFrameReader&&) noexcept;
  ChainFrameReader& operator=(ChainFrameReader&&) noexcept;

  /// Rows and columns of its frames.
  [[nodiscard]] PatternShape shape() const;
  /// Frame `index` of the sensor: measured ranges [rows, cols], m; what is not above 0 and finite is lost. Frames
  /// ascend. Throws InputError for another number of values.
  void add_ranges(std::uint32_t index, std::span<const float> range_m);
  /// The same with where points lie in the sensor frame, [rows, cols, 3] m, which tell angular_hit the angles by which
  /// they lie beside their rays. NaN: not known. They are passed over where the chain has no angular_hit or turns its
  /// points otherwise, too, and of sensors whose rays start at places of their own; a note says so.
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

/// From the folder of a run of this scene, in which the sensor has npy output with the channel range, or depth; with
/// hit_sensor, too, add_points(). Lost is
/// what its channel reason says is lost, where it is there, and what is not above 0 and finite. Seed, environment and
/// episode are those of the run. Throws InputError naming the file, also when clean ranges that the run wrote are not
/// those of the scene.
FATHOM_API ChainFrames read_run_frames(const SceneSetup& setup, const std::filesystem::path& run,
                                       const ChainFramesOptions& options = {});

/// What a frame of a sensor was measured as.
struct FrameFile {
  std::uint32_t frame = 0;
  std::filesystem::path file;
};

/// From clouds of points in the sensor frame, a file for each frame, which ascend: PCD, PLY, a serialised PointCloud2
/// or an array [..., 3] of NumPy. A point is of the ray that it lies on, to 1e-3 rad; rays without a point are lost.
/// Where the chain turns rays or points and the cloud has the rows and columns of the sensor, a point is of the ray at
/// its place, up to 0.35 rad beside it. Points of a chain with angular_hit are those of add_points(). Throws InputError
/// naming the file when more than one point in a hundred lies on no ray or two lie on one, and for a sensor that is
/// rolling or whose rays vary.
FATHOM_API ChainFrames read_cloud_frames(const SceneSetup& setup, std::span<const FrameFile> files,
                                         const ChainFramesOptions& options = {});

}  // namespace fathom
