// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <variant>

#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/models.hpp>

#include "core/compute.hpp"

namespace fathom {

/// The kernels of each registered model, in the order of the list.
using KernelTable = std::array<ModelKernels, std::variant_size_v<RegisteredNoise>>;

// One per instruction set; kernels.cpp is compiled once for each (cmake/FathomIsa.cmake).
FATHOM_EACH_ISA(extern const KernelTable kKernels;)

}  // namespace fathom
