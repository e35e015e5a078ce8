// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <fathom/base/geometry.hpp>

namespace fathom {

/// The points of a cloud, in the frame of the file.
struct CloudPoints {
  std::vector<Vec3> at_m;            ///< those that are finite, [points]
  std::vector<std::uint32_t> place;  ///< row * cols + col of each in the file, [points]
  std::uint32_t rows = 0, cols = 0;
  std::vector<std::uint32_t> ring;  ///< the field `ring` of each, [points]; empty: it has none of whole numbers
};

/// Throws InputError as read_cloud() does, and for an x, y or z that is neither float32 nor float64.
CloudPoints read_cloud_points(const std::filesystem::path& file);

}  // namespace fathom
