// SPDX-License-Identifier: MIT
// Compiled once per instruction set (CMakeLists.txt).

#include "fit/look_up/look_up_of_isa.hpp"

#include "fit/beam/score_kernels.cpp"  // for a function of its anonymous namespace

namespace fathom::test::FATHOM_ISA {

void look_up(const CubicTable& table, const float* place, float* out) {
  fathom::FATHOM_ISA::look_up(table, place, out);
}

}  // namespace fathom::test::FATHOM_ISA
