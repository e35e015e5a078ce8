// SPDX-License-Identifier: MIT
#pragma once
// The means of computing: how many threads, which instruction set. Whatever shares its work out to threads takes this
// struct, so that a choice made once can be passed on; what runs in the thread of its caller alone takes an Isa, with
// the same limit. Neither changes which noise is drawn: only how long it takes.

#include <fathom/base/export.hpp>
#include <fathom/base/isa.hpp>

namespace fathom {

struct Compute {
  static constexpr int kMostThreads = 1024;

  int threads = 0;         ///< at work at once, the caller among them; 0: one per core; at most kMostThreads
  Isa isa = detect_isa();  ///< lower it for tests and comparisons
};

/// Throws InputError for a number of threads that is not in [0, kMostThreads] and an instruction set that this computer
/// lacks.
FATHOM_API void validate(const Compute& compute);

}  // namespace fathom
