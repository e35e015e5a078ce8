// SPDX-License-Identifier: MIT
#pragma once
// The format of MCAP files for writer and reader: https://mcap.dev/spec. Numbers are little endian, strings begin with
// a uint32 length, and a record is an opcode, a uint64 length and that many bytes.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

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

/// Collects the content of one record, then appends it with its head to other bytes.
class Record {
 public:
  template <class T>
  Record& number(T value) {
    static_assert(std::is_integral_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  Record& text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    return raw(value);
  }
  Record& raw(std::string_view value) {
    bytes_.append(value);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Appends to `out` and clears the content. `more`: further bytes of the content, which the caller appends.
  void append_to(std::string& out, Op op, std::uint64_t more = 0) {
    const std::uint64_t size = bytes_.size() + more;
    out.push_back(static_cast<char>(op));
    out.append(reinterpret_cast<const char*>(&size), sizeof(size));
    out.append(bytes_);
    bytes_.clear();
  }

 private:
  std::string bytes_;
};

/// Appends a pair to the metadata of a channel.
inline void append_pair(std::string& metadata, std::string_view key, std::string_view value) {
  for (const std::string_view text : {key, value}) {
    const auto size = static_cast<std::uint32_t>(text.size());
    metadata.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(text);
  }
}

}  // namespace fathom::mcap

namespace fathom {

/// Takes numbers and strings from bytes and never reads beyond them. Throws InputError.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T value{};
    std::memcpy(&value, raw(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view text() { return raw(number<std::uint32_t>()); }
  std::string_view raw(std::uint64_t size) {
    if (size > bytes_.size()) {
      throw InputError(fmt::format("{} bytes are missing in a record, {} are left", size, bytes_.size()));
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

/// The records of a chunk. `compression` is "", "zstd" or "lz4", in one frame or several; padding may follow. `room`
/// holds inflated records. Memory grows with the actual bytes, not with the claimed `size`. Throws InputError for
/// damage and another size.
std::string_view decompress(std::string_view compression, std::string_view packed, std::uint64_t size,
                            std::string& room);

/// The begin of a truncated chunk, at most `size` bytes.
std::string_view decompress_begin(std::string_view compression, std::string_view packed, std::uint64_t size,
                                  std::string& room);

/// Most bytes of a chunk of `packed` bytes, against bombs.
std::uint64_t most_chunk_bytes(std::uint64_t packed);

/// Throws InputError for other compressions and too large chunks.
void check_chunk(std::string_view compression, std::uint64_t packed, std::uint64_t size);

}  // namespace fathom
