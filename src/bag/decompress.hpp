// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fathom {

/// The records of a chunk: compression is "", "zstd" or "lz4", in one frame or several; what follows the last byte is
/// padding. `room` holds them where they are compressed. Memory grows with what really is there, not with what `size`
/// claims. Throws InputError for damage and another size.
std::string_view decompress(std::string_view compression, std::string_view packed, std::uint64_t size,
                            std::string& room);

/// The begin of a chunk that is cut short, at most `size` bytes.
std::string_view decompress_begin(std::string_view compression, std::string_view packed, std::uint64_t size,
                                  std::string& room);

/// How many bytes a chunk of `packed` bytes may have, which keeps bombs out.
std::uint64_t most_chunk_bytes(std::uint64_t packed);

/// Throws InputError for other compressions, and for more bytes than a chunk may have.
void check_chunk(std::string_view compression, std::uint64_t packed, std::uint64_t size);

}  // namespace fathom
