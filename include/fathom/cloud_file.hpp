#pragma once
// Clouds of any properties as files.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include <fathom/export.hpp>

namespace fathom {

/// A property of every point: one or more parts of one type, which follow each other in memory.
struct CloudProperty {
  std::string_view names;  ///< of its parts, split by single spaces: "x y z"
  char type;               ///< 'F', 'U' or 'I': of its parts
  std::size_t size;        ///< bytes of all its parts together
  const std::byte* data;   ///< [points, size], little endian
};

/// Writes a binary PCD file, version 0.7, as one row. Throws SystemError, and then leaves nothing.
FATHOM_API void write_pcd(const std::filesystem::path& file, std::span<const CloudProperty> properties,
                          std::size_t points);

}  // namespace fathom
