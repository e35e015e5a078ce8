// SPDX-License-Identifier: MIT
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "core/text/text_lines.hpp"

namespace fathom::npy {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::array<std::string_view, 5> kDescriptors = {"|u1", "<u2", "<u4", "<f4", "<f8"};  // in the order of Type
constexpr std::array<std::size_t, 5> kSizes = {1, 2, 4, 4, 8};
constexpr std::size_t kMaxDimensions = 32;  // as NumPy

/// The text after "'key':" in the dictionary of the header, without leading blanks.
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

/// Offset and length of the dictionary, from the fixed part of the header; empty if it does not fit into the file.
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

/// The product of the shape and `size`, or empty if it exceeds `limit`; 0 if the shape has a zero.
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

namespace fathom::ply {

namespace {

using Words = std::vector<std::string_view>;

std::optional<Scalar> scalar_from_name(std::string_view name) {
  // Old and new names, in the order of Scalar.
  constexpr std::array<std::array<std::string_view, 2>, 8> kNames = {{{"char", "int8"},
                                                                      {"uchar", "uint8"},
                                                                      {"short", "int16"},
                                                                      {"ushort", "uint16"},
                                                                      {"int", "int32"},
                                                                      {"uint", "uint32"},
                                                                      {"float", "float32"},
                                                                      {"double", "float64"}}};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i][0] || name == kNames[i][1]) return static_cast<Scalar>(i);
  }
  return std::nullopt;
}

std::optional<Format> parse_format(const Words& words) {
  if (words.size() != 3 || words[2] != "1.0") return std::nullopt;
  if (words[1] == "ascii") return Format::kAscii;
  if (words[1] == "binary_little_endian") return Format::kLittleEndian;
  if (words[1] == "binary_big_endian") return Format::kBigEndian;
  return std::nullopt;
}

std::optional<Element> parse_element(const Words& words) {
  if (words.size() != 3) return std::nullopt;
  const auto count = parse_number<std::uint64_t>(words[2]);
  if (!count) return std::nullopt;
  return Element{std::string(words[1]), *count, {}};
}

std::optional<Property> parse_property(const Words& words) {
  const bool is_list = words.size() == 5 && words[1] == "list";
  if (!is_list && words.size() != 3) return std::nullopt;
  const auto type = scalar_from_name(words[is_list ? 3 : 1]);
  const auto count_type = is_list ? scalar_from_name(words[2]) : Scalar::kUint8;
  if (!type || !count_type || *count_type >= Scalar::kFloat32) return std::nullopt;
  return Property{std::string(words.back()), *type, is_list, *count_type};
}

/// Takes one line of the header; false if it is not valid.
bool parse_line(const Words& words, Header& header, bool& has_format) {
  if (words.empty() || words[0] == "comment" || words[0] == "obj_info") return true;
  if (words[0] == "format") {
    const auto format = parse_format(words);
    if (format) header.format = *format, has_format = true;
    return format.has_value();
  }
  if (words[0] == "element") {
    auto element = parse_element(words);
    if (element) header.elements.push_back(std::move(*element));
    return element.has_value();
  }
  if (words[0] == "property" && !header.elements.empty()) {
    auto property = parse_property(words);
    if (property) header.elements.back().properties.push_back(std::move(*property));
    return property.has_value();
  }
  return false;
}

}  // namespace

Header parse_header(std::string_view bytes, const std::string& file) {
  Header header;
  bool has_format = false;
  std::size_t at = 0;
  // Old programs for the Mac end lines with \r alone: then a \n may begin a binary body.
  const char line_end = bytes.starts_with("ply\r") && !bytes.starts_with("ply\r\n") ? '\r' : '\n';
  for (std::size_t number = 1;; ++number) {
    const std::size_t end = bytes.find(line_end, at);
    if (number == 1 && trim(bytes.substr(0, end == std::string_view::npos ? bytes.size() : end)) != "ply") {
      throw InputError(fmt::format("{}:1: not a PLY file: it does not start with the line 'ply'", file));
    }
    if (end == std::string_view::npos) throw InputError(fmt::format("{}:{}: the PLY header has no end", file, number));
    const std::string_view line = trim(bytes.substr(at, end - at));
    at = end + 1;
    if (line == "end_header") {
      if (!has_format) throw InputError(fmt::format("{}:{}: the PLY header has no line 'format'", file, number));
      header.body = at, header.body_line = number + 1;
      return header;
    }
    if (number > 1 && !parse_line(split_words(line), header, has_format)) {
      throw InputError(fmt::format("{}:{}: not understood in a PLY header: '{}'", file, number, line.substr(0, 80)));
    }
  }
}

}  // namespace fathom::ply
