// SPDX-License-Identifier: MIT
#pragma once
// The rays of any sensor before a plane: the measurement along ray i is 1 / (m . q[i]), for the
// plane m . p = 1. q of a camera has x = 1, so that it is a distance to the image plane; else it is a unit
// vector. Rays of a lidar may start beside its origin, at o: then it is (1 - m . o) / (m . q).

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <fathom/core/geometry.hpp>
#include <fathom/core/random.hpp>
#include <fathom/fit/wall.hpp>

namespace fathom {

/// Throws InputError when sizes disagree, there is no frame, or a number of the sensor, a distance or a step is not
/// what fathom/fit/wall.hpp says.
void validate(const WallFrames& frames);

struct WallRays {
  std::uint32_t rows = 0, cols = 0;
  std::vector<Vec3> q;
  std::vector<Vec3> origin_m;        ///< empty: 0
  std::vector<double> length;        ///< of q: range per measured value
  double focal_baseline_px_m = 0.0;  ///< 0: errors are even along the ray, not in disparity
  bool is_planar = false;            ///< all q have z = 0
  bool sees_more = false;            ///< than the wall, which is to be found among other surfaces
  bool is_full_turn = false;         ///< the last column is beside the first
  std::uint32_t used_cols = 0;       ///< columns that there are: of turns, whose number of columns differs, not all
  double max_range_m = 0.0;          ///< 0: not known
  double reach_m = 0.0;              ///< beyond it a loss says nothing

  explicit WallRays(const WallSensor& sensor);

  [[nodiscard]] std::size_t size() const { return q.size(); }
  /// Whether ray i is one, and no place behind the last column of its turn.
  [[nodiscard]] bool is_there(std::size_t i) const { return used_cols == cols || i % cols < used_cols; }
  /// The ray that many rows and columns from ray i; nothing beyond the border.
  [[nodiscard]] std::optional<std::size_t> beside(std::size_t i, std::ptrdiff_t down, std::ptrdiff_t right) const;
  /// How many rays beside each other span an angle, rad, along columns or along rows.
  [[nodiscard]] std::ptrdiff_t rays_in(double angle_rad, bool are_across) const;
  [[nodiscard]] bool has_disparity() const { return focal_baseline_px_m > 0.0; }
  [[nodiscard]] std::size_t unknowns() const { return is_planar ? 2 : 3; }
  /// The clean value of ray i before the plane m; 0: the plane is not before it.
  [[nodiscard]] double clean_m(std::size_t i, const Vec3& m) const {
    const double share = dot(m, q[i]), from = origin_m.empty() ? 1.0 : 1.0 - dot(m, origin_m[i]);
    return share > 0.0 && from > 0.0 ? from / share : 0.0;
  }
  /// Where a value lies, in the sensor frame.
  [[nodiscard]] Vec3 point(std::size_t i, double value_m) const {
    return origin_m.empty() ? value_m * q[i] : origin_m[i] + value_m * q[i];
  }
  /// What the error is counted in: px of disparity, or m.
  [[nodiscard]] double error(double measured_m, double clean_m) const {
    return has_disparity() ? focal_baseline_px_m / measured_m - focal_baseline_px_m / clean_m : measured_m - clean_m;
  }
  /// The value without an error.
  [[nodiscard]] double without(double error, double value_m) const {
    return has_disparity() ? focal_baseline_px_m / (focal_baseline_px_m / value_m - error) : value_m - error;
  }
  /// How the error of ray i moves with the plane m, where the clean value is that of m.
  [[nodiscard]] Vec3 slope(std::size_t i, double clean_m, const Vec3& m) const {
    // error = f B / v - f B m . q, or v - (1 - m . o) / (m . q)
    if (origin_m.empty()) return (has_disparity() ? -focal_baseline_px_m : clean_m * clean_m) * q[i];
    return (1.0 / dot(m, q[i])) * point(i, clean_m);
  }
};

/// Deviation of the error: `constant` px of a disparity, else constant + per_m times range, m, along the ray.
struct WallScale {
  double constant = 0.0, per_m = 0.0;
  double half_step_m = 0.0;  ///< of measured values: the least deviation by rounding

