// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/cloud/cloud_message.hpp"

namespace fathom {

enum class CloudFileFormat : std::uint8_t { kPcd, kPly, kNpy, kFloats, kMessage };

/// The format of a file that begins with these bytes. Throws InputError naming the file for other formats.
CloudFileFormat cloud_format(std::string_view bytes, const std::filesystem::path& file);

/// Points of a file: PCD 0.7 (ascii, binary, binary_compressed), PLY (its first element, `vertex`), a serialised
/// PointCloud2, a NumPy array [..., 3] of x y z or [..., 4] with intensity, or the float32 of KITTI and nuScenes
/// (.bin). Values keep their names and types; frame_id is empty unless the file has one. Throws InputError naming the
/// file for other formats, points without x y z, and missing bytes.
CloudMessage read_cloud(const std::filesystem::path& file);
/// The same, with the format.
struct CloudFile {
  CloudFileFormat format;
  CloudMessage cloud;
};
CloudFile read_cloud_file(const std::filesystem::path& file);

/// Writes a cloud that was read in that format, in binary. The file appears whole or not at all.
void write_cloud(const std::filesystem::path& file, const msg::PointCloud2& cloud, CloudFileFormat format);

/// The layout of the points of a file.
struct PointTable {
  /// One number of a point: in text files one word of a line.
  struct Value {
    std::string name;
    std::uint8_t datatype;  ///< 0: skipped
    std::uint32_t offset;
  };

  std::vector<msg::PointField> fields;
  std::vector<Value> values;
  std::uint32_t step = 0;  ///< bytes of a point
  std::uint64_t rows = 1, cols = 0;

  /// Appends `count` values of a type. Values named "_", or with a type that clouds lack, are skipped.
  void add(std::string_view name, std::uint8_t datatype, std::uint32_t size, std::uint32_t count = 1);
};

/// Throws InputError naming the file without x y z, or with too many points for a cloud.
void check_table(const PointTable& table, const std::string& file);
/// The cloud with these bytes as points. Throws InputError as check_table() does, and if bytes are missing.
CloudMessage cloud_of_bytes(const PointTable& table, std::string_view body, const std::string& file);
/// The cloud with a point for each of these lines; `line` is the number of the first.
CloudMessage cloud_of_lines(const PointTable& table, std::string_view body, std::size_t line, const std::string& file);

/// PCD, version 0.7: https://pointclouds.org/documentation/tutorials/pcd_file_format.html. Throws InputError.
CloudMessage parse_pcd(std::string_view bytes, const std::string& file);
/// The first element of a PLY file, `vertex`. Throws InputError.
CloudMessage parse_ply_points(std::string_view bytes, const std::string& file);

}  // namespace fathom
