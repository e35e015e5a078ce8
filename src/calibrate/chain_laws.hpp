// SPDX-License-Identifier: MIT
#pragma once
// The two laws of a stereo_energy, of which the likelier is learned.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// The chain with the other law of a stereo_energy of which all parameters are free; nothing: there is none.
std::optional<NoiseChain> with_other_law(const NoiseChain& chain, std::span<const FreeNumber> numbers,
                                         std::size_t entry);

/// Its name in scene files.
std::string_view law_of_energies(const NoiseChain& chain, std::size_t entry);

}  // namespace fathom
