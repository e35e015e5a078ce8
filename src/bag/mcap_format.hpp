// SPDX-License-Identifier: MIT
#pragma once
// What writer and reader of MCAP files share: https://mcap.dev/spec. Numbers are little endian, strings have a uint32
// length in front, and a record is an opcode, a uint64 length and that many bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fathom::mcap {

inline constexpr std::string_view kMagic("\x89MCAP0\r\n", 8);
inline constexpr std::size_t kRecordHead = 9;  ///< bytes of opcode and length

enum class Op : std::uint8_t {
  kHeader = 1,
  kFooter = 2,
  kSchema = 3,
  kChannel = 4,
  kMessage = 5,
  kChunk = 6,
  kMessageIndex = 7,
  kChunkIndex = 8,
  kStatistics = 11,
  kSummaryOffset = 14,
  kDataEnd = 15,
};

}  // namespace fathom::mcap