  /// In the unit of WallRays::error(), of a clean value on ray i.
  [[nodiscard]] double at(const WallRays& rays, std::size_t i, double clean_m) const;
};

/// Whether a value is a reading of ray i.
bool is_reading(const WallRays& rays, std::size_t i, float measured_m);

/// Directions of the rays of frame f, unit, [rows, cols].
std::vector<Vec3> turn_directions(const WallFrames::Turns& turns, std::size_t rays, std::size_t f);

// The plane of one frame, where some readings are of other surfaces.

inline constexpr double kWallGate = 5.0;  ///< deviations within which a reading is one of the wall

inline Eigen::Vector3d vector_of(const Vec3& v) { return {v.x, v.y, v.z}; }
/// v' matrix v.
inline double quadratic_form(const Eigen::Matrix3d& matrix, const Vec3& v) {
  return vector_of(v).dot(matrix * vector_of(v));
}

/// The inverse of the matrix of a plane's unknowns; empty if readings do not determine it.
std::optional<Eigen::Matrix3d> plane_inverse(const Eigen::Matrix3d& matrix, std::size_t unknowns);

/// Sums of one Gauss-Newton step, by the components of m. Row and column z are 0 where rays are planar.
struct PlaneStep {
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  double square = 0.0;  ///< of errors, unweighted
  std::size_t readings = 0;

  void add(const Vec3& slope, double error, double deviation) {
    const double weight = 1.0 / (deviation * deviation);
    const Eigen::Vector3d along = vector_of(slope);
    right -= weight * error * along, information += weight * along * along.transpose();
    square += error * error, ++readings;
  }
};

/// The plane m . p = 1 through a frame's readings.
struct WallPlaneFit {
  Vec3 m;
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  ///< of m, were errors white
  WallScale scale = {};                                  ///< by which readings were weighted
  double deviation = 0.0;  ///< root mean square of the errors within the gate, in the unit of WallRays::error()
  std::size_t on_wall = 0;

  /// Share of its white error that the reading of ray i loses to the plane.
  [[nodiscard]] double leverage(const WallRays& rays, std::size_t i) const;
};

/// `measured_m` [rays], NaN: no reading, or left out. A scale weights the readings and sets the gate. Without one,
/// readings have equal weights, and their deviation sets the gate. Nothing, with the reason, where no plane is found.
std::optional<WallPlaneFit> fit_plane(const WallRays& rays, std::span<const float> measured_m, double half_step_m,
                                      const std::optional<WallScale>& scale, const NoiseKey& key, std::string& why_not);

/// The readings of the wall among other surfaces that a lidar or a laser sees: 1 where a plane is to be fitted.
/// Nothing, with the reason, where there is no wall.
std::optional<std::vector<std::uint8_t>> find_region(const WallRays& rays, std::span<const float> measured_m,
                                                     WallOptions::Choice choice, const NoiseKey& key,
                                                     std::string& why_not);

/// 1 for the readings that name_pixels() has on the wall.
std::vector<std::uint8_t> region_of(const WallRays& rays, std::span<const float> measured_m,
                                    std::span<const std::uint8_t> left_out, const WallPlaneFit& fit);

/// Names each ray of a frame, given its wall. `measured_m` [rays]; `left_out` [rays] or empty: where it is not 0 the
/// ray is left out. A reading is within the gate of the wall, a single one off it, or on another surface; the wall of
/// a lidar is connected. Without `border` losses are kLost. With it, a loss is judged by the nearest readings on all
/// sides. Among other surfaces readings are judged in the same way; otherwise the share of losses would be too small.
/// Returns the number of losses in the band that the right camera of a pair does not see.
std::size_t name_pixels(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                        const WallPlaneFit& fit, std::optional<WallOptions::BorderLosses> border,
                        std::span<WallMeasure::Pixel> pixels);

// Frames of a wall with their planes, and the steps of learning from them.

inline constexpr double kLeastShown = 0.05;         ///< share of the frames that have to show a wall
inline constexpr std::size_t kLeastInWallBin = 20;  ///< readings below which there is no deviation

/// Correlations at lags of 0 to kLags.
using WallLags = std::array<double, WallMeasure::kLags + 1>;

/// Sums of products of errors, each divided by its deviation, at every lag; entry 0 is the variance.
struct WallLagSums {
  WallLags products{}, pairs{};

