// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "mesh/gltf_buffers.hpp"
#include "mesh/gltf_document.hpp"

namespace fathom {

/// Numbers in the bytes of a buffer, as glTF writes them.
struct GltfComponents {
  const char* bytes = nullptr;
  std::size_t type = 0;  ///< 5120 int8 to 5126 float32
  bool is_normalized = false;

  [[nodiscard]] double operator[](std::size_t i) const;
};

/// The elements of an accessor where they lie. Everything is checked when it is made: reading an element below `count`
/// cannot fail, and nothing is copied, whatever the accessor claims to have.
class GltfNumbers {
 public:
  std::size_t count = 0;

  /// Of a matrix: column by column.
  [[nodiscard]] double operator()(std::size_t element, std::size_t component) const;

 private:
  friend class GltfAccessors;

  GltfComponents dense_;  ///< no bytes: zeros
  std::size_t stride_ = 0, components_ = 0;
  std::size_t sparse_count_ = 0;
  GltfComponents sparse_indices_, sparse_values_;
};

/// The accessors of a document.
class GltfAccessors {
 public:
  GltfAccessors(const GltfDocument& document, GltfBuffers& buffers)
      : document_(document), buffers_(buffers), made_(document.accessors.size()) {}

  /// accessors[i], whose type must be `type` (SCALAR, VEC3, VEC4, MAT4). Throws InputError.
  const GltfNumbers& get(std::size_t i, std::string_view type);
  /// The same of whole numbers at or above 0: indices.
  const GltfNumbers& get_indices(std::size_t i, std::string_view type);
  /// Throws InputError naming the accessor.
  [[noreturn]] void fail(std::size_t i, std::string_view what) const;

 private:
  GltfNumbers make(std::size_t i);
  void add_sparse(std::size_t i, GltfNumbers& numbers);
  /// Bytes of a view from `offset`, enough for `count` elements.
  const char* elements(std::size_t i, std::string_view part, std::size_t view, std::size_t offset, std::size_t count,
                       std::size_t bytes, std::size_t stride);

  const GltfDocument& document_;
  GltfBuffers& buffers_;
  std::vector<std::optional<GltfNumbers>> made_;
  std::size_t sparse_ = 0;  // elements of all that are made
};

}  // namespace fathom
