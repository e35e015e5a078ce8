// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/text_lines.hpp"
#include "io/cloud/read_cloud.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostFromReference = 264, kReferenceBytes = 3;

class LzfReader {
 public:
  LzfReader(std::string_view packed, std::size_t size) : packed_(packed), size_(size) { unpacked_.reserve(size); }

  std::string run() {
    while (at_ < packed_.size()) {
      const std::size_t control = next();
      if (control < 32) {
        copy_plain(control + 1);
      } else {
        copy_again(control);
      }
    }
    if (unpacked_.size() != size_) fail(fmt::format("they end after {} bytes", unpacked_.size()));
    return std::move(unpacked_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(
        fmt::format("byte {} of the {} packed bytes, which make {}: {}", at_, packed_.size(), size_, what));
  }

  std::size_t next() {
    if (at_ == packed_.size()) fail("they end within a step");
    return static_cast<std::uint8_t>(packed_[at_++]);
  }

  void require_room(std::size_t bytes) const {
    if (bytes > size_ - unpacked_.size()) fail("they make more bytes");
  }

  void copy_plain(std::size_t bytes) {
    if (bytes > packed_.size() - at_) fail("they end within a step");
    require_room(bytes);
    unpacked_.append(packed_.substr(at_, bytes));
    at_ += bytes;
  }

  /// Copies earlier bytes; source and copy may overlap.
  void copy_again(std::size_t control) {
    const std::size_t length = control >> 5U;
    const std::size_t bytes = 2 + (length == 7 ? 7 + next() : length);
    const std::size_t back = ((control & 31U) << 8U) + next() + 1;
    if (back > unpacked_.size()) fail("refers to what lies before the first byte");
    require_room(bytes);
    for (std::size_t i = 0; i < bytes; ++i) unpacked_.push_back(unpacked_[unpacked_.size() - back]);
  }

  std::string_view packed_;
  std::size_t size_, at_ = 0;
  std::string unpacked_;
};

/// Unpacks the bytes of LibLZF: http://oldhome.schmorp.de/marc/liblzf.html. Throws InputError unless they make exactly
/// `size` bytes.
std::string unpack_lzf(std::string_view packed, std::size_t size) {
  // Against few bytes that claim gigabytes.
  if (size / kMostFromReference > packed.size() / kReferenceBytes + 1) {
    throw InputError(fmt::format("{} packed bytes cannot make {}", packed.size(), size));
  }
  return LzfReader(packed, size).run();
}

using PcdWords = std::vector<std::string_view>;

/// The datatype of sensor_msgs/msg/PointField; 0 for whole numbers of 8 bytes, which it lacks.
std::uint8_t datatype_of(char type, std::uint32_t size) {
  if (type == 'f') return size == 4 ? 7 : size == 8 ? 8 : 0;
  const bool is_signed = type == 'i';
  if (size == 1) return is_signed ? 1 : 2;
  if (size == 2) return is_signed ? 3 : 4;
  if (size == 4) return is_signed ? 5 : 6;
  return 0;
}

/// The words behind the key of a header line, and the number of the line; 0 if absent.
struct PcdLine {
  PcdWords words;
  std::size_t number = 0;
};

struct PcdLines {
  PcdLine fields, sizes, types, counts, width, height, points, data;
  std::size_t body = 0, body_line = 0;
};

/// Version 0.5 calls FIELDS COLUMNS.
constexpr std::array<std::pair<std::string_view, PcdLine PcdLines::*>, 9> kKeys = {{{"FIELDS", &PcdLines::fields},
                                                                                    {"COLUMNS", &PcdLines::fields},
                                                                                    {"SIZE", &PcdLines::sizes},
                                                                                    {"TYPE", &PcdLines::types},
                                                                                    {"COUNT", &PcdLines::counts},
                                                                                    {"WIDTH", &PcdLines::width},
                                                                                    {"HEIGHT", &PcdLines::height},
                                                                                    {"POINTS", &PcdLines::points},
                                                                                    {"DATA", &PcdLines::data}}};

PcdLines read_lines(std::string_view bytes, const std::string& file) {
  PcdLines lines;
  std::size_t at = 0;
  for (std::size_t number = 1; lines.data.words.size() != 1; ++number) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) throw InputError(fmt::format("{}: the PCD header has no line DATA", file));
    PcdWords words = split_words(bytes.substr(at, end - at));
    at = end + 1;
    for (const auto& [key, line] : kKeys) {
      if (words.empty() || words[0] != key) continue;
      words.erase(words.begin());
      lines.*line = {std::move(words), number};
      break;
    }
    lines.body = at, lines.body_line = number + 1;
  }
  return lines;
}

/// A field in a point.
struct PcdColumn {
  std::size_t offset, bytes;
  bool is_padding;
};

/// Makes a table from the header.
class PcdTable {
 public:
  PcdTable(const PcdLines& lines, const std::string& file) : lines_(lines), file_(file) {}

  PointTable run() {
    const std::size_t fields = lines_.fields.words.size();
    if (fields == 0 || lines_.sizes.words.size() != fields || lines_.types.words.size() != fields ||
        (lines_.counts.number != 0 && lines_.counts.words.size() != fields)) {
      throw InputError(fmt::format("{}: the PCD header names other numbers of FIELDS, SIZE, TYPE and COUNT", file_));
    }
    if (fields > kMostValues) {
      throw InputError(
          fmt::format("{}:{}: {} FIELDS, the limit is {}", file_, lines_.fields.number, fields, kMostValues));
    }
    for (std::size_t i = 0; i < fields; ++i) add_field(i);
    add_shape();
    check_table(table_, file_);
    return std::move(table_);
  }
  [[nodiscard]] const std::vector<PcdColumn>& columns() const { return columns_; }

