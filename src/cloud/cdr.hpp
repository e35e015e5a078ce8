// SPDX-License-Identifier: MIT
#pragma once
// Writing XCDR1 (plain CDR), little endian: OMG DDS-XTypes 1.3, 7.4.1.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace fathom {

/// Appends values, each aligned to its own size, counted from the byte after the 4-byte encapsulation header.
class CdrWriter {
 public:
  template <class T>
  void put(T value) {
    align(sizeof(T));
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  void put_bool(bool value) { bytes_.push_back(value ? '\1' : '\0'); }
  /// Length with the closing zero, then the text and the zero.
  void put_string(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size() + 1));
    bytes_.append(text);
    bytes_.push_back('\0');
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void align(std::size_t size) {
    const std::size_t used = bytes_.size() - kEncapsulationBytes;
    bytes_.append((size - used % size) % size, '\0');
  }

  static constexpr std::size_t kEncapsulationBytes = 4;
  std::string bytes_{'\0', '\1', '\0', '\0'};  // CDR_LE, no options
};

}  // namespace fathom
