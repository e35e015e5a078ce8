// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "sensor/kernels.hpp"

#include <utility>

namespace fathom::FATHOM_ISA {

struct Build;  // keeps this build's instantiations apart from the others'

template <std::size_t... I>
constexpr KernelTable make_table(std::index_sequence<I...>) {
  return {kernels_of<std::variant_alternative_t<I, RegisteredNoise>, Build>()...};
}

const KernelTable kKernels = make_table(std::make_index_sequence<std::variant_size_v<RegisteredNoise>>());

}  // namespace fathom::FATHOM_ISA
