// SPDX-License-Identifier: MIT
#pragma once
// A model whose parameters differ by entity or ring, over a block of returns.

#include <cstdint>

#include <fathom/base/compute.hpp>
#include <fathom/noise/drive.hpp>

#include "render/chain.hpp"

namespace fathom {

/// One pass per entry of the model that the block needs, over the returns of its entities or rings; the others are
/// masked meanwhile. The draws of a return are the same whatever its entry. `entry`: [returns.count], used up.
void apply_entries(const ActiveNoise& n, std::uint32_t* entry, Isa isa, const NoiseKey& key, RayBlock& rays,
                   ReturnBlock& returns, DrawBuffer& draws);

}  // namespace fathom
