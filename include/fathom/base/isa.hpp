// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include <fathom/base/export.hpp>

namespace fathom {

/// Instruction sets the kernels are compiled for. All give the same noise, bit for bit.
enum class Isa : std::uint8_t { kSse2, kAvx2, kAvx512 };

FATHOM_API std::string_view to_string(Isa isa);
/// The widest that this computer can run.
FATHOM_API Isa detect_isa();

}  // namespace fathom
