// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <fathom/base/compute.hpp>

namespace fathom::test {

/// Every instruction set that this computer can run.
inline std::vector<Isa> usable_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= detect_isa()) isas.push_back(isa);
  }
  return isas;
}

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

/// The largest relative error of Embree's ranges at normal incidence. Otherwise divide it by the cosine of incidence.
/// Embree divides by estimates of reciprocals, which differ between instruction sets and makers of processors. So no
/// test compares such a range with a number for equality. Tests may compare two runs of the same code on one processor.
inline constexpr float kEmbreeRounding = 2.2e-7F;

/// The largest relative error of a range along an axis to a surface across it, if all numbers are short. fathom's own
/// tracer computes it from exact products and one division.
inline constexpr float rounding_along_axes(CasterKind caster) {
  return caster == CasterKind::kTree ? 0.0F : kEmbreeRounding;
}

}  // namespace fathom::test
