// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/text_lines.hpp"
#include "io/mesh/read_mesh.hpp"
#include "io/mesh/triangles.hpp"

namespace fathom {

namespace {

constexpr std::size_t kHeaderBytes = 84;  // 80 of free text, then the number of facets
constexpr std::size_t kFacetBytes = 50;   // normal, three corners, two spare bytes
constexpr std::size_t kNormalBytes = 12;
constexpr std::uint32_t kNotCounted = 0xffffffffU;  // from writers that do not return to the header

Mesh parse_binary(std::string_view bytes, std::size_t facets, MeshReading& reading) {
  VertexJoiner joiner;
  for (std::size_t i = 0; i < facets; ++i) {
    std::array<std::array<float, 3>, 3> corners;
    std::memcpy(&corners, bytes.data() + kHeaderBytes + i * kFacetBytes + kNormalBytes, sizeof(corners));
    std::array<std::uint32_t, 3> ids{};
    for (std::size_t k = 0; k < 3; ++k) ids[k] = joiner.id_of({corners[k][0], corners[k][1], corners[k][2]});
    joiner.add(ids);
  }
  Mesh mesh = joiner.take();
  note_rounded_places(mesh, {true, true, true}, reading);
  return mesh;
}

class AsciiStl {
 public:
  explicit AsciiStl(const std::string& file) : file_(file) {}

  Mesh run(std::string_view bytes) {
    bool is_ended = true;
    for_each_line_of_any_end(bytes, [&](std::size_t number, std::string_view line) {
      const auto words = split_words(line);
      if (words.empty()) return;
      line_ = number;
      const std::string word = lower_case(words[0].substr(0, 16));
      read_line(word, words);
      is_ended = word == "endsolid";
    });
    if (!is_ended) fail("the STL file is cut short: its last line is not 'endsolid'");
    return joiner_.take();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(one_line(fmt::format("{}:{}: {}", file_, line_, what)));
  }

  void read_line(const std::string& word, const std::vector<std::string_view>& words) {
    if (word == "vertex") return read_corner(words);
    const bool is_end = word == "endfacet" || word == "endsolid";
    if (!is_end && word != "solid" && word != "facet" && word != "outer" && word != "endloop" && word != "color") {
      fail(fmt::format("'{:.40}' is not understood in an STL file", words[0]));
    }
    if (word == "endfacet" ? corners_ != 3 : corners_ != 0 && word != "endloop" && word != "color") {
      fail(fmt::format("a facet of {} corners: 3 are needed", corners_));
    }
    if (word != "endfacet") return;
    joiner_.add(triangle_);
    corners_ = 0;
  }

  void read_corner(const std::vector<std::string_view>& words) {
    if (words.size() != 4) fail(fmt::format("a vertex of {} numbers: 3 are needed", words.size() - 1));
    std::array<double, 3> vertex{};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto number = parse_number<double>(words[i + 1]);
      if (!number) fail(fmt::format("vertex: number {}: '{:.40}' is not a number", i + 1, words[i + 1]));
      vertex[i] = *number;
    }
    if (corners_ == 3) fail("a facet of more than 3 corners");
    triangle_[corners_++] = joiner_.id_of({vertex[0], vertex[1], vertex[2]});
  }

  const std::string& file_;
  std::size_t line_ = 0, corners_ = 0;
  std::array<std::uint32_t, 3> triangle_{};
  VertexJoiner joiner_;
};

/// The text without a leading byte order mark, trailing zeros and the end mark of CP/M.
std::string_view stl_text(std::string_view bytes) {
  constexpr std::string_view kEnds("\0\x1a \t\r\n", 6);
  const std::string_view text = behind_byte_order_mark(bytes);
  return text.substr(0, text.find_last_not_of(kEnds) + 1);
}

std::optional<std::uint32_t> facets_in_header(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  std::uint32_t facets = 0;
  std::memcpy(&facets, bytes.data() + kHeaderBytes - sizeof(facets), sizeof(facets));
  return facets;
}

std::uint64_t binary_size(std::uint32_t facets) { return kHeaderBytes + std::uint64_t{facets} * kFacetBytes; }

}  // namespace

Mesh parse_stl_mesh(std::string_view bytes, const std::string& file, MeshReading& reading) {
  const std::string_view text = stl_text(bytes);
  const std::optional<std::uint32_t> counted_facets = facets_in_header(bytes);
  if (counted_facets && bytes.size() == binary_size(*counted_facets))
    return parse_binary(bytes, *counted_facets, reading);
  // A binary header may begin with "solid" as well, but text has no zero byte.
  const bool is_text = text.find('\0') == std::string_view::npos;
  if (is_text && lower_case(trim(text).substr(0, 5)) == "solid") return AsciiStl(file).run(text);
  if (!counted_facets) {
    throw InputError(
        fmt::format("{}: not a whole STL file: {} bytes, a binary one has at least 84", file, bytes.size()));
  }
  const std::size_t body = bytes.size() - kHeaderBytes, facets = body / kFacetBytes;
  const bool are_whole = body % kFacetBytes == 0 && body > 0;
  const bool is_uncounted = *counted_facets == 0 || *counted_facets == kNotCounted;
  if (!is_text && are_whole && (is_uncounted || facets > *counted_facets)) {
    reading.notes.push_back(
        fmt::format("its header counts {}, and it has {}", counted(*counted_facets, "facet"), facets));
    return parse_binary(bytes, facets, reading);
  }
  if (!is_text && *counted_facets > 0 && facets >= *counted_facets) {
    reading.notes.push_back(
        fmt::format("{} after the last facet", counted(bytes.size() - binary_size(*counted_facets), "byte")));
    return parse_binary(bytes, *counted_facets, reading);
  }
  throw InputError(fmt::format("{}: not a whole STL file: {} facets take {} bytes, the file has {}", file,
                               *counted_facets, binary_size(*counted_facets), bytes.size()));
}

}  // namespace fathom
