// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cloud/cloud_message.hpp"

namespace fathom {

/// Points of a file: PCD 0.7 (ascii, binary), PLY (its first element, `vertex`), a serialised PointCloud2, or an array
/// of NumPy [..., 3] of x y z. Values keep their names and types; frame_id is empty unless the file has one. Throws
/// InputError naming the file for what is none of these, has no x y z, or holds less than it says.
CloudMessage read_cloud(const std::filesystem::path& file);

}  // namespace fathom
