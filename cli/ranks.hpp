// SPDX-License-Identifier: MIT
#pragma once
// The processes that mpirun starts, which learn one model together.

#include <memory>

#include <fathom/beam/ranks.hpp>

#include "shard.hpp"

namespace fathom_cli {

/// Null where no launcher of MPI (Open MPI, or one that speaks PMI or PMIx) has started this process. At most once in a
/// process. When it is destroyed by an exception, the end of this process ends the others. Throws fathom::InputError
/// for one of several processes of a build without MPI: each would do the work of all, and write the same files.
std::unique_ptr<fathom::Ranks> join_ranks(const Environment& environment);

}  // namespace fathom_cli
