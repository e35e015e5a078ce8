// SPDX-License-Identifier: MIT
#include "cloud/pcd_header.hpp"

#include <fmt/format.h>

namespace fathom {

void PcdHeader::add(std::string_view name, std::size_t size, char type) {
  fields_ += fmt::format(" {}", name);
  sizes_ += fmt::format(" {}", size);
  types_ += fmt::format(" {}", type);
  counts_ += " 1";
}

std::string PcdHeader::text(std::size_t width, std::size_t height) const {
  return fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS{}\nSIZE{}\nTYPE{}\nCOUNT{}\nWIDTH {}\nHEIGHT "
      "{}\n"
      "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\nDATA binary\n",
      fields_, sizes_, types_, counts_, width, height, width * height);
}

}  // namespace fathom
