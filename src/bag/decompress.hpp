// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fathom {

/// The records of a chunk: compression is "", "zstd" or "lz4". `room` holds them where they are compressed. Memory
/// grows with what really is there, not with what `size` claims. Throws InputError for damage, another size, and other
/// names.
std::string_view decompress(std::string_view compression, std::string_view packed, std::uint64_t size,
                            std::string& room);

}  // namespace fathom
