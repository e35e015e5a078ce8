// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <fathom/base/executor.hpp>
#include <fathom/base/isa.hpp>

#include "cast/instance_caster.hpp"

namespace fathom {

/// fathom's own trees behind the InstanceCaster interface: one per mesh, and one over the instances. They are built on
/// `executor`, which must outlive the caster.
std::unique_ptr<InstanceCaster> make_tree_instance_caster(Isa isa, Executor& executor);

}  // namespace fathom
