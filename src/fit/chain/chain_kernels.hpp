// SPDX-License-Identifier: MIT
#pragma once
// Loops over returns, compiled once per instruction set. They give the bits of core/f64.hpp.

#include <cstddef>

#include "core/compute.hpp"

namespace fathom {

struct ChainKernels {
  /// ChainDensity::join(). `lost`: 1 of a loss, else 0.
  void (*join)(const double* kept, const double* range_part, const double* lost, std::size_t count, double least_log,
               double* nats);
  /// erfc(|x| / sqrt(2)) of each, twice the tail of a normal.
  void (*double_tails)(const double* x, std::size_t count, double* tails);
};

FATHOM_EACH_ISA(extern const ChainKernels kChainKernels;)

}  // namespace fathom
