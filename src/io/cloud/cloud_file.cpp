// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <fathom/files/clouds.hpp>

#include "core/text/files.hpp"
#include "io/cloud/point_layout.hpp"

namespace fathom {

void write_pcd(const std::filesystem::path& file, std::span<const CloudProperty> properties, std::size_t points) {
  PcdHeader header;
  std::size_t step = 0;
  for (const CloudProperty& p : properties) {
    const auto parts = static_cast<std::size_t>(std::count(p.names.begin(), p.names.end(), ' ')) + 1;
    std::string_view rest = p.names;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      header.add(rest.substr(0, end), p.size / parts, p.type);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    step += p.size;
  }
  std::vector<std::byte> packed(points * step);
  std::size_t offset = 0;
  for (const CloudProperty& p : properties) {
    for (std::size_t i = 0; i < points; ++i)
      std::memcpy(packed.data() + i * step + offset, p.data + i * p.size, p.size);
    offset += p.size;
  }
  WholeFile out(file);
  out.write(header.text(points, 1));
  out.write(packed);
  out.commit();
}

void PcdHeader::add(std::string_view name, std::size_t size, char type, std::uint32_t count) {
  fields_ += fmt::format(" {}", name);
  sizes_ += fmt::format(" {}", size);
  types_ += fmt::format(" {}", type);
  counts_ += fmt::format(" {}", count);
}

std::string PcdHeader::text(std::size_t width, std::size_t height) const {
  return fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS{}\nSIZE{}\nTYPE{}\nCOUNT{}\nWIDTH {}\nHEIGHT "
      "{}\n"
      "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\nDATA binary\n",
      fields_, sizes_, types_, counts_, width, height, width * height);
}

}  // namespace fathom
