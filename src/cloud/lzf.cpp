// SPDX-License-Identifier: MIT
#include "cloud/lzf.hpp"

#include <cstdint>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

constexpr std::size_t kMostFromReference = 264, kReferenceBytes = 3;

class LzfReader {
 public:
  LzfReader(std::string_view packed, std::size_t size) : packed_(packed), size_(size) { unpacked_.reserve(size); }

  std::string run() {
    while (at_ < packed_.size()) {
      const std::size_t control = next();
      if (control < 32) {
        copy_plain(control + 1);
      } else {
        copy_again(control);
      }
    }
    if (unpacked_.size() != size_) fail(fmt::format("they end after {} bytes", unpacked_.size()));
    return std::move(unpacked_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(
        fmt::format("byte {} of the {} packed bytes, which make {}: {}", at_, packed_.size(), size_, what));
  }

  std::size_t next() {
    if (at_ == packed_.size()) fail("they end within a step");
    return static_cast<std::uint8_t>(packed_[at_++]);
  }

  void require_room(std::size_t bytes) const {
    if (bytes > size_ - unpacked_.size()) fail("they make more bytes");
  }

  void copy_plain(std::size_t bytes) {
    if (bytes > packed_.size() - at_) fail("they end within a step");
    require_room(bytes);
    unpacked_.append(packed_.substr(at_, bytes));
    at_ += bytes;
  }

  /// Copies bytes that came before; source and copy may overlap.
  void copy_again(std::size_t control) {
    const std::size_t length = control >> 5U;
    const std::size_t bytes = 2 + (length == 7 ? 7 + next() : length);
    const std::size_t back = ((control & 31U) << 8U) + next() + 1;
    if (back > unpacked_.size()) fail("refers to what lies before the first byte");
    require_room(bytes);
    for (std::size_t i = 0; i < bytes; ++i) unpacked_.push_back(unpacked_[unpacked_.size() - back]);
  }

  std::string_view packed_;
  std::size_t size_, at_ = 0;
  std::string unpacked_;
};

}  // namespace

std::string unpack_lzf(std::string_view packed, std::size_t size) {
  // So that a few bytes cannot ask for gigabytes.
  if (size / kMostFromReference > packed.size() / kReferenceBytes + 1) {
    throw InputError(fmt::format("{} packed bytes cannot make {}", packed.size(), size));
  }
  return LzfReader(packed, size).run();
}

}  // namespace fathom
