// SPDX-License-Identifier: MIT
// Compiled once per instruction set (CMakeLists.txt).

#include "core/math/lanes_of_isa.hpp"

#include <fathom/noise/detail/philox_lanes.hpp>

namespace fathom::test::FATHOM_ISA {

void lanes(const NoiseKey& key, std::uint32_t draw, const std::uint32_t* quads, std::size_t count,
           std::uint32_t* word) {
  keyed_blocks(key, draw, quads, count, {word, word + count, word + 2 * count, word + 3 * count});
}

}  // namespace fathom::test::FATHOM_ISA
