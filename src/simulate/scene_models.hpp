// SPDX-License-Identifier: MIT
#pragma once
// Parts of a chain of noise that say what a sensor sees of a scene.

#include <fathom/noise/chain.hpp>

namespace fathom {

/// Models that lose or replace rays by what the scene is like, not by chance. `with_bands`: also the left border that
/// the right camera does not see, which else counts among the losses that the chain explains.
NoiseChain scene_models(const NoiseChain& chain, bool with_bands);
/// The chain but for what turns its rays.
NoiseChain straight_models(const NoiseChain& chain);

}  // namespace fathom
