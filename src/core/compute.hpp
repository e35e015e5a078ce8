// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/core/compute.hpp>

namespace fathom {

/// The build for `isa` of something that is compiled once per instruction set (cmake/FathomIsa.cmake).
template <class T>
const T& for_isa(Isa isa, const T& sse2, const T& avx2, const T& avx512) {
  return isa == Isa::kAvx512 ? avx512 : isa == Isa::kAvx2 ? avx2 : sse2;
}

}  // namespace fathom
