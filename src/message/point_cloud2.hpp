// SPDX-License-Identifier: MIT
#pragma once
// sensor_msgs/msg/PointCloud2.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "message/header.hpp"

namespace fathom::msg {

/// sensor_msgs/msg/PointField: a value of every point.
struct PointField {
  std::string name;
  std::uint32_t offset = 0;   ///< bytes from the start of the point
  std::uint8_t datatype = 0;  ///< 1 int8, 2 uint8, 3 int16, 4 uint16, 5 int32, 6 uint32, 7 float32, 8 float64
  std::uint32_t count = 1;

  static constexpr std::size_t kLeastBytes = 16;
  static constexpr MessageType kType = {
      "sensor_msgs/msg/PointField",
      "uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\nuint8 INT32=5\nuint8 UINT32=6\nuint8 FLOAT32=7\n"
      "uint8 FLOAT64=8\nstring name\nuint32 offset\nuint8 datatype\nuint32 count\n",
      {},
      {}};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.name, m.offset, m.datatype, m.count);
  }
};

/// Points as packed bytes.
struct PointCloud2 {
  Header header;
  std::uint32_t height = 1, width = 0;
  std::vector<PointField> point_fields;
  bool is_bigendian = false;
  std::uint32_t point_step = 0;     ///< bytes of a point
  std::uint32_t row_step = 0;       ///< bytes of a row
  std::span<const std::byte> data;  ///< [height, row_step]
  bool is_dense = true;             ///< no point is NaN

  static constexpr std::array kParts = {&Header::kType, &PointField::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/PointCloud2",
                                        "std_msgs/Header header\n"
                                        "uint32 height\n"
                                        "uint32 width\n"
                                        "sensor_msgs/PointField[] fields\n"
                                        "bool is_bigendian\n"
                                        "uint32 point_step\n"
                                        "uint32 row_step\n"
                                        "uint8[] data\n"
                                        "bool is_dense\n",
                                        "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.height, m.width, m.point_fields, m.is_bigendian, m.point_step, m.row_step, m.data, m.is_dense);
  }
  /// Throws InputError when points or fields reach beyond the bytes, or a field is of no known type.
  void check() const;
};

}  // namespace fathom::msg
