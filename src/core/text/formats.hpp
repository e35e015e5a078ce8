// SPDX-License-Identifier: MIT
#pragma once
// NumPy's .npy format, versions 1 to 3 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), and
// the header of PLY files.

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

/// Reads a little-endian array in C order with elements of a Type. Throws InputError naming the file.
Array read(const std::filesystem::path& file);

}  // namespace fathom::npy

namespace fathom::ply {

enum class Format : std::uint8_t { kAscii, kLittleEndian, kBigEndian };
enum class Scalar : std::uint8_t { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat32, kFloat64 };

constexpr std::size_t size_of(Scalar scalar) {
  constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(scalar)];
}

struct Property {
  std::string name;
  Scalar type = Scalar::kFloat32;
  bool is_list = false;
  Scalar count_type = Scalar::kUint8;  ///< of a list
};

struct Element {
  std::string name;
  std::uint64_t count = 0;  ///< as the header claims; the body may hold fewer
  std::vector<Property> properties;
};

struct Header {
  Format format = Format::kAscii;
  std::vector<Element> elements;
  std::size_t body = 0;       ///< offset of the first byte after the header
  std::size_t body_line = 0;  ///< number of the line that starts there, from 1
};

/// Reads the header of a PLY file. `file` is its name for messages. Throws InputError naming the line.
Header parse_header(std::string_view bytes, const std::string& file);

}  // namespace fathom::ply
