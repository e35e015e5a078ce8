// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "io/message/sensors.hpp"

namespace fathom {

/// A number of each point of a cloud, of any type.
class PointValue {
 public:
  PointValue(const msg::PointField& field, bool is_bigendian)
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
  /// Whole numbers are rounded, and end at their limits.
  void put(double value, std::byte* point) const {
    switch (datatype_) {
      case 1:
        return write(whole<std::int8_t>(value), point);
      case 2:
        return write(whole<std::uint8_t>(value), point);
      case 3:
        return write(whole<std::int16_t>(value), point);
      case 4:
        return write(whole<std::uint16_t>(value), point);
      case 5:
        return write(whole<std::int32_t>(value), point);
      case 6:
        return write(whole<std::uint32_t>(value), point);
      case kFloat32:
        return write(static_cast<float>(value), point);
      default:
        return write(value, point);
    }
  }

 private:
  static constexpr std::uint8_t kFloat32 = 7, kFloat64 = 8;

  template <class T>
  [[nodiscard]] double read(const std::byte* point) const {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), point + offset_, sizeof(T));
    if (is_bigendian_) std::reverse(bytes.begin(), bytes.end());
    return static_cast<double>(std::bit_cast<T>(bytes));
  }
  template <class T>
  static T whole(double value) {
    constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
    return static_cast<T>(std::clamp(std::floor(value + 0.5), kLow, kHigh));
  }
  template <class T>
  void write(T value, std::byte* point) const {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    if (is_bigendian_) std::reverse(bytes.begin(), bytes.end());
    std::memcpy(point + offset_, bytes.data(), sizeof(T));
  }

  std::uint32_t offset_ = 0;
  std::uint8_t datatype_ = 0;
  bool is_bigendian_ = false;
};

/// The last field of that name; empty without one.
inline std::optional<PointValue> find_value(const msg::PointCloud2& cloud, std::string_view name) {
  std::optional<PointValue> found;
  for (const msg::PointField& field : cloud.point_fields) {
    if (field.name == name && field.count > 0) found.emplace(field, cloud.is_bigendian);
  }
  return found;
}

inline constexpr double kMostRing = 65535.0;

inline bool is_ring(double value) { return value >= 0.0 && value <= kMostRing && value == std::floor(value); }

/// x, y or z. Throws InputError unless it is real.
inline PointValue coordinate_of(const msg::PointCloud2& cloud, std::string_view name) {
  const auto value = find_value(cloud, name);
  if (value && value->is_real()) return *value;
  throw InputError(fmt::format("its {} is no float32 or float64", name));
}

/// The first byte of point i.
inline std::size_t byte_of_point(const msg::PointCloud2& cloud, std::size_t i) {
  return i / cloud.width * cloud.row_step + i % cloud.width * cloud.point_step;
}

}  // namespace fathom
