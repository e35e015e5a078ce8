// SPDX-License-Identifier: MIT
#include <optional>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "cloud/parse_cloud.hpp"
#include "text/text_lines.hpp"

namespace fathom {

namespace {

using PcdWords = std::vector<std::string_view>;

/// Of sensor_msgs/msg/PointField; 0 for whole numbers of 8 bytes, which it has not.
std::uint8_t datatype_of(char type, std::uint32_t size) {
  if (type == 'F') return size == 4 ? 7 : size == 8 ? 8 : 0;
  const bool is_signed = type == 'I';
  if (size == 1) return is_signed ? 1 : 2;
  if (size == 2) return is_signed ? 3 : 4;
  if (size == 4) return is_signed ? 5 : 6;
  return 0;
}

struct PcdLines {
  PcdWords fields, sizes, types, counts;
  std::optional<std::uint64_t> width, height, points;
  std::string_view data;
  std::size_t body = 0, body_line = 0;
};

PcdLines read_lines(std::string_view bytes, const std::string& file) {
  PcdLines lines;
  std::size_t at = 0;
  for (std::size_t number = 1; lines.data.empty(); ++number) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) throw InputError(fmt::format("{}: the PCD header has no line DATA", file));
    PcdWords words = split_words(bytes.substr(at, end - at));
    at = end + 1;
    if (words.empty() || words[0].starts_with('#')) continue;
    const std::string_view key = words[0];
    const auto number_of = [&] { return words.size() == 2 ? parse_number<std::uint64_t>(words[1]) : std::nullopt; };
    words.erase(words.begin());
    if (key == "FIELDS") lines.fields = words;
    if (key == "SIZE") lines.sizes = words;
    if (key == "TYPE") lines.types = words;
    if (key == "COUNT") lines.counts = words;
    words.insert(words.begin(), key);
    if (key == "WIDTH") lines.width = number_of();
    if (key == "HEIGHT") lines.height = number_of();
    if (key == "POINTS") lines.points = number_of();
    if (key == "DATA" && words.size() == 2) lines.data = words[1];
    lines.body = at, lines.body_line = number + 1;
  }
  return lines;
}

PointTable table_of(const PcdLines& lines, const std::string& file) {
  constexpr std::size_t kMostValues = 65536;  // of a point
  PointTable table;
  const auto fail = [&](std::string_view what) { throw InputError(fmt::format("{}: the PCD header {}", file, what)); };
  if (lines.fields.empty() || lines.sizes.size() != lines.fields.size() || lines.types.size() != lines.fields.size() ||
      (!lines.counts.empty() && lines.counts.size() != lines.fields.size())) {
    fail("names other numbers of FIELDS, SIZE, TYPE and COUNT");
  }
  for (std::size_t i = 0; i < lines.fields.size(); ++i) {
    const auto size = parse_number<std::uint32_t>(lines.sizes[i]);
    const auto count =
        lines.counts.empty() ? std::optional<std::uint32_t>(1) : parse_number<std::uint32_t>(lines.counts[i]);
    const char type = lines.types[i].front();
    if (!size || (*size != 1 && *size != 2 && *size != 4 && *size != 8) || !count ||
        *count > kMostValues - table.values.size() || (type != 'F' && type != 'I' && type != 'U')) {
      fail(fmt::format("describes the field {} as no field can be", lines.fields[i].substr(0, 40)));
    }
    table.add(lines.fields[i], datatype_of(type, *size), *size, *count);
  }
  if (!lines.width || !lines.height ||
      (lines.points && *lines.height != 0 &&
       (*lines.points / *lines.height != *lines.width || *lines.points % *lines.height != 0))) {
    fail("has no WIDTH and HEIGHT whose product is POINTS");
  }
  table.cols = *lines.width, table.rows = *lines.height;
  return table;
}

}  // namespace

CloudMessage parse_pcd(std::string_view bytes, const std::string& file) {
  const PcdLines lines = read_lines(bytes, file);
  const PointTable table = table_of(lines, file);
  const std::string_view body = bytes.substr(lines.body);
  if (lines.data == "binary") return cloud_of_bytes(table, body, file);
  if (lines.data == "ascii") return cloud_of_lines(table, body, lines.body_line, file);
  throw InputError(fmt::format("{}: DATA {} is not read, only ascii and binary", file, lines.data.substr(0, 40)));
}

}  // namespace fathom
