// SPDX-License-Identifier: MIT
#include "io/cloud/read_cloud.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "core/text/text_lines.hpp"
#include "io/message/cdr.hpp"

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

/// Writes a word as a value of this type; false if it is not one.
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

CloudMessage parse_ply_points(std::string_view bytes, const std::string& file) {
  const ply::Header header = ply::parse_header(bytes, file);
  const auto is_list = [](const ply::Property& property) { return property.is_list; };
  if (header.elements.empty() || header.elements[0].name != "vertex" ||
      std::any_of(header.elements[0].properties.begin(), header.elements[0].properties.end(), is_list)) {
    throw InputError(fmt::format("{}: the first element is not 'vertex', or has lists", file));
  }
  PointTable table;
  table.cols = header.elements[0].count;
  for (const ply::Property& property : header.elements[0].properties) {
    // A PointField numbers its types as PLY does, but from 1.
    const auto datatype = static_cast<std::uint8_t>(static_cast<unsigned>(property.type) + 1);
    table.add(property.name, datatype, static_cast<std::uint32_t>(ply::size_of(property.type)));
  }
  const std::string_view body = bytes.substr(header.body);
  if (header.format == ply::Format::kAscii) return cloud_of_lines(table, body, header.body_line, file);
  CloudMessage cloud = cloud_of_bytes(table, body, file);
  cloud.message.is_bigendian = header.format == ply::Format::kBigEndian;
  return cloud;
}

namespace {

CloudMessage cloud_of_array(const std::filesystem::path& file) {
  const npy::Array array = npy::read(file);
  const bool is_float = array.type == npy::Type::kFloat32 || array.type == npy::Type::kFloat64;
  if (!is_float || array.shape.size() < 2 || array.shape.size() > 3 || array.shape.back() < 3 ||
      array.shape.back() > 4) {
    throw InputError(fmt::format("{}: is no array [points, 3 or 4] or [rows, cols, 3 or 4] of floats", file.string()));
  }
  PointTable table;
  const auto size = static_cast<std::uint32_t>(npy::size_of(array.type));
  const std::uint8_t datatype = array.type == npy::Type::kFloat32 ? 7 : 8;
  for (const char* name : {"x", "y", "z"}) table.add(name, datatype, size);
  if (array.shape.back() == 4) table.add("intensity", datatype, size);
  table.rows = array.shape.size() == 3 ? array.shape[0] : 1;
  table.cols = array.shape[array.shape.size() - 2];
  return cloud_of_bytes(table, array.bytes, file.string());
}

/// The values of KITTI, float32 without a header; nuScenes (.pcd.bin) has a ring as fifth value.
CloudMessage cloud_of_floats(std::string_view bytes, const std::filesystem::path& file) {
  PointTable table;
  for (const char* name : {"x", "y", "z", "intensity"}) table.add(name, 7, sizeof(float));
  if (file.stem().extension() == ".pcd") table.add("ring", 7, sizeof(float));
  if (bytes.size() % table.step != 0) {
    throw InputError(fmt::format("{}: {} bytes are no whole number of points of {} float32", file.string(),
                                 bytes.size(), table.fields.size()));
  }
  table.cols = bytes.size() / table.step;
  constexpr float kFarthestM = 1e6F;  // larger values show another format
  for (std::size_t i = 0; i < table.cols; ++i) {
    float xyz[3];
    std::memcpy(xyz, bytes.data() + i * table.step, sizeof(xyz));
    for (const float c : xyz) {
      if (!(std::abs(c) > kFarthestM)) continue;  // NaN is a lost point
      throw InputError(fmt::format("{}: point {}: {} m is not in [-1e6, 1e6]: no points of float32 x y z intensity",
                                   file.string(), i, c));
    }
  }
  return cloud_of_bytes(table, bytes, file.string());
}

CloudMessage cloud_of_message(std::string_view bytes, const std::string& file) {
  CloudMessage cloud;
  with_prefix(file, [&] { read_message(std::as_bytes(std::span(bytes)), cloud.message); });
  cloud.points = std::make_unique<std::byte[]>(cloud.message.data.size());
  std::memcpy(cloud.points.get(), cloud.message.data.data(), cloud.message.data.size());
  cloud.message.data = {cloud.points.get(), cloud.message.data.size()};
  return cloud;
}

bool begins_as_pcd(std::string_view bytes) {
  return bytes.starts_with("# .PCD") || bytes.starts_with("VERSION") || bytes.starts_with("FIELDS");
}

}  // namespace

CloudFileFormat cloud_format(std::string_view bytes, const std::filesystem::path& file) {
  if (bytes.starts_with("ply")) return CloudFileFormat::kPly;
  const std::string extension = lower_case(file.extension().string());
  if (begins_as_pcd(bytes) || extension == ".pcd") return CloudFileFormat::kPcd;
  if (bytes.starts_with("\x93NUMPY")) return CloudFileFormat::kNpy;
  if (extension == ".bin") return CloudFileFormat::kFloats;
  if (bytes.starts_with(std::string_view("\0\1\0\0", 4))) return CloudFileFormat::kMessage;
  throw InputError(file.string() + ": is no cloud: neither PCD, PLY, a PointCloud2 nor an array of NumPy");
}

CloudFile read_cloud_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  return within_memory(file, [&] {
    const std::string bytes = read_file(file);
    const CloudFileFormat format = cloud_format(bytes, file);
    switch (format) {
      case CloudFileFormat::kPcd:
        return CloudFile{format, parse_pcd(bytes, name)};
      case CloudFileFormat::kPly:
        return CloudFile{format, parse_ply_points(bytes, name)};
      case CloudFileFormat::kNpy:
        return CloudFile{format, cloud_of_array(file)};
      case CloudFileFormat::kFloats:
        return CloudFile{format, cloud_of_floats(bytes, file)};
      case CloudFileFormat::kMessage:
        break;
    }
    return CloudFile{format, cloud_of_message(bytes, name)};
  });
}

CloudMessage read_cloud(const std::filesystem::path& file) { return read_cloud_file(file).cloud; }

}  // namespace fathom
