// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include <fathom/core/random.hpp>

#include "core/compute.hpp"

namespace fathom::test {

/// keyed_blocks() as one instruction set compiles it; word is [4][count].
using LanesFunction = void (*)(const NoiseKey& key, std::uint32_t draw, const std::uint32_t* quads, std::size_t count,
                               std::uint32_t* word);

FATHOM_EACH_ISA(void lanes(const NoiseKey&, std::uint32_t, const std::uint32_t*, std::size_t, std::uint32_t*);)

}  // namespace fathom::test
