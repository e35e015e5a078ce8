// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "io/message/cdr.hpp"

namespace fathom {

CdrReader::CdrReader(std::span<const std::byte> bytes) : bytes_(bytes) {
  if (bytes.size() < kEncapsulationBytes) {
    throw InputError(
        fmt::format("{} bytes are no message, which begins with a header of {}", bytes.size(), kEncapsulationBytes));
  }
  if (bytes[0] == std::byte{0x28} && bytes[1] == std::byte{0xb5} && bytes[2] == std::byte{0x2f}) {
    throw InputError("the message is compressed by itself (zstd), which is not read");
  }
  if (bytes[0] != std::byte{0} || bytes[1] != std::byte{1}) {
    throw InputError(fmt::format("the message begins with {:02x} {:02x}; only 00 01, little-endian plain CDR, is read",
                                 static_cast<unsigned>(bytes[0]), static_cast<unsigned>(bytes[1])));
  }
}

void CdrReader::finish() const {
  if (bytes_.size() - at_ <= kMostPadding) return;
  throw InputError(fmt::format("the message ends at byte {}, but has {} bytes", at_, bytes_.size()));
}

void CdrReader::take(bool& value) {
  std::uint8_t byte = 0;
  take_numbers(&byte, 1);
  value = byte != 0;
}

void CdrReader::take(std::string& text) {
  const std::size_t count = take_count(1);
  const char* begin = reinterpret_cast<const char*>(bytes_.data() + at_);
  if (count > 0 && begin[count - 1] != '\0') {
    throw InputError(fmt::format("byte {}: a string of {} bytes does not end with a zero", at_, count));
  }
  text.assign(begin, count > 0 ? count - 1 : 0);  // some writers give an empty string no zero
  at_ += count;
}

std::size_t CdrReader::take_count(std::size_t least_bytes) {
  std::uint32_t count = 0;
  take_numbers(&count, 1);
  if (count > (bytes_.size() - at_) / least_bytes) {
    throw InputError(fmt::format("byte {}: {} elements of at least {} bytes each, but {} bytes are left", at_, count,
                                 least_bytes, bytes_.size() - at_));
  }
  return count;
}

void CdrReader::fail_short(std::size_t bytes) const {
  throw InputError(fmt::format("byte {}: {} bytes are missing, {} are left", at_, bytes, bytes_.size() - at_));
}

}  // namespace fathom
