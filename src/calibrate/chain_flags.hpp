// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/calibrate/chain.hpp>

namespace fathom {

/// Says in ChainFit::flags what a reader of its parameters and errors has to know.
void add_flags(ChainFit& fit);

}  // namespace fathom
