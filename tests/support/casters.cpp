// SPDX-License-Identifier: MIT
#include "support/casters.hpp"

#include "trace/caster.hpp"

namespace fathom::test {

#ifdef FATHOM_EMBREE
// In embree/embree_caster.cpp.
std::unique_ptr<Caster> make_embree_caster(Isa isa, Executor& executor);
std::unique_ptr<InstanceCaster> make_embree_instance_caster(Isa isa, Executor& executor);
#endif

std::string_view to_string(CasterKind caster) { return caster == CasterKind::kTree ? "tree" : "embree"; }

std::string name_of(const CasterChoice& choice) {
  return std::string(to_string(choice.caster)) + "_" + std::string(to_string(choice.isa));
}

std::vector<CasterChoice> casters_and_isas(int threads) {
  std::vector<CasterChoice> all;
  for (const CasterKind caster : casters()) {
    for (const Isa isa : usable_isas()) all.push_back({threads, isa, caster});
  }
  return all;
}

std::vector<CasterKind> casters() {
#ifdef FATHOM_EMBREE
  return {CasterKind::kTree, CasterKind::kEmbree};
#else
  return {CasterKind::kTree};
#endif
}

std::unique_ptr<Caster> caster_of(const CasterChoice& choice, Executor& executor) {
#ifdef FATHOM_EMBREE
  if (choice.caster == CasterKind::kEmbree) return make_embree_caster(choice.isa, executor);
#endif
  return make_caster(choice.isa, executor);
}

std::unique_ptr<InstanceCaster> instance_caster_of(const CasterChoice& choice, Executor& executor) {
#ifdef FATHOM_EMBREE
  if (choice.caster == CasterKind::kEmbree) return make_embree_instance_caster(choice.isa, executor);
#endif
  return make_instance_caster(choice.isa, executor);
}

}  // namespace fathom::test
