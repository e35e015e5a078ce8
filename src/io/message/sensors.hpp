// SPDX-License-Identifier: MIT
#pragma once
// Messages of sensor_msgs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/message/geometry.hpp"

namespace fathom::msg {

/// Ranges of one turn in the plane z = 0 of the frame: +inf beyond the range, -inf too near, NaN lost (REP 117).
struct LaserScan {
  Header header;                   ///< the stamp is that of the first ray
  float angle_min = 0;             ///< rad, of the first ray, counter-clockwise from x
  float angle_max = 0;             ///< rad, of the last ray
  float angle_increment = 0;       ///< rad
  float time_increment = 0;        ///< s, between rays
  float scan_time = 0;             ///< s, between scans
  float range_min = 0;             ///< m
  float range_max = 0;             ///< m
  std::vector<float> ranges;       ///< [rays], m
  std::vector<float> intensities;  ///< [rays] or empty

  static constexpr std::array kParts = {&Header::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/LaserScan",
                                        "std_msgs/Header header\n"
                                        "float32 angle_min\n"
                                        "float32 angle_max\n"
                                        "float32 angle_increment\n"
                                        "float32 time_increment\n"
                                        "float32 scan_time\n"
                                        "float32 range_min\n"
                                        "float32 range_max\n"
                                        "float32[] ranges\n"
                                        "float32[] intensities\n",
                                        "RIHS01_64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.angle_min, m.angle_max, m.angle_increment, m.time_increment, m.scan_time, m.range_min, m.range_max,
        m.ranges, m.intensities);
  }
};

/// A value of every point.
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
  /// Throws InputError if points or fields reach beyond the bytes, or a field has an unknown type.
  void check() const;
};

/// Rows of pixels: 32FC1 is float32 in metres, NaN if lost; 16UC1 and mono16 are uint16 in millimetres, 0 if lost.
struct Image {
  Header header;  ///< an optical frame: z forward, x right, y down
  std::uint32_t height = 0, width = 0;
  std::string encoding;
  std::uint8_t is_bigendian = 0;
  std::uint32_t step = 0;           ///< bytes of a row
  std::span<const std::byte> data;  ///< [height, step]

  static constexpr std::array kParts = {&Header::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/Image",
                                        "std_msgs/Header header\n"
                                        "uint32 height\n"
                                        "uint32 width\n"
                                        "string encoding\n"
                                        "uint8 is_bigendian\n"
                                        "uint32 step\n"
                                        "uint8[] data\n",
                                        "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.height, m.width, m.encoding, m.is_bigendian, m.step, m.data);
  }
  /// Throws InputError if rows reach beyond the bytes.
  void check() const;
};

/// All zeros mean the whole image.
struct RegionOfInterest {
  std::uint32_t x_offset = 0, y_offset = 0, height = 0, width = 0;
  bool do_rectify = false;

  static constexpr MessageType kType = {
      "sensor_msgs/msg/RegionOfInterest",
      "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n",
      {},
      {}};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.x_offset, m.y_offset, m.height, m.width, m.do_rectify);
  }
};

/// The projection of a camera: pixel = P (x, y, z, 1), in its optical frame.
struct CameraInfo {
  Header header;
  std::uint32_t height = 0, width = 0;
  std::string distortion_model;
  std::vector<double> d;
  std::array<double, 9> k{};   ///< row-major [3, 3]
  std::array<double, 9> r{};   ///< row-major [3, 3]
  std::array<double, 12> p{};  ///< row-major [3, 4]
  std::uint32_t binning_x = 0, binning_y = 0;
  RegionOfInterest roi;

  static constexpr std::array kParts = {&Header::kType, &RegionOfInterest::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/CameraInfo",
                                        "std_msgs/Header header\n"
                                        "uint32 height\n"
                                        "uint32 width\n"
                                        "string distortion_model\n"
                                        "float64[] d\n"
                                        "float64[9] k\n"
                                        "float64[9] r\n"
                                        "float64[12] p\n"
                                        "uint32 binning_x\n"
                                        "uint32 binning_y\n"
                                        "sensor_msgs/RegionOfInterest roi\n",
                                        "RIHS01_b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.height, m.width, m.distortion_model, m.d, m.k, m.r, m.p, m.binning_x, m.binning_y, m.roi);
  }
};

/// The depths in a CompressedImage of compressed_depth_image_transport: a grey PNG of 16 bits. A level q is millimetres
/// or, if `is_inverse`, the depth a / (q - b) in metres. Level 0 is a hole.
struct CompressedDepth {
  bool is_inverse = false;
  float a = 0.0F, b = 0.0F;
  std::uint32_t rows = 0, cols = 0;
  std::span<const std::byte> png;
};

/// A picture in a compressed format: JPEG, PNG, or compressed depths.
struct CompressedImage {
  Header header;                    ///< an optical frame: z forward, x right, y down
  std::string format;               ///< "16UC1; compressedDepth png", "rgb8; jpeg compressed bgr8"
  std::span<const std::byte> data;  ///< of depths: 12 bytes of configuration, then the PNG

  static constexpr std::array kParts = {&Header::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/CompressedImage",
                                        "std_msgs/Header header\n"
                                        "string format\n"
                                        "uint8[] data\n",
                                        "RIHS01_15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.format, m.data);
  }
  /// The depths; empty if the format names another kind of picture. Throws InputError for a damaged head, and for
  /// unsupported compressions and encodings.
  [[nodiscard]] std::optional<CompressedDepth> depth() const;
};

}  // namespace fathom::msg
