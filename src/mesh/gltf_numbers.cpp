// SPDX-License-Identifier: MIT
#include "mesh/gltf_numbers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fathom {

namespace {

// Accessors may share their sparse elements, and each looks at all of them.
constexpr std::size_t kMaxSparse = std::size_t{1} << 24U;

constexpr std::size_t kUint8 = 5121, kUint16 = 5123, kUint32 = 5125, kFloat32 = 5126;

/// 0 for what is no type of a component.
std::size_t bytes_of(std::size_t component_type) {
  constexpr std::array<std::size_t, 7> kBytes = {1, 1, 2, 2, 0, 4, 4};
  return component_type >= 5120 && component_type <= kFloat32 ? kBytes[component_type - 5120] : 0;
}

bool is_unsigned(std::size_t component_type) {
  return component_type == kUint8 || component_type == kUint16 || component_type == kUint32;
}

std::size_t components_of(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 4> kTypes = {
      {{"SCALAR", 1}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}}};
  for (const auto& [name, count] : kTypes) {
    if (name == type) return count;
  }
  return 0;
}

template <class T>
double load(const char* bytes, bool is_normalized) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  const auto number = static_cast<double>(value);
  if (!is_normalized || !std::numeric_limits<T>::is_integer) return number;
  return std::max(number / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
}

}  // namespace

double GltfComponents::operator[](std::size_t i) const {
  switch (type) {
    case 5120:
      return load<std::int8_t>(bytes + i, is_normalized);
    case kUint8:
      return load<std::uint8_t>(bytes + i, is_normalized);
    case 5122:
      return load<std::int16_t>(bytes + 2 * i, is_normalized);
    case kUint16:
      return load<std::uint16_t>(bytes + 2 * i, is_normalized);
    case kUint32:
      return load<std::uint32_t>(bytes + 4 * i, is_normalized);
    default:
      return load<float>(bytes + 4 * i, is_normalized);
  }
}

double GltfNumbers::operator()(std::size_t element, std::size_t component) const {
  std::size_t low = 0, high = sparse_count_;
  const auto wanted = static_cast<double>(element);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    (sparse_indices_[middle] < wanted ? low : high) = sparse_indices_[middle] < wanted ? middle + 1 : middle;
  }
  if (low < sparse_count_ && sparse_indices_[low] == wanted) return sparse_values_[low * components_ + component];
  if (dense_.bytes == nullptr) return 0.0;
  return GltfComponents{dense_.bytes + element * stride_, dense_.type, dense_.is_normalized}[component];
}

void GltfAccessors::fail(std::size_t i, std::string_view what) const {
  document_.fail(fmt::format("accessors[{}]", i), what);
}

const GltfNumbers& GltfAccessors::get(std::size_t i, std::string_view type) {
  const std::string& found = document_.accessors[i].type;
  if (found != type) fail(i, fmt::format("type = '{:.20}' is not {}, as is needed here", found, type));
  if (!made_[i]) made_[i] = make(i);
  return *made_[i];
}

const GltfNumbers& GltfAccessors::get_indices(std::size_t i, std::string_view type) {
  const GltfAccessor& accessor = document_.accessors[i];
  if (!is_unsigned(accessor.component_type) || accessor.is_normalized) {
    fail(i, fmt::format("componentType = {}{} is not 5121, 5123 or 5125: whole numbers are needed here",
                        accessor.component_type, accessor.is_normalized ? " (normalized)" : ""));
  }
  return get(i, type);
}

const char* GltfAccessors::elements(std::size_t i, std::string_view part, std::size_t view, std::size_t offset,
                                    std::size_t count, std::size_t bytes, std::size_t stride) {
  const std::string_view found = buffers_.view(view);
  const std::size_t needed = count == 0 ? offset : offset + (count - 1) * stride + bytes;
  if (needed > found.size()) {
    fail(i, fmt::format("{}needs {} bytes, bufferViews[{}] has {}", part, needed, view, found.size()));
  }
  return found.data() + offset;
}

GltfNumbers GltfAccessors::make(std::size_t i) {
  const GltfAccessor& accessor = document_.accessors[i];
  const std::size_t component_bytes = bytes_of(accessor.component_type);
  if (component_bytes == 0) {
    fail(i,
         fmt::format("componentType = {} is not one of 5120, 5121, 5122, 5123, 5125, 5126", accessor.component_type));
  }
  GltfNumbers made;
  made.count = accessor.count;
  made.components_ = components_of(accessor.type);
  made.dense_ = {nullptr, accessor.component_type, accessor.is_normalized};
  const std::size_t bytes = made.components_ * component_bytes;
  if (accessor.view) {
    const std::size_t stride = document_.views[*accessor.view].stride;
    made.stride_ = stride == 0 ? bytes : stride;
    if (made.stride_ < bytes) {
      fail(i, fmt::format("has elements of {} bytes, bufferViews[{}].byteStride = {}", bytes, *accessor.view,
                          made.stride_));
    }
    made.dense_.bytes = elements(i, "", *accessor.view, accessor.offset, accessor.count, bytes, made.stride_);
  }
  if (accessor.sparse) add_sparse(i, made);
  return made;
}

void GltfAccessors::add_sparse(std::size_t i, GltfNumbers& numbers) {
  const GltfSparse& sparse = *document_.accessors[i].sparse;
  if (!is_unsigned(sparse.index_type)) {
    fail(i, fmt::format("sparse.indices.componentType = {} is not 5121, 5123 or 5125", sparse.index_type));
  }
  if (sparse.count > kMaxSparse - sparse_) {
    fail(i, fmt::format("brings the file above {} sparse elements, the limit", kMaxSparse));
  }
  sparse_ += sparse.count;
  const std::size_t index_bytes = bytes_of(sparse.index_type);
  const std::size_t value_bytes = numbers.components_ * bytes_of(numbers.dense_.type);
  numbers.sparse_indices_ = {
      elements(i, "sparse.indices ", sparse.index_view, sparse.index_offset, sparse.count, index_bytes, index_bytes),
      sparse.index_type, false};
  numbers.sparse_values_ = {
      elements(i, "sparse.values ", sparse.value_view, sparse.value_offset, sparse.count, value_bytes, value_bytes),
      numbers.dense_.type, numbers.dense_.is_normalized};
  for (std::size_t k = 0; k < sparse.count; ++k) {
    const double index = numbers.sparse_indices_[k];
    if (!(index < static_cast<double>(numbers.count))) {
      fail(i, fmt::format("sparse.indices: number {} = {} is not in [0, {})", k, index, numbers.count));
    }
    if (k > 0 && !(index > numbers.sparse_indices_[k - 1])) {
      fail(i, fmt::format("sparse.indices: number {} = {} is not above the one before", k, index));
    }
  }
  numbers.sparse_count_ = sparse.count;
}

}  // namespace fathom
