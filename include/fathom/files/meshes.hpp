// SPDX-License-Identifier: MIT
#pragma once
// Meshes read. Throws InputError naming the file (and the line, where there are lines) when it is
// missing, unreadable, truncated, not understood, or holds values that are not allowed.

#include <cstdint>
#include <filesystem>
#include <optional>

#include <fathom/base/export.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

/// The axis of a file that points up.
enum class UpAxis : std::uint8_t { kX, kY, kZ };

/// Reads OBJ, PLY, STL, glTF/GLB or DAE; all meshes that the file places joined in the file's own frame, in metres as
/// written (of DAE the unit is applied), turned so that `up_axis` becomes z, and validated. Without `up_axis`: y for
/// glTF, what the file says for DAE (y where it says nothing), z for the others. No file is opened but `file` and, for
/// glTF, its buffers in the same folder. Throws SystemError when there is not enough memory.
FATHOM_API Mesh read_mesh(const std::filesystem::path& file, std::optional<UpAxis> up_axis = std::nullopt);

}  // namespace fathom
