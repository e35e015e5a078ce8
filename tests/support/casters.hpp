// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <fathom/base/compute.hpp>

#include "support/isas.hpp"

namespace fathom::test {

/// Every caster of this build.
inline std::vector<CasterKind> casters() {
#ifdef FATHOM_EMBREE
  return {CasterKind::kTree, CasterKind::kEmbree};
#else
  return {CasterKind::kTree};
#endif
}

/// Every caster of this build with every instruction set that this computer can run.
inline std::vector<Compute> casters_and_isas(int threads = 2) {
  std::vector<Compute> all;
  for (const CasterKind caster : casters()) {
    for (const Isa isa : usable_isas()) all.push_back({.threads = threads, .isa = isa, .caster = caster});
  }
  return all;
}

/// "tree_avx2".
inline std::string name_of(const Compute& compute) {
  return std::string(to_string(compute.caster)) + "_" + std::string(to_string(compute.isa));
}

}  // namespace fathom::test
