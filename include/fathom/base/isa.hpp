// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/base/export.hpp>

namespace fathom {

/// Instruction sets the kernels are compiled for. All give the same noise, bit for bit.
enum class Isa : std::uint8_t { kSse2, kAvx2, kAvx512 };
inline constexpr std::array<std::string_view, 3> kIsaWords = {"sse2", "avx2", "avx512"};

FATHOM_API std::string_view to_string(Isa isa);
/// The widest that this computer can run.
FATHOM_API Isa detect_isa();

}  // namespace fathom