  /// Adds the products of values in their order; NaN: no value.
  void add(std::size_t lag, std::span<const float> a, std::span<const float> b) {
    double sum = products[lag], count = pairs[lag];
    for (std::size_t k = 0; k < b.size(); ++k) {
      const double product = double{a[k]} * double{b[k]};
      if (product == product) sum += product, count += 1.0;  // not NaN
    }
    products[lag] = sum, pairs[lag] = count;
  }
  void add(const WallLagSums& other) {
    for (std::size_t k = 0; k < pairs.size(); ++k) products[k] += other.products[k], pairs[k] += other.pairs[k];
  }
  /// The mean product at a lag, divided by the mean product at lag 0; NaN without pairs.
  [[nodiscard]] double correlation(std::size_t lag) const {
    return products[lag] / pairs[lag] / (products[0] / pairs[0]);
  }
};

/// Of the pairs that start in one frame.
struct WallFrameSums {
  WallLagSums across, down, in_time;

  void add(const WallFrameSums& other) { across.add(other.across), down.add(other.down), in_time.add(other.in_time); }
};

/// An error that the readings of a ring have in common: bias + gain times range, m.
struct WallRingError {
  double bias_m = 0.0, gain = 0.0;

  [[nodiscard]] bool is_none() const { return bias_m == 0.0 && gain == 0.0; }
  [[nodiscard]] double at(double range_m) const { return bias_m + gain * range_m; }
};

struct WallWork {
  WallRays rays;                                        ///< of all frames, unless there are turns
  std::shared_ptr<const WallFrames::Turns> turns = {};  ///< null: no turns
  WallScale scale = {};
  std::vector<std::optional<WallPlaneFit>> fits = {};  ///< [frames]
  std::vector<WallFrameSums> sums = {};                ///< [frames]
  std::vector<WallRingError> rings = {};               ///< of a lidar, by ring_errors()
  WallMeasure measure = {};

  /// The error of ray i of the sensor because of its ring, m.
  [[nodiscard]] double of_ring(const WallSensor& sensor, std::size_t i, double range_m) const {
    return rings.empty() ? 0.0 : rings[sensor.lidar->ring[i]].at(range_m);
  }
  /// The same rays for all frames, unless there are turns.
  [[nodiscard]] std::shared_ptr<const WallRays> rays_of(std::size_t frame) const;
  /// Calls take(rays, i, pixel) for all rays of a frame, if it shows a wall.
  template <class Take>
  void for_each_ray(std::size_t frame, Take take) const {
    if (!fits[frame]) return;
    const auto own = rays_of(frame);
    for (std::size_t i = 0; i < rays.size(); ++i) take(*own, i, measure.pixels[frame * rays.size() + i]);
  }
};

std::string name_of(const WallFrames& frames, std::size_t frame);

WallWork measure_frames(const WallFrames& frames, const WallOptions& options, const WallMeasure* like);

// Correlation of errors of neighbouring rays.

/// Adds the products of the errors of a frame at lags of rows and columns; NaN: none.
void add_lags(const WallRays& rays, std::span<const float> standardised, WallFrameSums& sums);

/// From the sums of all frames; errors by leaving out one group of frames after the other.
void fill_correlations(WallWork& work, bool has_time);

/// A plane takes the share h S of the variance of a reading with the leverage h, S the sum of the correlations with all
/// readings of the frame. Lost pixels lie together, so S is not the same as for pixels left out at random. At borders,
/// where leverages are large, S is less.
class WallNeighbours {
 public:
  explicit WallNeighbours(const WallWork& work);

  /// S in the mean, weighted by leverage, for a correlation that is the product of one across and one down.
  [[nodiscard]] double sum(const WallLags& across, const WallLags& down) const;

 private:
  void add_around(std::span<const WallMeasure::Pixel> pixels, const WallRays& rays, std::size_t i, double leverage);

