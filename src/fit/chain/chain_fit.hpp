// SPDX-License-Identifier: MIT
#pragma once
// The steps of fit_chain().

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/fit/chain.hpp>

#include "fit/chain/chain_likelihood.hpp"
#include "fit/estimator.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

/// Parts of fit_chain() that a trial of one chain among others leaves out.
struct ChainChoice {
  bool of_laws = true;       ///< choose the law of a stereo_energy by likelihood
  bool hold_untold = true;   ///< keep parameters as given that the returns do not identify
  bool of_errors = true;     ///< find standard errors
  bool of_intervals = true;  ///< search the ends of intervals, which takes as long as the fit
};

ChainFit fit_chain_laws(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                        const ChainFitOptions& options, const ChainChoice& choice);

// In chain_parameters.cpp.

/// As Fit::Parameter::name.
std::string name_of(const NoiseChain& chain, const FreeNumber& p);

/// Throws InputError as fit_chain() does.
std::vector<FreeNumber> free_numbers(const NoiseChain& chain, std::span<const ChainParameter> free,
                                     std::span<const std::uint16_t> rings);

/// Sets steps and limits of the angles of angular_ray and angular_hit, since the limits of their fields are much too
/// wide. A step of angular_ray is a share of the distance of nodes, and the nodes are its limits. A step of angular_hit
/// is a share of the root mean square of the angles of points.
void set_steps_of_angles(const NoiseChain& chain, const ChainReturns& returns, std::span<FreeNumber> numbers);

/// Throws InputError for a chain without any error of ranges where most measured ranges differ from the scene: all
/// would be impossible.
void check_ranges_may_err(const NoiseChain& chain, const ChainData& data);

// In chain_identifiability.cpp.

/// Sets a parameter of role kLevels: the least number of steps per pixel that puts nearly all measured disparities on
/// levels. The likelihood does not identify it: with enough levels every range is a level. Returns false, and leaves
/// the parameter, if no number does. Throws InputError if other models of the chain move ranges, or if the returns are
/// not of a stereo camera.
bool set_levels(NoiseChain& chain, const FreeNumber& steps, const ChainReturns& returns);

/// The note on an end of a uniform that is the only error, if hardly any error lies beside it. A few returns with other
/// errors hold the end there, and its value has no standard error. Empty for all other ends and parameters.
std::string few_at_end(const NoiseChain& learned, const FreeNumber& end, const ChainData& data);

/// The redundant ones of `free`: the others span the same changes of the densities, as a bias beside the mean error of
/// a distance. Found from the derivatives of all that these densities depend on (ChainDensity::effects), at the values
/// where a search begins, so that measured ranges do not matter. Parameters of single rings stay first, then parameters
/// of the last models of the chain, then mean errors and biases.
std::vector<FreeNumber> redundant_parameters(const NoiseChain& chain, std::span<const FreeNumber> free,
                                             const ChainData& data);

/// Adds notes on parameters and standard errors. `numbers`: the parameters.
void add_flags(ChainFit& fit, std::span<const FreeNumber> numbers, const ChainReturns& returns);

// In chain_search.cpp: the way of parameters to the highest likelihood. A coarse search on few returns, damped Newton
// steps on all, and a search of each parameter at which the likelihood jumps (fit/estimator.hpp).

/// Whether the likelihood jumps along this parameter if `free` are free.
bool is_jump(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter);

/// The model that is the only random error and whose ends a gain moves: gain and ends cannot be searched one by one.
/// Null: the parameter is no such gain.
const Noise* moved_sharp_ends(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter);

/// Off the limits, where a search would not begin to move.
std::vector<double> inner_start(std::span<const FreeNumber> free, std::vector<double> start);

/// Where a search begins: each model with free parameters where its begin() has them, if that makes the chain likelier.
NoiseChain begun(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data);

/// Smooth parameters are climbed together, parameters at which the likelihood jumps one after the other.
class Ascent {
 public:
  /// What `data` refers to must outlive it.
  Ascent(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data);

  void climb();

  [[nodiscard]] double total() const { return data_.total(chain_); }
  [[nodiscard]] const NoiseChain& chain() const { return chain_; }
  [[nodiscard]] const std::vector<FreeNumber>& smooth() const { return smooth_; }
  [[nodiscard]] const std::vector<FreeNumber>& jumps() const { return jumps_; }
  [[nodiscard]] const std::vector<JumpPeak>& peaks() const { return peaks_; }
  /// With all smooth parameters free.
  [[nodiscard]] ChainLikelihood together(const ChainData& data) const { return {chain_, smooth_, data}; }

