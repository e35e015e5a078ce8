// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "bag/mcap_format.hpp"

namespace fathom::mcap {

/// Collects the content of one record, then appends it, with its head, to other bytes.
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
  /// Appends to `out` and is empty again. `more`: bytes of the content that the caller appends behind it.
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

}  // namespace fathom::mcap
