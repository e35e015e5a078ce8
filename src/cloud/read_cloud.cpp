// SPDX-License-Identifier: MIT
#include "cloud/read_cloud.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"
#include "cloud/parse_cloud.hpp"
#include "message/message.hpp"
#include "text/npy.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

CloudMessage cloud_of_array(const std::filesystem::path& file) {
  const npy::Array array = npy::read(file);
  const bool is_float = array.type == npy::Type::kFloat32 || array.type == npy::Type::kFloat64;
  if (!is_float || array.shape.size() < 2 || array.shape.size() > 3 || array.shape.back() != 3) {
    throw InputError(fmt::format("{}: is no array [points, 3] or [rows, cols, 3] of floats", file.string()));
  }
  PointTable table;
  const auto size = static_cast<std::uint32_t>(npy::size_of(array.type));
  const std::uint8_t datatype = array.type == npy::Type::kFloat32 ? 7 : 8;
  for (const char* axis : {"x", "y", "z"}) table.add(axis, datatype, size);
  table.rows = array.shape.size() == 3 ? array.shape[0] : 1;
  table.cols = array.shape[array.shape.size() - 2];
  return cloud_of_bytes(table, array.bytes, file.string());
}

/// The values of KITTI, float32 without a header; nuScenes, in files called .pcd.bin, has the ring behind them.
CloudMessage cloud_of_floats(std::string_view bytes, const std::filesystem::path& file) {
  PointTable table;
  for (const char* name : {"x", "y", "z", "intensity"}) table.add(name, 7, sizeof(float));
  if (file.stem().extension() == ".pcd") table.add("ring", 7, sizeof(float));
  if (bytes.size() % table.step != 0) {
    throw InputError(fmt::format("{}: {} bytes are no whole number of points of {} float32", file.string(),
                                 bytes.size(), table.fields.size()));
  }
  table.cols = bytes.size() / table.step;
  constexpr float kFarthestM = 1e6F;  // beyond it the bytes are of something else
  for (std::size_t i = 0; i < table.cols; ++i) {
    float xyz[3];
    std::memcpy(xyz, bytes.data() + i * table.step, sizeof(xyz));
    for (const float c : xyz) {
      if (!(std::abs(c) > kFarthestM)) continue;  // NaN is a point that is lost
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

CloudMessage read_cloud(const std::filesystem::path& file) {
  const std::string name = file.string();
  return within_memory(file, [&] {
    const std::string bytes = read_file(file);
    if (bytes.starts_with("ply")) return parse_ply_points(bytes, name);
    if (begins_as_pcd(bytes) || lower_case(file.extension().string()) == ".pcd") return parse_pcd(bytes, name);
    if (bytes.starts_with("\x93NUMPY")) return cloud_of_array(file);
    if (file.extension() == ".bin") return cloud_of_floats(bytes, file);
    if (bytes.starts_with(std::string_view("\0\1\0\0", 4))) return cloud_of_message(bytes, name);
    throw InputError(name + ": is no cloud: neither PCD, PLY, a PointCloud2 nor an array of NumPy");
  });
}

}  // namespace fathom