 private:
  static constexpr std::size_t kMostValues = 65536;  // of a point

  [[noreturn]] void refuse(const PcdLine& line, std::string_view key, std::size_t i, std::string_view wanted) const {
    throw InputError(fmt::format("{}:{}: {} = {} of the field {} is not {}", file_, line.number, key,
                                 one_line(line.words[i].substr(0, 40)), one_line(lines_.fields.words[i].substr(0, 40)),
                                 wanted));
  }

  void add_field(std::size_t i) {
    const auto size = parse_number<std::uint32_t>(lines_.sizes.words[i]);
    if (!size || (*size != 1 && *size != 2 && *size != 4 && *size != 8))
      refuse(lines_.sizes, "SIZE", i, "1, 2, 4 or 8");
    const char type = lower_case(lines_.types.words[i].front());
    if (type != 'f' && type != 'i' && type != 'u') refuse(lines_.types, "TYPE", i, "F, I or U");
    const auto count = lines_.counts.number == 0 ? std::optional<std::uint32_t>(1)
                                                 : parse_number<std::uint32_t>(lines_.counts.words[i]);
    if (!count || *count == 0 || *count > kMostValues - table_.values.size()) {
      refuse(lines_.counts, "COUNT", i, fmt::format("in [1, {}]", kMostValues - table_.values.size()));
    }
    columns_.push_back({table_.step, *size * *count, lines_.fields.words[i] == "_"});
    table_.add(lines_.fields.words[i], datatype_of(type, *size), *size, *count);
  }

  /// As in PCL: without HEIGHT the points are one row, and without WIDTH too, POINTS is its length.
  void add_shape() {
    const auto points = number_of(lines_.points, std::nullopt);
    const auto height = number_of(lines_.height, 1);
    const auto width = number_of(lines_.width, lines_.height.number == 0 ? points : std::nullopt);
    if (!width || !height || (lines_.points.number != 0 && !points) ||
        (points && *height != 0 && (*points / *height != *width || *points % *height != 0))) {
      throw InputError(fmt::format("{}: the PCD header has no WIDTH and HEIGHT whose product is POINTS", file_));
    }
    table_.cols = *width, table_.rows = *height;
  }

  static std::optional<std::uint64_t> number_of(const PcdLine& line, std::optional<std::uint64_t> without) {
    if (line.number == 0) return without;
    return line.words.size() == 1 ? parse_number<std::uint64_t>(line.words[0]) : std::nullopt;
  }

  const PcdLines& lines_;
  const std::string& file_;
  PointTable table_;
  std::vector<PcdColumn> columns_;
};

/// Unpacks fields. Two numbers of 4 bytes come first: the packed and the unpacked size.
std::string unpacked_fields(std::string_view body) {
  std::array<std::uint32_t, 2> sizes{};
  if (body.size() < sizeof(sizes)) throw InputError("the two sizes of the packed points are not there");
  std::memcpy(sizes.data(), body.data(), sizeof(sizes));
  body.remove_prefix(sizeof(sizes));
  if (sizes[0] > body.size()) {
    throw InputError(fmt::format("{} packed bytes are announced, and {} are there", sizes[0], body.size()));
  }
  return unpack_lzf(body.substr(0, sizes[0]), sizes[1]);
}

/// Points from a file with all values of a field together. PCL omits padding; other writers keep it.
std::string points_of_fields(const PointTable& table, std::vector<PcdColumn> columns, std::string_view fields) {
  const std::uint64_t points = table.rows * table.cols;
  if (fields.size() != points * table.step) std::erase_if(columns, [](const PcdColumn& c) { return c.is_padding; });
  std::uint64_t step = 0;
  for (const PcdColumn& column : columns) step += column.bytes;
  if (fields.size() != points * step) {
    throw InputError(
        fmt::format("{} points of {} bytes are announced, and {} bytes are there", points, table.step, fields.size()));
  }
  std::string made(points * table.step, '\0');
  for (const PcdColumn& column : columns) {
    for (std::uint64_t i = 0; i < points; ++i) {
      std::memcpy(made.data() + i * table.step + column.offset, fields.data() + i * column.bytes, column.bytes);
    }
    fields.remove_prefix(points * column.bytes);
  }
  return made;
}

}  // namespace

CloudMessage parse_pcd(std::string_view bytes, const std::string& file) {
  const PcdLines lines = read_lines(bytes, file);
  PcdTable reader(lines, file);
  const PointTable table = reader.run();
  const std::string_view body = bytes.substr(lines.body), data = lines.data.words[0];
  if (data == "binary") return cloud_of_bytes(table, body, file);
  if (data == "ascii") return cloud_of_lines(table, body, lines.body_line, file);
  if (data == "binary_compressed") {
    const std::string points =
        with_prefix(file, [&] { return points_of_fields(table, reader.columns(), unpacked_fields(body)); });
    return cloud_of_bytes(table, points, file);
  }
  throw InputError(fmt::format("{}:{}: DATA {} is not ascii, binary or binary_compressed", file, lines.data.number,
                               one_line(data.substr(0, 40))));
}

}  // namespace fathom
