// SPDX-License-Identifier: MIT
#pragma once
// The layout by which frameworks hand each other tensors (DLPack 0.8, dmlc.github.io/dlpack): names as there.

#include <cstdint>

namespace fathom::python {

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};
inline constexpr std::int32_t kDLCUDA = 2;

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
inline constexpr std::uint8_t kDLInt = 0, kDLUInt = 1, kDLFloat = 2;

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

}  // namespace fathom::python