  std::array<WallLags, WallMeasure::kLags + 1> weights_{};  ///< [rows apart, columns apart], of pairs
  double all_ = 0.0;
};

/// E[F F'] of the field of noise/correlation.hpp along one direction of size `size_px`, as its kernels of whole pixels
/// have it.
WallLags field_correlations(CorrelationShape shape, double size_px);

/// Fits shape and sizes to the sums of a work's frames. `shared`: the share of the variance that is the model's own and
/// not of rounding, in (0, 1].
WallFit::CorrelationFit fit_correlation(const WallWork& work, double shared, const WallOptions& options);

// Returns of a chain.

/// Common errors of the readings of single rings in all frames: they are no noise, and would seem to be a correlation
/// along the ring. By ring, from 0 on; empty where no ring has a separate error. An error counts above a tenth of the
/// deviation, above five times its standard error, which takes frames as independent, and above `part` of the largest.
/// Fewer than five frames show no errors.
std::vector<WallRingError> ring_errors(const WallWork& work, const WallSensor::Lidar& lidar, double part);

struct WallReturnsOptions {
  bool without_rings = false;    ///< without the errors of single rings
  double sum = 1.0;              ///< S of WallFit::CorrelationFit: how much of the error a plane takes
  std::size_t most_returns = 0;  ///< more are thinned out at random
  bool tails = false;            ///< single readings off the wall are returns, too
  std::uint64_t seed = 0;
  /// Its gain and bias were taken out of the frames and are put back into the ranges; its bias of the disparity is
  /// taken out of the clean ranges. Null: neither.
  const WallFit::Tape* tape = nullptr;
};

/// Readings and losses of the walls. The clean range is moved so that the error is that before a plane took its part.
ChainReturns wall_returns(const WallFrames& frames, const WallWork& work, const WallReturnsOptions& options);

/// Models with their learned values, and their free parameters. `tried` is empty where there was nothing to choose.
struct WallLaw {
  NoiseChain chain;
  std::vector<std::string> free;
  std::vector<WallFit::Law> tried = {};
};

/// Chooses the law by which returns were lost; their ranges play no part. Frames held out judge where there are at
/// least five; else the likelihood judges, less log(returns) / 2 for each parameter. `flags` gets the open questions.
WallLaw choose_losses(ChainReturns returns, const WallOptions& options, std::vector<Message>& flags);

/// Replaces a normal error by one with heavy tails (Noise::with_heavy_tails) where frames held out prefer it, by two
/// standard errors and by more nats than chance gives one parameter. With fewer than five frames the likelihood
/// decides, less log(readings) / 2. `readings`: returns that were not lost, tails among them. `normal`: learned from
/// readings without tails, the normal error first; it is returned where errors have no heavier tails than normal ones.
WallLaw choose_range_law(const WallLaw& normal, const ChainReturns& readings, const WallOptions& options);

// Distances by tape.

/// Throws InputError, naming a frame, where all places are off their readings by more than a factor of 1.5 to the same
/// side, or one by more than 3: no sensor is that wrong. Of each place the frame with the least difference counts.
void check_tape(const WallFrames& frames, const WallWork& work);

/// 0 where one distance does not show it.
inline double gain_of(const WallFit::Tape& tape) { return tape.gain.value == tape.gain.value ? tape.gain.value : 0.0; }

struct TapeFit {
  std::optional<WallFit::Tape> tape;    ///< nothing: no frame with a wall has a distance
  std::vector<std::string> flags = {};  ///< on questions that distances leave open, and on contradictions
  WallFrames freed = {};                ///< without gain and bias along their rays, where the chain has them

  /// Whether the chain has gain and bias, or the bias of the disparity.
  [[nodiscard]] bool is_in_chain() const { return tape && !tape->is_exact && !tape->is_contradicted; }
  [[nodiscard]] bool has_gain() const { return is_in_chain() && !tape->is_disparity; }
};

/// A bias along the rays bends a wall: planes are fitted again to frames that are free of it, and `work` is then of
/// these. Throws InputError for a gain or bias beyond the limits of its model.
TapeFit fit_tape(const WallFrames& frames, const WallOptions& options, WallWork& work);

// Checks of frames against the values that were typed beside them. Flags are one line each, or empty.

/// A size to three digits, written out: "1500", "0.015".
std::string rough(double value);

/// Throws InputError, naming a frame, where the walls of a camera are beyond its reach in all but one frame in twenty,
/// or disparities deviate by as much as no camera's do: depths are of another unit then.
void check_depths(const WallFrames& frames, const WallWork& work);

/// Of a camera, naming a frame: whether walls are so near that disparities are wider than the image, or images with
/// levels show them so near or far as none is. At least one plane is found.
Message depths_flag(const WallFrames& frames, std::span<const WallMeasure::Plane> planes);

/// depths_flag(), which makes the fit useless; whether a value of a planar laser, beyond all others and off the wall,
/// means no return; and whether the steps of disparity found in the levels fit no camera.
std::vector<Finding> sanity_findings(const WallFrames& frames, const WallWork& work, double steps_per_px);

/// Whether the wall moves from frame to frame, by more than the errors of the planes. `sum` readings count as one.
std::string moving_wall_flag(const WallWork& work, double sum);

}  // namespace fathom
