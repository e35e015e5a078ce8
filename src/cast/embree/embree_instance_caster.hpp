// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <fathom/base/executor.hpp>
#include <fathom/base/isa.hpp>

#include "cast/instance_caster.hpp"

namespace fathom {

/// Embree behind the InstanceCaster interface: a tree per mesh, an instance per placement, always robust. Trees are
/// built on `executor`, which must outlive the caster.
std::unique_ptr<InstanceCaster> make_embree_instance_caster(Isa isa, Executor& executor);

}  // namespace fathom
