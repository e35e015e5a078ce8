// SPDX-License-Identifier: MIT
#pragma once
// The parameters of a beam_mixture in a chain that is learned: its weights sum to 1, so that of hits follows the
// others, and expectation maximisation finds where to begin.

#include <cstddef>
#include <span>
#include <string_view>

#include <fathom/base/executor.hpp>
#include <fathom/calibrate/chain.hpp>

namespace fathom {

struct FreeNumber;

inline constexpr std::string_view kWeightOfNoReturn = "w_max";

struct MixtureWeight {
  std::string_view field;
  double value;
};

bool is_mixture_weight(const NoiseChain& chain, const FreeNumber& p);
/// The model with these weights, those of its others but hits, and for hits what is left. Where the sum of all but hits
/// is above 1, they are made smaller alike.
Noise with_weights(const Noise& mixture, std::span<const MixtureWeight> weights);

/// Where a search begins: the chain, or the same with the searched parameters of its beam_mixture where expectation
/// maximisation (beam/fit.hpp) ends for the mixture alone, as if no other model did anything; the likelier of the two.
NoiseChain with_mixture_begun(const NoiseChain& chain, std::span<const FreeNumber> searched,
                              const ChainReturns& returns, std::span<const std::size_t> learn, Executor& executor);

}  // namespace fathom
