// SPDX-License-Identifier: MIT
#include "cast/caster.hpp"

namespace fathom {

std::unique_ptr<Caster> make_caster(const Compute& compute, Executor& executor) {
#ifdef FATHOM_EMBREE
  if (compute.caster == CasterKind::kEmbree) return make_embree_caster(compute.isa, executor);
#endif
  return make_tree_caster(compute.isa, executor);
}

std::unique_ptr<InstanceCaster> make_instance_caster(const Compute& compute, Executor& executor) {
#ifdef FATHOM_EMBREE
  if (compute.caster == CasterKind::kEmbree) return make_embree_instance_caster(compute.isa, executor);
#endif
  return make_tree_instance_caster(compute.isa, executor);
}

#ifndef FATHOM_EMBREE
std::string_view embree_version() { return ""; }
#endif

}  // namespace fathom
