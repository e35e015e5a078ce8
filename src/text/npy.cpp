// SPDX-License-Identifier: MIT
#include "text/npy.hpp"

#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/base/error.hpp>

#include "text/read_file.hpp"
#include "text/text_lines.hpp"

namespace fathom::npy {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::array<std::string_view, 5> kDescriptors = {"|u1", "<u2", "<u4", "<f4", "<f8"};  // in the order of Type
constexpr std::array<std::size_t, 5> kSizes = {1, 2, 4, 4, 8};
constexpr std::size_t kMaxDimensions = 32;  // as NumPy

/// The text after "'key':" in the header's dictionary, without leading blanks.
std::optional<std::string_view> value_of(std::string_view dictionary, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    const std::size_t at = dictionary.find(quoted);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = trim(dictionary.substr(at + quoted.size()));
    if (rest.empty() || rest.front() != ':') return std::nullopt;
    return trim(rest.substr(1));
  }
  return std::nullopt;
}

std::optional<Type> parse_type(std::string_view value) {
  for (std::size_t i = 0; i < kDescriptors.size(); ++i) {
    if (value.size() > 4 && value.substr(1, 3) == kDescriptors[i] && value[0] == value[4]) return static_cast<Type>(i);
  }
  return std::nullopt;
}

/// "(3, 4)", "(5,)" or "()".
std::optional<std::vector<std::size_t>> parse_shape(std::string_view value) {
  const std::size_t end = value.find(')');
  if (value.empty() || value.front() != '(' || end == std::string_view::npos) return std::nullopt;
  std::vector<std::size_t> shape;
  const auto cells = split_cells(value.substr(1, end - 1));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty() && i + 1 == cells.size()) break;
    const auto length = parse_number<std::size_t>(cells[i]);
    if (!length || shape.size() == kMaxDimensions) return std::nullopt;
    shape.push_back(*length);
  }
  return shape;
}

/// Offset and length of the dictionary, from the fixed part of the header; nothing when it does not fit in the file.
std::optional<std::array<std::size_t, 2>> find_dictionary(std::string_view bytes) {
  if (bytes.size() < 10) return std::nullopt;
  const bool is_long = bytes[6] != 1;  // version 1 has a 16-bit length, 2 and 3 have 32 bits
  const std::size_t begin = is_long ? 12 : 10;
  std::uint32_t length = 0;
  if (bytes.size() < begin) return std::nullopt;
  std::memcpy(&length, bytes.data() + 8, is_long ? 4 : 2);
  if (length > bytes.size() - begin) return std::nullopt;
  return std::array<std::size_t, 2>{begin, length};
}

/// The product of the shape and `size`, or nothing when it exceeds `limit`; a zero wins over everything.
std::optional<std::size_t> byte_count(const std::vector<std::size_t>& shape, std::size_t size, std::size_t limit) {
  std::size_t bytes = size;
  for (const std::size_t length : shape) {
    if (length == 0) return 0;
  }
  for (const std::size_t length : shape) {
    if (length > limit / bytes) return std::nullopt;
    bytes *= length;
  }
  return bytes;
}

}  // namespace

std::size_t size_of(Type type) { return kSizes[static_cast<std::size_t>(type)]; }

double Array::at(std::size_t i) const {
  const char* from = bytes.data() + i * size_of(type);
  const auto load = [&](auto value) {
    std::memcpy(&value, from, sizeof(value));
    return static_cast<double>(value);
  };
  switch (type) {
    case Type::kUint8:
      return load(std::uint8_t{});
    case Type::kUint16:
      return load(std::uint16_t{});
    case Type::kUint32:
      return load(std::uint32_t{});
    case Type::kFloat32:
      return load(float{});
    case Type::kFloat64:
      return load(double{});
  }
  return 0.0;
}

std::string header(Type type, std::span<const std::size_t> shape) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  kDescriptors[static_cast<std::size_t>(type)], fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t fixed = kMagic.size() + 4;
  dictionary.append((64 - (fixed + dictionary.size() + 1) % 64) % 64, ' ');
  dictionary.push_back('\n');
  std::string out(kMagic);
  out.append({'\1', '\0', static_cast<char>(dictionary.size() & 0xffU), static_cast<char>(dictionary.size() >> 8U)});
  return out + dictionary;
}

Array read(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::string bytes = read_file(file);
  if (!bytes.starts_with(kMagic)) throw InputError(fmt::format("{}: not an NPY file", name));
  const auto place = find_dictionary(bytes);
  if (!place) throw InputError(fmt::format("{}: the NPY header is cut short", name));
  const auto [begin, length] = *place;
  const std::string_view dictionary = std::string_view(bytes).substr(begin, length);
  const auto descriptor = value_of(dictionary, "descr"), order = value_of(dictionary, "fortran_order"),
             shape_text = value_of(dictionary, "shape");
  if (!descriptor || !order || !shape_text) throw InputError(fmt::format("{}: the NPY header is not understood", name));
  const auto type = parse_type(*descriptor);
  if (!type) {
    throw InputError(
        fmt::format("{}: NPY type {} is not one of {}", name, descriptor->substr(0, 5), fmt::join(kDescriptors, ", ")));
  }
  if (!order->starts_with("False"))
    throw InputError(fmt::format("{}: the array is in Fortran order, not C order", name));
  auto shape = parse_shape(*shape_text);
  if (!shape) throw InputError(fmt::format("{}: the shape in the NPY header is not understood", name));
  const std::size_t held = bytes.size() - begin - length;
  const auto expected = byte_count(*shape, size_of(*type), held);
  if (!expected || *expected != held) {
    throw InputError(fmt::format("{}: shape ({}) of {}-byte elements does not match the {} bytes of data", name,
                                 fmt::join(*shape, ", "), size_of(*type), held));
  }
  bytes.erase(0, begin + length);
  return {*type, std::move(*shape), std::move(bytes)};
}

}  // namespace fathom::npy
