// SPDX-License-Identifier: MIT
#pragma once
// Reading XCDR1 (plain CDR), little endian, from bytes that nobody vouches for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace fathom {

/// Takes values, each aligned to its own size. Never reads beyond its bytes, and never reserves more memory than they
/// can fill: a count is compared with the bytes that are left before anything is made. Throws InputError naming the
/// byte.
class CdrReader {
 public:
  /// Throws InputError unless the bytes begin as little-endian plain CDR does.
  explicit CdrReader(std::span<const std::byte> bytes);

  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }
  /// Throws InputError when more is left than the padding that some writers leave behind a message.
  void finish() const;

 private:
  static constexpr std::size_t kMostPadding = 7;

  void take(bool& value);
  void take(std::string& text);
  /// Bytes stay where they are: the span is valid as long as the bytes of the message.
  void take(std::span<const std::byte>& values) {
    const std::size_t count = take_count(1);
    values = bytes_.subspan(at_, count);
    at_ += count;
  }
  template <class T>
  void take(T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      take_numbers(&value, 1);
    } else {
      T::fields(value, *this);
    }
  }
  template <class T, std::size_t kSize>
  void take(std::array<T, kSize>& values) {
    take_numbers(values.data(), kSize);
  }
  template <class T>
  void take(std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      const std::size_t count = take_count(sizeof(T));
      values.resize(count);
      take_numbers(values.data(), count);
    } else {
      const std::size_t count = take_count(T::kLeastBytes);
      values.clear();
      for (std::size_t i = 0; i < count; ++i) take(values.emplace_back());
    }
  }
  template <class T>
  void take_numbers(T* values, std::size_t count) {
    if (count == 0) return;
    const std::size_t used = at_ - kBegin;
    require((sizeof(T) - used % sizeof(T)) % sizeof(T) + count * sizeof(T));
    at_ += (sizeof(T) - used % sizeof(T)) % sizeof(T);
    std::memcpy(values, bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }

  /// A count of elements that take at least `least_bytes` each.
  std::size_t take_count(std::size_t least_bytes);
  void require(std::size_t bytes) const {
    if (bytes > bytes_.size() - at_) fail_short(bytes);
  }
  [[noreturn]] void fail_short(std::size_t bytes) const;

  static constexpr std::size_t kBegin = 4;
  std::span<const std::byte> bytes_;
  std::size_t at_ = kBegin;
};

}  // namespace fathom
