// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cloud/cloud_message.hpp"

namespace fathom {

/// Points of a file: PCD 0.7 (ascii, binary, binary_compressed), PLY (its first element, `vertex`), a serialised
/// PointCloud2, an array of NumPy [..., 3] of x y z, or the float32 of KITTI and nuScenes (.bin). Values keep their
/// names and types; frame_id is empty unless the file has one. Throws InputError naming the file for other formats,
/// points without x y z, and missing bytes.
CloudMessage read_cloud(const std::filesystem::path& file);

}  // namespace fathom
