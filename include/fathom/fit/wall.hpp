// SPDX-License-Identifier: MIT
#pragma once
// The noise of a depth camera, a planar laser or a lidar learned from a flat wall, without poses and without a scene. A
// plane (of a laser a line) is fitted to the readings of every frame, and gives the clean range and the incidence of
// each ray. The chain is then learned as fathom/fit/chain.hpp does, with frames as independent blocks.
//
// The fit is by least squares over the readings within five deviations. It starts at the least median of residuals over
// keyed random triples (Rousseeuw, Journal of the American Statistical Association 79 (1984)), so that up to half of
// the readings may show other things. A camera with a baseline is fitted in disparity, where its errors are even and a
// plane is linear; other sensors along the ray, weighted by the deviation at that range. A plane takes a part of the
// error: a residual with the leverage h is divided by sqrt(1 - h S), S the sum of the correlations of the error over
// all lags.
//
// A lidar also sees floor, ceiling and other walls, and a laser in a corridor several walls. Planes are drawn through
// random neighbours (Fischler and Bolles, Communications of the ACM 24 (1981)). The wall is on the one that most
// readings, or most of those straight ahead, agree with within four deviations; it is the largest connected piece of
// these readings. Rays so near to another surface that its readings could be the wall's are left out.
//
// A wall does not show the mean error, which moves the plane itself, unless distances were measured with a tape. It
// shows neither the effects of edges nor the losses of surfaces with another colour or texture.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/chain.hpp>

namespace fathom {

/// The rays of the sensor: of a camera, of a planar laser, or of a lidar.
struct WallSensor {
  /// A pinhole camera whose depths are seen by its left lens, at the sensor's origin; pixel centres are whole numbers.
  /// The principal point is not more than the width and height of the image outside of it.
  struct Camera {
    double fx_px = 0.0, fy_px = 0.0, cx_px = 0.0, cy_px = 0.0;
    double baseline_m = 0.0;  ///< 0: it measures no disparity
  };

  /// The rays of a lidar, in rows and columns, neighbours beside each other. Arrays [rows, cols].
  struct Lidar {
    std::vector<Vec3> direction;      ///< unit, in the sensor frame
    std::vector<Vec3> origin_m = {};  ///< of the rays; empty: the sensor's origin
    std::vector<std::uint16_t> ring;  ///< scan line of each
    bool is_full_turn = false;        ///< the last column is beside the first
    double min_range_m = 0.0;         ///< how near it measures
    std::string entry = {};           ///< lines of a scene file for these rays; empty if unknown
  };

  std::uint32_t rows = 0, cols = 0;      ///< of a laser one row
  std::optional<Camera> camera = {};     ///< not both of a camera and
  std::optional<Lidar> lidar = {};       ///< a lidar; neither: a planar laser
  std::vector<double> azimuth_rad = {};  ///< of a planar laser, [cols]
  double max_range_m = 0.0;              ///< how far it measures; 0: not known

  [[nodiscard]] std::size_t rays() const { return std::size_t{rows} * cols; }
};

/// Frames of a wall.
struct WallFrames {
  /// The rays of a lidar whose turns start anywhere and go at rates that differ a little, frame by frame.
  /// WallSensor::Lidar has their origins and rings; the columns go round, in each frame as many as the turn has.
  struct Turns {
    std::vector<float> azimuth_rad, elevation_rad;  ///< of each ray, [frames, rows, cols]
    std::vector<std::uint32_t> cols;  ///< of the turn, [frames]; at most WallSensor::cols, the rest is empty
    bool knows_losses = true;         ///< whether a ray without a reading was lost; false: there may be no such ray
    std::vector<std::string> why_not = {};  ///< a frame is left out, one line, [frames]; else empty
  };

  static constexpr double kLeastTapeM = 1e-3, kMostTapeM = 1e6;  ///< of tape_m

  WallSensor sensor;
  /// [frames, rows, cols], m: of a camera distances to the image plane, else ranges along the ray. A reading is lost
  /// unless it is above 0 and finite, and, of a planar laser, below WallSensor::max_range_m.
  std::vector<float> measured_m;
  std::vector<std::string> names = {};  ///< of the frames in messages, [frames]; empty: their numbers
  /// Distance of the sensor's origin to the wall by a tape measure, perpendicular to the wall, m, [frames]; NaN: not
  /// measured; empty without measurements.
  std::vector<double> tape_m = {};
  /// Rays with a value other than 0 are left out: [rows, cols], or [frames, rows, cols]; empty: all count.
  std::vector<std::uint8_t> left_out = {};
  double half_step_m = 0.0;                 ///< measured values are multiples of twice as much; 0: not rounded
  std::shared_ptr<const Turns> turns = {};  ///< of a lidar; null: all frames have the rays of the sensor

