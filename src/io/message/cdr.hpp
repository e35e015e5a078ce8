// SPDX-License-Identifier: MIT
#pragma once
// Messages as XCDR1 (plain CDR), little endian: OMG DDS-XTypes 1.3, 7.4.1. A message lists its members in a static
// function fields(message, cdr).

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

#include <fathom/core/error.hpp>

#include "io/message/message_type.hpp"

namespace fathom {

static_assert(std::endian::native == std::endian::little, "messages are written in the order of memory");

/// The header of little-endian plain CDR without options; alignment counts from the byte after it.
constexpr std::size_t kEncapsulationBytes = 4;

/// Takes values, each aligned to its size, from bytes of unknown origin. Never reads beyond them, and checks counts
/// against the remaining bytes before it allocates. Throws InputError naming the byte.
class CdrReader {
 public:
  /// Throws InputError unless the bytes begin with the header of little-endian plain CDR.
  explicit CdrReader(std::span<const std::byte> bytes);

  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }
  /// Throws InputError if more bytes remain than the padding of some writers.
  void finish() const;

 private:
  static constexpr std::size_t kMostPadding = 7;

  void take(bool& value);
  void take(std::string& text);
  /// Copies no bytes: the span is valid as long as the bytes of the message.
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
    const std::size_t used = at_ - kEncapsulationBytes;
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

  std::span<const std::byte> bytes_;
  std::size_t at_ = kEncapsulationBytes;
};

/// Appends values, each aligned to its size.
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
  /// The length including a zero, the text, and the zero.
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

template <class Message>
std::string write_message(const Message& message) {
  CdrWriter cdr;
  cdr(message);
  return cdr.take();
}

/// Reads into a message, whose memory may be used again. Its spans point into `bytes`. Throws InputError naming the
/// type and the byte.
template <class Message>
void read_message(std::span<const std::byte> bytes, Message& message) {
  try {
    CdrReader cdr(bytes);
    cdr(message);
    cdr.finish();
    if constexpr (requires { message.check(); }) message.check();
  } catch (const InputError& error) {
    throw InputError(std::string(Message::kType.name) + ": " + error.what());
  }
}

}  // namespace fathom
