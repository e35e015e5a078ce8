// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  std::uint64_t count = 0;  ///< as claimed; the body may hold less
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
