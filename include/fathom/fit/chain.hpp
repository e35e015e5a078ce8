// SPDX-License-Identifier: MIT
#pragma once
// The noise of a sensor learned as one: all free parameters of its chain at once, by maximum likelihood, from measured
// frames whose clean ranges are known.
//
// A return that came back has the density of all range models of the chain together
// (noise/detail/measured_range_law.hpp), times the probability that no model of loss took it; a lost one has the
// probability that one of them did, or that its range left the limits. Values take returns as independent. Standard
// errors take stretches of the way as independent, or, of a sensor that stood, frames or blocks of frames (the
// clustered sandwich of Huber and White). They are never below the naive ones, which take returns as independent.
//
// If points are known, not only ranges, the likelihood includes the angles between points and rays (angular_hit).
//
// At some parameters the likelihood jumps: where loss_angle, invalid_band and the `document` law of stereo_energy begin
// to lose, where edge_loss does, and the ends of a `uniform` that is the only error. They are searched one by one;
// their error is the deviation of the likelihood, taken as a density, about its maximum (as in Pitman's estimator),
// others held.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/noise/model.hpp>
#include <fathom/report/fit.hpp>

namespace fathom {

// The surfaces that turned rays meet: the geometry for learning angular_ray. The scene is cast once; another mean or
// deviation of the angle only changes the weights.
//
// A turned ray is R(axis, a) times the nominal one, about an axis of the sensor frame, as angular_ray turns it. Each
// return is followed through a fixed grid of angles, its nodes:
//
//   weight of node k = E[hat_k(a)],   hat_k falls from 1 at its node to 0 at the neighbours (outside the grid it is 1)
//
// The density of a return is a mixture over the surfaces that nodes meet, with these weights. So an edge between two
// nodes lies anywhere between them with equal probability, which holds on average over rays for any spacing. On one
// plane the range is known for every angle without nodes: most rays have only the normal of their surface.

/// Measured ranges of frames, and the clean ones of the same rays in the scene. Arrays [returns], of rays that met a
/// surface within the limits of the sensor.
struct ChainReturns {
  /// The fate of a range that noise carried outside the limits of the sensor.
  enum class Outside : std::uint8_t {
    kKept,     ///< it was reported unchanged
    kClamped,  ///< the limit was reported
    kLost      ///< no range was reported
  };

  /// Angles between measured points and their rays, which learning of angular_hit needs. Ranges do not show them, since
  /// the model keeps ranges. Points do, without a scene.
  ///
  /// A point lies at R(second, b) R(first, a) times the direction of its ray, about axes of the sensor frame.
  struct HitTurns {
    /// Of the models angular_hit of a chain, in their order: one, or two different ones; empty if only ranges are
    /// known.
    std::vector<Axis> axes;
    /// [returns] a, in (-pi, pi] rad; NaN: lost, or along an axis, where points do not show it.
    std::vector<float> first_rad = {};
    std::vector<float> second_rad = {};  ///< [returns] b, the same; of one axis empty

    [[nodiscard]] bool is_known() const { return !axes.empty(); }
  };

  /// Vectors are in the sensor frame.
  struct TurnedRays {
    static constexpr std::uint32_t kOneSurface = ~0U;  ///< of `surroundings`
    static constexpr std::uint8_t kNothing = 255;      ///< of `met`
    static constexpr std::size_t kLeastNodes = 3, kMostNodes = 64;

    /// The nominal ray of a return.
    struct Ray {
      Vec3 direction, origin_m;  ///< unit; m
      Vec3 normal;               ///< unit, of the surface at the clean hit
      /// Place among the rays whose nodes meet several surfaces, or kOneSurface: all meet the plane of the clean hit.
      std::uint32_t surroundings = kOneSurface;
    };
    /// A plane n . p = c.
    struct Surface {
      Vec3 normal;
      double plane_m = 0.0;
      double energy = 1.0;  ///< over the cosine of incidence
    };

