// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace fathom {

/// Rays are processed in blocks of at most this many: all arrays of a block then stay in a 48 kB first-level cache.
/// Blocks of 512 and 1024 rays were measured 2 and 4 % slower on a frame (bench/bench_cast.cpp).
inline constexpr std::uint32_t kBlockRays = 256;

}  // namespace fathom