  [[nodiscard]] std::size_t frames() const { return sensor.rays() == 0 ? 0 : measured_m.size() / sensor.rays(); }
};

/// Numbers about frames of a wall, measured or simulated, which can be set side by side.
struct WallMeasure {
  /// What a ray of a frame shows.
  enum class Pixel : std::uint8_t {
    kWall,      ///< a reading on the wall
    kTail,      ///< a single reading more than five deviations off it, of no other surface
    kLost,      ///< no reading, where the wall is
    kOther,     ///< another surface, or a loss beside one; among other surfaces any ray beside one or at
                ///< the wall's end
    kNotKnown,  ///< a loss where the wall may not be
    kLeftOut    ///< left out, or of a frame without a wall
  };

  /// The wall of a frame.
  struct Plane {
    bool is_found = false;
    std::string why_not = {};       ///< one line
    Vec3 normal = {1.0, 0.0, 0.0};  ///< unit, in the sensor frame, away from the sensor; of a laser its z is 0
    double distance_m = 0.0;        ///< of the sensor's origin, perpendicular
    double deviation = 0.0;         ///< root mean square of the error: px of disparity with a baseline, else m
    std::size_t on_wall = 0, tails = 0, lost = 0, other = 0;
  };

  /// Rays of the wall in a band of range or incidence.
  struct Bin {
    double low = 0.0, high = 0.0;  ///< m or degrees
    std::size_t readings = 0, lost = 0;
    double deviation_px = 0.0;  ///< of the error in disparity; NaN without a baseline or below 20 readings
    double deviation_m = 0.0;   ///< along the optical axis, of a laser along the ray; NaN below 20 readings

    [[nodiscard]] double fill() const {
      const double all = static_cast<double>(readings + lost);
      return all > 0.0 ? static_cast<double>(readings) / all : __builtin_nan("");
    }
  };

  static constexpr std::size_t kLags = 32, kLagsInTime = 8, kErrorBins = 61;
  static constexpr double kErrorSpan = 5.0;  ///< the histogram reaches from -5 to 5 deviations

  std::vector<Plane> planes;                ///< [frames]
  std::vector<Pixel> pixels;                ///< [frames, rows, cols]
  std::vector<float> residual;              ///< the same: px of disparity, or m; NaN where no reading is of the wall
  std::vector<Bin> by_range, by_incidence;  ///< bins of range along the ray
  /// Correlation of the error at lags of 1 to kLags px; empty where there is no such direction, or none so long. Not
  /// corrected for the part that the plane absorbs.
  std::vector<Estimate> across, down;
  std::vector<Estimate> in_time;     ///< 1 to kLagsInTime frames later; empty unless frames are still
  std::vector<double> error_shares;  ///< [kErrorBins] of equal width, of errors by their deviation there
  double deviation = 0.0;            ///< root mean square of all errors: px with a baseline, else m
  std::size_t readings = 0, lost = 0, tails = 0, other = 0, not_known = 0;
  std::size_t hidden = 0;    ///< losses in the band that the right camera does not see; among `not_known`
  bool knows_losses = true;  ///< false: losses are neither counted nor known
};

struct WallOptions {
  /// How losses at the border of the view count: behind a wall's end there may be nothing.
  enum class BorderLosses : std::uint8_t { kOfWall, kNotKnown };

  /// Which plane is the wall among other surfaces. Its normal is within 45 degrees of the sensor's x-y plane: it is no
  /// floor.
  enum class Choice : std::uint8_t {
    kLargest,  ///< the one with the most readings
    kAhead  ///< the one with the most readings within 20 degrees of the x axis; its normal is within 60 degrees of it
  };

