// SPDX-License-Identifier: MIT
#include <algorithm>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "cloud/parse_cloud.hpp"
#include "text/ply_header.hpp"

namespace fathom {

CloudMessage parse_ply_points(std::string_view bytes, const std::string& file) {
  const ply::Header header = ply::parse_header(bytes, file);
  const auto is_list = [](const ply::Property& property) { return property.is_list; };
  if (header.elements.empty() || header.elements[0].name != "vertex" ||
      std::any_of(header.elements[0].properties.begin(), header.elements[0].properties.end(), is_list)) {
    throw InputError(fmt::format("{}: the first element is not 'vertex', or has lists", file));
  }
  PointTable table;
  table.cols = header.elements[0].count;
  for (const ply::Property& property : header.elements[0].properties) {
    // The types of a PointField are numbered as those of PLY, from 1.
    const auto datatype = static_cast<std::uint8_t>(static_cast<unsigned>(property.type) + 1);
    table.add(property.name, datatype, static_cast<std::uint32_t>(ply::size_of(property.type)));
  }
  const std::string_view body = bytes.substr(header.body);
  if (header.format == ply::Format::kAscii) return cloud_of_lines(table, body, header.body_line, file);
  CloudMessage cloud = cloud_of_bytes(table, body, file);
  cloud.message.is_bigendian = header.format == ply::Format::kBigEndian;
  return cloud;
}

}  // namespace fathom
