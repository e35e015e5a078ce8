// SPDX-License-Identifier: MIT
#pragma once
// A ray table row by row, whatever the file is.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/geometry.hpp>
#include <fathom/sensor/pattern.hpp>

#include "base/text.hpp"

namespace fathom {

/// The columns that a ray table may have.
enum Column : std::size_t { kOx, kOy, kOz, kDx, kDy, kDz, kRangeM, kRing, kTimeS, kColumns };
inline constexpr std::array<std::string_view, kColumns> kColumnNames = {"ox", "oy",      "oz",   "dx",    "dy",
                                                                        "dz", "range_m", "ring", "time_s"};
inline constexpr std::size_t kRequired = kRangeM;  // the columns before it

/// Which of the columns a table has, and in what order.
using TableColumns = std::vector<Column>;

inline bool has(const TableColumns& columns, Column column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

/// Turns rows of numbers into a pattern, checking each; `where` names the row: "rays.csv:7".
class PatternBuilder {
 public:
  PatternBuilder(TableColumns columns, float min_range_m, float max_range_m)
      : columns_(std::move(columns)), has_range_(has(columns_, kRangeM)) {
    pattern_.rows = 1;
    pattern_.min_range_m = {min_range_m};
    if (!has_range_) pattern_.max_range_m = {max_range_m};
  }

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }

  template <class Where>
  void add(std::span<const double> values, Where where) {
    std::array<double, kColumns> row{};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      // Past the largest float a value would turn into infinity.
      if (!(std::abs(values[i]) <= 3e38)) {
        throw InputError(fmt::format("{}: {} = {} is not in [-3e+38, 3e+38]", where(), kColumnNames[columns_[i]],
                                     number_text(values[i])));
      }
      row[columns_[i]] = values[i];
    }
    add_geometry(row, where);
    add_extras(row, where);
  }

  RayPattern take(const std::string& file) {
    const std::size_t rays = pattern_.direction_x.size();
    if (rays == 0) throw InputError(fmt::format("{}: holds no rays", file));
    if (rays > 0xffffffffULL) throw InputError(fmt::format("{}: {} rays, the limit is 4294967295", file, rays));
    pattern_.cols = static_cast<std::uint32_t>(rays);
    return std::move(pattern_);
  }

 private:
  template <class Where>
  void add_geometry(const std::array<double, kColumns>& row, Where where) {
    const double largest = std::max({std::abs(row[kDx]), std::abs(row[kDy]), std::abs(row[kDz])});
    if (!(largest > 0.0))
      throw InputError(fmt::format("{}: direction (dx, dy, dz) = (0, 0, 0) has no length", where()));
    // Scaled first, so that squares neither vanish nor overflow.
    const Vec3 scaled = {row[kDx] / largest, row[kDy] / largest, row[kDz] / largest};
    const double length = norm(scaled);
    pattern_.direction_x.push_back(static_cast<float>(scaled.x / length));
    pattern_.direction_y.push_back(static_cast<float>(scaled.y / length));
    pattern_.direction_z.push_back(static_cast<float>(scaled.z / length));
    pattern_.origin_x.push_back(static_cast<float>(row[kOx]));
    pattern_.origin_y.push_back(static_cast<float>(row[kOy]));
    pattern_.origin_z.push_back(static_cast<float>(row[kOz]));
  }

  template <class Where>
  void add_extras(const std::array<double, kColumns>& row, Where where) {
    if (has_range_) {
      const auto range_m = static_cast<float>(row[kRangeM]);
      if (!(range_m > pattern_.min_range_m[0])) {
        throw InputError(fmt::format("{}: range_m = {} is not above the minimum range, {} m", where(),
                                     number_text(row[kRangeM]), pattern_.min_range_m[0]));
      }
      pattern_.max_range_m.push_back(range_m);
    }
    if (has(columns_, kRing)) {
      const double ring = row[kRing];
      if (!(ring >= 0.0 && ring <= 65535.0 && ring == std::floor(ring))) {
        throw InputError(fmt::format("{}: ring = {} is not a whole number in [0, 65535]", where(), number_text(ring)));
      }
      pattern_.ring.push_back(static_cast<std::uint16_t>(ring));
    }
    if (has(columns_, kTimeS)) pattern_.time_offset_s.push_back(static_cast<float>(row[kTimeS]));
  }

  TableColumns columns_;
  bool has_range_;
  RayPattern pattern_;
};

}  // namespace fathom
