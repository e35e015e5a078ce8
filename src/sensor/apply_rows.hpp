#pragma once
// A model whose parameters differ by entity or channel, over a block of returns.

#include <cstdint>

#include <fathom/isa.hpp>
#include <fathom/noise/drive.hpp>

#include "sensor/chain.hpp"

namespace fathom {

/// One pass per row of the model's table that the block needs, over the returns of its entities or channels; the others
/// are masked meanwhile. The draws of a return are the same whatever its row. `row`: [returns.count], used up.
void apply_rows(const ActiveNoise& n, std::uint32_t* row, Isa isa, const NoiseKey& key, RayBlock& rays,
                ReturnBlock& returns, DrawBuffer& draws);

}  // namespace fathom
