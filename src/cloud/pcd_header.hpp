// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fathom {

/// The header of a PCD file, version 0.7: https://pointclouds.org/documentation/tutorials/pcd_file_format.html
class PcdHeader {
 public:
  void add(std::string_view name, std::size_t size, char type);
  [[nodiscard]] std::string text(std::size_t width, std::size_t height) const;

 private:
  std::string fields_, sizes_, types_, counts_;
};

}  // namespace fathom
