// SPDX-License-Identifier: MIT
#pragma once
// NumPy's .npy format, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::npy {

enum class Type : std::uint8_t { kUint8, kUint16, kUint32, kFloat32, kFloat64 };

std::size_t size_of(Type type);

/// An array in C order; `bytes` holds exactly the elements, little endian.
struct Array {
  Type type = Type::kFloat32;
  std::vector<std::size_t> shape;
  std::string bytes;

  /// Element i of the flattened array.
  [[nodiscard]] double at(std::size_t i) const;
};

/// The bytes before the elements, format version 1.0, padded to a multiple of 64.
std::string header(Type type, std::span<const std::size_t> shape);

/// Reads a little-endian array in C order of one of the types above. Throws InputError naming the file.
Array read(const std::filesystem::path& file);

}  // namespace fathom::npy
