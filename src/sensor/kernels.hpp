// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <variant>

#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/models.hpp>

namespace fathom {

/// The kernels of each registered model, in the order of the list.
using KernelTable = std::array<ModelKernels, std::variant_size_v<RegisteredNoise>>;

// One per instruction set; kernels.cpp is compiled once for each (cmake/FathomIsa.cmake).
namespace sse2 {
extern const KernelTable kKernels;
}
namespace avx2 {
extern const KernelTable kKernels;
}
namespace avx512 {
extern const KernelTable kKernels;
}

}  // namespace fathom
