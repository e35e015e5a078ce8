// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <fathom/base/executor.hpp>
#include <fathom/base/isa.hpp>

#include "cast/caster.hpp"

namespace fathom {

/// The caster of fathom's own: the same bits on every computer, and no ray slips through an edge (docs/tracer.md).
/// Trees are built on `executor`, which must outlive the caster.
std::unique_ptr<Caster> make_tree_caster(Isa isa, Executor& executor);

}  // namespace fathom
