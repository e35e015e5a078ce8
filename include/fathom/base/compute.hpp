// SPDX-License-Identifier: MIT
#pragma once
// The means of computing: how many threads, which instruction set. Everything that computes takes this one struct, so
// that a choice made once can be passed on. It changes how long something takes, never which noise is drawn.

#include <fathom/base/export.hpp>
#include <fathom/base/isa.hpp>

namespace fathom {

struct Compute {
  int threads = 0;         ///< at work at once, the caller among them; 0: one per core; at most 1024
  Isa isa = detect_isa();  ///< lower it for tests and comparisons
};

/// Throws InputError for a number of threads that is not in [0, 1024] and an instruction set that this computer lacks.
FATHOM_API void validate(const Compute& compute);

}  // namespace fathom
