// SPDX-License-Identifier: MIT
#pragma once

#include "core/compute.hpp"
#include "fit/beam/score_kernels.hpp"

namespace fathom::test {

/// The look-up of kScoreLanes places as one instruction set compiles it.
using LookUp = void (*)(const CubicTable& table, const float* place, float* out);

FATHOM_EACH_ISA(void look_up(const CubicTable&, const float*, float*);)
namespace plain {
void look_up(const CubicTable&, const float*, float*);
}

}  // namespace fathom::test
