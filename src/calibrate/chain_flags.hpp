// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Says in ChainFit::flags what a reader of its parameters and errors has to know. `numbers`: the parameters, with
/// their roles; `returns`: the data of the fit.
void add_flags(ChainFit& fit, std::span<const FreeNumber> numbers, const ChainReturns& returns);

}  // namespace fathom
