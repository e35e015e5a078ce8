// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/core/compute.hpp>

namespace fathom {

/// The build for `isa` of something that is compiled once per instruction set.
template <class T>
const T& for_isa(Isa isa, const T& sse2, const T& avx2, const T& avx512) {
  return isa == Isa::kAvx512 ? avx512 : isa == Isa::kAvx2 ? avx2 : sse2;
}

// The namespaces of instruction sets, as FATHOM_ISAS of cmake/FathomIsa.cmake:
//   FATHOM_EACH_ISA(declarations)  declares something in each
//   FATHOM_FOR_ISA(isa, name)      is its build for `isa`
#if defined(__aarch64__)
#define FATHOM_EACH_ISA(...) \
  namespace neon {           \
  __VA_ARGS__                \
  }
#define FATHOM_FOR_ISA(isa, name) (static_cast<void>(isa), neon::name)
#else
#define FATHOM_EACH_ISA(...) \
  namespace sse2 {           \
  __VA_ARGS__                \
  }                          \
  namespace avx2 {           \
  __VA_ARGS__                \
  }                          \
  namespace avx512 {         \
  __VA_ARGS__                \
  }
#define FATHOM_FOR_ISA(isa, name) for_isa(isa, sse2::name, avx2::name, avx512::name)
#endif

}  // namespace fathom
