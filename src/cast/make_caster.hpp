// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include <fathom/base/compute.hpp>
#include <fathom/base/executor.hpp>

#include "cast/caster.hpp"
#include "cast/instance_caster.hpp"

namespace fathom {

/// Casters of the kind and for the instructions that `compute` asks for; it is valid. Trees are built on `executor`,
/// which must outlive the caster.
std::unique_ptr<Caster> make_caster(const Compute& compute, Executor& executor);
std::unique_ptr<InstanceCaster> make_instance_caster(const Compute& compute, Executor& executor);

/// "3.13.5"; empty in a build without Embree.
std::string_view embree_version();

}  // namespace fathom