    std::optional<Axis> axis = {};                  ///< empty: the surfaces are unknown
    std::vector<double> angle_rad = {};             ///< of the nodes, ascending, 3 to 64
    std::vector<Ray> rays = {};                     ///< [returns]
    std::vector<std::uint8_t> met = {};             ///< [surroundings, nodes] number of the surface, or kNothing
    std::vector<std::uint32_t> first_surface = {};  ///< [surroundings + 1] place of its surface 0
    std::vector<Surface> surfaces = {};

    [[nodiscard]] bool is_known() const { return axis.has_value(); }
  };

  std::vector<float> range_m;        ///< measured; NaN: lost
  std::vector<float> clean_range_m;  ///< above 0
  std::vector<float> clean_x_m;      ///< of the clean hit point in the sensor frame; of a camera its depth, above 0
  std::vector<float> clean_y_m;      ///< of the same point, which shows its column
  std::vector<float> incidence_rad;  ///< in [0, pi / 2]
  std::vector<float> energy;         ///< as Channel::kEnergy
  std::vector<float> edge_rad, jump, jump_rad;  ///< of noise/model.hpp, for edge_loss; all empty if unknown
  std::vector<float> light = {};  ///< of the surface, reflectivity x law(incidence), for weather; empty if unknown
  std::vector<std::uint16_t> ring = {};         ///< scan line of its ray; empty if unknown
  std::vector<std::uint32_t> frame;             ///< ascending
  bool sensor_moved = false;                    ///< whether its frames are from different places
  Optics optics = {};                           ///< of the sensor's camera, if it is one
  double min_range_m = 0.0, max_range_m = 1e9;  ///< of the sensor
  double beam_rad = 0.0;                        ///< full angle by which rays widen, for drops; 0: that of the model
  double least_power = 0.0;                     ///< that the sensor detects (noise/detail/power.hpp); 0: it detects all
  Outside outside = Outside::kKept;
  double half_step_m = 0.0;         ///< ranges are rounded to multiples of twice this; 0: they are not rounded
  bool depths_are_rounded = false;  ///< true: distances to the image plane are rounded; false: ranges are
  TurnedRays turned = {};           ///< for chains with angular_ray
  HitTurns hits = {};               ///< for chains with angular_hit

  [[nodiscard]] std::size_t size() const { return range_m.size(); }
  [[nodiscard]] FATHOM_API std::vector<std::uint16_t> rings() const;  ///< ascending
};
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<ChainReturns::Outside> = {"kept", "clamped", "lost"};

/// A parameter to learn: of the model at this place in the chain.
struct ChainParameter {
  std::size_t entry = 0;
  std::string field;
  std::optional<std::uint16_t> ring = {};  ///< of this ring; empty: of all rings without a separate entry
  friend bool operator==(const ChainParameter&, const ChainParameter&) = default;
};

/// The parameters of a chain that a pattern names: "distance.stddev_m", "distance.*", "*" or "0.*" (place in the
/// chain), each * for any text, and "gain_bias.rings.*", "gain_bias.rings.3.gain" or "gain_bias.rings.*.gain" for
/// parameters of each of `rings`, which ascend. A * skips parameters that cannot be learned. Throws InputError, with
/// the reason, if the pattern names no parameter, or one that cannot be learned.
FATHOM_API std::vector<ChainParameter> chain_parameters(const NoiseChain& chain, std::string_view pattern,
                                                        std::span<const std::uint16_t> rings = {});
/// The parameters of several patterns, one after the other.
FATHOM_API std::vector<ChainParameter> chain_parameters(const NoiseChain& chain, std::span<const std::string> patterns,
                                                        std::span<const std::uint16_t> rings = {});

struct ChainFitOptions {
  std::uint32_t hold_out = 5;      ///< every `hold_out`-th frame judges and is not learned from; 0: no frame
  std::uint32_t block_frames = 1;  ///< frames that count as one for the errors, where there are no stretches
  /// Standard errors take this number of stretches of the way, of about equal numbers of frames, as independent, and
  /// neighbours as FitOptions::stretches says. With fewer frames, each is a stretch. 0: frames, or blocks of them.
  /// Empty: kUsualStretches if the sensor moved and block_frames is 1, else 0. Not with block_frames above 1.
  std::optional<std::uint32_t> stretches = {};
  static constexpr std::uint32_t kUsualStretches = 40, kMostStretches = 1'000'000;
  int threads = 0;  ///< at work at once; 0: one per core; they change no bit of the result