 private:
  [[nodiscard]] ChainLikelihood along(const FreeNumber& p, std::span<const std::size_t> places) const {
    return {chain_, std::span(&p, 1), data_.at(places)};
  }
  /// The returns that a parameter acts on.
  [[nodiscard]] std::vector<std::size_t> known_to(const FreeNumber& p) const;
  void climb_all();
  /// Brings smooth parameters near the maximum. A threshold cannot lie above the energy of a return that came back, and
  /// few returns need not show the lowest one. So returns that their maximum excludes join them.
  void look_around();
  /// Adds the impossible returns of the chain; false if it has no new ones, or too many.
  bool add_impossible(std::vector<std::size_t>& few) const;
  /// Moves each jump, then all smooth parameters, and returns the log-likelihood. Jumps are searched within all their
  /// limits, or near their values.
  double settle(bool everywhere);
  /// Swaps free ends of a uniform that changed places, which leaves its law the same; whether there were any.
  bool order_ends();

  NoiseChain chain_;
  ChainData data_;
  std::vector<FreeNumber> smooth_, jumps_;
  std::vector<JumpPeak> peaks_;
};

// In chain_errors.cpp: standard errors and intervals of learned parameters.

/// The returns that standard errors rest on: they are possible under the learned chain.
///
/// A return below ChainDensity::kLeastLog counts that much for all parameters near the maximum. The maximum is
/// therefore that of the other returns, and standard errors are theirs. If a return crossed the floor within a step of
/// the differences, the likelihood would have a kink: so the floor is out of reach for standard errors.
///
/// Which returns are impossible depends on the parameters, too. The sum of max(g, floor) over log densities g has the
/// second derivatives
///
///   sum over g above the floor of g''  +  sum of delta(g - floor) grad g grad g^T
///
/// and the second part, which makes errors larger, is a mean over returns within kRimNats of the floor.
struct PossibleReturns {
  static constexpr double kRimNats = 15.0, kOutOfReach = 2.0 * ChainDensity::kLeastLog;

  std::vector<std::size_t> places;     ///< of these returns, ascending
  std::vector<std::size_t> rim;        ///< of returns near the floor, above or below it
  std::vector<std::uint32_t> cluster;  ///< of each of `places`
  std::size_t impossible = 0;
  double least_log = 0.0;  ///< for their likelihood

  /// `cluster_of_all`: of each return of the data.
  PossibleReturns(const NoiseChain& learned, const ChainData& all, std::span<const std::uint32_t> cluster_of_all);

  /// Whether few enough returns are impossible. With more, the values depend on the density floor.
  [[nodiscard]] bool tell_errors() const;
  /// One line on the impossible returns. `errors_told`: whether standard errors are given.
  [[nodiscard]] std::string note(bool errors_told) const;
};

/// NaN: unknown.
struct ParameterError {
  double error = kNoNumber, naive = kNoNumber;
  double half_width = kNoNumber;  ///< of the 95 % interval, if the likelihood is a parabola
  double parabola = kNoNumber;    ///< standard error by the second derivatives of the likelihood alone
  bool is_at_limit = false, is_unidentified = false;
};

struct ChainErrors {
  std::vector<ParameterError> of;    ///< [parameters]
  std::vector<double> correlations;  ///< [parameters, parameters]
  std::size_t clusters = 0;
  bool hangs_on_floor = false;  ///< returns near the floor hold most of the information: no standard error is known
};

/// Of a likelihood whose chain is at its maximum, from the observed information and the moves of clusters with their
/// shares of it (fit/uncertainty.hpp). `cluster`: of each return, ascending. `are_stretches`: clusters are stretches of
/// the way, which are correlated with their neighbours (BartlettWeights). `rim`: the returns near the floor
/// (PossibleReturns), whose part of the information is taken out.
ChainErrors chain_errors(const ChainLikelihood& likelihood, const ChainLikelihood& rim,
                         std::span<const std::uint32_t> cluster, bool are_stretches);

/// 95 % intervals: all values of one parameter for which, with the best of the others, the log-likelihood L is above
///
///   L(maximum) - (half width / error of independent returns)^2 / 2
///
/// with both of ChainErrors, so that clusters widen them. Where L is a parabola, that is value +- half width; where it
/// is skewed, as of a limit that few returns come near, the interval is, too, and it never leaves the limits of the
/// parameter. Source: Chandler and Bate, Biometrika 94 (2007), the vertical adjustment. Of single rings, whose
/// parameters are many, of parameters without standard error, and of all unless `search`: value +- half width.
std::vector<Interval> chain_intervals(const ChainLikelihood& likelihood, const ChainErrors& errors, bool search);

}  // namespace fathom
