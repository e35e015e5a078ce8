// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <fathom/base/isa.hpp>

#include "base/executor.hpp"
#include "cast/caster.hpp"

namespace fathom {

/// Embree behind the Caster interface: one tree per mesh, one instance per entity, always robust. `isa` bounds the
/// instructions Embree uses. Trees are built on `executor`, which must outlive the caster.
std::unique_ptr<Caster> make_embree_caster(Isa isa, Executor& executor);

}  // namespace fathom