  /// Number of stretches in a fit of these returns; 0: frames are blocks.
  [[nodiscard]] FATHOM_API std::uint32_t stretches_of(const ChainReturns& returns) const;
};

/// Throws InputError for a number outside its limits.
FATHOM_API void validate(const ChainFitOptions& options);

/// A parameter is unidentified if its standard error exceeds its value, or if the returns bound it to one side only. It
/// is also unidentified if it stays as given: other parameters have the same effect, it has no effect, disparities have
/// no common step, or it is of angular_hit and only ranges are known. Intervals are as uneven as the likelihood. Blocks
/// are stretches of the way, or frames, or blocks of frames.
struct ChainFit : Fit {
  NoiseChain chain;                   ///< as given, with the learned values
  std::size_t returns = 0, lost = 0;  ///< used to learn; lost ones among them
  std::size_t frames = 0;
  /// Of a chain with angular_ray: the returns whose turned rays meet several surfaces, and so show the angles.
  std::size_t at_edges = 0;
};

/// Learns the parameters `free` of a chain. `steps_per_px` of a disparity is read off the spacing of its levels. Where
/// min_energy and pow of a stereo_energy are free, its other law is tried, too, and taken where it is likelier by 3
/// nats; not beside angular_ray. Redundant parameters (the mean of a distance beside a bias, one of two dropouts) and
/// parameters that the returns do not identify stay as given. A ring whose parameter is free gets a separate entry,
/// which begins as the model itself. Throws InputError when arrays disagree, no parameter is free, or fewer than 100
/// returns are there to learn from. Throws it for a model without density, which the message names. Throws it for a
/// parameter that is free for a ring without returns, and for a model that is free both for single rings and for all.
FATHOM_API ChainFit fit_chain(const NoiseChain& chain, std::span<const ChainParameter> free,
                              const ChainReturns& returns, const ChainFitOptions& options = {});

/// Throws InputError for a chain that fit_chain() and score_frames() refuse for all returns: one with a model
/// without density, which it names, with parameters for entities, or with models whose law together is not known.
FATHOM_API void check_scorable(const NoiseChain& chain);

/// Mean log density of a frame's returns under a chain.
struct FrameScore {
  std::uint32_t frame = 0;
  std::size_t returns = 0, lost = 0;
  double nats = 0.0;  ///< per return; an impossible one counts -60
};

/// Of each frame, in their order. Throws InputError as fit_chain() does.
FATHOM_API std::vector<FrameScore> score_frames(const NoiseChain& chain, const ChainReturns& returns, int threads = 0);

/// Nats per return of all frames together, and the standard error of the mean, which takes frames or `stretches` of
/// them as independent (ChainFitOptions); NaN for one.
struct MeanScore {
  double nats = 0.0, std_error = 0.0;
};
FATHOM_API MeanScore mean_score(std::span<const FrameScore> scores, std::uint32_t stretches = 0);
/// Of `scores` less that of `others`, which are scores of the same frames. Throws InputError when they are not.
FATHOM_API MeanScore score_difference(std::span<const FrameScore> scores, std::span<const FrameScore> others,
                                      std::uint32_t stretches = 0);

/// The chain as the list that scene files hold under `noise:`; each line after `indent` spaces. Throws InputError for a
/// chain with parameters for entities.
FATHOM_API std::string chain_yaml(const NoiseChain& chain, std::size_t indent = 2);

}  // namespace fathom
