#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "io/assimp_mesh.hpp"
#include "io/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::size_t kHeaderBytes = 84;  // 80 of free text, then the number of facets
constexpr std::size_t kFacetBytes = 50;   // normal, three corners, two spare bytes

void check_ascii(std::string_view bytes, std::string_view file) {
  std::string_view last;
  std::size_t last_number = 0;
  for_each_line(bytes, [&](std::size_t number, std::string_view line) {
    if (!trim(line).empty()) last = trim(line), last_number = number;
  });
  const auto words = split_words(last);
  if (words.empty() || words[0] != "endsolid") {
    throw InputError(
        fmt::format("{}:{}: the STL file is cut short: its last line is not 'endsolid'", file, last_number));
  }
}

}  // namespace

void check_stl(std::string_view bytes, std::string_view file) {
  std::uint32_t facets = 0;
  if (bytes.size() >= kHeaderBytes) std::memcpy(&facets, bytes.data() + 80, sizeof(facets));
  const std::uint64_t expected = kHeaderBytes + std::uint64_t{facets} * kFacetBytes;
  if (bytes.size() >= kHeaderBytes && bytes.size() == expected) return;
  // A binary header may begin with "solid" as well, but text has no zero byte.
  const bool is_text = bytes.substr(0, 5) == "solid" && bytes.find('\0') == std::string_view::npos;
  if (is_text) return check_ascii(bytes, file);
  throw InputError(
      bytes.size() < kHeaderBytes
          ? fmt::format("{}: not a whole STL file: {} bytes, a binary one has at least 84", file, bytes.size())
          : fmt::format("{}: not a whole STL file: {} facets take {} bytes, the file has {}", file, facets, expected,
                        bytes.size()));
}

}  // namespace fathom
