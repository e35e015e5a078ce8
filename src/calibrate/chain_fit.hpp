// SPDX-License-Identifier: MIT
#pragma once
// The steps of fit_chain().

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// What fit_chain() does, and a trial of one chain among others does not.
struct ChainChoice {
  bool of_laws = true;       ///< the law of a stereo_energy is chosen by likelihood
  bool hold_untold = true;   ///< parameters that the returns do not tell stay as given
  bool of_intervals = true;  ///< ends of intervals are searched, which takes as long as the fit
};

ChainFit fit_chain_laws(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                        const ChainFitOptions& options, const ChainChoice& choice);

// In chain_parameters.cpp.

/// As LearnedParameter::name.
std::string name_of(const NoiseChain& chain, const FreeNumber& p);

/// Throws InputError as fit_chain() does.
std::vector<FreeNumber> free_numbers(const NoiseChain& chain, std::span<const ChainParameter> free,
                                     std::span<const std::uint16_t> rings);

/// Sets steps and limits of the angles of angular_ray and angular_hit: the limits of their fields are much too wide.
/// angular_ray is searched in shares of the distance of nodes, within what these span; angular_hit in shares of the
/// root mean square of the angles of points.
void set_steps_of_angles(const NoiseChain& chain, const ChainReturns& returns, std::span<FreeNumber> numbers);

/// Throws InputError for a chain without any error of ranges where most measured ones are not those of the scene: all
/// would be impossible, and say nothing.
void check_ranges_may_err(const NoiseChain& chain, const ChainData& data);

// In chain_evidence.cpp.

/// Sets a parameter of role kLevels: the least number of steps per pixel that puts nearly all measured disparities on
/// levels. The likelihood does not tell it, as every range is a level if there are enough levels. False: no number
/// does, and the parameter stays. Throws InputError when other models of the chain move ranges, or the returns are of
/// no stereo camera.
bool set_levels(NoiseChain& chain, const FreeNumber& steps, const ChainReturns& returns);

/// The note on an end of a uniform that is the only error, where hardly any error lies beside it. A few returns with
/// other errors hold the end there, and its place has no standard error. Empty: errors lie there, or it is no such end.
std::string few_at_end(const NoiseChain& learned, const FreeNumber& end, const ChainData& data);

/// The redundant ones of `free`: the others span the same changes of the densities, as a bias beside the mean error of
/// a distance. Found from the derivatives of all that these densities depend on (ChainDensity::effects), at the values
/// where a search begins, so that it does not depend on what was measured. Parameters of single rings stay first, then
/// parameters of the last models of the chain, then mean errors and biases.
std::vector<FreeNumber> told_by_others(const NoiseChain& chain, std::span<const FreeNumber> free,
                                       const ChainData& data);

/// Adds to ChainFit::flags what a reader of its parameters and errors has to know. `numbers`: the parameters.
void add_flags(ChainFit& fit, std::span<const FreeNumber> numbers, const ChainReturns& returns);

}  // namespace fathom
