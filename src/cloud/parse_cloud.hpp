// SPDX-License-Identifier: MIT
#pragma once
// What read_cloud() is made of.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/cloud_message.hpp"

namespace fathom {

/// How the points of a file lie in memory.
struct PointTable {
  /// One number of a point: a word of a line, where points are text.
  struct Value {
    std::string name;
    std::uint8_t datatype;  ///< 0: skipped
    std::uint32_t offset;
  };

  std::vector<msg::PointField> fields;
  std::vector<Value> values;
  std::uint32_t step = 0;  ///< bytes of a point
  std::uint64_t rows = 1, cols = 0;

  /// Appends `count` values of a type; a name of "_" or of no type that clouds have is skipped, not shown.
  void add(std::string_view name, std::uint8_t datatype, std::uint32_t size, std::uint32_t count = 1);
};

/// Throws InputError naming the file where there is no x y z, or there are too many points for a cloud.
void check_table(const PointTable& table, const std::string& file);
/// The cloud whose points are these bytes. Throws InputError naming the file as check_table() does, and where bytes are
/// missing.
CloudMessage cloud_of_bytes(const PointTable& table, std::string_view body, const std::string& file);
/// The cloud whose points are the words of these lines, a point each; `line` is the number of the first.
CloudMessage cloud_of_lines(const PointTable& table, std::string_view body, std::size_t line, const std::string& file);

/// PCD, version 0.7: https://pointclouds.org/documentation/tutorials/pcd_file_format.html. Throws InputError.
CloudMessage parse_pcd(std::string_view bytes, const std::string& file);
/// The first element of a PLY file, `vertex`. Throws InputError.
CloudMessage parse_ply_points(std::string_view bytes, const std::string& file);

}  // namespace fathom
