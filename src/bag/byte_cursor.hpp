// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

/// Takes numbers and strings from bytes, in the order of memory, and never reads beyond them. Throws InputError.
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

}  // namespace fathom
