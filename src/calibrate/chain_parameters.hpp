// SPDX-License-Identifier: MIT
#pragma once
// What is free of a chain, checked before anything is learned.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

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
void check_ranges_may_err(const NoiseChain& chain, const ChainReturns& returns, std::span<const std::size_t> learn);

}  // namespace fathom
