// SPDX-License-Identifier: MIT
#include "cloud/parse_cloud.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "text/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();  // of a sequence in CDR

CloudMessage empty_cloud(const PointTable& table, const std::string& file) {
  check_table(table, file);
  CloudMessage cloud;
  cloud.message.height = static_cast<std::uint32_t>(table.rows);
  cloud.message.width = static_cast<std::uint32_t>(table.cols);
  cloud.message.point_fields = table.fields;
  cloud.message.point_step = table.step;
  cloud.message.row_step = table.step * cloud.message.width;
  cloud.message.is_dense = false;
  return cloud;
}

void put_points(CloudMessage& cloud, std::string_view bytes) {
  cloud.points = std::make_unique<std::byte[]>(bytes.size());
  std::memcpy(cloud.points.get(), bytes.data(), bytes.size());
  cloud.message.data = {cloud.points.get(), bytes.size()};
}

template <class T>
bool put(std::string_view word, char* to) {
  const auto value = parse_number<T>(word);
  if (value) std::memcpy(to, &*value, sizeof(T));
  return value.has_value();
}

/// Writes a word as a value of this type; false where it is none.
bool put_value(std::string_view word, std::uint8_t datatype, char* to) {
  switch (datatype) {
    case 1:
      return put<std::int8_t>(word, to);
    case 2:
      return put<std::uint8_t>(word, to);
    case 3:
      return put<std::int16_t>(word, to);
    case 4:
      return put<std::uint16_t>(word, to);
    case 5:
      return put<std::int32_t>(word, to);
    case 6:
      return put<std::uint32_t>(word, to);
    case 7:
      return put<float>(word, to);
    default:
      return put<double>(word, to);
  }
}

}  // namespace

void PointTable::add(std::string_view name, std::uint8_t datatype, std::uint32_t size, std::uint32_t count) {
  const bool is_shown = datatype != 0 && name != "_";
  if (is_shown) fields.push_back({std::string(name), step, datatype, count});
  for (std::uint32_t i = 0; i < count; ++i) {
    values.push_back({std::string(name), is_shown ? datatype : std::uint8_t{0}, step});
    step += size;
  }
}

void check_table(const PointTable& table, const std::string& file) {
  for (const char* axis : {"x", "y", "z"}) {
    const auto is_axis = [&](const msg::PointField& field) { return field.name == axis; };
    if (std::none_of(table.fields.begin(), table.fields.end(), is_axis)) {
      throw InputError(fmt::format("{}: its points have no value {}", file, axis));
    }
  }
  if (table.cols != 0 && (table.rows > kMostBytes / table.cols || table.rows * table.cols > kMostBytes / table.step)) {
    throw InputError(fmt::format("{}: {} x {} points are more than 4 GiB", file, table.rows, table.cols));
  }
}

CloudMessage cloud_of_bytes(const PointTable& table, std::string_view body, const std::string& file) {
  CloudMessage cloud = empty_cloud(table, file);
  const std::uint64_t bytes = table.rows * table.cols * table.step;
  if (bytes > body.size()) {
    throw InputError(fmt::format("{}: {} points of {} bytes are announced, and {} bytes are there", file,
                                 table.rows * table.cols, table.step, body.size()));
  }
  put_points(cloud, body.substr(0, bytes));
  return cloud;
}

CloudMessage cloud_of_lines(const PointTable& table, std::string_view body, std::size_t line, const std::string& file) {
  CloudMessage cloud = empty_cloud(table, file);
  const std::uint64_t wanted = table.rows * table.cols;
  std::string points;
  for_each_line(body, [&](std::size_t number, std::string_view text) {
    const std::vector<std::string_view> words = split_words(text);
    if (words.empty() || points.size() == wanted * table.step) return;
    std::string point(table.step, '\0');
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      const PointTable::Value& value = table.values[i];
      if (i < words.size() && (value.datatype == 0 || put_value(words[i], value.datatype, point.data() + value.offset)))
        continue;
      throw InputError(fmt::format("{}:{}: value {} of a point, {}, is not there or no number of its type", file,
                                   line + number - 1, i + 1, value.name));
    }
    points += point;
  });
  if (points.size() != wanted * table.step) {
    throw InputError(
        fmt::format("{}: {} points are announced, and {} are there", file, wanted, points.size() / table.step));
  }
  put_points(cloud, points);
  return cloud;
}

}  // namespace fathom
