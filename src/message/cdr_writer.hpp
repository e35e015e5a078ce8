// SPDX-License-Identifier: MIT
#pragma once
// Writing XCDR1 (plain CDR), little endian: OMG DDS-XTypes 1.3, 7.4.1.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fathom/base/error.hpp>

namespace fathom {

static_assert(std::endian::native == std::endian::little, "messages are written in the order of memory");

/// The header of little-endian plain CDR without options; alignment counts from the byte after it.
constexpr std::size_t kEncapsulationBytes = 4;

/// Appends values, each aligned to its own size. Called with the members of a message, which say their order themselves
/// by a static `fields(message, cdr)`.
class CdrWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void put(bool value) { bytes_.push_back(value ? '\1' : '\0'); }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      put_numbers(std::span<const T>(&value, 1));
    } else {
      T::fields(value, *this);
    }
  }
  /// Length with the closing zero, then the text and the zero.
  void put(const std::string& text) {
    put_count(text.size() + 1);
    bytes_.append(text);
    bytes_.push_back('\0');
  }
  template <class T, std::size_t kSize>
  void put(const std::array<T, kSize>& values) {
    put_numbers(std::span<const T>(values));
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put_count(values.size());
    if constexpr (std::is_arithmetic_v<T>) {
      put_numbers(std::span<const T>(values));
    } else {
      for (const T& value : values) put(value);
    }
  }
  void put(std::span<const std::byte> values) {
    put_count(values.size());
    append(values);
  }

  void put_count(std::size_t count) {
    if (count > 0xffffffffULL) {
      throw InputError("a sequence of " + std::to_string(count) + " elements, the limit of a message is 4294967295");
    }
    put(static_cast<std::uint32_t>(count));
  }
  template <class T>
  void put_numbers(std::span<const T> values) {
    if (values.empty()) return;
    const std::size_t used = bytes_.size() - kEncapsulationBytes;
    bytes_.append((sizeof(T) - used % sizeof(T)) % sizeof(T), '\0');
    append(std::as_bytes(values));
  }
  void append(std::span<const std::byte> raw) { bytes_.append(reinterpret_cast<const char*>(raw.data()), raw.size()); }

  std::string bytes_{'\0', '\1', '\0', '\0'};  // CDR_LE, no options
};

}  // namespace fathom
