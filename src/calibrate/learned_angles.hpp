// SPDX-License-Identifier: MIT
#pragma once
// What learning an angular_ray or angular_hit needs besides its density.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"
#include "calibrate/ray_turns.hpp"

namespace fathom {

/// Angles are searched in steps of a share of what lies between nodes, and within what these span: the limits of their
/// fields are much too wide.
void set_angle_steps(const NoiseChain& chain, const TurnedRays& rays, std::span<FreeNumber> numbers);

/// The same of angles of points: in steps of a share of their root mean square.
void set_hit_steps(const NoiseChain& chain, const HitTurns& turns, std::span<FreeNumber> numbers);

/// Of these returns, those whose turned rays meet several surfaces.
std::size_t count_at_edges(const TurnedRays& rays, std::span<const std::size_t> returns);

/// Of errors that say there are too few returns: which ones were taken behind a window; else nothing.
std::string plane_note(const TurnedRays& rays);

/// Where the angles that were learned leave the nodes, or lie so close that these cannot show them.
void add_angle_flags(const TurnedRays& rays, ChainFit& fit);

}  // namespace fathom
