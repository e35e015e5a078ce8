// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fathom {

/// Memory reckoned with per ray: 30 bytes of pattern (direction, origin, time, ring) and about as much for a frame that
/// holds a cloud with range and reason.
inline constexpr std::uint64_t kBytesPerRay = 64;

/// Physical memory of this computer, in bytes. All of it, not what is free at the moment: whether a scene is accepted
/// must not depend on what else runs or is cached.
std::uint64_t physical_memory_bytes();

/// "about 1.5 GiB and this computer has 1.0 GiB": the memory that rays need, for messages.
std::string memory_text(std::uint64_t rays, std::uint64_t memory_bytes);

/// Throws InputError when rows x cols is 0, above kMaxRays, or needs more than `memory_bytes`. `kind` and the two names
/// begin the message.
void check_ray_count(std::string_view kind, std::string_view rows_name, std::uint64_t rows, std::string_view cols_name,
                     std::uint64_t cols, std::uint64_t memory_bytes = physical_memory_bytes());

}  // namespace fathom