  std::uint64_t seed = 0;  ///< of the random triples and of thinning
  /// Losses with no reading between them and the border. Nothing: of a camera the wall's, else not known.
  std::optional<BorderLosses> border = {};
  /// Of a lidar, or of a planar laser that sees more than the wall. Nothing: the largest of a lidar, and of a planar
  /// laser the one that at least half of the readings are of.
  std::optional<Choice> wall = {};
  bool rings = false;  ///< of a lidar: a bias for each ring, a gain where it shows, a deviation unless tails are heavy
  bool still = false;  ///< frames are successive, and sensor and wall move only from place to place
  double rate_hz = 30.0;                         ///< frames per second, where they are still
  std::uint32_t hold_out = 5, block_frames = 1;  ///< of ChainFitOptions
  std::size_t most_returns = 300'000;            ///< to learn from; more are thinned out at random; at least 1000
  int threads = 0;                               ///< at work at once; 0: one per core; they change no bit of the result
};
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<WallOptions::BorderLosses> = {"of_wall", "not_known"};
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<WallOptions::Choice> = {"largest", "ahead"};

/// Throws InputError for a number outside its limits.
FATHOM_API void validate(const WallOptions& options);

/// Fits the planes and measures, without learning. `like`: the measured frames to compare with, which give the bins of
/// range; rays that showed no wall there are left out here (simulate_wall() does so), and all other losses are the
/// wall's. Null: separate bins. Throws InputError as validate() does, and when fewer than one frame in twenty shows a
/// wall, or none.
FATHOM_API WallMeasure measure_wall(const WallFrames& frames, const WallOptions& options = {},
                                    const WallMeasure* like = nullptr);

struct WallFit {
  /// Measured distances against those by the tape: one number for each place, which is a run of frames with one
  /// distance. The standard error comes from the spread of the places, widened by Student's t for few places. It is
  /// never below the standard error of the readings. NaN unless there are more places than parameters.
  struct Tape {
    std::size_t places = 0;
    Estimate gain = {},
             bias_m = {};   ///< of gain_bias: measured range = (1 + gain) clean + bias_m; gain is NaN for one distance
    double spread_m = 0.0;  ///< deviation of the places about that; NaN for too few
    /// With a baseline: were it all a bias of the disparity.
    Estimate bias_px = {};
    double bias_px_spread_m = 0.0;
    bool is_disparity = false;  ///< whether the bias of the disparity describes the places better
    bool is_exact = false;      ///< whether all of that is within two standard errors of 0: the chain leaves it out
    /// Whether distances and readings contradict each other: the chain leaves it out. Frames of one distance lie apart
    /// by a fifth of it, a place is off gain and bias by a tenth of its distance, or these are beyond what their models
    /// take.
    bool is_contradicted = false;
  };

  /// Correlation of the error, as fathom/noise/correlation.hpp has it. Sizes are 0 where the error is white.
  struct CorrelationFit {
    CorrelationShape shape = CorrelationShape::kGaussian;
    Estimate across_px, down_px;
    Estimate time_s;            ///< 0: not known, or each frame anew; may be infinite
    double shared = 1.0;        ///< share of the variance that is not of rounding, whose draws neighbours share
    double misfit = 0.0;        ///< root mean square of measured less closed form, over the lags fitted
    double other_misfit = 0.0;  ///< that of the other shape
    double sum = 1.0;           ///< S: of the correlations over all lags

    [[nodiscard]] FATHOM_API Correlation correlation() const;
  };

  /// A law of loss, or of the error of the range, that was tried.
  struct Law {
    std::string name;  ///< "stereo_energy + dropout", "student"
    std::size_t parameters = 0;
    double nats = 0.0;  ///< mean log density of a return, of frames held out; of all where none judged
    double gain = 0.0, gain_error = 0.0;  ///< on the first law, per return; the error is NaN where no frame judged
    bool is_chosen = false;
  };

  WallSensor sensor;
  std::shared_ptr<const WallFrames::Turns> turns;  ///< of the frames
  WallMeasure measure;
  /// What was learned; its chain has the correlation and, with a tape, gain and bias. No user gave its start. It lists
  /// findings on the walls, and then findings on the chain.
  ChainFit chain;
  ChainReturns returns;  ///< that it was learned from
  CorrelationFit correlation;
  std::optional<Tape> tape = {};
  std::vector<Law> loss_laws;  ///< tried, dropout first; empty when nothing was lost
  /// Tried, distance before student; empty of a camera with a baseline, and where tails are not heavier than normal
  /// ones.
  std::vector<Law> range_laws;
};

/// Learns the chain of the sensor: `disparity` of a camera with a baseline, else `distance`, or `student` where frames
/// held out show heavier tails; dropout, alone or with the one of stereo_energy, texture_loss and loss_angle that
/// frames held out prefer; the correlation of the error; and gain_bias, or the bias of the disparity, where distances
/// are given. Throws InputError as measure_wall() does, when fewer than 100 returns are on walls, for rings of another
/// sensor than a lidar, for walls beyond the reach of a camera, for a disparity that deviates by more than its model
/// takes, and for distances by tape that are all off the readings by more than a factor of 1.5, or one by more than 3.
FATHOM_API WallFit fit_wall(const WallFrames& frames, const WallOptions& options = {});

}  // namespace fathom
