// SPDX-License-Identifier: MIT
#pragma once
// Whether errors are uniform up to the ends that were learned for them.

#include <cstddef>
#include <span>
#include <string>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Of an end of a uniform that is the only error, what is said where hardly any error lies beside it: a few returns
/// that err otherwise hold it there, and its place has no error that could be told. Empty: errors lie there, or it is
/// no such end.
std::string few_at_end(const NoiseChain& learned, const FreeNumber& end, const ChainReturns& returns,
                       std::span<const std::size_t> learn);

}  // namespace fathom
