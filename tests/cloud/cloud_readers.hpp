// SPDX-License-Identifier: MIT
#pragma once
// Readers of the cloud formats, written from the formats' descriptions and not from the writers.

#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fathom::test {

/// What every reader gives: columns of numbers in the order of the file.
struct ReadCloud {
  std::vector<std::string> names;
  std::vector<char> types;  ///< f, or u, with the size: "f4" is 'f', sizes[i] = 4
  std::vector<std::size_t> sizes;
  std::vector<std::vector<double>> columns;
  std::size_t width = 0, height = 0;

  [[nodiscard]] const std::vector<double>& column(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return columns[i];
    }
    throw std::runtime_error("no column " + name);
  }
};

inline double number(const std::string& bytes, std::size_t at, char type, std::size_t size) {
  std::uint64_t whole = 0;
  for (std::size_t i = 0; i < size; ++i) whole |= std::uint64_t{static_cast<std::uint8_t>(bytes.at(at + i))} << (8 * i);
  if (type == 'u') return static_cast<double>(whole);
  const auto bits = static_cast<std::uint32_t>(whole);
  float value = 0;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Fills the columns from packed points.
inline void read_points(const std::string& bytes, std::size_t at, std::size_t points, ReadCloud& cloud) {
  cloud.columns.assign(cloud.names.size(), std::vector<double>(points));
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t f = 0; f < cloud.names.size(); ++f) {
      cloud.columns[f][p] = number(bytes, at, cloud.types[f], cloud.sizes[f]);
      at += cloud.sizes[f];
    }
  }
  if (at != bytes.size()) throw std::runtime_error("bytes left over");
}

inline ReadCloud read_pcd(const std::string& bytes) {
  ReadCloud cloud;
  std::map<std::string, std::vector<std::string>> header;
  std::size_t at = 0;
  while (header.count("DATA") == 0) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string::npos) throw std::runtime_error("no DATA");
    std::istringstream line(bytes.substr(at, end - at));
    at = end + 1;
    std::string key, word;
    line >> key;
    if (key.front() == '#') continue;
    while (line >> word) header[key].push_back(word);
  }
  if (header["VERSION"].at(0) != "0.7" || header["DATA"].at(0) != "binary")
    throw std::runtime_error("not PCD 0.7 binary");
  if (header["VIEWPOINT"] != std::vector<std::string>{"0", "0", "0", "1", "0", "0", "0"})
    throw std::runtime_error("viewpoint");
  cloud.names = header["FIELDS"];
  for (std::size_t i = 0; i < cloud.names.size(); ++i) {
    cloud.sizes.push_back(std::stoul(header["SIZE"].at(i)));
    cloud.types.push_back(header["TYPE"].at(i) == "F" ? 'f' : 'u');
    if (header["COUNT"].at(i) != "1") throw std::runtime_error("count");
  }
  cloud.width = std::stoul(header["WIDTH"].at(0)), cloud.height = std::stoul(header["HEIGHT"].at(0));
  const std::size_t points = std::stoul(header["POINTS"].at(0));
  if (points != cloud.width * cloud.height) throw std::runtime_error("points");
  read_points(bytes, at, points, cloud);
  return cloud;
}

inline ReadCloud read_ply(const std::string& bytes) {
  ReadCloud cloud;
  std::istringstream in(bytes);
  std::string line;
  std::size_t points = 0;
  const std::map<std::string, std::pair<char, std::size_t>> types = {
      {"uchar", {'u', 1}}, {"ushort", {'u', 2}}, {"uint", {'u', 4}}, {"float", {'f', 4}}};
  std::getline(in, line);
  if (line != "ply") throw std::runtime_error("not PLY");
  std::getline(in, line);
  if (line != "format binary_little_endian 1.0") throw std::runtime_error("format");
  while (std::getline(in, line) && line != "end_header") {
    std::istringstream words(line);
    std::string key, a, b;
    words >> key >> a >> b;
    if (key == "obj_info" && a == "width") cloud.width = std::stoul(b);
    if (key == "obj_info" && a == "height") cloud.height = std::stoul(b);
    if (key == "element" && a == "vertex") points = std::stoul(b);
    if (key == "property") {
      cloud.names.push_back(b);
      cloud.types.push_back(types.at(a).first), cloud.sizes.push_back(types.at(a).second);
    }
  }
  read_points(bytes, static_cast<std::size_t>(in.tellg()), points, cloud);
  return cloud;
}

/// A decoded sensor_msgs/msg/PointCloud2.
struct ReadMessage {
  std::int32_t sec = 0;
  std::uint32_t nanosec = 0;
  std::string frame_id;
  ReadCloud cloud;
  std::vector<std::uint32_t> offsets;
  std::uint32_t point_step = 0, row_step = 0;
  bool is_bigendian = false, is_dense = false;
};

/// Walks CDR: every number starts at a multiple of its size, counted after the 4 bytes of encapsulation.
class CdrCursor {
 public:
  explicit CdrCursor(const std::string& bytes) : bytes_(bytes) {}
  std::uint32_t take(std::size_t size) {
    while ((at_ - 4) % size != 0) ++at_;
    const double value = number(bytes_, at_, 'u', size);
    at_ += size;
    return static_cast<std::uint32_t>(value);
  }
  std::string take_string() {
    const std::size_t size = take(4);
    const std::string text = bytes_.substr(at_, size - 1);
    if (bytes_.at(at_ + size - 1) != '\0') throw std::runtime_error("string without its zero");
    at_ += size;
    return text;
  }
  std::string take_bytes(std::size_t size) {
    at_ += size;
    if (at_ > bytes_.size()) throw std::runtime_error("cut short");
    return bytes_.substr(at_ - size, size);
  }
  [[nodiscard]] bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  const std::string& bytes_;
  std::size_t at_ = 4;
};

inline ReadMessage read_pointcloud2(const std::string& bytes) {
  if (bytes.substr(0, 4) != std::string("\0\1\0\0", 4)) throw std::runtime_error("not little-endian CDR");
  ReadMessage m;
  CdrCursor in(bytes);
  m.sec = static_cast<std::int32_t>(in.take(4)), m.nanosec = in.take(4), m.frame_id = in.take_string();
  m.cloud.height = in.take(4), m.cloud.width = in.take(4);
  const std::uint32_t fields = in.take(4);
  for (std::uint32_t i = 0; i < fields; ++i) {
    m.cloud.names.push_back(in.take_string());
    m.offsets.push_back(in.take(4));
    const std::uint32_t datatype = in.take(1);  // PointField: 2 UINT8, 4 UINT16, 6 UINT32, 7 FLOAT32
    m.cloud.types.push_back(datatype == 7 ? 'f' : 'u');
    m.cloud.sizes.push_back(datatype == 2 ? 1 : datatype == 4 ? 2 : 4);
    if (in.take(4) != 1) throw std::runtime_error("count");
  }
  m.is_bigendian = in.take(1) != 0;
  m.point_step = in.take(4), m.row_step = in.take(4);
  const std::uint32_t size = in.take(4);
  read_points(in.take_bytes(size), 0, size / m.point_step, m.cloud);
  m.is_dense = in.take(1) != 0;
  if (!in.is_at_end()) throw std::runtime_error("bytes left over");
  return m;
}

}  // namespace fathom::test
