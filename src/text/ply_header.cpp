// SPDX-License-Identifier: MIT
#include "text/ply_header.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "text/text_lines.hpp"

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

/// Reads one line of the header into it; false when the line makes no sense.
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
  // Old programs for the Mac end lines with \r alone: then no \n belongs to a line, but may begin a binary body.
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
