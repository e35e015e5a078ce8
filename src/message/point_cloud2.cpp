// SPDX-License-Identifier: MIT
#include "message/point_cloud2.hpp"

#include <array>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom::msg {

namespace {

constexpr std::array<std::uint64_t, 9> kDatatypeBytes = {0, 1, 1, 2, 2, 4, 4, 4, 8};

}  // namespace

void PointCloud2::check() const {
  const std::uint64_t row_bytes = std::uint64_t{width} * point_step;
  if (row_bytes > row_step || std::uint64_t{height} * row_step > data.size()) {
    throw InputError(fmt::format("{} rows of {} points of {} bytes, row_step {}, do not fit into {} bytes of data",
                                 height, width, point_step, row_step, data.size()));
  }
  for (const PointField& field : point_fields) {
    if (field.datatype == 0 || field.datatype >= kDatatypeBytes.size()) {
      throw InputError(fmt::format("field '{}': datatype {} is not in [1, 8]", one_line(field.name), field.datatype));
    }
    if (field.offset + kDatatypeBytes[field.datatype] * field.count > point_step) {
      throw InputError(
          fmt::format("field '{}' reaches beyond the {} bytes of a point", one_line(field.name), point_step));
    }
  }
}

}  // namespace fathom::msg
