// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

namespace fathom::device {

/// Takes arrays where a device can read them.
class Keeper {
 public:
  virtual ~Keeper() = default;
  /// The address under which threads find the array, whose contents are taken now. Null for an empty one.
  template <class T>
  const T* keep(std::span<const T> values) {
    return values.empty() ? nullptr : static_cast<const T*>(keep_bytes(values.data(), values.size_bytes()));
  }

 private:
  virtual const void* keep_bytes(const void* data, std::size_t bytes) = 0;
};

/// Of a device that is this computer: arrays stay where they are.
class HostKeeper final : public Keeper {
  const void* keep_bytes(const void* data, std::size_t /*bytes*/) override { return data; }
};

}  // namespace fathom::device
