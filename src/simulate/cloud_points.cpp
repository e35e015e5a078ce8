// SPDX-License-Identifier: MIT
#include "simulate/cloud_points.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "cloud/read_cloud.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::uint8_t kFloat32 = 7, kFloat64 = 8;
constexpr double kMostRing = 65535.0;

/// A number of each point.
class PointField {
 public:
  PointField(const msg::PointField& field, bool is_bigendian)
      : offset_(field.offset), datatype_(field.datatype), is_bigendian_(is_bigendian) {}

  [[nodiscard]] bool is_real() const { return datatype_ == kFloat32 || datatype_ == kFloat64; }
  [[nodiscard]] double of(const std::byte* point) const {
    switch (datatype_) {
      case 1:
        return read<std::int8_t>(point);
      case 2:
        return read<std::uint8_t>(point);
      case 3:
        return read<std::int16_t>(point);
      case 4:
        return read<std::uint16_t>(point);
      case 5:
        return read<std::int32_t>(point);
      case 6:
        return read<std::uint32_t>(point);
      case kFloat32:
        return read<float>(point);
      default:
        return read<double>(point);
    }
  }

 private:
  template <class T>
  [[nodiscard]] double read(const std::byte* point) const {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), point + offset_, sizeof(T));
    if (is_bigendian_) std::reverse(bytes.begin(), bytes.end());
    return static_cast<double>(std::bit_cast<T>(bytes));
  }
  std::uint32_t offset_ = 0;
  std::uint8_t datatype_ = 0;
  bool is_bigendian_ = false;
};

std::optional<PointField> field_of(const msg::PointCloud2& cloud, std::string_view name) {
  std::optional<PointField> found;
  for (const msg::PointField& field : cloud.point_fields) {
    if (field.name == name && field.count > 0) found.emplace(field, cloud.is_bigendian);
  }
  return found;
}

PointField coordinate_of(const msg::PointCloud2& cloud, std::string_view name, const fs::path& file) {
  const auto field = field_of(cloud, name);
  if (field && field->is_real()) return *field;
  throw InputError(fmt::format("{}: its {} is no float32 or float64", file.string(), name));
}

bool is_ring(double value) { return value >= 0.0 && value <= kMostRing && value == std::floor(value); }

}  // namespace

CloudPoints read_cloud_points(const fs::path& file) {
  const CloudMessage cloud = read_cloud(file);
  const msg::PointCloud2& m = cloud.message;
  const PointField x = coordinate_of(m, "x", file), y = coordinate_of(m, "y", file), z = coordinate_of(m, "z", file);
  std::optional<PointField> ring = field_of(m, "ring");
  CloudPoints points;
  points.rows = m.height, points.cols = m.width;
  for (std::size_t i = 0; i < std::size_t{m.height} * m.width; ++i) {
    const std::byte* point = m.data.data() + i / m.width * m.row_step + i % m.width * m.point_step;
    const Vec3 at = {x.of(point), y.of(point), z.of(point)};
    if (!std::isfinite(at.x) || !std::isfinite(at.y) || !std::isfinite(at.z)) continue;
    points.at_m.push_back(at), points.place.push_back(static_cast<std::uint32_t>(i));
    if (!ring) continue;
    if (is_ring(ring->of(point))) {
      points.ring.push_back(static_cast<std::uint32_t>(ring->of(point)));
    } else {
      ring.reset(), points.ring.clear();
    }
  }
  return points;
}

}  // namespace fathom
