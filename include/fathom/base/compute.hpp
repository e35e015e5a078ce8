// SPDX-License-Identifier: MIT
#pragma once
// The means of computing: how many threads, which instruction set, which caster. Whatever shares its work out to
// threads takes this struct, so that a choice made once can be passed on; what runs in the thread of its caller alone
// takes an Isa, with the same limit. Threads and instructions change no bit of a result: only how long it takes.

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/isa.hpp>

namespace fathom {

/// What finds the surfaces that rays meet.
enum class CasterKind : std::uint8_t {
  kTree,   ///< fathom's own: the same bits on every computer, and no ray slips through an edge (docs/tracer.md)
  kEmbree  ///< Intel's, for comparisons: ranges differ in their last bits; not in every build
};
inline constexpr std::array<std::string_view, 2> kCasterWords = {"tree", "embree"};

std::string_view to_string(CasterKind caster);

struct Compute {
  static constexpr int kMostThreads = 1024;

  int threads = 0;         ///< at work at once, the caller among them; 0: one per core; at most kMostThreads
  Isa isa = detect_isa();  ///< lower it for tests and comparisons
  CasterKind caster = CasterKind::kTree;
};

/// Throws InputError for a number of threads that is not in [0, kMostThreads], an instruction set that this computer
/// lacks, and a caster that this build lacks.
FATHOM_API void validate(const Compute& compute);

}  // namespace fathom
