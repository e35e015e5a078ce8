// SPDX-License-Identifier: MIT
#pragma once
// The instruction sets and the casters that tests run over.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/compute.hpp>

namespace fathom {
class Caster;
class InstanceCaster;
}  // namespace fathom

namespace fathom::test {

/// Every instruction set that this computer can run.
inline std::vector<Isa> usable_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::kBase, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= detect_isa()) isas.push_back(isa);
  }
  return isas;
}

/// This many threads with every instruction set that this computer can run.
inline std::vector<Compute> every_isa(int threads = 2) {
  std::vector<Compute> all;
  for (const Isa isa : usable_isas()) all.push_back({.threads = threads, .isa = isa});
  return all;
}

// The library test_casters has the functions below.

enum class CasterKind : std::uint8_t {
  kTree,   ///< fathom's tracer
  kEmbree  ///< Intel's, in builds with FATHOM_EMBREE
};
std::string_view to_string(CasterKind caster);

struct CasterChoice {
  int threads = 2;
  Isa isa = detect_isa();
  CasterKind caster = CasterKind::kTree;
};

/// Every caster of this build.
std::vector<CasterKind> casters();
/// Every caster of this build with every instruction set that this computer can run.
std::vector<CasterChoice> casters_and_isas(int threads = 2);
/// "tree_avx2".
std::string name_of(const CasterChoice& choice);

/// Casters that build their trees on `executor`, which must outlive them. Embree is always robust.
std::unique_ptr<Caster> caster_of(const CasterChoice& choice, Executor& executor);
std::unique_ptr<InstanceCaster> instance_caster_of(const CasterChoice& choice, Executor& executor);

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
